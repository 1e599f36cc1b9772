"""What is in the weights at one read on one schedule: played, and told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from ddcalc.errors import OverLimit
from ddcalc.formula.expression import Add, Expr, Num, Sym
from ddcalc.numbers.display import number_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.schedule.engine import EXPLAINED, Engine, check_length, engine
from ddcalc.schedule.gradient import Gradient, Machine, Order, Worker
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.times import common_unit, in_units
from ddcalc.types.schedules.update_rule.by_clock import ByClock
from ddcalc.types.schedules.update_rule.letters import (
    ETA,
    gradient,
    of_all_up_to,
    of_one,
    of_set,
    stepped,
)
from ddcalc.types.schedules.update_rule.rule import WRITTEN, Read, Rule

WORKERS = 1_000  # workers whose schedule is played
TERMS = 50  # sums up to which the weights are written as sums

_TURNS = {
    "in_turn": "workers of one instant act in turn, by number: each writes and reads",
    "writes_first": "at one instant everybody writes before anybody reads",
}

Run = tuple[int, int]  # the first and the last of some clocks without a gap


@dataclass(frozen=True, slots=True)
class Arrived:
    """The gradients in the weights at a *read*, which comes at the time *when* (seconds).

    Worker i takes ``periods[i - 1]`` seconds for a gradient; *turns* says what happens at one
    instant, where that counts; *hold* says since when the worker has waited for which other one, if
    it has; *runs* has the clocks of each worker that are in, in order.
    """

    read: Read
    periods: Sequence[Number]
    turns: str
    when: Number
    hold: tuple[Number, int] | None
    runs: Mapping[int, Sequence[Run]]

    @property
    def count(self) -> int:
        """How many gradients are in."""
        return sum(map(self.of_worker, self.runs))

    def of_worker(self, worker: int) -> int:
        """How many gradients of *worker* are in."""
        return sum(last - first + 1 for first, last in self.runs[worker])

    def formula(self) -> Expr:
        """The count, added up over the workers."""
        return Add(tuple(Num(self.of_worker(worker)) for worker in self.runs))

    def weights(self) -> Expr:
        """The weights with each gradient by name where they are few, else as sums."""
        if self.count <= WRITTEN:
            return stepped((ETA, [gradient(worker, clock) for clock, worker in self._by_clock()]))
        common, sums = self._everybody(), []
        if common:
            sums.append(of_all_up_to(self.read.workers, common))
        for worker, runs in self.runs.items():
            later = ((max(first, common + 1), last) for first, last in runs)
            sums += [of_one(worker, first, last) for first, last in later if first <= last]
        return stepped((ETA, sums if len(sums) <= TERMS else [of_set(Sym("A"))]))

    def _everybody(self) -> int:
        """The clock up to which everybody's gradients are in."""
        starts = [runs[0] if runs else (0, 0) for runs in self.runs.values()]
        return min(last if first == 1 else 0 for first, last in starts)

    def _by_clock(self) -> list[tuple[int, int]]:
        told = [
            (clock, worker)
            for worker, runs in self.runs.items()
            for first, last in runs
            for clock in range(first, last + 1)
        ]
        return sorted(told)


def arrivals(rule: Rule, periods: Sequence[Number], order: Order) -> Arrived:
    """What the read finds if worker i takes ``periods[i - 1]`` seconds for each gradient.

    All start at 0, and nothing else takes time. Raises OverLimit for what would take too long.
    """
    scheme = rule.scheme()
    if scheme is not None:
        return _played(scheme, periods, rule.read, order)
    assert isinstance(rule, ByClock)
    read, common = rule.read, rule.contents.common
    own = periods[read.worker - 1]
    when = common * max(periods) + (read.before - common) * own
    last = dict.fromkeys(range(1, read.workers + 1), common) | {read.worker: read.before}
    runs = {worker: [(1, clock)] if clock else [] for worker, clock in last.items()}
    return Arrived(read, periods, "", when, None, runs)


def _played(scheme: Scheme, periods: Sequence[Number], read: Read, order: Order) -> Arrived:
    check_length(len(periods), "periods", WORKERS, "workers")
    check_length(read.before, "clock", what="gradients")
    unit = common_unit(*periods)
    machine = Machine([0] * len(periods), order=order)
    run = engine(scheme, machine, [repeat(in_units(period, unit)) for period in periods])
    found = _found(run, read)
    if found is None:
        limit = number_text(EXPLAINED)[0]
        raise OverLimit(f"at most {limit} gradients are played, and this read comes later").about(
            "clock"
        )
    before, state = found
    hold = state.hold and (quotient(int(state.hold.start), unit), state.hold.by)
    runs = _runs(before, read.workers, state.seen)
    return Arrived(read, periods, _TURNS[order], quotient(int(state.start), unit), hold, runs)


def _found(run: Engine, read: Read) -> tuple[list[Gradient], Gradient | Worker] | None:
    """The gradients before the read, and what tells of it; None if it comes too late."""
    worker = run.workers[read.worker - 1]
    before: list[Gradient] = []
    for each in run.gradients():
        if worker.clock == read.clock:
            return before, worker
        if (each.worker, each.clock) == (read.worker, read.clock):
            return before, each  # a late gradient, which was not told of when it arrived
        before.append(each)
        if len(before) > EXPLAINED:
            break
    return None


def _runs(played: Sequence[Gradient], workers: int, updates: int) -> dict[int, list[Run]]:
    """The clocks of each worker that are in the first *updates*."""
    runs: dict[int, list[Run]] = {worker: [] for worker in range(1, workers + 1)}
    for each in played:
        if not 0 < each.update <= updates:
            continue
        own = runs[each.worker]
        if own and own[-1][1] == each.clock - 1:
            own[-1] = (own[-1][0], each.clock)
        else:
            own.append((each.clock, each.clock))
    return runs
