"""Over how many workers is a batch best split?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Num,
    cases,
    ceiling,
    floor,
    same,
    sqrt,
)
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import count, derived, duration, elapsed
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    First,
    Premise,
    Said,
    Sentence,
    Stationary,
)

SUBTRACTED = 50  # workers up to which two shares still differ once they are rounded


class SplitBatch(Problem):
    """Over how many workers is a batch best split?

    More workers make the shares of the batch smaller, but by less and less, and each of them adds
    the same time to the aggregation: m workers compute their equal shares side by side, and then
    their gradients are aggregated one after the other.

    So c/m falls, a·m grows, and their sum has one minimum. What takes the same time whatever m is
    (transfers that run side by side, the update) shifts it up but not aside.

    From m workers to m + 1, computing gets shorter by c/m − c/(m + 1) = c/(m(m + 1)), and
    aggregating longer by a. So one worker more gains nothing from the first m on with a·m(m + 1) ≥
    c, and as m(m + 1) only grows, it never gains again.

    The batch is taken to be large enough to be split evenly, and a worker as fast on a small share
    as on a large one.
    """

    answer = "workers"
    keywords = (
        "optimal number of machines; split one batch over workers; parallelize one step; strong"
        " scaling of a step"
    )
    terms = ("data parallelism", "parameter server", "batch size", "speed-up")
    source = (
        "the calculus of c/m + a·m, with a proof for whole numbers of our own; the round is that of"
        " a worked exam sheet on parameter-server timing"
    )

    compute = duration("c", "computation of the whole batch by one worker", above=0, example="24 s")
    aggregate = duration("a", "aggregation of one worker's gradient", above=0, example="15 ms")
    rest = duration("r", "what takes the same time with any number", default="0 s", example="3 s")
    compared = count("n", "a number of workers to compare", optional=True)

    optimum = derived("m_opt", "The number with the least time, not yet rounded", "")
    workers = derived(
        "m",
        "The best whole number of workers",
        "one of the two next to it; one more adds a and saves c/m − c/(m + 1)",
    )
    time = elapsed(
        "T", "The time with them", "a share of the computation, and everybody's aggregation"
    )
    fewer = derived("T_less", "With one worker less", "no shorter", SECOND)
    more = derived("T_more", "With one worker more", "no shorter", SECOND)
    single = derived("T_one", "Time with one worker", "it computes all of the batch", SECOND)
    speedup = derived("S", "Speed-up over one worker", "", least=1, better="more")
    compared_time = elapsed("T_n", "Time with the stated number", "")
    excess = elapsed("D", "More than with the best number", "")

    def laws(self) -> Iterator[Law]:
        yield Holds(self.speedup <= self.workers, "each worker adds no more than itself")
        yield Rises("workers", "compute", "more to compute is worth more workers")
        yield Falls("workers", "aggregate", "dearer workers are fewer")
        yield Rises("time", "compute", "no split makes more work shorter")
        yield Rises("time", "aggregate", "no split makes more work shorter")
        if self.states("compared"):
            yield Holds(self.time <= self.compared_time, "no number is faster than the best")

    def conclusion(self) -> Iterator[Said]:
        tie = same(self._time(self.workers + 1), self.time)
        fast = "" if self.states("compared") else ", {speedup} times as fast as one worker"
        yield First(
            Sentence(
                "Two numbers are equally good: with {workers} or {next worker} the step takes"
                f" {{time}}{fast}.",
                (tie, self.workers > 1),
                next=self.workers + 1,
            ),
            Sentence(
                "Two numbers are equally good: with one worker or two the step takes {time}.", tie
            ),
            Sentence(
                "One worker alone is best, with {time}: a second one would save no more computing"
                " than it adds in aggregation.",
                same(self.workers, 1),
            ),
            "The step is shortest with {workers worker}, and with no other number: it takes"
            f" {{time}}{fast}.",
        )
        if self.states("compared"):
            beyond = self.compared_time - self.time
            yield First(
                Sentence("The number to compare is just that.", same(self.compared, self.workers)),
                Sentence("{compared worker} would take just as long.", same(beyond, 0)),
                Sentence(
                    "{compared worker} would take {compared_time}, {beyond} ({part %}) more.",
                    beyond < self.time,
                    beyond=beyond,
                    part=beyond / self.time,
                ),
                Sentence(
                    "{compared worker} would take {compared_time}, {times} times as long.",
                    times=self.compared_time / self.time,
                ),
            )

    def insights(self) -> Iterator[Said]:
        yield self._further()
        yield Sentence(
            "At {optimum worker} computing a share and aggregating all would take equally long;"
            " fewer compute for longer, more aggregate for longer.",
            self.workers > 1,
        )
        half = ceiling(self.workers / 2)
        slower = self._time(half) / self.time - 1
        yield Sentence(
            "The minimum is flat: {half worker} would take {then}, only {more %} more.",
            (self.workers > 2, slower <= Num(1) / 10),
            half=half,
            then=self._time(half),
            more=slower,
        )
        if self.states("compared"):
            return
        yield Sentence(
            "The number grows like the root: twice the computation, or half the aggregation, makes"
            " {then worker} best, not {double}.",
            self.workers > 2,
            then=After(self.workers, compute=2 * self.compute),
            double=2 * self.workers,
        )

    def _further(self) -> Said:
        """What one worker more would add, and save."""
        now, then = self.compute / self.workers, self.compute / (self.workers + 1)
        adds = "A further worker would add {aggregate} of aggregation"
        slots = {"share": now, "next": then, "saved": now - then}
        saves = "{share} − {next} = {saved} of computing"
        return First(
            Sentence(
                f"{adds} to the step with {{workers}} and save just as much computing.",
                (same(now - then, self.aggregate), self.workers > 1),
                **slots,
            ),
            Sentence(
                f"{adds} but save only {saves}.",
                (self.workers > 1, self.workers <= SUBTRACTED),
                **slots,
            ),
            Sentence(f"{adds} and save less computing than that.", self.workers > 1),
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        fewer, more = self.workers - 1, self.workers + 1
        yield Crosscheck(
            "{fewer worker} would take longer",
            self._time(fewer) > self.time,
            self.workers > 1,
            fewer=fewer,
        )
        later = self._time(more)
        longer, alike = later > self.time, same(later, self.time)
        yield Crosscheck("{more worker} would take longer", longer, longer, more=more)
        yield Crosscheck("{more worker} would take just as long", alike, alike, more=more)

    def premises(self) -> Iterator[Premise]:
        yield Premise("the batch can be split evenly")
        yield Premise("a worker is as fast on a small share as on a large one")
        yield Premise("gradients are aggregated one after the other", "allreduce")

    def arguments(self) -> Iterator[Argument]:
        says = "the time of a step with m_opt workers"
        yield Stationary(self.optimum, self._time(self.optimum), self.optimum, says)

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

    def _best(self) -> Expr:
        """The least m whose time is at most that of m + 1: with m·(m + 1) ≥ c/a, so √(c/a) rounded
        down or up, as (m − 1)·m is less than its square."""
        below = floor(sqrt(self.compute / self.aggregate))
        neighbour = "with one worker more the step is"
        enough = self.aggregate * below * (below + 1) >= self.compute
        return cases(
            (Num(1), self.compute < self.aggregate, "there are no fewer than one"),
            (below, enough, f"{{optimum}} rounded down: {neighbour} no shorter"),
            otherwise=below + 1,
            why="{optimum} rounded up: with one worker less the step is longer",
        )
