"""What the steps of a ring all-reduce are called, and why they are taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ddcalc.formula.algebra import Expr, largest, smallest, total
from ddcalc.formula.expression import Mul
from ddcalc.types.communication.ring_trace.ring import Op
from ddcalc.types.communication.ring_trace.route import Phase, Route, Way

TAKES: Final[Mapping[Op, str]] = {
    "sum": "adds it to its own",
    "max": "keeps the larger of it and its own, value by value",
    "min": "keeps the smaller of it and its own, value by value",
    "prod": "multiplies its own by it, value by value",
    "mean": "adds it to its own; a complete sum is divided by the number of processes",
}
DONE: Final[Mapping[Op, str]] = {
    "sum": "sums",
    "max": "maxima",
    "min": "minima",
    "prod": "products",
    "mean": "means",
}
PHASES: Final[Mapping[Phase, str]] = {"reduce": "share-reduce", "share": "share-only"}
WAYS: Final[Mapping[Way, str]] = {
    "chunks": "in chunks",
    "whole": "whole vectors",
    "relay": "one after the other",
}
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def why(route: Route, phase: Phase, op: Op, again: bool) -> str:
    """What happens in each step of *phase*, in short where it happens *again*."""
    if route.way == "relay":
        told = f"one process sends all it has so far; the next one {TAKES[op]}"
        return told if phase == "reduce" else f"the complete {DONE[op]} go round"
    what = "vector" if route.way == "whole" else "chunk"
    if again:
        return f"everybody passes on the {what} that has just come in"
    if phase == "share":
        return "each process passes on its complete chunk, which replaces the next one's own"
    return f"each process sends a {what} to the next one, which {TAKES[op]}"


def ordinal(step: int, last: int) -> str:
    """Which of the steps of a phase it is; the first seven and the last one have a word."""
    if last == 1:
        return "only"
    return "last" if step == last else _ORDINALS[step - 1]


def joined(op: Op, values: list[Expr]) -> Expr:
    """The formula of a reduced value."""
    if len(values) == 1:
        return values[0]
    if op in ("max", "min"):
        return (largest if op == "max" else smallest)(*values)
    if op == "prod":
        return Mul(tuple(values))
    return total(values) / len(values) if op == "mean" else total(values)
