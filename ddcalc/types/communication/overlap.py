"""How long is a step that communicates while it computes?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, Rel, cases, largest, same, smallest
from ddcalc.numbers.units import BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, data, derived, duration, number, rate

ENOUGH = "sending takes as long as computing"


class Overlap(Problem):
    """How long is a step that communicates while it computes?

    Without overlap a step takes the sum of both; with perfect overlap, the longer of the two. No
    step takes less, whatever part of the communication is said to be hidden: what is longer than
    the computation sticks out.

    Communication is stated as a time, or as the data sent and the bandwidth; compression makes it
    so many times shorter. The speed-up compares with the same step without overlap and without
    compression. What encoding and decoding take is not counted.
    """

    answer = "step"
    terms = ("overlap",)
    source = (
        "the longer of the two and their sum as bounds: Austin et al., How to Scale Your Model"
        " (Google DeepMind), 2025, chapter on rooflines; the part of the communication that is"
        " hidden: The Algebra of Distributed Training (ttsugriy), chapter on overlapping"
        " communication"
    )

    compute = duration(
        "t_comp", "computation of a step", above=0, group="computation", example="2000 ms"
    )
    communication = duration(
        "t_comm", "communication of a step", optional=True, group="communication",
        example="600 ms",
    )  # fmt: skip
    volume = data("V", "data that a process sends in a step", optional=True)
    bandwidth = rate("b", "bandwidth", optional=True, group="communication")
    compression = number(
        "k", "how many times less is sent when compressed", least=1, optional=True
    )  # fmt: skip
    overlapped = number(
        "phi", "part that is hidden if possible", least=0, most=1, default="1", example="0.8"
    )

    part_of = choice(
        "what is hidden is part of",
        communication="of the communication",
        shorter="of the shorter of communication and computation",
    )

    uncompressed = derived("t_0", "Communication", "data over bandwidth", SECOND)
    compressed = derived("t_k", "Communication when compressed", "so much less is sent", SECOND)
    ratio = derived(
        "R", "Communication over computation", "uncompressed; above 1, that is too long to hide"
    )
    serial = derived("T_sum", "One after the other", "no overlap, no compression", SECOND)
    least = derived("T_min", "The shortest step", "the longer of the two takes its time", SECOND)
    exposed = derived(
        "w", "Not hidden", "what communication adds to computation", SECOND, least=0, better="less"
    )
    step = derived("T", "The step", "computation, and what sticks out", SECOND, better="less")
    speedup = derived("S", "Speed-up", "over one after the other", least=1, better="more")
    enough = derived(
        "b_min", "Bandwidth from which all can be hidden", ENOUGH, BYTE_PER_SECOND,
    )  # fmt: skip

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "communication", "volume"
        if self.states("volume"):
            yield "bandwidth", "communication"
        if self.states("bandwidth"):
            yield ("volume",)

    def conditions(self) -> Iterator[Condition]:
        if all(map(self.states, ("communication", "volume", "bandwidth"))):
            yield Condition(
                same(self.communication * self.bandwidth, self.volume),
                "communication",
                "is not the time that the data take at this bandwidth; state one of the two",
            )

    def laws(self) -> Iterator[Law]:
        yield Holds(self.least <= self.step, "the longer of the two takes its time")
        yield Holds(self.step <= self.serial, "side by side takes no longer than in turn")
        yield Falls("step", "overlapped", "more is hidden")
        yield Falls("step", "bandwidth", "the data are sent sooner")
        yield Falls("step", "compression", "less is sent")
        yield Rises("step", "communication", "more has to be hidden, or sticks out")
        if self.states("volume") and self.states("bandwidth"):
            fast = self.bandwidth >= self.enough
            yield Holds(same(self.step, self.compute), "all is hidden", fast)

    def equations(self) -> Equations:
        if self.states("bandwidth"):
            yield self.uncompressed, self.volume / self.bandwidth
            full = self.uncompressed
        else:
            full = self.communication
        yield self.ratio, full / self.compute
        yield self.serial, self.compute + full
        sent = full
        if self.states("compression"):
            yield self.compressed, full / self.compression
            sent = self.compressed
        yield self.least, largest(self.compute, sent)
        yield self.exposed, self._exposed(sent)
        yield self.step, self.compute + self.exposed
        yield self.speedup, self.serial / self.step
        if self.states("volume"):
            all_hidden: Rel = self.overlapped >= 1
            yield (
                self.enough,
                cases(
                    (self._sent_data() / self.compute, all_hidden, ENOUGH),
                    otherwise=NOTHING,
                    why="not all of it can be hidden",
                ),
            )

    def _exposed(self, sent: Expr) -> Expr:
        """What is not hidden; at least what is longer than the computation."""
        part = smallest(self.compute, sent) if self.part_of == "shorter" else sent
        return largest(sent - self.overlapped * part, sent - self.compute)

    def _sent_data(self) -> Expr:
        if self.states("compression"):
            return self.volume / self.compression
        return self.volume
