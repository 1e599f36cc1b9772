"""A quantity is declared once; options, file keys, schema, help and symbols all come from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, Final, Literal

from ddcalc.errors import BadNumber, BadUnit, BadValue, UnknownName, quote
from ddcalc.formula.evaluation import COMPARE
from ddcalc.formula.expression import Number, Operator, letter
from ddcalc.numbers import units
from ddcalc.numbers.number import LENGTH, plain, typed
from ddcalc.numbers.units import COUNT, USD_PER_HOUR, Measured, Unit, is_suffix, measure, shown_in
from ddcalc.problem.said.sentences import capital, inside

Many = Literal["one", "list", "either"]

_ELSE = re.compile(r"^((?:(?! if ).)+?)(?:,? (?:else|(?:measured )?instead of)\b|, if |: \d).*")
# The noun that a title counts: "samples in a mini-batch", "the best whole number of steps".
_HEAD: Final = re.compile(
    r"(?:^(?:(?!(?:of|that|for|with|per|by|to|in|up) )[\w-]+ )*?|number of )([A-Za-z]{3,}s)\b"
)
_ALIKE: Final = (  # what people call the same things
    {"workers", "devices", "machines", "processors", "processes", "ranks", "gpus", "tpus"},
    {"samples", "images", "examples"},
    {"parameters", "params", "weights"},
    {"steps", "iterations", "updates"},
)


@dataclass(eq=False, repr=False)
class Declared:
    """What a sheet declares under a *name*."""

    name: str

    @property
    def flag(self) -> str:
        """The option's name on the command line, without the dashes."""
        return self.name.replace("_", "-")


@dataclass(eq=False, repr=False)
class Quantity(Declared):
    """A *letter*, a *unit* and a sentence (*title*); the letters of a list count from *first*."""

    letter: str
    title: str
    unit: Unit
    first: int = field(default=1, kw_only=True)

    @property
    def bare_title(self) -> str:
        """Its title without what holds where it is not stated."""
        return _ELSE.sub(r"\1", self.title)

    @property
    def called(self) -> str:
        """What it is called inside of a sentence: the last round."""
        return inside(self.bare_title)

    @property
    def heading(self) -> str:
        """What stands above what it comes to: its title, or its letter as it is printed."""
        return letter(self.letter) if self.title == self.letter else capital(self.title)

    def lettered(self, count: int) -> list[str]:
        """The letters of so many members of a list; one alone needs no number."""
        if count == 1:
            return [self.letter]
        return [f"{self.letter}_{i}" for i in range(self.first, self.first + count)]

    @cached_property
    def nouns(self) -> frozenset[str]:
        """What a count counts, in singular and plural: "worker", "workers", "gpu", "gpus"."""
        if self.unit is not COUNT:
            return frozenset()
        heads = [self.name.rpartition("_")[2]]
        heads += [head[1] for text in (self.title, self.called) for head in _HEAD.finditer(text)]
        nouns = {head.lower() for head in heads if head.endswith("s")}
        nouns |= {noun for alike in _ALIKE if nouns & alike for noun in alike}
        return frozenset(form for noun in nouns for form in (noun, noun[:-1], noun[:-2]))

    def without_noun(self, text: str) -> str:
        """*text* without what is counted: ``67`` for ``67 workers``; BadUnit if it is not that."""
        if text.isdecimal() or self.unit is not COUNT or len(text) > LENGTH:
            return text
        number, noun = _last_word(text)
        if len(noun) < 3 or not any(map(str.isdigit, number)):
            return text
        if noun.lower() not in self.nouns:
            if is_suffix(noun):
                return text
            raise BadUnit(text, f"has {quote(noun)} behind the number; write the number alone")
        before, word = _last_word(number)
        while word.lower() in {*self.title.lower().split(), *self.name.split("_")}:
            number = before
            before, word = _last_word(number)
        return number

    def measured(self, text: str) -> Measured:
        """What *text* says about this quantity, in base units, or a BadNumber that says why not."""
        return shown_in(self.unit, self.without_noun(text))


