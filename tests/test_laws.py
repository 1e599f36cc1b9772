"""What holds by physics, on random questions of every type and at their edges."""

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from questions import Kind, answered, letters, of_equations, of_types

from ddcalc.ask.solve import Derivation, singles, solve, texts_of
from ddcalc.errors import DdcalcError
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number, Rel, symbols
from ddcalc.memory import remembered
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sheet.reading import Statement

QUESTIONS = 15  # drawn for each type
CLOSE = Fraction(1, 10**30)  # what rounded roots may be off


@remembered
def drawn(problem: Kind) -> list[Derivation]:
    """Solved random questions, always the same ones."""
    return answered(problem, "laws", QUESTIONS)


def _broken(done: Derivation, random: Random) -> Iterator[Statement]:
    """The laws of its sheet that do not hold for *done*."""
    made, known = done.working.problem, letters(done)
    for line, when in made.lines("laws"):
        if not all(_holds(test, known, off=0) for test in when):
            continue
        if line.formula is None:
            way, names = line.form.split()[0], re.split(r",\s*", line["names"])
            ways = (_goes(done, line["name"], way, name, random) for name in names)
        else:
            ways = (_holds(relation, known) for relation in made.related(line) or ())
        if not all(ways):
            yield line


def _holds(relation: Rel, known: dict[str, Number], off: Fraction | int = CLOSE) -> bool:
    """Whether *relation* is true but for the part that may be *off*; False if it says nothing."""
    if not {*symbols(relation)} <= known.keys():
        return bool(off)
    left, right = (Fraction(evaluate(side, known)) for side in (relation.left, relation.right))
    if not off:
        return bool(evaluate(relation, known))
    off *= max(abs(left), abs(right))
    if relation.op in ("<", "<="):
        return left <= right + off
    return left >= right - off if relation.op in (">", ">=") else abs(left - right) <= off


def _goes(done: Derivation, quantity: str, way: str, name: str, random: Random) -> bool:
    """Whether the *quantity* rises, or falls, as *way* says, where the given *name* does."""
    given, stated = done.problem.givens[name], done.stated
    texts = {**dict(stated.shape.words), **dict(stated.shape.reading)}
    for one, told in stated.measured.items():
        texts[one] = [x.text for x in told] if one in stated.lists else told[0].text
    if not isinstance(text := texts.get(name), str) or text in given.words:
        return True
    value = Fraction(given.measured(text).value, given.unit.worth)
    value = value + random.choice([1, 2, 5]) if given.whole else value * random.choice([2, 9])
    try:
        more = solve(done.problem, texts | {name: f"{value} {given.unit.name}".strip()})
    except DdcalcError:
        return True
    letter = done.problem.quantities[quantity].letter
    low, high = (letters(one).get(letter) for one in (done, more))
    if low is None or high is None:
        return True
    low, high = Fraction(low), Fraction(high)
    return low <= high + CLOSE * abs(high) if way == "rises" else high <= low + CLOSE * abs(low)


@of_types
def test_quantities_stay_within_their_limits(problem):
    for solution in drawn(problem):
        for name, result in solution.quantities.items():
            quantity = problem.quantities[name]
            for one in singles(result):
                if isinstance(quantity, Derived) and isinstance(one.value, int | Fraction):
                    said = f"{one.symbol} = {one.value} of {texts_of(solution.stated)}"
                    assert quantity.least is None or one.value >= quantity.least - CLOSE, said
                    assert quantity.most is None or one.value <= quantity.most + CLOSE, said


@of_types
def test_laws_hold(problem):
    random = Random(f"ways of {problem.slug}")
    for solution in drawn(problem):
        broken = [line.text.words for line in _broken(solution, random)]
        assert broken == [], texts_of(solution.stated)


@of_equations
def test_all_that_is_said_has_itsletters(problem):
    for solution in drawn(problem):
        said = solution.commentary(None)
        assert all([said.conclusion, *said.insights, *said.checks]), texts_of(solution.stated)
