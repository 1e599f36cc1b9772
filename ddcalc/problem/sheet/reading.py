"""What a sheet says: its lines as declarations, rules and statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar

from ddcalc.boundary.cleaning import pairs
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile, DdcalcError, Place
from ddcalc.numbers.units import SQUARE_SECOND, Unit, unit_named
from ddcalc.problem import quantity as kinds
from ddcalc.problem.quantity import Choice, Derived, DerivedKind, FilledBy, Given, GivenKind
from ddcalc.problem.sheet.formulas import Formula, unknown
from ddcalc.problem.sheet.phrases import Phrase
from ddcalc.problem.sheet.text import DECLARING, HEADS, SECTIONS, Node, Text, outline

DASHES: Final = " -- "
GIVENS: Final = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, GivenKind)}
STEPS: Final = {"time": kinds.elapsed, "share": kinds.share}
CHARACTERS, QUANTITIES = 256 * 1024, 200  # of a foreign sheet
_HEADER: Final = re.compile(r"([a-z]\w*)(?: (\w+))?(?: \[([^\]]*)\])?:(?: |$)")
_LET: Final = re.compile(r"([a-z]\w*)(?:\(([\w, ]*)\))? = ")
_LAW: Final = re.compile(r"(\w+) (rises|falls) with (.*)")
_SUM: Final = "term for i from first to last"
_TEXTS: Final = ("column", "hides", "at", "why", "behind", "aside", "names")  # below a table
_PICTURE: Final = "title: what passes -- why"
_DERIVED: Final = f"name from relation, name least cost, name = formula, or name sums {_SUM}"
_PROPERTIES: Final = (
    "example", "default", "optional", "open", "group", "list", "either", "or", "from", "bare",
    "counted", "noun", "less", "more", "each", "rows", "first",
)  # fmt: skip
Kind = TypeVar("Kind", GivenKind, DerivedKind)
Guards = tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a line says on the conditions of its *guards*; *other* where it is an ``else``.

    It holds *words*, a *formula*, or both; *name* is what it is about, *behind* what stands behind
    the dashes, *more* what stands below it.
    """

    text: Text
    guards: Guards = ()
    other: bool = False
    words: Phrase | None = None
    formula: Formula | None = None
    name: str = ""
    behind: str = ""
    more: tuple[Statement, ...] = ()


@dataclass(slots=True)
class Example:
    """A question with numbers, and what it should come to."""

    title: Text
    given: dict[str, Text] = field(default_factory=dict)
    expect: dict[str, Text] = field(default_factory=dict)


@dataclass(slots=True)
class Sheet:
    """All that a sheet says, and what is *wrong* with it; formulas wait until they are needed."""

    slug: str
    about: str = ""
    heads: dict[str, Text] = field(default_factory=dict)
    quantities: dict[str, Given | Derived] = field(default_factory=dict)
    choices: dict[str, Choice] = field(default_factory=dict)
    matters: dict[str, Formula] = field(default_factory=dict)  # when a choice does, or an option
    named: dict[str, Formula] = field(default_factory=dict)  # when a choice always is
    results: list[str] = field(default_factory=list)  # the quantities that a model comes to
    asides: set[str] = field(default_factory=set)  # those of them for tables and sentences alone
    counts: set[str] = field(default_factory=set)  # those for whose numbers formulas are written
    lets: dict[str, Formula] = field(default_factory=dict)  # names for formulas and texts
    steps: dict[str, list[Statement]] = field(default_factory=dict)  # the rules of each
    said: dict[str, list[Statement]] = field(default_factory=dict)  # by section
    examples: list[Example] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    places: dict[str, Text] = field(default_factory=dict)  # where each name is declared
    wrong: list[DdcalcError] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # what is declared wrongly, so not unknown
    answer: Formula | None = None


def of_ours(path: Path) -> str:
    """The text of a sheet of the program."""
    return path.read_text("utf-8")


def from_outside(path: Path) -> str:
    """The text of a foreign sheet; BadFile where it is none that may be read."""
    text = ""
    for chunk in Source(str(path)).chunks():
        text += chunk
        if len(text) > CHARACTERS:
            raise BadFile(f"a sheet is at most {CHARACTERS} characters long", Place(str(path)))
    return text


