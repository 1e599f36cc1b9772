"""From which batch on does a larger one save hardly any steps?"""

from collections.abc import Iterator, Sequence

from ddcalc.algebra import Expr
from ddcalc.fitting import intercept, mean, scatter, signs, slope
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import amount, choice, count, derived
from ddcalc.units import PERCENT

ONE_RUN = "one run does not tell a critical batch: all its samples are taken to be needed"


class CriticalBatch(Problem):
    """From which batch on does a larger one save hardly any steps?

    Two or more runs to the same loss with unlike batches show how the steps fall: from B to 2·B by
    half where the gradient is all noise, and hardly at all beyond the critical batch. The rule
    S = S_min·(1 + B_crit/B) says the same of the samples E = B·S, which lie on a line:
    E = E_min + S_min·B. The line is fitted, and B_crit = E_min/S_min.

    Steps and learning rate should be the best for each batch, or the runs say more about the
    learning rate than about the batch.

    The scaling efficiency compares the first run with the last: how many times fewer steps over how
    many times the batch. It is 100 % as long as doubling the batch halves the steps.
    """

    answer = "critical"
    group = "batch size"
    terms = ("batch size",)
    source = (
        "McCandlish et al., An Empirical Model of Large-Batch Training, arXiv:1812.06162: S/S_min −"
        " 1 = (E/E_min − 1)^(−1), B_crit = E_min/S_min; the fit by least squares is ours"
    )

    batches = count("B", "batch of each run", many="list", of="run", example="512, 1024, 2048")
    step_counts = count(
        "S",
        "steps of each run to the same loss",
        many="list",
        of="run",
        example="50000, 28000, 20000",
    )
    batch = amount("B_0", "a batch whose steps are asked", above=0, optional=True)

    fit = choice(
        "what the line is fitted to",
        samples="the samples of each run: a miss counts the same in each",
        steps="the steps of each run: a miss counts the same in each",
    )

    samples = derived("E", "Samples of each run", "a batch for each step", many="batches")
    inverses = derived(
        "x", "One over each batch", "the steps rise in a line with it", many="batches"
    )
    mean_batch = derived("B_mean", "Mean of the batches", "of all runs")
    mean_samples = derived("E_mean", "Mean of the samples", "of all runs")
    mean_inverse = derived("x_mean", "Mean of 1/B", "of all runs")
    mean_steps = derived("S_mean", "Mean of the steps", "of all runs")
    least_steps = derived("S_min", "Fewest steps", "with a batch beyond all limits")
    least_samples = derived("E_min", "Fewest samples", "with a batch as small as can be")
    critical = derived(
        "B_crit", "Critical batch", "there it takes twice the fewest steps and samples"
    )
    predicted = derived("S_0", "Steps with the stated batch", "by the rule")
    predicted_samples = derived("E_0", "Samples with the stated batch", "a batch for each step")
    ratio = derived("k", "How many times the batch", "the last run over the first")
    speed = derived("g", "How many times fewer steps", "the first run over the last")
    efficiency = derived("p", "Scaling efficiency", "fewer steps for so much more batch", PERCENT)

    def conditions(self) -> Iterator[Condition]:
        if len(self.batches) == 1:
            return
        yield Condition(
            scatter(self.batches) > 0, "batches", "are all alike; a line needs two that differ"
        )
        rises, begins = signs(*self._axes())
        fewest, least = (rises, begins) if self.fit == "samples" else (begins, rises)
        yield Condition(
            fewest > 0, "step_counts", "fall so fast that no fewest steps are left; check the runs"
        )
        yield Condition(least >= 0, "step_counts", "do not fall with the batch; check the runs")

    def _axes(self) -> tuple[list[Expr], list[Expr]]:
        """What the line is fitted to, in the givens alone."""
        if self.fit == "steps":
            return [1 / x for x in self.batches], list(self.step_counts)
        samples = [x * y for x, y in zip(self.batches, self.step_counts, strict=True)]
        return list(self.batches), samples

    def equations(self) -> Equations:
        batches, steps = self.batches, self.step_counts
        yield self.samples, [x * y for x, y in zip(batches, steps, strict=True)]
        yield from self._line(batches, steps)
        yield self.critical, self.least_samples / self.least_steps
        if self.states("batch"):
            yield self.predicted, self.least_steps * (1 + self.critical / self.batch)
            yield self.predicted_samples, self.batch * self.predicted
        yield self.ratio, batches[-1] / batches[0]
        yield self.speed, steps[0] / steps[-1]
        yield self.efficiency, self.speed / self.ratio

    def _line(self, batches: Sequence[Expr], steps: Sequence[Expr]) -> Equations:
        """The fit: its slope and where it begins."""
        if len(batches) == 1:
            yield self.least_steps, self.samples[0] / batches[0], ONE_RUN
            yield self.least_samples, self.samples[0] - self.least_steps * batches[0], ONE_RUN
        elif self.fit == "samples":
            xs, ys, ends = (
                batches,
                self.samples,
                (self.mean_batch, self.mean_samples),
            )
            yield from self._means(xs, ys, ends)
            yield self.least_steps, slope(xs, ys, *ends), "the slope of E over B"
            begin = intercept(xs, ys, self.least_steps, ends)
            yield self.least_samples, begin, "where that line begins"
        else:
            yield self.inverses, [1 / x for x in self.batches]
            xs, ys, ends = self.inverses, steps, (self.mean_inverse, self.mean_steps)
            yield from self._means(xs, ys, ends)
            yield self.least_samples, slope(xs, ys, *ends), "the slope of S over 1/B"
            begin = intercept(xs, ys, self.least_samples, ends)
            yield self.least_steps, begin, "where that line begins"

    def _means(self, xs: Sequence[Expr], ys: Sequence[Expr], ends: tuple[Expr, Expr]) -> Equations:
        if len(xs) > 2:
            yield ends[0], mean(xs)
            yield ends[1], mean(ys)
