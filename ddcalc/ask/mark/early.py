"""Slips of care: a result on the way is rounded before the next step uses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.mark.chain import Base
from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import Amount, Slip, Suspect
from ddcalc.ask.mark.written import half_up
from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import in_units, product
from ddcalc.problem.plan import Line

DIGITS = (2, 3)  # to which results on the way are rounded


def suspects(question: Question, target: Target, base: Base) -> Iterator[Suspect]:
    """What follows from each result on the way that is rounded."""
    chain = question.chain
    if chain is None:
        return
    at = chain.index[target.letter]
    needed = chain.rests_on(at) - {at} - base.fixed
    for i, line in enumerate(chain.lines, chain.first):
        value = base.known[line.symbol]
        if i in needed and value:
            for wrong in _rounded(value, line.quantity.unit.worth):
                found = chain.near(base, chain.course({i: near(wrong)}, at), at)
                yield Suspect("early", found, _Told(question, target, base, line, wrong))


def _rounded(value: Number, worth: Number) -> set[Number]:
    told = in_units(value, worth)
    if told.denominator == 1:
        return set()
    found = {half_up(told, 0), *(rounded(Fraction(told), digits) for digits in DIGITS)}
    return {product(number, worth) for number in found if number and number != told}


@dataclass(frozen=True, slots=True)
class _Told:
    """The slip of a result that was rounded early."""

    question: Question
    target: Target
    base: Base
    line: Line
    wrong: Number

    def __call__(self) -> Slip | None:
        chain, line = self.question.chain, self.line
        assert chain is not None
        index, at = chain.index[line.symbol], chain.index[self.target.letter]
        known = chain.exact(self.base, {index: self.wrong}, at)
        value = None if known is None else known[self.target.letter]
        if value is None:
            return None
        step = self.question.number(line.quantity.name)
        right = self.base.known[line.symbol]
        assert right is not None
        unit = line.quantity.unit
        told = (Sym(line.symbol), " to ", Amount(self.wrong, unit), f" in step {step}")
        why = ("It is ", Amount(right, unit), "; round at the end only")
        return Slip("early", ("rounding ", *told), value, step, why=why)
