"""How many learners on a GPU reach the target soonest?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import position_of_largest, smallest
from ddcalc.numbers.units import PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import count, derived, duration, number


class Learners(Problem):
    """How many learners on a GPU reach the target soonest?

    One learner with a small batch leaves a GPU partly idle, so a second and a third raise the
    samples a second: hardware efficiency. But with more learners the same target may take more
    epochs: statistical efficiency falls. The time to the target is epochs times samples over
    samples a second, so what counts is the product of the two.

    A tuner that sees only the throughput, as CROSSBOW's does, adds learners for as long as it
    grows. That is the best number only if the epochs do not grow as fast; here both are looked at.
    One step of the averaging that holds the learners together is worked by `crossbow`.
    """

    answer = "best"
    terms = ("CROSSBOW", "batch size")
    source = (
        "Koliousis et al., CROSSBOW, PVLDB 12(11), 2019, arXiv:1901.02244: hardware and statistical"
        " efficiency, and the number of learners tuned by the throughput"
    )

    samples = count("N", "samples in an epoch", example="50000")
    batch = count("b", "samples in the small batch of each learner", example="32")
    round_times = duration(
        "t", "time of a round with 1, 2, … learners on a GPU, a batch each", above=0,
        many="list", of="number of learners", example="16 ms, 20 ms, 27 ms",
    )  # fmt: skip
    epochs = number(
        "e", "epochs to the target with as many learners", above=0, many="list",
        of="number of learners", example="30, 32, 39",
    )  # fmt: skip

    throughputs = derived(
        "r", "Samples a second", "a batch for each learner in every round", PER_SECOND,
        many="round_times", least=0,
    )  # fmt: skip
    hardware = derived(
        "h", "Hardware efficiency", "samples a second beside one learner's", many="round_times",
        least=0,
    )  # fmt: skip
    statistical = derived(
        "s", "Statistical efficiency", "one learner's epochs beside theirs", many="round_times",
        least=0,
    )  # fmt: skip
    speedups = derived(
        "g", "How many times as fast as one learner", "both count", many="round_times", least=0
    )
    times = derived(
        "T", "Time to the target", "the samples of all epochs", SECOND, many="round_times", least=0
    )
    busiest = derived(
        "m_full", "Most samples a second with", "hardware alone",
        noun="learners with the most samples a second", least=1,
    )  # fmt: skip
    best = derived("m", "Best number of learners", "hardware and statistics together", least=1)
    best_time = derived(
        "T_min", "Shortest time", "with that number", SECOND, least=0, better="less"
    )

    def laws(self) -> Iterator[Law]:
        yield Holds(self.best_time <= self.times[0], "one learner is one of the choices")
        yield Rises("best_time", "samples", "an epoch is longer")
        yield Falls("best_time", "batch", "a round takes more samples in the same time")

    def equations(self) -> Equations:
        shared = enumerate(self.round_times, 1)
        yield self.throughputs, [learners * self.batch / t for learners, t in shared]
        pairs = list(zip(self.throughputs, self.epochs, strict=True))
        yield self.hardware, [r / self.throughputs[0] for r in self.throughputs]
        yield self.statistical, [self.epochs[0] / e for e in self.epochs]
        both = zip(self.hardware, self.statistical, strict=True)
        yield self.speedups, [h * s for h, s in both]
        yield self.times, [e * self.samples / r for r, e in pairs]
        yield self.busiest, position_of_largest(*self.throughputs)
        yield self.best, position_of_largest(*self.speedups)
        yield self.best_time, smallest(*self.times)
