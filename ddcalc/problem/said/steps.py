"""The steps of a derivation, as data.

A step says what follows from what and why; no step knows how it looks, and :mod:`ddcalc.render`
computes nothing. The union is closed: renderers ``match`` on it and end in ``assert_never``.

Values are exact: a number in base units (seconds, bytes, USD), an expression where the question
left symbols open, None where there is no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ddcalc.formula.expression import Expr, Number, Rel
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.units import Measured, Unit

Value = Number | Expr | None
PutIn: TypeAlias = Amount | Number
"""What stands for a letter in a formula: an amount with its unit, or a plain number."""
Kind = Literal["compute", "down", "up", "wait", "server", "send"]
STATED = "stated in the question"
FOR = "for"  # why a relation stands before the one that is solved
HERE = ", here with "  # behind the title of a formula that is that of the answer alone
NUMBER = "put_"  # begins the letters that stand for a number only; no letter of a type does so
BOUND = f"{NUMBER}bound"  # stands for what is compared with


@dataclass(slots=True)  # not frozen, as Define is not: a page makes many
class State:
    """The question states a value; *written* as it stands there (None for a symbol left open, or
    where a *word* stands)."""

    name: str
    symbol: str
    title: str
    unit: Unit
    written: tuple[Measured, ...] | None
    many: bool = False
    said: bool = True  # False: not in the question, the usual value or that of a preset
    word: str = ""  # what the question says instead of a number
    unused: str = ""  # why it does not count
    preset: str = ""  # the preset that states it instead of the question, and its source

    @property
    def why(self) -> str:
        if self.written is None and not self.word:
            return "left open"
        if self.preset:
            return f"{self.preset}; {self.unused}" if self.unused else self.preset
        if not self.said:
            return "usual"
        if self.unused:
            return self.unused
        if self.unit.name and any(value.bare for value in self.written or ()):
            counted, per, other = self.unit.title.partition(" per ")
            return f"no unit stated: {counted}s{per}{other}"
        return STATED


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A line of an argument: a formula or a relation, and why it stands there; *numbers* are put
    in for some of its letters."""

    formula: Expr
    reason: str
    numbers: Mapping[str, PutIn] = field(default_factory=dict)


@dataclass(slots=True)
class Define:
    """*symbol* stands for *formula*.

    *applied* is the formula with its distinctions decided, *numbers* the values of its letters as
    they are put in. *parts* is the sum that the formula is, each of its terms a letter with its
    value in *terms*; None where that shows nothing more. The *argument* derives
    the formula, a line each, with its reason. The letters *also* stand for nothing but the symbol.
    An *open* one is shown in letters alone, as what it comes to rests on a table behind it; one of
    *told* numbers without letters, as some of these would be those of cases of an earlier part.
    """

    name: str
    symbol: str
    title: str
    why: str
    unit: Unit
    formula: Expr
    applied: Expr
    numbers: Mapping[str, PutIn]
    value: Value
    argument: tuple[Reasoned, ...] = ()
    parts: Expr | None = None
    terms: Mapping[str, PutIn] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    open: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True)
class DefineEach:
    """One formula for each member of a list (each worker, each device).

    Only the member at the place *worked* is shown where a table has all of them.
    """

    name: str
    title: str
    why: str
    rows: tuple[Define, ...]
    worked: int | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """Both sides of *relation* with *symbol* at the number *at*, and whether it *holds*."""

    title: str
    relation: Rel
    symbol: str
    at: Number
    numbers: Mapping[str, PutIn]
    left: Number
    right: Number
    unit: Unit
    holds: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """One line of a chain: *op* (``=`` or ``≤``), what stands there, and the reason."""

    op: str
    expr: Expr
    reason: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A chain of equalities and estimates that starts from *subject*; *value* ends it."""

    name: str
    symbol: str
    title: str
    why: str
    subject: Expr
    links: tuple[Link, ...]
    value: Value


Cells: TypeAlias = tuple[str | Expr, ...]
"""A row of a table: texts and expressions."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a header; by its *name* (or title) it may be an aside. Rows that are
    *abreast* stand side by side where there is room. An *argument* leads to them. One without a
    title that *proves* belongs to the step before it."""

    title: str
    why: str
    header: tuple[str, ...]
    rows: tuple[Cells, ...]
    name: str | None = None
    letters: frozenset[str] = frozenset()  # those of the values in its columns, if they are shown
    abreast: bool = False
    argument: tuple[Reasoned, ...] = ()
    proves: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """What a worker or a link does from *start* to *end* (seconds).

    A worker computes a gradient, gets parameters (down), sends a gradient (up), or waits for
    another worker or for the server; a link with a lane of its own sends.
    The *label* of a computation that is not *done* (that does not count) says why; the *note*
    says the whole bar in a sentence, for readers who point at it.
    """

    start: Number
    end: Number
    label: Expr | str
    done: bool = True
    kind: Kind = "compute"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """A worker's line in a timeline."""

    label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Who works when, until *horizon* (seconds), which is called by its *name*."""

    title: str
    why: str
    lanes: tuple[Lane, ...]
    horizon: Number
    shown: int = field(default=0)  # operations left out of the picture
    name: str = "horizon"


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds of a part: its *values* (none where the part is empty).

    Whether this step *changed* them, and whether they are *complete*: all have given their share.
    """

    values: tuple[Number, ...]
    changed: bool = False
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """A message from the process *sender* to *receiver* (from 1).

    It carries chunk or vector *number* (from 1; 0: it has none) to the receiver's *part* (from 0).
    """

    sender: int
    receiver: int
    number: int
    part: int
    values: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Messages that processes send at once, and what each process holds of each part afterwards.

    *what* is sent is a chunk or a vector; *how* says what happened to what changed. By its *name*
    (or title) it may be an aside.
    """

    title: str
    why: str
    what: Literal["chunk", "vector"]
    parts: tuple[str, ...]
    holds: tuple[tuple[Held, ...], ...]
    sent: tuple[Sent, ...]
    how: str
    phase: str
    name: str | None = None


# Charts: curves on two scales, drawn as pictures; their numbers stand elsewhere, too


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a curve: its two numbers, in the units of the chart, and itself in words."""

    x: Number
    y: Number
    words: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through *dots*; None is a gap, where points have no value."""

    label: str
    dots: tuple[Dot | None, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """What an axis shows, and whether equal distances are equal factors."""

    name: str
    unit: str
    factors: bool = False

    def __str__(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves on two scales, the *best* point if one was sought, how many curves are *left* out."""

    title: str
    x: Scale
    y: Scale
    curves: tuple[Curve, ...]
    best: Dot | None
    left: int


Drawn = Timeline | Chart  # pictures where there are any
Step = State | Define | DefineEach | Compare | Bound | Table | Timeline | Exchange


@dataclass(frozen=True, slots=True)
class Report:
    """What a verb reports: a *title*, *steps* that lead to an answer, the *answer* in a sentence
    (may be empty), *remarks*, each under its label, the *mechanism* behind it all, and *results*,
    which stand right below the answer, both of them before all else."""

    title: str
    steps: tuple[Step, ...]
    answer: str | tuple[str | Expr, ...] = ""
    remarks: tuple[tuple[str, str], ...] = ()
    mechanism: str = ""
    results: tuple[Step, ...] = ()
