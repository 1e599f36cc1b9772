"""What bus bandwidth does a measured collective have?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, same
from ddcalc.numbers.units import BYTE_PER_SECOND, PERCENT
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem, Shape
from ddcalc.problem.quantity import choice, count, data, derived, duration, facts, rate
from ddcalc.problem.sentences import Argument, Crosscheck, First, Premise, Rewritten, Said, Sentence

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
CARRIED = {
    "all_reduce": (
        "In a ring all-reduce the array is cut into a chunk for each rank. Every rank sends one"
        " chunk after the other to its neighbour, nearly all of them twice: first to add them up,"
        " then to hand the sums round."
    ),
    "reduce_scatter": (
        "In a ring the array is cut into a chunk for each rank. Sums of chunks go round until each"
        " rank has one complete sum; every link carries all chunks but one."
    ),
    "all_gather": (
        "In a ring every rank passes on its own chunk and those that come in, all but the last"
        " one. So every link carries all chunks but one."
    ),
    "all_to_all": (
        "Every rank has a chunk for each rank and keeps the one for itself. So it sends all chunks"
        " but one."
    ),
    "broadcast": (
        "The whole array of the root has to reach every other rank, so a link into a rank carries"
        " it once."
    ),
    "reduce": "Every rank's array goes into one sum: each link out carries as much as one array.",
    "gather": "The root gets the chunks of all other ranks, and has its own already.",
    "scatter": "The root sends every other rank its chunk, and keeps its own.",
    "send": "One rank sends the array to another one, so the link carries it once.",
    "in_network": (
        "The whole arrays of all ranks go to the switch, which adds them up. Each rank gets the"
        " sums of one chunk and sends them back to the switch, which hands them to all ranks. So a"
        " rank sends its array and one chunk more."
    ),
}
NAMES = {
    "all_reduce": "all-reduce",
    "reduce_scatter": "reduce-scatter",
    "all_gather": "all-gather",
    "all_to_all": "all-to-all",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "gather": "gather",
    "scatter": "scatter",
    "send": "point-to-point transfer",
    "in_network": "all-reduce in the switch",
}
WHY = {
    "all_reduce": "each of n chunks but one, twice",
    "reduce_scatter": "each of n chunks but one",
    "all_gather": "each of n chunks but one",
    "all_to_all": "each of n chunks but a rank's own",
    "broadcast": "each link carries the array once",
    "reduce": "each link carries one array's sums",
    "gather": "each of n chunks but the root's own",
    "scatter": "each of n chunks but the root's own",
    "send": "the link carries the array once",
    "in_network": "a rank's array, and a chunk of the sums",
}
MEANT = (
    "The bus bandwidth is the rate at which the busiest link carries bytes, to be compared with the"
    " bandwidth of the wire."
)
WHOLE = ("broadcast", "reduce", "send")


class BusBandwidth(Problem):
    """What bus bandwidth does a measured collective have?

    A collective sends more or fewer bytes over each link than the array has. So size over time, the
    algorithm bandwidth, says little about the wire. The bus bandwidth counts the bytes that the
    busiest link has to carry instead: size times a factor.

    nccl-tests shows both bandwidths; the second can be compared with the wire whatever the number
    of ranks. A ring that uses its links fully has the bus bandwidth of the wire; more than the wire
    means that fewer bytes were sent. nccl-tests does not know how NCCL sums up: its factor for an
    all-reduce is always 2(n − 1)/n, and what it lists may be beyond the wire where the switch adds
    up. The choice ``in-network`` has the factor of what is then really sent.

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
    keywords = "busbw and algbw; nccl-tests output; measured all-reduce bandwidth"
    terms = ("ring all-reduce", "bus bandwidth", "alpha-beta model")
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
    wire = rate(
        "w", "bandwidth of the wire, one way", optional=True, filled_by=facts("link.bandwidth")
    )

    operation = choice("the collective", name="collective", **FACTORS)

    quotient = derived("A", "Algorithm bandwidth", "", BYTE_PER_SECOND)
    factor = derived("f", "What the busiest link carries, in arrays", "", least=0, most=2)
    bus_bandwidth = derived(
        "b_bus", "Bus bandwidth", "bytes over the link, not of the array, per second",
        BYTE_PER_SECOND, better="more",
    )  # fmt: skip
    share = derived("e", "Share of the wire", "", PERCENT, better="more")

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

    def mechanism(self) -> str:
        return f"{MEANT} {CARRIED[self.operation]}"

    def conclusion(self) -> Iterator[Said]:
        name = NAMES[self.operation]
        if self.states("listed_bus_bandwidth"):
            whose = "The listed bus bandwidth is {bus_bandwidth}"
            yield Sentence(f"{whose}.") if not self.states("wire") else self._compared(whose)
            return
        counts = self.states("workers") and self.operation not in WHOLE
        among = " among {workers rank}" if counts else ""
        a = "an" if name[0] == "a" else "a"
        whose = f"The bus bandwidth of {a} {name}{among} is {{bus_bandwidth}}"
        alone = (
            f"One rank alone sends nothing in {a} {name}: the bus bandwidth is {{bus_bandwidth}}."
        )
        yield First(
            Sentence(alone, same(self.factor, 0)),
            self._compared(whose) if self.states("wire") else Sentence(f"{whose}."),
        )

    def _compared(self, whose: str) -> Said:
        """*whose* bandwidth it is, beside the wire's."""
        more = ", {share %} of the wire's {wire}: more than the wire carries one way."
        return First(
            Sentence(f"{whose}{more}", self.bus_bandwidth > self.wire),
            Sentence(f"{whose}, {{share %}} of the wire's {{wire}}."),
        )

    def insights(self) -> Iterator[Said]:
        if self.states("wire"):
            if self.operation == "all_reduce":
                less = ": fewer bytes pass it where a switch adds up"
            else:
                less = ""
            yield Sentence(
                f"Not all that the factor counts can have passed this wire{less}.",
                self.bus_bandwidth > self.wire,
            )
            if self.states("workers") or self.operation in WHOLE:
                most = "With this wire the algorithm bandwidth cannot exceed {most}"
                yield First(
                    Sentence(
                        f"{most}: the whole array has to pass it.",
                        (same(self.factor, 1), self.bus_bandwidth <= self.wire),
                        most=self.wire / self.factor,
                    ),
                    Sentence(
                        f"{most}: {{factor}} times the array has to pass it.",
                        (self.factor > 0, self.bus_bandwidth <= self.wire),
                        most=self.wire / self.factor,
                    ),
                )
        if self.operation == "all_reduce" and self.states("workers"):
            yield Sentence(
                "However many ranks there are, the factor stays below 2: a link never carries more"
                " than twice the array.",
                self.workers > 2,
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.states("listed_bus_bandwidth") or not self.states("workers"):
            return
        chunk, carried = self._measured_size, self._chunks
        if carried is None or chunk is None:
            return
        yield Crosscheck(
            "{many chunk} of {chunk} over the busiest link in {time}",
            same(carried * (chunk / self.workers) / self.time, self.bus_bandwidth),
            carried > 0,
            many=carried,
            chunk=chunk / self.workers,
        )

    @property
    def _measured_size(self) -> Expr | None:
        stated = self.states("size") and not self.states("algorithm_bandwidth")
        return self.size if stated else None

    @property
    def _chunks(self) -> Expr | None:
        """How many chunks the busiest link carries, of as many as there are ranks."""
        if self.operation in WHOLE:
            return None
        n = self.workers
        if self.operation == "all_reduce":
            return 2 * (n - 1)
        return n + 1 if self.operation == "in_network" else n - 1

    def premises(self) -> Iterator[Premise]:
        if self.operation == "all_reduce":
            factor = "the factor is that of a ring, as in nccl-tests whatever algorithm ran"
            yield Premise(factor, "collective")
        else:
            yield Premise("nothing else is sent over the links")
        if self.operation not in (*WHOLE, "in_network"):
            yield Premise("the size is that of the whole array, not of a rank's part")

    def arguments(self) -> Iterator[Argument]:
        if self.operation in ("all_reduce", "in_network") and self.states("workers"):
            n, count = self.workers, self._chunks
            assert count is not None
            part = "so many messages of a chunk, 1/n of the array each"
            yield Rewritten(self.factor, ((count * (1 / n), part),))

    def equations(self) -> Equations:
        measured = self.algorithm_bandwidth
        if self.states("size") and self.states("time") and not self.states("algorithm_bandwidth"):
            yield self.quotient, self.size / self.time
            measured = self.quotient
        if self.states("workers") or self.operation in WHOLE:
            yield self.factor, self._factor(), WHY[self.operation]
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
