"""What all pictures and tables of a timeline share: how far it goes, and what bars are called."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, cast, get_args

from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.steps import Bar, Kind, Lane, Timeline
from ddcalc.render.sides import Formula

Undone = Literal["not done", "not counted", "dropped", "interrupted"]
Mark = Kind | Undone
"""How a bar looks: by what the worker does, or by why a computation does not count."""

WORDS: Final[dict[Mark, str]] = {
    "down": "downloads",
    "compute": "computes",
    "up": "uploads",
    "server": "at the server",
    "send": "sends",
    "wait": "waits",
    "not done": "not done",
    "not counted": "not counted",
    "dropped": "dropped",
    "interrupted": "interrupted",
}
LABELLED: Final = ("compute", "send")  # kinds of which each bar is told by its label
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
    return [each for each in WORDS if each in used]


def label(bar: Bar) -> str:
    """What is written on *bar*."""
    return str(Formula(bar.label)) if isinstance(bar.label, Expr) else bar.label


def deed(bar: Bar) -> str:
    """What the worker does, in words: ``computes 3``, ``waits``, ``dropped``."""
    if bar.kind == "compute" and not bar.done and isinstance(bar.label, str):
        return bar.label or WORDS["not done"]
    told = WORDS[bar.kind]
    if bar.kind in LABELLED:
        told = f"{told} {label(bar)}".rstrip()
    return told if bar.done else f"{told}, {WORDS['not done']}"


def sentence(lane: str, bar: Bar) -> str:
    """The whole bar of the worker *lane* in words: its note, else its deed and its times."""
    start, end = (quantity_text(time, SECOND) for time in (bar.start, bar.end))
    return bar.note or f"{lane}: {deed(bar)}, from {start} to {end}"


def told(step: Timeline) -> str:
    """The whole schedule in words: how often and how long each worker does what."""
    lanes = "".join(f" {lane.label}: {_summary(lane)}." for lane in step.lanes)
    missing = f" {step.shown} more are not drawn." if step.shown else ""
    end = quantity_text(step.horizon, SECOND)
    return f"Who works when, until the {step.name} at {end}.{lanes}{missing}"


def horizon(step: Timeline) -> str:
    """The name and time of the horizon."""
    return f"{step.name} {quantity_text(step.horizon, SECOND)}"


def _summary(lane: Lane) -> str:
    """What is done on *lane*, added up."""
    parts: list[str] = []
    for each, word in WORDS.items():
        bars = [bar for bar in lane.bars if mark(bar) == each]
        whole = quantity_text(sum((bar.end - bar.start for bar in bars), Fraction(0)), SECOND)
        if bars and each in get_args(Kind):
            parts.append(f"{word} {_times(len(bars))}, {whole} in all")
        elif bars:
            parts.append(f"{len(bars)} {word}")
    return "; ".join(parts) or "nothing"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count) or f"{count} times"


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
