"""Asynchronous SGD beside sequential SGD on the same data: who sees what, and what pairs cost.

All gradients take equally long, so they end in the order in which they begin, which is that of
their data, and what a gradient has seen are the updates 1, 2, … up to a number.

In units of η·Δ, two gradients on the same data differ by at most 2. If gradients are L-Lipschitz,
they also differ by at most η·L·d, d·η·Δ being a limit of the distance of their points: d counts the
updates that only one of the points contains, and adds what earlier pairs in both may cost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import merge
from itertools import count, islice, repeat, takewhile
from math import ceil
from typing import Final, NamedTuple

from ddcalc.errors import OverLimit
from ddcalc.formula.algebra import added, multiplied, total
from ddcalc.formula.expression import (
    Add,
    Expr,
    Fun,
    Mul,
    Neg,
    Num,
    Rel,
    Sym,
    substitute,
    wrap,
)
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.play import ASIDE, ROWS, PlayedGivens, one, outline, several, whole
from ddcalc.problem.steps import Bar, Bound, Cells, Lane, Link, Step, Table, Timeline
from ddcalc.schedule.engine import check_length
from ddcalc.schedule.times import common_unit, in_parts

ETA, DELTA, GAP = Sym("eta"), Sym("Delta"), Sym("…")
PAIRS: Final = 6  # that differ in a formula with an open step size
FINE: Final = 10**100  # times the denominator of η·L: beyond it costs are rounded up
BARS: Final = 40  # in the picture
SHOWN: Final = 6  # updates that are written out; the rest is … and the last one
FEW: Final = 5  # updates up to which both ends are shown unasked
Text = Callable[..., str]


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, Number | Expr | None]:
    """What pairs cost with a Lipschitz constant, and how far apart their points are without."""
    runs, slope = _runs(given, reading), _slope(given)
    differing = range(runs.shared, runs.matched)
    first, second, *_ = *sorted(runs.starts), None, None
    stale = [data - runs.seen[data] for data in differing]
    is_plain = runs.alone == len(runs.begun) and all(runs.seen[i] <= runs.shared for i in differing)
    cost = None
    if isinstance(slope, Expr) and len(differing) > PAIRS:
        reason = f"eta is left open, and more than {PAIRS} pairs of gradients differ; state eta"
        raise OverLimit(reason).about("eta")
    if slope is not None and differing:
        paid = [wrap(pair.cost) for pair in runs.pairs(slope)]
        cost = added(Add((Num(runs.longest - runs.matched), *paid)))
    return {
        "lead": None if second is None else runs.seconds(second - first),
        "cost": cost,
        "apart": sum(stale) if stale and is_plain else None,
    }


def steps(given: PlayedGivens, reading: Mapping[str, str], text: Text) -> Iterator[Step]:
    """The picture, the point of each gradient, both ends, what pairs cost, and the estimate."""
    runs, slope = _runs(given, reading), _slope(given)
    yield _timeline(given, runs, text)
    if not runs.longest:
        return
    head = tuple(text("reads_head").split("; "))
    data = outline(1, runs.longest, SHOWN)
    rows = (_read(runs, i, text) if i else ("…",) * len(head) for i in data)
    yield Table(text("reads"), text("reads_why"), head, tuple(rows))
    yield from _ends(runs, text)
    if runs.shared < runs.longest:
        yield from _estimate(runs, slope, text)


class Begun(NamedTuple):
    """When a gradient begins, in parts of a second, and on which core."""

    at: int
    core: int


class Pair(NamedTuple):
    """What two gradients on *data* at different points *cost*: 2, or the *limit* η·L·d for the
    distance d."""

    data: int
    distance: Number | Expr
    limit: Number | Expr
    cost: Number | Expr


@dataclass(frozen=True, slots=True)
class Runs:
    """The gradients that the asynchronous run has *begun*, in the order of their data, with how
    many updates each has *seen*, beside the number that one core makes *alone*.

    The first *shared* ones are the same in both. Times are in parts of a second, *unit* of them.
    """

    starts: Sequence[int]
    length: int
    unit: int
    begun: Sequence[Begun]
    seen: Sequence[int]
    alone: int
    shared: int

    @property
    def matched(self) -> int:
        return min(len(self.begun), self.alone)

    @property
    def longest(self) -> int:
        return max(len(self.begun), self.alone)

    def seconds(self, parts: int) -> Number:
        return quotient(parts, self.unit)

    def ours(self, data: int) -> Expr:
        """The asynchronous gradient on *data*, at x_k where the sequential run has that, or y_k."""
        return Fun("grad", (Num(data), self.point(data)))

    def point(self, data: int) -> Sym:
        seen = self.seen[data - 1]
        return Sym(f"{'x' if seen <= self.shared else 'y'}_{seen}")

    def pairs(self, slope: Number | Expr) -> Iterator[Pair]:
        """The pairs that differ, for η·L; what each costs has a name where η is open."""
        totals: list[Number | Expr] = [0]
        costs: dict[str, Expr] = {}
        fine = 0 if isinstance(slope, Expr) else FINE * slope.denominator
        for data in range(self.shared + 1, self.matched + 1):
            seen = self.seen[data - 1]
            earlier = totals[max(seen - self.shared, 0)]
            distance = added(wrap(data - 1 - seen) + wrap(earlier))
            limit = multiplied(wrap(slope) * wrap(distance))
            if isinstance(limit, Expr):
                inner = wrap(added(substitute(wrap(distance), costs)))
                name: Number | Expr = Sym(f"p_{data}")
                cost: Number | Expr = Fun("min", (Num(2), wrap(multiplied(wrap(slope) * inner))))
                costs[f"p_{data}"] = wrap(cost)
            else:
                rounds = limit.denominator > fine
                name = cost = min(2, Fraction(ceil(limit * fine), fine) if rounds else limit)
            totals.append(added(wrap(totals[-1]) + wrap(name)))
            yield Pair(data, distance, limit, cost)


def _begun(starts: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """When gradients of cores with these *starts* begin, one after the other, and on which core."""
    return merge(*(zip(count(start, length), repeat(core)) for core, start in starts))


def _runs(given: PlayedGivens, reading: Mapping[str, str]) -> Runs:
    """Both runs, played; OverLimit if they are too long."""
    starts, number = several(given, "starts"), whole(given, "operations")
    update, horizon = one(given, "update"), one(given, "horizon")
    assert update is not None
    assert horizon is not None
    done = alone = int(horizon // update) if number is None else number
    if reading["compare"] == "same_time":
        done = sum(int((horizon - start) // update) for start in starts if start <= horizon)
    check_length(max(done, alone), "horizon" if number is None else "operations")
    unit = common_unit(*starts, update)
    parts, length = [in_parts(start, unit) for start in starts], in_parts(update, unit)
    begun = [Begun(*one) for one in islice(_begun(enumerate(parts, 1), length), done)]
    times = [at for at, _ in begun]
    seen = [bisect_right(times, at - length) for at in times]
    fresh = takewhile(lambda i: seen[i] == i, range(min(done, alone)))
    return Runs(parts, length, unit, begun, seen, alone, sum(1 for _ in fresh))


def _slope(given: PlayedGivens) -> Number | Expr | None:
    """η·L; None without L."""
    lipschitz, eta = one(given, "lipschitz"), one(given, "eta")
    return None if lipschitz is None else multiplied(wrap(lipschitz) * (ETA if eta is None else eta))


def _alone(data: int) -> Expr:
    """The sequential gradient on *data*."""
    return Fun("grad", (Num(data), Sym(f"x_{data - 1}")))


def _timeline(given: PlayedGivens, runs: Runs, text: Text) -> Timeline:
    """The cores that begin first, and below them the one that works alone, until the horizon, or
    until all updates that count are done."""
    horizon, number = one(given, "horizon"), one(given, "operations")
    assert horizon is not None
    alone = [Begun(i * runs.length, 0) for i in range(runs.alone)]
    counted = {one: data for run in (runs.begun, alone) for data, one in enumerate(run, 1)}
    end = runs.seconds(max((one.at + runs.length for one in counted), default=0))
    is_cut = number is None and end <= horizon
    until = horizon if is_cut else end
    first = sorted(range(len(runs.starts)), key=runs.starts.__getitem__)[: ROWS - 1]
    starts = {0: 0, **{core + 1: runs.starts[core] for core in sorted(first)}}
    lanes: dict[int, list[Bar]] = {core: [] for core in (*list(starts)[1:], 0)}
    drawn = takewhile(lambda one: one[0] < until * runs.unit, _begun(starts.items(), runs.length))
    for begun in islice(map(Begun._make, drawn), BARS):
        data, finish = counted.get(begun), runs.seconds(begun.at + runs.length)
        label: Expr | str = "not done" if is_cut and finish > horizon else "not counted"
        if data is not None:
            label = runs.ours(data) if begun.core else _alone(data)
        lanes[begun.core].append(Bar(runs.seconds(begun.at), finish, label, data is not None))
    every = (max(ceil((until * runs.unit - at) / Fraction(runs.length)), 0) for at in (0, *runs.starts))
    left = sum(every) - sum(map(len, lanes.values()))
    named = tuple(Lane(text("lane", core), tuple(bars)) for core, bars in lanes.items())
    why = text("schedule_why", runs.alone, count_text(runs.alone), left, count_text(horizon))
    return Timeline(text("schedule"), why, named, until, left, "horizon" if is_cut else "end")


def _read(runs: Runs, data: int, text: Text) -> Cells:
    """Where the gradients on *data* are taken, and when."""
    ours: Cells = ("–",) * 3
    theirs: Cells = ("–",) * 2
    if data <= len(runs.begun):
        at, core = runs.begun[data - 1]
        ours = (Num(core), _interval(runs, at), runs.point(data))
    if data <= runs.alone:
        theirs = (_interval(runs, (data - 1) * runs.length), Sym(f"x_{data - 1}"))
    verdict = "same" if data <= runs.shared else "differ" if data <= runs.matched else "single"
    return Num(data), *ours, *theirs, text(verdict)


def _interval(runs: Runs, at: int) -> str:
    return "–".join(decimal_or_fraction(runs.seconds(time)) for time in (at, at + runs.length))


def _ends(runs: Runs, text: Text) -> Iterator[Bound]:
    """Where each run ends: x_0 and all its steps."""
    for end, number, taken in (
        ("x_async", len(runs.begun), runs.ours),
        ("x_seq", runs.alone, _alone),
    ):
        data = outline(1, number, SHOWN)
        value = Add((Sym("x_0"), *(Neg(Mul((ETA, taken(i))) if i else GAP) for i in data)))
        name = end if runs.longest <= FEW else ASIDE
        if number:
            link = Link("=", value, text("as_in_the_table"))
            yield Bound(name, end, text(end), text(f"{end}_why"), Sym(end), (link,), value)


def _costs(runs: Runs, pairs: Sequence[Pair], text: Text) -> Table:
    """Each pair that differs, with what limits it."""
    head = tuple(text("costs_head").split("; "))
    shown = [pairs[i] if i is not None else None for i in outline(0, len(pairs) - 1)]
    rows = tuple(_cost(runs, pair, text) if pair else ("…",) * len(head) for pair in shown)
    return Table(text("costs"), text("costs_why"), head, rows)


def _cost(runs: Runs, pair: Pair, text: Text) -> Cells:
    data, distance, limit, cost = pair
    binds = "open"
    if not isinstance(limit, Expr):
        binds = "either" if limit == 2 else "by_distance" if limit < 2 else "by_length"
    else:
        cost = Rel("==", Sym(f"p_{data}"), Fun("min", (Num(2), limit)))
    points = runs.point(data), Sym(f"x_{data - 1}")
    return Num(data), *points, wrap(distance), wrap(limit), text(binds), wrap(cost)


def _estimate(runs: Runs, slope: Number | Expr | None, text: Text) -> Iterator[Step]:
    """The distance of both ends, estimated line by line."""
    pairs = [] if slope is None else [*runs.pairs(slope)]
    if pairs:
        yield _costs(runs, pairs, text)
    paid = {pair.data: pair.cost for pair in pairs}
    terms: list[Expr] = []
    lengths: list[Expr] = []
    parts: list[Expr] = []
    limits: list[Expr] = []
    for data in outline(runs.shared + 1, runs.longest, SHOWN // 2):
        if data is None:
            terms, lengths, parts, limits = (xs + [GAP] for xs in (terms, lengths, parts, limits))
            continue
        theirs = [_alone(data)] if data <= runs.alone else []
        ours = [runs.ours(data)] if data <= len(runs.begun) else []
        inside = total([*theirs, *(map(Neg, ours) if theirs else ours)])
        term = Mul((ETA, inside))
        terms.append(term if theirs else Neg(term))
        lengths.append(Mul((ETA, _norm(inside))))
        parts += map(_norm, [*theirs, *ours])
        cost = paid.get(data, 1)
        price = Sym(f"p_{data}") if isinstance(cost, Expr) else cost
        limits += [wrap(multiplied(price * DELTA))] if pairs else [DELTA] * len(theirs + ours)
    several = len(terms) > 1
    differing = runs.matched - runs.shared
    links = [
        Link("=", _norm(total(terms)), text("cancelled", runs.shared)),
        Link("≤" if several else "=", total(lengths), text("triangle" if several else "positive")),
    ]
    if differing and not pairs:
        links.append(Link("≤", Mul((ETA, total(parts))), text("triangles", differing)))
    links.append(Link("≤", Mul((ETA, total(limits))), text("paid" if pairs else "limited")))
    why = text("estimate_why")
    yield Bound("estimate", "", text("estimate"), why, APART, tuple(links), links[-1].expr)


def _norm(inside: Expr) -> Expr:
    return Fun("norm", (inside,))


APART: Final = _norm(Sym("x_async") - Sym("x_seq"))
