"""What a sheet says: its lines as declarations, rules and sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from ddcalc.boundary.cleaning import pairs
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile, DdcalcError, Place
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.numbers.units import COUNT, SECOND, SHARE, Unit, unit_named
from ddcalc.problem import quantity as kinds
from ddcalc.problem.quantity import (
    AnyDerived,
    Choice,
    Derived,
    FilledBy,
    Given,
    GivenKind,
    OneDerived,
)
from ddcalc.problem.sheet.formulas import CONSTANTS, SHAPED, SPECIAL, Formula, unknown
from ddcalc.problem.sheet.templates import Template
from ddcalc.problem.sheet.text import HEADS, SECTIONS, Node, Text, outline

DASHES: Final = " -- "
KINDS: Final[Mapping[str, GivenKind]] = {
    name: kind for name, kind in vars(kinds).items() if isinstance(kind, GivenKind)
}
CHARACTERS, QUANTITIES = 256 * 1024, 200  # of a foreign sheet
LARGE: Final = 20_000  # names in a formula with all that these stand for
_HEADER: Final = re.compile(r"([a-z]\w*)(?: (\w+))?(?: \[([^\]]*)\])?:(?: |$)")
_LET: Final = re.compile(r"([a-z]\w*)(?:\(([\w, ]*)\))? = ")
_DERIVED: Final = (
    "name from relation, name least cost, name = formula, or name sums term for i from a to b"
)
_LAW: Final = re.compile(r"(\w+) (rises|falls) with (.*)")


@dataclass(frozen=True, slots=True)
class Line:
    """What a line says on the conditions of its *guards*; *other* where it is an ``else``.

    It holds *words*, a *formula*, or both; *name* is what it is about, *behind* what stands behind
    the dashes, *more* what stands below it.
    """

    text: Text
    guards: tuple[Formula, ...] = ()
    other: bool = False
    words: Template | None = None
    formula: Formula | None = None
    name: str = ""
    behind: str = ""
    more: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Let:
    """A name for a formula, with parameters, or for a text."""

    parameters: tuple[str, ...]
    formula: Formula


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
    lets: dict[str, Let] = field(default_factory=dict)
    steps: dict[str, list[Line]] = field(default_factory=dict)  # the rules of each
    said: dict[str, list[Line]] = field(default_factory=dict)  # by section
    examples: list[Example] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    wrong: list[DdcalcError] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # what is declared wrongly, so not unknown
    answer: Formula | None = None
    places: dict[str, Text] = field(default_factory=dict)  # where each name is declared


def read(path: Path, text_of: Callable[[Path], str] = Path.read_text) -> Sheet:
    """The sheet in the file at *path*, whose text is what *text_of* makes of it."""
    sheet = Sheet(path.stem.replace("_", "-"))
    _Reader(sheet, path, text_of).read()
    return sheet


def from_outside(path: Path) -> str:
    """The text of a foreign sheet; BadFile where it is none that may be read."""
    text = ""
    for chunk in Source(str(path)).chunks():
        text += chunk
        if len(text) > CHARACTERS:
            raise BadFile(f"is longer than {CHARACTERS} characters", Place(str(path)))
    return text


class _Reader:
    def __init__(self, sheet: Sheet, path: Path, text_of: Callable[[Path], str]) -> None:
        self.sheet, self.path, self.text_of = sheet, path, text_of
        self.included = False

    def read(self) -> None:
        """Everything that stands in the file; the prose of one that is *included* is its own."""
        about, nodes = outline(self.text_of(self.path), str(self.path))
        self.sheet.about = self.sheet.about if self.included else about
        self.each(nodes, self.part)

    def include(self, name: Text) -> None:
        """Read the sheet called *name*, which stands in the same folder, as a part of this one."""
        if self.included or "/" in name.words:
            raise name.wrong("is not included: it stands beside this sheet and includes no other")
        other = _Reader(self.sheet, self.path.with_name(name.words), self.text_of)
        other.included = True
        try:
            other.read()
        except OSError:
            raise name.wrong("is not there") from None

    def each(self, nodes: Iterable[Node], read: Callable[[Node], None]) -> None:
        """*read* each of the *nodes*; what is wrong with one does not hide the next one."""
        for node in nodes:
            try:
                read(node)
            except DdcalcError as error:
                error.place = error.place or node.text.place(0, len(node.text.words))
                self.sheet.wrong.append(error)
                self.sheet.broken.add(re.split(r"\W", node.text.words)[0])

    def part(self, node: Node) -> None:
        """A head, or a section."""
        head, behind = node.text.parted(":")
        if behind is not None and head.words in HEADS:
            text = node.whole()
            text = text.cut(text.find(":") + 1)
            if head.words == "include":
                self.include(text)
            elif head.words == "answer":
                self.sheet.answer = self.formula(text)
            else:
                self.sheet.heads[head.words] = text
        elif node.text.words in SECTIONS:
            name = node.text.words
            of_a_line = getattr(self, f"_{name}", None)
            if name in ("given", "choose", "let", "examples"):
                assert of_a_line is not None
                self.each(node.children, of_a_line)
            elif name == "steps":
                self.steps(node.children)
            else:
                self.lines(name, node.children, of_a_line or self._words)
        else:
            raise node.text.wrong(unknown(head.words, (*HEADS, *SECTIONS)), 0, len(head.words))

    def formula(self, text: Text, parameters: tuple[str, ...] = ()) -> Formula:
        self.sheet.formulas.append(made := Formula(text, parameters))
        return made

    def template(self, text: Text, parameters: tuple[str, ...] = ()) -> Template:
        self.sheet.templates.append(made := Template(text, parameters))
        return made

    # Declarations

    def _given(self, node: Node) -> None:
        name, letter, flags, title, at = self.header(node.whole())
        kind, more = KINDS["number"], dict[str, Any]()
        for i, flag in enumerate(flags):
            if i == 0 and flag.words in KINDS:
                kind = KINDS[flag.words]
            elif i == 0 and (unit := _unit(flag.words)):
                kind = GivenKind(unit)
            else:
                _property(flag, more, {*KINDS} if i == 0 else set())
        self.add(name, kind(letter or name, title.words, **more), at)

    def _choose(self, node: Node) -> None:
        name, _, flags, title, at = self.header(node.text)
        also = ""
        for flag in flags:
            if flag.words.startswith("matters if "):
                self.sheet.matters[name] = self.formula(flag.cut(11))
            elif flag.words.startswith("also "):
                also = flag.words[5:]
            else:
                raise flag.wrong("is no property of a choice; there are: matters if …, also …")
        options = {}
        for child in node.children:
            head, says = child.whole().both(":", "name: what the option says")
            key, matters = head.parted(" [matters if ")
            if not key.words.isidentifier():
                raise key.wrong("is no name for an option")
            if matters:
                when = self.formula(matters.cut(0, len(matters.words) - 1))
                self.sheet.matters[f"{name} {key.words}"] = when
            options[key.words] = says.words
        if len(options) < 2:
            raise at.wrong("has fewer than two options; each stands in a line below it")
        self.once(name, self.sheet.choices, at)
        self.sheet.choices[name] = Choice(title.words, options, pairs(also), name=name)

    def _let(self, node: Node) -> None:
        text = node.whole()
        match = _LET.match(text.words)
        if not match:
            raise text.wrong("is written name = formula, or name(x) = formula")
        parameters = tuple(part.strip() for part in (match[2] or "").split(",") if part.strip())
        self.once(match[1], self.sheet.lets, text)
        made = self.formula(text.cut(match.end()), parameters)
        self.sheet.lets[match[1]] = Let(parameters, made)
        self.sheet.places.setdefault(match[1], text)

    def steps(self, nodes: list[Node], guards: tuple[Formula, ...] = ()) -> None:
        def step(node: Node) -> None:
            if condition := _group(node):
                self.steps(node.children, (*guards, self.formula(condition)))
            else:
                self.step(node, guards)

        self.each(nodes, step)

    def step(self, node: Node, guards: tuple[Formula, ...]) -> None:
        """A quantity that follows, and its rules."""
        rules = [child for child in node.children if _is_rule(child)]
        header = Node(node.text, node.indent, [c for c in node.children if not _is_rule(c)])
        name, letter, flags, title, at = self.header(header.whole())
        unit, more = COUNT, dict[str, Any]()
        for i, flag in enumerate(flags):
            if i == 0 and flag.words == "time":
                unit, more = SECOND, dict(kinds.LESS)
            elif i == 0 and flag.words == "share":
                unit, more = SHARE, {"least": 0, "most": 1}
            elif i == 0 and (named := _unit(flag.words)):
                unit = named
            else:
                _property(flag, more, {"time", "share"} if i == 0 else set())
        title, why = title.parted(DASHES)
        says = self.template(why) if why and "[" in why.words else None  # it depends on the shape
        if not rules:
            raise at.wrong("has no rule; a line below it begins with =, if or else")
        if name not in self.sheet.steps:
            kind = AnyDerived if more.get("many") else OneDerived
            usual = why.words if why and not says else ""
            self.add(name, kind(letter or name, title.words, unit, usual, **more), at)
        found = self.sheet.steps.setdefault(name, [])
        found += [self.rule(rule.whole(), guards, says) for rule in rules]

    def rule(self, text: Text, guards: tuple[Formula, ...], usual: Template | None) -> Line:
        if text.words.startswith("="):
            behind = text.cut(1)
        elif text.words.startswith("if "):
            condition, behind = text.cut(3).both(":", "if condition: formula")
            guards = (*guards, self.formula(condition))
        else:
            behind = text.cut(5)
        value, why = behind.parted(DASHES)
        words = self.template(why) if why else usual
        return Line(text, guards, words=words, formula=self.formula(value))

    def header(self, text: Text) -> tuple[str, str, list[Text], Text, Text]:
        """The name, letter, properties and title that a declaration begins with."""
        match = _HEADER.match(text.words)
        if not match:
            raise text.wrong("is declared as name letter [kind, property, …]: what it is")
        flags = text.cut(*match.span(3)).split(",") if match[3] else []
        return match[1], match[2] or "", flags, text.cut(match.end()), text

    def add(self, name: str, made: Given | Derived, at: Text) -> None:
        self.once(name, self.sheet.quantities, at)
        if len(self.sheet.quantities) >= QUANTITIES:
            raise at.wrong(f"is one quantity more than the {QUANTITIES} that a sheet may have")
        made.name = name
        self.sheet.quantities[name] = made

    def once(self, name: str, known: Mapping[str, Any], at: Text) -> None:
        if name in known:
            first = self.sheet.places[name].place()
            raise at.wrong(f"is declared twice, first in line {first.line}", 0, len(name))
        self.sheet.places[name] = at

    # Sentences

    def lines(
        self, section: str, nodes: list[Node], part: Callable[[Line, Node], Line],
        guards: tuple[Formula, ...] = (),
    ) -> None:  # fmt: skip
        """The lines of a section, each with its conditions."""
        first = True

        def line(node: Node) -> None:
            nonlocal first
            if condition := _group(node):
                self.lines(section, node.children, part, (*guards, self.formula(condition)))
                return
            text, own, other = node.text if section in _BLOCKS else node.whole(), guards, False
            if text.words.startswith(("else:", "else if ")):
                other, text = True, text.cut(5)
                if first:
                    raise node.text.wrong("comes without a line before it", 0, 4)
            if text.words.startswith("if "):
                condition, text = text.cut(3).both(":", "if condition: what is said")
                own = (*guards, self.formula(condition))
            first = False
            self.sheet.said.setdefault(section, []).append(part(Line(text, own, other), node))

        self.each(nodes, line)

    def _words(self, line: Line, node: Node) -> Line:
        return Line(line.text, line.guards, line.other, self.template(line.text))

    def _assume(self, line: Line, node: Node) -> Line:
        says, lifts = line.text.parted(DASHES)
        lifted = lifts.words if lifts else ""
        return Line(line.text, line.guards, words=self.template(says), behind=lifted)

    def _need(self, line: Line, node: Node) -> Line:
        return Line(line.text, line.guards, formula=self.formula(line.text))

    def _refuse(self, line: Line, node: Node) -> Line:
        head, message = line.text.both(":", "given unless relation: message")
        name, relation = head.parted(" unless ")
        if name.words not in {*self.sheet.quantities, *self.sheet.broken}:
            raise name.wrong(unknown(name.words, self.sheet.quantities))
        formula = self.formula(relation) if relation else None
        return Line(line.text, line.guards, False, self.template(message), formula, name.words)

    def _check(self, line: Line, node: Node) -> Line:
        relation, text = line.text.both(DASHES, "relation -- which way it is")
        return Line(line.text, line.guards, False, self.template(text), self.formula(relation))

    def _laws(self, line: Line, node: Node) -> Line:
        text, because = line.text.both(DASHES, "law -- why")
        if text.words.startswith("always "):
            held = self.formula(text.cut(7))
            return Line(line.text, line.guards, formula=held, behind=because.words)
        match = _LAW.fullmatch(text.words)
        if not match:
            raise text.wrong("is written always relation, or name rises with names (or falls)")
        names = re.split(r",\s*", match[3])
        for name in (match[1], *names):
            if name not in {*self.sheet.quantities, *self.sheet.broken}:
                raise text.wrong(
                    unknown(name, self.sheet.quantities), text.words.find(name), len(name)
                )
        return Line(line.text, line.guards, name=match[1], behind=f"{match[2]} {' '.join(names)}")

    def _derive(self, line: Line, node: Node) -> Line:
        text, says = line.text.both(DASHES, "name from relation -- why")
        name, _, how = text.words.partition(" ")
        how = how.partition(" ")[0]
        if name not in self.sheet.quantities or how not in ("from", "least", "sums", "="):
            raise text.wrong(f"is written {_DERIVED}")
        value, index = text.cut(len(name) + len(how) + 2), ""
        if how == "sums":
            value, over = value.both(" for ", "term for i from first to last")
            letter, ends = over.both(" from ", "term for i from first to last")
            index = letter.words
            first, last = ends.both(" to ", "term for i from first to last")
            more = tuple(Line(end, formula=self.formula(end)) for end in (first, last))
            made = self.formula(value, (index,))
            return Line(line.text, line.guards, False, self.template(says), made, name, index, more)
        made = self.formula(value)
        return Line(line.text, line.guards, False, self.template(says), made, name, how)

    # Tables

    def _table(self, line: Line, node: Node) -> Line:
        """``title: what a row is``, and below it ``column name: head``, ``mark word: relation``,
        ``worked: formula``, ``first: 0``, ``hides: names``; of a ranking ``at: letter`` and a line
        for each that is ranked."""
        title, what = line.text.both(":", "title: what a row is")
        more = [self.row(child) for child in node.children]
        return Line(
            line.text, line.guards, words=self.template(title), name=what.words, more=tuple(more)
        )

    _ranking = _table

    def row(self, node: Node) -> Line:
        head, behind = node.whole().both(":", "column name: its head; mark word: relation; …")
        is_text = head.words.startswith(("column ", "hides", "at"))
        return Line(behind, formula=None if is_text else self.formula(behind), name=head.words)

    def _examples(self, node: Node) -> None:
        example = Example(node.text)
        for child in node.children:
            head, rest = child.whole().both(":", "given: …, or expect: …")
            found = {"given": example.given, "expect": example.expect}.get(head.words)
            if found is None:
                raise head.wrong("is no part of an example; there are: given, expect")
            for part in rest.split(";"):
                name, value = part.both(" = ", "name = value; name = value")
                found[name.words] = value
        self.sheet.examples.append(example)


_BLOCKS: Final = ("table", "ranking")
_PROPERTIES: Final = (
    "example", "default", "optional", "group", "list", "either", "or", "from", "least", "bare",
    "counted", "noun", "less", "more", "each", "rows", "first", "letter",
)  # fmt: skip


def _property(flag: Text, more: dict[str, Any], kinds: set[str]) -> None:
    """Put the property that *flag* names into *more*; BadFile where there is no such one."""
    word, _, rest = flag.words.partition(" ")
    match word, rest:
        case "example" | "default" | "group" | "noun" | "rows", _ if rest:
            more[word] = rest.strip('"')
        case "optional" | "bare" | "counted", "":
            more[word] = True
        case "first", _:
            more[word] = int(rest)
        case ">=" | ">" | "<=", _:
            limit = Fraction(rest)
            bound = {">=": "least", ">": "above", "<=": "most"}[word]
            more[bound] = int(limit) if limit.denominator == 1 else limit
        case "list" | "either", _:
            more |= {"many": word, "of": rest}
        case "or", _ if rest:
            more["words"] = (*more.get("words", ()), rest)
        case "from", _ if rest:
            facts, _, beyond = rest.partition(" unless ")
            unless, _, beside = beyond.partition(" beside ")
            more["filled_by"] = FilledBy(
                *map(tuple, (facts.split(), unless.split(), beside.split()))
            )
        case "less" | "more", "":
            more["better"] = word
        case "each", _ if rest:
            more["many"] = tuple(rest.split(" and "))
        case _:
            raise flag.wrong(unknown(word, {*_PROPERTIES, *kinds}), 0, len(word))


def _is_rule(node: Node) -> bool:
    return node.text.words.startswith(("=", "if ", "else:"))


def _group(node: Node) -> Text | None:
    """The condition of a line that only says when what stands below it holds."""
    text = node.text
    if node.children and text.words.startswith("if ") and text.find(":") == len(text.words) - 1:
        return text.cut(3, len(text.words) - 1)
    return None


def _unit(name: str) -> Unit | None:
    try:
        return unit_named(name) if name not in _PROPERTIES else None
    except DdcalcError:
        return None


def unknown_names(sheet: Sheet) -> Iterator[DdcalcError]:
    """Every name in a formula of the *sheet* that stands for nothing, and all else wrong there."""
    known = {
        *sheet.quantities,
        *sheet.lets,
        *sheet.choices,
        *CONSTANTS,
        *FUNCTIONS,
        *SPECIAL,
        "after",
    }
    templates = list(sheet.templates)
    formulas = list(sheet.formulas)
    for template in templates:
        try:
            formulas += template.formulas()
        except BadFile as error:
            yield error
    for formula in formulas:
        try:
            if _size(sheet, formula, ()) > LARGE:
                yield formula.wrong(f"has more than {LARGE} parts when all names are put in")
            for name, at in formula.names():
                if name not in known and name not in formula.parameters:
                    yield formula.wrong(unknown(name, {*known, *formula.parameters}), at)
            for name, option, at in formula.questions():
                yield from _unanswerable(sheet, formula, name, option, at)
        except BadFile as error:
            yield error


def _size(sheet: Sheet, formula: Formula, inside: tuple[str, ...]) -> int:
    """The parts of *formula* with those of all names that it uses put in; BadFile for a circle."""
    if formula.size is None:
        size = 0
        for name, at in formula.names():
            if name in inside:
                raise formula.wrong(f"{name} is made from itself", at)
            let = sheet.lets.get(name) if name not in formula.parameters else None
            size += 1 + (_size(sheet, let.formula, (*inside, name)) if let else 0)
        formula.size = size
    return formula.size


def _unanswerable(
    sheet: Sheet, formula: Formula, name: str, option: str, at: Any
) -> Iterator[BadFile]:
    given = sheet.quantities.get(name)
    if name in sheet.broken:
        return
    if name not in sheet.choices and given is None:
        yield formula.wrong(unknown(name, {*sheet.choices, *sheet.quantities}), at)
        return
    options = {*sheet.choices[name].options} if name in sheet.choices else set()
    options |= {*SHAPED, *getattr(given, "words", ())} if given else set()
    if option not in options:
        known = f"; it is one of {', '.join(sorted(options))}"
        near = unknown(option, options).partition("; ")[2]
        yield formula.wrong(f"{name} is never {option}" + (f"; {near}" if near else known), at)
