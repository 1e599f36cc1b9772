"""The answers at the head of an exam's key: read back, they are what the question comes to."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from questions import solved_variants

from ddcalc.ask.solve import Derivation, Result, first, singles
from ddcalc.files.batch import Solved
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.versions import ExamItem, ExamQuestion
from ddcalc.formula.expression import Expr
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import shown_in
from ddcalc.problem.catalog import catalog, problem_named
from ddcalc.render import exam
from ddcalc.render.blocks import Pieces
from ddcalc.render.sides import ShownFormula


def item(solved: Derivation) -> ExamItem:
    """The question of *solved* as one of an exam that asks for all its results."""
    shape = replace(solved.stated.shape, wanted=tuple(solved.values))
    asked = Derivation(replace(solved.stated, shape=shape), solved.working)
    done = Solved(FiledProblem("", 0, problem=solved.problem), asked, [asked])
    return ExamItem(ExamQuestion("q", done), 1, done)


def plain(pieces: Pieces) -> str:
    return "".join(
        piece if isinstance(piece, str) else "".join(str(side.what) for side in piece)
        for piece in pieces
    )


def reads(text: str, result: Result) -> bool:
    """Whether *text* states what *result* is, as near as its digits say."""
    value = result.value
    if value is None or isinstance(value, Expr):
        return text == ("no value" if value is None else str(ShownFormula(value)))
    about = text.removeprefix("≈ ")
    stated = shown_in(result.unit, about)
    if about == text:
        return not isinstance(value, Approximate) and stated.value == value
    number = Fraction(stated.value) / stated.unit.worth
    near = Decimal(number.numerator) / number.denominator
    return abs(number - Fraction(value) / stated.unit.worth) <= abs(
        Fraction(Decimal(1).scaleb(near.adjusted() - 5))
    )


@pytest.mark.parametrize("name", catalog())
def test_a_key_read_back_is_what_solve_gives(name: str) -> None:
    for label, _, solved in solved_variants(problem_named(name)):
        asked = item(solved)
        rows = [*exam.answer_rows((asked,))]
        assert [first(one).name for one in asked.parts[0].results] == [*solved.values], label
        for result, (*_, answer, _) in zip(asked.parts[0].results, rows, strict=True):
            members = singles(result)
            parts = plain(answer).split(", ") if len(members) > 1 else [plain(answer)]
            pairs = zip(parts, members, strict=True)
            assert all(reads(text, one) for text, one in pairs), (label, first(result).name)
