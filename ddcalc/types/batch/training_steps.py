"""How many steps does a training make?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, ceiling, floor, same, smallest
from ddcalc.numbers.units import PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, number
from ddcalc.problem.sentences import After, Crosscheck, First, Premise, Said, Sentence

LEFT_OVER = {
    "keep": "makes a smaller batch, which is a step too.",
    "drop": "is dropped.",
    "joined": "goes into the first batch of the next one.",
}


class TrainingSteps(Problem):
    """How many steps does a training make?

    The model changes once a step, after the gradients of a whole batch: all workers compute theirs
    at the same time, in one pass or in several. An epoch passes every sample once, so it takes a
    step for each batch that its samples fill; what is left over at its end makes a smaller batch,
    which is a step too.

    The batch of a step is stated as a whole, or as the small batch of a worker, times the workers,
    times the passes whose gradients are gathered before a step. Samples may be tokens, if batches
    are counted in tokens.

    Usually the last batch of an epoch holds what is left over; loaders often drop it. Where data
    are read without a seam between epochs, batches go on across it. A part of an epoch is that
    part of its steps, rounded up; each of them passes its whole batch. A step on a small batch
    takes as long as any other.

    The warm-up is stated in epochs, or as a part of all steps, and comes to whole steps, rounded
    up. How the learning rate follows the batch is asked by ``ddcalc learning-rate``; what epochs
    take on a parameter server by ``ddcalc epoch-time``.
    """

    answer = "steps"
    keywords = "number of iterations; iterations per epoch; updates in an epoch; steps of warm-up"
    terms = ("batch size", "data parallelism", "epoch", "gradient accumulation")
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
        keep="the last batch of an epoch holds what is left over",
        drop="a last batch that is not full is dropped",
        joined="batches run on across the end of an epoch",
    )

    step_batch = derived(
        "B_step", "Samples in a step", "gradients of all workers and passes make one change"
    )
    steps_per_epoch = derived(
        "s", "Steps in an epoch", "a last batch that is not full takes a step too", least=0
    )
    steps = derived("S", "Steps", "", least=1, better="less")
    warmup_steps = derived("S_w", "Steps of warm-up", "", least=1)
    complete = derived("E_c", "Complete epochs", "all of their steps are made", least=0)
    seen = derived("D", "Samples that the steps pass", "each takes a full batch", least=1)
    time = derived(
        "T", "Time of the training", "a step on a small batch takes as long", SECOND, better="less"
    )
    rate = derived("r", "Samples per second", "on average", PER_SECOND, better="more")

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
            yield self.steps_per_epoch, floor(per_epoch), "what is left over is dropped"
        else:
            yield self.steps_per_epoch, per_epoch, "the rest belongs to the next epoch"
        yield self.steps, ceiling(self.epochs * self.steps_per_epoch)
        if self.states("warmup_epochs"):
            yield self.warmup_steps, ceiling(self.warmup_epochs * self.steps_per_epoch)
        elif self.states("warmup_part"):
            yield self.warmup_steps, ceiling(self.warmup_part * self.steps)
        yield from self._passed(batch)
        if self.states("step_time"):
            alike = "every step takes as long"
            if self.last_batch == "keep":
                alike += ", one on a smaller batch too"
            yield self.time, self.steps * self.step_time, alike
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

    def mechanism(self) -> str:
        kept = LEFT_OVER["keep"]
        return super().mechanism().replace(kept, LEFT_OVER[self.last_batch])

    def conclusion(self) -> Iterator[Said]:
        whole = same(self.steps, self.epochs * self.steps_per_epoch)
        yield First(
            Sentence(
                "The training makes {steps step}, in one epoch.", (whole, same(self.epochs, 1))
            ),
            Sentence(
                "The training makes {steps step}: {epochs epoch} of {steps_per_epoch step}"
                + (" each." if self.last_batch != "joined" else "."),
                whole,
            ),
            Sentence(
                "The training makes {steps step}: {epochs epoch} of {steps_per_epoch step}, rounded"
                " up to whole steps.",
            ),
        )
        if self.states_any("warmup_epochs", "warmup_part"):
            yield First(
                Sentence("It is warm-up.", same(self.steps, 1)),
                Sentence("All of them are warm-up.", same(self.warmup_steps, self.steps)),
                Sentence("The first one is warm-up.", same(self.warmup_steps, 1)),
                Sentence("The first {warmup_steps} of them are warm-up."),
            )
        if self.states("step_time"):
            yield Sentence("{steps|It takes|Together they take} {time}.")

    def insights(self) -> Iterator[Said]:
        batch, per_epoch = self._batch, self.steps_per_epoch
        complete = floor(self.epochs)
        last = self.steps - ceiling(complete * per_epoch)
        if self.last_batch != "joined":
            yield Sentence(
                "The last epoch is not complete: it makes {last} of its {steps_per_epoch step}.",
                (self.epochs > complete, self.epochs > 1, last < per_epoch),
                last=last,
            )
        if self.last_batch == "keep":
            rest = self.samples - (per_epoch - 1) * batch
            yield Sentence(
                "The last batch of an epoch holds only {rest sample}. If its gradients are averaged"
                " and the learning rate is not changed, each of them counts {weight} times as much"
                " as a sample of a full batch.",
                (rest < batch, per_epoch > 1, self.epochs >= 1),
                rest=rest,
                weight=batch / rest,
            )
        elif self.last_batch == "drop":
            rest = self.samples - per_epoch * batch
            yield Sentence(
                "A complete epoch leaves out {rest} of {samples sample}, not always the same ones"
                " if the samples are shuffled again for each epoch.",
                (rest > 0, self.epochs > 1),
                rest=rest,
            )
        twice, more = "Twice the batch", After(self.steps, batch=2 * self.batch)
        if not self.states("batch"):
            twice = "Twice the workers with the same small batch each"
            more = After(self.steps, workers=2 * self.workers)
        yield Sentence(
            f"{twice} would make only {{more step}} in {{epochs|this epoch|these epochs}};"
            " whether the model learns as much from them depends on the noise of its gradients.",
            (2 * batch <= self.samples, self.epochs >= 1),
            more=more,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        batch, per_epoch = self._batch, self.steps_per_epoch
        if self.last_batch == "keep":
            yield Crosscheck(
                "{steps_per_epoch batch} {steps_per_epoch|has|have} room for an epoch",
                per_epoch * batch >= self.samples,
            )
            yield Crosscheck(
                "one fewer has not", (per_epoch - 1) * batch < self.samples, per_epoch > 1
            )
        elif self.last_batch == "drop":
            yield Crosscheck(
                "an epoch fills {steps_per_epoch batch}", per_epoch * batch <= self.samples
            )
            yield Crosscheck("but not one more", (per_epoch + 1) * batch > self.samples)
        else:
            passed = self.epochs * self.samples
            yield Crosscheck(
                "{steps step} {steps|has|have} room for all samples", self.steps * batch >= passed
            )
            yield Crosscheck("one fewer has not", (self.steps - 1) * batch < passed, self.steps > 1)

    def premises(self) -> Iterator[Premise]:
        yield Premise("all workers' gradients go into one step", "timeline")
        yield Premise("an epoch passes every sample once")
        if self.states("step_time"):
            smaller = ", one on a smaller batch too" if self.last_batch == "keep" else ""
            yield Premise(f"every step takes as long{smaller}")
        else:
            yield Premise("all workers have equally large batches")

    @property
    def _batch(self) -> Expr:
        return self.batch if self.states("batch") else self.step_batch

    def _gathered(self) -> Expr:
        """The samples of a step, by the workers and their passes."""
        return self.workers * self.small_batch * self.passes
