"""Quantities that are asked for: for every type its values, what they need, and their page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from running import ddcalc

from ddcalc.ask.solve import Derivation, solve
from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import catalog
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts, example_texts
from ddcalc.render import pages, story
from ddcalc.render.json import derivation

TYPES = [entry.load() for entry in catalog().values()]
SOME = 8  # quantities of each type
TRAINING = ("training-time", "--parameters", "70B", "--tokens", "15T")
PRICED = (*TRAINING, "--devices", "1024", "--achieved", "400TFLOP/s", "--price", "2USD/h")


def _single(solved: Derivation) -> Iterator[str]:
    """The derived quantities that are one value."""
    for name, value in solved.values.items():
        if not isinstance(value, tuple):
            yield name


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_each_quantity_of_each_type(problem: type[Problem]) -> None:
    """Its value is the one that it has anyway; the page names it, and rests on nothing else."""
    texts = example_texts(problem)
    whole = solve(problem, texts)
    names = [*_single(whole)]
    for name in names[:: 1 + len(names) // SOME]:
        solved = solve(problem, texts, [problem.quantities[name].letter])
        assert solved.answer.name == name
        assert solved.answer.value == whole.values[name]
        title = problem.quantities[name].called
        said, own = story.says(solved), story.says(whole)  # where a sentence of the type says it
        assert said.startswith(title[:1].upper()) or said[:20] in own
        assert list(pages.derivation(solved))
        assert list(derivation(solved, True)["quantities"]) == [name]


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_what_does_not_matter_is_not_needed(problem: type[Problem]) -> None:
    """Without one of the givens a quantity is what it was, or that given is missing."""
    texts = example_texts(problem)
    whole = solve(problem, texts)
    names = [*_single(whole)]
    for left in [name for name in texts if problem.givens[name].required]:
        fewer = {name: text for name, text in texts.items() if name != left}
        for name in names[:: 1 + len(names) // SOME]:
            solved = _solved(problem, fewer, name)
            if isinstance(solved, DdcalcError):
                assert left in str(solved), (name, left)
            else:
                assert solved.answer.value == whole.values[name]
                assert list(pages.derivation(solved))


def _solved(problem: type[Problem], texts: Texts, name: str) -> Derivation | DdcalcError:
    try:
        return solve(problem, texts, [name])
    except DdcalcError as error:
        return error


@pytest.mark.parametrize(
    ("call", "out"),
    [
        ([*TRAINING, "--quantity", "needed", "--bare"], "6300000000000000000000000\n"),
        (["allreduce", "--workers", "8", "--quantity", "R"], "14\n"),
        (["sync-step", "--finish", "1s,2s", "--quantity", "slowest", "--unit", "ms"], "2000 ms\n"),
        (["allreduce", "--workers", "8", "--quantity", "R", "--quantity", "rounds,p", "--bare"],
         "14\n14\n8\n"),
        ([*PRICED, "--quantity", "T,cost", "--unit", "h"], "4272.4609375 h\n8750000 USD\n"),
        (["transfer", "--size", "1B", "--bandwidth", "30TB/s", "--quantity", "time", "--bare"],
         "0.00000000000003333333333333333\n"),
    ],
)  # fmt: skip
def test_values_for_a_shell(call: list[str], out: str) -> None:
    """Digits, a point and a sign: nothing that ``bc`` cannot read."""
    ran = ddcalc(*call)
    assert (ran.code, ran.out[:30]) == (0, out[:30])


def test_what_is_missing_is_what_is_asked_for() -> None:
    ran = ddcalc("epoch-time", "--workers", "6", "--quantity", "cost")
    names = "--samples, --batch, --download, --compute, --upload, --price"
    assert (ran.code, ran.err.splitlines()[0]) == (2, f"error: missing: {names}")
    ran = ddcalc("epoch-time", "--download", "1s", "--quantity", "trip")
    assert ran.err.splitlines()[0] == "error: missing: --compute, --upload"
    assert "unknown quantity 'nope'" in ddcalc("epoch-time", "--quantity", "nope").err
