"""Bounds on ‖x_async − x_seq‖, in units of η·Δ, when gradients are at most Δ.

Without more, two gradients on the same data differ by at most 2Δ. If gradients are L-Lipschitz,
they also differ by at most L times the distance of their points, which is at most η·Δ·d: d counts
the updates that only one of the points contains, and adds what earlier pairs in both may cost.
The smaller limit holds, pair by pair. In units of Δ a pair costs min(2, η·L·d).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.errors import OverLimit
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Num, Sym
from ddcalc.numbers.number import Number, product
from ddcalc.types.schedules.divergence.runs import Runs

WRITTEN = 6  # pairs that a formula with an open step size may contain
FINE = 10**100  # times the denominator of η·L: beyond it costs are rounded up


@dataclass(frozen=True, slots=True)
class Pair:
    """Two gradients on *data* at different points: their *distance* d, η·L·d, and the *cost*."""

    data: int
    distance: Number
    lipschitz: Number
    cost: Number

    @property
    def rounded(self) -> bool:
        """Whether the cost was rounded up to keep its digits few."""
        return self.cost > self.lipschitz


def pairs(runs: Runs, slope: Number) -> Iterator[Pair]:
    """The pairs that differ, in the order of their data, for *slope* η·L."""
    fine = FINE * slope.denominator
    totals: list[Number] = [0] * (runs.shared + 1)  # of the costs of the first 0, 1, 2, … pairs
    for data in range(runs.shared + 1, runs.matched + 1):
        seen = runs.asynchronous[data - 1].seen
        distance = data - 1 - seen + totals[seen]
        lipschitz = product(slope, distance)
        cost = min(2, _rounded_up(lipschitz, fine))
        totals.append(totals[-1] + cost)
        yield Pair(data, distance, lipschitz, cost)


def tight(runs: Runs, slope: Number) -> Number:
    """The bound with L, for *slope* η·L."""
    return runs.unmatched + sum(pair.cost for pair in pairs(runs, slope))


@dataclass(frozen=True, slots=True)
class OpenPair:
    """Two gradients on *data*, η being open: d as a number of updates and earlier pairs' costs.

    *limit* is η·L·d with the costs of pairs by name, p_2 for that of data 2; *cost* is written out.
    """

    data: int
    distance: Expr
    limit: Expr
    cost: Expr


def open_pairs(runs: Runs, lipschitz: Number) -> list[OpenPair]:
    """The pairs that differ, for an open step size and an L above 0; OverLimit if too many."""
    if runs.matched - runs.shared > WRITTEN:
        raise OverLimit(
            f"eta is left open, and more than {WRITTEN} pairs of gradients differ; state eta"
        ).about("eta")
    found: list[OpenPair] = []
    for data in range(runs.shared + 1, runs.matched + 1):
        seen = runs.asynchronous[data - 1].seen
        earlier = [pair for pair in found if pair.data <= seen]
        names: list[Expr] = [cost_name(pair.data) for pair in earlier]
        distance = _sum(data - 1 - seen, names)
        limit = _step(lipschitz, distance)
        inner = _sum(data - 1 - seen, [pair.cost for pair in earlier])
        cost = Fun("min", (Num(2), _step(lipschitz, inner)))
        found.append(OpenPair(data, distance, limit, cost))
    return found


def open_tight(runs: Runs, lipschitz: Number) -> Number | Expr:
    """The bound with L for an open step size, in which every cost is a minimum."""
    bound = _sum(runs.unmatched, [pair.cost for pair in open_pairs(runs, lipschitz)])
    return bound.value if isinstance(bound, Num) else bound


def cost_name(data: int) -> Sym:
    """The letter for what the pair on *data* costs."""
    return Sym(f"p_{data}")


def scaled(coefficient: Number | Expr, *factors: Number | Sym) -> Number | Expr:
    """*coefficient* times *factors*: the numbers multiplied out, then the letters in order."""
    number: Number = 1
    letters: list[Expr] = []
    for factor in (*factors, coefficient):
        if isinstance(factor, Expr):
            letters.append(factor)
        else:
            number = product(number, factor)
    if number == 0 or not letters:
        return number
    parts = letters if number == 1 else [Num(number), *letters]
    return parts[0] if len(parts) == 1 else Mul(tuple(parts))


def _rounded_up(value: Number, fine: int) -> Number:
    if value.denominator <= fine:
        return value
    return Fraction(math.ceil(value * fine), fine)


def _sum(number: int, terms: list[Expr]) -> Expr:
    """*number* plus *terms*, equal ones taken together."""
    parts: list[Expr] = [Num(number)] if number else []
    for term, times in Counter(terms).items():
        parts.append(term if times == 1 else Mul((Num(times), term)))
    if not parts:
        return Num(0)
    return parts[0] if len(parts) == 1 else Add(tuple(parts))


def _step(lipschitz: Number, distance: Expr) -> Expr:
    """η·L·d for an open η and a number L."""
    if isinstance(distance, Num):
        made = scaled(distance.value, lipschitz, Sym("eta"))
    else:
        made = scaled(distance, lipschitz, Sym("eta"))
    assert isinstance(made, Expr)
    return made
