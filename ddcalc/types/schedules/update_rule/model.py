"""What is in the weights at one read: by the rule of a scheme, and on a schedule that is played.

In formulas G_{j,k} is the gradient that worker j computes at its clock k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from ddcalc.errors import OverLimit
from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Neg, Num, Operand, Sym, substitute, wrap
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.schedule.engine import EXPLAINED, Engine, check_length, engine
from ddcalc.schedule.gradient import Gradient, Machine, Order, Worker
from ddcalc.schedule.scheme import Scheme, asynchronous, k_of_n, ssp
from ddcalc.schedule.times import common_unit, in_parts
from ddcalc.types.schedules.update_rule.question import Read, RuledRead

WRITTEN = 7  # gradients up to which the answer names each; with more it has sums
WORKERS = 1_000  # workers whose schedule is played
TERMS = 50  # sums up to which the weights are written as sums

Run = tuple[int, int]  # the first and the last of some clocks without a gap

W_0, ETA = Sym("w_0"), Sym("eta")
N, READER, C, S, H, Q = (Sym(letter) for letter in ("n", "i", "c", "s", "H", "q"))  # given
K = Sym("K")  # derived
J, CLOCK, UPDATE, UPDATES = (Sym(letter) for letter in ("j", "k", "t", "v"))
LUCK = Sym("S_i")  # the gradients of others that worker i happens to read
GAP = Sym("…")
Group = tuple[Expr, Sequence[Expr]]  # what a step is multiplied by, and the gradients in it


def gradient(worker: Operand, clock: Operand) -> Expr:
    """G_{worker,clock}."""
    return indexed("G", worker, clock)


def weights(*indices: Operand) -> Expr:
    """w_{worker,clock}: what a worker reads before that clock; w_clock if all read the same."""
    return indexed("w", *indices)


def indexed(letter: str, *indices: Operand) -> Expr:
    """A *letter* with *indices*."""
    return Fun("indexed", (Sym(letter), *map(wrap, indices)))


def summed(body: Expr, index: Sym, first: Operand, last: Operand) -> Expr:
    """The sum of *body* over *index* from *first* to *last*; *body* itself for a single one."""
    if wrap(first) == wrap(last):
        return substitute(body, {index.name: wrap(first)})
    return Fun("sum", (body, index, wrap(first), wrap(last)))


def of_all(workers: Operand, clock: Operand) -> Expr:
    """The sum of the gradients of all *workers* at *clock*."""
    return summed(gradient(J, clock), J, 1, workers)


def of_all_up_to(workers: Operand, last: Operand) -> Expr:
    """The sum of the gradients of all *workers* at the clocks from 1 to *last*."""
    return summed(of_all(workers, CLOCK), CLOCK, 1, last)


def of_one(worker: Operand, first: Operand, last: Operand) -> Expr:
    """The sum of the gradients of *worker* at the clocks from *first* to *last*."""
    return summed(gradient(worker, CLOCK), CLOCK, first, last)


def of_set(members: Expr) -> Expr:
    """The sum of the gradients in the set *members*."""
    return Fun("sum_over", (gradient(J, CLOCK), members, J, CLOCK))


def stepped(*groups: Group) -> Expr:
    """w_0 minus, for each group, what it is multiplied by times the sum of its gradients."""
    steps = [Neg(Mul((factor, total(terms)))) for factor, terms in groups if terms]
    return Add((W_0, *steps)) if steps else W_0


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in the weights at a *read*, where the clocks say it.

    Everybody's gradients up to clock *common*, *averaged* or added; the worker's own ones; and
    perhaps others' up to clock *reach* (None: without end).
    """

    read: Read
    common: int
    reach: int | None
    averaged: bool = False

    @property
    def certain(self) -> int:
        """How many gradients are in for certain."""
        return self.read.workers * self.common + self.read.before - self.common

    @property
    def possible(self) -> int | None:
        """How many further gradients may be in."""
        if self.reach is None:
            return None
        return (self.read.workers - 1) * (self.reach - self.common)


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of gradients or clocks: its *formula*, the *numbers* in it, and *why*.

    The *value* None is a number without bound.
    """

    value: int | None
    formula: Expr
    numbers: Mapping[str, Number]
    why: str


def nothing(why: str) -> Counted:
    """No gradients, and *why*."""
    return Counted(0, Num(0), {}, why)


def contents(ruled: RuledRead) -> Contents:
    """What is in the weights under any rule but k of n, whose updates have no clocks.

    Under ssp a worker starts clock c when every worker has finished clock c − 1 − s. So these
    gradients are in, and its own (Ho et al., NIPS 2013). All workers start together, and one that
    may go on does so at once: then nobody has written a gradient of a clock after c − 1 + s (the
    paper calls clocks c − s to c + s − 1 the window). After a pause before the read there may be
    gradients of clock c + s, too. Under local SGD the models are averaged after their step.
    """
    read, before = ruled.read, ruled.read.before
    match ruled.scheme:
        case "sync":
            return Contents(read, before, before)
        case "ssp":
            common = max(0, before - ruled.number)
            return Contents(read, common, before + ruled.number if before else 0)
        case "async":
            return Contents(read, 0, None if before else 0)
    rounds = before // ruled.number * ruled.number
    return Contents(read, rounds, rounds, averaged=True)


def played_scheme(ruled: RuledRead) -> Scheme | None:
    """What decides who is in on a schedule; None where the schedule changes nothing."""
    match ruled.scheme:
        case "ssp":
            return ssp(ruled.number)
        case "async":
            return asynchronous()
        case "k_of_n":
            return k_of_n(ruled.number, ruled.late)
    return None


@dataclass(frozen=True, slots=True)
class Arrived:
    """The gradients in the weights at a *read*, which comes at the time *when* (seconds).

    Worker i takes ``periods[i - 1]`` seconds for a gradient; *order* is what happens at one
    instant, where that counts; *hold* says since when the worker has waited for which other one, if
    it has; *runs* has the clocks of each worker that are in, in order.
    """

    read: Read
    periods: Sequence[Number]
    order: Order | None
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
        return sorted(
            (clock, worker)
            for worker, runs in self.runs.items()
            for first, last in runs
            for clock in range(first, last + 1)
        )


def arrivals(ruled: RuledRead, periods: Sequence[Number], order: Order) -> Arrived:
    """What the read finds if worker i takes ``periods[i - 1]`` seconds for each gradient.

    All start at 0, and nothing else takes time. Raises OverLimit for what would take too long.
    """
    scheme, read = played_scheme(ruled), ruled.read
    if scheme is not None:
        return _played(scheme, periods, read, order)
    common = contents(ruled).common
    when = common * max(periods) + (read.before - common) * periods[read.worker - 1]
    last = dict.fromkeys(range(1, read.workers + 1), common) | {read.worker: read.before}
    runs = {worker: [(1, clock)] if clock else [] for worker, clock in last.items()}
    return Arrived(read, periods, None, when, None, runs)


def _played(scheme: Scheme, periods: Sequence[Number], read: Read, order: Order) -> Arrived:
    check_length(len(periods), "periods", WORKERS, "workers")
    check_length(read.before, "clock", what="gradients")
    unit = common_unit(*periods)
    machine = Machine([0] * len(periods), order=order)
    run = engine(scheme, machine, [repeat(in_parts(period, unit)) for period in periods])
    before, state = _until(run, read)
    hold = state.hold and (quotient(int(state.hold.start), unit), state.hold.by)
    runs = _runs(before, read.workers, state.seen)
    return Arrived(read, periods, order, quotient(int(state.start), unit), hold, runs)


def _until(run: Engine, read: Read) -> tuple[list[Gradient], Gradient | Worker]:
    """The gradients before the read, and the state of its worker; OverLimit if it is too late."""
    worker = run.workers[read.worker - 1]
    before: list[Gradient] = []
    for computed in run.gradients():
        if worker.clock == read.clock:
            return before, worker
        if (computed.worker, computed.clock) == (read.worker, read.clock):
            return before, computed  # a late gradient, which no update was told of on arrival
        before.append(computed)
        if len(before) > EXPLAINED:
            break
    limit = count_text(EXPLAINED)
    error = OverLimit(f"at most {limit} gradients are played, and this read comes later")
    raise error.about("clock")


def _runs(played: Sequence[Gradient], workers: int, updates: int) -> dict[int, list[Run]]:
    """The clocks of each worker that are in the first *updates*."""
    runs: dict[int, list[Run]] = {worker: [] for worker in range(1, workers + 1)}
    for computed in played:
        if not 0 < computed.update <= updates:
            continue
        mine = runs[computed.worker]
        if mine and mine[-1][1] == computed.clock - 1:
            mine[-1] = (mine[-1][0], computed.clock)
        else:
            mine.append((computed.clock, computed.clock))
    return runs
