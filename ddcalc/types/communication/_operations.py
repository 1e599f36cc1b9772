"""What reduce-scatter, all-gather, broadcast, reduce, all-to-all, gather and scatter cost.

Sizes are as in nccl-tests: of the whole array, or in an all-to-all of what each worker has. Whole
messages are handed on; nothing is cut to be on several hops at once. The links of the worker that
gathers or scatters carry as much as the busiest ones of an all-gather, in as many rounds.
"""

from __future__ import annotations

from collections.abc import Callable

from ddcalc.formula.algebra import Expr, Num, ceiling, ceiling_log2, floor, smallest
from ddcalc.types.communication._cost import Cost

OPERATIONS = {
    "all_gather": "all-gather: all workers get the array, of which each has a part",
    "reduce_scatter": "reduce-scatter: each worker gets its part of the sum of the arrays",
    "broadcast": "broadcast: all workers get the array that one has",
    "reduce": "reduce: one worker gets the sum of the arrays",
    "all_to_all": "all-to-all: each worker has a part of its data for each other one",
    "gather": "gather: one worker gets the array, of which each has a part",
    "scatter": "scatter: each worker gets its part of the array that one has",
}
WAYS = {
    "ring": "a ring, one way round",
    "bidirectional": "a ring, both ways round at once, over a link each",
    "pairs": "from each to each, through a switch",
    "tree": "doubling distances: a binomial tree, halves, or Bruck's algorithm",
}
PARTS = ("all_gather", "reduce_scatter", "gather", "scatter")


def operation_cost(operation: str, way: str, p: Expr, size: Expr, *, exact: bool) -> Cost:
    """The *operation* among *p* workers; not *exact*: with (p − 1)/p taken for 1."""
    rules: dict[str, Callable[[], Cost]] = {
        "ring": lambda: _ring(operation, p, size, exact),
        "pairs": lambda: _ring(operation, p, size, exact),
        "bidirectional": lambda: _bidirectional(operation, p, size, exact),
        "tree": lambda: _tree(operation, p, size, exact),
    }
    if operation == "all_to_all" and way == "ring":
        return Cost(p - 1, (p - 1) / 2 * size, Num(0) * size)
    return rules[way]()


def busiest(operation: str, way: str, p: Expr, size: Expr, moved: Expr) -> Expr:
    """The bytes over the busiest link, one way, if so many are *moved* one after the other.

    All of these pass one link, but for an array that is handed on: each link of a ring carries it
    once, while the next hops wait.
    """
    handed_on = operation in ("broadcast", "reduce") and way in ("ring", "bidirectional")
    return smallest(p - 1, 1) * size if handed_on else moved


def _part(p: Expr, size: Expr, exact: bool) -> Expr:
    return (p - 1) / p * size if exact else size


def _with_sums(operation: str, cost: Cost) -> Cost:
    """*cost*, with nothing added up unless the operation sums."""
    sums = operation in ("reduce", "reduce_scatter")
    return cost if sums else Cost(cost.rounds, cost.moved, Num(0) * cost.moved)


def _ring(operation: str, p: Expr, size: Expr, exact: bool) -> Cost:
    """p − 1 hops along a ring, or to p − 1 others in turn."""
    moved = (p - 1) * size if operation in ("broadcast", "reduce") else _part(p, size, exact)
    return _with_sums(operation, Cost(p - 1, moved, _added(operation, p, size, moved)))


def _added(operation: str, p: Expr, size: Expr, moved: Expr) -> Expr:
    """Nobody adds an own part to itself, even if all of the array counts as sent."""
    return (p - 1) / p * size if operation == "reduce_scatter" else moved


def _bidirectional(operation: str, p: Expr, size: Expr, exact: bool) -> Cost:
    """Half way round at most; what has as far both ways goes half this way, half that."""
    hops = floor(p / 2)
    if operation in PARTS:
        moved = _part(p, size, exact)
        return _with_sums(operation, Cost(hops, moved / 2, (p - 1) / p * size))
    if operation == "all_to_all":
        return Cost(hops, floor(p * p / 4) / 2 * (size / p), Num(0) * size)
    added = smallest(ceiling(p / 2), p - 1) * size
    return _with_sums(operation, Cost(hops, hops * size, added))


def _tree(operation: str, p: Expr, size: Expr, exact: bool) -> Cost:
    depth = ceiling_log2(p)
    if operation in PARTS:
        moved = _part(p, size, exact)
    else:
        moved = depth * size / 2 if operation == "all_to_all" else depth * size
    return _with_sums(operation, Cost(depth, moved, _added(operation, p, size, moved)))
