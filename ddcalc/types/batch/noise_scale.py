"""From which batch on is the gradient's noise small?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, same
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, number


class NoiseScale(Problem):
    """From which batch on is the gradient's noise small?

    The gradient of one sample is the true gradient G and noise with the covariance Σ; that of a
    batch of B samples has B times less variance. The gradient noise scale tr(Σ)/|G|² is the batch
    at which noise and gradient are as large; it predicts the critical batch. State both, or the
    noise scale itself, or the squared lengths of gradients measured with two batches: on average
    such a square is |G|² + tr(Σ)/B, so two of them give both.

    With a batch B it takes 1 + B_noise/B times the fewest steps, and 1 + B/B_noise times the fewest
    samples: at the noise scale itself twice as many of each. Means over many steps should be
    stated; single squares scatter much.

    From runs to the same loss the critical batch is found by ``ddcalc critical-batch``; the batch
    that reaches the target soonest by ``ddcalc batch-size``.
    """

    answer = "scale"
    terms = ("batch size",)
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
    least_steps = amount("S_min", "steps with a batch beyond all limits", above=0, optional=True)

    true_square = derived("G", "Squared length of the true gradient", "noise averages out", least=0)
    noise = derived("V", "Variance of one sample's gradient", "what a smaller batch adds", least=0)
    scale = derived(
        "B_noise", "Noise scale", "variance over square: as much noise as gradient", least=0
    )
    steps_factor = derived(
        "q_S", "Times the fewest steps", "noise is averaged less", least=1, better="less"
    )
    samples_factor = derived(
        "q_E", "Times the fewest samples", "more than the noise asks for", least=1, better="less"
    )
    steps = derived("S", "Steps with this batch", "the fewest, times this factor")
    least_samples = derived("E_min", "Fewest samples", "a noise scale for each of the fewest steps")
    samples = derived("E", "Samples with this batch", "a batch for every step")

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
            yield self.true_square, self._weighted() / (self.large - self.small)
            less = self.small_square - self.large_square
            yield self.noise, less / (1 / self.small - 1 / self.large)
            yield self.scale, self.noise / self.true_square
        elif self.states("variance"):
            yield self.scale, self.variance / self.square
        else:
            yield self.scale, self.noise_scale, "as stated"
        if self.states("batch"):
            yield self.steps_factor, 1 + self.scale / self.batch
            yield self.samples_factor, 1 + self.batch / self.scale
        if self.states("least_steps"):
            yield self.steps, self.least_steps * self.steps_factor
            yield self.least_samples, self.least_steps * self.scale
            yield self.samples, self.batch * self.steps
