"""Every given of every equation type can be the unknown, and the solutions are all there are."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from random import Random

import pytest
from questions import SYMBOLIC, Kind, Texts, solved_variants
from tried import holds, inside, question, searched, tried

from ddcalc.ask.find import InverseQuestion
from ddcalc.ask.find.branching import Sought, search
from ddcalc.ask.solve import Derivation, Result
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.expression import Number

UP_TO = 40  # whole numbers that are tried one by one
TRIES, QUESTIONS = 25, 8  # of each type
ROOTS = {"checkpoint-interval"}  # nearly every given stands under a root there
SEEDS = {"layout": 5, "sparsify": 1}  # of types most of whose first questions have no answer

of_equations = pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)


def _multiple(result: Result, factor: Fraction) -> str:
    """A multiple of a result as an exact text."""
    value = Fraction(result.value) * factor / result.unit.worth  # type: ignore[arg-type]
    unit = "" if result.unit.name == "/s" else result.unit.name  # that is not written
    return f"{value.limit_denominator(10**9)} {unit}".strip()


def _numbers(solved: Derivation) -> list[Result]:
    """The quantities that are one number."""
    single = [result for result in solved.quantities.values() if isinstance(result, Result)]
    return [result for result in single if isinstance(result.value, int | Fraction)]


def _questions(problem: Kind, random: Random) -> Iterator[InverseQuestion]:
    """Questions about any given, so that what is compared is what it was, or nearly."""
    variants: list[tuple[str, Texts, Derivation]] = solved_variants(problem)
    for _ in range(TRIES):
        _, texts, solved = random.choice(variants)
        if solved.stated.is_played:  # an example beside the equations is tried point by point
            continue
        given = [name for name in solved.stated.measured if problem.givens[name].many != "list"]
        single = [n for n in given if not isinstance(solved.stated.measured[n], tuple)]
        if not single:
            continue
        unknown, result = random.choice(single), random.choice(_numbers(solved))
        factor = random.choice([Fraction(1), Fraction(1), Fraction(9, 10), Fraction(3, 2)])
        sign = random.choice(["<", "<=", "=", ">=", ">"])
        yield question(problem, unknown, f"{result.name} {sign} {_multiple(result, factor)}", texts)


def _agrees(inverse: InverseQuestion, sought: Sought, x: Number) -> bool:
    """Whether the search says of *x* what trying it does, where both are sure."""
    truth = holds(inverse, x)
    return truth is None or inside(sought.open, x) or truth == inside(sought.solutions, x)


@of_equations
def test_no_solution_is_missed(problem: Kind) -> None:
    random = Random(f"{problem.slug}{SEEDS.get(problem.slug, '')}")
    solved, refused = 0, []
    questions = list(islice(_questions(problem, random), QUESTIONS))
    for inverse in questions:
        whole = inverse.unknown.whole  # type: ignore[union-attr]
        try:
            sought = search(searched(inverse), 500)
        except (BadValue, NoAnswer) as error:
            refused.append((whole, str(error)))
            continue
        solved += bool(sought.solutions)
        numbers = list(tried([*sought.solutions, *sought.open], whole))
        numbers += range(UP_TO) if whole else (Fraction(i, 13) ** 3 for i in range(UP_TO))
        numbers += [random.randrange(10**6) for _ in range(10)]
        wrong = [x for x in numbers if not _agrees(inverse, sought, x)]
        assert not wrong, (inverse.unknown.name, inverse.relations, sought, wrong[:5])
    assert solved > len(questions) // 4 or problem.slug in ROOTS
    assert len(refused) < len(questions) // 2 or problem.slug in ROOTS
    assert all(not whole or "to forty digits" in reason for whole, reason in refused), refused
