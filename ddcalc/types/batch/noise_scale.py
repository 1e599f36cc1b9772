"""What is the noise scale, and how many steps does a batch take by it?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, ceiling, same
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, number
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)


class NoiseScale(Problem):
    """What is the noise scale, and how many steps does a batch take by it?

    The gradient of a batch is the true gradient with noise on top. The true part is the same in
    every batch, while averaging over twice the samples halves the variance of the noise. At the
    noise scale both parts are equally large.

    With the covariance Σ of one sample's gradient and the true gradient G, the noise scale is
    tr(Σ)/|G|²; it predicts the critical batch. State both, or the noise scale itself, or the
    squared lengths of gradients measured with two batches: on average such a square is
    |G|² + tr(Σ)/B, so two of them give both.

    With a batch B it takes 1 + B_noise/B times the fewest steps, and 1 + B/B_noise times the fewest
    samples: at the noise scale itself twice as many of each. Means over many steps should be
    stated; single squares scatter much.

    From runs to the same loss the critical batch is found by ``ddcalc critical-batch``; the batch
    that reaches the target soonest by ``ddcalc batch-size``.
    """

    answer = "scale"
    keywords = (
        "gradient noise scale; simple noise scale; variance of gradients; critical batch from"
        " gradient statistics"
    )
    terms = ("batch size", "noise scale")
    source = (
        "McCandlish et al., An Empirical Model of Large-Batch Training, arXiv:1812.06162: section"
        " 2.2 (the simple noise scale), its predictions of steps and samples, appendix A.1 (two"
        " batches)"
    )

    variance = number("v", "variance of one sample's gradient, tr(Σ)", above=0, optional=True)
    square = number("g", "squared length of the true gradient, |G|²", above=0, optional=True)
    small = count("B_1", "smaller batch that was measured", optional=True, example="32")
    large = count("B_2", "larger batch that was measured", least=2, optional=True, example="1024")
    small_square = number(
        "g_1", "mean squared length with the smaller batch", above=0, optional=True, example="6"
    )
    large_square = number(
        "g_2", "mean squared length with the larger batch", above=0, optional=True, example="1.2"
    )
    noise_scale = amount("B_given", "noise scale, if it is known", above=0, optional=True)
    batch = amount("B", "a batch to judge", above=0, optional=True, example="256")
    least_steps = amount("S_min", "fewest steps, with an unlimited batch", above=0, optional=True)

    true_square = derived(
        "G", "Squared length of the true gradient", "what is measured, less its noise", least=0
    )
    noise = derived("V", "Variance of one sample's gradient", "", least=0)
    scale = derived(
        "B_noise",
        "Noise scale",
        "the batch whose gradient is as much noise as true gradient",
        least=0,
    )
    steps_factor = derived(
        "q_S", "Steps with this batch, over the fewest",
        "curvature acts on noise too: with the best rate a step gains 1/(1 + B_noise/B) of what it"
        " would without noise (McCandlish et al.)",
        least=1, better="less",
    )  # fmt: skip
    samples_factor = derived(
        "q_E",
        "Samples with this batch, over the fewest",
        "as B·(1 + B_noise/B) to B_noise",
        least=1,
        better="less",
    )
    steps = derived("S", "Steps with this batch", "rounded up")
    least_samples = derived(
        "E_min", "Fewest samples", "with a batch so small that each sample counts in full"
    )
    samples = derived("E", "Samples with this batch", "every step takes a batch")

    def laws(self) -> Iterator[Law]:
        if self.states("batch"):
            yield Falls("steps_factor", "batch", "a larger batch averages more noise")
            yield Rises("samples_factor", "batch", "it takes more samples than the noise asks for")
            trade = (self.steps_factor - 1) * (self.samples_factor - 1)
            yield Holds(same(trade, 1), "what is saved in steps is paid in samples")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "variance", "small", "noise_scale"
        for one, other in (("variance", "square"), ("square", "variance")):
            if self.states(one):
                yield (other,)
        measured = ("small", "large", "small_square", "large_square")
        if any(map(self.states, measured)):
            yield from ((name,) for name in measured)
        if self.states("least_steps"):
            yield ("batch",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("small"):
            yield Condition(self.small < self.large, "small", "is not smaller than the other batch")
            yield Condition(
                self.large_square < self.small_square, "large_square",
                "is no smaller than with the smaller batch, so no noise is seen; take more steps",
            )  # fmt: skip
            yield Condition(
                self.large_square * self.large > self.small_square * self.small, "large_square",
                "is so small that noise explains it all and no gradient is seen; measure more steps"
                " or larger batches",
            )  # fmt: skip
        (first, top, bottom), *others = self._scales()
        for name, other_top, other_bottom in others:
            yield Condition(
                same(other_top * bottom, top * other_bottom), name,
                f"does not fit {first}; state the noise scale in one way",
            )  # fmt: skip

    def conclusion(self) -> Iterator[Said]:
        yield First(
            Sentence(
                "The noise scale is {scale sample}, less than one: even the gradient of a single"
                " sample is more true gradient than noise.",
                self.scale < 1,
            ),
            Sentence(
                "The noise scale is {scale sample}: in a batch of so many the noise is as large as"
                " the true gradient."
            ),
        )
        if self.states("least_steps"):
            by_rule = self.least_steps * self.steps_factor
            yield Sentence(
                "A batch of {batch} takes {steps step}, rounded up, and so {taken sample}: before"
                " rounding {steps_factor} times the fewest steps and {samples_factor} times the"
                " fewest samples.",
                self.steps > by_rule,
                taken=self.batch * self.steps,
            )
            yield Sentence(
                "A batch of {batch} takes {steps step} and {taken sample}: {steps_factor} times"
                " the fewest steps and {samples_factor} times the fewest samples.",
                same(self.steps, by_rule),
                taken=self.batch * self.steps,
            )
        elif self.states("batch"):
            yield Sentence(
                "A batch of {batch} takes {steps_factor} times the fewest steps and"
                " {samples_factor} times the fewest samples."
            )

    def insights(self) -> Iterator[Said]:
        if self.states("least_steps"):
            yield from self._at_the_scale()
        elif self.states("batch"):
            yield Sentence(
                "With a batch of {batch} the noise is {scale}/({batch} + {scale}) = {noisy %} of"
                " the squared length of a gradient. Twice that batch would save {saved %} of the"
                " steps and cost {more %} more samples.",
                noisy=self._noisy(self.batch),
                saved=self.scale / (2 * (self.batch + self.scale)),
                more=self.batch / (self.batch + self.scale),
            )
        if self.states("small"):
            more = self.large_square * Num(11) / 10
            yield Sentence(
                "The estimate depends on good means: with {more} instead of {large_square} for the"
                " batch of {large}, it would be {other sample}.",
                more < self.small_square,
                more=more,
                other=After(self.scale, large_square=more),
            )
        if self.states("batch"):
            return
        yield Sentence(
            "At the noise scale a training takes twice the fewest steps and twice the fewest"
            " samples. With ten times that batch it would take 1 + 1/10 = 1.1 times the fewest"
            " steps, but 1 + 10 = 11 times the fewest samples.",
            self.scale >= 1,
        )

    def _at_the_scale(self) -> Iterator[Said]:
        """What the noise scale itself would take, beside the batch."""
        yield Sentence(
            "At the noise scale itself, with {factor} times this batch, it would take only"
            " 2·{least_steps} = {twice step}, but 2/{samples_factor} = {more} times as many"
            " samples: twice the fewest of each.",
            (self.batch < self.scale, self.scale >= 1),
            factor=self.scale / self.batch,
            twice=2 * self.least_steps,
            more=2 / self.samples_factor,
        )
        yield Sentence(
            "At the noise scale itself, with {factor} of this batch, it would take"
            " 2·{least_steps} = {twice step}, but only 2/{samples_factor} = {more} of the"
            " samples: twice the fewest of each.",
            (self.batch > self.scale, self.scale >= 1),
            factor=self.scale / self.batch,
            twice=2 * self.least_steps,
            more=2 / self.samples_factor,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.states("small"):
            yield Crosscheck(
                "true gradient and noise with {small}, as measured",
                same(self.true_square + self.noise / self.small, self.small_square),
            )

    def premises(self) -> Iterator[Premise]:
        if self.states("small"):
            yield Premise("independent samples, and both means from the same time in training")
        if self.states("batch"):
            yield Premise("the loss is curved alike in all directions", "critical-batch")
            yield Premise("every batch has the learning rate that is best for it")
            if not self.states("small"):
                yield Premise("the noise scale stays as it is during training")
        elif not self.states("small"):
            yield Premise("the samples of a batch are independent")

    def arguments(self) -> Iterator[Argument]:
        if self.states("small"):
            yield Equated(
                self.noise,
                same(
                    self.small_square - self.noise / self.small,
                    self.large_square - self.noise / self.large,
                ),
                "B samples average the variance to 1/B of it",
                "McCandlish et al.",
            )

    def _noisy(self, batch: Expr) -> Expr:
        """The part of the squared length of a gradient of that *batch* that is noise."""
        return self.scale / (self.scale + batch)

    def _scales(self) -> list[tuple[str, Expr, Expr]]:
        """The noise scale in each way in which it is stated, above and below the line."""
        said: list[tuple[str, Expr, Expr]] = []
        if self.states("small"):
            above = (self.small_square - self.large_square) * self.small * self.large
            said.append(("small", above, self._weighted()))
        if self.states("variance"):
            said.append(("variance", self.variance, self.square))
        if self.states("noise_scale"):
            said.append(("noise_scale", self.noise_scale, Num(1)))
        return said

    def _weighted(self) -> Expr:
        return self.large * self.large_square - self.small * self.small_square

    def equations(self) -> Equations:
        if self.states("small"):
            less = self.small_square - self.large_square
            yield self.noise, less / (1 / self.small - 1 / self.large)
            yield self.true_square, self.large_square - self.noise / self.large
            yield self.scale, self.noise / self.true_square
        elif self.states("variance"):
            yield self.scale, self.variance / self.square
        else:
            yield self.scale, self.noise_scale, ""
        if self.states("batch"):
            yield self.steps_factor, 1 + self.scale / self.batch
            yield self.samples_factor, 1 + self.batch / self.scale
        if self.states("least_steps"):
            yield self.steps, ceiling(self.least_steps * self.steps_factor)
            yield self.least_samples, self.least_steps * self.scale
            yield self.samples, self.batch * self.steps
