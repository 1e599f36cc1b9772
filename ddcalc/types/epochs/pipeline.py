"""What do the bubbles of a pipeline cost?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, cases, ceiling, floor, largest, same, smallest
from ddcalc.numbers.units import BYTE, PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, data, derived, duration, elapsed, share


class Pipeline(Problem):
    """What do the bubbles of a pipeline cost?

    The layers of a model are split into stages, one a device; a batch is split into micro-batches,
    which pass the stages one after the other, forward and then backward. While the pipeline fills
    and drains, stages wait: each of them for p − 1 micro-batches, forward and backward. This is the
    bubble. With v chunks of layers on each device, which the micro-batches pass in turn
    (interleaved), it is v times shorter, if there are at least as many micro-batches as stages.
    With fewer, a device waits for the first of them before each further chunk.

    GPipe passes all micro-batches forward first, and keeps the activations of all of them; 1F1B
    goes backward as soon as it can, and the first stage keeps those of p of them at most. With
    chunks it keeps up to (p − 1)/v more, in the order of Megatron-LM, which passes the
    micro-batches in rounds of p. Where p does not divide m, the rounds here are larger and as even
    as can be; with fewer micro-batches than stages, all of them are one round. Both schedules take
    as long. Sending between stages is not counted.
    """

    answer = "bubble"
    terms = ("overlap",)
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
        whole="of the whole time of a batch",
        ideal="of the ideal time, without it",
    )
    schedule = choice(
        "the order of the passes",
        one_f_one_b="one forward, one backward (1F1B)",
        gpipe="all forward, then all backward (GPipe)",
    )
    rounds = choice(
        "the rounds in which micro-batches pass the chunks",
        any="any number of micro-batches, in rounds of the stages or more, or all in one round",
        megatron="rounds of as many as the stages, which must divide all (Megatron)",
    )

    idle = derived("w", "Micro-batches for which a stage waits", "filling and draining", least=0)
    bubble = derived("q", "The bubble", "waiting over all", least=0, better="less")
    efficiency = share(
        "e", "Part of the time in which a stage works", "the rest is the bubble", better="more"
    )
    pass_time = derived("t", "A micro-batch through a stage", "forward and backward", SECOND)
    ideal_time = derived("T_id", "Ideal time of a batch", "without a bubble", SECOND)
    waiting = elapsed("T_w", "The bubble in time", "w micro-batches long")
    batch_time = elapsed("T", "Time of a batch", "working and waiting")
    throughput = derived(
        "r", "Samples per second", "those of a batch in its time", PER_SECOND, better="more"
    )
    round = derived("g", "Micro-batches in the largest round", "as even as can be", least=1)
    kept = derived("k", "Micro-batches whose activations the first stage keeps", "", better="less")
    memory = derived(
        "A", "Activations that the first stage keeps", "those of each", BYTE, better="less"
    )

    def needs(self) -> Iterator[tuple[str, ...]]:
        if self.states_any("backward", "samples"):
            yield ("forward",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("chunks") and self.rounds == "megatron":
            turns = self.micro_batches / self.stages
            message = "is not divisible by the stages, which these rounds need; see --rounds"
            yield Condition(same(floor(turns), turns), "micro_batches", message)

    def equations(self) -> Equations:
        if self.states("chunks"):
            ends, missing = self.stages - 1, self.stages - self.micro_batches
            enough = self.stages <= self.micro_batches
            shorter = (ends / self.chunks, enough, "filling and draining, by shorter passes")
            waits = (ends + (self.chunks - 1) * missing) / self.chunks
            why = "with fewer of them than stages, before each further chunk too"
            yield self.idle, cases(shorter, otherwise=waits, why=why)
        else:
            yield self.idle, self.stages - 1
        all_of_it = self.micro_batches + self.idle
        if self.part_of == "whole":
            yield self.bubble, self.idle / all_of_it
        else:
            yield self.bubble, self.idle / self.micro_batches, "waiting over working"
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
        yield self.batch_time, self.ideal_time + self.waiting
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
