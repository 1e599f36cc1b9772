"""Over how many workers is a batch best split?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, Least, cases, least_with_product, sqrt
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import count, derived, duration, elapsed


class SplitBatch(Problem):
    """Over how many workers is a batch best split?

    One batch is shared equally by m workers, who compute side by side; then every worker's gradient
    is aggregated, one after the other. With more workers each one computes less, but there is more
    to aggregate: c/m falls, a·m grows, and their sum has one minimum. What takes the same time
    whatever m is (transfers that run side by side, the update) shifts it up but not aside.

    From m workers to m + 1, computing gets shorter by c/m − c/(m + 1) = c/(m(m + 1)), and
    aggregating longer by a. So one worker more gains nothing from the first m on with a·m(m + 1) ≥
    c, and as m(m + 1) only grows, it never gains again.

    The batch is taken to be large enough to be split evenly, and a worker as fast on a small share
    as on a large one.
    """

    answer = "workers"
    terms = ("data parallelism", "parameter server", "batch size", "speed-up")
    source = (
        "the calculus of c/m + a·m, with a proof for whole numbers of our own; the round is that of"
        " a worked exam sheet on parameter-server timing"
    )

    compute = duration("c", "computation of the whole batch by one worker", above=0, example="24 s")
    aggregate = duration("a", "what each worker adds", above=0, example="15 ms")
    rest = duration("r", "what takes the same time for any m", default="0 s", example="3 s")
    compared = count("n", "a number of workers to compare", optional=True)

    optimum = derived(
        "m_opt", "The minimum, in parts of a worker", "where the slope −c/m^2 + a is zero"
    )
    workers = derived(
        "m",
        "The best whole number of workers",
        "the first from which one more is no gain; of two equally good ones the smaller",
    )
    time = elapsed("T", "Time with them", "a share of the computation, all aggregation")
    fewer = derived("T_less", "Time with one worker less", "no shorter", SECOND)
    more = derived("T_more", "Time with one worker more", "no shorter", SECOND)
    single = derived("T_one", "Time with one worker", "the whole computation", SECOND)
    speedup = derived(
        "S", "Speed-up over one worker", "how many times as fast", least=1, better="more"
    )
    compared_time = elapsed("T_n", "Time with the stated number", "the same sum")
    excess = elapsed("D", "More than the best", "what the stated number costs")

    def laws(self) -> Iterator[Law]:
        yield Holds(self.speedup <= self.workers, "each worker adds no more than itself")
        yield Rises("workers", "compute", "more to compute is worth more workers")
        yield Falls("workers", "aggregate", "dearer workers are fewer")
        yield Rises("time", "compute", "no split makes more work shorter")
        yield Rises("time", "aggregate", "no split makes more work shorter")
        if self.states("compared"):
            yield Holds(self.time <= self.compared_time, "no number is faster than the best")

    def equations(self) -> Equations:
        yield self.optimum, sqrt(self.compute / self.aggregate)
        yield self.workers, self._best()
        yield self.time, self._time(self.workers)
        fewer, none = (self._time(self.workers - 1), self.workers > 1), "there is no fewer than one"
        yield self.fewer, cases(fewer, otherwise=NOTHING, why=none)
        yield self.more, self._time(self.workers + 1)
        yield self.single, self.compute + self.aggregate + self.rest
        yield self.speedup, self.single / self.time
        if self.states("compared"):
            yield self.compared_time, self._time(self.compared)
            yield self.excess, self.compared_time - self.time

    def _time(self, workers: Expr) -> Expr:
        return self.compute / workers + self.aggregate * workers + self.rest

    def _best(self) -> Least:
        """The least m whose time is at most that of m + 1."""
        relation = self.aggregate * self.workers * (self.workers + 1) >= self.compute
        least = least_with_product(self.compute, self.aggregate)
        return Least(relation, least, first="one worker is enough")
