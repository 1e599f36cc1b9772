"""Two slips together. They explain so much that they are told only where nothing else hits a long
number, and then as a possibility."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ddcalc.ask.mark import equations, readings
from ddcalc.ask.mark.chain import Both
from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.otherwise import Otherwise, member, otherwise
from ddcalc.ask.mark.question import Pair, Question, Target, Two
from ddcalc.ask.mark.search import around
from ddcalc.ask.mark.slip import PAIRED
from ddcalc.ask.mark.written import Written
from ddcalc.formula.expression import Expr
from ddcalc.numbers.units import Unit

VICINITY = 0.05  # how far around an answer pairs of slips are counted, relative to it
CHANCE = 0.01  # how often a random number around it may hit one of them


def only(question: Question, target: Target, stated: Written, unit: Unit) -> Two | None:
    """The two slips that lead to what is *stated* in *unit*; None where others do too, and where so
    many lead near it that chance may have hit one of them."""
    value, room = around(stated, unit)
    if target.letter not in question.pairs:
        question.pairs[target.letter] = list(_pairs(question, target))
    vicinity = VICINITY * abs(value)
    around_it = [p for p in question.pairs[target.letter] if abs(p.near - value) <= vicinity]
    if len({pair.near for pair in around_it}) * room > CHANCE * vicinity:
        return None
    close = [pair for pair in around_it if abs(pair.near - value) <= room]
    found = [two for pair in close if (two := pair.two()) and stated.fits(two.value, unit.worth)]
    return found[0] if len({two.value for two in found}) == 1 else None


def _pairs(question: Question, target: Target) -> Iterator[Pair]:
    """Every two slips, those in the equations first."""
    yield from _in_equations(question, target)
    for other in question.otherwise:
        yield from _both_read(question, other, target)
        yield from _in_reading(question, question.under(other), other, target)


def _in_equations(question: Question, target: Target) -> Iterator[Pair]:
    own, base = question.chain, question.base
    if own is None or base is None:
        return
    at = own.index[target.letter]
    for both, course in own.pairs(at):
        yield Pair(own.near(base, course, at), _Both(question, target, both))


def _in_reading(
    question: Question, again: Question, other: Otherwise, target: Target
) -> Iterator[Pair]:
    """Another reading, and a slip in its equations."""
    own, base = again.chain, again.base
    if own is None or base is None or target.letter not in own.index:
        return
    at = own.index[target.letter]
    for mutant, course in own.singles(at):
        if mutant.change.kind in PAIRED:
            inner = _Both(again, target, Both(mutant, mutant, mutant.rules))
            yield Pair(own.near(base, course, at), _Reread(question, other, inner))


@dataclass(frozen=True, slots=True)
class _Both:
    """Two slips in the equations."""

    question: Question
    target: Target
    both: Both

    def __call__(self) -> Two | None:
        own, base = self.question.chain, self.question.base
        assert own is not None
        assert base is not None
        known = own.exact(base, self.both.rules, own.index[self.target.letter])
        value = None if known is None else known[self.target.letter]
        if value is None:
            return None
        one, other = self.both.one, self.both.other
        return Two(equations.deed(self.question, one), equations.deed(self.question, other), value)


@dataclass(frozen=True, slots=True)
class _Reread:
    """A slip under another reading."""

    question: Question
    other: Otherwise
    inner: _Both

    def __call__(self) -> Two | None:
        two = self.inner()
        if two is None:
            return None
        return Two(readings.deed(self.question, self.other), two.other, two.value)


def _both_read(question: Question, other: Otherwise, target: Target) -> Iterator[Pair]:
    """Two choices read differently, each two once."""
    for third in otherwise(other.stated, behind=other.choice):
        value = member(third.values.get(target.name), target.at)
        if value is not None and not isinstance(value, Expr):
            deeds = readings.deed(question, other), readings.deed(question, third)
            yield Pair(near(value), partial(Two, *deeds, value))
