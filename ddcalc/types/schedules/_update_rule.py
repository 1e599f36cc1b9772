"""Which gradients are in the weights at a read: by the rule of a scheme, and on a schedule.

G_{j,k} is the gradient of worker j in its iteration k. Under ssp a worker begins iteration c when
every worker has finished iteration c − 1 − s, so these gradients are in, and its own (Ho et al.,
NIPS 2013). All workers start together, and one that may go on reads at once: then nobody has
written a gradient of an iteration after c − 1 + s. Under local SGD the models are averaged after
their step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat
from typing import Final, Literal, cast

from ddcalc.errors import NoAnswer, OverLimit
from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Neg, Operand, Sym, substitute, wrap
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.play import PlayedGivens, several, whole
from ddcalc.problem.said.steps import Bound, Link, Step
from ddcalc.schedule.engine import EXPLAINED, Engine, check_length, engine
from ddcalc.schedule.gradient import Gradient, Machine, Order, Worker
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, ssp
from ddcalc.schedule.times import common_unit, in_parts

Rule = Literal["together", "bounded", "apart", "averaged", "first_few"]
Text = Callable[..., str]
Runs = Mapping[int, Sequence[range]]
Results = dict[str, Number | tuple[int, ...] | Expr]

RULES: Final[dict[str, tuple[Rule, str]]] = {  # by scheme, with the given that it needs
    "ssp": ("bounded", "staleness"), "sync": ("together", ""), "async": ("apart", ""),
    "local_sgd": ("averaged", "local_steps"), "k_of_n": ("first_few", "wait_for"),
}  # fmt: skip
NAMED: Final = 7  # gradients up to which the answer names each; with more it has sums
LISTED: Final = 15  # gradients up to which each is named in a step
WORKERS: Final = 1_000  # whose schedule is played
TERMS: Final = 50  # sums up to which the weights are written as sums

W_0, ETA, N, OWN, C, S, K, J, CLOCK, UPDATE, UPDATES = map(Sym, ("w_0", "eta", *"nicsKjktv"))


def indexed(letter: str, *indices: Operand) -> Expr:
    """A *letter* with *indices*."""
    return Fun("indexed", (Sym(letter), *map(wrap, indices)))


gradient = partial(indexed, "G")  # of a worker, in an iteration
w = partial(indexed, "w")  # the weights of a worker before an iteration, or after an update


@dataclass(frozen=True, slots=True)
class Read:
    """A read by *worker* of *workers* that has finished that many iterations *before*.

    *number* is the staleness bound, the steps between two averages, or the gradients that an update
    waits for; *late* is what happens to the others.
    """

    rule: Rule
    workers: int
    worker: int
    before: int
    number: int
    late: Late

    @property
    def common(self) -> int:
        """The iteration up to which everybody's gradients are in for certain."""
        if self.rule == "averaged":
            return self.before // self.number * self.number
        behind = {"together": 0, "bounded": self.number}.get(self.rule, self.before)
        return max(0, self.before - behind)

    @property
    def certain(self) -> int:
        """The gradients that are in for certain, where the rule says which."""
        return self.workers * self.common + self.before - self.common

    @property
    def scheme(self) -> Scheme | None:
        """What decides who is in on a schedule; None where the speeds change nothing."""
        if self.rule == "first_few":
            return k_of_n(self.number, self.late)
        return {"bounded": ssp(self.number), "apart": asynchronous()}.get(self.rule)


@dataclass(frozen=True, slots=True)
class Arrived:
    """What is in at a read at the time *when* (seconds): *runs* of iterations, by worker; *hold*
    says since when the worker has waited for which other one, if it has."""

    when: Number
    hold: tuple[()] | tuple[Number, int]
    runs: Runs


def table(given: PlayedGivens, reading: Mapping[str, str]) -> Results:
    """The rule that holds, the weights, and what a schedule comes to if the times are stated."""
    read = _read(given, reading)
    results: Results = {read.rule: 1, "weights": by_rule(read, named=read.certain <= NAMED)}
    results |= {"alone": 1} if read.workers == 1 else {}
    results |= {"start": 1} if not read.before else {}
    if periods := several(given, "periods"):
        arrived = arrivals(read, periods, cast("Order", reading["order"]))
        many = tuple(sum(map(len, its)) for its in arrived.runs.values())
        newest = tuple(its[-1][-1] if its else 0 for its in arrived.runs.values())
        results |= {"actual": sum(many), "moment": arrived.when, "arrived": many, "newest": newest}
        results |= dict(zip(("since", "last"), arrived.hold, strict=False))
        if read.scheme is not None:
            results |= {"played": 1, "weights": on_schedule(arrived.runs)}
    return results


