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
from itertools import chain, count, islice, repeat, takewhile
from math import ceil
from typing import Final, TypeAlias

from ddcalc.errors import OverLimit
from ddcalc.formula.algebra import added, multiplied, smallest, total
from ddcalc.formula.expression import Expr, Fun, Num, Operand, Rel, Sym, substitute, wrap
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.play import ASIDE, ROWS, PlayedGivens, one, outline, several, whole
from ddcalc.problem.said.steps import Bar, Bound, Cells, Lane, Link, Step, Table, Timeline
from ddcalc.schedule.engine import check_length
from ddcalc.schedule.times import common_unit, in_parts

Pair: TypeAlias = tuple[int, Operand, Operand, Operand]
"""Two gradients on the data of that number: the distance d of their points, η·L·d, their cost."""
Results: TypeAlias = dict[str, Operand | tuple[Number, ...] | None]

ETA, DELTA, GAP = Sym("eta"), Sym("Delta"), Sym("…")
PAIRS: Final = 6  # that differ in a formula with an open step size
FINE: Final = 10**100  # times the denominator of η·L: beyond it costs are rounded up
BARS: Final = 40  # in the picture
SHOWN, FEW = 6, 5  # updates that are written out at most, and up to which that is not an aside


def table(given: PlayedGivens, reading: Mapping[str, str]) -> Results:
    """The first gradients, the head start of a core, and what pairs cost; without L how many
    updates lie between their points, where that alone counts."""
    runs, cost, apart = _runs(given, reading), None, None
    differing, alone = range(runs.shared, runs.matched), runs.longest - runs.matched
    if (slope := _slope(given)) is not None and differing:
        if isinstance(slope, Expr) and len(differing) > PAIRS:
            reason = f"eta is left open, and more than {PAIRS} pairs of gradients differ; state eta"
            raise OverLimit(reason).about("eta")
        cost = added(total([Num(alone), *(wrap(pair[-1]) for pair in runs.pairs(slope))]))
    if differing and not alone and all(runs.seen[i] <= runs.shared for i in differing):
        apart = sum(i - runs.seen[i] for i in differing)
    first, second, *_ = *sorted(runs.starts), None, None
    begun = runs.begun[:ROWS]
    return {
        "cores": tuple(core for _, core in begun),
        "begins": tuple(runs.seconds(at) for at, _ in begun),
        "ends": tuple(runs.seconds(at + runs.length) for at, _ in begun),
        "seen": tuple(runs.seen[:ROWS]),
        "lead": None if second is None else runs.seconds(second - first),
        "cost": cost,
        "apart": apart,
    }


def steps(
    given: PlayedGivens, reading: Mapping[str, str], text: Callable[..., str]
) -> Iterator[Step]:
    """The picture, what pairs cost, where both runs end, and the estimate of their distance."""
    runs, slope = _runs(given, reading), _slope(given)
    pairs = [] if slope is None else [*runs.pairs(slope)]
    yield _timeline(given, runs, text)
    for end, number, taken in (
        ("x_async", len(runs.begun), runs.ours),
        ("x_seq", runs.alone, runs.theirs),
    ):
        data = outline(1, number, SHOWN)
        value = total([Sym("x_0"), *(-(ETA * taken(i) if i else GAP) for i in data)])
        name = "" if runs.longest <= FEW else ASIDE
        link = Link("=", value, text(f"{end}_points"))
        if number:
            yield Bound(name, end, text(end), text(f"{end}_why"), Sym(end), (link,), value)
    if pairs:
        head, places = tuple(text("costs_head").split("; ")), outline(0, len(pairs) - 1)
        gap: Cells = ("…",) * len(head)
        rows = tuple(gap if i is None else _cost(runs, pairs[i], text) for i in places)
        yield Table(text("costs"), text("costs_why"), head, rows)
    if runs.shared < runs.longest:
        links = tuple(_estimate(runs, {pair[0]: pair[-1] for pair in pairs}, text))
        apart = _norm(Sym("x_async") - Sym("x_seq"))
        title, why = text("estimate"), text("estimate_why")
        yield Bound("", "", title, why, apart, links, links[-1].expr)


@dataclass(frozen=True, slots=True)
class Runs:
    """The gradients that the asynchronous run has *begun* in the order of their data, when and on
    which core, and how many updates each has *seen*, beside the number that one core makes *alone*.

    The first *shared* ones are the same in both. Times are in parts of a second, *unit* of them.
    """

    starts: Sequence[int]
    length: int
    unit: int
    begun: Sequence[tuple[int, int]]
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
        """The asynchronous gradient on *data*."""
        return Fun("grad", (Num(data), self.point(data)))

    def theirs(self, data: int) -> Expr:
        """The sequential one."""
        return Fun("grad", (Num(data), Sym(f"x_{data - 1}")))

    def point(self, data: int) -> Sym:
        """The asynchronous point: x_k where the sequential run has it too, else y_k."""
        seen = self.seen[data - 1]
        return Sym(f"{'x' if seen <= self.shared else 'y'}_{seen}")

    def pairs(self, slope: Operand) -> Iterator[Pair]:
        """The pairs that differ, for η·L; where η is open, distances name the costs of others."""
        totals: list[Operand] = [0]
        costs: dict[str, Expr] = {}
        for data in range(self.shared + 1, self.matched + 1):
            seen = self.seen[data - 1]
            earlier = totals[max(seen - self.shared, 0)]
            distance = added(wrap(data - 1 - seen) + earlier)
            limit = multiplied(wrap(slope) * distance)
            if isinstance(limit, Expr) or isinstance(slope, Expr):
                inner = added(substitute(wrap(distance), costs))
                cost = costs[f"p_{data}"] = smallest(2, multiplied(wrap(slope) * inner))
                totals.append(added(wrap(totals[-1]) + Sym(f"p_{data}")))
                yield data, distance, limit, cost
                continue
            fine = FINE * slope.denominator
            least = min(
                2, limit if limit.denominator <= fine else Fraction(ceil(limit * fine), fine)
            )
            totals.append(totals[-1] + least)
            yield data, distance, limit, least


