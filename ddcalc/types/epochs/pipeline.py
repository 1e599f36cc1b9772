"""What do the bubbles of a pipeline cost?"""

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.algebra import Expr, Rel, cases, ceiling, floor, largest, same, smallest
from ddcalc.numbers.units import BYTE, PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, data, derived, duration, elapsed, share
from ddcalc.problem.sentences import After, Crosscheck, First, Premise, Said, Sentence


class Pipeline(Problem):
    """What do the bubbles of a pipeline cost?

    Every stage works on all micro-batches, but it has to wait for its first one to get through the
    stages before it, and for its last one to come back. While the pipeline fills and drains like
    this, stages wait. This bubble is equally long for any number of micro-batches; more of them
    dilute it.

    The layers of a model are split into stages, one a device, and a batch into micro-batches, which
    pass the stages one after the other, forward and then backward. Different stages work on
    different micro-batches at the same time.

    While the pipeline fills and drains, each stage waits for p − 1 micro-batches, forward and
    backward. With v chunks of layers on each device, which the micro-batches pass in turn
    (interleaved), that is v times shorter, if there are at least as many micro-batches as stages.
    With fewer, a device waits for the first of them before each further chunk.

    GPipe passes all micro-batches forward first, and keeps the activations of all of them; 1F1B
    goes backward as soon as it can, and the first stage keeps those of p of them at most. With
    chunks it keeps up to (p − 1)/v more, in the order of Megatron-LM, which passes the
    micro-batches in rounds of p. Where p does not divide m, the rounds here are larger and as even
    as can be, unless Megatron's rounds are asked for, which need such an m; with fewer
    micro-batches than stages, all of them are one round. Without chunks, or with one, there are no
    rounds. Both schedules take as long. Sending between stages is not counted.
    """

    answer = "bubble"
    keywords = (
        "pipeline parallelism; bubble; GPipe; 1F1B; interleaved schedule; micro-batches and"
        " stages; idle time"
    )
    terms = ("overlap", "pipeline", "model parallelism")
    source = (
        "Huang et al., GPipe, arXiv:1811.06965 (part of the whole time); Narayanan et al., SC 2021,"
        " arXiv:2104.04473, section 2.2 (part of the ideal time, 1F1B, interleaved stages);"
        " Korthikanti et al., arXiv:2205.05198 (activations of interleaved stages); Megatron-LM,"
        " megatron/core/pipeline_parallel/schedules.py (the interleaved order)"
    )

    stages = count("p", "stages", example="8")
    micro_batches = count("m", "micro-batches in a batch", example="64")
    chunks = count("v", "chunks of layers on each device, interleaved", optional=True)
    forward = duration(
        "t_f", "a micro-batch forward through a stage", above=0, optional=True, example="10 ms"
    )
    backward = duration(
        "t_b", "a micro-batch backward through a stage", optional=True, example="20 ms"
    )
    samples = count("b", "samples in a micro-batch", optional=True)
    activations = data("a", "activations of a micro-batch in a stage", optional=True)

    part_of = choice(
        "the bubble is a part of",
        whole="the bubble as a part of the whole time",
        ideal="the bubble as a part of the time without it",
    )
    schedule = choice(
        "the order of the passes",
        one_f_one_b="a stage goes backward as soon as it can (1F1B)",
        gpipe="all micro-batches go forward, then all backward (GPipe)",
        also="1f1b one_f_one_b",
    )
    rounds = choice(
        "the rounds in which micro-batches pass the chunks",
        any="any number of micro-batches, in rounds as even as can be",
        megatron="rounds of as many micro-batches as stages (Megatron)",
    )

    idle = derived(
        "w", "Waiting of a stage, in micro-batches",
        "one passes each of the other stages, while it fills and drains", least=0,
    )  # fmt: skip
    bubble = derived("q", "The bubble", "its waiting over all of its time", least=0, better="less")
    efficiency = share("e", "Part of the time in which a stage works", "", better="more")
    pass_time = derived("t", "A micro-batch through a stage", "forward and backward", SECOND)
    ideal_time = derived("T_id", "Ideal time of a batch", "every stage works all the time", SECOND)
    waiting = elapsed("T_w", "The bubble in time", "")
    batch_time = elapsed("T", "Time of a batch", "working and waiting")
    throughput = derived("r", "Samples per second", "", PER_SECOND, better="more")
    round = derived("g", "Micro-batches in the largest round", "as even as can be", least=1)
    kept = derived("k", "Micro-batches whose activations the first stage keeps", "", better="less")
    memory = derived("A", "Activations that the first stage keeps", "", BYTE, better="less")

    def needs(self) -> Iterator[tuple[str, ...]]:
        if self.states_any("backward", "samples"):
            yield ("forward",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("chunks") and self.rounds == "megatron":
            turns = self.micro_batches / self.stages
            left = (self.chunks - 1) * (turns - floor(turns))  # one chunk alone has no rounds
            message = "is not divisible by the stages, which these rounds need; see --rounds"
            yield Condition(same(left, 0), "micro_batches", message)

    def mechanism(self) -> str:
        if not self.states("chunks"):
            return super().mechanism()
        return (
            "While the pipeline fills and drains, devices wait; the smaller the chunks of layers,"
            " the sooner the next device can begin. The micro-batches of a batch pass all devices"
            " once for each chunk, forward and then backward; different devices work on different"
            " micro-batches at the same time."
        )

    def conclusion(self) -> Iterator[Said]:
        yield First(
            Sentence("There is no bubble: one stage alone never waits.", same(self.stages, 1)),
            self._bubble_in_words(),
        )
        if self.states("forward"):
            wait = self.idle * self.pass_time
            yield First(
                Sentence("A batch takes {batch_time}.", same(self.stages, 1)),
                Sentence("A batch takes {batch_time}, of which {wait} is waiting.", wait=wait),
            )
        if self.states("samples"):
            yield "That is {throughput sample} per second."
        if self.states("activations"):
            yield (
                "The first stage keeps the activations of {kept micro-batch} at a time: {memory}."
            )

    def _bubble_in_words(self) -> str:
        rest = "each stage waits for the time of {idle micro-batch} and works on {micro_batches}."
        if self.part_of == "whole":
            return f"The bubble is {{bubble %}} of the whole time: {rest}"
        return f"The bubble adds {{bubble %}} to the time without it: {rest}"

    def insights(self) -> Iterator[Said]:
        yield from self._of_chunks() if self.states("chunks") else self._of_stages()
        if self.states("activations") and self.schedule == "one_f_one_b":
            yield Sentence(
                "If all micro-batches went forward first (GPipe), it would keep {all}.",
                self.kept < self.micro_batches,
                all=self.micro_batches * self.activations,
            )

    def _of_stages(self) -> Iterator[Said]:
        """From how many micro-batches on the bubble is small, and what chunks would do."""
        several = self.stages > 1
        weight = 9 if self.part_of == "whole" else 10
        enough = weight * self.idle
        yield self._of_twice(several)
        yield First(
            Sentence(
                "Only from {enough} micro-batches on would the bubble be 10 % or less.",
                (several, self.bubble > Fraction(1, 10)),
                enough=enough,
            ),
            Sentence(
                "The bubble stays at 10 % or less down to {enough micro-batch}.",
                (several, self.bubble < Fraction(1, 10)),
                enough=enough,
            ),
        )
        half = self.idle / 2
        whole = self.micro_batches + half if self.part_of == "whole" else self.micro_batches
        yield Sentence(
            "Two chunks of layers on each device (interleaved) would halve the waiting, to"
            " {half micro-batch}, for more than twice as many transfers: a bubble of {then %}.",
            (several, self.micro_batches >= self.stages),
            half=half,
            then=half / whole,
        )

    def _of_twice(self, several: Rel) -> Said:
        """What twice the micro-batches of the same size would change."""
        twice = 2 * self.micro_batches
        bubble = After(self.bubble, micro_batches=twice)
        begin = "Twice the micro-batches, {twice} of the same size, would make the bubble {less %}"
        if not self.states("forward"):
            return Sentence(f"{begin}.", several, twice=twice, less=bubble)
        part = (twice + self.idle) / (self.micro_batches + self.idle)
        return Sentence(
            f"{begin}: {{longer}} for twice the work, {{more}} times the throughput.",
            several,
            twice=twice,
            less=bubble,
            longer=After(self.batch_time, micro_batches=twice),
            more=2 / part,
        )

    def _of_chunks(self) -> Iterator[Said]:
        """What more of them would do, and more micro-batches."""
        several = self.stages > 1
        more = "at the cost of more than twice as many transfers between devices"
        yield First(
            Sentence(
                "Twice as many micro-batches, or twice as many chunks on each device, would"
                f" make it {{then %}}; the chunks {more}.",
                (several, self.micro_batches >= self.stages),
                then=After(self.bubble, chunks=2 * self.chunks),
            ),
            Sentence(
                f"Twice as many chunks on each device would make it {{then %}}, {more}.",
                (several, self.micro_batches > 1),
                then=After(self.bubble, chunks=2 * self.chunks),
            ),
        )
        yield Sentence(
            "Twice as many micro-batches would make it {then %}.",
            (several, self.micro_batches < self.stages),
            then=After(self.bubble, micro_batches=2 * self.micro_batches),
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.states("chunks"):
            return
        turns = self.micro_batches + self.stages - 1
        places, used = self.stages * turns, self.stages * self.micro_batches
        idle = places - used
        if self.states("forward"):
            yield from self._by_passes(turns)
            return
        base, of = (places, "") if self.part_of == "whole" else (used, ", to those that are used")
        yield Crosscheck(
            f"places of stages × turns that stay empty{of}, {{idle_places}} of {{base}}",
            same(idle / base, self.bubble),
            self.stages > 1,
            idle_places=idle,
            base=base,
        )

    def _by_passes(self, turns: Expr) -> Iterator[Crosscheck]:
        """The time of a batch by its passes, in the order of the schedule."""
        several = self.stages > 1, self.micro_batches > 2
        if self.schedule == "gpipe":
            if self.states("backward"):
                both_ways = turns * self.forward + turns * self.backward
                text = "{turns turn} forward, then as many backward"
                yield Crosscheck(text, same(both_ways, self.batch_time), several, turns=turns)
            return
        first, others = self.stages * self.pass_time, self.micro_batches - 1
        yield Crosscheck(
            "the first micro-batch takes {first}, each of the other {others} ends {pass_time}"
            " later",
            same(first + others * self.pass_time, self.batch_time),
            several,
            first=first,
            others=others,
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("all stages take equally long")
        yield Premise("sending between stages takes no time")
        yield Premise("each batch drains before the next one begins")

    def equations(self) -> Equations:
        if self.states("chunks"):
            ends, missing = self.stages - 1, self.stages - self.micro_batches
            enough = self.stages <= self.micro_batches
            shorter = (
                ends / self.chunks,
                enough,
                "as long as one takes through the other devices, a chunk each",
            )
            waits = (ends + (self.chunks - 1) * missing) / self.chunks
            why = "with fewer of them than stages, before each further chunk too"
            yield self.idle, cases(shorter, otherwise=waits, why=why)
        else:
            yield self.idle, self.stages - 1
        all_of_it = self.micro_batches + self.idle
        if self.part_of == "whole":
            yield self.bubble, self.idle / all_of_it
        else:
            yield self.bubble, self.idle / self.micro_batches, "its waiting over its work"
        yield self.efficiency, self.micro_batches / all_of_it
        if self.states("forward"):
            yield from self._times()
        if self.schedule == "gpipe":
            yield self.kept, self.micro_batches, "all, before the first goes backward"
        elif self.states("activations"):
            yield from self._most_kept()
        if self.states("activations"):
            yield self.memory, self.kept * self.activations

    def _most_kept(self) -> Equations:
        plain = smallest(self.stages, self.micro_batches)
        why = "no more go forward before one comes back"
        if not self.states("chunks"):
            yield self.kept, plain, why
            return
        full: Expr = self.stages
        if self.rounds == "any":
            full = self.round
            rounds = largest(floor(self.micro_batches / self.stages), 1)
            yield self.round, ceiling(self.micro_batches / rounds)
        ahead = ((self.chunks - 1) * full + 2 * self.stages - 1) / self.chunks
        ahead = smallest(self.micro_batches, ahead)
        more = "as many chunks go forward before the first comes back"
        yield self.kept, cases((plain, same(self.chunks, 1), why), otherwise=ahead, why=more)

    def _times(self) -> Equations:
        if self.states("backward"):
            yield self.pass_time, self.forward + self.backward
        else:
            yield self.pass_time, self.forward, "forward alone"
        yield self.ideal_time, self.micro_batches * self.pass_time
        yield self.waiting, self.idle * self.pass_time
        yield self.batch_time, (self.micro_batches + self.idle) * self.pass_time
        if self.states("samples"):
            yield self.throughput, self.micro_batches * self.samples / self.batch_time

    def laws(self) -> Iterator[Law]:
        yield Falls("bubble", "micro_batches", "more work shares the same filling and draining")
        yield Rises("bubble", "stages", "more stages take longer to fill and drain")
        if self.states("chunks"):
            yield Falls("bubble", "chunks", "shorter passes fill and drain faster")
        if self.states("forward"):
            alone = self.stages * self.pass_time
            yield Holds(self.batch_time >= alone, "a micro-batch passes one stage after the other")
        if self.states("activations"):
            all_of_them = self.micro_batches * self.activations
            yield Holds(self.memory <= all_of_them, "there are no more than those of the batch")
