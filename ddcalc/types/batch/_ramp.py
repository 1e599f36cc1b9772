"""A batch that grows by equal increments, each after equally many samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.errors import OverLimit
from ddcalc.formula.expression import Num, Sym
from ddcalc.numbers.number import Number, plain, quotient
from ddcalc.problem.play import Played, defined, several, whole
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import DefineEach, Step, Table, Value

MOST = 200_000  # batches of unlike size that are gone through
ROWS = 4  # of the table at each end


@dataclass(frozen=True, slots=True)
class Level:
    """A number of *updates* with one *batch*, the first one after *consumed* samples."""

    consumed: Number
    batch: int
    updates: int


@dataclass(frozen=True)
class Ramp:
    """From the *first* batch to the *last* by equal *increments* over *samples*, of *all*.

    Levels that are *cut* end with the samples left; else the next one begins when its batch is due.
    """

    first: int
    last: int
    increments: int
    samples: int
    all: int
    cut: bool

    @cached_property
    def levels(self) -> list[Level]:
        """The batches before the last one, without those whose turn has passed when it comes."""
        levels: list[Level] = []
        consumed, end = Fraction(0), Fraction(min(self.samples, self.all))
        while consumed < end:
            level = consumed * self.increments // self.samples
            batch = self.first + level * (self.last - self.first) // self.increments
            due = min(Fraction((level + 1) * self.samples, self.increments), end)
            updates = -((consumed - due) // batch)
            levels.append(Level(plain(consumed), batch, updates))
            consumed = due if self.cut else consumed + updates * batch
        return levels

    @property
    def grown(self) -> Number:
        """The samples consumed when the last batch is reached, or the training ends."""
        top = self.levels[-1]
        if self.cut:
            return min(self.samples, self.all)
        return plain(Fraction(top.consumed) + top.batch * top.updates)

    @property
    def updates(self) -> tuple[int, int]:
        """Those while the batch grows, and those with the last one."""
        left = self.all - Fraction(self.grown)
        return sum(level.updates for level in self.levels), max(0, -(-left // self.last))


def ramp(given: Played, cut: bool) -> Ramp:
    """The ramp of the *given* numbers; OverLimit where it has too many unlike batches."""
    first, last = map(int, several(given, "batches"))
    names = ("increments", "ramp_samples", "samples")
    increments, samples, everything = (int(whole(given, name) or 0) for name in names)
    if min(increments, increments if cut else samples // first) > MOST:
        reason = f"makes more than {MOST} unlike batches; state a larger one"
        raise OverLimit(f"{whole(given, 'increment')} {reason}").about("increment")
    return Ramp(first, last, increments, samples, everything, cut)


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
        part = 1 - Sym("U_all") / Sym("U_0")
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
