"""What error feedback does step after step, as values and as steps of an explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ddcalc.formula.algebra import Expr, Num, Sym, floor, same, sqrt, total
from ddcalc.formula.expression import Pow
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import rounded
from ddcalc.problem.plan import Values
from ddcalc.problem.play import Says, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Crosscheck, First, Said, Sentence
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.compression._errors import listed, sum_of_squares
from ddcalc.types.compression._vectors import Vector
from ddcalc.types.compression.error_feedback.model import Feedback

SHOWN = 3  # values of a vector in a cell, or all where they
WIDEST = 22  # are no wider than so many letters
ROUND = 100  # the largest denominator of values that are checked in sight
WRITTEN = 6  # values that the answer lists
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
        yield sum_of_squares(declared["missing"], model.missing, model.kept)
        yield defined(declared["largest"], model.largest)
        yield self._share()
        yield sum_of_squares(declared["square"], model.square, model.question.gradient)
        delta = Sym("delta")
        numbers = {"delta": model.share, "N": model.square}
        formula = 4 * (1 - delta) / Pow(delta, Num(2)) * Sym("N")
        yield defined(declared["bound"], model.bound, formula, numbers)
        yield self._without()

    @property
    def asides(self) -> tuple[str, ...]:
        """What nobody asked for: more where nothing is lost."""
        lossless = () if self.model.lost else ("share", "square", "bound", "without")
        return ("arrived", "largest", *lossless)

    def says(self) -> Says:
        """What is late and what would be lost, and how far error feedback carries."""
        model, question = self.model, self.model.question
        lost, kept = Num(model.lost), Num(model.missing)
        return Says(
            conclusion=(self._outcome(lost, kept, Num(model.missing_without)),),
            insights=tuple(self._meaning(lost, kept)),
            crosschecks=(
                Crosscheck(
                    "all gradients less all that arrived, squared",
                    same(
                        total(
                            Pow(Num(question.rounds) * Num(v) - Num(a), Num(2))
                            for v, a in zip(question.gradient, model.arrived, strict=True)
                        ),
                        kept,
                    ),
                    (Num(len(question.gradient)) <= SHOWN, Num(self._widest) <= ROUND),
                ),
            ),
        )

    @property
    def _widest(self) -> int:
        """The largest denominator of what has arrived."""
        return max(value.denominator for value in self.model.arrived)

    def _outcome(self, lost: Expr, kept: Expr, without: Expr) -> Said:
        after = "after {rounds step} the square of what is missing is {missing}"
        slots: dict[str, Any] = {}
        if 1 < len(self.model.kept) <= WRITTEN:
            slots = {f"kept{i}": Num(value) for i, value in enumerate(self.model.kept)}
            listed_values = ", ".join(f"{{{name}}}" for name in slots)
            after = (
                f"after {{rounds step}} ({listed_values}) is still missing, which has the square"
                " {missing}"
            )
        return First(
            Sentence(
                "Nothing is lost: this gradient is the same after compression.", same(lost, 0)
            ),
            Sentence(
                "After one step all of it is still to come: the square of what is missing is"
                " {missing}, with error feedback or without it.",
                same(Num(self.model.question.rounds), 1),
            ),
            Sentence(
                "It arrives late: after {rounds step} nothing is missing. Without error feedback"
                " the same part is lost every time, and the square of what is missing is {without}"
                " by then.",
                same(kept, 0),
            ),
            Sentence(
                f"It arrives late: {after}. Without error feedback the same part is lost in every"
                " step, and the square grows to {without}.",
                kept < without,
                **slots,
            ),
            Sentence(
                f"It is only partly made up for yet: {after}; without error feedback that would be"
                " {without}.",
                **slots,
            ),
        )

    def _meaning(self, lost: Expr, kept: Expr) -> Iterator[Said]:
        rounds, square = Num(self.model.question.rounds), Num(self.model.square)
        bound = Num(self.model.bound)
        yield Sentence(
            "In length, {off %} of the sum of all gradients is missing, a part that further steps"
            " bring towards 0; without error feedback it stays {lost %}.",
            (lost > 0, kept > 0, rounds > 1),
            off=sqrt(kept / square) / rounds,
            lost=sqrt(lost / square),
        )
        yield Sentence(
            "What is missing never exceeds the bound, while without error feedback it grows with"
            " the steps, and is larger than the bound from step {sure} on.",
            lost > 0,
            sure=floor(sqrt(bound / lost)) + 1,
        )

    def _table(self) -> Table:
        sendings = self.model.sendings

        def row(step: int | None) -> Cells:
            if step is None:
                return ("…",) * 4
            at = sendings[step - 1]
            return Num(step), *map(_vector, (at.wanted, at.sent, at.kept))

        why = (
            "what was kept goes to the next gradient before that is compressed; values to"
            f" {DIGITS} digits"
        )
        header = ("step", "to be sent", "arrives", "kept")
        return Table("Step after step", why, header, tuple(map(row, outlined(len(sendings)))))

    def _share(self) -> Define:
        quantity, question = self.declared["share"], self.model.question
        size = Num(len(question.gradient))
        if question.kept is None:
            why = f"{quantity.why}; worst where only one value is not 0"
            return defined(quantity, self.model.share, Num(1) / size, {}, why)
        why = f"{quantity.why}; worst where all values are equally large"
        return defined(quantity, self.model.share, Sym("k") / size, {"k": question.kept}, why)

    def _without(self) -> Define:
        quantity, model = self.declared["without"], self.model
        why = f"{quantity.why}, in its square the second factor; T times as long after T steps"
        formula = Pow(Sym("T"), Num(2)) * Num(model.lost)
        return defined(quantity, model.missing_without, formula, {"T": model.question.rounds}, why)


def _vector(values: Vector) -> str:
    """The first values, in few digits."""
    texts = [count_text(rounded(value, DIGITS)) for value in values]
    if len(", ".join(texts)) <= WIDEST:
        return ", ".join(texts)
    texts = texts[:SHOWN]
    return ", ".join([*texts, "…"] if len(values) > SHOWN else texts)
