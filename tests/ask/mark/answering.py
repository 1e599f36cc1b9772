"""Short ways to answer a question as a student would, and to ask what the mark says."""

from __future__ import annotations

from fractions import Fraction

from exam import BREAKEVEN, EXAM

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.following import marks
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.ask.solve import solve
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import half_up
from ddcalc.numbers.units import Unit
from ddcalc.problem.catalog import problem_named
from ddcalc.render.marks import text

FEDERATED: dict[str, str | list[str]] = {
    "samples": "204800", "devices": "8", "batch": "32", "local_epochs": "10",
    "download": "7 s", "compute": "4 s", "upload": "7 s",
}  # fmt: skip
GIVEN = {"epoch-time": EXAM, "federated": FEDERATED, "breakeven": BREAKEVEN}


def exercise(slug: str, **other: str | list[str]) -> Exercise:
    """The exam's question of that type, or with *other* givens."""
    return Exercise(solve(problem_named(slug), GIVEN.get(slug, {}) | other))


def marked(question: Exercise, allowed: Allowed | None = None, **answers: str) -> list[Mark]:
    """The marks of *answers*, of all of which the same is asked."""
    declared = question.problem.quantities
    asked = allowed or Allowed()
    stated = {name: (written(text, declared[name].unit), asked) for name, text in answers.items()}
    return list(marks(question, stated))


def mark(question: Exercise, answer: str, name: str = "", allowed: Allowed | None = None) -> Mark:
    """The mark of one answer, to the quantity asked for unless it is named."""
    [only] = marked(question, allowed, **{name or question.solved.answer.name: answer})
    return only


def kinds(mark: Mark) -> list[str]:
    """The kinds of the slips, the simplest first."""
    return [slip.kind for slip in mark.slips]


def says(mark: Mark) -> str:
    """What the simplest slip did."""
    return text(mark.slips[0].deed)


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
