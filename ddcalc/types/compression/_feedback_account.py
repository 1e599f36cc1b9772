"""What error feedback does step after step, as values and as steps of an explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.formula.algebra import Expr, Num, Sym
from ddcalc.formula.expression import Pow
from ddcalc.numbers.display import number_text, rounded
from ddcalc.numbers.number import Number
from ddcalc.problem.play import brief, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.compression._feedback import Feedback
from ddcalc.types.compression._rounding import Vector
from ddcalc.types.compression._rounding import squared as square_of
from ddcalc.types.compression._telling import Values, listed, squared

SHOWN = 3  # values of a vector in a cell
DIGITS = 3  # of each


@dataclass(frozen=True)
class FeedbackAccount:
    """The steps of *done*, which sends so many of the largest values (*kept*) or all signs."""

    done: Feedback
    kept: int | None
    declared: Mapping[str, Derived]

    @property
    def share(self) -> Fraction:
        """What compression keeps at least, of any vector's square."""
        return Fraction(self.kept or 1, len(self.done.gradient))

    @property
    def bound(self) -> Number:
        """The largest square of what may be kept."""
        return 4 * (1 - self.share) / (self.share * self.share) * square_of(self.done.gradient)

    def values(self) -> Values:
        """All that is derived."""
        done = self.done
        return {
            "arrived": done.arrived,
            "memory": done.kept,
            "missing": square_of(done.kept),
            "largest": done.largest,
            "share": self.share,
            "square": square_of(done.gradient),
            "bound": self.bound,
            "without": done.missing_without,
        }

    def steps(self) -> Iterator[Step]:
        """From step to step, and what is missing in the end, beside the bound."""
        done, declared = self.done, self.declared
        yield self._table()
        yield listed(declared["arrived"], done.arrived)
        yield listed(declared["memory"], done.kept)
        yield squared(declared["missing"], square_of(done.kept), "m", done.kept)
        yield defined(declared["largest"], done.largest)
        yield self._share()
        yield squared(declared["square"], square_of(done.gradient), "v", done.gradient)
        yield self._bound()
        yield self._without()

    def _table(self) -> Table:
        def row(step: int | None) -> Cells:
            if step is None:
                return ("…",) * 4
            at = self.done.sendings[step - 1]
            told = (_vector(each) for each in (at.wanted, at.sent, at.kept))
            return Num(step), *told

        why = "the gradient and what was kept before are compressed together; the rest is kept"
        why += f"; values to {DIGITS} digits"
        header = ("step", "to be sent", "arrives", "kept")
        rows = tuple(map(row, outlined(len(self.done.sendings))))
        return Table("Step after step", why, header, rows)

    def _share(self) -> Define:
        quantity, size = self.declared["share"], len(self.done.gradient)
        if self.kept is None:
            why = f"{quantity.why}; worst where one value of d is not 0"
            return defined(quantity, self.share, Num(1) / Sym("d"), {"d": size}, why)
        why = f"{quantity.why}; worst where all d are equal"
        numbers: dict[str, Number] = {"k": self.kept, "d": size}
        return defined(quantity, self.share, Sym("k") / Sym("d"), numbers, why)

    def _bound(self) -> Define:
        quantity, delta = self.declared["bound"], Sym("delta")
        formula: Expr = 4 * (1 - delta) / Pow(delta, Num(2)) * Sym("N")
        numbers = {"delta": self.share, "N": square_of(self.done.gradient)}
        return defined(quantity, self.bound, formula, numbers)

    def _without(self) -> Define:
        quantity, done = self.declared["without"], self.done
        once = done.missing_without / Fraction(done.steps) ** 2
        numbers: dict[str, Number] = {"T": done.steps, "e": once}
        why = f"{quantity.why}, e = {brief(once)} in its square; T times as long after T steps"
        formula = Pow(Sym("T"), Num(2)) * Sym("e")
        return defined(quantity, done.missing_without, formula, numbers, why)


def _vector(values: Vector) -> str:
    """The first values, in few digits."""
    told = [number_text(rounded(value, DIGITS))[0] for value in values[:SHOWN]]
    return ", ".join([*told, "…"] if len(values) > SHOWN else told)
