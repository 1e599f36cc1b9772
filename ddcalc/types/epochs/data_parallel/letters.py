"""What stands for what in an iteration, and the number behind every letter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ddcalc.formula.expression import Sym
from ddcalc.numbers.number import Number
from ddcalc.types.epochs.data_parallel.linear import Iteration, Vector

ROWS, WORKERS, ETA = Sym("N"), Sym("n"), Sym("eta")


class Letters:
    """The letters of *iteration*: rows i, workers j, and weights k, which a single one goes
    without."""

    def __init__(self, iteration: Iteration) -> None:
        self.iteration = iteration
        self.components = range(1, len(iteration.weights) + 1)

    def of(self, letter: str, k: int) -> Sym:
        """Component *k* of the vector called *letter*: w_2, w_new_2, g_2."""
        return self._symbol(letter, k)

    def entry(self, i: int, k: int) -> Sym:
        """Value *k* of row *i*."""
        return self._symbol(f"x_{i}", k)

    def local(self, j: int, k: int) -> Sym:
        """Component *k* of worker *j*'s gradient."""
        return self._symbol(f"G_{j}", k)

    def _symbol(self, vector: str, k: int) -> Sym:
        return Sym(vector if len(self.components) == 1 else f"{vector}_{k}")

    @cached_property
    def known(self) -> dict[str, Number]:
        """The number behind every letter."""
        return dict(self._known())

    def _known(self) -> Iterator[tuple[str, Number]]:
        done = self.iteration
        yield ROWS.name, len(done.targets)
        yield WORKERS.name, len(done.shards)
        yield ETA.name, done.eta
        for letter, listed in (("y", done.targets), ("r", done.residuals), ("m", done.shards)):
            yield from ((f"{letter}_{i}", value) for i, value in enumerate(listed, 1))
        for i, row in enumerate(done.inputs, 1):
            yield from self._vector(f"x_{i}", row)
        for j, gradient in enumerate(done.local, 1):
            yield from self._vector(f"G_{j}", gradient)
        yield from self._vector("w", done.weights)
        yield from self._vector("g", done.gradient)
        yield from self._vector("g_plain", done.averaged(by_rows=False))
        yield from self._vector("w_new", done.new_weights)
        yield from self._vector("g_one", done.single_gradient)
        yield from self._vector("w_one", done.single_weights)
        yield "D", done.gap

    def _vector(self, letter: str, values: Vector) -> Iterator[tuple[str, Number]]:
        return (
            (self._symbol(letter, k).name, value)
            for k, value in zip(self.components, values, strict=True)
        )
