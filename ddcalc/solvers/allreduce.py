"""How long does an all-reduce take?"""

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.algebra import (
    NOTHING,
    Eq,
    Expr,
    Num,
    Sym,
    cases,
    ceiling_log2,
    floor_log2,
    floor_power2,
    smallest,
)
from ddcalc.collectives.algorithms import ALGORITHMS, Way
from ddcalc.collectives.cost import Ranks, without_ones
from ddcalc.collectives.places import Places
from ddcalc.problem import Equations, Ranking
from ddcalc.quantity import choice, count, derived, rate
from ddcalc.shape import Shape
from ddcalc.units import BYTE, BYTE_PER_SECOND, SECOND

WHY = {
    "ring": "p − 1 to reduce-scatter, p − 1 to all-gather",
    "bidirectional": "half way round to reduce-scatter, half way to all-gather",
    "tree": "as deep as the tree, to the root and back",
    "double_tree": "the first block's way to both roots and back; the others follow closely",
    "recursive_doubling": "one to double what is summed; two more if p is no power of two",
    "halving_doubling": "to halve and back; two more if p is no power of two",
    "two_level": "a ring between the nodes",
    "parameter_server": "one message after the other on the busiest link",
    "naive": "one to every other worker",
}
ONE_BY_ONE = "one message after the other"
MOVED = {
    "double_tree": "all data twice: to two children half each, half to each of two parents; less"
    " for fewer than four workers"
}
OF_RINGS, OF_NODES = ("factor",), ("factor", "levels", "uplink")
OF_DEPTH = {"tree", "double_tree"}
OF_POWERS = {"recursive_doubling", "halving_doubling"}
OF_SERVERS = ("server", "server_link", "ways")


