"""How long does an all-reduce take?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.formula.algebra import (
    NEVER,
    NOTHING,
    Expr,
    Num,
    cases,
    ceiling_log2,
    floor_log2,
    floor_power2,
    same,
    smallest,
)
from ddcalc.formula.expression import symbols
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Ranking, Shape
from ddcalc.problem.quantity import choice, count, derived, duration, rate
from ddcalc.types.communication._algorithms import (
    ALGORITHMS,
    ONE_NODE,
    Ranks,
    Setting,
    Way,
    without_ones,
)
from ddcalc.types.communication._message import Message

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
BETWEEN = WHY | {
    "tree": "between the nodes, as deep as a tree over them, to the root and back",
    "recursive_doubling": "between the nodes; two more if q is no power of two",
    "halving_doubling": "between the nodes; two more if q is no power of two",
    "naive": "one to every worker of another node",
}
INSIDE = {
    "tree": "to one worker of the node, and back after the rounds between nodes",
    "recursive_doubling": "two more if k is no power of two",
    "halving_doubling": "two more if k is no power of two",
    "naive": "one to every other worker of the node",
}
ONE_BY_ONE = "one message after the other"
MOVED = {
    "double_tree": "all data twice: to two children half each, half to each of two parents; less"
    " for fewer than four workers"
}
ONE_LINK = {"ring", "tree", "recursive_doubling", "halving_doubling", "naive"}
MEET = "where the two lines meet"
ONE_KIND = (
    "is of no use to the double tree, modelled over links of one kind; leave out the nodes, or what"
    " is said of their links"
)
LEAVING = "in every round some message leaves its node, and takes longest"
UNRANKED = (
    "not ranked: a ring both ways (twice the links), the double tree (blocks without latency)"
)
UNCLEAR = "a round that waits for both kinds of links is then not modelled"


class Allreduce(Message):
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

    In nodes a worker has one link inside and one out, or shares the latter with its node; messages
    that leave a node at once share its bandwidth. A tree, recursive doubling and halving-doubling
    then work inside all nodes and between them in turn, each as with as many workers as a node has,
    or as there are nodes. Halving-doubling begins inside the nodes, as MPICH's all-reduce does, or
    between them, as its reduce-scatter does: the first messages are the largest. In every round of
    a ring some message leaves its node; links inside must not be slower then. Servers that are
    workers are the first ones.

    `--size` is what one worker has. `--algorithm all` ranks the algorithms, but for the ring with
    twice the links and the double tree, whose blocks cost nothing of their own, and says at which
    size the order changes; `--versus tree` finds the size at which two take equally long, or which
    one is faster at every size. The bus bandwidth is that of nccl-tests (doc/PERFORMANCE.md),
    whatever the algorithm.
    """

    answer = "time"
    terms = ("ring all-reduce", "parameter server", "data parallelism")
    source = (
        "Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in"
        " MPICH, IJHPCA 19(1), 2005; MPICH, src/mpi/coll/allreduce (other numbers than powers of"
        " two) and reduce_scatter (partners in the other half first); Patarasuk and Yuan, J."
        " Parallel Distrib. Comput. 69(2), 2009 (ring); Sanders, Speck and Träff, Parallel"
        " Computing 35(12), 2009, and NCCL, src/graph/trees.cc and tuning.cc (double tree)"
    )

    workers = count("p", "workers", optional=True, example="16")
    nodes = count("q", "nodes of workers", optional=True)
    workers_per_node = count("k", "workers in each node", optional=True)
    inner_latency = duration("alpha_in", "latency inside a node", optional=True, group="latency")
    inner_bandwidth = rate(
        "B_in", "bandwidth inside a node", optional=True, group="transfer inside nodes"
    )
    servers = count("s", "servers that share the parameters", optional=True)
    reduce = rate("g", "how fast a worker adds up", optional=True, group="adding up")
    calls = count("c", "calls, one after the other", optional=True)

    factor = choice(
        "what a ring sends",
        exact="a ring sends 2(p − 1)/p of the data",
        two="a ring's factor 2(p − 1)/p is taken to be 2",
    )
    partners = choice(
        "the order of partners in halving-doubling",
        near="halving-doubling starts with partners inside the node",
        far="halving-doubling starts with partners in other nodes",
    )
    levels = choice(
        "two levels",
        shares="each worker takes its share of the data between the nodes",
        leaders="one leader for each node takes all data between the nodes",
    )
    uplink = choice(
        "links out of a node",
        own="each worker has its own link out of the node",
        shared="the workers of a node share one link out",
    )
    server = choice(
        "where the server runs",
        apart="the server is a machine of its own",
        worker="the server is one of the workers",
    )
    server_link = choice(
        "the server's links",
        shared="all workers share the server's link",
        one_each="the server has a link for each worker, who has one link for all servers",
    )
    ways = choice(
        "what the server sends",
        both="the server gathers the data and sends the sum back",
        gather="sending the sum back is left out",
    )
    algorithm = choice("the algorithm", **ALGORITHMS, all="every algorithm, the fastest one counts")
    versus = choice(
        "an algorithm to compare with",
        none="compared with no other one",
        **{name: f"to compare with: {says}" for name, says in ALGORITHMS.items()},
    )
    reduction = choice(
        "adding up", counted="adding up takes time, as stated", left_out="adding up takes no time"
    )
    all_workers = derived("p_all", "Workers in all", "every node has as many")
    depth = derived("h", "Doublings that reach all workers", "rounded up")
    doublings = derived("d", "Doublings within the workers", "less than h if p is no power of two")
    core = derived("m", "The largest power of two within p", "the workers beyond it go first")
    inner_depth = derived("h_in", "Doublings that reach all workers of a node", "rounded up")
    inner_doublings = derived(
        "d_in", "Doublings within the workers of a node", "less than h_in if k is no power of two"
    )
    inner_core = derived(
        "m_in", "The largest power of two within k", "a node's workers beyond it go first"
    )
    outer_depth = derived("h_out", "Doublings that reach all nodes", "rounded up")
    outer_doublings = derived(
        "d_out", "Doublings within the number of nodes", "less than h_out if q is no power of two"
    )
    outer_core = derived(
        "m_out", "The largest power of two within q", "the nodes beyond it go first"
    )
    slowest_latency = derived(
        "alpha_w", "Latency that a round waits for", "of the slowest message", SECOND
    )
    slowest_bandwidth = derived(
        "B_w", "Bandwidth that a round waits for", "of the slowest message", BYTE_PER_SECOND
    )
    inner_rounds = derived("R_in", "Rounds inside a node", "before and after those between nodes")
    inner_moved = derived("D_in", "Bytes in these rounds", ONE_BY_ONE, BYTE)
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
    time = derived("T", "Time", "its parts add up", SECOND, better="less")
    sent = derived("V", "Bytes that a worker sends", "the busiest one", BYTE, better="less")
    algorithm_bandwidth = derived(
        "b_alg", "Algorithm bandwidth", "size by time", BYTE_PER_SECOND, better="more"
    )
    bus_bandwidth = derived(
        "b_bus", "Bus bandwidth", "a rank's part of 2(p − 1) transfers, by time", BYTE_PER_SECOND,
        better="more",
    )  # fmt: skip
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
        """All but a ranking, what is in it, and another algorithm to compare with."""
        ranked = ("algorithm", "all") in shape.reading
        for name, option, other in super().neighbours(shape):
            if option != "all" and name != "versus" and not (ranked and name == "algorithm"):
                yield name, option, other

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield from super().needs()
        if self.states("nodes"):
            yield ("workers_per_node",)
        yield "workers", "nodes"
        if "two_level" in (self.algorithm, self.versus):
            yield ("nodes",)
            yield ("workers_per_node",)

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        in_nodes = self.nodes * self.workers_per_node
        if self.states("workers") and self.states("nodes"):
            message = "is not {nodes} times {workers_per_node}, as many as the nodes have"
            yield Condition(same(self.workers, in_nodes), "workers", message)
        if self.states("servers") and self.server == "worker":
            workers = self.workers if self.states("workers") else in_nodes
            message = "is more than there are workers to run on"
            yield Condition(self.servers <= workers, "servers", message)
        if self.states("nodes") and "double_tree" in self._used:
            inner = self.states("inner_latency") or self.states("inner_bandwidth")
            if inner or self.uplink == "shared":
                yield Condition(NEVER, "nodes", ONE_KIND)
        if self._waits("inner_latency"):
            message = f"is more than the latency between nodes; {UNCLEAR}"
            yield Condition(self.inner_latency <= self.latency, "inner_latency", message)
        if self._waits("inner_bandwidth"):
            outside = self.links * self.bandwidth if self.states("links") else self.bandwidth
            message = f"is less than a worker has between nodes; {UNCLEAR}"
            yield Condition(self.inner_bandwidth >= outside, "inner_bandwidth", message)

    def laws(self) -> Iterator[Law]:
        for name in ("size", "parameters", "latency", "inner_latency", "calls"):
            yield Rises("time", name, "there is more to send, or to wait for")
        for name in ("bandwidth", "inner_bandwidth", "reduce"):
            yield Falls("time", name, "the bytes are sent, or added, sooner")
        if self.algorithm in ONE_LINK and self.factor == "exact" and not self.states("nodes"):
            fewest = "no worker over one link does with fewer bytes than a ring"
            yield Holds(self.bus_bandwidth <= self.pace, fewest)

    def rankings(self) -> Iterator[Ranking]:
        if self.algorithm == "all":
            titles = {name: type(self).quantities[name].title for name in self._ranked}
            times = {title: self._time(name, self.amount) for name, title in titles.items()}
            yield Ranking("Ranking", self.amount, "S_eq", times)

    def equations(self) -> Equations:
        yield from self.sending()
        if not self.states("workers"):
            yield self.all_workers, self.nodes * self.workers_per_node
        yield from self._powers()
        yield from self._slowest()
        yield from self._all() if self.algorithm == "all" else self._one(self.algorithm)
        size = self._repeated(self.amount)
        yield self.algorithm_bandwidth, self._by_time(size)
        yield self.bus_bandwidth, self._by_time(2 * (self._p - 1) / self._p * size)
        if self.versus != "none":
            why = ALGORITHMS[self.versus]
            yield self.other, self._repeated(self._time(self.versus, self.amount)), why
            if self.algorithm not in ("all", self.versus):
                yield from self._line(self.start, self.slope, self.algorithm)
                yield from self._line(self.other_start, self.other_slope, self.versus)
                yield self.crossover, self._meeting()

    # Who takes part, and over which links

    @property
    def _p(self) -> Expr:
        """The letter of the number of workers."""
        return self.workers if self.states("workers") else self.all_workers

    @property
    def _ranked(self) -> list[str]:
        """The algorithms that are ranked: those that are possible here, over equally many links,
        of messages that cost their latency each."""
        out = {"bidirectional", "double_tree"}
        if not self.states("nodes"):
            out.add("two_level")
        return [name for name in ALGORITHMS if name not in out]

    @property
    def _used(self) -> set[str]:
        """The algorithms that the answer or the comparison rests on."""
        used = {*self._ranked} if self.algorithm == "all" else {self.algorithm}
        return used | ({self.versus} - {"none"})

    def _way(self, algorithm: str, size: Expr) -> Way:
        ranks, nodes = Ranks(self._p, self.depth, self.doublings, self.core), None
        if self.states("nodes"):
            k, q = self.workers_per_node, self.nodes
            nodes = (
                Ranks(k, self.inner_depth, self.inner_doublings, self.inner_core),
                Ranks(q, self.outer_depth, self.outer_doublings, self.outer_core),
            )
        setting = Setting(
            ranks,
            nodes,
            servers=self.servers if self.states("servers") else None,
            exact=self.factor == "exact",
            near=self.partners == "near",
            leaders=self.levels == "leaders",
            shared_uplink=self.uplink == "shared" and nodes is not None,
            server_apart=self.server == "apart",
            shared_link=self.server_link == "shared",
            back=self.ways == "both",
        )
        return setting.way(algorithm, size)

    def _powers(self) -> Equations:
        """The logarithms that the algorithms need: of all workers, or of both levels."""
        needed: set[str] = set()
        for way in (self._way(name, self.amount) for name in self._used):
            parts = [way.outside] if way.inside is None else [way.outside, way.inside]
            for expr in (way.sent, *(e for c in parts for e in (c.rounds, c.moved, c.added))):
                needed |= {*symbols(expr)}
        p, k, q = self._p, self.workers_per_node, self.nodes
        rules: list[tuple[Expr, Expr]] = [
            (self.depth, ceiling_log2(p)),
            (self.doublings, floor_log2(p)),
            (self.core, floor_power2(p)),
            (self.inner_depth, ceiling_log2(k)),
            (self.outer_depth, ceiling_log2(q)),
            (self.inner_doublings, floor_log2(k)),
            (self.outer_doublings, floor_log2(q)),
            (self.inner_core, floor_power2(k)),
            (self.outer_core, floor_power2(q)),
        ]
        return (rule for rule in rules if needed.issuperset(symbols(rule[0])))

    def _waits(self, inner: str) -> bool:
        """Whether links that are waited for have the given *inner* in a single node."""
        mixed = {"ring", "bidirectional"}
        mixed |= {"parameter_server"} if self.server == "worker" else set()
        return self.states("nodes") and self.states(inner) and bool(self._used & mixed)

    def _slowest(self) -> Equations:
        """The links that a round waits for which uses both kinds."""
        single = same(self.nodes, 1)
        if self._waits("inner_latency"):
            alone = (self.inner_latency, single, ONE_NODE)
            yield self.slowest_latency, cases(alone, otherwise=self.latency, why=LEAVING)
        if self._waits("inner_bandwidth"):
            alone = (self._inner_pace, single, ONE_NODE)
            yield self.slowest_bandwidth, cases(alone, otherwise=self.pace, why=LEAVING)

    @property
    def _inner_pace(self) -> Expr:
        """The bandwidth inside of a node, one way."""
        if not self.states("inner_bandwidth"):
            return self.pace
        both = self.inner_bandwidth
        return both / 2 if self.direction == "two_way" else both

    # What an algorithm takes

    def _one(self, name: str) -> Equations:
        way, inside = self._way(name, self.amount), None
        if way.inside is not None:
            why = INSIDE.get(name, type(self).inner_rounds.why)
            yield self.inner_rounds, way.inside.rounds, why
            yield self.inner_moved, way.inside.moved
            inside = replace(way.inside, rounds=self.inner_rounds, moved=self.inner_moved)
        yield self.rounds, way.outside.rounds, (BETWEEN if self.states("nodes") else WHY)[name]
        yield self.moved, way.outside.moved, self._carried(name)
        outside = replace(way.outside, rounds=self.rounds, moved=self.moved)
        lettered = replace(way, outside=outside, inside=inside)
        yield self.latency_time, self._latency(lettered)
        yield self.transfer_time, self._transfer(lettered)
        parts = self.latency_time + self.transfer_time
        if self._adds:
            yield self.added, way.added
            yield self.reduction_time, self.added / self.reduce
            parts = parts + self.reduction_time
        yield from self._calls(parts, "its parts add up")
        yield self.sent, self._repeated(way.sent)

    def _all(self) -> Equations:
        for name in self._ranked:
            yield getattr(self, name), self._time(name, self.amount)
        times = [getattr(self, name) for name in self._ranked]
        alone = "" if self.states("nodes") else ", two levels (no nodes are stated)"
        yield from self._calls(smallest(*times), f"the fastest one; {UNRANKED}{alone}")

    def _carried(self, name: str) -> str:
        """What the bytes of the rounds are, between nodes if there are any."""
        if self.states("nodes") and self.uplink == "shared" and name != "parameter_server":
            return "over the busiest link, one way"
        return MOVED.get(name, ONE_BY_ONE)

    def _calls(self, once: Expr, why: str) -> Equations:
        if self.states("calls"):
            yield self.call, once, why
            yield self.time, self.calls * self.call, "one call after the other"
        else:
            yield self.time, once, why

    def _repeated(self, once: Expr) -> Expr:
        return self.calls * once if self.states("calls") else once

    @property
    def _adds(self) -> bool:
        return self.states("reduce") and self.reduction == "counted"

    def _time(self, algorithm: str, size: Expr) -> Expr:
        """One call in a single formula."""
        way = self._way(algorithm, size)
        time = self._latency(way) + self._transfer(way)
        return time + way.added / self.reduce if self._adds else time

    def _latency(self, way: Way) -> Expr:
        waits = way.waits and self._waits("inner_latency")
        outside = way.outside.rounds * (self.slowest_latency if waits else self.latency)
        alpha = self.inner_latency if self.states("inner_latency") else self.latency
        return outside if way.inside is None else way.inside.rounds * alpha + outside

    def _transfer(self, way: Way) -> Expr:
        waits = way.waits and self._waits("inner_bandwidth")
        outside = way.outside.moved / (self.slowest_bandwidth if waits else self.pace)
        return outside if way.inside is None else way.inside.moved / self._inner_pace + outside

    def _by_time(self, size: Expr) -> Expr:
        return cases((size / self.time, self.time > 0), otherwise=NOTHING, why="no time passes")

    # Two algorithms as two lines

    def _line(self, start: Expr, slope: Expr, algorithm: str) -> Equations:
        """One call takes *start*, and *slope* for each byte."""
        spelt, one = _spelt(algorithm), self._way(algorithm, Num(1))
        yield start, self._latency(one), f"{spelt}: its latency"
        whole = self._transfer(one)
        whole = whole + one.added / self.reduce if self._adds else whole
        yield slope, without_ones(whole), f"{spelt}: the rest, divided by the size"

    def _meeting(self) -> Expr:
        """Where the two lines meet at a size that is more than nothing."""
        later, steeper = self.start - self.other_start, self.slope - self.other_slope
        one, other = (_spelt(name) for name in (self.algorithm, self.versus))
        return cases(
            ((self.other_start - self.start) / steeper, later * steeper < 0, MEET),
            (NOTHING, self.start < self.other_start, f"{one} is faster at every size"),
            (NOTHING, self.start > self.other_start, f"{other} is faster at every size"),
            (NOTHING, self.slope < self.other_slope, f"{one} is faster at every size above 0"),
            (NOTHING, self.slope > self.other_slope, f"{other} is faster at every size above 0"),
            otherwise=NOTHING,
            why="both are as fast at every size",
        )


def _spelt(algorithm: str) -> str:
    return algorithm.replace("_", "-")
