"""What a type says beside its equations: refusals, its answer, what it means, checks, tables.

Templates say nothing about how numbers look; :mod:`ddcalc.problem.speaker` fills them. In a
template ``{name}`` stands for the value of a quantity (or of a further expression that the sentence
brings along) in the unit that fits, ``{name worker}`` for "1 worker" or "6 workers", ``{name %}``
for per cent, ``{name h}`` for an amount in that unit, ``{name|waits|wait}`` for the word that fits
one or several, and ``{name}`` of a choice for what its option says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ddcalc.formula.algebra import ceiling
from ddcalc.formula.expression import Expr, Rel

When: TypeAlias = Rel | tuple[Rel, ...] | None


class After:
    """What *quantity* would be if the *changed* givens and choices were other ones.

    ``After(self.time, bandwidth=2 * self.bandwidth, algorithm="tree")``; only types whose
    equations say everything can be asked that.
    """

    __slots__ = ("changed", "quantity")

    def __init__(self, quantity: Expr, **changed: Expr | str | int) -> None:
        self.quantity, self.changed = quantity, changed


class Sentence:
    """A template that is said *when* those relations hold, with *slots* of its own.

    It is left out where a number in it does not exist.
    """

    __slots__ = ("slots", "text", "when")

    def __init__(self, text: str, when: When = None, **slots: Expr | After) -> None:
        self.text, self.slots = text, slots
        self.when = relations(when)


class First:
    """The first of the *alternatives* that can be said."""

    __slots__ = ("alternatives",)

    def __init__(self, *alternatives: Said) -> None:
        self.alternatives = alternatives


Said: TypeAlias = str | Sentence | First


class Crosscheck(Sentence):
    """A second, independent way to what the answer rests on: *relation* must hold, with a *text*
    that says which way it is.

    It is printed as ``text: left side in numbers = value``. Where it fails, that is a bug.
    """

    __slots__ = ("relation",)

    def __init__(self, text: str, relation: Rel, when: When = None, **slots: Expr | After) -> None:
        super().__init__(text, when, **slots)
        self.relation = relation


@dataclass(frozen=True, slots=True)
class Premise:
    """What the model takes for granted, and the choice, given or type that *lifts* it (by name).

    ``Premise("each worker has a link of its own to the server", lifts="server_link")``
    """

    says: str
    lifts: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """*relation* must hold, or *parameter* is refused with *message*.

    ``{name}`` in the message quotes a value.
    """

    relation: Rel
    parameter: str
    message: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """The *times* of several ways to do one thing, by name, each linear in the letter *by*.

    They are ranked, and it is shown where the order changes as *by* grows; such a place is called
    *place*.
    """

    title: str
    by: Expr
    place: str
    times: Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Lists to show side by side under a *title*, by name with the head of their column.

    A row is one of *what*, counted from *first*. A word of *marks* stands in the rows whose
    relation holds; the steps of the quantities *marked* say no more than it does. If it is
    stated, only the row of number *worked* (from 1) is worked out. There are as many *rows* as
    that comes to, where a cell shows several values; else a row for each value. What no step works
    out stands *behind* the step of that name. Heads of what is *lettered* show its letter.
    An *aside* is shown on demand. Rows that have *names* are called so instead of counted.
    """

    title: str
    what: str
    columns: Mapping[str, str]
    worked: Expr | None = None
    marks: Mapping[str, Sequence[Rel]] = field(default_factory=dict)
    marked: tuple[str, ...] = ()
    first: int = 1
    why: str = ""
    rows: Expr | None = None
    behind: str = ""
    lettered: Sequence[str] = ()
    aside: bool = False
    names: Sequence[str] = ()


# Why a formula is what it is, worked out by SymPy


@dataclass(frozen=True, slots=True)
class Stationary:
    """*of* is where *cost* is least in the letter *at*: its slope there is 0, and it curves up.

    *says* what the cost is, *law* whose result this is.
    """

    of: Expr
    cost: Expr
    at: Expr
    says: str
    law: str = ""


@dataclass(frozen=True, slots=True)
class Summed:
    """*of* is the sum of *term* for the letter *index* from *first* to *last*; *says* why."""

    of: Expr
    term: Expr
    index: Expr
    first: Expr
    last: Expr
    says: str
    law: str = ""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """*of* is worth the first expression of *lines*, and so every next one, each with a reason.

    SymPy makes sure that all of them, and the formula of *of*, are equal. It is shown only where
    the letters in *values* are worth that, and holds for these: ``{"f": 6}``.
    """

    of: Expr
    lines: tuple[tuple[Expr, str], ...]
    law: str = ""
    values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Equated:
    """*of* solves *relation* for itself; SymPy makes sure of it. *says* what the relation is.

    It is shown only where the letters in *values* are worth that, and holds for these.
    """

    of: Expr
    relation: Rel
    says: str
    law: str = ""
    values: Mapping[str, int] = field(default_factory=dict)


Argument: TypeAlias = Stationary | Summed | Rewritten | Equated


def relations(when: When) -> tuple[Rel, ...]:
    """*when* as relations."""
    if when is None:
        return ()
    return (when,) if isinstance(when, Rel) else when


def at_most(part: Expr) -> Expr:
    """*part* as a bound to be shown in per cent: rounded up to a tenth of one, so that it holds."""
    return ceiling(1000 * part) / 1000


def expressions(said: Said) -> list[Expr]:
    """The expressions that *said* may show, but for those that name a quantity in its text."""
    if isinstance(said, First):
        return [expr for one in said.alternatives for expr in expressions(one)]
    if isinstance(said, str):
        return []
    shown = [slot for slot in said.slots.values() if isinstance(slot, Expr)]
    return [*shown, said.relation] if isinstance(said, Crosscheck) else shown


def texts(said: Said) -> list[str]:
    """The templates in *said*."""
    if isinstance(said, First):
        return [text for one in said.alternatives for text in texts(one)]
    return [said if isinstance(said, str) else said.text]


def plural(noun: str) -> str:
    """More than one of a thing: workers, batches."""
    if " of " in noun:
        first, rest = noun.split(" of ", 1)
        return f"{plural(first)} of {rest}"
    hissed = noun.endswith(("ch", "s", "x")) and not noun.endswith("epoch")
    return noun + ("es" if hissed else "s")


def capital(words: str) -> str:
    """The same *words* with a capital letter in front."""
    return words[:1].upper() + words[1:]


def series(parts: Sequence[str], last: str = "and") -> str:
    """Some things in words: a, b and c."""
    *others, final = parts
    return f"{', '.join(others)} {last} {final}" if others else final
