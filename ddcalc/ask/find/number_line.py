"""Pieces of the number line: points, and intervals whose ends may belong to them or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, inf
from typing import Any

from ddcalc.formula.algebraic import Edge, Root, at_least, at_most, between, close_to, floor_of
from ddcalc.formula.intervals import Bounds
from ddcalc.numbers.number import Number

WIDE = 4  # times its low end that the high one of a wide piece is


@dataclass(frozen=True, slots=True)
class Piece:
    """The numbers from *low* to *high* (None: without end); only *whole* ones, if so said: all of
    them, or multiples of that number; then its ends are such ones and belong to it."""

    low: Edge | None
    high: Edge | None
    low_in: bool = True
    high_in: bool = True
    whole: int = 0

    @property
    def is_point(self) -> bool:
        """Whether there is one number only."""
        return self.low is not None and self.high is not None and self.low == self.high

    @property
    def number(self) -> Number | None:
        """The one number there is, if it is rational."""
        return None if not self.is_point or isinstance(self.low, Root) else self.low

    def __contains__(self, x: Edge) -> bool:
        above = self.low is None or x > self.low or (self.low_in and x == self.low)
        return above and (self.high is None or x < self.high or (self.high_in and x == self.high))

    def below(self, x: Edge) -> int:
        """The largest of its whole numbers that is not above *x*."""
        return floor_of(x) // self.whole * self.whole

    def middle(self) -> Number:
        """A rational number between its ends, by factors where it is wide; or near its only one."""
        if self.is_point:
            return close_to(self.low)  # type: ignore[arg-type]
        if self.high is None:
            return 1 if self.low is None or self.low < 1 else 2 * at_least(self.low)
        if self.low is None:
            return -1 if self.high > -1 else 2 * at_most(self.high)
        low, high = at_least(self.low), at_most(self.high)
        if low > 0 and high > WIDE * low:
            return low * (1 << floor(high / low).bit_length() // 2)
        return between(self.low, self.high)

    def bounds(self) -> Bounds:
        """Its numbers for interval arithmetic; a little more where an end is irrational."""
        return Bounds(
            -inf if self.low is None else at_most(self.low),
            inf if self.high is None else at_least(self.high),
            self.low_in and self.low is not None and not isinstance(self.low, Root),
            self.high_in and self.high is not None and not isinstance(self.high, Root),
        )

    @property
    def _is_empty(self) -> bool:
        if self.low is None or self.high is None or self.low < self.high:
            return False
        return self.low > self.high or not (self.low_in and self.high_in)

    def split(self, at: Iterable[Edge]) -> Iterator[Piece]:
        """Its parts below, at and above each of *at*, which are in order and in it."""
        rest = self
        for x in at:
            if x not in rest:
                continue
            if self.whole:
                k = self.below(x)
                parts = [replace(rest, high=k - self.whole), replace(rest, low=k, high=k)]
                rest = replace(rest, low=k + self.whole)
            else:
                parts = [replace(rest, high=x, high_in=False), Piece(x, x)]
                rest = replace(rest, low=x, low_in=False)
            yield from (part for part in parts if not part._is_empty)
        if not rest._is_empty:
            yield rest


class Cut(Exception):
    """Something changes at these places of the piece."""

    def __init__(self, at: Sequence[Edge]) -> None:
        super().__init__(at)
        self.at = at


class Undefined(Exception):
    """A formula has no value anywhere in the piece."""


class Unsettled(Exception):
    """A formula is neither a quotient of polynomials nor one whose zeros SymPy finds."""


def merged(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The largest pieces that *pieces* make up, in order; they do not overlap."""
    largest: list[Piece] = []
    for piece in sorted(pieces, key=lambda x: (x.low is not None, x.low or 0, not x.low_in)):
        last: Any = largest[-1] if largest else piece
        end = last.high + piece.whole if piece.whole and largest else last.high
        if largest and end == piece.low and (last.high_in or piece.low_in):
            largest[-1] = Piece(last.low, piece.high, last.low_in, piece.high_in, last.whole)
        else:
            largest.append(piece)
    return tuple(largest)