def read(path: Path, text_of: Callable[[Path], str] = of_ours) -> Sheet:
    """The sheet in the file at *path*, whose text is what *text_of* makes of it."""
    sheet = Sheet(path.stem.replace("_", "-"))
    sheet.about, nodes = outline(text_of(path), str(path))
    _SheetReader(sheet, path, text_of).read(nodes)
    return sheet


class _SheetReader:
    def __init__(self, sheet: Sheet, path: Path, text_of: Callable[[Path], str]) -> None:
        self.sheet, self.path, self.text_of = sheet, path, text_of
        self.is_included = False

    def read(self, nodes: Iterable[Node]) -> None:
        """Everything behind the prose."""
        self.in_turn(((node, ()) for node in nodes), self.part)

    def in_turn(
        self, nodes: Iterable[tuple[Node, Guards]], read: Callable[[Node, Guards], None]
    ) -> None:
        """*read* each of the *nodes*; what is wrong with one does not hide the next one."""
        for node, guards in nodes:
            try:
                read(node, guards)
            except DdcalcError as error:
                error.place = error.place or node.text.place(0, len(node.text.words))
                self.sheet.wrong.append(error)
                self.sheet.broken.add(re.split(r"\W", node.text.words)[0])

    def grouped(self, nodes: Iterable[Node], guards: Guards = ()) -> Iterator[tuple[Node, Guards]]:
        """The *nodes*, and in their place those below a line that is a condition alone."""
        for node in nodes:
            text = node.text
            alone = text.words.startswith("if ") and text.find(":") == len(text.words) - 1
            if node.children and alone:
                test = self.formula(text.cut(3, len(text.words) - 1))
                yield from self.grouped(node.children, (*guards, test))
            else:
                yield node, guards

    def part(self, node: Node, _: Guards) -> None:
        """A head, or a section."""
        head, behind = node.text.parted(":")
        name = node.text.words
        if behind is not None and head.words in HEADS:
            text = node.whole()
            self.head(head.words, text.cut(text.find(":") + 1))
        elif name not in SECTIONS:
            raise node.text.wrong(unknown(head.words, (*HEADS, *SECTIONS)), 0, len(head.words))
        elif name in (*DECLARING, "examples"):
            self.in_turn(self.grouped(node.children), getattr(self, f"_{name}"))
        else:
            part = getattr(self, f"_{name}", self._words)
            self.in_turn(self.grouped(node.children), lambda *line: self.line(name, part, *line))

    def head(self, name: str, text: Text) -> None:
        if name == "model" and self.text_of is not of_ours:
            raise text.wrong("is for the program's own sheets: a sheet runs nothing")
        if name == "also" and self.text_of is not of_ours:
            raise text.wrong("is for the program's own sheets: others have one name")
        if name == "answer":
            self.sheet.answer = self.formula(text)
        elif name == "breakdown" and text.words != "none":
            raise text.wrong("is no breakdown: it is none where the parts of the answer overlap")
        elif name != "include":
            self.sheet.heads[name] = text
        elif self.is_included or "/" in text.words:
            raise text.wrong("is not included: it stands beside this sheet and includes no other")
        else:
            path = self.path.with_name(text.words)
            if self.text_of is of_ours and not path.is_file():
                raise text.wrong("is not there")
            other = _SheetReader(self.sheet, path, self.text_of)
            other.is_included = True
            other.read(outline(self.text_of(path), str(path))[1])

    def formula(self, text: Text, parameters: tuple[str, ...] = ()) -> Formula:
        self.sheet.formulas.append(made := Formula(text, parameters))
        return made

    def phrase(self, text: Text) -> Phrase:
        self.sheet.phrases.append(made := Phrase(text))
        return made

    # Declarations

    def _given(self, node: Node, _: Guards) -> None:
        name, letter, flags, title, at = self.header(node.whole())
        kind, more = self.kind(flags, GIVENS, GivenKind, kinds.number)
        if "many" in more and "," in more.get("default", ""):
            raise at.wrong("has no list for its default: it is stated, or optional", 0, len(name))
        self.add(name, kind(letter or name, title.words, **more), self.sheet.quantities, at)

    def _choose(self, node: Node, _: Guards) -> None:
        name, _letter, flags, title, at = self.header(node.text)
        also, options = self.other_names(name, flags), dict[str, str]()
        for child in node.children:
            head, says = child.whole().both(":", "name: what the option says")
            key, behind = head.parted(" [")
            if not key.words.isidentifier():
                raise key.wrong("is no name for an option")
            more = behind.cut(0, len(behind.words) - 1).split(",") if behind else []
            also |= self.other_names(f"{name} {key.words}", more, key.words)
            options[key.words] = says.words
        if len(options) < 2:
            raise at.wrong("has fewer than two options; each stands in a line below it")
        made = Choice(title.words, options, also, name=name)
        self.add(name, made, self.sheet.choices, at)

    def other_names(self, what: str, flags: list[Text], option: str = "") -> dict[str, str]:
        """The other names that the *flags* of a choice, or of its *option*, give to options; when
        *what* they belong to matters is noted."""
        names = dict[str, str]()
        for flag in flags:
            words = flag.words.removeprefix("also ")
            if flag.words.startswith("matters if "):
                self.sheet.matters[what] = self.formula(flag.cut(11))
            elif flag.words.startswith("named if ") and not option:
                self.sheet.named[what] = self.formula(flag.cut(9))
            elif words != flag.words and (option or not len(words.split()) % 2):
                names |= dict.fromkeys(words.split(), option) if option else pairs(words)
            else:
                raise flag.wrong("is no property of a choice; there are: matters if …, also …")
        return names

    def _let(self, node: Node, _: Guards) -> None:
        text = node.whole()
        match = _LET.match(text.words)
        if not match:
            raise text.wrong("is written name = formula, or name(x) = formula")
        parameters = tuple(re.findall(r"\w+", match[2] or ""))
        made = self.formula(text.cut(match.end()), parameters)
        self.add(match[1], made, self.sheet.lets, text)

    def _results(self, node: Node, _: Guards) -> None:
        """A quantity that the model comes to."""
        name, letter, flags, title, at = self.header(node.whole())
        kept = {"aside": self.sheet.asides, "counts": self.sheet.counts}
        while flags and flags[-1].words in kept:
            kept[flags.pop().words].add(name)
        kind, more = self.kind(flags, STEPS, DerivedKind, kinds.derived)
        says, why = title.parted(DASHES)
        made = kind(letter or name, says.words, why.words if why else "", **more)
        self.add(name, made, self.sheet.quantities, at)
        self.sheet.results.append(name)

    def _steps(self, node: Node, guards: Guards) -> None:
        """A quantity that follows, and its rules."""
        rules = [child for child in node.children if _is_rule(child)]
        header = Node(node.text, node.indent, [c for c in node.children if not _is_rule(c)])
        name, letter, flags, title, at = self.header(header.whole())
        kind, more = self.kind(flags, STEPS, DerivedKind, kinds.derived)
        title, why = title.parted(DASHES)
        says = self.phrase(why) if why and "[" in why.words else None  # it depends on the shape
        if not rules:
            raise at.wrong("has no rule; a line below it begins with =, if or else")
        if name not in self.sheet.steps:
            usual = why.words if why and not says else ""
            made = kind(letter or name, title.words, usual, **more)
            self.add(name, made, self.sheet.quantities, at)
        known = self.sheet.steps.setdefault(name, [])
        known += [self.rule(rule.whole(), guards, says) for rule in rules]

    def rule(self, text: Text, guards: Guards, usual: Phrase | None) -> Statement:
        if text.words.startswith("if "):
            test, behind = text.cut(3).both(":", "if condition: formula")
            guards = (*guards, self.formula(test))
        else:
            behind = text.cut(1 if text.words.startswith("=") else len("else:"))
        value, why = behind.parted(DASHES)
        words = self.phrase(why) if why else usual
        return Statement(text, guards, words=words, formula=self.formula(value))

    def header(self, text: Text) -> tuple[str, str, list[Text], Text, Text]:
        """The name, letter, properties and title that a declaration begins with."""
        match = _HEADER.match(text.words)
        if not match:
            raise text.wrong("is declared as name letter [kind, property, …]: what it is")
        flags = text.cut(*match.span(3)).split(",") if match[3] else []
        return match[1], match[2] or "", flags, text.cut(match.end()), text

    def kind(
        self, flags: list[Text], named: Mapping[str, Kind], of_unit: type[Kind], usual: Kind
    ) -> tuple[Kind, dict[str, Any]]:
        """The kind that the first of *flags* names, itself or by its unit, and the properties."""
        kind, more = usual, dict[str, Any]()
        for i, flag in enumerate(flags):
            if i == 0 and flag.words in named:
                kind = named[flag.words]
            elif i == 0 and (unit := _unit(flag.words)):
                kind = of_unit(unit)
            elif not _property(flag.words, more):
                word = flag.words.partition(" ")[0]
                if word in GIVENS:
                    raise flag.wrong(
                        "is no unit; there are units, time, share, or none", 0, len(word)
                    )
                raise flag.wrong(unknown(word, (*_PROPERTIES, *named)), 0, len(word))
        return kind, more

    def add(self, name: str, made: Any, known: dict[str, Any], at: Text) -> None:
        """Note what is declared under that *name*."""
        if name in known:
            first = self.sheet.places[name].place()
            raise at.wrong(f"is declared twice, first in line {first.line}", 0, len(name))
        if len(known) >= QUANTITIES:
            raise at.wrong(f"is one more than the {QUANTITIES} that a sheet may have")
        if isinstance(made, Given | Derived):
            made.name = name
        known[name] = made
        self.sheet.places.setdefault(name, at)

    # Statements

    def line(
        self, section: str, part: Callable[[Statement], Statement], node: Node, guards: Guards
    ) -> None:
        """A line of a section, with its conditions."""
        said = self.sheet.said.setdefault(section, [])
        is_table = section in ("table", "ranking", "picture")
        text, other = node.text if is_table else node.whole(), False
        if text.words.startswith(("else:", "else if ")):
            other, text = True, text.cut(5)
            if not said:
                raise node.text.wrong("comes without a line before it", 0, 4)
        if text.words.startswith("if "):
            test, text = text.cut(3).both(":", "if condition: what is said")
            guards = (*guards, self.formula(test))
        below = tuple(map(self.row, node.children)) if is_table else ()
        said.append(part(Statement(text, guards, other, more=below)))

    def row(self, node: Node) -> Statement:
        text, guards = node.whole(), tuple[Formula, ...]()
        if text.words.startswith("if "):
            test, text = text.cut(3).both(":", "if condition: column name: its head")
            guards = (self.formula(test),)
        head, behind = text.both(":", "column name: its head; mark word: relation; …")
        is_text = head.words.partition(" ")[0] in _TEXTS
        made = None if is_text else self.formula(behind)
        return Statement(behind, guards, formula=made, name=head.words)

    def _words(self, line: Statement) -> Statement:
        return replace(line, words=self.phrase(line.text))

    def _assume(self, line: Statement) -> Statement:
        says, lifts = line.text.parted(DASHES)
        return replace(line, words=self.phrase(says), behind=lifts.words if lifts else "")

    def _need(self, line: Statement) -> Statement:
        return replace(line, formula=self.formula(line.text))

    def _refuse(self, line: Statement) -> Statement:
        head, message = line.text.both(":", "given unless relation: message")
        name, relation = head.parted(" unless ")
        if name.words not in self.sheet.choices:
            self.known(name, name.words)
        held = self.formula(relation) if relation else None
        return replace(line, words=self.phrase(message), formula=held, name=name.words)

    def _check(self, line: Statement) -> Statement:
        relation, says = line.text.both(DASHES, "relation -- which way it is")
        return replace(line, words=self.phrase(says), formula=self.formula(relation))

    def _laws(self, line: Statement) -> Statement:
        text, because = line.text.both(DASHES, "law -- why")
        if text.words.startswith("always "):
            return replace(line, formula=self.formula(text.cut(7)), behind=because.words)
        match = _LAW.fullmatch(text.words)
        if not match:
            raise text.wrong("is written always relation, or name rises with names (or falls)")
        names = re.split(r",\s*", match[3])
        for name in (match[1], *names):
            self.known(text, name)
        return replace(line, name=match[1], behind=" ".join((match[2], *names)))

    def _derive(self, line: Statement) -> Statement:
        text, says = line.text.both(DASHES, "name from relation -- why")
        name, how, *_ = *text.words.split(), "", ""
        if how not in ("from", "least", "sums", "="):
            raise text.wrong(f"is written {_DERIVED}")
        self.known(text, name)
        value, index, more = text.cut(len(name) + len(how) + 2), how, list[Text]()
        if how == "sums":
            value, over = value.both(" for ", _SUM)
            letter, ends = over.both(" from ", _SUM)
            more, index = [*ends.both(" to ", _SUM)], letter.words
        made = self.formula(value, (index,) if more else ())
        ends_of = tuple(Statement(end, formula=self.formula(end)) for end in more)
        return replace(
            line, words=self.phrase(says), formula=made, name=name, behind=index, more=ends_of
        )

    def _table(self, line: Statement) -> Statement:
        """``title: what a row is``, and below it ``column name: head``, ``mark word: relation``,
        ``why: text``, ``worked: formula``, ``rows: formula``, ``behind: name``, ``first: 0``,
        ``hides: names``, ``names: those of the rows``, ``aside: why`` where it is shown on demand;
        of a ranking ``at: letter`` and a line for each that is ranked."""
        title, what = line.text.both(":", "title: what a row is")
        return replace(line, words=self.phrase(title), name=what.words)

    _ranking = _table

    def _picture(self, line: Statement) -> Statement:
        """``title: what passes -- why``, and below it ``number: formula``, ``before: time``, and
        ``lane name: time, time of the last one`` for each station."""
        title, rest = line.text.both(":", _PICTURE)
        noun, why = rest.both(DASHES, _PICTURE)
        rows = [row.name.partition(" ")[0] for row in line.more]
        for row, kind in zip(line.more, rows, strict=True):
            if kind not in ("number", "before", "lane"):
                raise row.text.wrong(
                    "is no part of a picture; there are: number, before, lane NAME"
                )
        if not {"number", "lane"} <= {*rows}:
            raise line.text.wrong(
                "a picture has a line number: formula, and a line lane NAME: time"
            )
        return replace(line, words=self.phrase(why), name=noun.words, behind=title.words)

    def known(self, text: Text, name: str) -> None:
        """BadFile where no quantity has the *name* that stands in *text*."""
        if name not in self.sheet.quantities and name not in self.sheet.broken:
            at = text.words.find(name)
            raise text.wrong(unknown(name, self.sheet.quantities), max(at, 0), len(name))

    def _examples(self, node: Node, _: Guards) -> None:
        example = Example(node.text)
        for child in node.children:
            head, rest = child.whole().both(":", "given: …, or expect: …")
            values = {"given": example.given, "expect": example.expect}.get(head.words)
            if values is None:
                raise head.wrong("is no part of an example; there are: given, expect")
            for part in rest.split(";"):
                name, value = part.both(" = ", "name = value; name = value")
                values[name.words] = value
        self.sheet.examples.append(example)


