"""What becomes of a vector of which only some values are sent, as values and as steps."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.formula.algebra import Num, Sym
from ddcalc.problem.play import brief, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Table
from ddcalc.types.compression._errors import VectorAccount, sparse_bound
from ddcalc.types.compression._vectors import sizes
from ddcalc.types.compression.sparsify.model import Sparse


class SparsifyAccount(VectorAccount[Sparse]):
    """The values and steps of a vector of which some values are sent."""

    arrives = "sparse"

    def __init__(self, work: Sparse, declared: Mapping[str, Derived]) -> None:
        bound = sparse_bound(work.question.method, Num(len(work.vector)), Sym("k_v"))
        super().__init__(work, declared, bound, {"k_v": work.kept})
        self.counts = {"kept_values": work.kept}

    def table(self) -> Table:
        work, random = self.work, self.work.random
        order = sorted(range(len(work.vector)), key=lambda i: (i not in work.chosen, i))
        size = sizes(work.vector)

        def row(at: int | None) -> Cells:
            if at is None:
                return ("…",) * len(header)
            i = order[at - 1]
            by = brief(work.question.draws[i]) if random else brief(size[i])
            return Num(i + 1), brief(work.vector[i]), by, brief(work.sent[i]), brief(work.memory[i])

        header = ("i", f"{self.letter}_i", "draw" if random else "size", "arrives", "lost m_i")
        why = f"{self.source}the largest, the first of equal ones"
        if random:
            why = f"{self.source}those with the smallest draws (of seed {self.sample.seed})"
        if work.factor != 1:
            why += f"; each times {brief(work.factor)}"
        rows = tuple(map(row, outlined(len(order))))
        return Table("Which values are sent", why, header, rows)

    def expected(self) -> Define:
        why = "every value is as likely to be sent, so this is the bound itself"
        numbers = {**self.numbers, "N": self.work.square}
        formula, value = self.bound * Sym("N"), self.work.expected_error
        return defined(self.declared["expected_error"], value, formula, numbers, why)
