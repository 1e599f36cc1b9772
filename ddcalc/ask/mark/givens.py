"""Slips in what the question states: bits taken as bytes, milliseconds as seconds, kB as KiB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddcalc.ask.mark.chain import Base
from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.misread import Misread
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import Slip, Suspect
from ddcalc.formula.expression import Sym
from ddcalc.numbers.display import quantity_text


def suspects(question: Question, target: Target, base: Base) -> Iterator[Suspect]:
    """What follows from each given whose unit is mistaken."""
    chain = question.chain
    if chain is None:
        return
    at = chain.index[target.letter]
    needed = chain.rests_on(at)
    for wrong in question.misread:
        index = chain.index.get(wrong.given.letter)
        if index in needed:
            found = chain.near(base, chain.course({index: near(wrong.value)}, at), at)
            yield Suspect("unit", found, _Told(question, target, base, wrong))


@dataclass(frozen=True, slots=True)
class _Told:
    """The slip of a given that is misread."""

    question: Question
    target: Target
    base: Base
    wrong: Misread

    def __call__(self) -> Slip | None:
        chain, wrong = self.question.chain, self.wrong
        assert chain is not None
        index, at = chain.index[wrong.given.letter], chain.index[self.target.letter]
        known = chain.exact(self.base, {index: wrong.value}, at)
        value = None if known is None else known[self.target.letter]
        if value is None:
            return None
        told, taken = (
            quantity_text(value, unit)
            for value, unit in (
                (wrong.measured.value, wrong.measured.unit),
                (wrong.value, wrong.unit),
            )
        )
        deed = (f"taking {told} as {taken} for ", Sym(wrong.given.letter))
        return Slip("unit", deed, value, why=self.question.named(Sym(wrong.given.letter))[1:])
