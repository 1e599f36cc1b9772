"""A run on a quadratic with stale gradients, exactly, update by update."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from ddcalc.formula.expression import Num
from ddcalc.memory import remembered
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import number_text, rounded
from ddcalc.numbers.number import Number
from ddcalc.problem.steps import Chart, Curve, Dot, Plot, Scale, Step, Table
from ddcalc.types.schedules._convergence.conditions import Conditions
from ddcalc.types.schedules._convergence.question import Question

_LONG = 1024  # bits beyond which a number is told as rounded
_DRAWN = 9  # significant digits of a point
_ROWS = 7  # of the table
_MANY = 1000  # times that distances differ, so that small ones are not seen beside large ones


@remembered
def errors(coefficients: tuple[Number, ...], h: Number, updates: int) -> tuple[Number, ...]:
    """w_t − w* after 0, 1, … *updates* where the curvature is *h*, from 1 on.

    Gradients from before the start are none.
    """
    return tuple(map(told, exact_errors(coefficients, h, updates)))


def exact_errors(coefficients: Sequence[Number], h: Number, updates: int) -> list[Fraction]:
    """The same, however long the numbers get."""
    tops, unit = whole_errors(coefficients, h, updates)
    return [Fraction(top, unit**t) for t, top in enumerate(tops)]


def whole_errors(coefficients: Sequence[Number], h: Number, updates: int) -> tuple[list[int], int]:
    """Whole numbers and a unit, whose power t is what the number of update t is to be divided by.

    Fractions would be reduced in every update, which takes most of the time.
    """
    moves = [Fraction(h) * alpha for alpha in coefficients]
    unit = lcm(*(move.denominator for move in moves))
    tops = [move.numerator * (unit // move.denominator) * unit**i for i, move in enumerate(moves)]
    found = [1]
    for _ in range(updates):
        used = zip(tops, reversed(found), strict=False)
        found.append(unit * found[-1] - sum(top * error for top, error in used))
    return found, unit


def told(value: Fraction) -> Number:
    """*value*, marked as rounded where it is too long to be told."""
    if value.denominator == 1 and value.numerator.bit_length() <= _LONG:
        return value.numerator
    long = value.numerator.bit_length() + value.denominator.bit_length() > _LONG
    return Approximate(value, 0) if long else value


def run(asked: Question) -> Iterator[Step]:
    """The run at both ends, as a table and as curves, beside what is proved."""
    ends = [asked.low] if asked.low == asked.high else [asked.low, asked.high]
    runs = [errors(asked.coefficients, h, asked.updates) for h in ends]
    names = [f"h = {number_text(h)[0]}" for h in ends]
    proved = _proved(asked)
    columns: list[list[Number]] = [[max(each, -each) for each in run] for run in runs]
    columns += [proved] if proved else []
    labels = names + (["proved"] if proved else [])
    rows = tuple(
        (Num(t), *(Num(rounded(each[t], 6)) for each in columns)) for t in places(asked.updates)
    )
    why = "from 1 on, in the direction of each eigenvalue; gradients from before the start are none"
    yield Table("How far it is from w*", why, ("update", *labels), rows)
    yield distances("|w − w*|", columns, labels)


def _proved(asked: Question) -> list[Number]:
    """What the proof says of each update at least; nothing where it says nothing."""
    factor = Conditions(asked).guaranteed
    if factor >= 1:
        return []
    ages = len(asked.coefficients)
    return [Fraction(factor) ** -(-t // ages) for t in range(asked.updates + 1)]


def distances(name: str, columns: Sequence[Sequence[Number]], labels: Sequence[str]) -> Plot:
    """The curves of *columns*, distances called *name* after 0, 1, … updates.

    Where they differ by much, equal heights are equal factors, and a distance of 0 is a gap.
    """
    known = [rounded(each, _DRAWN) for column in columns for each in column if each]
    factors = bool(known) and max(known) > _MANY * min(known)
    curves = tuple(
        Curve(label, tuple(_dot(t, each, label, factors) for t, each in enumerate(column)))
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
    told = f"update {t}: {number_text(shown)[0]}"
    return Dot(t, shown, f"{label}, {told}" if label else told)


def places(last: int) -> list[int]:
    """Some of the updates 0 to *last*, with both ends."""
    return sorted({round(Fraction(last * i, _ROWS)) for i in range(_ROWS + 1)} | {min(1, last)})
