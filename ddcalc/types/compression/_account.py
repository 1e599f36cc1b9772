"""What becomes of a vector that is quantized, as values and as steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddcalc.formula.algebra import Expr, Num, Sym
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Add, Pow
from ddcalc.numbers.number import Number
from ddcalc.problem.play import brief, decimal, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Step, Table
from ddcalc.types.compression import _bounds as bounds
from ddcalc.types.compression._quantized import Quantized
from ddcalc.types.compression._telling import (
    WRITTEN,
    Errors,
    Values,
    bounded,
    listed,
    lost,
    seeded,
    squared,
    within_bound,
)

SCALES = {
    "qsgd": "the vector's length",
    "qsgd_max": "the largest value",
    "terngrad": "the largest value",
    "sign": "the mean size",
    "one_bit": "the mean of each sign",
}


@dataclass(frozen=True)
class Account:
    """The steps of *done*, whose vector may have been *drawn*; *declared* is what they define.

    *seed* is that of all draws.
    """

    done: Quantized
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
        return {"D_v": self.done.bucket, "s": self.done.levels}

    @property
    def bound(self) -> Expr:
        """The bound, in letters."""
        return bounds.quantized(self.done.scheme, Sym("D_v"), Sym("s"))

    @property
    def errors(self) -> Errors:
        """The errors beside the bound."""
        done, limit = self.done, evaluate(self.bound, self.numbers)
        return Errors(done.error, done.expected_error, limit, done.square, bool(done.rounded))

    def values(self) -> Values:
        """All that is derived."""
        done = self.done
        drawn: Values = {"drawn": done.vector} if self.drawn else {}
        told: Values = {"quantized": done.sent, "memory": done.memory}
        return drawn | told | self.errors.values()

    def steps(self) -> Iterator[Step]:
        """From the vector to its error beside the bound."""
        done, declared = self.done, self.declared
        if self.drawn:
            yield listed(declared["drawn"], done.vector, seeded(declared["drawn"], self.seed))
        yield squared(declared["square"], done.square, self.letter, done.vector)
        yield self._random_table() if done.rounded else self._plain_table()
        yield listed(declared["quantized"], done.sent)
        yield lost(declared["memory"], done.memory, self.errors.bound if done.rounded else None)
        yield squared(declared["error"], done.error, "m", done.memory)
        yield self._expected()
        yield bounded(declared["vector_bound"], self.bound, self.numbers)
        yield within_bound(declared["allowed"], self.errors)

    def _random_table(self) -> Table:
        rows = [(bucket.scale, value) for bucket in self.done.rounded for value in bucket.rounded]

        def row(i: int | None) -> Cells:
            if i is None:
                return ("…",) * len(header)
            scale, at = rows[i - 1]
            told = (brief(at.value), decimal(at.scaled), decimal(at.above), decimal(at.draw))
            mark = (decimal(scale),) if many else ()
            return Num(i), *mark, *told, Num(at.level), decimal(at.sent)

        many = len(self.done.rounded) > 1
        marks = ("scale",) if many else ()
        header = (
            "i",
            *marks,
            f"{self.letter}_i",
            "levels up",
            "chance",
            "draw",
            "level",
            "arrives",
        )
        why = f"the scale is {SCALES[self.done.scheme]}"
        if not many:
            why += f", {decimal(rows[0][0])}"
        if not all(scale for scale, _ in rows):
            why += "; where it is 0, so are all values, and they arrive as 0"
        why += (
            f"; s = {self.done.levels}, so a value lies s·|v|/scale levels from 0; it is rounded up"
            f" where the draw (of seed {self.seed}) is less than what lies above a whole level"
        )
        return Table("Rounded at random", why, header, tuple(map(row, outlined(len(rows)))))

    def _plain_table(self) -> Table:
        done = self.done

        def row(i: int | None) -> Cells:
            if i is None:
                return ("…",) * 4
            told = (each[i - 1] for each in (done.vector, done.sent, done.memory))
            return Num(i), *map(brief, told)

        why = f"in place of every value stands {SCALES[done.scheme]}, with its sign"
        if len(done.buckets) > 1:
            why += f"; buckets of {done.bucket} values"
        rows = tuple(map(row, outlined(len(done.vector))))
        return Table("Rounded to the sign", why, ("i", f"{self.letter}_i", "arrives", "lost"), rows)

    def _expected(self) -> Step:
        done, quantity = self.done, self.declared["expected_error"]
        if not done.rounded:
            why = "nothing is drawn, so it is this error"
            return defined(quantity, done.error, Sym("e"), {"e": done.error}, why)
        why = (
            "rounded up with the chance p, a value is off by a level's width times p or 1 − p; the"
            " square of that is p·(1 − p) on average"
        )
        one = done.rounded[0]
        if len(done.rounded) > 1 or len(done.vector) > WRITTEN:
            return defined(quantity, done.expected_error, why=why)
        chances = [Sym(f"p_{i}") for i in range(1, len(done.vector) + 1)]
        formula = Pow(Sym("Delta"), Num(2)) * Add(tuple(p * (1 - p) for p in chances))
        numbers = {f"p_{i}": each.above for i, each in enumerate(one.rounded, 1)}
        numbers["Delta"] = one.step
        why += "; Δ = scale/s is the width"
        return defined(quantity, done.expected_error, formula, numbers, why)
