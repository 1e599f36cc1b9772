"""A quantity is declared once; options, file keys, schema, help and symbols all come from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, overload

from ddcalc.errors import BadValue, UnknownName
from ddcalc.formula.expression import Number
from ddcalc.numbers.units import (
    BYTE,
    BYTE_PER_SECOND,
    COUNT,
    SECOND,
    TOKEN_PER_SECOND,
    USD,
    USD_PER_HOUR,
    Measured,
    Unit,
    measure,
    told_in,
)

Many = Literal["one", "list", "either"]
Better = Literal["", "less", "more"]
LESS: Final[dict[str, Any]] = {"least": 0, "better": "less"}  # of times, costs and data


@dataclass(eq=False)
class Declared:
    """What the body of a problem type declares; the class attribute's name becomes its name.

    Read from the class it is this declaration. Read from an instance it is what equations use:
    a symbol, a tuple of symbols, or the option chosen.
    """

    name: str = field(default="", kw_only=True)
    attribute: str = field(default="", init=False)

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute = name
        self.name = self.name or name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Any: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else instance.symbols[self.attribute]

    @property
    def flag(self) -> str:
        """The option's name on the command line, without the dashes."""
        return self.name.replace("_", "-")


@dataclass(eq=False)
class Quantity(Declared):
    """A *letter*, a *unit* and a sentence (*title*); the letters of a list count from *first*."""

    letter: str
    title: str
    unit: Unit
    first: int = field(default=1, kw_only=True)

    @property
    def called(self) -> str:
        """What it is called inside of a sentence: the last round."""
        title = self.title
        lower = title[1:2].islower() or title[1:2] == " "
        return title[:1].lower() + title[1:] if lower else title

    def measured(self, text: str) -> Measured:
        """What *text* says about this quantity, in base units, or a BadNumber that says why not."""
        return told_in(self.unit, text)


@dataclass(eq=False)
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
        plain = self.unit if self.bare else None
        return measure(text, self.unit.dimension, bare_unit=plain, suffixes=self._suffixes)

    @property
    def _suffixes(self) -> bool:
        return self.whole or self.counted

    def check(self, text: str, value: Number) -> None:
        """BadValue, which quotes *text*, where *value* (base units) is not admitted."""
        if self.whole and value.denominator != 1:
            raise BadValue(text, "is not a whole number")
        if self.least is not None and value < self.least:
            raise BadValue(text, f"is too small; at least {self.least} is needed")
        if self.above is not None and value <= self.above:
            raise BadValue(text, f"must be more than {self.above}")
        if self.most is not None and value > self.most:
            raise BadValue(text, f"is too large; at most {self.most} is possible")


@dataclass(eq=False)
class Derived(Quantity):
    """A quantity that follows from others; *why* says from what, ``{name}`` quoting a value.

    With *many*, the names of givens, it is a list whenever one of those is a list. A *noun* says
    what it is called where its title is a clause. By physics it is at *least* and at *most* what
    is said there (base units); tests hold that on random questions. *better* says whether people
    want less of it or more, where they want one of the two.
    """

    why: str
    many: tuple[str, ...] = ()
    noun: str = ""
    least: Number | None = None
    most: Number | None = None
    better: Better = ""

    @property
    def called(self) -> str:
        return self.noun or super().called


@dataclass(eq=False)
class Choice(Declared):
    """A reading of the question: *options* map each name to a sentence; the first is usual."""

    title: str
    options: dict[str, str]

    @property
    def default(self) -> str:
        return next(iter(self.options))

    def read(self, text: str) -> str:
        """The option that *text* names; ``-`` and ``_`` are the same."""
        name = text.replace("-", "_")
        if name not in self.options:
            raise UnknownName("choice", text, (option.replace("_", "-") for option in self.options))
        return name


def count(letter: str, title: str, **more: Any) -> Given:
    """A given number of things: whole, and at least one."""
    return Given(letter, title, COUNT, **{"whole": True, "least": 1, "bare": True, **more})


def number(letter: str, title: str, **more: Any) -> Given:
    """A given pure number."""
    return Given(letter, title, COUNT, **{"bare": True, **more})


def amount(letter: str, title: str, **more: Any) -> Given:
    """A given number of things that need not be whole: parameters, tokens; ``70B`` is read."""
    return number(letter, title, **{"counted": True, **more})


def token_rate(letter: str, title: str, **more: Any) -> Given:
    """A given speed of training, in tokens a second; ``150k`` is read, and ``380 tokens/s``."""
    usual = {"above": 0, "bare": True, "counted": True}
    return Given(letter, title, TOKEN_PER_SECOND, **{**usual, **more})


def duration(letter: str, title: str, **more: Any) -> Given:
    """A given time, in seconds unless another unit is written; not negative."""
    return Given(letter, title, SECOND, **{"least": 0, "bare": True, **more})


def data(letter: str, title: str, **more: Any) -> Given:
    """A given amount of data, in bytes; its unit must be written."""
    return Given(letter, title, BYTE, **{"least": 0, **more})


def rate(letter: str, title: str, **more: Any) -> Given:
    """A given speed of transfer, in bytes a second; its unit must be written."""
    return Given(letter, title, BYTE_PER_SECOND, **{"above": 0, **more})


def money(letter: str, title: str, **more: Any) -> Given:
    """A given amount of money; its unit must be written."""
    return Given(letter, title, USD, **{"least": 0, **more})


def price(letter: str, title: str, **more: Any) -> Given:
    """A given price of time (money per hour); its unit must be written."""
    return Given(letter, title, USD_PER_HOUR, **{"least": 0, **more})


def choice(title: str, *, name: str = "", **options: str) -> Choice:
    """A reading of the question; *options* are sentences, the first one is the usual reading.

    *name* is needed only where a quantity has the same one.
    """
    return Choice(title, options, name=name)


def derived(
    letter: str,
    title: str,
    why: str,
    unit: Unit = COUNT,
    many: str | tuple[str, ...] = (),
    noun: str = "",
    **more: Any,
) -> Derived:
    """A quantity that the equations define. *title* names it, *why* tells the reason; a *noun*
    is what it is called where the title is a clause. *more* is ``least``, ``most``, ``better``."""
    names = (many,) if isinstance(many, str) else many
    return Derived(letter, title, unit, why, names, noun, **more)


def share(letter: str, title: str, why: str, **more: Any) -> Derived:
    """A defined part of a whole, from 0 to 1, whatever the numbers."""
    return derived(letter, title, why, **{"least": 0, "most": 1, **more})
