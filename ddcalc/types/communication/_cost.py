"""What an all-reduce costs by each algorithm: rounds, bytes on their way, bytes added up.

In a round every worker sends one message and receives one, at the same time (a link has both
directions); a message takes the latency and its bytes over the bandwidth. The formulas are those of
Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH,
International Journal of High Performance Computing Applications 19(1), 2005, and of MPICH's source
(src/mpi/coll/allreduce) where the workers are no power of two.
"""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.formula.algebra import (
    Expr,
    Num,
    floor,
    largest,
    smallest,
)
from ddcalc.formula.expression import Mul, replace


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
    rounds = 2 * ranks.up - ranks.down
    return Cost(rounds, rounds * size, ranks.up * size)


def halving_doubling(ranks: Ranks, size: Expr, left: Expr | None = None) -> Cost:
    """Rabenseifner's: reduce-scatter by halves, quarters, …, and all-gather back.

    Workers beyond the largest power of two hand in all their data first and get the result last.
    What is halved is the size, or what is *left* of it by then.
    """
    halves = (ranks.core - 1) / ranks.core
    whole = (halves + ranks.up - ranks.down) * size
    if left is not None:
        whole = halves * left + (ranks.up - ranks.down) * size
    return Cost(2 * ranks.up, 2 * whole, whole)


def sent_by_halves(ranks: Ranks, size: Expr, left: Expr | None = None) -> Expr:
    """What a worker sends by halving-doubling that also sends the result to a surplus one."""
    halves = 2 * ((ranks.core - 1) / ranks.core)
    if left is not None:
        return halves * left + (ranks.up - ranks.down) * size
    return (halves + ranks.up - ranks.down) * size


def naive(p: Expr, size: Expr) -> Cost:
    """Every worker sends all its data to every other one, and adds up what it gets."""
    return Cost(p - 1, (p - 1) * size, (p - 1) * size)


def server(turns: Expr, p: Expr, servers: Expr | None, size: Expr, *, back: bool) -> Cost:
    """A parameter server whose busiest link has so many *turns* one way: everybody's data in, the
    result *back* (or not), sharded where there are *servers*. A link takes one message after the
    other."""
    ways, part = 2 if back else 1, size if servers is None else size / servers
    return Cost(ways * turns, ways * turns * part, (p - 1) * part)


def turns(p: Expr, servers: Expr | None, *, own: bool, shared: bool) -> Expr:
    """The messages of the busiest link to or from a server, one way.

    The server is a machine of its *own*, or one of the workers. It has one link, *shared* by the
    messages of all workers, or one link for each of them.
    """
    if shared:
        if not own:
            return p - 1
        return p if servers is None else largest(p, servers)
    messages = Num(1) if servers is None else servers
    return messages if own else smallest(messages, p - 1)


def turns_between(
    p: Expr, each: Expr, servers: Expr | None, *, own: bool, shared: bool, uplink: bool
) -> Expr:
    """The same, of the busiest link between several nodes of so many workers *each*.

    With an *uplink* the workers of a node share one link. Servers that are workers are those of the
    first nodes; what they get from their own node does not leave it.
    """
    few = Num(1) if servers is None else servers
    if own:
        messages = (each if servers is None else each * servers) if uplink else few
        if not shared:
            return messages
        return p if servers is None else largest(p, messages)
    others = p - each
    if uplink:
        return others if servers is None else others * smallest(servers, each)
    return others if shared else smallest(few, others)
