"""The algorithms of an all-reduce by name, for one setting of workers, nodes and servers."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.formula.algebra import Expr, cases, same
from ddcalc.types.communication import _cost as cost
from ddcalc.types.communication._cost import Cost, Ranks

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
ONE_NODE = "all workers are in one node"


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
    """Who takes part: *ranks*, perhaps with *servers*; perhaps in nodes, as many as *outer* tells,
    of as many workers as *inner*.

    Workers are numbered node by node. A worker sends inside its node and out of it over links that
    are apart, and a round lasts as long as its slowest message. What the flags mean is said by the
    choices of the problem type.
    """

    ranks: Ranks
    inner: Ranks | None = None
    outer: Ranks | None = None
    servers: Expr | None = None
    exact: bool = True
    near: bool = True
    leaders: bool = False
    shared_uplink: bool = False
    own_server: bool = True
    shared_link: bool = True
    back: bool = True

    def way(self, name: str, size: Expr) -> Way:
        """The algorithm called *name* for data of that *size*."""
        p = self.ranks.number
        match name:
            case "ring":
                found = cost.ring(p, size, share=self.exact)
                return self._all_round(found, found.moved)
            case "bidirectional":
                found = cost.bidirectional(p, size, share=self.exact)
                return self._all_round(found, 2 * found.moved, messages=2)
            case "double_tree":
                found = cost.double_tree(self.ranks, size)
                return Way(found, found.moved)
            case "parameter_server":
                return self._server(size)
        if self.inner is None or self.outer is None:
            return self._flat(name, size)
        return self._in_nodes(name, size, self.inner, self.outer)

    def _flat(self, name: str, size: Expr) -> Way:
        """An algorithm in which it matters who is near, if all are as near."""
        ranks = self.ranks
        match name:
            case "tree":
                return Way(cost.tree(ranks, size), ranks.up * size)
            case "recursive_doubling":
                return Way(cost.recursive_doubling(ranks, size), ranks.up * size)
            case "halving_doubling":
                found = cost.halving_doubling(ranks, size)
                return Way(found, cost.sent_by_halves(ranks, size))
        found = cost.naive(ranks.number, size)
        return Way(found, found.moved)

    def _in_nodes(self, name: str, size: Expr, inner: Ranks, outer: Ranks) -> Way:
        """The same in nodes: some rounds inside all nodes at once, the others between them."""
        match name:
            case "two_level":
                return self._two_levels(size, inner, outer)
            case "tree":
                inside, outside = cost.tree(inner, size), cost.tree(outer, size)
                return Way(outside, inner.up * size + outer.up * size, inside)
            case "recursive_doubling":
                inside = cost.recursive_doubling(inner, size)
                outside = self._leaving(cost.recursive_doubling(outer, size), inner.core)
                return Way(outside, inner.up * size + outer.up * size, inside)
            case "halving_doubling":
                return self._halving(size, inner, outer)
        k, others = inner.number, self.ranks.number - inner.number
        inside, outside = cost.naive(k, size), Cost(others, others * size, others * size)
        return Way(self._leaving(outside, k), inside.moved + outside.moved, inside)

    def _halving(self, size: Expr, inner: Ranks, outer: Ranks) -> Way:
        if self.near:
            part = size / inner.core
            inside, outside = cost.halving_doubling(inner, size), cost.halving_doubling(outer, part)
            sent = cost.sent_by_halves(inner, size) + cost.sent_by_halves(outer, part)
            if self.shared_uplink:
                whole = cost.halving_doubling(outer, size).moved
                outside = Cost(outside.rounds, whole, outside.added)
            return Way(outside, sent, inside)
        left = size / outer.core
        inside, outside = (
            cost.halving_doubling(inner, size, left),
            cost.halving_doubling(outer, size),
        )
        sent = cost.sent_by_halves(inner, size, left) + cost.sent_by_halves(outer, size)
        return Way(self._leaving(outside, inner.core), sent, inside)

    def _two_levels(self, size: Expr, inner: Ranks, outer: Ranks) -> Way:
        q, k = outer.number, inner.number
        if self.leaders:
            inside, outside = cost.tree(inner, size), cost.ring(q, size, share=self.exact)
            return Way(outside, inner.up * size + outside.moved, inside)
        inside = cost.ring(k, size, share=self.exact)
        outside = cost.ring(q, size / k, share=self.exact)
        sent = inside.moved + outside.moved
        if self.shared_uplink:
            whole = cost.ring(q, size, share=self.exact).moved
            outside = Cost(outside.rounds, whole, outside.added)
        return Way(outside, sent, inside)

    def _leaving(self, found: Cost, messages: Expr | int) -> Cost:
        """*found*, in each round of which so many *messages* leave each node."""
        if not self.shared_uplink:
            return found
        return Cost(found.rounds, messages * found.moved, found.added)

    def _all_round(self, found: Cost, sent: Expr, messages: int = 1) -> Way:
        """*found*, in each of whose rounds so many *messages* leave every node, if there are
        several."""
        if self.outer is not None and self.shared_uplink and messages > 1:
            sharing = cases((1, same(self.outer.number, 1), ONE_NODE), otherwise=messages)
            found = Cost(found.rounds, sharing * found.moved, found.added)
        return Way(found, sent, waits=True)

    def _server(self, size: Expr) -> Way:
        p, s, own, shared = self.ranks.number, self.servers, self.own_server, self.shared_link
        sent = size if own else self._sent_by_server(size)
        turns = cost.turns(p, s, own=own, shared=shared)
        if self.inner is not None and self.outer is not None:
            k, uplink, single = self.inner.number, self.shared_uplink, same(self.outer.number, 1)
            between = cost.turns_between(p, k, s, own=own, shared=shared, uplink=uplink)
            turns = between if own else cases((turns, single, ONE_NODE), otherwise=between)
        return Way(cost.server(turns, p, s, size, back=self.back), sent, waits=not own)

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