def _property(words: str, more: dict[str, Any]) -> bool:
    """Put the property that *words* name into *more*; False if there is no such one."""
    word, _, rest = words.partition(" ")
    match word:
        case "example" | "default" | "group" | "noun" | "rows" if rest:
            more[word] = rest.strip('"')
        case "optional" | "bare" | "counted" if not rest:
            more[word] = True
        case "open" if not rest:
            more["free"] = True
        case "first" if rest.isdecimal():
            more[word] = int(rest)
        case ">=" | ">" | "<=" if re.fullmatch(r"-?\d{1,20}(/\d{1,20}|\.\d{1,20})?", rest):
            limit = Fraction(rest)
            bound = {">=": "least", ">": "above", "<=": "most"}[word]
            more[bound] = int(limit) if limit.denominator == 1 else limit
        case "list" | "either":
            more |= {"many": word, "of": rest}
        case "or" if rest:
            more["words"] = (*more.get("words", ()), rest)
        case "from" if rest:
            before, _, beside = rest.partition(" beside ")
            facts, _, unless = before.partition(" unless ")
            more["filled_by"] = FilledBy(*(tuple(x.split()) for x in (facts, unless, beside)))
        case "less" | "more" if not rest:
            more["better"] = word
        case "each" if rest:
            more["many"] = tuple(rest.split(" and "))
        case _:
            return False
    return True


def _is_rule(node: Node) -> bool:
    return node.text.words.startswith(("=", "if ", "else:"))


def _unit(name: str) -> Unit | None:
    try:
        if name == SQUARE_SECOND.name:  # which nobody states
            return SQUARE_SECOND
        return unit_named(name.removeprefix("1")) if name not in _PROPERTIES else None
    except DdcalcError:
        return None
