"""What a sheet says: its lines as declarations and statements, by the forms in which they are
written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from ddcalc.boundary.cleaning import pairs
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile, DdcalcError, Place
from ddcalc.problem.quantity import Choice, Derived, Given
from ddcalc.problem.sheet.formulas import Formula, unknown
from ddcalc.problem.sheet.phrases import Phrase
from ddcalc.problem.sheet.properties import declared
from ddcalc.problem.sheet.text import Node, Text, outline

DASHES: Final = " -- "
CHARACTERS, QUANTITIES = 256 * 1024, 200  # of a foreign sheet
HEADS: Final = (
    "answer", "also", "keywords", "terms", "source", "include", "breakdown", "model",
)  # fmt: skip
FORMS: Final[Mapping[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("forms.toml").read_text("utf-8")
)
DECLARED: Final = ("given", "choose", "results", "let", "steps")
SECTIONS: Final = (*DECLARED, *(name for name in FORMS if not name.startswith("a r")))
_FORMULAS: Final = ("formula", "relation", "cost")
_PHRASES: Final = ("sentence", "message", "which way it is", "why", "title")
_DECLARED: Final = "declared as name letter [kind, property, …]: what it is"
_OPTION: Final = "written name: what the option says"
_HEADER: Final = re.compile(r"([a-z]\w*)(?: (\w+))?(?: \[([^\]]*)\])?:(?: |$)")
_LET: Final = re.compile(r"([a-z]\w*)(?:\(([\w, ]*)\))? = ")
_USE: Final = re.compile(r"use ([a-z][\w-]*) as ([a-z]\w*)")
_RULES: Final = ("=", "if ", "else:")
Guards = tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What stands in the places of the *form* of a line, on the conditions of its *guards*.

    *other* is an ``else``; *more* are the lines below it.
    """

    text: Text
    form: str
    places: Mapping[str, Any]
    guards: Guards = ()
    other: bool = False
    more: tuple[Statement, ...] = ()

    def __getitem__(self, place: str) -> Any:
        return self.places[place]

    @property
    def formula(self) -> Formula | None:
        """The formula, or relation, that it states."""
        return next((self.places[place] for place in _FORMULAS if place in self.places), None)

    @property
    def words(self) -> Phrase | None:
        """What it says."""
        return next((self.places[place] for place in _PHRASES if place in self.places), None)


class Use(NamedTuple):
    """Another sheet, by its *slug*, whose results are called ``alias.result`` here, as the line
    *text* says; what stands for its givens and choices where these are not called alike."""

    text: Text
    slug: str
    alias: str
    bound: Mapping[str, Text]


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
    inner: set[str] = field(default_factory=set)  # choices that only sheets which use it make
    results: list[str] = field(default_factory=list)  # the quantities that a model comes to
    asides: set[str] = field(default_factory=set)  # those of them for tables and sentences alone
    counts: set[str] = field(default_factory=set)  # those for whose numbers formulas are written
    lets: dict[str, Formula] = field(default_factory=dict)  # names for formulas and texts
    steps: dict[str, list[Statement]] = field(default_factory=dict)  # the rules of each
    said: dict[str, list[Statement]] = field(default_factory=dict)  # by section
    formulas: list[Formula] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    names: list[tuple[Text, bool]] = field(default_factory=list)  # of quantities; or of choices
    uses: list[Use] = field(default_factory=list)  # other sheets,
    members: tuple[Any, ...] = ()  # which are its members
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
        text += chunk.replace("\r", "")
        if len(text) > CHARACTERS:
            raise BadFile(f"a sheet is at most {CHARACTERS} characters long", Place(str(path)))
    return text


def read(path: Path, text_of: Callable[[Path], str] = of_ours) -> Sheet:
    """The sheet in the file at *path*, whose text is what *text_of* makes of it."""
    sheet = Sheet(path.stem.replace("_", "-"))
    sheet.about, nodes = outline(text_of(path), str(path))
    _SheetReader(sheet, path, text_of).in_turn(nodes, "part")
    return sheet


@cache
def _places(form: str) -> tuple[str, str, list[tuple[str, str]]]:
    """The words that tell a *form*, what it begins with, and its places, each with what follows."""
    begins, *rest = re.split(r"\{(.*?)\}", form.replace(": ", ":"))
    places = list(zip(rest[::2], rest[1::2], strict=True))
    return (begins or places[0][1]).strip(" :"), begins, places


