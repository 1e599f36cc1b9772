"""Asynchronous SGD beside sequential SGD on the same data: what the two runs share, and bounds.

Bounds on ‖x_async − x_seq‖ are in units of η·Δ, gradients being at most Δ. Without more, two
gradients on the same data differ by at most 2Δ. If gradients are L-Lipschitz, they also differ by
at most L times the distance of their points, which is at most η·Δ·d: d counts the updates that only
one of the points contains, and adds what earlier pairs in both may cost. The smaller limit holds,
pair by pair. In units of Δ a pair costs min(2, η·L·d).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, repeat, takewhile

from ddcalc.errors import OverLimit
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Num, Sym
from ddcalc.numbers.number import Number, product, quotient
from ddcalc.schedule.engine import check_length, engine
from ddcalc.schedule.gradient import Gradient, Machine
from ddcalc.schedule.scheme import asynchronous
from ddcalc.schedule.times import common_unit, in_parts
from ddcalc.types.schedules._workload import Operation

Played = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """Both runs, their operations in the order of writing, which is the order of the data.

    The first *shared* gradients are the same in both: each is taken at the same point.
    """

    asynchronous: Played
    sequential: Played
    shared: int

    @property
    def matched(self) -> int:
        """The data that both runs use: 1, 2, … up to this number."""
        return min(len(self.asynchronous), len(self.sequential))

    @property
    def longest(self) -> int:
        """The number of data that at least one of the runs uses."""
        return max(len(self.asynchronous), len(self.sequential))

    @property
    def unmatched(self) -> int:
        """The gradients that use data of their own run only."""
        return self.longest - self.matched

    def point(self, seen: int) -> Sym:
        """The asynchronous x after *seen* updates: x_k if the sequential run has it, else y_k."""
        return Sym(f"x_{seen}") if seen <= self.shared else Sym(f"y_{seen}")


def same_time(starts: Sequence[Number], duration: Number, horizon: Number) -> Runs:
    """The runs that cores with these *starts* and one core alone make until the *horizon*."""
    counts = (updates_until(cores, duration, horizon) for cores in ([0], starts))
    check_length(max(counts), "horizon")
    unit = common_unit(*starts, duration, horizon)
    end = in_parts(horizon, unit)
    both = (_lock_free(cores, duration, unit) for cores in (starts, [0]))
    timely = (takewhile(lambda gradient: gradient.written <= end, run) for run in both)
    return _runs(*(_operations(run, unit) for run in timely))


def same_operations(starts: Sequence[Number], duration: Number, count: int) -> Runs:
    """The runs that cores with these *starts* and one core alone make in *count* updates each."""
    unit = common_unit(*starts, duration)
    both = (_lock_free(cores, duration, unit) for cores in (starts, [0]))
    return _runs(*(_operations(islice(run, count), unit) for run in both))


def updates_until(starts: Iterable[Number], duration: Number, horizon: Number) -> int:
    """How many updates of such cores end by the *horizon*, without playing them."""
    return sum(int((horizon - start) // duration) for start in starts if start <= horizon)


def _lock_free(starts: Sequence[Number], duration: Number, unit: int) -> Iterator[Gradient]:
    machine = Machine([in_parts(start, unit) for start in starts], order="writes_first")
    times = [repeat(in_parts(duration, unit)) for _ in starts]
    return engine(asynchronous(), machine, times).gradients()


def _operations(gradients: Iterable[Gradient], unit: int) -> Played:
    """*gradients* in seconds."""
    return tuple(
        Operation(
            gradient.worker,
            gradient.data,
            quotient(int(gradient.start), unit),
            quotient(int(gradient.end), unit),
            gradient.seen,
        )
        for gradient in gradients
    )


def _runs(asynchronous: Played, sequential: Played) -> Runs:
    # Operations that take equally long end in the order of their starts. So the data that a
    # gradient has seen are 1, 2, … up to a number: all that follows rests on this.
    assert all(op.data == place for place, op in enumerate(asynchronous, 1))
    return Runs(asynchronous, sequential, _shared(asynchronous, sequential))


def _shared(asynchronous: Played, sequential: Played) -> int:
    """How many gradients are the same in both runs.

    The i-th is, if it has seen exactly the updates 1 to i - 1 and all those are the same.
    """
    shared = 0
    for ours, theirs in zip(asynchronous, sequential, strict=False):
        if ours.seen != theirs.seen:
            break
        shared += 1
    return shared


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
    differing: list[OpenPair] = []
    for data in range(runs.shared + 1, runs.matched + 1):
        seen = runs.asynchronous[data - 1].seen
        earlier = [pair for pair in differing if pair.data <= seen]
        names: list[Expr] = [cost_name(pair.data) for pair in earlier]
        distance = _sum(data - 1 - seen, names)
        limit = _step(lipschitz, distance)
        inner = _sum(data - 1 - seen, [pair.cost for pair in earlier])
        cost = Fun("min", (Num(2), _step(lipschitz, inner)))
        differing.append(OpenPair(data, distance, limit, cost))
    return differing


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
    factor = distance.value if isinstance(distance, Num) else distance
    step = scaled(factor, lipschitz, Sym("eta"))
    assert isinstance(step, Expr)
    return step


ETA, DELTA = Sym("eta"), Sym("Delta")


@dataclass(frozen=True, slots=True)
class Sizes:
    """The step size η and the limit Δ of gradients, letters if open, and L (None: not given)."""

    eta: Number | Sym
    delta: Number | Sym
    lipschitz: Number | None

    @property
    def slope(self) -> Number | None:
        """η·L; None if it is open or not given."""
        if self.lipschitz == 0:
            return 0
        if self.lipschitz is None or isinstance(self.eta, Sym):
            return None
        return product(self.eta, self.lipschitz)

    def value(self, coefficient: Number | Expr) -> Number | Expr:
        """*coefficient* times η·Δ."""
        return scaled(coefficient, self.eta, self.delta)


def coefficient(runs: Runs, sizes: Sizes) -> Number | Expr:
    """The bound in units of η·Δ."""
    if sizes.lipschitz is None:
        return plain(runs)
    if sizes.slope is None:
        return open_tight(runs, sizes.lipschitz)
    return tight(runs, sizes.slope)


def plain(runs: Runs) -> int:
    """The bound in units of η·Δ without an L; functions with gradients of length Δ attain it."""
    return len(runs.asynchronous) + len(runs.sequential) - 2 * runs.shared
