"""How often a wrong number that nobody's slip has led to is explained all the same.

``python3 tests/benchmarks/chance_hits.py`` prints the table of ``results.md``: for the example of
every problem type, numbers drawn between half of the answer and twice the answer (their logarithms
equally likely), written with three to six digits, and how many of the wrong ones a slip, a slip of
the pen or a wrong unit explain. ``--kinds`` prints which.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from math import log10
from random import Random

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import marks
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.ask.solve import solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr
from ddcalc.problem.catalog import catalog
from ddcalc.problem.stated import example_texts

DIGITS = (3, 4, 5, 6)
NUMBERS = 5000
SEED = 7
NEAR = log10(2)

Kinds = Counter[str]


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


def explained(question: Exercise, digits: int, numbers: int, seed: int = SEED) -> Kinds:
    """How often each kind of slip explains a random number; "none" where the answer is wrong and
    unexplained, "right" where it happens to be right."""
    chance = Random(seed)
    right = question.solved.answer
    assert right.value is not None
    assert not isinstance(right.value, Expr)
    size = abs(Fraction(right.value) / right.unit.worth)
    counts: Kinds = Counter()
    for _ in range(numbers):
        answer = written(f"{drawn(size, digits, chance)} {right.unit.name}".strip(), right.unit)
        [mark] = marks(question, {right.name: (answer, Allowed())})
        counts[kind(mark)] += 1
    return counts


def kind(mark: Mark) -> str:
    """What *mark* says that a number came from."""
    if mark.verdict in ("right", "rounded"):
        return "right"
    if mark.verdict == "unit":
        return "unit"
    return mark.slips[0].kind if mark.slips else "none"


def rate(counts: Mapping[str, int]) -> float:
    """The percentage of wrong numbers that a slip explains."""
    wrong = sum(counts.values()) - counts.get("right", 0)
    return 100 * (wrong - counts.get("none", 0)) / wrong


def table(numbers: int, kinds: dict[int, Kinds]) -> Iterator[str]:
    """The lines of the table; the *kinds* by number of digits are counted beside it."""
    yield f"| problem type | {' | '.join(f'{digits} digits' for digits in DIGITS)} |"
    yield "| --- |" + " --- |" * len(DIGITS)
    for slug, question in questions():
        cells = []
        for digits in DIGITS:
            counts = explained(question, digits, numbers)
            kinds.setdefault(digits, Counter()).update(counts)
            cells.append(f"{rate(counts):.2f} %")
        yield f"| {slug} | {' | '.join(cells)} |"
    cells = [f"{rate(kinds[digits]):.2f} %" for digits in DIGITS]
    yield f"| all | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    kinds: dict[int, Kinds] = {}
    for line in table(NUMBERS, kinds):
        sys.stdout.write(f"{line}\n")
    if "--kinds" in sys.argv:
        for digits, counts in kinds.items():
            sys.stdout.write(f"{digits} digits: {counts.most_common()}\n")


if __name__ == "__main__":
    main()
