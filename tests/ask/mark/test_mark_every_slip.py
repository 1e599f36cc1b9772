"""Every single change of every equation is found when a student answers what it leads to.

The changes are made here anew, and worked out by a loop over the equations that shares no code with
the search: each term, factor and divisor dropped, each rounding exchanged or left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from answering import decimal, mark
from questions import SYMBOLIC, Kind, solved_variants

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.slips import in_own_units
from ddcalc.ask.mark.written import written
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Number, Rel
from ddcalc.numbers.units import SHARE
from ddcalc.problem.arguments import look_alike
from ddcalc.problem.plan import EquationPlan, plan

DIGITS = 9  # of the student's answer
SMALL = Fraction(1, 10**25)
VARIANTS = 2  # of each type
MOST = 40  # changes of each variant
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
        case Fun("floor" | "ceiling" as name, args):
            yield from (Fun("ceiling" if name == "floor" else "floor", args), args[0])
    for i, part in enumerate(expr.parts()):
        if not isinstance(part, Rel):
            for other in changed(part):
                yield expr.rebuilt((*expr.parts()[:i], other, *expr.parts()[i + 1 :]))


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


def worths(equations: EquationPlan) -> dict[str, Number]:
    """What a number of each quantity's unit is worth."""
    return {letter: one.unit.worth for letter, (one, _) in equations.problem.origin.items()}


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
def test_every_change_is_named(problem: Kind) -> None:
    examples = [solved for _, _, solved in solved_variants(problem) if not solved.stated.is_played]
    for example in examples[:VARIANTS]:
        equations, question = plan(problem, example.stated.shape), Exercise(example)
        wrong = [
            (line.symbol, formula)
            for line in equations.lines
            if line.index is None
            and look_alike(line.formula, in_own_units(equations, line, line.formula))
            for formula in changed(line.formula)
        ]
        for symbol, formula in wrong[:: len(wrong) // MOST + 1]:
            _is_named(question, equations, symbol, formula)


def _is_named(question: Exercise, equations: EquationPlan, symbol: str, formula: Expr) -> None:
    """Where there is a wrong answer to name, it is named, and leads to that very number."""
    assert question.chain is not None
    right, known = question.solved.answer, question.chain.known
    values = worked(equations, dict(known), symbol, formula)
    value = None if values is None else values[right.symbol]
    if right.value is None or values is None or value is None or value in (0, right.value):
        return
    before, step = known[symbol], values[symbol]
    if symbol != right.symbol and step is not None and before is not None and step < 0 <= before:
        return  # a step that nobody would believe
    most = 1 if right.unit == SHARE else 1 / SMALL  # more is read in per cent
    if not SMALL <= abs(Fraction(value) / right.unit.worth) <= most:
        return  # no student writes that
    answer = decimal(value, DIGITS, right.unit)
    made = mark(question, answer)
    if made.verdict != "wrong" or [slip.kind for slip in made.slips] == ["cut"]:
        return  # it rounds to the right one, is that cut off, or would be right in another unit
    stated = written(answer, right.unit)
    assert made.slips, (symbol, formula, answer)
    assert made.sure
    assert all(stated.fits(slip.value, right.unit.worth) for slip in made.slips)
    true = Fraction(value.numerator, value.denominator)
    others = [Fraction(slip.value.numerator, slip.value.denominator) for slip in made.slips]
    near = abs(true) / 10 ** (DIGITS - 1)  # slips that so many digits do not tell apart
    assert any(abs(other - true) <= near for other in others), (symbol, formula, answer)