class Allreduce(Places):
    """How long does an all-reduce take?

    Every worker has a vector, and all want the sum of all vectors. In a round each worker sends a
    message and receives another one at the same time; a message takes its latency and its bytes
    over the bandwidth. The time is that of all rounds, and of adding up where its speed is stated.

    With any number of workers: a ring has one chunk for each, and both ways round sends half of it
    each way, over two links at once; a tree is as deep as log₂ p rounded up. The double tree of
    NCCL sends half of the data along each of two binary trees, in small blocks that follow each
    other: only the first one's latency counts. Recursive doubling and halving-doubling need a power
    of two: the workers beyond the largest one hand in their data first, in one more round, and get
    the result in another (MPICH). On a parameter server a link takes one message after the other.

    `--size` is what one worker has. `--algorithm all` ranks the algorithms, but for the ring with
    twice the links and the double tree, whose blocks cost nothing of their own, and says at which
    size the order changes; `--versus tree` finds the size at which two take equally long. The bus
    bandwidth is that of nccl-tests (doc/PERFORMANCE.md), whatever the algorithm.
    """

    answer = "time"
    group = "communication"
    terms = ("ring all-reduce", "parameter server", "data parallelism")
    source = (
        "Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in"
        " MPICH, IJHPCA 19(1), 2005; MPICH, src/mpi/coll/allreduce (other numbers than powers of"
        " two); Patarasuk and Yuan, J. Parallel Distrib. Comput. 69(2), 2009 (ring);"
        " Sanders, Speck and Träff, Parallel Computing 35(12), 2009, and NCCL, src/graph/trees.cc"
        " and tuning.cc (double tree)"
    )

    reduce = rate("g", "how fast a worker adds up", optional=True, group="adding up")
    calls = count("c", "calls, one after the other", optional=True)

    algorithm = choice("the algorithm", **ALGORITHMS, all="every algorithm, the fastest one counts")
    versus = choice(
        "an algorithm to compare with",
        none="compared with no other one",
        **{name: f"to compare with: {says}" for name, says in ALGORITHMS.items()},
    )
    reduction = choice(
        "adding up",
        counted="adding up takes time, as stated",
        left_out="adding up takes no time",
    )
    depth = derived("h", "Doublings that reach all workers", "rounded up")
    doublings = derived("d", "Doublings within the workers", "less than h if p is no power of two")
    core = derived("m", "The largest power of two within p", "the workers beyond it go first")
    inner_rounds = derived("R_in", "Rounds inside a node", "before and after those between nodes")
    inner_moved = derived("D_in", "Bytes in these rounds", "one message after the other", BYTE)
    rounds = derived("R", "Rounds", "")
    moved = derived("D", "Bytes in these rounds", ONE_BY_ONE, BYTE)
    latency_time = derived("t_lat", "Latency", "of every round", SECOND)
    transfer_time = derived("t_move", "Transfer", "bytes over bandwidth", SECOND)
    added = derived("A", "Bytes added up", "one after the other, by the busiest worker", BYTE)
    reduction_time = derived("t_add", "Adding up", "bytes over speed", SECOND)
    ring = derived("t_ring", "Ring", "reduce-scatter, then all-gather", SECOND)
    tree = derived("t_tree", "Tree", "reduce to a root, then broadcast", SECOND)
    recursive_doubling = derived("t_rd", "Recursive doubling", "pairs exchange all data", SECOND)
    halving_doubling = derived("t_hd", "Halving-doubling", "halves, and back", SECOND)
    two_level = derived("t_two", "Two levels", "inside each node, then between them", SECOND)
    parameter_server = derived("t_ps", "Parameter server", "all data in, the sum back", SECOND)
    naive = derived("t_naive", "Everyone to everyone", "all data to all others", SECOND)
    call = derived("t_call", "One call", "its parts add up", SECOND)
    time = derived("T", "Time", "its parts add up", SECOND)
    sent = derived("V", "Bytes that a worker sends", "the busiest one", BYTE)
    algorithm_bandwidth = derived("b_alg", "Algorithm bandwidth", "size by time", BYTE_PER_SECOND)
    bus_bandwidth = derived(
        "b_bus", "Bus bandwidth", "a rank's part of 2(p − 1) transfers, by time", BYTE_PER_SECOND
    )
    other = derived("T_x", "The other algorithm", "", SECOND)
    start = derived("a", "Its time without any data", "", SECOND)
    slope = derived("b", "Its time for each byte", "", SECOND.per(BYTE))
    other_start = derived("a_x", "The other's without any data", "", SECOND)
    other_slope = derived("b_x", "The other's for each byte", "", SECOND.per(BYTE))
    crossover = derived(
        "S_eq", "Both take as long", "at a size where the two lines meet", BYTE,
        noun="size at which both take as long",
    )  # fmt: skip

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """With the choices that this algorithm has, and the algorithms that are possible."""
        told = _choices(dict(shape.reading)["algorithm"])
        for name, option, other in super().neighbours(shape):
            possible = option != "two_level" or "nodes" in shape.stated
            if name in told and option != "all" and possible:
                yield name, option, other

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield from super().needs()
        if "two_level" in (self.algorithm, self.versus):
            yield ("nodes",)
            yield ("workers_per_node",)

    def equations(self) -> Equations:
        yield from self.sending()
        if not self.states("workers"):
            yield self.all_workers, self.nodes * self.workers_per_node
        yield from self._powers()
        yield from self._all() if self.algorithm == "all" else self._one()
        size = self._repeated(self.amount)
        yield self.algorithm_bandwidth, self._by_time(size)
        yield self.bus_bandwidth, self._by_time(2 * (self.ranks - 1) / self.ranks * size)
        if self.versus != "none":
            yield from self._compared()

    def rankings(self) -> Iterator[Ranking]:
        if self.algorithm == "all":
            told = {type(self).quantities[n].title: self._time(n, self.amount) for n in self._names}
            yield Ranking("Ranking", self.amount, "S_eq", told)

    @property
    def _names(self) -> list[str]:
        """The algorithms that are ranked: those that are possible here, over equally many links,
        of messages that cost their latency each."""
        out = {"bidirectional", "double_tree"}
        if not self.states("nodes"):
            out.add("two_level")
        return [name for name in ALGORITHMS if name not in out]

    @property
    def _adds(self) -> bool:
        return self.states("reduce") and self.reduction == "counted"

    def _powers(self) -> Equations:
        used = {*self._names} if self.algorithm == "all" else {self.algorithm}
        used |= {self.versus}
        if used & (OF_DEPTH | OF_POWERS):
            yield self.depth, ceiling_log2(self.ranks)
        if used & OF_POWERS:
            yield self.doublings, floor_log2(self.ranks)
        if "halving_doubling" in used:
            yield self.core, floor_power2(self.ranks)

    def _one(self) -> Equations:
        way = self._way(self.algorithm, self.amount)
        if way.inside is not None:
            yield self.inner_rounds, way.inside.rounds
            yield self.inner_moved, way.inside.moved
            inside = replace(way.inside, rounds=self.inner_rounds, moved=self.inner_moved)
        yield self.rounds, way.outside.rounds, WHY[self.algorithm]
        yield self.moved, way.outside.moved, MOVED.get(self.algorithm, ONE_BY_ONE)
        outside = replace(way.outside, rounds=self.rounds, moved=self.moved)
        told = replace(way, outside=outside, inside=None if way.inside is None else inside)
        yield self.latency_time, self._latency(told)
        yield self.transfer_time, self._transfer(told)
        parts = self.latency_time + self.transfer_time
        if self._adds:
            yield self.added, way.added
            yield self.reduction_time, self.added / self.reduce
            parts += self.reduction_time
        yield from self._called(parts, "its parts add up")
        yield self.sent, self._repeated(way.sent)

    def _all(self) -> Equations:
        for name in self._names:
            yield getattr(self, name), self._time(name, self.amount)
        times = [getattr(self, name) for name in self._names]
        yield from self._called(smallest(*times), "the fastest one")

    def _called(self, once: Expr, why: str) -> Equations:
        if self.states("calls"):
            yield self.call, once, why
            yield self.time, self.calls * self.call, "one call after the other"
        else:
            yield self.time, once, why

    def _compared(self) -> Equations:
        other = self._time(self.versus, self.amount)
        yield self.other, self._repeated(other), ALGORITHMS[self.versus]
        if self.algorithm not in ("all", self.versus):
            yield from self._line(self.start, self.slope, self.algorithm)
            yield from self._line(self.other_start, self.other_slope, self.versus)
            left = self.start + self.slope * self.crossover
            right = self.other_start + self.other_slope * self.crossover
            yield self.crossover, Eq(left, right, positive=True)

    def _line(self, start: Sym, slope: Sym, algorithm: str) -> Equations:
        """One call takes *start*, and *slope* for each byte."""
        said = algorithm.replace("_", "-")
        one = self._way(algorithm, Num(1))
        yield start, self._latency(one), f"{said}: its latency"
        whole = self._transfer(one)
        whole = whole + one.added / self.reduce if self._adds else whole
        yield slope, without_ones(whole), f"{said}: the rest, divided by the size"

    def _way(self, algorithm: str, size: Expr) -> Way:
        ranks = Ranks(self.ranks, self.depth, self.doublings, self.core)
        return self.setting(ranks).way(algorithm, size)

    def _time(self, algorithm: str, size: Expr) -> Expr:
        """One call in a single formula."""
        way = self._way(algorithm, size)
        time: Expr = self._latency(way) + self._transfer(way)
        return time + way.added / self.reduce if self._adds else time

    def _latency(self, way: Way) -> Expr:
        outside: Expr = way.outside.rounds * self.latency
        alpha = self.inner_latency if self.states("inner_latency") else self.latency
        return outside if way.inside is None else way.inside.rounds * alpha + outside

    def _transfer(self, way: Way) -> Expr:
        outside = way.outside.moved / self.pace
        if way.inside is None:
            return outside
        pace = self.pace
        if self.states("inner_bandwidth"):
            both = self.direction == "two_way"
            pace = self.inner_bandwidth / 2 if both else self.inner_bandwidth
        return way.inside.moved / pace + outside

    def _repeated(self, once: Expr) -> Expr:
        whole: Expr = self.calls * once if self.states("calls") else once
        return whole

    def _by_time(self, size: Expr) -> Expr:
        return cases((size / self.time, self.time > 0), otherwise=NOTHING, why="no time passes")


def _choices(algorithm: str) -> tuple[str, ...]:
    """The choices on which the algorithm's time may depend."""
    always = ("algorithm", "direction", "reduction")
    own = {
        "ring": OF_RINGS,
        "bidirectional": OF_RINGS,
        "two_level": OF_NODES,
        "parameter_server": OF_SERVERS,
    }
    if algorithm == "all":
        return ("direction", "reduction", *OF_NODES, *OF_SERVERS)
    return (*always, *own.get(algorithm, ()))
