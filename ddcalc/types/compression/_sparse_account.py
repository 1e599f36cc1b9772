"""What becomes of a vector of which only some values are sent, as values and as steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddcalc.formula.algebra import Expr, Num, Sym
from ddcalc.formula.evaluation import evaluate
from ddcalc.numbers.number import Number
from ddcalc.problem.play import brief, decimal, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.compression import _bounds as bounds
from ddcalc.types.compression._sparse import Sparse
from ddcalc.types.compression._telling import (
    Errors,
    Values,
    listed,
    lost,
    seeded,
    squared,
    within_bound,
)


@dataclass(frozen=True)
class SparseAccount:
    """The steps of *done*, whose vector may have been *drawn*; *declared* is what they define.

    *seed* is that of all draws.
    """

    done: Sparse
    drawn: bool
    seed: int
    declared: Mapping[str, Derived]

    @property
    def letter(self) -> str:
        """That of the vector's values."""
        return "x" if self.drawn else "v"

    @property
    def numbers(self) -> dict[str, Number]:
        """The numbers in the bound."""
        return {"n": len(self.done.vector), "k_v": self.done.kept}

    @property
    def bound(self) -> Expr:
        """The bound, in letters."""
        return bounds.sparsified(self.done.method, Sym("n"), Sym("k_v"))

    @property
    def errors(self) -> Errors:
        """The errors beside the bound."""
        done, limit = self.done, evaluate(self.bound, self.numbers)
        return Errors(done.error, done.expected_error, limit, done.square, done.random)

    def values(self) -> Values:
        """All that is derived."""
        drawn: Values = {"drawn": self.done.vector} if self.drawn else {}
        told: Values = {"kept_values": self.done.kept, "sparse": self.done.sent}
        return drawn | told | self.errors.values() | {"memory": self.done.memory}

    def steps(self) -> Iterator[Step]:
        """From the vector to its error beside the bound."""
        done, declared = self.done, self.declared
        omega = self.errors.bound if done.method == "unbiased" else None
        if self.drawn:
            yield listed(declared["drawn"], done.vector, seeded(declared["drawn"], self.seed))
        yield defined(declared["kept_values"], done.kept)
        yield squared(declared["square"], done.square, self.letter, done.vector)
        yield self._table()
        yield listed(declared["sparse"], done.sent)
        yield lost(declared["memory"], done.memory, omega)
        yield squared(declared["error"], done.error, "m", done.memory)
        yield self._expected()
        yield defined(declared["vector_bound"], self.errors.bound, self.bound, self.numbers)
        yield within_bound(declared["allowed"], self.errors)

    def _table(self) -> Table:
        done = self.done
        order = sorted(range(len(done.vector)), key=lambda i: (i not in done.chosen, i))

        def row(at: int | None) -> Cells:
            if at is None:
                return ("…",) * len(header)
            i = order[at - 1]
            by = decimal(done.draws[i]) if done.random else brief(done.sizes[i])
            return Num(i + 1), brief(done.vector[i]), by, brief(done.sent[i])

        header = ("i", f"{self.letter}_i", "draw" if done.random else "size", "arrives")
        why = (
            f"those with the smallest draws (of seed {self.seed})"
            if done.random
            else "the largest, the first of equal ones"
        )
        if done.factor != 1:
            why += f"; each times n/k_v = {brief(done.factor)}"
        rows = tuple(map(row, outlined(len(order))))
        return Table("Which values are sent", why, header, rows)

    def _expected(self) -> Define:
        done, quantity = self.done, self.declared["expected_error"]
        if not done.random:
            why = "nothing is drawn, so it is this error"
            return defined(quantity, done.error, Sym("e"), {"e": done.error}, why)
        why = "every value is sent with the chance k_v/n, so this is the bound itself"
        numbers = {**self.numbers, "N": done.square}
        return defined(quantity, done.expected_error, self.bound * Sym("N"), numbers, why)
