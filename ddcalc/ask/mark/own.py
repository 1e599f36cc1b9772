"""What a student has stated before: a later answer may follow from it, right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ddcalc.ask.mark.allowed import Allowed, right
from ddcalc.ask.mark.chain import Base
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import Amount, Pieces
from ddcalc.ask.mark.written import Written
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Unit


@dataclass(frozen=True, slots=True)
class Stated:
    """A result that is not exactly right, as it was stated (base units); *wrong*: nor rounded."""

    value: Number
    unit: Unit
    wrong: bool


@dataclass(slots=True)
class Own:
    """The results of one student for one question that are not exactly right, by letter."""

    question: Question
    stated: dict[str, Stated] = field(default_factory=dict)

    def add(self, target: Target, value: Number, unit: Unit, wrong: bool) -> None:
        """Note that *value* was stated for *target*, in *unit*."""
        self.stated[target.letter] = Stated(value, unit, wrong)

    def leads_to(self, target: Target, stated: Written, unit: Unit, allowed: Allowed) -> Pieces:
        """Those results from which what is *stated* follows by the right equations; none if it
        does not."""
        for some in self._some(target):
            for value in (self._in_all(some, target), self._in_last(some, target)):
                if value is not None and right(stated, value, unit, allowed) is not None:
                    return self._told(some)
        return ()

    def base(self, target: Target) -> Base | None:
        """The numbers of the question with all these results in it; None without any."""
        some = self._before(target)
        return self._base(some) if some else None

    def told(self, target: Target) -> Pieces:
        """The results that *target* rests on."""
        return self._told(self._before(target))

    def would_be(self, target: Target) -> Pieces:
        """What *target* would be by the wrong ones of these results; nothing if it is the same."""
        wrong = {letter: told for letter, told in self._before(target).items() if told.wrong}
        base = self._base(wrong) if wrong else None
        value = None if base is None else base.known[target.letter]
        if value is None or value == target.value:
            return ()
        return ("though by your ", *self._told(wrong), " it would be ", Amount(value, target.unit))

    def _before(self, target: Target) -> Mapping[str, Stated]:
        chain = self.question.chain
        if chain is None or not self.stated:
            return {}
        at = chain.index[target.letter]
        needed = {chain.letters[i] for i in chain.rests_on(at) - {at}}
        return {letter: told for letter, told in self.stated.items() if letter in needed}

    def _some(self, target: Target) -> Iterator[Mapping[str, Stated]]:
        """All of these results that *target* rests on, the wrong ones, and each alone."""
        before = self._before(target)
        if before:
            yield before
        if len(before) > 1:
            if wrong := {letter: told for letter, told in before.items() if told.wrong}:
                yield wrong
            yield from ({letter: told} for letter, told in before.items())

    def _in_all(self, some: Mapping[str, Stated], target: Target) -> Number | None:
        """The value of *target* where *some* have been used wherever they occur."""
        base = self._base(some)
        return None if base is None else base.known[target.letter]

    def _in_last(self, some: Mapping[str, Stated], target: Target) -> Number | None:
        """The value of *target* where *some* have been used in its own formula only."""
        assert self.question.chain is not None
        formula = self.question.chain.formula(target.letter)
        known = self.question.known | {letter: told.value for letter, told in some.items()}
        try:
            found = evaluate(formula, known)
        except (ArithmeticError, TypeError):
            return None
        return None if found is None else plain(found)

    def _base(self, some: Mapping[str, Stated]) -> Base | None:
        assert self.question.chain is not None
        values = {letter: told.value for letter, told in some.items()}
        try:
            return self.question.chain.base(self.question.known, values)
        except (ArithmeticError, TypeError):
            return None

    def _told(self, some: Mapping[str, Stated]) -> Pieces:
        told: Pieces = ()
        for letter, each in some.items():
            between = " and " if told else ""
            told = (*told, between, Sym(letter), " = ", Amount(each.value, each.unit))
        return told
