"""A timeline in words: what its bars are called in every output, and how far it goes."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, cast, get_args

from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.said.steps import Bar, Kind, Timeline
from ddcalc.render.sides import ShownFormula

Undone = Literal["not done", "not counted", "dropped", "interrupted"]
Mark = Kind | Undone
"""How a bar looks: by what the worker does, or by why a computation does not count."""

WORDS: Final[dict[Mark, str]] = {
    "down": "downloads", "compute": "computes", "up": "uploads", "server": "at the server",
    "send": "sends", "wait": "waits", **{look: look for look in get_args(Undone)},
}  # fmt: skip
LABELLED: Final = ("compute", "send")  # kinds whose bars have labels
BEYOND: Final = Fraction(5, 4)  # of the horizon: how far a picture follows what goes on after it


def mark(bar: Bar) -> Mark:
    """How *bar* looks."""
    if bar.done or bar.kind != "compute":
        return bar.kind
    known = isinstance(bar.label, str) and bar.label in get_args(Undone)
    return cast(Undone, bar.label) if known else "not done"


def marks(step: Timeline) -> list[Mark]:
    """The looks that occur in *step*, in the order of ``WORDS``."""
    used = {mark(bar) for lane in step.lanes for bar in lane.bars}
    return [look for look in WORDS if look in used]


def label(bar: Bar) -> str:
    """What is written on *bar*."""
    return str(ShownFormula(bar.label)) if isinstance(bar.label, Expr) else bar.label


def horizon(step: Timeline) -> str:
    """The name and time of the horizon."""
    return f"{step.name} {amount_text(step.horizon, SECOND)}"


def extent(step: Timeline) -> Number:
    """The time (seconds, more than 0) at which the picture of *step* ends.

    That is the last bar's end or the horizon, the later of them; but a bar is not followed far
    beyond the horizon, and where operations are left out, the picture ends with the last one shown.
    """
    bars = [bar for lane in step.lanes for bar in lane.bars]
    last = max((bar.end for bar in bars), default=step.horizon)
    if step.shown and 0 < last < step.horizon:
        return last
    far = max([step.horizon, *(bar.start for bar in bars)]) * BEYOND
    return max(step.horizon, min(last, far)) or Fraction(1)
