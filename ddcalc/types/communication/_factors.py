"""nccl-tests' factors: what the busiest link carries in a collective, by the size.

Source: NVIDIA nccl-tests, doc/PERFORMANCE.md (summary); src/gather.cu, scatter.cu, sendrecv.cu.
None of them knows sums in the switch. For these each rank sends its whole array to be summed, and
writes the n-th part that it has read summed; it gets as much: (n + 1)/n of the array each way. So
says the comment of 2024-09-02 in nccl-tests pull request 239, which takes back another formula.
"""

from __future__ import annotations

from ddcalc.formula.algebra import Expr

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


def factor(collective: str, n: Expr) -> Expr:
    """The factor of a *collective* among *n* ranks, one that depends on their number."""
    if collective == "all_reduce":
        return 2 * (n - 1) / n
    return (n + 1) / n if collective == "in_network" else (n - 1) / n


def ranks(collective: str, algorithm: Expr, bus: Expr) -> Expr:
    """The ranks for which the *algorithm* bandwidth times the factor is the *bus* bandwidth."""
    if collective == "in_network":
        return algorithm / (bus - algorithm)
    most = 2 * algorithm if collective == "all_reduce" else algorithm
    return most / (most - bus)
