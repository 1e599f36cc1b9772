"""How long does a round wait for its k fastest workers?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ddcalc.number import Number
from ddcalc.play import Outcome, Schedule
from ddcalc.quantity import Derived, count, derived, duration
from ddcalc.schedule.givens import Played
from ddcalc.schedule.stragglers.account import Account
from ddcalc.schedule.stragglers.choosing import choosing
from ddcalc.schedule.stragglers.exponential import ExponentialTimes, inverse
from ddcalc.schedule.stragglers.question import question
from ddcalc.schedule.stragglers.rounds import Rounds
from ddcalc.steps import Step
from ddcalc.units import PER_SECOND, SECOND, SQUARE_SECOND


class BackupWorkers(Schedule):
    """How long does a round wait for its k fastest workers?

    In every round all n workers compute one gradient each, at random times, and the round waits for
    the k fastest. The other n − k are interrupted, and all begin afresh in the next round. With
    k < n a round does not wait for stragglers: it has n − k backup workers.

    Times are independent and exponential. A worker of mean m then finishes at the rate 1/m however
    long it has computed: it has no memory, so to begin afresh costs an interrupted one nothing. One
    mean stands for all workers. State a rate by its mean: 2 a second is 1/2 s, and 3 a second
    1/3 s.

    Useful gradients a second are k over the expected time of a round. Exponential times alone say
    that k = 1 is best, always: each further wait is longer than the one before. So state what a
    round costs besides (transfers and the update) as its fixed cost. How much a gradient is worth
    for the model is not asked here.

    What comes of workers who are not interrupted, whose late gradients are dropped or reused, is
    played by ``ddcalc timeline --scheme k-of-n --late drop --distribution exponential``.
    """

    answer = "wait"
    terms = ("straggler", "backup worker", "k of n", "synchronous")
    source = (
        "backup workers: Chen et al., Revisiting Distributed Synchronous SGD, arXiv:1604.00981;"
        " waiting for the k fastest and interrupting the others (K-sync SGD): Dutta et al., AISTATS"
        " 2018, arXiv:1803.01113; the k-th smallest of n exponential times: Rényi, On the theory of"
        " order statistics, Acta Math. Acad. Sci. Hungar. 4, 1953"
    )

    means = duration(
        "m",
        "each worker's mean time",
        many="either",
        of="worker",
        above=0,
        example="1 s",
    )
    workers = count("n", "workers", optional=True, example="4")
    wait_for = count("k", "workers that a round waits for, else all", optional=True, example="3")
    fixed = duration("c", "what a round costs besides computing", optional=True, example="0.5 s")

    variances = derived(
        "V",
        "Variance of each worker's time",
        "the standard deviation of an exponential time is its mean",
        SQUARE_SECOND,
        many="means",
    )
    rates = derived(
        "mu",
        "Rate of each worker",
        "so many times it would finish in a second",
        PER_SECOND,
        many="means",
    )
    gaps = derived(
        "d",
        "Expected wait from one finish to the next",
        "the rates of those at work add up, and without memory they start afresh at each finish",
        SECOND,
    )
    waits = derived("E", "Expected time of the first, second, … finish", "the waits add up", SECOND)
    first = derived("E_first", "Expected time of the fastest", "all are at work until then", SECOND)
    wait = derived("E_k", "Expected time of the k-th fastest", "the waits so far add up", SECOND)
    last = derived("E_last", "Expected time of the slowest", "all waits add up", SECOND)
    round_time = derived("T", "Expected time of a round", "the wait and the fixed cost", SECOND)
    gradient_rate = derived(
        "r_k", "Useful gradients a second", "k in the time of a round, in the long run", PER_SECOND
    )
    gradient_rates = derived(
        "r", "Useful gradients a second for every k", "every k is tried", PER_SECOND
    )
    best_wait_for = derived("k_best", "Best k", "the most useful gradients a second")

    def play(self, given: Played) -> Outcome:
        """Add up the expected waits, and try every k."""
        asked = question(given)
        times = ExponentialTimes(asked.means)
        rounds = Rounds(times.waits, asked.fixed)
        k = asked.wait_for
        return Outcome(
            {
                "variances": _of_each(given["means"], lambda mean: mean**2),
                "rates": _of_each(given["means"], inverse),
                "gaps": times.gaps,
                "waits": times.waits,
                "first": times.waits[0],
                "wait": times.waits[k - 1],
                "last": times.waits[-1],
                "round_time": rounds.length(k),
                "gradient_rate": rounds.rates[k - 1],
                "gradient_rates": rounds.rates,
                "best_wait_for": rounds.best[0],
            },
            lambda: self._steps(times, rounds, k),
        )

    def _steps(self, times: ExponentialTimes, rounds: Rounds, k: int) -> Iterator[Step]:
        declared = {name: q for name, q in self.quantities.items() if isinstance(q, Derived)}
        yield from Account(times, k, declared).steps()
        yield from choosing(rounds, k, declared)


def _of_each(
    means: Number | tuple[Number, ...], function: Callable[[Number], Number]
) -> Number | tuple[Number, ...]:
    """*function* of one mean, or of each in a list."""
    return tuple(map(function, means)) if isinstance(means, tuple) else function(means)
