"""Every problem type against an independent model, on random questions and at their edges."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from asking import WITNESSES
from questions import TYPES, Kind, answered

from ddcalc.ask.solve import Derivation, solve
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.presets import presets
from ddcalc.problem.slots import Preset

for _module in sorted(Path(__file__).parent.glob("*.py")):
    if _module.stem.endswith("_witness"):
        import_module(_module.stem)

QUESTIONS, ANSWERED = 50, 15  # drawn for each type, and how many of them must have an answer
MORE = {"layout": 150}  # drawn where most are of shapes that do not fit each other


def posed(outcome: Derivation) -> dict[str, Any]:
    """The question as a witness gets it."""
    message: dict[str, Any] = dict(outcome.stated.shape.reading) | dict(outcome.stated.shape.words)
    for name, measured in outcome.stated.measured.items():
        many = isinstance(measured, tuple)
        message[name] = tuple(item.value for item in measured) if many else measured.value
    return message


def agrees(mine: Any, theirs: Any) -> bool:
    """Whether our value is the witness's: exactly, unless one of the two is rounded."""
    if isinstance(mine, tuple):
        return len(mine) == len(theirs) and all(map(agrees, mine, theirs))
    if mine is None or theirs is None or not isinstance(mine, int | Fraction):
        return mine is theirs or bool(mine == theirs)
    if isinstance(theirs, float) or isinstance(mine, Approximate):
        return isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-300)
    return bool(mine == theirs)


def witnessed(slug: str, **stated: Any) -> Derivation:
    """The solved question, with whose every value the witness agrees."""
    texts = {n: [*map(str, v)] if isinstance(v, list) else str(v) for n, v in stated.items()}
    answers = solve(problem_named(slug), texts)
    expected = WITNESSES[slug](posed(answers))
    assert expected
    for name, value in expected.items():
        assert agrees(answers.values[name], value), (name, answers.values[name], value)
    return answers


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_the_witness_agrees(problem: Kind) -> None:
    answers = 0
    for outcome in answered(problem, "witness", MORE.get(problem.slug, QUESTIONS)):
        question = posed(outcome)
        expected = WITNESSES[problem.slug](question)
        answers += outcome.answer.name in expected
        for name, value in expected.items():
            mine = outcome.values[name]
            assert agrees(mine, value), f"{name} = {mine}, witness {value}; {question}"
    assert answers >= ANSWERED


def test_every_type_has_a_witness() -> None:
    assert WITNESSES.keys() == {problem.slug for problem in TYPES}


# Published totals; where they are rounded, to as many digits. That of PaLM leaves its norms out.
@pytest.mark.parametrize("model", [m for m in presets()["model"].values() if "layers" in m.facts])
def test_the_shape_of_a_published_model_has_its_parameters(model: Preset) -> None:
    palm = {"norms": 0, "last_norms": 0} if model.name == "palm-540b" else {}
    shape = witnessed("transformer", model=model.name, **palm)
    total, published = int(shape.values["total"]), model.facts["parameters"].text
    exact = float(published.replace("B", "e9").replace("M", "e6"))
    rounded = len(published.strip("0BM").replace(".", "")) if exact != total else len(str(total))
    assert float(f"{total:.{rounded}g}") == exact
    active = model.facts.get("active_parameters")
    assert active is None or shape.values["active"] == int(active.text)
