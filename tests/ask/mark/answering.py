"""Short ways to answer a question as a student would, and to ask what the mark says."""

from __future__ import annotations

from fractions import Fraction

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.following import marks
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import half_up
from ddcalc.numbers.units import Unit


def mark(question: Exercise, answer: str) -> Mark:
    """The mark of one answer, to the quantity asked for."""
    asked = question.solved.answer
    [only] = marks(question, {asked.name: (written(answer, asked.unit), Allowed())})
    return only


def decimal(value: Number, digits: int, unit: Unit) -> str:
    """*value* in *unit*, rounded half up to so many significant *digits*, in a plain spelling that
    shows them all."""
    exact = Fraction(value) / unit.worth
    if not exact:
        return f"0 {unit.name}".strip()
    place = 0
    while abs(exact) >= Fraction(10) ** (place + 1):
        place += 1
    while abs(exact) < Fraction(10) ** place:
        place -= 1
    place -= digits - 1
    number = half_up(exact, place)
    if place > 0:
        return f"{number // 10**place}e{place} {unit.name}".strip()
    whole = number * 10**-place
    sign, figures = "-" if whole < 0 else "", str(abs(int(whole))).rjust(1 - place, "0")
    point = f"{figures[:place]}.{figures[place:]}" if place else figures
    return f"{sign}{point} {unit.name}".strip()