def _plain(form: str) -> str:
    return form.replace("{", "").replace("}", "")


def _fitted(text: Text, form: str) -> dict[str, Text] | None:
    """What *text* has in the places of the *form*; None where it is not written so."""
    _, begins, places = _places(form)
    parts: dict[str, Text] = {}
    rest: Text | None = text.cut(len(begins)) if text.words.startswith(begins) else None
    for place, mark in places:
        if rest is None:
            return None
        parts[place], rest = rest.parted(mark) if mark else (rest, rest)
        if place in ("name", "given") and not parts[place].words.isidentifier():
            return None
    return parts if rest is not None else None


class _SheetReader:
    def __init__(self, sheet: Sheet, path: Path, text_of: Callable[[Path], str]) -> None:
        self.sheet, self.path, self.text_of = sheet, path, text_of
        self.is_included = False

    def in_turn(self, nodes: Iterable[Node], part: str) -> None:
        """Read each of the *nodes* as that *part*; what is wrong with one hides no other."""
        for node, guards in self.grouped(nodes):
            try:
                getattr(self, f"_{part}", self._said)(node, guards, part)
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

    def _part(self, node: Node, _: Guards, _part: str) -> None:
        """A head, a section, or another sheet that is used."""
        if used := _USE.fullmatch(node.text.words):
            lines = (child.whole() for child in node.children)
            rows = (line.both(" = ", "its given = what it is here") for line in lines)
            bound = {name.words: value for name, value in rows}
            self.sheet.uses.append(Use(node.text, used[1], used[2], bound))
            return
        head, behind = node.text.parted(":")
        name = node.text.words
        if name.endswith(":") and head.words in SECTIONS:
            self.sheet.wrong.append(node.text.wrong("is a section, which has no colon"))
            name, behind = head.words, None
        if behind is not None and head.words in HEADS:
            text = node.whole()
            self.head(head.words, text.cut(text.find(":") + 1))
        elif name in SECTIONS:
            self.sheet.said.setdefault(name, [])
            self.in_turn(node.children, name)
        else:
            raise node.text.wrong(unknown(head.words, (*HEADS, *SECTIONS)), 0, len(head.words))

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
            other.in_turn(outline(self.text_of(path), str(path))[1], "part")

    def formula(self, text: Text, parameters: tuple[str, ...] = ()) -> Formula:
        self.sheet.formulas.append(made := Formula(text, parameters))
        return made

    def phrase(self, text: Text) -> Phrase:
        self.sheet.phrases.append(made := Phrase(text))
        return made

    # Declarations

    def _quantity(self, node: Node, guards: Guards, part: str) -> None:
        """A given, what a model comes to, or a step with its rules."""
        begins = _RULES if part == "steps" else ()
        rules = [x.whole() for x in node.children if x.text.words.startswith(begins)]
        others = [x for x in node.children if not x.text.words.startswith(begins)]
        name, letter, flags, title, at = self.header(Node(node.text, 0, others).whole())
        title, why = title.parted(DASHES) if part != "given" else (title, None)
        kept = {"aside": self.sheet.asides, "counts": self.sheet.counts}
        while part == "results" and flags and flags[-1].words in kept:
            kept[flags.pop().words].add(name)
        kind = Given if part == "given" else Derived
        unit, more = declared(flags, kind)
        if "many" in more and "," in more.get("default", ""):
            raise at.wrong("has no list for its default: it is stated, or optional", 0, len(name))
        if not rules and part == "steps":
            raise at.wrong("has no rule; a line below it begins with =, if or else")
        says = {"why": self.phrase(why)} if why and "[" in why.words else {}  # by the shape
        if name not in self.sheet.steps:
            if kind is Derived:
                more["why"] = why.words if why and not says else ""
            made = kind(name, letter or name, title.words, unit, **more)
            self.add(name, made, self.sheet.quantities, at)
        if part == "results":
            self.sheet.results.append(name)
        if part == "steps":
            lines = [self.line(rule, "a rule", guards, says) for rule in rules]
            self.sheet.steps.setdefault(name, []).extend(lines)

    _given = _results = _steps = _quantity

    def _choose(self, node: Node, _: Guards, _part: str) -> None:
        name, _letter, flags, title, at = self.header(node.text)
        also, options = self.other_names(name, flags), dict[str, str]()
        for child in node.children:
            key, _letter, more, says, _text = self.header(child.whole(), _OPTION)
            also |= self.other_names(f"{name} {key}", more, key)
            options[key] = says.words
        if len(options) < 2:
            raise at.wrong("has fewer than two options; each stands in a line below it")
        self.add(name, Choice(name, title.words, options, also), self.sheet.choices, at)

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
            elif flag.words == "for sheets" and not option:
                self.sheet.inner.add(what)
            elif words != flag.words and (option or not len(words.split()) % 2):
                names |= dict.fromkeys(words.split(), option) if option else pairs(words)
            else:
                raise flag.wrong(
                    "is no property of a choice; there are: matters if …, for sheets, also …"
                )
        return names

    def _let(self, node: Node, _: Guards, _part: str) -> None:
        text = node.whole()
        match = _LET.match(text.words)
        if not match:
            raise text.wrong("is written name = formula, or name(x) = formula")
        parameters = tuple(re.findall(r"\w+", match[2] or ""))
        made = self.formula(text.cut(match.end()), parameters)
        self.add(match[1], made, self.sheet.lets, text)

    def header(self, text: Text, form: str = _DECLARED) -> tuple[str, str, list[Text], Text, Text]:
        """The name, letter, properties and title that a declaration begins with."""
        match = _HEADER.match(text.words)
        if not match:
            raise text.wrong(f"is {form}")
        flags = list(text.cut(*match.span(3)).split(",")) if match[3] else []
        return match[1], match[2] or "", flags, text.cut(match.end()), text

    def add(self, name: str, made: Any, known: dict[str, Any], at: Text) -> None:
        """Note what is declared under that *name*."""
        if name in known:
            first = self.sheet.places[name].place()
            raise at.wrong(f"is declared twice, first in line {first.line}", 0, len(name))
        if len(known) >= QUANTITIES:
            raise at.wrong(f"is one more than the {QUANTITIES} that a sheet may have")
        known[name] = made
        self.sheet.places.setdefault(name, at)

    # Statements

    def _said(self, node: Node, guards: Guards, section: str) -> None:
        """A line of a section, and those below it."""
        said, row = self.sheet.said[section], f"a row of {section}"
        below = node.children if row in FORMS else []
        text = node.text if row in FORMS else node.whole()
        more = tuple(self.line(one.whole(), row) for one in below)
        said.append(self.line(text, section, guards, more=more))
        if said[0].other:
            raise said.pop().text.wrong("comes without a line before it", 0, 4)

    def line(
        self,
        text: Text,
        section: str,
        guards: Guards = (),
        usual: Mapping[str, Phrase] | None = None,
        more: tuple[Statement, ...] = (),
    ) -> Statement:
        """A line of one of the forms of its *section*; *usual* stands in places that it lacks."""
        whole, other = text, text.words.startswith(("else:", "else if "))
        if text.words.startswith("else ") and not other:
            raise text.wrong("is written else: …, or else if condition: …", 0, 4)
        if other or text.words.startswith("="):
            text = text.cut(5 if other else 1)
        if text.words.startswith("if "):
            test, text = text.cut(3).both(":", f"if condition: {_plain(FORMS[section][-1])}")
            guards = (*guards, self.formula(test))
        for form in FORMS[section]:
            if (parts := _fitted(text, form)) is not None:
                places = {**(usual or {}), **dict(self.filled(parts))}
                return Statement(whole, _places(form)[0], places, guards, other, more)
        raise text.wrong(f"is written {', or '.join(map(_plain, FORMS[section]))}")

    def filled(self, parts: Mapping[str, Text]) -> Iterator[tuple[str, Any]]:
        """What each place holds."""
        for place, text in parts.items():
            if place in _FORMULAS:
                yield place, self.formula(text)
            elif place in _PHRASES:
                yield place, self.phrase(text)
            elif "=" in place:
                both = (one.both(" = ", "name = value; name = value") for one in text.split(";"))
                yield place, {name.words: value for name, value in both}
            else:
                if place in ("name", "names", "given"):
                    self.sheet.names += [(one, place == "given") for one in text.split(",")]
                yield place, text if place == "example" else text.words