@dataclass(frozen=True, slots=True)
class FilledBy:
    """Which *facts* of presets fill a given that is not stated: the first that there is.

    A fact is written ``device.peak``. It fills nothing where one of the givens *unless* is stated,
    which answer the same, and only *beside* one of those, if there are any.
    """

    facts: tuple[str, ...]
    unless: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


@dataclass(eq=False, repr=False)
class Given(Quantity):
    """A quantity that the question states, with the values it may take.

    *many* says whether it is one value, a list (one value each *of* something), or either.
    A list may also be written in *rows*; then the given of that name is how many there are.
    *words* are texts that may stand for a value (``all``). An *optional* one may be left out
    without having a *default*; a *free* one then stays a symbol.
    """

    default: str | None = None
    least: Number | None = None
    above: Number | None = None
    most: Number | None = None
    whole: bool = False
    many: Many = "one"
    of: str = ""
    rows: str = ""
    words: Sequence[str] = ()
    optional: bool = False
    free: bool = False
    group: str = ""
    example: str = ""
    bare: bool = False  # whether a number without a unit is taken to be in *unit*
    counted: bool = False  # whether k, M, B and T may be written though parts of one are admitted
    filled_by: FilledBy = FilledBy(())
    source: str = ""  # where its usual value is from, if it is more than usual

    @property
    def required(self) -> bool:
        return self.default is None and not self.optional and not self.free

    def read(self, text: str) -> Measured:
        """The exact value that *text* states, in base units, or a BadNumber that says why not."""
        measured = self.measured(text)
        self.check(text, measured.value)
        return measured

    def measured(self, text: str) -> Measured:
        """What *text* says about it, whether it can take that value or not."""
        if "," in text:
            together = typed(text, whole=self.whole)
            if self.many != "one" and "," not in together:  # it could be a list
                raise BadNumber(text, "has a comma; write each number without separators")
            text = together if self.whole else text
        bare, is_count = self.unit if self.bare else None, self.whole or self.counted
        number = self.without_noun(text)
        return measure(number, self.unit.dimension, bare_unit=bare, suffixes=is_count)

    @property
    def stand_in(self) -> Number:
        """A value (base units) that it admits."""
        limits = [limit for limit in (self.least, self.above) if limit is not None]
        value = Fraction(max(limits, default=0) + self.unit.worth)
        if self.most is not None and value > self.most:
            value = Fraction(max(limits, default=self.most) + self.most) / 2
        return ceil(value) if self.whole else plain(value)

    @property
    def speaks_of(self) -> frozenset[str]:
        """The names of the givens on which its value rests, where the question says so."""
        return frozenset()

    @cached_property
    def limits(self) -> Sequence[tuple[Operator, Number, str]]:
        """How its values (base units) compare to their limits, and what is wrong with others."""
        known: Sequence[tuple[Operator, Number | None, str]] = (
            (">=", self.least, "is too small; at least {} is needed"),
            (">", self.above, "must be more than {}"),
            ("<=", self.most, "is too large; at most {} is possible"),
        )
        return [(op, limit, says.format(limit)) for op, limit, says in known if limit is not None]

    def check(self, text: str, value: Number) -> None:
        """BadValue, which quotes *text*, where *value* (base units) is not admitted."""
        if self.whole and value.denominator != 1:
            raise BadValue(text, "is not a whole number")
        for op, limit, says in self.limits:
            if not COMPARE[op](value, limit):
                raise BadValue(text, says)


@dataclass(eq=False, repr=False)
class Derived(Quantity):
    """A quantity that follows from others; *why* says from what, ``{name}`` quoting a value.

    With *many*, the names of givens, it is a list whenever one of those is a list. A *noun* says
    what it is called where its title is a clause. By physics it is at *least* and at *most* what
    is said there (base units), as tests hold; which end is *best*, where its unit does not tell.
    A side of a relation is *made* by a formula of letters: T_a/2.
    """

    why: str
    many: tuple[str, ...] = ()
    noun: str = ""
    least: Number | None = None
    most: Number | None = None
    best: str = ""
    made: str = ""

    @property
    def called(self) -> str:
        return self.noun or super().called


