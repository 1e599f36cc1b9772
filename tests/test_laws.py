"""What holds by physics, on random questions of every type and at their edges."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from questions import TYPES, Kind, Texts, random_question

from ddcalc.ask.solve import Derivation, Result, solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number, Rel, symbols
from ddcalc.memory import remembered
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.quantity import Derived, Given

of_types = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
QUESTIONS = 30  # drawn for each type
CLOSE = Fraction(1, 10**30)  # what rounded roots may be off


def solved(problem: Kind, texts: Texts) -> Derivation | None:
    try:
        return solve(problem, texts)
    except DdcalcError:
        return None


@remembered
def drawn(problem: Kind) -> list[Derivation]:
    """Solved random questions, always the same ones."""
    random = Random(f"laws of {problem.slug}")
    solutions = [solved(problem, random_question(problem, random)) for _ in range(QUESTIONS)]
    return [solution for solution in solutions if solution is not None]


def members(result: Result | tuple[Result, ...]) -> tuple[Result, ...]:
    return result if isinstance(result, tuple) else (result,)


def numbers(solution: Derivation) -> dict[str, Number]:
    """The value of every letter that has a number."""
    results = [result for result in solution.quantities.values() for result in members(result)]
    return {
        result.symbol: result.value
        for result in results
        if isinstance(result.value, int | Fraction)
    }


def laws(solution: Derivation) -> list[Law]:
    return list(solution.problem(solution.stated.shape).laws())


@of_types
def test_quantities_stay_within_their_limits(problem: Kind) -> None:
    for solution in drawn(problem):
        for name, result in solution.quantities.items():
            quantity = problem.quantities[name]
            for one in members(result):
                if isinstance(quantity, Derived) and isinstance(one.value, int | Fraction):
                    said = f"{one.symbol} = {one.value} of {texts_of(solution)}"
                    assert quantity.least is None or one.value >= quantity.least - CLOSE, said
                    assert quantity.most is None or one.value <= quantity.most + CLOSE, said


@of_types
def test_relations_hold(problem: Kind) -> None:
    for solution in drawn(problem):
        known = numbers(solution)
        for law in laws(solution):
            if isinstance(law, Holds) and applies(law, known):
                assert holds(law.relation, known), f"{law} of {texts_of(solution)}"


def applies(law: Holds, known: dict[str, Number]) -> bool:
    parts = [law.relation] if law.when is None else [law.relation, law.when]
    if any(not {*symbols(part)} <= known.keys() for part in parts):
        return False
    return law.when is None or bool(evaluate(law.when, known))


def holds(relation: Rel, known: dict[str, Number]) -> bool:
    """Whether *relation* is true but for what rounded roots may be off."""
    left, right = (Fraction(evaluate(side, known)) for side in (relation.left, relation.right))
    off = CLOSE * max(abs(left), abs(right))
    match relation.op:
        case "<=" | "<":
            return left <= right + off
        case ">=" | ">":
            return left >= right - off
    return abs(left - right) <= off


@of_types
def test_one_way_quantities_go_one_way(problem: Kind) -> None:
    random = Random(f"ways of {problem.slug}")
    for solution in drawn(problem):
        for law in laws(solution):
            if isinstance(law, Rises | Falls):
                goes_one_way(solution, law, random)


def goes_one_way(solution: Derivation, law: Rises | Falls, random: Random) -> None:
    """Hold *law* between a question and itself with more of what the law is about."""
    problem, texts = solution.problem, texts_of(solution)
    given = problem.givens[law.by]
    if not isinstance(texts.get(law.by), str):
        return
    value = Fraction(given.measured(str(texts[law.by])).value, given.unit.worth)
    value = value + random.choice([1, 2, 5]) if given.whole else value * random.choice([2, 9])
    more = solved(problem, texts | {law.by: f"{value} {given.unit.name}".strip()})
    if more is None:
        return
    before, after = (
        numbers(result).get(letter_of(problem, law.name)) for result in (solution, more)
    )
    if before is None or after is None:
        return
    low, high = (before, after) if isinstance(law, Rises) else (after, before)
    said = f"{law}: {before} then {after}; {texts} then {law.by} = {value}"
    assert low <= high + CLOSE * abs(high), said


def letter_of(problem: Kind, name: str) -> str:
    return problem.quantities[name].letter


def texts_of(solution: Derivation) -> Texts:
    """What the question states, as texts."""
    stated = solution.stated
    texts: Texts = dict(stated.shape.reading)
    for name, measured in stated.measured.items():
        texts[name] = [m.text for m in measured] if isinstance(measured, tuple) else measured.text
    return texts | dict(stated.shape.words)


@of_types
def test_laws_name_what_there_is(problem: Kind) -> None:
    for solution in drawn(problem):
        for law in laws(solution):
            if isinstance(law, Rises | Falls):
                assert law.name in problem.quantities
                assert isinstance(problem.quantities[law.by], Given)
            assert law.because
