"""How many updates does a batch that grows save?"""

from ddcalc.algebra import ceiling, total
from ddcalc.problem import Equations, Problem
from ddcalc.quantity import choice, count, derived, number
from ddcalc.units import PERCENT


class BatchRamp(Problem):
    """How many updates does a batch that grows save?

    Early in training gradients agree, so a small batch is enough; later they are mostly noise, and
    a larger batch saves updates at hardly any cost in samples. So the batch is raised in stages.
    On the same samples a stage with a larger batch makes fewer updates.

    The parts of the training are stated as shares or in any proportion: 1/2, 1/2 and 1, 1 mean the
    same. "Half of the training" may mean half of the samples or half of the updates, which is not
    the same once the batch has changed. Samples may be tokens, if batches are counted in tokens.
    """

    answer = "updates"
    group = "batch size"
    terms = ("batch size",)
    source = (
        "Smith et al., Don't Decay the Learning Rate, Increase the Batch Size, arXiv:1711.00489;"
        " McCandlish et al., arXiv:1812.06162, on why the critical batch grows during training; the"
        " counts follow by dividing"
    )

    samples = count("D", "samples (or tokens) of the whole training", example="300000")
    batches = count("B", "batch of each stage", many="list", of="stage", example="512, 2048")
    parts = number(
        "q", "part of each stage, in any proportion", above=0, many="list", of="stage",
        example="1/2, 1/2",
    )  # fmt: skip
    constant = count("B_0", "constant batch to compare, else that of stage 1", optional=True)

    part_of = choice(
        "what the parts are parts of",
        samples="parts of the samples",
        updates="parts of the updates",
    )

    shares = derived("s", "Share of each stage", "its part of all parts", many="parts")
    stage_updates = derived(
        "U", "Updates in each stage", "a small last batch is a whole update", many="batches"
    )
    mean_batch = derived("B_mean", "Mean batch", "each as often as it has updates")
    updates = derived("U_all", "Updates", "stage after stage")
    constant_updates = derived("U_0", "Updates with a constant batch", "the same samples")
    saved = derived("R", "Fewer updates than with a constant batch", "the difference", PERCENT)

    def equations(self) -> Equations:
        yield self.shares, [part / total(self.parts) for part in self.parts]
        pairs = list(zip(self.shares, self.batches, strict=True))
        if self.part_of == "samples":
            yield (
                self.stage_updates,
                [ceiling(share * self.samples / batch) for share, batch in pairs],
            )
            yield self.updates, total(self.stage_updates)
        else:
            yield self.mean_batch, total(share * batch for share, batch in pairs)
            yield self.updates, ceiling(self.samples / self.mean_batch)
        first = self.constant if self.states("constant") else self.batches[0]
        yield self.constant_updates, ceiling(self.samples / first)
        yield self.saved, 1 - self.updates / self.constant_updates