class StatedBound(Derived):
    """What stands behind the sign of a relation that a question states, where that is a formula."""


@dataclass(eq=False, repr=False)
class Choice(Declared):
    """A reading of the question: *options* map each name to a sentence; the first is usual.

    *also* are other names that options have in the field: ``1f1b``, ``zero_3``; a question *spelt*
    its own words so.
    """

    title: str
    options: dict[str, str]
    also: Mapping[str, str] = field(default_factory=dict)
    spelt: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def default(self) -> str:
        return next(iter(self.options))

    def called(self, option: str) -> str:
        """An *option* in a word; of ``yes`` and ``no`` the title."""
        said = {"yes": self.title, "no": f"no {self.title}"}.get(option)
        is_letter = option[1:2] == "_" and option[0].isalpha()  # p_w
        return said or (option if is_letter else self.written(option))

    def written(self, option: str) -> str:
        """An *option* as the question writes it, or the field."""
        return self.spelt.get(option, option.replace("_", "-"))

    def read(self, text: str) -> str:
        """The option that *text* names, with ``-``, ``_`` or neither, in small letters or large."""
        name = re.sub("[- ]" if self.spelt else "-", "_", text)
        if name in self.options:
            return name
        known = {**{option: option for option in self.options}, **self.also}
        for spelling, option in known.items():
            if _joined(spelling) == _joined(text):
                return option
        raise UnknownName("choice", text, map(self.written, self.options))


def _last_word(text: str) -> tuple[str, str]:
    """What stands before the last word of *text*, and that word; "" where there is none."""
    word = re.split(r"[\W\d_]", text.rstrip(" "))[-1]
    return text.rstrip(" ").removesuffix(word).rstrip(" -"), word


def _joined(name: str) -> str:
    """The *name* of an option as it is compared: without its separators, in small letters."""
    return name.replace("-", "").replace("_", "").lower()


SHARED: Final = "shared."  # may stand before what all parts of a question share


def named(text: str, quantities: Mapping[str, Quantity]) -> str:
    """The name of the one of *quantities* that *text* says: its name, or its letter as it is
    declared or printed; else *text* itself, spelt as a name."""
    name = text.replace("-", "_").removeprefix(SHARED)
    if name not in quantities:
        for quantity in quantities.values():
            if text in (quantity.letter, letter(quantity.letter)):
                return quantity.name
    return name


def spoken(name: str) -> str:
    """A *name* in words; that of a result of a part stays as it is written: c_1.gain."""
    return name if "." in name else name.replace("_", " ")


def letters(quantities: Iterable[Declared]) -> dict[str, str]:
    """The letters of those that have one, as they are printed, by name."""
    return {one.name: letter(one.letter) for one in quantities if isinstance(one, Quantity)}


GIVENS: Final[Mapping[str, tuple[Unit, Mapping[str, Any]]]] = {
    "count": (COUNT, {"whole": True, "least": 1, "bare": True}),  # of things: whole, at least one
    "number": (COUNT, {"bare": True}),
    "amount": (COUNT, {"bare": True, "counted": True}),  # parameters, tokens; 70B is read
    "token_rate": (units.TOKEN_PER_SECOND, {"above": 0, "bare": True, "counted": True}),
    "duration": (units.SECOND, {"least": 0, "bare": True}),
    "data": (units.BYTE, {"least": 0}),
    "rate": (units.BYTE_PER_SECOND, {"above": 0}),
    "money": (units.USD, {"least": 0}),
    "price": (USD_PER_HOUR, {"least": 0}),
}
"""The kinds of givens: the unit of each, and what holds of it unless its declaration says else."""
