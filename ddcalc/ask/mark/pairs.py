"""Two slips together. They explain so much that they are named only where nothing else hits a long
number, and then as a possibility."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ddcalc.ask.mark.chain import Both, EquationChain
from ddcalc.ask.mark.exercise import Exercise, OtherReading, Target, member, otherwise
from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.slip import PAIRED, Pair, Pieces, Two
from ddcalc.ask.mark.suspects import around, mutant_deed, reading_deed
from ddcalc.ask.mark.written import Written
from ddcalc.formula.expression import Expr
from ddcalc.numbers.units import Unit

VICINITY = 0.05  # how far around an answer pairs of slips are counted, relative to it
CHANCE = 0.01  # at most so often may a random number in the vicinity hit one of them


def only(exercise: Exercise, target: Target, stated: Written, unit: Unit) -> Two | None:
    """The two slips that lead to what is *stated* in *unit*; None where others do too, and where so
    many lead near it that chance may have hit one of them."""
    value, room = around(stated, unit)
    if target.letter not in exercise.pairs:
        exercise.pairs[target.letter] = list(_pairs(exercise, target))
    vicinity = VICINITY * abs(value)
    around_it = [p for p in exercise.pairs[target.letter] if abs(p.near - value) <= vicinity]
    if len({pair.near for pair in around_it}) * room > CHANCE * vicinity:
        return None
    close = [pair for pair in around_it if abs(pair.near - value) <= room]
    exact = [two for pair in close if (two := pair.two()) and stated.fits(two.value, unit.worth)]
    return exact[0] if len({two.value for two in exact}) == 1 else None


def _pairs(exercise: Exercise, target: Target) -> Iterator[Pair]:
    """Every two slips, those in the equations first."""
    chain, base = exercise.chain, exercise.base
    if chain is not None and base is not None:
        at = chain.index[target.letter]
        for both, course in chain.pairs(at):
            two = partial(_two, exercise, chain, target, both)
            yield Pair(chain.near(base, course, at), two)
    for other in exercise.otherwise:
        yield from _both_read(exercise, other, target)
        yield from _in_reading(exercise, other, target)


def _in_reading(exercise: Exercise, other: OtherReading, target: Target) -> Iterator[Pair]:
    """Another reading, and a slip in its equations."""
    again = exercise.under(other)
    chain, base = again.chain, again.base
    if chain is None or base is None or target.letter not in chain.index:
        return
    at, read = chain.index[target.letter], reading_deed(exercise, other)
    for mutant, course in chain.singles(at):
        if mutant.change.kind in PAIRED:
            both = Both(mutant, mutant, mutant.rules)
            two = partial(_two, again, chain, target, both, read)
            yield Pair(chain.near(base, course, at), two)


def _two(
    exercise: Exercise, chain: EquationChain, target: Target, both: Both, read: Pieces = ()
) -> Two | None:
    """Two slips in the equations; with what was *read* otherwise, that and the other one."""
    assert exercise.base is not None
    known = chain.exact(exercise.base, both.rules, chain.index[target.letter])
    value = None if known is None else known[target.letter]
    if value is None:
        return None
    return Two(read or mutant_deed(exercise, both.one), mutant_deed(exercise, both.other), value)


def _both_read(exercise: Exercise, other: OtherReading, target: Target) -> Iterator[Pair]:
    """Two choices read differently, each two once."""
    for third in otherwise(other.stated, behind=other.choice):
        value = member(third.values.get(target.name), target.at)
        if value is not None and not isinstance(value, Expr):
            deeds = reading_deed(exercise, other), reading_deed(exercise, third)
            yield Pair(near(value), partial(Two, *deeds, value))
