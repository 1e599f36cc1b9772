"""Slips of scale: a wrong power of ten, one device instead of all, minutes written as decimals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import Kind, Pieces, Slip, Suspect
from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.display import number_text
from ddcalc.numbers.units import TIME, Measured
from ddcalc.problem.quantity import Given

POWERS = (1, 2, 3)


def suspects(question: Question, target: Target) -> Iterator[Suspect]:
    """The right value many times, or the many a part of it."""
    for power in POWERS:
        times = number_text(10**power)[0]
        large: Pieces = (f"shifting the point: it is {times} times too large",)
        small: Pieces = (f"shifting the point: it is {times} times too small",)
        yield _suspect("power of ten", target.value * 10**power, large)
        yield _suspect("power of ten", Fraction(target.value, 10**power), small)
    for given, count, letter in _counts(question):
        once: Pieces = (*letter, f" = {number_text(count)[0]} ({given.title})")
        times_deed: Pieces = ("multiplying by ", *once)
        parts_deed: Pieces = ("dividing by ", *once)
        yield _suspect("share", target.value * count, times_deed)
        yield _suspect("share", Fraction(target.value, count), parts_deed)
    if target.unit.dimension == TIME:
        yield from _clock(target)


def _counts(question: Question) -> Iterator[tuple[Given, int, Pieces]]:
    """What the question counts: whole numbers that it states, with their letters."""
    for name, given in question.problem.givens.items():
        measured = question.solved.stated.measured.get(name)
        if given.whole and isinstance(measured, Measured) and measured.value > 1:
            yield given, int(measured.value), (Sym(given.letter),)


def _clock(target: Target) -> Iterator[Suspect]:
    """A clock time written as a decimal: 9 min 55 s as 9.55 min, 8 h 53 min 34 s as 8.53 h."""
    value = target.value
    if 60 < value < 6000 and value % 60:
        minutes, seconds = divmod(value, 60)
        told = minutes + Fraction(seconds) / 100
        yield _suspect("clock", told * 60, _decimal(f"{minutes} min", seconds, "s", told, "min"))
    if 3600 < value < 360000 and value % 3600:
        hours, minutes = divmod(value // 60, 60)
        told = hours + Fraction(minutes, 100)
        yield _suspect("clock", told * 3600, _decimal(f"{hours} h", minutes, "min", told, "h"))


def _decimal(first: str, rest: Number, small: str, told: Fraction, large: str) -> Pieces:
    return (f"writing {first} {number_text(rest)[0]} {small} as {number_text(told)[0]} {large}",)


def _suspect(kind: Kind, value: Number, deed: Pieces) -> Suspect:
    return Suspect(kind, near(value), lambda: Slip(kind, deed, value))
