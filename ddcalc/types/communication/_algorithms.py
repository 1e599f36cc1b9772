"""What an all-reduce costs by each algorithm: rounds, bytes on their way, bytes added up; among
workers that are all as near, in nodes, or with servers.

In a round every worker sends one message and receives one, at the same time (a link has both
directions); a message takes the latency and its bytes over the bandwidth. The formulas are those of
Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH,
International Journal of High Performance Computing Applications 19(1), 2005, and of MPICH's source
(src/mpi/coll/allreduce) where the workers are no power of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ddcalc.errors import NoAnswer
from ddcalc.formula.algebra import (
    Expr,
    Num,
    cases,
    ceiling_log2,
    floor,
    floor_power2,
    largest,
    same,
    smallest,
)
from ddcalc.formula.expression import Case, Cases, Mul, replace

# Other names of algorithms, each followed by the one it means.
ALSO = "ps parameter_server rabenseifner halving_doubling hierarchical two_level"
ALGORITHMS = {
    "ring": "ring: reduce-scatter, then all-gather",
    "bidirectional": "a ring both ways round, over a link each way",
    "tree": "binomial tree: reduce to a root, then broadcast",
    "double_tree": "double tree: half of the data along each (NCCL)",
    "recursive_doubling": "recursive doubling: pairs exchange all data",
    "halving_doubling": "halving-doubling (Rabenseifner)",
    "two_level": "two levels: inside each node, then between the nodes",
    "parameter_server": "parameter server: all data in, the sum back",
    "naive": "everyone sends all data to everyone",
}
ONE_NODE = "all workers are in one node"
DOUBLES = "every round doubles what a sum covers"
HALVES = "one for halves, one for quarters, …, and the same way back"
AND_BACK = "half of the data, a quarter, …, and the same back"
BEYOND = "those beyond a power of two hand in their data first, and get the result last"


@dataclass(frozen=True, slots=True)
class Cost:
    """Messages one after the other (*rounds*), their bytes (*moved*), and bytes *added* up."""

    rounds: Expr
    moved: Expr
    added: Expr


def without_ones(expr: Expr) -> Expr:
    """*expr* without its factors 1: what a cost of one byte is for each byte."""

    def change(part: Expr) -> Expr | None:
        if not isinstance(part, Mul):
            return None
        factors = [without_ones(arg) for arg in part.args if arg != Num(1)]
        return Mul(tuple(factors)) if len(factors) > 1 else (factors or [Num(1)])[0]

    return replace(expr, change)


def without_reasons(expr: Expr) -> Expr:
    """*expr* with distinctions that do not say why."""

    def change(part: Expr) -> Expr | None:
        if not isinstance(part, Cases):
            return None
        kept = tuple(Case(without_reasons(case.value), case.test) for case in part.cases)
        return Cases(kept, without_reasons(part.otherwise))

    return replace(expr, change)


@dataclass(frozen=True, slots=True)
class Ranks:
    """How many take part (*number*), and what follows: its logarithm to the base 2 rounded *up* and
    *down*, and the largest power of two in it, the *core*."""

    number: Expr
    up: Expr
    down: Expr
    core: Expr


def ring(p: Expr, size: Expr, *, share: bool = True) -> Cost:
    """Reduce-scatter, then all-gather, p − 1 rounds each, of chunks of size/p.

    Patarasuk and Yuan, Journal of Parallel and Distributed Computing 69(2), 2009. Without *share*
    the common shorthand: (p − 1)/p of what is sent, not of what is added up, is taken for 1.
    """
    part = (p - 1) / p * size
    return Cost(2 * (p - 1), 2 * (part if share else size), part)


def bidirectional(p: Expr, size: Expr, *, share: bool = True) -> Cost:
    """A ring that is used both ways round at once, over a link each, half way round at most."""
    part = (p - 1) / p * size
    return Cost(2 * floor(p / 2), part if share else size, part)


def tree(ranks: Ranks, size: Expr) -> Cost:
    """Reduce to a root along a binomial tree, then broadcast back, all of the data each time."""
    return Cost(2 * ranks.up, 2 * ranks.up * size, ranks.up * size)


def double_tree(ranks: Ranks, size: Expr) -> Cost:
    """Two binary trees at once, half of the data along each: reduced upwards, broadcast downwards.

    Each worker but one at most has children in one of the trees only, so that it sends all data
    twice: to two children half each, and half to each parent. Up to four workers send less.
    The data go in many small blocks, which follow each other closely: only the way of the first
    one up and down counts as latency. Sanders, Speck and Träff, Two-tree algorithms for full
    bandwidth broadcast, reduction and scan, Parallel Computing 35(12), 2009. The trees are those
    of NCCL (src/graph/trees.cc), whose own estimate is 2·log₂ n latencies between n nodes and
    half of the bandwidth (src/graph/tuning.cc); it rounds the logarithm down, but the trees are
    as deep as it is rounded up.
    """
    p = ranks.number
    halves = smallest(2 * (p - 1), p, 4)
    return Cost(2 * ranks.up, halves / 2 * size, smallest(p - 1, 2) / 2 * size)


def recursive_doubling(ranks: Ranks, size: Expr) -> Cost:
    """Pairs exchange all of the data, at distances 1, 2, 4, …

    Workers beyond the largest power of two hand in their data first and get the result last.
    """
    power = same(floor_power2(ranks.number), ranks.number)
    doubled = ceiling_log2(ranks.number), power, DOUBLES
    rounds = cases(doubled, otherwise=2 * ranks.up - ranks.down, why=BEYOND)
    return Cost(rounds, rounds * size, ranks.up * size)


def halving_doubling(ranks: Ranks, size: Expr, left: Expr | None = None) -> Cost:
    """Rabenseifner's: reduce-scatter by halves, quarters, …, and all-gather back.

    Workers beyond the largest power of two hand in all their data first and get the result last.
    What is halved is the size, or what is *left* of it by then.
    """
    p = ranks.number
    power = same(floor_power2(p), p)
    halves = (ranks.core - 1) / ranks.core
    rest = size if left is None else left
    beyond = (halves + ranks.up - ranks.down) * size
    if left is not None:
        beyond = halves * left + (ranks.up - ranks.down) * size
    whole = cases(((p - 1) / p * rest, power, "half of the data, a quarter, …"), otherwise=beyond)
    rounds = cases((2 * ceiling_log2(p), power, HALVES), otherwise=2 * ranks.up, why=BEYOND)
    twice = cases((2 * ((p - 1) / p) * rest, power, AND_BACK), otherwise=2 * beyond)
    return Cost(rounds, twice, whole)


def sent_by_halves(ranks: Ranks, size: Expr, left: Expr | None = None) -> Expr:
    """What a worker sends by halving-doubling that also sends the result to a surplus one."""
    halves = 2 * ((ranks.core - 1) / ranks.core)
    if left is not None:
        return halves * left + (ranks.up - ranks.down) * size
    return (halves + ranks.up - ranks.down) * size


def naive(p: Expr, size: Expr) -> Cost:
    """Every worker sends all its data to every other one, and adds up what it gets."""
    return Cost(p - 1, (p - 1) * size, (p - 1) * size)


def _turns(p: Expr, servers: Expr | None, *, apart: bool, shared: bool) -> Expr:
    """The messages of the busiest link to or from a server, one way.

    The server is a machine *apart*, or one of the workers. It has one link, *shared* by the
    messages of all workers, or one link for each of them.
    """
    if shared:
        if not apart:
            return p - 1
        return p if servers is None else largest(p, servers)
    messages = Num(1) if servers is None else servers
    return messages if apart else smallest(messages, p - 1)


def _turns_between(
    p: Expr, k: Expr, servers: Expr | None, *, apart: bool, shared: bool, uplink: bool
) -> Expr:
    """The same, of the busiest link between several nodes of *k* workers.

    With an *uplink* the workers of a node share one link. Servers that are workers are those of the
    first nodes; what they get from their own node does not leave it.
    """
    few = Num(1) if servers is None else servers
    if apart:
        messages = (k if servers is None else k * servers) if uplink else few
        if not shared:
            return messages
        return p if servers is None else largest(p, messages)
    others = p - k
    if uplink:
        return others if servers is None else others * smallest(servers, k)
    return others if shared else smallest(few, others)


@dataclass(frozen=True, slots=True)
class Way:
    """What an algorithm costs *outside* of the nodes and, if it has two levels, *inside* of them,
    and the bytes that its busiest worker sends.

    If it *waits*, every round has messages inside of nodes and between them, if there are several,
    and lasts as long as the latter.
    """

    outside: Cost
    sent: Expr
    inside: Cost | None = None
    waits: bool = False

    @property
    def added(self) -> Expr:
        """Bytes added up one after the other."""
        return self.outside.added if self.inside is None else self.inside.added + self.outside.added


@dataclass(frozen=True, slots=True)
class Setting:
    """Who takes part: *ranks*, perhaps with *servers*; perhaps in nodes, *outer* in number, with
    *inner* workers.

    Workers are numbered node by node. A worker sends inside its node and out of it over links that
    are apart, and a round lasts as long as its slowest message. What the flags mean is said by the
    choices of the problem type.
    """

    ranks: Ranks
    nodes: tuple[Ranks, Ranks] | None = None  # the workers of each, and the nodes
    servers: Expr | None = None
    exact: bool = True
    near: bool = True
    leaders: bool = False
    shared_uplink: bool = False
    server_apart: bool = True
    shared_link: bool = True
    back: bool = True

    def way(self, name: str, size: Expr) -> Way:
        """The algorithm called *name* for data of that *size*."""
        rule: Callable[[Expr], Way] = getattr(self, f"_{name}")
        return rule(size)

    def _ring(self, size: Expr) -> Way:
        cost = ring(self.ranks.number, size, share=self.exact)
        return Way(cost, cost.moved, waits=True)

    def _bidirectional(self, size: Expr) -> Way:
        """Two messages leave every node in each round, if there are several."""
        cost = bidirectional(self.ranks.number, size, share=self.exact)
        sent = 2 * cost.moved
        if self.nodes is not None and self.shared_uplink:
            sharing = cases((1, same(self.nodes[1].number, 1), ONE_NODE), otherwise=2)
            cost = Cost(cost.rounds, sharing * cost.moved, cost.added)
        return Way(cost, sent, waits=True)

    def _double_tree(self, size: Expr) -> Way:
        cost = double_tree(self.ranks, size)
        return Way(cost, cost.moved)

    # In nodes some rounds are inside all of them at once, the others between them

    def _tree(self, size: Expr) -> Way:
        if self.nodes is None:
            return Way(tree(self.ranks, size), self.ranks.up * size)
        inner, outer = self.nodes
        sent = inner.up * size + outer.up * size
        return Way(tree(outer, size), sent, tree(inner, size))

    def _recursive_doubling(self, size: Expr) -> Way:
        if self.nodes is None:
            return Way(recursive_doubling(self.ranks, size), self.ranks.up * size)
        inner, outer = self.nodes
        outside = self._leaving(recursive_doubling(outer, size), inner.core)
        sent = inner.up * size + outer.up * size
        return Way(outside, sent, recursive_doubling(inner, size))

    def _naive(self, size: Expr) -> Way:
        if self.nodes is None:
            cost = naive(self.ranks.number, size)
            return Way(cost, cost.moved)
        k = self.nodes[0].number
        others = self.ranks.number - k
        inside, outside = naive(k, size), Cost(others, others * size, others * size)
        return Way(self._leaving(outside, k), inside.moved + outside.moved, inside)

    def _halving_doubling(self, size: Expr) -> Way:
        if self.nodes is None:
            return Way(halving_doubling(self.ranks, size), sent_by_halves(self.ranks, size))
        inner, outer = self.nodes
        if self.near:
            k = inner.number
            part = size / cases((k, same(floor_power2(k), k)), otherwise=inner.core)
            outside = halving_doubling(outer, part)
            sent = sent_by_halves(inner, size) + sent_by_halves(outer, part)
            if self.shared_uplink:
                whole = halving_doubling(outer, size).moved
                outside = Cost(outside.rounds, whole, outside.added)
            return Way(outside, sent, halving_doubling(inner, size))
        left = size / outer.core
        sent = sent_by_halves(inner, size, left) + sent_by_halves(outer, size)
        outside = self._leaving(halving_doubling(outer, size), inner.core)
        return Way(outside, sent, halving_doubling(inner, size, left))

    def _two_level(self, size: Expr) -> Way:
        if self.nodes is None:
            raise NoAnswer("two-level", "it takes nodes with several workers each")
        inner, outer = self.nodes
        k, q = inner.number, outer.number
        if self.leaders:
            outside = ring(q, size, share=self.exact)
            return Way(outside, inner.up * size + outside.moved, tree(inner, size))
        inside = ring(k, size, share=self.exact)
        outside = ring(q, size / k, share=self.exact)
        sent = inside.moved + outside.moved
        if self.shared_uplink:
            whole = ring(q, size, share=self.exact).moved
            outside = Cost(outside.rounds, whole, outside.added)
        return Way(outside, sent, inside)

    def _leaving(self, cost: Cost, messages: Expr) -> Cost:
        """*cost*, in each round of which that many *messages* leave each node."""
        if not self.shared_uplink:
            return cost
        return Cost(cost.rounds, messages * cost.moved, cost.added)

    def _parameter_server(self, size: Expr) -> Way:
        """Everybody's data in, the result back (or not), sharded where there are servers. A link
        takes one message after the other; the busiest one has the most turns."""
        p, s, apart, shared = self.ranks.number, self.servers, self.server_apart, self.shared_link
        turns = _turns(p, s, apart=apart, shared=shared)
        if self.nodes is not None:
            k, single = self.nodes[0].number, same(self.nodes[1].number, 1)
            uplink = self.shared_uplink
            between = _turns_between(p, k, s, apart=apart, shared=shared, uplink=uplink)
            turns = between if apart else cases((turns, single, ONE_NODE), otherwise=between)
        ways, part = 2 if self.back else 1, size if s is None else size / s
        cost = Cost(ways * turns, ways * turns * part, (p - 1) * part)
        return Way(cost, size if apart else self._sent_by_server(size), waits=not apart)

    def _sent_by_server(self, size: Expr) -> Expr:
        """What a worker sends that is a server, too; or if nothing is sent back, one that is not,
        where there is one."""
        p, s = self.ranks.number, self.servers
        if self.back:
            back = (p - 1) * size if s is None else (p - 1) * size / s
            return back if s is None else (s - 1) * size / s + back
        if s is None:
            return cases((size, p > 1), otherwise=0 * size)
        return cases((size, s < p), otherwise=(s - 1) * size / s)
