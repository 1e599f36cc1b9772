"""What bus bandwidth does a measured collective have?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num
from ddcalc.numbers.units import BYTE_PER_SECOND, PERCENT
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem, Shape
from ddcalc.problem.quantity import choice, count, data, derived, duration, rate

FACTORS = {
    "all_reduce": "all-reduce: factor 2(n − 1)/n",
    "reduce_scatter": "reduce-scatter: factor (n − 1)/n",
    "all_gather": "all-gather: factor (n − 1)/n",
    "all_to_all": "all-to-all: factor (n − 1)/n",
    "broadcast": "broadcast: factor 1",
    "reduce": "reduce: factor 1",
    "gather": "gather: factor (n − 1)/n",
    "scatter": "scatter: factor (n − 1)/n",
    "send": "point to point: factor 1",
    "in_network": "all-reduce in the switch: factor (n + 1)/n",
}
WHOLE = ("broadcast", "reduce", "send")


class BusBandwidth(Problem):
    """What bus bandwidth does a measured collective have?

    nccl-tests shows two bandwidths: the algorithm bandwidth is size by time; the bus bandwidth is
    that times a factor, so that it can be compared with the wire whatever the number of ranks. A
    ring that uses its links fully has the bus bandwidth of the wire; more than the wire means that
    fewer bytes were sent. nccl-tests does not know how NCCL sums up: its factor for an all-reduce
    is always 2(n − 1)/n, and what it lists may be beyond the wire where the switch adds up. The
    choice ``in-network`` has the factor of what is then really sent.

    The size is that of the array which all ranks, or the root, have in the end or to begin with:
    for all-gather, reduce-scatter, gather and scatter that is the part of one rank times the
    ranks; for an all-to-all what each rank has. Logs before June 2020 have (n − 1)/n in the
    algorithm bandwidth of all-gather and reduce-scatter already. A bus bandwidth that is listed is
    only compared with the wire.

    How many ranks took part follows from a log with both bandwidths. They are rounded, so ask for
    a range: ``--find workers --where "bus_bandwidth >= 91.68 GB/s" --where "bus_bandwidth <= 91.7
    GB/s"``.
    """

    answer = "bus_bandwidth"
    terms = ("ring all-reduce",)
    source = (
        "NVIDIA nccl-tests, doc/PERFORMANCE.md; src/gather.cu, scatter.cu, sendrecv.cu; sums in the"
        " switch: comment of 2024-09-02 in its pull request 239, which takes back one of 2024-07-05"
        " in its issue 212"
    )

    workers = count("n", "ranks", optional=True, example="8")
    size = data("S", "size, as nccl-tests counts it", optional=True, above=0)
    time = duration("t", "time of one call", optional=True, above=0)
    algorithm_bandwidth = rate("a", "algorithm bandwidth", optional=True, example="275.58 GB/s")
    listed = rate("b", "bus bandwidth as it is listed", name="listed_bus_bandwidth", optional=True)
    wire = rate("w", "bandwidth of the wire, one way", optional=True)

    operation = choice("the collective", name="collective", **FACTORS)

    quotient = derived("A", "Algorithm bandwidth", "size by time", BYTE_PER_SECOND)
    factor = derived("f", "Factor", "what the busiest link carries, by the size", least=0, most=2)
    bus_bandwidth = derived(
        "b_bus", "Bus bandwidth", "times the factor", BYTE_PER_SECOND, better="more"
    )
    share = derived("e", "Share of the wire", "bus bandwidth by the wire's", PERCENT, better="more")

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """None: the log says which collective was measured."""
        return iter(())

    def needs(self) -> Iterator[tuple[str, ...]]:
        if not self.states("listed_bus_bandwidth"):
            yield "algorithm_bandwidth", "size"
            yield ("workers",)
        if self.states("size") and not self.states("algorithm_bandwidth"):
            yield ("time",)

    def laws(self) -> Iterator[Law]:
        yield Falls("bus_bandwidth", "time", "a slower call moves less per second")
        yield Rises("bus_bandwidth", "size", "more in the same time")
        if self.operation == "in_network":
            yield Holds(self.factor > 1, "a rank's whole array leaves it to be summed")

    def equations(self) -> Equations:
        measured = self.algorithm_bandwidth
        if self.states("size") and self.states("time") and not self.states("algorithm_bandwidth"):
            yield self.quotient, self.size / self.time
            measured = self.quotient
        if self.states("workers") or self.operation in WHOLE:
            yield self.factor, self._factor(), FACTORS[self.operation]
        if self.states("listed_bus_bandwidth"):
            yield self.bus_bandwidth, self.listed, "as listed"
        else:
            yield self.bus_bandwidth, self.factor * measured
        if self.states("wire"):
            yield self.share, self.bus_bandwidth / self.wire

    def _factor(self) -> Expr:
        n = self.workers
        if self.operation in WHOLE:
            return Num(1)
        if self.operation == "all_reduce":
            return 2 * (n - 1) / n
        return (n + 1) / n if self.operation == "in_network" else (n - 1) / n
