"""How often a wrong number that nobody's slip has led to is explained all the same.

``python3 tests/benchmarks/test_chance_hits.py`` prints the table of ``results.md``: for the
example of every problem type, numbers drawn between half of the answer and twice the answer (their
logarithms equally likely), written with three to six digits, and how many of the wrong ones a slip,
a slip of the pen or a wrong unit explain.
"""

import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import log10
from random import Random

import pytest

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.following import Following
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.ask.solve import solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr
from ddcalc.problem.known.catalog import catalog
from ddcalc.problem.stated import example_texts

DIGITS = (3, 4, 5, 6)
NUMBERS = 1000
SEED = 7
NEAR = log10(2)
MOST = {3: 10.0, 4: 1.5}  # percent, by digits
TRIED = {3: 100, 4: 140}  # numbers of each type
LONGEST = {"layout": 2}  # so many times as often where a hundred formulas can be got wrong


def questions() -> Iterator[tuple[str, Exercise]]:
    """The example of every type whose answer is a number and not 0."""
    for slug, entry in catalog().items():
        problem = entry.load()
        try:
            solved = solve(problem, example_texts(problem))
        except DdcalcError:
            continue
        value = solved.answer.value
        if value is not None and not isinstance(value, Expr) and value:
            yield slug, Exercise(solved)


def drawn(value: Fraction, digits: int, chance: Random) -> str:
    """A number near *value*, written with that many *digits*."""
    whole, part = divmod(log10(value) + chance.uniform(-NEAR, NEAR), 1)
    mantissa = Decimal(10**part).quantize(Decimal(1).scaleb(1 - digits))
    return f"{mantissa}e{int(whole)}"


def explained(question: Exercise, digits: int, numbers: int, seed: int = SEED) -> Fraction:
    """Which part of random wrong numbers a slip explains, or a wrong unit."""
    chance = Random(seed)
    right = question.solved.answer
    assert right.value is not None
    assert not isinstance(right.value, Expr)
    size = abs(Fraction(right.value) / right.unit.worth)
    wrong = hits = 0
    for _ in range(numbers):
        answer = written(f"{drawn(size, digits, chance)} {right.unit.name}".strip(), right.unit)
        [mark] = Following().marks(question, {right.name: (answer, Allowed())})
        wrong += mark.verdict not in ("right", "rounded")
        hits += mark.verdict == "unit" or (mark.verdict == "wrong" and bool(mark.slips))
    return Fraction(hits, wrong)


@pytest.mark.parametrize("digits", MOST)
def test_chance_is_rarely_mistaken_for_a_slip(digits):
    """``results.md`` has the rates that this file measures."""
    for slug, question in [*questions()][digits % 2 :: 2]:
        explained_by_chance = 100 * explained(question, digits, TRIED[digits])
        most = MOST[digits] * LONGEST.get(slug, 1)
        assert explained_by_chance <= most, (slug, explained_by_chance)


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"| problem type | {' | '.join(f'{digits} digits' for digits in DIGITS)} |\n")
    sys.stdout.write("| --- |" + " --- |" * len(DIGITS) + "\n")
    rows = {slug: [explained(x, n, NUMBERS) for n in DIGITS] for slug, x in questions()}
    columns = zip(*rows.values(), strict=True)
    rows["all"] = [sum(column, Fraction(0)) / len(rows) for column in columns]
    for slug, parts in rows.items():
        cells = " | ".join(f"{float(100 * part):.2f} %" for part in parts)
        sys.stdout.write(f"| {slug} | {cells} |\n")


if __name__ == "__main__":
    main()
