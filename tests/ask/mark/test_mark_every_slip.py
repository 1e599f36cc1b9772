"""Every single change of every equation is found when a student answers what it leads to.

The changes are made here anew, and worked out by a loop over the equations that shares no code with
the search: each term, factor and divisor dropped, each rounding exchanged or left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from random import Random

import pytest
from answering import decimal, kinds, mark
from questions import SYMBOLIC, Kind, drawn, solved_variants

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.written import written
from ddcalc.ask.solve import Derivation
from ddcalc.errors import DdcalcError
from ddcalc.formula.coherence import worth_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Num, Number, Rel
from ddcalc.numbers.units import Measured
from ddcalc.problem.plan import EquationPlan, plan
from ddcalc.problem.stated import restated

DIGITS = 9  # of the student's answer
SMALL = Fraction(1, 10**25)
Known = dict[str, Number | None]


def changed(expr: Expr) -> Iterator[Expr]:
    """*expr* with one thing dropped or exchanged, anywhere but in the test of a distinction."""
    match expr:
        case Add(args) | Mul(args):
            for i in range(len(args)):
                rest = [*args[:i], *args[i + 1 :]]
                yield rest[0] if len(rest) == 1 else type(expr)(tuple(rest))
        case Div(top, _):
            yield top
        case Fun("floor", args):
            yield from (Fun("ceiling", args), args[0])
        case Fun("ceiling", args):
            yield from (Fun("floor", args), args[0])
    for i, part in enumerate(expr.parts()):
        if not isinstance(part, Rel):
            for other in changed(part):
                yield expr.rebuilt((*expr.parts()[:i], other, *expr.parts()[i + 1 :]))


def worths(equations: EquationPlan) -> dict[str, Number]:
    """What a number of each quantity's unit is worth."""
    return {
        letter: quantity.unit.worth for letter, (quantity, _) in equations.problem.origin.items()
    }


def worked(equations: EquationPlan, known: Known, symbol: str, formula: Expr) -> Known | None:
    """All values where *formula*, of numbers in their units, defines *symbol* instead; None where
    there are none."""
    values: Known = {letter: known[letter] for letter in equations.givens}
    worth = worths(equations)
    for line in equations.lines:
        try:
            if line.symbol == symbol:
                numbers = {k: v if v is None else v / Fraction(worth[k]) for k, v in values.items()}
                values[symbol] = evaluate(formula, numbers) * worth[symbol]
            else:
                values[line.symbol] = evaluate(line.formula, values)
        except (ArithmeticError, TypeError):
            return None
    return values


def told_in_its_units(equations: EquationPlan, symbol: str, formula: Expr) -> bool:
    """Whether a formula of numbers in their units gives one in its own."""
    return worth_of(formula, worths(equations)) == worths(equations)[symbol]


def with_other_numbers(solved: Derivation, chance: Random) -> Iterator[Derivation]:
    """The same question with numbers by chance, where it admits them."""
    for _ in range(9):
        values = {
            name: drawn(given, chance) * given.unit.worth
            for name, given in solved.problem.givens.items()
            if isinstance(solved.stated.measured.get(name), Measured)
        }
        try:
            yield Derivation(restated(solved.stated, values))
        except DdcalcError:
            continue


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
def test_every_change_is_named(problem: Kind) -> None:
    tried, chance, alone = 0, Random(5), True
    for _, _, example in solved_variants(problem):
        if example.stated.is_played:  # an example beside the equations has no slips named
            continue
        equations = plan(problem, example.stated.shape)
        needed = equations.needed(equations.problem.answered.letter)
        alone = alone and all(line.index is not None for line in needed[:-1])
        for solved in (example, *islice(with_other_numbers(example, chance), 1)):
            question = Exercise(solved)
            for line in equations.lines:
                if line.index is None and told_in_its_units(equations, line.symbol, line.formula):
                    for formula in changed(line.formula):
                        tried += _is_named(question, equations, line.symbol, formula)
    assert tried > 5 or alone  # some answers rest on lists only, or have no value in some shapes


def _is_named(question: Exercise, equations: EquationPlan, symbol: str, formula: Expr) -> bool:
    """Whether there is a wrong answer to name; it is named, and leads to that very number."""
    right = question.solved.answer
    values = worked(equations, question.known, symbol, formula)
    value = None if values is None else values[right.symbol]
    if right.value is None or values is None or value is None or value in (0, right.value):
        return False
    before, step = question.known[symbol], values[symbol]
    if symbol != right.symbol and step is not None and before is not None and step < 0 <= before:
        return False  # a step that nobody would believe
    if not SMALL <= abs(Fraction(value) / right.unit.worth) <= 1 / SMALL:
        return False  # no student writes that
    answer = decimal(value, DIGITS, right.unit)
    made = mark(question, answer)
    if made.verdict != "wrong":
        return False  # it rounds to the right one, or would be right in another unit
    if kinds(made) == ["cut"]:
        return False  # the right one cut off
    stated = written(answer, right.unit)
    assert made.slips, (symbol, formula, answer)
    assert made.sure
    assert all(stated.fits(slip.value, right.unit.worth) for slip in made.slips)
    true, *others = (Fraction(n.numerator, n.denominator) for n in (value, *_values(made)))
    near = abs(true) / 10 ** (DIGITS - 1)  # slips that so many digits do not tell apart
    assert any(abs(other - true) <= near for other in others), (symbol, formula, answer)
    return True


def _values(made: Mark) -> list[Number]:
    return [slip.value for slip in made.slips]


def test_the_witness_drops_and_exchanges_everything() -> None:
    a, b, c = (Num(n) for n in (2, 3, 5))
    assert list(changed(a + b * c)) == [b * c, a, a + c, a + b]
    assert list(changed(Fun("floor", (a / b,)))) == [
        Fun("ceiling", (a / b,)),
        a / b,
        Fun("floor", (a,)),
    ]
