"""How many updates does a batch that grows save?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.errors import OverLimit
from ddcalc.formula.algebra import Expr, Num, ceiling, floor, largest, same, total
from ddcalc.numbers.units import PERCENT
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.play import Outcome, PartlyPlayed, PlayedGivens, whole
from ddcalc.problem.problem import Alternatives, Condition, Equations, Shape
from ddcalc.problem.quantity import choice, count, derived, number
from ddcalc.problem.sentences import (
    Crosscheck,
    First,
    Premise,
    Said,
    Sentence,
)
from ddcalc.types.batch.batch_ramp.account import Account
from ddcalc.types.batch.batch_ramp.question import ramp

STAGES = 200  # each of them rests on all before it
LISTED = 4  # stages whose updates the answer lists


class BatchRamp(PartlyPlayed):
    """How many updates does a batch that grows save?

    Every update uses up one batch, so the same samples make fewer updates if batches are larger.
    Early in training the gradients of the samples agree, and a small batch is enough; later they
    differ more, and a larger batch averages that away. So the batch is raised while the training
    goes on.

    The parts of the training are stated as shares or in any proportion: 1/2, 1/2 and 1, 1 mean the
    same. "Half of the training" may mean half of the samples or half of the updates, which is not
    the same once the batch has changed. Samples may be tokens, if batches are counted in tokens.

    Trainers look at the samples consumed so far: an update that begins before the end of a stage
    takes a whole batch, and the next stage begins late. A stage may be cut instead: its last batch
    is what is left of its samples.

    Instead of parts an increment may be stated, with two batches. Over the first `--ramp-samples`
    the batch then grows from the first to the second one, each time by the increment and after
    equally many samples, as with Megatron-LM's `--rampup-batch-size START INCREMENT SAMPLES`. With
    an increment of 1 the ramp is linear in the samples consumed, in whole batches.
    """

    answer = "updates"
    keywords = (
        "batch size warm-up; grow the batch during training; increase the batch instead of"
        " decaying the learning rate; batch size schedule"
    )
    terms = ("batch size", "epoch")
    source = (
        "Smith et al., Don't Decay the Learning Rate, Increase the Batch Size, arXiv:1711.00489;"
        " McCandlish et al., arXiv:1812.06162, on why the critical batch grows during training;"
        " increments: NVIDIA/Megatron-LM, megatron/core/num_microbatches_calculator.py @00caa53a;"
        " the counts follow by dividing"
    )

    samples = count("D", "samples (or tokens) of the whole training", example="300000")
    batches = count(
        "B", "batch of each stage (with an increment: first and last)", many="list", of="stage",
        example="512, 2048",
    )  # fmt: skip
    parts = number(
        "q", "how large the stages are, in proportion", above=0, many="list", of="stage",
        optional=True, example="1/2, 1/2",
    )  # fmt: skip
    increment = count(
        "B_more", "what the batch grows by each time, instead of stages", optional=True
    )
    ramp_samples = count("D_ramp", "samples over which it grows so", optional=True)
    constant = count("B_0", "constant batch to compare, else that of stage 1", optional=True)

    part_of = choice(
        "what the parts are parts of",
        samples="the parts are shares of the samples",
        updates="the parts are shares of the updates",
    )
    ending = choice(
        "how a stage ends",
        whole="a batch that has begun is completed, so the next stage begins a little late",
        cut="the last batch of each stage is what is left of its samples",
    )

    shares = derived("s", "Share of each stage", "", many="parts", least=0, most=1)
    increments = derived("N", "Increments", "", least=1)
    each_increase = derived("d", "Samples before each increment", "", least=0)
    stage_updates = derived(
        "U", "Updates in each stage", "the last batch of a stage is completed", many="batches",
        least=0,
    )  # fmt: skip
    over = derived(
        "o", "Samples beyond the end of the stage", "what its last batch takes of the next stage",
        many="batches", least=0,
    )  # fmt: skip
    mean_batch = derived("B_mean", "Mean batch", "a batch counts as often as it has updates")
    updates = derived("U_all", "Updates", "", least=1, better="less")
    constant_updates = derived(
        "U_0", "Updates with a constant batch", "on the same samples", least=1
    )
    saved = derived(
        "R", "Fewer updates than with a constant batch", "", PERCENT, most=1,
        better="more",
    )  # fmt: skip

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        """Whether the batch grows by increments; how many there are depends on numbers."""
        return "increment" in shape.stated

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "parts", "increment"
        for one, other in (("increment", "ramp_samples"), ("ramp_samples", "increment")):
            if self.states(one):
                yield (other,)

    def conditions(self) -> Iterator[Condition]:
        if not self.states("increment"):
            return
        if self.states("parts"):
            yield Condition(
                same(Num(0), Num(1)), "parts", "are of stages; leave them or the increment out"
            )
        two = f"are {len(self.batches)}; with an increment state two, the first and the last one"
        yield Condition(same(Num(len(self.batches)), Num(2)), "batches", two)
        first, last = self.batches[0], self.batches[-1]
        grows = "do not grow; the second one must be larger than the first"
        yield Condition(last > first, "batches", grows)
        times = (last - first) / self.increment
        uneven = (
            "does not divide the difference of the batches; no number of increments leads there"
        )
        yield Condition(same(floor(times), times), "increment", uneven)

    def equations(self) -> Equations:
        if len(self.batches) > STAGES:
            reason = f"{len(self.batches)} stages are too many; at most {STAGES} are possible"
            raise OverLimit(f"{reason}, and an increment makes many at once").about("batches")
        first = self._constant
        if self.states("increment"):
            yield self.increments, (self.batches[-1] - self.batches[0]) / self.increment
            yield self.each_increase, self.ramp_samples / self.increments
            yield self.constant_updates, ceiling(self.samples / first)
            return
        yield self.shares, [part / total(self.parts) for part in self.parts]
        if self.part_of == "samples":
            why = "what is left of a stage is a batch too" if self.ending == "cut" else ""
            whole = type(self).stage_updates.why
            yield self.stage_updates, [*self._stages()], why or whole
            if self.ending == "whole":
                yield self.over, [*self._overshoots()]
            yield self.updates, total(self.stage_updates)
        else:
            pairs = zip(self.shares, self.batches, strict=True)
            yield self.mean_batch, total(share * batch for share, batch in pairs)
            yield self.updates, ceiling(self.samples / self.mean_batch)
        yield self.constant_updates, ceiling(self.samples / first)
        yield self.saved, (self.constant_updates - self.updates) / self.constant_updates

    def _stages(self) -> Iterator[Expr]:
        """The updates of each stage, from the samples that those before it have left."""
        for i, batch in enumerate(self.batches):
            if self.ending == "cut" or not i:
                yield ceiling(self.shares[i] * self.samples / batch)
                continue
            taken = zip(self.stage_updates[:i], self.batches, strict=False)
            yield ceiling(largest(0, self._ends(i) - total(u * b for u, b in taken)) / batch)

    def _ends(self, stage: int) -> Expr:
        """The samples at which a stage, counted from 0, should end."""
        if stage == len(self.batches) - 1:
            return self.samples
        return total(self.shares[: stage + 1]) * self.samples

    def _overshoots(self) -> Iterator[Expr]:
        """By how many samples each stage ends late."""
        for i in range(len(self.batches)):
            taken = zip(self.stage_updates[: i + 1], self.batches, strict=False)
            yield total(u * b for u, b in taken) - self._ends(i)

    def alternatives(self) -> Alternatives | None:
        if not self.states("parts") or self.part_of == "updates" or self.ending == "cut":
            return None
        columns = {"batches": "batch", "stage_updates": "updates", "over": "samples too many"}
        return Alternatives("All stages", "stage", columns)

    def conclusion(self) -> Iterator[Said]:
        constant = self._constant
        beside = "as with a constant batch of {constant}, on the same {samples sample}."
        makes = "The training makes {updates update}"
        yield First(
            Sentence(
                "The training makes {updates update}, {fewer} or {saved %} fewer than the"
                " {constant_updates} of a constant batch of {constant}.",
                self.saved > 0,
                constant=constant,
                fewer=self.constant_updates - self.updates,
            ),
            Sentence(f"{makes}, as many {beside}", same(self.saved, 0), constant=constant),
            Sentence(
                "The training makes {updates update}, {more %} more than the {constant_updates} of"
                " a constant batch of {constant}.",
                self.updates < 2 * self.constant_updates,
                constant=constant,
                more=-self.saved,
            ),
            Sentence(
                "The training makes {updates update}, {times} times the {constant_updates} of a"
                " constant batch of {constant}.",
                constant=constant,
                times=self.updates / self.constant_updates,
            ),
        )

        if 1 < len(self.batches) <= LISTED and not self.states("increment"):
            yield "Its stages make {stage_updates} updates."
        if self.states("increment"):
            growing, then = self.stage_updates
            yield First(
                *self._grown(growing, then),
                Sentence(
                    "The training ends before the batch reaches {top sample}.", top=self.batches[-1]
                ),
            )

    def _grown(self, growing: Expr, then: Expr) -> Iterator[Sentence]:
        """How many updates the batch grows for, and how many are left *then*."""
        firsts = (("first update", same(growing, 1)), ("first {growing} updates", growing > 1))
        lasts = (("last one has", same(then, 1)), ("other {then} have", then > 1))
        slots = {"growing": growing, "then": then, "top": self.batches[-1]}
        for first, begins in firsts:
            for last, ends in lasts:
                text = f"The batch grows during the {first}; the {last} a batch of {{top}}."
                yield Sentence(text, (begins, ends), **slots)

    def insights(self) -> Iterator[Said]:
        most = largest(*self.batches)
        fewest = ceiling(self.samples / most)
        yield Sentence(
            "A batch of {most} throughout would make {fewest update}, {fewer} fewer than this"
            " training.",
            (self.saved > 0, self.updates > fewest),
            fewest=fewest,
            most=most,
            fewer=self.updates - fewest,
        )
        if self.states("parts") and len(self.batches) > 3:
            return
        mean = ceiling(self.samples / self.updates)
        yield Sentence(
            "A constant batch of {mean sample} would make as many updates as this training.",
            same(ceiling(self.samples / mean), self.updates),
            mean=mean,
        )
        yield Sentence(
            "Fewer updates take less time only where an update does not take longer in proportion"
            " to its batch, for example on more workers.",
            self.saved > 0,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.states("increment"):
            return
        if self.part_of == "updates":
            yield Crosscheck(
                "the updates have room for all samples",
                self.updates * self.mean_batch >= self.samples,
            )
            yield Crosscheck(
                "one fewer has not",
                (self.updates - 1) * self.mean_batch < self.samples,
                self.updates > 1,
            )
        else:
            taken = zip(self.stage_updates, self.batches, strict=True)
            yield Crosscheck(
                "the updates have room for all samples",
                total(u * b for u, b in taken) >= self.samples,
            )
            if self.ending == "whole":
                passed = zip(self.stage_updates, self.batches, strict=True)
                yield Crosscheck(
                    "without the last one they have not",
                    total(u * b for u, b in passed) - self.batches[-1] < self.samples,
                    self.stage_updates[-1] > 0,
                )

    def premises(self) -> Iterator[Premise]:
        yield Premise("a sample teaches as much in a large batch as in a small one",
                      "critical-batch")  # fmt: skip

    @property
    def _constant(self) -> Expr:
        """The batch to compare."""
        return self.constant if self.states("constant") else self.batches[0]

    def play(self, given: PlayedGivens) -> Outcome:
        """Raise the batch, update after update."""
        compare = whole(given, "constant_updates")
        assert compare is not None
        account = Account(ramp(given, self.ending == "cut"), compare, self.declared())
        return Outcome(account.values(), account.steps)

    def laws(self) -> Iterator[Law]:
        most = "no update takes more than the largest batch"
        yield Holds(self.updates * largest(*self.batches) >= self.samples, most)
        yield Rises("constant_updates", "samples", "more samples take more updates")
        yield Falls("constant_updates", "constant", "a larger batch takes fewer updates")
