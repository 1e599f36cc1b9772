"""Which batch for each worker reaches the target soonest?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Least, Rel, ceiling, smallest, sqrt
from ddcalc.numbers.units import SECOND, USD
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations
from ddcalc.problem.quantity import amount, count, derived, duration, price
from ddcalc.types.batch._fitting import BatchTime


class BatchSize(BatchTime):
    """Which batch for each worker reaches the target soonest?

    n workers with B samples each make one step on n·B samples. Hardware likes large batches: one
    takes a + b·B, so the fixed part is shared by more samples. The target likes them less and less:
    it takes S_min·(1 + B_crit/(n·B)) steps, so beyond the critical batch a larger one saves hardly
    any. Their product, the time to the target, has one minimum.

    State a and b, or measured batches and their times, to which the line is fitted. What a step
    costs besides computing (sending gradients) counts as communication; it does not grow with the
    batch. S_min and B_crit come from `critical-batch`. All workers are alike; for the number of
    workers see `batch-workers`.
    """

    answer = "best"
    terms = ("batch size", "data parallelism", "synchronous")
    source = (
        "McCandlish et al., An Empirical Model of Large-Batch Training, arXiv:1812.06162:"
        " S/S_min − 1 = (E/E_min − 1)^(−1) with E = B·S and B_crit = E_min/S_min gives the steps;"
        " the minimum is ours, by setting the derivative of the time to 0"
    )

    least_steps = amount("S_min", "steps with a batch beyond all limits", above=0, example="3000")
    critical_batch = amount("B_crit", "critical batch, in samples", above=0, example="8192")
    workers = count("n", "workers, each with a batch of its own", default="1", example="8")
    communication = duration(
        "c", "what a step costs besides computing", default="0 s", example="20 ms"
    )
    price = price("p", "price of a worker", optional=True)
    largest_batch = count("B_max", "largest batch that fits a worker's memory", optional=True)
    batch = count("B_0", "a batch of each worker to compare", optional=True)

    optimum = derived(
        "B_opt", "The minimum, in parts of a sample", "where the time stops falling", least=0
    )
    unlimited = derived(
        "B_any",
        "The best whole number of samples",
        "the first from which one sample more is no gain; of two equally good ones the smaller",
        least=1,
    )
    best = derived("B", "Best batch of each worker", "the best that fits the memory", least=1)
    global_batch = derived("B_all", "Samples in a step", "all workers together", least=1)
    steps = derived(
        "S", "Steps to the target", "fewer with a larger batch, never below S_min", least=0
    )
    step_time = derived(
        "t_step", "Time of a step", "one batch, and what comes besides", SECOND, least=0
    )
    time = derived("T", "Time to the target", "step after step", SECOND, least=0, better="less")
    samples = derived("E", "Samples to the target", "a batch for every step", least=0)
    cost = derived(
        "C", "Cost", "all workers are paid for all the time", USD, least=0, better="less"
    )
    batch_steps = derived("S_0", "Steps with the stated batch", "the same rule")
    batch_time_to_target = derived(
        "T_0", "Time to the target with the stated batch", "the same rule", SECOND, least=0
    )
    excess = derived("D", "Longer than with the best batch", "the difference", SECOND, least=0)

    def laws(self) -> Iterator[Law]:
        """The best batch is no worse than another; what slows a step slows the training."""
        if self.states("batch"):
            better = "the best batch takes no longer than the one compared"
            yield Holds(self.time <= self.batch_time_to_target, better)
        for given in ("least_steps", "critical_batch", "communication"):
            yield Rises("time", given, "more steps, or longer ones")
        yield Falls("time", "workers", "more workers take more samples in a step")
        yield Falls("time", "largest_batch", "more memory leaves more batches to choose from")
        yield Rises("best", "communication", "what each step costs is spread over more samples")

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        if self.states("batch") and self.states("largest_batch"):
            yield Condition(
                self.batch <= self.largest_batch, "batch", "does not fit: largest_batch is smaller"
            )

    def equations(self) -> Equations:
        yield from self.fit()
        step = self.fixed + self.communication
        ratio = step * self.critical_batch / (self.each_sample * self.workers)
        yield self.optimum, sqrt(ratio)
        limited = self.states("largest_batch")
        whole = self.unlimited if limited else self.best
        yield (whole, self._least(whole, ratio), type(self).unlimited.why)
        if limited:
            yield self.best, smallest(self.unlimited, self.largest_batch)
        yield self.global_batch, self.workers * self.best
        yield self.steps, self._steps(self.global_batch)
        yield self.step_time, self.batch_time(self.best) + self.communication
        yield self.time, self.steps * self.step_time
        yield self.samples, self.global_batch * self.steps
        if self.states("price"):
            yield self.cost, self.workers * self.time * self.price
        if self.states("batch"):
            yield self.batch_steps, self._steps(self.workers * self.batch)
            taken = self.batch_time(self.batch) + self.communication
            yield self.batch_time_to_target, self.batch_steps * taken
            yield self.excess, self.batch_time_to_target - self.time

    def _steps(self, batch: Expr) -> Expr:
        return self.least_steps * (1 + self.critical_batch / batch)

    def _least(self, batch: Expr, ratio: Expr) -> Least:
        """The least B whose time is at most that of B + 1: b·n·B(B + 1) >= (a + c)·B_crit."""
        step = self.fixed + self.communication
        relation = (
            self.each_sample * self.workers * batch * (batch + 1) >= step * self.critical_batch
        )
        assert isinstance(relation, Rel)
        root = ceiling(sqrt(1 + 4 * ratio))
        return Least(relation, ceiling((root - 1) / 2), first="one sample is enough")