def _slope(given: PlayedGivens) -> Operand | None:
    """η·L; None without L."""
    lipschitz, eta = one(given, "lipschitz"), one(given, "eta")
    if lipschitz is None:
        return None
    return multiplied(wrap(lipschitz) * (ETA if eta is None else eta))


def _turns(starts: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
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
    begun = [*islice(_turns(enumerate(parts, 1), length), done)]
    times = [at for at, _ in begun]
    seen = [bisect_right(times, at - length) for at in times]
    shared = next((i for i in range(min(done, alone)) if seen[i] < i), min(done, alone))
    return Runs(parts, length, unit, begun, seen, alone, shared)


def _timeline(given: PlayedGivens, runs: Runs, text: Callable[..., str]) -> Timeline:
    """The cores that begin first, and below them the one that works alone, until the horizon, or
    until all updates that count are done."""
    horizon, length = one(given, "horizon"), runs.length
    assert horizon is not None
    alone = [(i * length, 0) for i in range(runs.alone)]
    counted = {one: data for run in (runs.begun, alone) for data, one in enumerate(run, 1)}
    end = runs.seconds(max((at + length for at, _ in counted), default=0))
    is_cut = "operations" not in given and end <= horizon
    until = (horizon if is_cut else end) * runs.unit
    first = sorted(range(len(runs.starts)), key=runs.starts.__getitem__)[: ROWS - 1]
    starts = {core + 1: runs.starts[core] for core in sorted(first)} | {0: 0}
    lanes: dict[int, list[Bar]] = {core: [] for core in starts}
    turns = takewhile(lambda turn: turn[0] < until, _turns(starts.items(), length))
    for at, core in islice(turns, BARS):
        label: Expr | str = "not done" if is_cut and at + length > until else "not counted"
        if data := counted.get((at, core)):
            label = runs.ours(data) if core else runs.theirs(data)
        lanes[core].append(
            Bar(runs.seconds(at), runs.seconds(at + length), label, data is not None)
        )
    every = sum(max(ceil(Fraction(until - at) / length), 0) for at in (0, *runs.starts))
    left = every - sum(map(len, lanes.values()))
    named = tuple(Lane(text("lane", core), tuple(bars)) for core, bars in lanes.items())
    why = text("schedule_why", runs.alone, count_text(runs.alone), left, count_text(horizon))
    name, last = ("horizon", horizon) if is_cut else ("end", end)
    return Timeline(text("schedule"), why, named, last, left, name)


def _cost(runs: Runs, pair: Pair, text: Callable[..., str]) -> Cells:
    """The points of a *pair*, and what limits its cost."""
    data, distance, limit, cost = pair
    binds = "depends"
    if isinstance(limit, Expr):
        cost = Rel("==", Sym(f"p_{data}"), smallest(2, limit))
    else:
        binds = "either" if limit == 2 else "by_distance" if limit < 2 else "by_length"
    points = runs.point(data), Sym(f"x_{data - 1}")
    return Num(data), *points, wrap(distance), wrap(limit), text(binds), wrap(cost)


def _estimate(runs: Runs, costs: Mapping[int, Operand], text: Callable[..., str]) -> Iterator[Link]:
    """The distance of both ends, line by line, with the *costs* of pairs by their data."""

    def rest(data: int | None) -> tuple[Expr, Expr, list[Expr], list[Expr]]:
        """What is left of *data*: its term, the length of that, of its gradients, their limits."""
        if data is None:
            return GAP, GAP, [GAP], [GAP]
        both = [runs.theirs(data)] if data <= runs.alone else []
        both += [runs.ours(data)] if data <= len(runs.begun) else []
        inside, cost = both[0] - both[1] if both[1:] else both[0], costs.get(data, 1)
        price = Sym(f"p_{data}") if isinstance(cost, Expr) else cost
        limits: list[Expr] = [DELTA for _ in both]
        if costs:
            limits = [wrap(multiplied(DELTA * price))]
        term = ETA * inside if data <= runs.alone else -(ETA * inside)
        return term, ETA * _norm(inside), [*map(_norm, both)], limits

    rests = [rest(data) for data in outline(runs.shared + 1, runs.longest, SHOWN // 2)]
    terms, lengths, parts, limits = zip(*rests, strict=True)
    yield Link("=", _norm(total(terms)), text("cancelled", runs.shared))
    op, why = ("≤", "triangle") if terms[1:] else ("=", "positive")
    yield Link(op, total(lengths), text(why))
    pairs = runs.matched - runs.shared
    if pairs and not costs:
        yield Link("≤", ETA * total(chain.from_iterable(parts)), text("triangles", pairs))
    yield Link("≤", ETA * total(chain.from_iterable(limits)), text("paid" if costs else "limited"))


def _norm(inside: Expr) -> Expr:
    return Fun("norm", (inside,))
