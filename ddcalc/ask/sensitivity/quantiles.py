"""Quantiles of the answer when uncertain inputs are drawn at random, from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from random import Random
from typing import Literal

from ddcalc.ask.sensitivity.levers import Point
from ddcalc.ask.sensitivity.uncertain import Spread
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Number
from ddcalc.numbers.number import plain

MOST = 100_000  # runs
GRAIN = 10**6  # parts of a range that a drawn number is told in
TRIES = 100  # to draw a number that a given admits

Shape = Literal["uniform", "normal"]


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The answers that 5, 50 and 95 per cent of the runs do not exceed (nearest rank).

    Each is the exact answer of one run; *failed* runs had none.
    """

    low: Number
    median: Number
    high: Number
    runs: int
    failed: int


def quantiles(
    point: Point, spreads: Sequence[Spread], seed: int, runs: int, shape: Shape
) -> Quantiles:
    """The quantiles of *runs* drawn from *seed*; ranges are uniform, ``±`` is as *shape* says.

    With ``normal`` the number behind ``±`` is the standard deviation. Raises BadValue where no run
    has an answer.
    """
    random = Random(seed)  # noqa: S311
    drawn = (
        point.answer({each.key: _drawn(each, random, shape) for each in spreads})
        for _ in range(runs)
    )
    found = sorted(answer for answer in drawn if answer is not None)
    if not found:
        raise BadValue(point.result.name, "has no value in any run").about("runs")
    low, median, high = (found[ceil(len(found) * p / 100) - 1] for p in (5, 50, 95))
    return Quantiles(low, median, high, runs, runs - len(found))


def _drawn(spread: Spread, random: Random, shape: Shape) -> Number:
    if shape == "uniform" or not spread.around:
        if spread.given.whole:
            return random.randint(int(spread.low), int(spread.high))
        share = Fraction(random.randrange(GRAIN + 1), GRAIN)
        return plain(spread.low + (spread.high - spread.low) * share)
    for _ in range(TRIES):
        share = Fraction(round(random.gauss(0, 1) * GRAIN), GRAIN)
        value = plain(spread.middle + (spread.high - spread.middle) * share)
        value = round(value) if spread.given.whole else value
        try:
            spread.given.check("", value)
        except BadValue:
            continue
        return value
    return spread.middle
