"""One iteration of data-parallel SGD for linear regression, in exact numbers.

The model predicts w·x for a row with inputs x and target y; its residual is r = w·x − y. The loss
of rows is half the mean of r², with the gradient mean(r·x), or the mean of r², with twice that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.number import Number

Vector = tuple[Number, ...]


@dataclass(frozen=True)
class Iteration:
    """Every worker computes a gradient on its rows, a server averages, all get the new weights.

    *inputs* has the d values of each row, *shards* the number of rows of each worker, in order.
    *scale* is 1 for half the mean square as the loss, 2 for the mean square. With *by_rows* a
    worker counts as much as it has rows in the average, else all count the same.
    """

    inputs: tuple[Vector, ...]
    targets: Vector
    shards: tuple[int, ...]
    weights: Vector
    eta: Number
    scale: int
    by_rows: bool

    @cached_property
    def owners(self) -> tuple[range, ...]:
        """The row numbers, from 1, of each worker."""
        return tuple(_stretches(self.shards))

    @property
    def are_equal(self) -> bool:
        """Whether every worker has as many rows."""
        return len(set(self.shards)) == 1

    @cached_property
    def residuals(self) -> Vector:
        """What the replicas predict for each row, less its target."""
        pairs = zip(self.inputs, self.targets, strict=True)
        return tuple(_dot(self.weights, row) - target for row, target in pairs)

    @cached_property
    def local(self) -> tuple[Vector, ...]:
        """Each worker's gradient, on its own rows."""
        return tuple(map(self._gradient, self.owners))

    @cached_property
    def gradient(self) -> Vector:
        """What the server makes of the local gradients."""
        return self.averaged(self.by_rows)

    def averaged(self, by_rows: bool) -> Vector:
        """The local gradients averaged, each counted as often as its worker has rows, or once."""
        counts = self.shards if by_rows else (1,) * len(self.shards)
        columns = zip(*self.local, strict=True)
        return tuple(Fraction(_dot(counts, column)) / sum(counts) for column in columns)

    @cached_property
    def new_weights(self) -> Vector:
        """What the server sends back to every worker."""
        return self._stepped(self.gradient)

    @cached_property
    def single_gradient(self) -> Vector:
        """The gradient that one machine computes on all rows."""
        return self._gradient(range(1, len(self.targets) + 1))

    @cached_property
    def single_weights(self) -> Vector:
        """The weights after one step on one machine."""
        return self._stepped(self.single_gradient)

    @property
    def gap(self) -> Number:
        """The largest difference of a weight between the workers and one machine."""
        pairs = zip(self.new_weights, self.single_weights, strict=True)
        return max(max(ours - theirs, theirs - ours) for ours, theirs in pairs)

    def _gradient(self, rows: range) -> Vector:
        residuals = tuple(self.residuals[i - 1] for i in rows)
        columns = zip(*(self.inputs[i - 1] for i in rows), strict=True)
        return tuple(
            Fraction(self.scale * _dot(residuals, column)) / len(rows) for column in columns
        )

    def _stepped(self, gradient: Vector) -> Vector:
        return tuple(w - self.eta * g for w, g in zip(self.weights, gradient, strict=True))


def split(rows: int, workers: int) -> tuple[int, ...]:
    """The rows of each worker, as equal as can be; the first workers have one more.

    >>> split(5, 3)
    (2, 2, 1)
    """
    least, more = divmod(rows, workers)
    return (least + 1,) * more + (least,) * (workers - more)


def _stretches(lengths: Iterable[int]) -> Iterator[range]:
    first = 1
    for length in lengths:
        yield range(first, first + length)
        first += length


def _dot(left: Vector, right: Vector) -> Number:
    return sum((a * b for a, b in zip(left, right, strict=True)), start=0)
