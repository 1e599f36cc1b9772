"""How large must a message be to use the bandwidth well?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import ceiling
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import count, data, derived, duration, number, rate


class BucketSize(Problem):
    """How large must a message be to use the bandwidth well?

    A message takes the latency, and its data over the bandwidth. So a small one gets little of the
    bandwidth. Latency times bandwidth is the half-performance length: a message of this size spends
    half its time on the latency and so gets half of the bandwidth. Other parts of the bandwidth are
    multiples of it: nine times as much for 90 %.

    Where workers are stated, it is a bucket of gradients that is asked for, which they average by a
    ring: in each of 2(p − 1) rounds a worker sends a p-th part of it, and that must be as large as
    a single message.

    Of data that are sent in messages (or buckets) of this size, the last one holds what is left
    over.
    """

    answer = "size"
    terms = ("overlap",)
    source = (
        "half-performance length and asymptotic bandwidth: Hockney, The communication challenge for"
        " MPP, Parallel Computing 20, 1994; 90 % of the bandwidth: an exercise of The Algebra of"
        " Distributed Training (ttsugriy), chapter on overlapping communication"
    )

    latency = duration("alpha", "latency of a message", above=0, example="100 us")
    bandwidth = rate("b", "bandwidth", example="100 Gbit/s")
    part = number("eta", "part of the bandwidth that is to be used", above=0, most=1, default="0.9")
    volume = data("V", "data to send so", above=0, optional=True)
    workers = count("p", "workers that average it by a ring", least=2, optional=True)

    half = derived("B_half", "Half-performance length", "as long on its way as waiting", BYTE)
    chunk = derived("C", "A chunk of the ring", "eta = C/(C + B_half), solved for C", BYTE)
    rounds = derived("R", "Rounds", "p − 1 to add the chunks up, p − 1 to hand them on")
    size = derived("B", "Size to send at once", "eta = B/(B + B_half), solved for B", BYTE)
    message = derived("t", "Its time", "latency and data", SECOND)
    messages = derived("n", "How many are sent", "the last may be smaller")
    sent = derived("V_w", "What a worker sends in all", "its part of every round", BYTE)
    total = derived(
        "T", "Time for all data", "latency of every message, and data", SECOND, better="less"
    )
    achieved = derived(
        "b_n", "Bandwidth achieved", "data over time", BYTE_PER_SECOND, better="more"
    )

    def conditions(self) -> Iterator[Condition]:
        yield Condition(self.part < 1, "part", "takes an endless message; state less than 1")

    def laws(self) -> Iterator[Law]:
        yield Rises("size", "latency", "longer waiting takes more data to make up for it")
        yield Rises("size", "part", "more of the bandwidth takes larger messages")
        yield Rises("size", "workers", "a bucket has a chunk for each worker")
        if self.states("volume"):
            yield Holds(self.achieved <= self.bandwidth, "latency only takes time")

    def equations(self) -> Equations:
        yield self.half, self.latency * self.bandwidth
        least = self.half * self.part / (1 - self.part)
        if self.states("workers"):
            yield self.chunk, least
            yield self.rounds, 2 * (self.workers - 1)
            yield self.size, self.workers * self.chunk, "a bucket, with a chunk for each worker"
            once = self.latency + self.chunk / self.bandwidth
            yield self.message, self.rounds * once, "a chunk in every round"
        else:
            yield self.size, least
            yield self.message, self.latency + self.size / self.bandwidth
        if self.states("volume"):
            yield self.messages, ceiling(self.volume / self.size)
            yield from self._together()

    def _together(self) -> Equations:
        """All data, in messages or buckets."""
        sent, waits = self.volume, self.messages
        if self.states("workers"):
            yield self.sent, self.rounds * self.volume / self.workers
            sent, waits = self.sent, self.messages * self.rounds
        yield self.total, waits * self.latency + sent / self.bandwidth
        yield self.achieved, sent / self.total
