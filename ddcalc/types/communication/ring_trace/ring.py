"""The processes of a ring and what they hold, step by step, in exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import add, mul
from typing import Final, Literal

from ddcalc.numbers.number import Number
from ddcalc.problem.steps import Held, Sent
from ddcalc.types.communication.ring_trace.route import Hop, Round, Route

Vector = tuple[Number, ...]
Op = Literal["sum", "max", "min", "prod", "mean"]

_JOINS: Final[dict[Op, Callable[[Number, Number], Number]]] = {
    "sum": add,
    "max": max,
    "min": min,
    "prod": mul,
    "mean": add,
}


class Ring:
    """Processes with *vectors* that go along *route* and are reduced by *op*.

    *held* are the values of each process and part; *given* says how many vectors are in them. A
    mean is a sum that is divided as soon as it is complete.
    """

    def __init__(self, vectors: Sequence[Vector], route: Route, op: Op) -> None:
        self.route, self.op = route, op
        self._join = _JOINS[op]
        self.own = [list(_cut(vector, route.lengths)) for vector in vectors]
        self.held = [list(parts) for parts in self.own]
        self.given = [[1] * len(route.lengths) for _ in vectors]
        if len(vectors) == 1:  # complete before anything is sent
            self._divide(0)

    def play(self) -> Iterator[tuple[Round, tuple[Sent, ...]]]:
        """Each step with its messages; afterwards everything is as the step left it."""
        for each in self.route.rounds():
            sent = tuple(map(self._sent, each.hops))
            given = [self._given(hop) for hop in each.hops]
            for message, count in zip(sent, given, strict=True):
                self._take(message, count, each.phase == "share")
            yield each, sent

    def rows(self, sent: Sequence[Sent] = ()) -> tuple[tuple[Held, ...], ...]:
        """What each process holds after the messages *sent*."""
        changed = {(message.receiver, message.part) for message in sent}
        whole = len(self.held)
        return tuple(
            tuple(
                Held(values, (j, k) in changed, count == whole and bool(values))
                for k, (values, count) in enumerate(zip(parts, given, strict=True))
            )
            for j, (parts, given) in enumerate(zip(self.held, self.given, strict=True), 1)
        )

    def _part(self, hop: Hop) -> int:
        return hop.number - 1 if self.route.way == "chunks" else 0

    def _sent(self, hop: Hop) -> Sent:
        """The message with its values: a vector that is passed on whole is still its owner's."""
        part = self._part(hop)
        whole = self.route.way == "whole"
        values = self.own[hop.number - 1][0] if whole else self.held[hop.sender - 1][part]
        number = 0 if self.route.way == "relay" else hop.number
        return Sent(hop.sender, hop.receiver, number, part, values)

    def _given(self, hop: Hop) -> int:
        return 1 if self.route.way == "whole" else self.given[hop.sender - 1][self._part(hop)]

    def _take(self, message: Sent, count: int, share: bool) -> None:
        j, k = message.receiver - 1, message.part
        if share:
            self.held[j][k], self.given[j][k] = message.values, count
            return
        pairs = zip(message.values, self.held[j][k], strict=True)
        self.held[j][k] = tuple(self._join(theirs, own) for theirs, own in pairs)
        self.given[j][k] += count
        if self.given[j][k] == len(self.held):
            self._divide(j, k)

    def _divide(self, j: int, k: int | None = None) -> None:
        """A complete sum becomes a mean."""
        if self.op != "mean":
            return
        for part in range(len(self.held[j])) if k is None else (k,):
            told = (Fraction(value) / len(self.held) for value in self.held[j][part])
            self.held[j][part] = tuple(told)


def _cut(vector: Vector, lengths: Sequence[int]) -> Iterator[Vector]:
    start = 0
    for length in lengths:
        yield vector[start : start + length]
        start += length
