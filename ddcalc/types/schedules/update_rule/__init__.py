"""Which gradients are in the weights that a worker reads?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from ddcalc.errors import BadValue, NoAnswer
from ddcalc.problem.defining import defined
from ddcalc.problem.givens import Played, several, whole
from ddcalc.problem.laws import Holds, Law
from ddcalc.problem.play import Outcome, Schedule
from ddcalc.problem.quantity import Derived, choice, count, derived, duration
from ddcalc.problem.steps import Define, Step, Value
from ddcalc.schedule.gradient import Order
from ddcalc.schedule.scheme import Late
from ddcalc.types.schedules.update_rule import choose, telling
from ddcalc.types.schedules.update_rule.arrived import Arrived, arrivals
from ddcalc.types.schedules.update_rule.rule import Counted, Read, Rule

MOST = 10**9  # workers, clocks and steps


class UpdateRule(Schedule):
    """Which gradients are in the weights that a worker reads?

    A worker reads the weights, computes a gradient on its own data, and sends it; that is one
    clock. G₂,₃ is the gradient of worker 2 at its clock 3; both count from 1. The weights are w₀
    minus η times each gradient that is in them. What is asked is which ones are in when worker i
    reads just before it computes clock c: those that are in for certain, by the rule of the scheme
    alone, and those that may be in.

    All workers start together, and one that may go on reads at once (under ssp one that pauses
    first might read gradients of one clock more). With the time that each worker takes for a
    gradient the schedule is played, and says which gradients are in.

    Gradients are added, each times η; a sheet that takes their mean has η/n in its place. Local SGD
    averages the models, so there a gradient counts η/n once its round is over.

    Two rules are often printed wrongly, for stale-synchronous and for local SGD. The explanation
    shows on these very numbers what goes wrong.
    """

    answer = "weights"
    terms = (
        "update rule",
        "synchronous",
        "stale-synchronous",
        "asynchronous",
        "local SGD",
        "backup worker",
        "staleness",
    )
    source = (
        "review questions on data-parallel learning; Ho et al., NIPS 2013, for stale-synchronous;"
        " Stich, ICLR 2019, for local SGD; Chen et al., arXiv:1604.00981, for backup workers; a"
        " poster on staleness for late gradients that are used in the next update"
    )

    workers = count("n", "workers", most=MOST, optional=True, example="3")
    worker = count("i", "the worker that reads", default="1", optional=True, example="2")
    clock = count("c", "the clock that it is about to compute", most=MOST, example="4")
    staleness = count(
        "s",
        "staleness bound, for ssp",
        least=0,
        words=("infinity",),
        optional=True,
        example="1",
    )
    local_steps = count(
        "H", "steps between two averages, for local-sgd", most=MOST, optional=True, example="2"
    )
    wait_for = count(
        "q", "gradients that an update waits for, for k-of-n", optional=True, example="2"
    )
    periods = duration(
        "t_comp", "computing one gradient, to play the schedule", many="list", of="worker", above=0,
        optional=True,
    )  # fmt: skip

    scheme = choice(
        "how the workers are synchronised",
        **{
            "ssp": "stale-synchronous: nobody is more than s clocks ahead of the slowest",
            "sync": "synchronous: everybody waits for all gradients of a clock",
            "async": "asynchronous: nobody waits, each gradient is added as it arrives",
            "local_sgd": "local SGD: the models are averaged after every H steps",
            "k_of_n": "k of n: an update waits for the first q gradients only",
        },
    )
    late = choice(
        "what happens to late gradients, for k-of-n",
        drop="late gradients are dropped (backup workers)",
        reuse="late gradients join the next update",
        cancel="late workers stop and start again on the new weights",
    )
    order = choice(
        "who acts first at one instant, where a schedule is played",
        in_turn="workers of one instant act in turn, by number: each writes and reads",
        writes_first="at one instant everybody writes before anybody reads",
    )

    common = derived(
        "K", "Clock up to which everybody's gradients are in", "what the scheme waits for"
    )
    own = derived("o", "The worker's own that are in for certain", "what it has computed before")
    guaranteed = derived(
        "g",
        "All gradients that are in for certain",
        "everybody's common ones and its own later ones",
    )
    possible = derived(
        "p", "Further gradients that may be in", "what others may have written before the read"
    )
    actual = derived(
        "a", "Gradients that are in on this schedule", "the workers' gradients, added up"
    )
    weights = derived(
        "w", "The weights that the worker reads", "w₀ minus η times each gradient in them"
    )

    def needs(self) -> Iterator[tuple[str, ...]]:
        """The workers, by number or by their times, and what the scheme cannot do without."""
        yield "workers", "periods"
        if self.scheme in _NEEDS:
            yield (_NEEDS[self.scheme],)

    def laws(self) -> Iterator[Law]:
        """A schedule has what is certain, and no more than what may be."""
        yield Holds(self.own <= self.guaranteed, "the worker's own are among all")
        if self.states("periods"):
            yield Holds(self.guaranteed <= self.actual, "what is certain is in on every schedule")
            most = self.guaranteed + self.possible
            yield Holds(self.actual <= most, "no schedule has more than what may be in")

    def play(self, given: Played) -> Outcome:
        """Choose the rule, count what it says, and play the schedule if there is one."""
        rule, periods = self._rule(given), several(given, "periods")
        arrived = arrivals(rule, periods, cast("Order", self.order)) if periods else None
        values: dict[str, Value | tuple[Value, ...]] = {
            "common": rule.common().value,
            "own": rule.own().value,
            "guaranteed": rule.guaranteed().value,
            "possible": rule.possible().value,
            "weights": telling.answer(rule, arrived),
        }
        if arrived:
            values["actual"] = arrived.count
        named = ["scheme", *rule.choices, *(["order"] if arrived and rule.scheme() else [])]
        return Outcome(values, lambda: _steps(rule, arrived), named=named)

    def _rule(self, given: Played) -> Rule:
        read = _read(given)
        match self.scheme:
            case "sync":
                return choose.synchronous(read)
            case "async":
                return choose.asynchronous(read)
            case "local_sgd":
                return choose.local_sgd(read, _whole(given, "local_steps"))
            case "k_of_n":
                return choose.k_of_n(read, _wait_for(given, read), cast("Late", self.late))
        unbounded = self.staleness == "infinity"
        return choose.stale_synchronous(read, None if unbounded else _whole(given, "staleness"))


def _read(given: Played) -> Read:
    periods = several(given, "periods")
    workers = whole(given, "workers") or len(periods)
    if periods and workers != len(periods):
        reason = f"does not fit the {len(periods)} times in periods; one is wanted for each worker"
        raise BadValue(str(workers), reason).about("workers")
    worker = _whole(given, "worker")
    if worker > workers:
        raise BadValue(str(worker), f"is not one of the {workers} workers").about("worker")
    return Read(workers, worker, _whole(given, "clock"))


def _wait_for(given: Played, read: Read) -> int:
    wait_for = _whole(given, "wait_for")
    if wait_for > read.workers:
        reason = f"is more than all {read.workers} workers send"
        raise BadValue(str(wait_for), reason).about("wait_for")
    return wait_for


def _whole(given: Played, name: str) -> int:
    """A count; NoAnswer where another reading of the question needs one that is not stated."""
    value = whole(given, name)
    if value is None:
        raise NoAnswer("weights", f"{name} is not stated")
    return value


def _steps(rule: Rule, arrived: Arrived | None) -> Iterator[Step]:
    yield telling.in_letters(rule)
    yield from rule.update()
    yield _counted(UpdateRule.common, rule.common())
    yield rule.table()
    yield _counted(UpdateRule.own, rule.own())
    yield _counted(UpdateRule.guaranteed, rule.guaranteed())
    if rule.possible().value is not None:
        yield _counted(UpdateRule.possible, rule.possible())
    if arrived:
        yield telling.arrivals(rule, arrived)
        yield defined(UpdateRule.actual, arrived.count, arrived.formula())
    yield telling.what_is_read(UpdateRule.weights, rule, arrived)
    yield from rule.slip()


def _counted(quantity: Derived, counted: Counted) -> Define:
    return defined(quantity, counted.value, counted.formula, counted.numbers, counted.why)


_NEEDS = {"ssp": "staleness", "local_sgd": "local_steps", "k_of_n": "wait_for"}
