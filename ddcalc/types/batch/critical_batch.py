"""What is the critical batch, and how many steps does a batch take?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, Rel, cases, ceiling, largest, same, smallest
from ddcalc.numbers.units import PERCENT
from ddcalc.problem.laws import Falls, Holds, Law
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, choice, count, derived
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
    at_most,
)
from ddcalc.types.batch._line import bent, intercept, mean, scatter, signs, slope

ALIKE = "by the rule every batch, however small, takes the fewest steps; no larger one saves any"
PERFECT = "no fewest steps are left: by the rule twice the batch takes half the steps, always"


class CriticalBatch(Problem):
    """What is the critical batch, and how many steps does a batch take?

    A larger batch averages more samples into a steadier gradient, so fewer steps do; but each step
    takes more samples. Samples grow in a straight line with the batch: it begins at the fewest
    samples, those of a tiny batch, and its slope is the fewest steps, those of an enormous one.

    The rule for the steps is S = S_min·(1 + B_crit/B), so the samples are
    E = B·S = E_min + S_min·B with E_min = B_crit·S_min. That line is fitted to two or more runs
    with unlike batches.

    Steps and learning rate should be the best for each batch, or the runs say more about the
    learning rate than about the batch.

    The scaling efficiency compares the runs with the smallest and the largest batch, in whatever
    order they are listed: how many times fewer steps over how many times the batch. It is 100 %
    where twice the batch takes half the steps. Where it does in all runs, they are far below the
    critical batch and cannot tell where it is.
    """

    answer = "critical"
    keywords = (
        "critical batch size; steps against batch; diminishing returns of larger batches;"
        " perfect scaling of steps"
    )
    terms = ("batch size", "noise scale")
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
        samples="the line is fitted to the samples of the runs",
        steps="the line is fitted to the steps of the runs",
    )

    samples = derived(
        "E", "Samples of each run", "every step takes a batch", many="batches", least=1
    )
    inverses = derived(
        "x", "One over each batch", "the steps rise in a line with it", many="batches"
    )
    mean_batch = derived("B_mean", "Mean of the batches", "")
    mean_samples = derived("E_mean", "Mean of the samples", "")
    mean_inverse = derived("x_mean", "Mean of 1/B", "")
    mean_steps = derived("S_mean", "Mean of the steps", "")
    least_steps = derived("S_min", "Fewest steps", "with an enormous batch", least=0)
    least_samples = derived("E_min", "Fewest samples", "with a tiny batch", least=0)
    critical = derived(
        "B_crit", "Critical batch", "there it takes twice the fewest steps and samples", least=0
    )
    predicted = derived(
        "S_0", "Steps with the stated batch", "the samples by that line, over the batch, rounded up"
    )
    predicted_samples = derived("E_0", "Samples with the stated batch", "every step takes a batch")
    ratio = derived("k", "How many times the batch", "the largest over the smallest", least=1)
    most = derived("S_small", "Steps with the smallest batch", "of the first such run", least=1)
    fewest = derived("S_large", "Steps with the largest batch", "of the first such run", least=1)
    speed = derived("g", "How many times fewer steps", "smallest batch over largest")
    efficiency = derived(
        "p", "Scaling efficiency", "times fewer steps over times the batch", PERCENT, least=0,
        better="more",
    )  # fmt: skip

    def conditions(self) -> Iterator[Condition]:
        message = "are all alike; a line needs two that differ"
        if len(self.batches) == 1:
            message = "is one run; it takes two with unlike batches to find a critical batch"
        yield Condition(scatter(self.batches) > 0, "batches", message)
        rises, begins = signs(*self._axes())
        fewest, least = (rises, begins) if self.fit == "samples" else (begins, rises)
        yield Condition(
            fewest >= 0, "step_counts", "fall faster than the batch grows; check the runs"
        )
        yield Condition(least >= 0, "step_counts", "do not fall with the batch; check the runs")

    def laws(self) -> Iterator[Law]:
        if self.states("batch"):
            yield Falls("predicted", "batch", "a larger batch never takes more steps")
            yield Holds(self.predicted >= self.least_steps, "the fewest steps are a limit")

    def _axes(self) -> tuple[list[Expr], list[Expr]]:
        """What the line is fitted to, in the givens alone."""
        if self.fit == "steps":
            return [1 / x for x in self.batches], list(self.step_counts)
        samples = [x * y for x, y in zip(self.batches, self.step_counts, strict=True)]
        return list(self.batches), samples

    def equations(self) -> Equations:
        batches, steps = self.batches, self.step_counts
        yield self.samples, [x * y for x, y in zip(batches, steps, strict=True)]
        yield from self._line()
        critical = self.least_samples / self.least_steps
        alike = (0, same(self.least_samples, 0), ALIKE)
        perfect = (NOTHING, same(self.least_steps, 0), PERFECT)
        twice = type(self).critical.why
        yield self.critical, cases(alike, perfect, otherwise=critical, why=twice)
        if self.states("batch"):
            yield self.predicted, ceiling(self._by_rule(self.batch))
            yield self.predicted_samples, self.batch * self.predicted
        low, high = smallest(*batches), largest(*batches)
        yield self.ratio, high / low
        yield self.most, self._steps_with(low)
        yield self.fewest, self._steps_with(high)
        yield self.speed, self.most / self.fewest
        yield self.efficiency, self.speed / self.ratio

    def conclusion(self) -> Iterator[Said]:
        yield First(
            Sentence(
                "There is no critical batch by these runs: twice the batch takes half the steps, so"
                " every batch takes the same {least_samples sample}. Where that ends, only larger"
                " batches show.",
                same(self.least_steps, 0),
            ),
            Sentence(
                "The critical batch is {critical sample}, less than one: even a batch of 1 takes"
                " less than twice the fewest steps, which are {least_steps}.",
                (self.least_samples > 0, self.critical < 1),
            ),
            Sentence(
                "The critical batch, which takes twice the fewest steps and samples, is"
                " {critical sample}. The fewest are {least_steps step}, with enormous batches, and"
                " {least_samples sample}, with tiny ones.",
                self.least_samples > 0,
            ),
            Sentence(
                "The critical batch is 0: by the fitted rule every batch, however small, takes the"
                " fewest steps, {least_steps}, so that no larger one saves any."
            ),
        )
        if self.states("batch"):
            yield Sentence(
                "A batch of {batch} takes {predicted step}, rounded up, and so"
                " {predicted_samples sample}.",
                self.predicted > self._by_rule(self.batch),
            )
            yield Sentence(
                "A batch of {batch} takes {predicted step} and {predicted_samples sample}.",
                same(self.predicted, self._by_rule(self.batch)),
            )

    def insights(self) -> Iterator[Said]:
        top = largest(*self.batches)
        if self.states("batch"):
            yield Sentence(
                "{batch} is {times} times the largest batch that was run. By the rule, if it still"
                " holds there, it takes {saved %} fewer steps and {more} times the samples that it"
                " gives for that one.",
                (self.least_samples > 0, self.least_steps > 0, self.batch > top),
                times=self.batch / top,
                saved=1 - self._by_rule(self.batch) / self._by_rule(top),
                more=self.batch * self._by_rule(self.batch) / (top * self._by_rule(top)),
            )
        which = "" if self.states("batch") else ", the largest that was run,"
        batch = self.batch if self.states("batch") else top
        yield Sentence(
            f"By the rule a batch of {{twice}} instead of {{its}}{which} would save {{saved %}} of"
            " the steps and cost {more %} more samples; from the critical batch on, doubling saves"
            " at most 25 % and costs at least 50 %.",
            self.least_samples > 0,
            its=batch,
            twice=2 * batch,
            saved=self.critical / (2 * (batch + self.critical)),
            more=batch / (batch + self.critical),
        )
        if len(self.batches) == 2:
            yield "Two runs fix the rule, so they cannot show whether it holds; a third one can."
            return
        misses = [
            (self.least_steps * batch + self.least_samples) / (batch * steps) - 1
            for batch, steps in zip(self.batches, self.step_counts, strict=True)
        ]
        worst = largest(*(side for miss in misses for side in (miss, -miss)))
        yield First(
            Sentence("All runs lie exactly on the line, as the rule says.", same(worst, 0)),
            Sentence(
                "By the line, no run's steps are off by more than {worst %}.", worst=at_most(worst)
            ),
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        runs = list(zip(self.batches, self.step_counts, strict=True))
        if len(runs) == 2:
            batch, steps = runs[1]
            yield Crosscheck(
                "the rule gives the steps with a batch of {its}",
                same(self.least_steps + self.least_samples / batch, steps),
                its=batch,
            )
            return
        on_line = self._on_line
        batch, steps = runs[-1]
        yield Crosscheck(
            "the last run lies on that line too: its batch of {its} takes {steps step}",
            same(self.least_steps + self.least_samples / batch, steps),
            on_line,
            its=batch,
            steps=steps,
        )

    @property
    def _on_line(self) -> tuple[Rel, ...]:
        """Whether the line of the first two runs, which differ, goes through all."""
        xs, ys = self._axes()
        apart = (self.batches[0] - self.batches[1]) ** 2 > 0
        return apart, same(bent(xs, ys), 0)

    def premises(self) -> Iterator[Premise]:
        yield Premise("each run has the learning rate that is best for its batch", "learning-rate")
        yield Premise("the critical batch does not change during a run", "batch-ramp")

    def arguments(self) -> Iterator[Argument]:
        yield Equated(
            self.critical, same(self.least_samples, self.least_steps * self.critical),
            "both parts of E = E_min + S_min·B are equal there",
            "McCandlish et al.",
        )  # fmt: skip

    def _by_rule(self, batch: Expr) -> Expr:
        """The steps that the rule says for that *batch*."""
        return self.least_steps + self.least_samples / batch

    def _steps_with(self, batch: Expr) -> Expr:
        """The steps of the first run with that *batch*, which is one of the list."""
        *runs, last = zip(self.step_counts, self.batches, strict=True)
        tests = [(steps, same(listed, batch)) for steps, listed in runs]
        return cases(*tests, otherwise=last[0]) if tests else last[0]

    def _line(self) -> Equations:
        """The fit: its slope and where it begins."""
        if self.fit == "samples":
            xs, ys, ends = self.batches, self.samples, (self.mean_batch, self.mean_samples)
            rise, begin, over = self.least_steps, self.least_samples, "E over B"
        else:
            yield self.inverses, [1 / x for x in self.batches]
            xs, ys, ends = self.inverses, self.step_counts, (self.mean_inverse, self.mean_steps)
            rise, begin, over = self.least_samples, self.least_steps, "S over 1/B"
        if len(xs) > 2:
            yield ends[0], mean(xs)
            yield ends[1], mean(ys)
        why = f"the slope of the line of {over}; two runs fix the line"
        steep, starts = slope(xs, ys), intercept(xs, ys, rise)
        if len(xs) <= 2:
            yield rise, steep, why
            yield begin, starts, "where that line begins"
            return
        alike, on_line = same(xs[0], xs[1]), same(bent(xs, ys), 0)
        fits = f"the slope of the line of {over}; least squares"
        straight = f"the slope of the line of {over}, on which all runs lie: two give it"
        yield (
            rise,
            cases(
                (steep, alike, fits),
                (slope(xs[:2], ys[:2]), on_line, straight),
                otherwise=steep,
                why=fits,
            ),
        )
        there = "where that line begins"
        first = intercept(xs[:2], ys[:2], rise)
        yield (
            begin,
            cases((starts, alike, there), (first, on_line, there), otherwise=starts, why=there),
        )
