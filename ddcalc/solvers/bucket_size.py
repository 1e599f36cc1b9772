"""How large must a message be to use the bandwidth well?"""

from collections.abc import Iterator

from ddcalc.algebra import ceiling
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import data, derived, duration, number, rate
from ddcalc.units import BYTE, BYTE_PER_SECOND, SECOND


class BucketSize(Problem):
    """How large must a message be to use the bandwidth well?

    A message takes the latency, and its data over the bandwidth. So a small one (a gradient bucket,
    a chunk of a ring) gets little of the bandwidth. Latency times bandwidth is the half-performance
    length: a message of this size spends half its time on the latency and so gets half of the
    bandwidth. Other parts of the bandwidth are multiples of it: nine times as much for 90 %.

    Of data that are sent in messages of this size, the last message holds what is left over.
    """

    answer = "size"
    group = "communication"
    terms = ("overlap",)
    source = (
        "half-performance length and asymptotic bandwidth: Hockney, The communication challenge for"
        " MPP, Parallel Computing 20, 1994; 90 % of the bandwidth: an exercise of The Algebra of"
        " Distributed Training (ttsugriy), chapter on overlapping communication"
    )

    latency = duration("alpha", "latency of a message", above=0, example="100 us")
    bandwidth = rate("b", "bandwidth", example="100 Gbit/s")
    part = number("eta", "part of the bandwidth that is to be used", above=0, most=1, default="0.9")
    volume = data("V", "data to send in such messages", above=0, optional=True)

    half = derived("B_half", "Half-performance length", "as long on its way as waiting", BYTE)
    size = derived("B", "Size of a message", "eta = B/(B + B_half), solved for B", BYTE)
    message = derived("t", "Time of a message", "latency and data", SECOND)
    messages = derived("n", "Messages", "the last may be smaller")
    total = derived("T", "Time for all data", "latency of every message, and data", SECOND)
    achieved = derived("b_n", "Bandwidth achieved", "data over time", BYTE_PER_SECOND)

    def conditions(self) -> Iterator[Condition]:
        yield Condition(self.part < 1, "part", "takes an endless message; state less than 1")

    def equations(self) -> Equations:
        yield self.half, self.latency * self.bandwidth
        yield self.size, self.half * self.part / (1 - self.part)
        yield self.message, self.latency + self.size / self.bandwidth
        if self.states("volume"):
            yield self.messages, ceiling(self.volume / self.size)
            yield self.total, self.messages * self.latency + self.volume / self.bandwidth
            yield self.achieved, self.volume / self.total