def steps(given: PlayedGivens, reading: Mapping[str, str], text: Text) -> Iterator[Step]:
    """The weights, and on demand one update and what is printed wrongly."""
    read, results = _read(given, reading), table(given, reading)
    weights = cast("Expr", results["weights"])
    yield from _one_update(read, text)
    chain = [(by_rule(read, letters=True), "rule")] if read.before else []
    if "played" in results:
        chain.append((weights, "here"))
    else:
        sums, named = by_rule(read), by_rule(read, named=read.certain <= LISTED)
        chain.append((sums, "numbers" if read.before else "begin"))
        chain += [(named, "named")] if named != sums else []
    links = tuple(Link("=", value, text(why)) for value, why in chain)
    yield Bound("weights", "w", text("title"), "", w(read.worker, read.before + 1), links, weights)
    yield from _printed(read, reading["scheme"], text)


def _read(given: PlayedGivens, reading: Mapping[str, str]) -> Read:
    """What is asked, under the rule that it comes to; NoAnswer where a reading needs more."""
    scheme, clock, worker = reading["scheme"], whole(given, "clock"), whole(given, "worker")
    rule, needed = RULES[scheme]
    if scheme == "ssp" and reading.get("staleness") == "infinity":
        rule, needed = "apart", ""
    workers = whole(given, "workers") or len(several(given, "periods"))
    number = whole(given, needed) if needed else 0
    if not (clock and worker and workers) or number is None:
        raise NoAnswer("weights", f"{needed or 'clock'} is not stated")
    if workers == 1 or {"bounded": 0, "first_few": workers}.get(rule) == number:
        rule = "together"
    return Read(rule, workers, worker, clock - 1, number, cast("Late", reading["late"]))


def by_rule(read: Read, *, letters: bool = False, named: bool = False) -> Expr:
    """Them by the rule: as sums, in *letters*, or with each gradient *named*."""
    n, i, common, before = read.workers, read.worker, read.common, read.before
    if not before:
        return W_0
    if read.rule == "first_few":
        last: Operand = UPDATES if read.late != "cancel" else C - 1 if letters else before
        return W_0 - ETA * summed(_first_few(read), UPDATE, 1, last)
    if letters:
        everybody, mine = [_up_to(N, K)], [_of_one(OWN, K + 1 if common else 1, C - 1)]
    elif named:
        everybody = [gradient(j, k) for k in range(1, common + 1) for j in range(1, n + 1)]
        mine = [gradient(i, k) for k in range(common + 1, before + 1)]
    else:
        everybody, mine = [_up_to(n, common)], [_of_one(i, common + 1, before)]
    everybody, mine = everybody if common else [], mine if before > common else []
    if read.rule == "averaged":
        return stepped((ETA / (N if letters else n), everybody), (ETA, mine))
    lucky = [_of_set(Sym("S_i" if letters else f"S_{i}"))] if read.rule != "together" else []
    return stepped((ETA, [*everybody, *mine, *lucky]))


def on_schedule(runs: Runs) -> Expr:
    """Them with each gradient by name where they are few, else as sums."""
    if sum(len(run) for its in runs.values() for run in its) <= NAMED:
        pairs = sorted((k, j) for j, its in runs.items() for run in its for k in run)
        return stepped((ETA, [gradient(j, k) for k, j in pairs]))
    common = min(its[0][-1] if its and its[0][0] == 1 else 0 for its in runs.values())
    sums = [_up_to(len(runs), common)] if common else []
    for worker, its in runs.items():
        later = (run for run in its if run[-1] > common)
        sums += [_of_one(worker, max(run[0], common + 1), run[-1]) for run in later]
    return stepped((ETA, sums if len(sums) <= TERMS else [_of_set(Sym("A"))]))


def _first_few(read: Read) -> Expr:
    """Update t of k of n: the first gradients, and late ones that are reused."""
    timely = _of_set(indexed("A", UPDATE))
    return Add((timely, _of_set(indexed("L", UPDATE)))) if read.late == "reuse" else timely


def _one_update(read: Read, text: Text) -> Iterator[Step]:
    """The rule one step at a time, where it has such a form."""
    at = UPDATE
    late = summed(gradient(J, at - Sym("tau_j")), J, 1, N)
    mean = (1 / N) * summed(w(J, C) - ETA * gradient(J, C), J, 1, N)
    forms: dict[Rule, list[tuple[str, Expr, Expr]]] = {
        "together": [("update", w(C + 1), w(C) - ETA * _of_all(N, C))],
        "apart": [("update", w(at + 1), w(at) - ETA * late)],
        "first_few": [("update", w(at), w(at - 1) - ETA * _first_few(read))],
        "averaged": [
            ("update", w(OWN, C + 1), w(OWN, C) - ETA * gradient(OWN, C)),
            ("average", w(OWN, C + 1), mean),
        ],
    }
    for name, after, value in forms.get(read.rule, ()):
        links = (Link("=", value, text(f"{name}_why")),)
        yield Bound(name, "w", text(name), "", after, links, value)


