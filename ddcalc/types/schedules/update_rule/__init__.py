"""Which gradients are in a worker's weights?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem, several
from ddcalc.problem.quantity import choice, count, derived, duration
from ddcalc.schedule.gradient import Order
from ddcalc.types.schedules.update_rule.account import ReadAccount
from ddcalc.types.schedules.update_rule.model import arrivals
from ddcalc.types.schedules.update_rule.question import NEEDS, question
from ddcalc.types.schedules.update_rule.rules import rule_of
from ddcalc.types.schedules.update_rule.words import ReadWords

MOST = 10**9  # workers, clocks and steps


class UpdateRule(PlayedProblem):
    """Which gradients are in a worker's weights?

    A worker reads the weights, computes a gradient on its own data, and sends it; that is one
    iteration (also called a clock).

    G₂,₃ is the gradient of worker 2 in its iteration 3; both count from 1. The weights are w₀
    minus η times each gradient that is in them. What is asked is which ones are in when worker i
    reads just before its iteration c: those that are in for certain, by the rule of the scheme
    alone, and those that may be in.

    All workers start together, and one that may go on reads at once (under ssp one that pauses
    first might read gradients of one iteration more). With the time that each worker takes for a
    gradient the schedule is played, and says which gradients are in.

    Gradients are added, each times η; a sheet that takes their mean has η/n in its place. Local SGD
    averages the models, so there a gradient counts η/n once its round is over.

    Two rules are often printed wrongly, for stale-synchronous and for local SGD. The explanation
    shows on these very numbers what goes wrong.
    """

    answer = "weights"
    keywords = (
        "which updates a worker sees; formula of SSP, BSP, ASP, local SGD; guaranteed and"
        " best-effort updates; read of weights at a clock"
    )
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
    worker = count(
        "i", "the worker whose weights are asked for", default="1", optional=True, example="2"
    )
    clock = count("c", "the iteration that it is about to begin", most=MOST, example="4")
    staleness = count(
        "s", "staleness bound, for ssp", least=0, words=("infinity",), optional=True, example="1"
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
        also="bsp sync synchronous sync asp async asynchronous async",
        **{
            "ssp": "stale-synchronous: nobody is more than s iterations ahead of the slowest",
            "sync": "synchronous: everybody waits for all gradients of an iteration",
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
        "K", "Iteration up to which everybody's gradients are in", "what the scheme waits for"
    )
    own_count = derived(
        "o", "The worker's own that are in for certain", "what it has computed before", name="own"
    )
    guaranteed = derived(
        "g",
        "Gradients that are in, whatever the speeds",
        "everybody's common ones and its own later ones",
    )
    possible = derived(
        "p", "Further gradients that may be in", "what others may have written before the read"
    )
    actual = derived(
        "a", "Gradients that are in on this schedule", "the workers' gradients, added up"
    )
    weights = derived("w", "The worker's weights", "w₀ minus η times each gradient in them")

    def needs(self) -> Iterator[tuple[str, ...]]:
        """The workers, by number or by their times, and what the scheme cannot do without."""
        yield "workers", "periods"
        if self.scheme in NEEDS:
            yield (NEEDS[self.scheme],)

    def play(self, given: PlayedGivens) -> Outcome:
        """Choose the rule, count what it says, and play the schedule if there is one."""
        ruled = question(given, self.scheme, self.late, self.staleness == "infinity")
        periods = several(given, "periods")
        arrived = arrivals(ruled, periods, cast("Order", self.order)) if periods else None
        rule = rule_of(ruled)
        account = ReadAccount(rule, arrived, self.declared(), self.choices["order"].options)
        return Outcome(
            account.values(), account.steps, named=account.named, asides=account.asides,
            says=ReadWords(rule, arrived).says,
        )  # fmt: skip
