"""What bus bandwidth does a measured collective have?"""

from collections.abc import Iterator

from ddcalc.algebra import Expr, Num, floor
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import choice, count, data, derived, duration, rate
from ddcalc.shape import Shape
from ddcalc.units import BYTE_PER_SECOND, PERCENT

HALF = ("reduce_scatter", "all_gather", "all_to_all", "gather", "scatter")
WHOLE = ("broadcast", "reduce", "send")


class BusBandwidth(Problem):
    """What bus bandwidth does a measured collective have?

    nccl-tests tells two bandwidths: the algorithm bandwidth is size by time; the bus bandwidth is
    that times a factor, so that it can be compared with the wire whatever the number of ranks. A
    ring that uses its links fully has the bus bandwidth of the wire; more than the wire means that
    fewer bytes were sent (sums in the switch).

    The size is that of the whole array (all-gather, reduce-scatter) or of what each rank has (the
    others). Logs before June 2020 have (n − 1)/n in the algorithm bandwidth of these two already.

    With both bandwidths and no number of workers, the number is found: whole numbers are rounded in
    the log, so it comes out about whole.
    """

    answer = "bus_bandwidth"
    terms = ("ring all-reduce",)
    source = "NVIDIA nccl-tests, doc/PERFORMANCE.md; src/gather.cu, scatter.cu, sendrecv.cu"

    workers = count("n", "ranks", optional=True, example="8")
    size = data("S", "size", optional=True, above=0)
    time = duration("t", "time of one call", optional=True, above=0)
    algorithm_bandwidth = rate("a", "algorithm bandwidth", optional=True, example="275.58 GB/s")
    listed = rate("b", "bus bandwidth as it is listed", name="listed_bus_bandwidth", optional=True)
    wire = rate("w", "bandwidth of the wire, one way", optional=True)

    operation = choice(
        "the collective",
        name="collective",
        all_reduce="all-reduce: factor 2(n − 1)/n",
        reduce_scatter="reduce-scatter: factor (n − 1)/n",
        all_gather="all-gather: factor (n − 1)/n",
        all_to_all="all-to-all: factor (n − 1)/n",
        broadcast="broadcast: factor 1",
        reduce="reduce: factor 1",
        gather="gather: factor (n − 1)/n",
        scatter="scatter: factor (n − 1)/n",
        send="point to point: factor 1",
        in_network="all-reduce in the switch: factor (n − 1)/(n + 1)",
    )

    found = derived(
        "N", "Ranks, in parts", "the factor, solved for it, is what one bandwidth is of the other"
    )
    ranks = derived("N_whole", "Ranks", "the nearest whole number")
    factor = derived("f", "Factor", "what the busiest link carries, by the size")
    quotient = derived("A", "Algorithm bandwidth", "size by time", BYTE_PER_SECOND)
    bus_bandwidth = derived("b_bus", "Bus bandwidth", "times the factor", BYTE_PER_SECOND)
    share = derived("e", "Share of the wire", "bus bandwidth by the wire's", PERCENT)

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """None: which collective was measured is no matter of reading."""
        return iter(())

    def needs(self) -> Iterator[tuple[str, ...]]:
        measured = "algorithm_bandwidth", "size"
        if not self.states("listed_bus_bandwidth"):
            yield measured
            yield ("workers",)
        elif not self.states("workers") and self.operation not in WHOLE:
            yield measured
        if self.states("size") and not self.states("algorithm_bandwidth"):
            yield ("time",)

    def equations(self) -> Equations:
        whole = self.operation in WHOLE
        stated = self.states("algorithm_bandwidth")
        if self.states("size") and self.states("time") and not stated:
            yield self.quotient, self.size / self.time
        measured = self.algorithm_bandwidth if stated else self.quotient
        n = self.workers
        if not self.states("workers") and not whole:
            yield self.found, self._found(measured)
            yield self.ranks, floor(self.found + Num(1) / 2)
            n = self.ranks
        told = type(self).operation.options[self.operation]
        yield self.factor, self._factor(n), told
        if self.states("listed_bus_bandwidth"):
            yield self.bus_bandwidth, self.listed, "as listed"
        else:
            yield self.bus_bandwidth, self.factor * measured
        if self.states("wire"):
            yield self.share, self.bus_bandwidth / self.wire

    def _factor(self, n: Expr) -> Expr:
        if self.operation in WHOLE:
            return Num(1)
        if self.operation == "in_network":
            return (n - 1) / (n + 1)
        return (n - 1) / n if self.operation in HALF else 2 * (n - 1) / n

    def _found(self, measured: Expr) -> Expr:
        """The ranks for which the *measured* bandwidth times the factor is the listed one."""
        listed: Expr = self.listed
        if self.operation == "in_network":
            return (measured + listed) / (measured - listed)
        most = measured if self.operation in HALF else 2 * measured
        return most / (most - listed)

    def conditions(self) -> Iterator[Condition]:
        if self.states("listed_bus_bandwidth") and self.operation == "all_reduce":
            yield from self._below(2)
        elif self.states("listed_bus_bandwidth") and self.operation not in WHOLE:
            yield from self._below(1)

    def _below(self, times: int) -> Iterator[Condition]:
        """However many ranks there are, the factor is less than this."""
        if self.states("workers") or not (
            self.states("algorithm_bandwidth") or self.states("time")
        ):
            return
        stated = self.states("algorithm_bandwidth")
        measured = self.algorithm_bandwidth if stated else self.size / self.time
        yield Condition(
            self.listed < times * measured,
            "listed_bus_bandwidth",
            f"is not less than {times} times the algorithm bandwidth, as with any number of ranks",
        )
