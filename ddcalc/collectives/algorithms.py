"""The algorithms of an all-reduce by name, for one setting of workers, nodes and servers."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.algebra import Expr, cases, ceiling_log2
from ddcalc.collectives import cost
from ddcalc.collectives.cost import Cost, Ranks

ALGORITHMS = {
    "ring": "ring: reduce-scatter, then all-gather",
    "bidirectional": "a ring both ways round at once, over a link each",
    "tree": "binomial tree: reduce to a root, then broadcast",
    "double_tree": "two binary trees at once, half of the data along each (NCCL)",
    "recursive_doubling": "recursive doubling: pairs exchange all data",
    "halving_doubling": "halving-doubling (Rabenseifner)",
    "two_level": "two levels: inside each node, then between the nodes",
    "parameter_server": "parameter server: all data in, the sum back",
    "naive": "everyone sends all data to everyone",
}


@dataclass(frozen=True, slots=True)
class Way:
    """What an algorithm costs *outside* and, if it has two levels, *inside* of the nodes, and the
    bytes that its busiest worker sends."""

    outside: Cost
    sent: Expr
    inside: Cost | None = None

    @property
    def added(self) -> Expr:
        """Bytes added up one after the other."""
        return self.outside.added if self.inside is None else self.inside.added + self.outside.added


@dataclass(frozen=True, slots=True)
class Setting:
    """Who takes part: *ranks*, perhaps in *nodes* of so many (*each*), perhaps with *servers*.

    What the flags mean is said by the choices of the problem type.
    """

    ranks: Ranks
    nodes: Expr | None = None
    each: Expr | None = None
    servers: Expr | None = None
    exact: bool = True
    leaders: bool = False
    shared_uplink: bool = False
    own_server: bool = True
    shared_link: bool = True
    back: bool = True

    def way(self, name: str, size: Expr) -> Way:
        """The algorithm called *name* for data of that *size*."""
        p, ranks = self.ranks.number, self.ranks
        match name:
            case "ring":
                found = cost.ring(p, size, share=self.exact)
                return Way(found, found.moved)
            case "bidirectional":
                found = cost.bidirectional(p, size, share=self.exact)
                return Way(found, 2 * found.moved)
            case "tree":
                return Way(cost.tree(ranks, size), ranks.up * size)
            case "double_tree":
                found = cost.double_tree(ranks, size)
                return Way(found, found.moved)
            case "recursive_doubling":
                return Way(cost.recursive_doubling(ranks, size), ranks.up * size)
            case "halving_doubling":
                found = cost.halving_doubling(ranks, size)
                return Way(found, cost.sent_by_halves(ranks, size))
            case "two_level":
                return self._two_levels(size)
            case "parameter_server":
                return self._server(size)
        found = cost.naive(p, size)
        return Way(found, found.moved)

    def _two_levels(self, size: Expr) -> Way:
        assert self.nodes is not None
        assert self.each is not None
        q, k = self.nodes, self.each
        if self.leaders:
            inside, outside = cost.tree(Ranks.of(k), size), cost.ring(q, size, share=self.exact)
            return Way(outside, ceiling_log2(k) * size + outside.moved, inside)
        inside = cost.ring(k, size, share=self.exact)
        outside = cost.ring(q, size / k, share=self.exact)
        sent = inside.moved + outside.moved
        if self.shared_uplink:
            outside = Cost(
                outside.rounds, cost.ring(q, size, share=self.exact).moved, outside.added
            )
        return Way(outside, sent, inside)

    def _server(self, size: Expr) -> Way:
        p, s = self.ranks.number, self.servers
        found = cost.server(
            p, s, size, own=self.own_server, shared=self.shared_link, back=self.back
        )
        return Way(found, size if self.own_server else self._sent_by_server(size))

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
