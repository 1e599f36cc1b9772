"""What error feedback does step after step, as values and as steps of an explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ddcalc.formula.algebra import Expr, Num, Sym, same, sqrt, total
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
        """What the answer says in words, and what nobody asked for."""
        model = self.model
        bounded = model.lost and not model.repeats and model.question.kept is None
        hidden = ["arrived", "largest"]
        hidden += [] if bounded else ["share", "square", "bound"]
        hidden += [] if model.lost else ["without"]
        return (*hidden, *(("memory",) if len(model.kept) <= WRITTEN else ()))

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
        model, rounds = self.model, self.model.question.rounds
        slots: dict[str, Any] = {"ratio": without / kept} if model.missing else {}
        arrived, still, never = "", "what is missing has a squared length of {missing}", ""
        if 1 < len(model.kept) <= WRITTEN:
            never_sent: Vector = tuple(rounds * part for part in model.lost_part)
            arrived = f"{_slots('came', model.arrived, slots)} has arrived in all"
            gap = _slots("kept", model.kept, slots)
            still = f"{gap} is missing, with a squared length of {{missing}}"
            never = f"{_slots('never', never_sent, slots)} would be missing, with"
        both = f"{arrived} and {still}" if arrived else still
        without_it = never or "what is missing would have"
        return First(
            Sentence(
                "Nothing is lost: this gradient is the same after compression.", same(lost, 0)
            ),
            Sentence(
                f"After one step {both}, with error feedback or without it: nothing could be made"
                " up for yet.",
                same(Num(rounds), 1),
                **slots,
            ),
            Sentence(
                f"After {{rounds step}} {arrived or 'all has arrived'}: nothing is missing. Without"
                f" error feedback {without_it} a squared length of {{without}}.",
                same(kept, 0),
                **slots,
            ),
            Sentence(
                f"After {{rounds step}} {both}. Without error feedback {without_it} a squared"
                " length of {without}, {ratio} times as much.",
                kept < without,
                **slots,
            ),
            Sentence(
                f"After {{rounds step}} {both}. Without error feedback {without_it} a squared"
                " length of {without}, which so far is no more.",
                **slots,
            ),
        )

    def _meaning(self, lost: Expr, kept: Expr) -> Iterator[Said]:
        model, question = self.model, self.model.question
        rounds, square = Num(question.rounds), Num(model.square)
        if question.kept is not None:
            same_ones = "value" if question.kept == 1 else "{k value}"
            yield Sentence(
                f"Without error feedback the same {same_ones} would be sent in every step, and the"
                " others would never arrive.",
                lost > 0,
                k=Num(question.kept),
            )
        yield Sentence(
            "In length, {short} of {whole} is missing, {off %} of all gradients together; without"
            " error feedback it would be {long}, {lost %} after any number of steps.",
            (kept > 0, kept < Num(model.missing_without), rounds > 1),
            short=sqrt(kept),
            whole=rounds * sqrt(square),
            long=rounds * sqrt(lost),
            off=sqrt(kept / square) / rounds,
            lost=sqrt(lost / square),
        )
        yield from self._repeating(lost) if model.repeats else self._bounded(lost)

    def _bounded(self, lost: Expr) -> Iterator[Said]:
        """What bounds all that is kept, however many steps follow."""
        question = self.model.question
        if question.kept is not None:
            sizes = total(Num(max(value, -value)) for value in question.gradient)
            rest = Num(len(question.gradient)) / question.kept - 1
            yield Sentence(
                "What is missing stays bounded: of the sum of all sizes at least {part} is sent in"
                " each step, so that what is kept never adds up to more than"
                " {times} times the sizes of one gradient, {most}.",
                lost > 0,
                part=Num(question.kept) / len(question.gradient),
                times=rest,
                most=rest * sizes,
            )
        else:
            yield Sentence(
                "What is missing stays bounded, however many steps follow: its squared length never"
                " exceeds {bound}. Up to now it was at most {largest}.",
                lost > 0,
            )

    def _repeating(self, lost: Expr) -> Iterator[Said]:
        """That the same comes again and again, where it was seen to."""
        first, again = self.model.repeats
        start = "nothing is kept, as at the beginning"
        if first:
            start = "the same is kept as after step {first}"
        yield Sentence(
            f"After step {{again}} {start}, so that everything repeats every"
            f" {'{period step}' if again - first > 1 else 'step'} and the squared length of what"
            " is missing never exceeds {largest}.",
            lost > 0,
            first=Num(first),
            again=Num(again),
            period=Num(again - first),
        )

    def _table(self) -> Table:
        sendings = self.model.sendings

        def row(step: int | None) -> Cells:
            if step is None:
                return ("…",) * 4
            at = sendings[step - 1]
            return Num(step), *map(_vector, (at.wanted, at.sent, at.kept))

        why = "what was kept is added to the next gradient before that is compressed"
        exact = all(
            rounded(value, DIGITS) == value
            for at in sendings
            for value in (*at.wanted, *at.sent, *at.kept)
        )
        why += "" if exact else f"; values to {DIGITS} digits"
        header = ("step", "to be sent", "sent", "kept")
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
        part: Expr = Num(model.lost)
        if len(model.kept) <= WRITTEN:
            part = total(Pow(Num(value), Num(2)) for value in model.lost_part)
        formula = Pow(Sym("T"), Num(2)) * part
        return defined(quantity, model.missing_without, formula, {"T": model.question.rounds})


def _slots(name: str, values: Vector, slots: dict[str, Any]) -> str:
    """A place for each of *values* in a sentence, in parentheses; their *slots* are added."""
    slots |= {f"{name}{i}": Num(value) for i, value in enumerate(values)}
    return "(" + ", ".join(f"{{{name}{i}}}" for i in range(len(values))) + ")"


def _vector(values: Vector) -> str:
    """The first values, in few digits."""
    texts = [count_text(rounded(value, DIGITS)) for value in values]
    if len(", ".join(texts)) <= WIDEST:
        return ", ".join(texts)
    texts = texts[:SHOWN]
    return ", ".join([*texts, "…"] if len(values) > SHOWN else texts)
