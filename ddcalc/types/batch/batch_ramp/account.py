"""What a ramp came to: its values and steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ddcalc.formula.expression import Num, Sym
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import DefineEach, Step, Table, Value
from ddcalc.types.batch.batch_ramp.model import Ramp

ROWS = 4  # of the table at each end


class Account:
    """What a ramp comes to, by its *declared* quantities, beside an update count to *compare*."""

    def __init__(self, ramp: Ramp, compare: int, declared: Mapping[str, Derived]) -> None:
        self.ramp, self.compare, self.declared = ramp, compare, declared
        self.updates = sum(ramp.updates)
        self.saved = quotient(compare - self.updates, compare)

    def values(self) -> dict[str, Value | tuple[Value, ...]]:
        """By name, what the equations do not say."""
        return {"stage_updates": self.ramp.updates, "updates": self.updates, "saved": self.saved}

    def steps(self) -> Iterator[Step]:
        """The batches one after the other, and what they add up to."""
        yield self._table()
        stages, of_stage = self.ramp.updates, self.declared["stage_updates"]
        why = "first while the batch grows, then with the last one"
        rows = tuple(
            defined(of_stage, updates, why=why, symbol=f"U_{i}")
            for i, updates in enumerate(stages, 1)
        )
        yield DefineEach(of_stage.name, of_stage.title, why, rows)
        known: dict[str, Number] = {"U_1": stages[0], "U_2": stages[1]}
        added = Sym("U_1") + Sym("U_2")
        yield defined(self.declared["updates"], self.updates, added, known)
        known = {"U_all": self.updates, "U_0": self.compare}
        part = (Sym("U_0") - Sym("U_all")) / Sym("U_0")
        yield defined(self.declared["saved"], self.saved, part, known)

    def _table(self) -> Table:
        levels = self.ramp.levels
        kept = levels if len(levels) <= 2 * ROWS + 1 else [*levels[:ROWS], *levels[-ROWS:]]
        rows = [tuple(map(Num, (row.consumed, row.batch, row.updates))) for row in kept]
        cells: list[tuple[str | Num, ...]] = [*rows]
        if len(kept) < len(levels):
            cells.insert(ROWS, ("…", f"{len(levels) - len(kept)} more", ""))
        why = "an update takes the batch that is due when it begins"
        if self.ramp.cut:
            why = "each batch for its samples, the last one as small as what is left of them"
        return Table("While the batch grows", why, ("consumed", "batch", "updates"), tuple(cells))
