"""What do the bubbles of a pipeline cost?"""

from collections.abc import Iterator

from ddcalc.algebra import Expr, smallest
from ddcalc.problem import Equations, Problem
from ddcalc.quantity import choice, count, data, derived, duration
from ddcalc.units import BYTE, PER_SECOND, SECOND


class Pipeline(Problem):
    """What do the bubbles of a pipeline cost?

    The layers of a model are split into stages, one a device; a batch is split into micro-batches,
    which pass the stages one after the other, forward and then backward. While the pipeline fills
    and drains, stages wait: each of them for p − 1 micro-batches, forward and backward. This is the
    bubble. With v chunks of layers on each device, which the micro-batches pass in turn
    (interleaved), it is v times shorter.

    GPipe passes all micro-batches forward first, and keeps the activations of all of them; 1F1B
    goes backward as soon as it can, and the first stage keeps those of p of them at most
    (with several chunks some more, which is not counted). Both take as long. Sending between stages
    is not counted.
    """

    answer = "bubble"
    group = "epoch and step timing"
    terms = ("overlap",)
    source = (
        "Huang et al., GPipe, arXiv:1811.06965 (part of the whole time); Narayanan et al., SC 2021,"
        " arXiv:2104.04473, section 2.2 (part of the ideal time, 1F1B, interleaved stages)"
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

    bubble = derived("q", "The bubble", "waiting over all")
    efficiency = derived("e", "Part of the time in which a stage works", "the rest is the bubble")
    pass_time = derived("t", "A micro-batch through a stage", "forward and backward", SECOND)
    ideal_time = derived("T_id", "Ideal time of a batch", "without a bubble", SECOND)
    waiting = derived("T_w", "The bubble in time", "filling and draining", SECOND)
    batch_time = derived("T", "Time of a batch", "working and waiting", SECOND)
    throughput = derived("r", "Samples a second", "those of a batch in its time", PER_SECOND)
    kept = derived("k", "Micro-batches whose activations the first stage keeps", "")
    memory = derived("A", "Activations that the first stage keeps", "of each of them", BYTE)

    def needs(self) -> Iterator[tuple[str, ...]]:
        if self.states("backward") or self.states("samples"):
            yield ("forward",)

    def equations(self) -> Equations:
        idle = self._idle()
        if self.part_of == "whole":
            yield self.bubble, idle / (self.micro_batches + idle)
        else:
            yield self.bubble, idle / self.micro_batches, "waiting over working"
        yield self.efficiency, self.micro_batches / (self.micro_batches + idle)
        if self.states("forward"):
            yield from self._times()
        if self.schedule == "gpipe":
            yield self.kept, self.micro_batches, "all, before the first goes backward"
        elif self.states("activations"):
            yield self.kept, self._most_kept(), "no more go forward before one comes back"
        if self.states("activations"):
            yield self.memory, self.kept * self.activations

    def _idle(self) -> Expr:
        """For how many micro-batches each stage waits."""
        waits = self.stages - 1
        return waits / self.chunks if self.states("chunks") else waits  # type: ignore[no-any-return]

    def _most_kept(self) -> Expr:
        return smallest(self.stages, self.micro_batches)

    def _times(self) -> Equations:
        if self.states("backward"):
            yield self.pass_time, self.forward + self.backward
        else:
            yield self.pass_time, self.forward, "forward alone"
        yield self.ideal_time, self.micro_batches * self.pass_time
        yield self.waiting, self._idle() * self.pass_time
        yield self.batch_time, self.ideal_time + self.waiting
        if self.states("samples"):
            yield self.throughput, self.micro_batches * self.samples / self.batch_time