def _printed(read: Read, scheme: str, text: Text) -> Iterator[Step]:
    """What some sheets print, where it goes wrong: the rule of ssp with t for K and an own sum from
    t − s on, where t = c − 1; the average as w − (η/n)·(sum of gradients)."""
    n, one, last = read.workers, read.worker, read.before
    if scheme == "ssp" and read.rule in ("together", "bounded") and n > 1 and last:
        first = max(1, last - read.number)
        sums = [_up_to(N, UPDATE), _of_one(OWN, UPDATE - S, UPDATE), _of_set(Sym("S_i"))]
        here = [_up_to(n, last), _of_one(one, first, last), _of_set(Sym(f"S_{one}"))]
        subject, why = w(one, UPDATE + 1), text("wrong_ssp")
        chain = [(stepped((ETA, sums)), text("printed"))]
        chain += [(stepped((ETA, here)), text("twice", last, first))]
    elif read.rule == "averaged" and read.number > 1:
        other, end, why = 2 if one == 1 else 1, read.number, text("wrong_average")
        subject, mean = w(one, end + 1) - w(other, end + 1), ETA / n * _of_all(n, end)
        mine, theirs = w(one, end), w(other, end)
        apart = _of_one(other, 1, end - 1) - _of_one(one, 1, end - 1)
        chain = [(Add((mine, Neg(mean), Neg(theirs - mean))), text("printed"))]
        chain += [(mine - theirs, text("same")), (ETA * apart, text("for_ever"))]
    else:
        return
    links = tuple(Link("=", value, reason) for value, reason in chain)
    yield Bound("printed", "w", text("wrong"), why, subject, links, links[-1].expr)


@remembered
def arrivals(read: Read, periods: tuple[Number, ...], order: Order) -> Arrived:
    """What the read finds if worker i takes ``periods[i - 1]`` seconds for each gradient.

    All start at 0, and nothing else takes time. Raises OverLimit for what would take too long.
    """
    workers, common = range(1, read.workers + 1), read.common
    if read.scheme is None:
        when = common * max(periods) + (read.before - common) * periods[read.worker - 1]
        last = dict.fromkeys(workers, common) | {read.worker: read.before}
        return Arrived(when, (), {j: [range(1, k + 1)] if k else [] for j, k in last.items()})
    check_length(len(periods), "periods", WORKERS, "workers")
    check_length(read.before, "clock", what="gradients")
    unit = common_unit(*periods)
    times = [repeat(in_parts(period, unit)) for period in periods]
    run = engine(read.scheme, Machine([0] * len(periods), order=order), times)
    before, state = _until(run, read)
    runs: dict[int, list[range]] = {worker: [] for worker in workers}
    for mine, k in ((runs[x.worker], x.clock) for x in before if 0 < x.update <= state.seen):
        goes_on = mine and mine[-1].stop == k
        mine.append(range(mine.pop().start if goes_on else k, k + 1))
    hold = (quotient(int(state.hold.start), unit), state.hold.by) if state.hold else ()
    return Arrived(quotient(int(state.start), unit), hold, runs)


def _until(run: Engine, read: Read) -> tuple[list[Gradient], Gradient | Worker]:
    """The gradients before the read, and the state of its worker; OverLimit if it is too late."""
    worker, clock, before = run.workers[read.worker - 1], read.before + 1, list[Gradient]()
    for computed in islice(run.gradients(), EXPLAINED + 1):
        if worker.clock == clock:
            return before, worker
        if (computed.worker, computed.clock) == (read.worker, clock):
            return before, computed  # a late gradient, which no update was told of on arrival
        before.append(computed)
    reason = f"at most {count_text(EXPLAINED)} gradients are played, and this read comes later"
    raise OverLimit(reason).about("clock")


def summed(body: Expr, index: Sym, first: Operand, last: Operand) -> Expr:
    """The sum of *body* over *index* from *first* to *last*; *body* itself for a single one."""
    if wrap(first) == wrap(last):
        return substitute(body, {index.name: wrap(first)})
    return Fun("sum", (body, index, wrap(first), wrap(last)))


def stepped(*groups: tuple[Expr, Sequence[Expr]]) -> Expr:
    """w_0 minus, for each group, what it is multiplied by times the sum of its gradients."""
    steps = [Neg(Mul((factor, total(terms)))) for factor, terms in groups if terms]
    return Add((W_0, *steps)) if steps else W_0


def _of_all(workers: Operand, clock: Operand) -> Expr:
    return summed(gradient(J, clock), J, 1, workers)


def _up_to(workers: Operand, last: Operand) -> Expr:
    return summed(_of_all(workers, CLOCK), CLOCK, 1, last)


def _of_one(worker: Operand, first: Operand, last: Operand) -> Expr:
    return summed(gradient(worker, CLOCK), CLOCK, first, last)


def _of_set(members: Expr) -> Expr:
    return Fun("sum_over", (gradient(J, CLOCK), members, J, CLOCK))
