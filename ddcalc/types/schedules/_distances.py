"""Runs as tables and curves of their distances from the minimum, update by update."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number
from ddcalc.problem.steps import Chart, Curve, Dot, Plot, Scale

_DRAWN = 9  # significant digits of a point
_ROWS = 7  # of the table, besides that of the start, where it does not list all updates
_ALL = 10  # updates up to which it does
_MANY = 1000  # times that distances differ, so that small ones are not seen beside large ones


def distances(name: str, columns: Sequence[Sequence[Number]], labels: Sequence[str]) -> Plot:
    """The curves of *columns*, distances called *name* after 0, 1, … updates.

    Where they differ by much, equal heights are equal factors, and a distance of 0 is a gap.
    """
    known = [rounded(value, _DRAWN) for column in columns for value in column if value]
    factors = bool(known) and max(known) > _MANY * min(known)
    curves = tuple(
        Curve(label, tuple(_dot(t, value, label, factors) for t, value in enumerate(column)))
        for column, label in zip(columns, labels, strict=True)
    )
    title = "Distance from w* after each update"
    chart = Chart(title, Scale("update", ""), Scale(name, "", factors), curves, None, 0)
    why = "distance from w* after each update"
    return Plot("The run", f"{why}; equal heights are equal factors" if factors else why, chart)


def _dot(t: int, distance: Number, label: str, factors: bool) -> Dot | None:
    if factors and not distance:
        return None
    shown = rounded(distance, _DRAWN)
    text = f"update {t}: {count_text(shown)}"
    return Dot(t, shown, f"{label}, {text}" if label else text)


def places(last: int) -> list[int]:
    """The updates 0 to *last*; of many of them some, with both ends."""
    if last <= _ALL:
        return [*range(last + 1)]
    return sorted({round(Fraction(last * i, _ROWS)) for i in range(_ROWS + 1)} | {min(1, last)})


def picked(last: int) -> str:
    """That a table with these places does not list all updates, if so."""
    return "" if last <= _ALL else "; not every update is listed"
