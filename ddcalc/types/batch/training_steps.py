"""How many steps does a training make?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, ceiling, floor, same, smallest
from ddcalc.numbers.units import PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, number


class TrainingSteps(Problem):
    """How many steps does a training make?

    A step takes the batch of all workers: stated as a whole, or as the small batch of a worker,
    times the workers, times the passes whose gradients are gathered before a step. An epoch passes
    all samples once. Samples may be tokens, if batches are counted in tokens.

    Usually the last batch of an epoch holds what is left over; loaders often drop it. Where data
    are read without a seam between epochs, batches go on across it. A part of an epoch is that
    part of its steps, rounded up; each of them passes its whole batch. A step on a small batch
    takes as long as any other.

    The warm-up is stated in epochs, or as a part of all steps, and comes to whole steps, rounded
    up. How the learning rate follows the batch is asked by ``ddcalc learning-rate``; what epochs
    take on a parameter server by ``ddcalc epoch-time``.
    """

    answer = "steps"
    terms = ("batch size", "data parallelism")
    source = (
        "the counts follow by dividing; warm-up in epochs: Goyal et al., arXiv:1706.02677, section"
        " 2.2; as a part of all steps, rounded up: Hugging Face transformers, TrainingArguments"
    )

    samples = count("N", "training samples", example="1281167")
    epochs = number("E", "epochs", above=0, default="1", example="90")
    batch = count("B", "samples in a step, all workers", optional=True)
    small_batch = count("b", "samples of a worker in one pass", optional=True, example="32")
    workers = count("n", "workers", default="1", example="256")
    passes = count("A", "passes before a step", default="1")
    warmup_epochs = number("E_w", "epochs of warm-up", above=0, optional=True, example="5")
    warmup_part = number(
        "w", "part of all steps that is warm-up", above=0, most=1, optional=True
    )  # fmt: skip
    step_time = duration("t_step", "time of a step", above=0, optional=True)

    last_batch = choice(
        "a last batch that the samples do not fill",
        keep="the last batch of an epoch may be small",
        drop="small last batch dropped",
        joined="batches go on across the end of an epoch",
    )

    step_batch = derived("B_step", "Samples in a step", "every worker, every pass")
    steps_per_epoch = derived("s", "Steps in an epoch", "a small last batch is a step", least=0)
    steps = derived("S", "Steps", "epoch after epoch", least=1, better="less")
    warmup_steps = derived("S_w", "Steps of warm-up", "rounded up", least=1)
    complete = derived("E_c", "Complete epochs", "all of their steps are made", least=0)
    seen = derived("D", "Samples that the steps pass", "a whole batch in each", least=1)
    time = derived("T", "Time of the training", "step after step", SECOND, better="less")
    rate = derived("r", "Samples per second", "over the whole training", PER_SECOND, better="more")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "batch", "small_batch"

    def conditions(self) -> Iterator[Condition]:
        if self.states("batch") and self.states("small_batch"):
            yield Condition(
                same(self.batch, self._gathered()), "batch",
                "is not that of the workers and passes; leave it out",
            )  # fmt: skip
        if self.last_batch == "drop":
            batch = self.batch if self.states("batch") else self._gathered()
            yield Condition(
                batch <= self.samples, "samples", "do not fill one batch, so all are dropped"
            )
        if self.states("warmup_epochs"):
            yield Condition(
                self.warmup_epochs <= self.epochs, "warmup_epochs", "are more than all epochs"
            )
        if self.states("warmup_epochs") and self.states("warmup_part"):
            yield Condition(
                same(self.warmup_epochs, self.warmup_part * self.epochs), "warmup_part",
                "does not fit warmup_epochs; state one of the two",
            )  # fmt: skip

    def equations(self) -> Equations:
        batch = self.batch
        if not self.states("batch"):
            yield self.step_batch, self._gathered()
            batch = self.step_batch
        per_epoch = self.samples / batch
        if self.last_batch == "keep":
            yield self.steps_per_epoch, ceiling(per_epoch)
        elif self.last_batch == "drop":
            yield self.steps_per_epoch, floor(per_epoch), "a small last batch is dropped"
        else:
            yield self.steps_per_epoch, per_epoch, "the rest belongs to the next epoch"
        yield self.steps, ceiling(self.epochs * self.steps_per_epoch)
        if self.states("warmup_epochs"):
            yield self.warmup_steps, ceiling(self.warmup_epochs * self.steps_per_epoch)
        elif self.states("warmup_part"):
            yield self.warmup_steps, ceiling(self.warmup_part * self.steps)
        yield from self._passed(batch)
        if self.states("step_time"):
            yield self.time, self.steps * self.step_time
            yield self.rate, self.seen / self.time

    def _passed(self, batch: Expr) -> Equations:
        if self.last_batch == "drop":
            yield self.seen, self.steps * batch
        elif self.last_batch == "keep":
            yield self.complete, floor(self.steps / self.steps_per_epoch)
            rest = (self.steps - self.complete * self.steps_per_epoch) * batch
            yield self.seen, self.complete * self.samples + rest, "complete epochs, and the rest"
        else:
            there = ceiling(self.epochs) * self.samples
            yield self.seen, smallest(self.steps * batch, there), "all epochs hold no more"

    def laws(self) -> Iterator[Law]:
        batch = self.batch if self.states("batch") else self.step_batch
        yield Holds(self.seen <= self.steps * batch, "a step passes one batch at most")
        if self.last_batch != "drop":
            yield Holds(self.seen >= self.epochs * self.samples, "nothing is left out")
        yield Rises("steps", "epochs", "longer trainings take more steps")
        if self.states("batch"):
            yield Falls("steps", "batch", "larger batches take fewer steps")

    def _gathered(self) -> Expr:
        """The samples of a step, by the workers and their passes."""
        return self.workers * self.small_batch * self.passes
