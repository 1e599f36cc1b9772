"""Slips in the equations: one formula changed in one place, and all that follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddcalc.ask.mark.chain import Base, Chain, Mutant
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import Amount, Pieces, Put, Slip, Suspect
from ddcalc.formula.evaluation import applying
from ddcalc.formula.expression import Cases, Expr, Number, Sym, has_root, replace, symbols
from ddcalc.problem.plan import Line

Known = Mapping[str, Number | None]


def suspects(question: Question, target: Target, base: Base) -> Iterator[Suspect]:
    """Every mutant of what *target* rests on."""
    chain = question.chain
    if chain is None:
        return
    at = chain.index[target.letter]
    for mutant, course in chain.singles(at):
        if not base.fixed.isdisjoint(mutant.rules):
            continue
        if mutant.change.kind == "count" and not _is_whole(base.known[mutant.line.symbol]):
            continue
        near = chain.near(base, course, at)
        yield Suspect(mutant.change.kind, near, _Told(question, target, base, mutant))


def deed(question: Question, mutant: Mutant) -> Pieces:
    """What was done in *mutant*, and in which step."""
    change, number = mutant.change, question.number(mutant.line.quantity.name)
    told: Pieces = change.deed
    if change.gone is not None and change.deed[-1] == change.gone:
        told = (*told[:-1], *question.named(change.gone))
    return (*told, f" in step {number}")


@dataclass(frozen=True, slots=True)
class _Told:
    """The slip of a mutant, worked out exactly when it is asked for."""

    question: Question
    target: Target
    base: Base
    mutant: Mutant

    def __call__(self) -> Slip | None:
        chain, mutant = self.question.chain, self.mutant
        assert chain is not None
        known = chain.exact(self.base, mutant.rules, chain.index[self.target.letter])
        value = None if known is None else known[self.target.letter]
        if known is None or value is None or self._is_odd(known):
            return None
        name = mutant.line.quantity.name
        return Slip(
            mutant.change.kind,
            deed(self.question, mutant),
            value,
            self.question.number(name),
            self._shown(known),
            self._why(),
        )

    def _shown(self, known: Known) -> Pieces:
        """What the changed step says; nothing of a long one that is changed by one only."""
        mutant, chain = self.mutant, self.question.chain
        if chain is None or (mutant.change.kind == "count" and has_root(mutant.line.formula)):
            return ()
        is_answer = mutant.line.quantity.name == self.target.name
        return shown(chain, mutant.line, mutant.change.expr, known, is_answer)

    def _is_odd(self, known: Known) -> bool:
        """Whether the changed step gives a negative number that anybody would notice."""
        letter = self.mutant.line.symbol
        value, right = known[letter], self.base.known[letter]
        if letter == self.target.letter or value is None or right is None:
            return False
        return value < 0 <= right

    def _why(self) -> Pieces:
        gone = self.mutant.change.gone
        if isinstance(gone, Sym) and (told := self.question.counts(gone.name)):
            return told
        return (self.question.reason(self.mutant.line.quantity.name),)


def shown(chain: Chain, line: Line, expr: Expr, known: Known, is_answer: bool) -> Pieces:
    """``symbol = formula = numbers = value``, the last one unless it is the student's answer."""
    expr = _settled(expr, known)
    told: Pieces = (Sym(line.symbol), " = ", expr)
    value = known[line.symbol]
    if {*symbols(expr)} and not isinstance(expr, Sym):
        told = (*told, " = ", Put(expr, chain.numbers(line, expr, known)))
    if not is_answer and value is not None:
        told = (*told, " = ", Amount(value, line.quantity.unit))
    return told


def _settled(expr: Expr, known: Known) -> Expr:
    """*expr* with no distinction left in it: with the branches that apply to *known*."""

    def branch(part: Expr) -> Expr | None:
        return _settled(applying(part, known)[0], known) if isinstance(part, Cases) else None

    return replace(expr, branch)


def _is_whole(value: Number | None) -> bool:
    return value is not None and value.denominator == 1
