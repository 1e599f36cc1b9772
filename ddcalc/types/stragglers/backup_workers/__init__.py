"""How long does a round wait for its k fastest workers?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.numbers.units import PER_SECOND, SECOND, SQUARE_SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.problem import Shape
from ddcalc.problem.quantity import LESS, choice, count, derived, duration, number, share
from ddcalc.types.stragglers.backup_workers.account import BackupAccount
from ddcalc.types.stragglers.backup_workers.question import TAKES, Straggling


class BackupWorkers(PlayedProblem):
    """How long does a round wait for its k fastest workers?

    In every round all workers compute one gradient each, at the same time and for random times. The
    round ends as soon as enough of them are done, whoever they are; the others are interrupted, and
    all begin afresh. So a few slow ones, the stragglers, do not hold it up.

    A round waits for the k fastest of n workers, so that n − k of them are backup workers.

    Times are independent, unless measured ones are drawn without putting back. They are exponential
    unless another distribution is stated, by the mean; or measured times are listed, any of which
    is as likely as the others. A worker with exponential times of mean m finishes at the rate 1/m
    however long it has computed: it has no memory, so to begin afresh costs an interrupted one
    nothing. One mean stands for all workers; with exponential times each may have its own.

    Distributions are often stated by other numbers. A rate of 3 a second is a mean of 1/3 s. Times
    of at least t, and exponential of rate 3 a second on top, have the mean t + 1/3 s and the shift
    t. Uniform times from a to b have the mean (a + b)/2 and the spread (b − a)/2. Pareto times of
    at least x with the exponent α have the mean α·x/(α − 1).

    Useful gradients a second are k over the expected time of a round. Exponential times alone say
    that k = 1 is best, always: each further wait is longer than the one before. So state what a
    round costs besides (transfers and the update) as its fixed cost. How much a gradient is worth
    for the model is not asked here.

    Normal times are taken as they are, below 0 too, which is rare as long as the standard deviation
    is a small part of the mean. Rounds are drawn beside the expected time where a number of runs or
    a seed is stated.

    What comes of workers who are not interrupted, whose late gradients are dropped or reused, is
    played by ``ddcalc timeline --scheme k-of-n --late drop --distribution exponential``.
    """

    answer = "wait"
    keywords = (
        "stragglers; wait for the fastest k of n; drop the slowest workers; use the fastest"
        " gradients; backup workers; expected maximum of random times; order statistics;"
        " exponential, uniform, Pareto compute times"
    )
    terms = ("straggler", "backup worker", "k of n", "synchronous")
    source = (
        "backup workers: Chen et al., Revisiting Distributed Synchronous SGD, arXiv:1604.00981;"
        " waiting for the k fastest and interrupting the others (K-sync SGD): Dutta et al., AISTATS"
        " 2018, arXiv:1803.01113; the k-th smallest of n exponential times: Rényi, On the theory of"
        " order statistics, Acta Math. Acad. Sci. Hungar. 4, 1953; of other ones: David and"
        " Nagaraja, Order Statistics, Wiley 2003"
    )

    means = duration(
        "m",
        "each worker's mean time",
        many="either",
        of="worker",
        above=0,
        optional=True,
        example="1 s",
    )
    workers = count("n", "workers", optional=True, example="4")
    wait_for = count("k", "workers that a round waits for, else all", optional=True, example="3")
    fixed = duration("c", "what a round costs besides computing", optional=True, example="0.5 s")
    shift = duration("t_min", "least time of the shifted exponential distribution", optional=True)
    spread = duration(
        "sigma", "standard deviation; of uniform times half the width", above=0, optional=True
    )
    tail = number("alpha", "exponent of the Pareto distribution", above=1, optional=True)
    times = duration(
        "t", "measured times instead of a distribution", above=0, many="list", of="measured time",
        optional=True,
    )  # fmt: skip
    longer_than = duration("x", "time of a round whose chance is asked", optional=True)
    runs = count("R", "rounds to draw", least=2, optional=True)
    seed = count("seed", "seed of drawn rounds", least=0, optional=True)

    distribution = choice(
        "how computation times are distributed",
        exponential="computation times are exponential, with the stated mean",
        shifted_exponential="computation times have a least time and an exponential part on top",
        uniform="computation times are uniform around the stated mean",
        normal="computation times are normal around the stated mean",
        pareto="computation times are Pareto ones, with the stated mean",
        also="gaussian normal",
    )
    sampling = choice(
        "how measured times are drawn",
        **{"with": "the same measured time may come several times in a round"},
        without="no measured time comes twice in a round",
    )

    rest = derived("t_exp", "Mean of the exponential part", "what the least time leaves", SECOND)
    least = derived("t_low", "Least time", "where the distribution begins", SECOND)
    most = derived("t_high", "Longest time", "where the distribution ends", SECOND)
    variances = derived(
        "V",
        "Variance of each worker's time",
        "the square of its standard deviation; the waits do not use it",
        SQUARE_SECOND,
        many="means",
        least=0,
    )
    rates = derived(
        "mu",
        "Rate of each worker",
        "how often it would finish in one second",
        PER_SECOND,
        many="means",
    )
    gaps = derived(
        "d",
        "Expected wait from one finish to the next",
        "the rates of those at work add up, and without memory they start afresh at each finish",
        SECOND,
        **LESS,
    )
    waits = derived(
        "E", "Expected time of the first, second, … finish", "the waits add up", SECOND, **LESS
    )
    first = derived(
        "E_first", "Expected time of the fastest", "all are at work until then", SECOND, **LESS
    )
    wait = derived("E_k", "Expected time of the k-th fastest", "", SECOND, **LESS)
    last = derived("E_last", "Expected time of the slowest", "", SECOND, **LESS)
    done_chances = share(
        "F", "Chance that a worker is done in time", "x less the fixed cost is its time",
        many="means",
    )  # fmt: skip
    left_chances = share(
        "G", "Chance that a worker is not done in time", "x less the fixed cost is its time",
        many="means",
    )  # fmt: skip
    late_chance = share(
        "P", "Chance that a round takes longer than x", "too few are done by x", better="less"
    )
    simulated = derived("M", "Drawn rounds wait on average", "for the k-th fastest", SECOND)
    standard_error = derived(
        "SE", "Its standard error", "the standard deviation over the root of the rounds", SECOND,
        least=0,
    )  # fmt: skip
    distance = derived("z_M", "Standard errors from what is expected", "chance leaves 2 or 3")
    round_time = derived("T", "Expected time of a round", "", SECOND, **LESS)
    gradient_rate = derived(
        "r_k", "Useful gradients a second", "in the long run", PER_SECOND,
        least=0, better="more",
    )  # fmt: skip
    gradient_rates = derived(
        "r", "Useful gradients a second for every k", "every k is tried", PER_SECOND,
        least=0, better="more",
    )  # fmt: skip
    best_wait_for = derived("k_best", "Best k", "the most useful gradients a second", least=1)

    def laws(self) -> Iterator[Law]:
        yield Holds(self.first <= self.wait, "nobody is done before the fastest")
        yield Holds(self.wait <= self.last, "the slowest is waited for only if all are")
        if self.states("wait_for"):
            yield Rises("wait", "wait_for", "each further one is done later")
        if self.states("fixed"):
            yield Rises("round_time", "fixed", "it is added to every round")
        if self.states("longer_than"):
            yield Falls("late_chance", "longer_than", "more time is left")

    def needs(self) -> Iterator[tuple[str, ...]]:
        """Times, and what their distribution takes."""
        yield "means", "times"
        if self.distribution in TAKES:
            yield (TAKES[self.distribution],)

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """Other draws of the same measurements; another distribution is another question."""
        for name, option, other in super().neighbours(shape):
            if name == "sampling" and "times" in shape.stated:
                yield name, option, other

    def play(self, given: PlayedGivens) -> Outcome:
        """Find the expected waits, and try every k."""
        question = Straggling(given, dict(self.shape.reading))
        account = BackupAccount(question, self.declared())
        named = () if question.listed else ("distribution",)
        return Outcome(
            {**account.values()}, account.steps, named=named, says=account.says,
            asides=account.asides,
        )  # fmt: skip
