"""A formula is written once, with holes for its numbers; writing it anew is the witness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from random import Random
from unittest.mock import patch

import pytest
from questions import TYPES, Kind, example, random_question

from ddcalc.ask.solve import Derivation, solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Compare, Define, DefineEach, PutIn, Solve
from ddcalc.render import notation, story
from ddcalc.render.notation import written
from ddcalc.render.notation.mathml import MathML
from ddcalc.render.notation.plain import PlainText
from ddcalc.render.notation.tex import Latex


def formulas(solved: Derivation) -> Iterator[tuple[Expr, Mapping[str, PutIn]]]:
    """The formulas that the steps of *solved* show, and the numbers in them."""
    for step in solved.steps:
        for one in step.rows if isinstance(step, DefineEach) else (step,):
            if isinstance(one, Define | Solve):
                formula = one.applied if isinstance(one, Define) else one.formula
                yield formula, one.numbers
                yield formula, {}
            if isinstance(one, Compare):
                yield one.relation, one.numbers


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_numbers_fill_the_holes_of_a_formula(problem: Kind) -> None:
    random, asked = Random(problem.slug), [example(problem)]
    asked += [random_question(problem, random) for _ in range(6)]
    for texts in asked:
        with suppress(DdcalcError):
            for formula, numbers in formulas(solve(problem, texts)):
                for to in (PlainText(), Latex(), MathML()):
                    parts = {name: notation._number(put, to) for name, put in numbers.items()}
                    anew = notation._Walk(to, parts).part(formula).text
                    assert written(formula, to, numbers) == anew


def test_the_next_question_of_a_shape_finds_its_formulas_written() -> None:
    kind = problem_named("epoch-time")
    texts = example(kind) | {"batch": "1536", "epochs": "1", "workers": "2"}

    def shown(samples: str) -> str:
        put = formulas(solve(kind, texts | {"samples": samples}))
        return " ".join(str(story.ShownFormula(*one)) for one in put)

    shown("76801")
    with patch.object(notation._Walk, "part", side_effect=AssertionError):
        assert "107 521/1 536" in shown("107521")
