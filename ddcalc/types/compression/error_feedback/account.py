"""What error feedback does step after step, as values and as steps of an explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddcalc.formula.algebra import Num, Sym
from ddcalc.formula.expression import Pow
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number
from ddcalc.problem.plan import Values
from ddcalc.problem.play import brief, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.compression._errors import listed, sum_of_squares
from ddcalc.types.compression._vectors import Vector
from ddcalc.types.compression.error_feedback.model import Feedback

SHOWN = 3  # values of a vector in a cell
DIGITS = 3  # of each


@dataclass(frozen=True)
class FeedbackAccount:
    """The values and steps of *model*, which define what is *declared*."""

    model: Feedback
    declared: Mapping[str, Derived]

    def values(self) -> Values:
        """All that is derived."""
        model = self.model
        return {
            "arrived": model.arrived,
            "memory": model.kept,
            "missing": model.missing,
            "largest": model.largest,
            "share": model.share,
            "square": model.square,
            "bound": model.bound,
            "without": model.missing_without,
        }

    def steps(self) -> Iterator[Step]:
        """From step to step, and what is missing in the end, beside the bound."""
        model, declared = self.model, self.declared
        yield self._table()
        yield listed(declared["arrived"], model.arrived)
        yield listed(declared["memory"], model.kept)
        yield sum_of_squares(declared["missing"], model.missing, "m", model.kept)
        yield defined(declared["largest"], model.largest)
        yield self._share()
        yield sum_of_squares(declared["square"], model.square, "v", model.question.gradient)
        delta = Sym("delta")
        numbers = {"delta": model.share, "N": model.square}
        formula = 4 * (1 - delta) / Pow(delta, Num(2)) * Sym("N")
        yield defined(declared["bound"], model.bound, formula, numbers)
        yield self._without()

    def _table(self) -> Table:
        sendings = self.model.sendings

        def row(step: int | None) -> Cells:
            if step is None:
                return ("…",) * 4
            at = sendings[step - 1]
            return Num(step), *map(_vector, (at.wanted, at.sent, at.kept))

        why = "the gradient and what was kept before are compressed together; the rest is kept"
        why += f"; values to {DIGITS} digits"
        header = ("step", "to be sent", "arrives", "kept")
        return Table("Step after step", why, header, tuple(map(row, outlined(len(sendings)))))

    def _share(self) -> Define:
        quantity, question = self.declared["share"], self.model.question
        numbers: dict[str, Number] = {"d": len(question.gradient)}
        if question.kept is None:
            why = f"{quantity.why}; worst where one value of d is not 0"
            return defined(quantity, self.model.share, Num(1) / Sym("d"), numbers, why)
        why = f"{quantity.why}; worst where all d are equal"
        numbers = {"k": question.kept, **numbers}
        return defined(quantity, self.model.share, Sym("k") / Sym("d"), numbers, why)

    def _without(self) -> Define:
        quantity, model = self.declared["without"], self.model
        numbers: dict[str, Number] = {"T": model.question.rounds, "e": model.lost}
        once = f"e = {brief(model.lost)} in its square"
        why = f"{quantity.why}, {once}; T times as long after T steps"
        formula = Pow(Sym("T"), Num(2)) * Sym("e")
        return defined(quantity, model.missing_without, formula, numbers, why)


def _vector(values: Vector) -> str:
    """The first values, in few digits."""
    texts = [count_text(rounded(value, DIGITS)) for value in values[:SHOWN]]
    return ", ".join([*texts, "…"] if len(values) > SHOWN else texts)
