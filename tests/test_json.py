"""JSON that scripts rely on, searches by command, file and Python, and the Python face: one answer
in all."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from questions import EXAM, TYPES, Kind, command, example
from running import ddcalc

import ddcalc as python
from ddcalc.files.schema import schema


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("name", ["sheet", "parts", "wrong"])
def test_both_json_formats_tell_alike(name: str) -> None:
    file = Path(__file__).parent / "golden" / "files" / f"{name}.yaml"
    ran, lines = (ddcalc("solve", file, "--format", form) for form in ("json", "ndjson"))
    document = json.loads(ran.out, parse_constant=_refuse)
    assert list(document) == ["schema_version", "problems"]
    assert [*map(json.loads, lines.out.splitlines())] == document["problems"]
    assert (lines.code, ran.out.isascii()) == (ran.code, True)


# Searches


VALIDATOR = Draft202012Validator(schema())
GIVEN = {name: text for name, text in EXAM.items() if name != "workers"}
KEYS = [
    "problem", "id", "file", "status", "answer", "quantities", "assumptions", "readings", "unused",
    "checks", "find",
]  # fmt: skip


def _unknowns(problem: Kind) -> list[str]:
    """The whole numbers of the type's example, else what is one number there."""
    texts = example(problem)
    given = [problem.givens[name] for name, text in texts.items() if isinstance(text, str)]
    single = [unknown for unknown in given if unknown.many != "list"]
    return [unknown.name for unknown in single if unknown.whole or problem.symbolic]


FINDABLE = [(problem, name) for problem in TYPES[::4] for name in _unknowns(problem)[:1]]


def _call(problem: Kind, unknown: str) -> list[str]:
    """The example with one given unknown, so that it keeps its own value."""
    texts = example(problem)
    value = texts.pop(unknown)
    given = f"{unknown} = {value}" if isinstance(value, str) else ""
    return [*command(problem, texts), "--find", unknown, "--where", given]


@pytest.mark.parametrize(("problem", "unknown"), FINDABLE)
def test_a_command_and_its_file_agree(problem: Kind, unknown: str, tmp_path: Path) -> None:
    call = _call(problem, unknown)
    lines = ddcalc(*call).out.splitlines()
    assert lines
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    file = tmp_path / "inverse.yaml"
    file.write_text(ddcalc(*call, "--as-yaml").out, encoding="utf-8")
    direct = json.loads(ddcalc(*call, "--format", "json").out)
    assert list(direct) == [*KEYS, "steps"]
    assert direct["answer"]["name"] == unknown
    assert Fraction(direct["answer"]["exact"]) == Fraction(direct["quantities"][unknown]["exact"])
    ran = ddcalc("solve", file, "--format", "ndjson", "--steps", "full")
    assert (ran.code, ran.err) == (0, "")
    assert {**json.loads(ran.out), "id": None, "file": None} == direct
    assert [*VALIDATOR.iter_errors(_as_data(problem, call))] == []


def _as_data(problem: Kind, call: list[str]) -> dict[str, Any]:
    texts = example(problem)
    unknown = call[call.index("--find") + 1]
    del texts[unknown]
    return {"type": problem.slug, "find": unknown, "where": call[-1], "given": texts}


# The Python face


@pytest.mark.parametrize(
    "value", ["15 ms", "0.015", 0.015, Fraction(3, 200), Decimal("0.015"), "3/200 s"]
)
def test_values_of_python_are_exact(value: object) -> None:
    assert python.solve("epoch-time", **{**EXAM, "aggregate": value}).answer.value == Fraction(
        1191, 2
    )


def test_lists_and_choices() -> None:
    solved = python.solve(
        "sync-step", finish=(0.15, "0.2 s", Fraction(1, 2)), aggregate=0, update=1
    )
    assert solved.answer.value == Fraction(3, 2)
    barrier = python.solve("epoch-time", **EXAM, queue="per-epoch")
    assert barrier.answer.value == Fraction(1275, 2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"workers": True}, "truth value"),
        ({"workers": float("nan")}, "not a finite number"),
        ({"workers": 2.5}, "not a whole number"),
        ({"workers": [1, 2]}, "one value is wanted"),
        ({"wrkers": 6}, "did you mean 'workers'"),
    ],
)
def test_what_cannot_be_solved(more: dict[str, object], message: str) -> None:
    with pytest.raises(python.DdcalcError, match=message):
        python.solve("epoch-time", **{**EXAM, **more})


ASKED = """
problems:
  - id: q3
    given: {finish: [1 s, 3 s], aggregate: 1 s}
    parts:
      - {id: a, type: sync-step, given: {update: 1 s}, limit: total <= 4 s}
      - {id: b, like: a, given: {update: [2 s, 3 s]}}
      - {id: c, formula: a.total/a.slowest, name: gain}
      - {id: d, like: a, find: update, where: total <= 2*a.total}
      - {id: e, formula: a.totl/2}
  - {id: no-name, type: sync-step, given: {finish: 1 s, aggregate: 1, update: 1}}
  - {type: sync-step, given: {finish: 2 s, aggregate: 1, update: 1}}
"""


def test_a_file_is_solved_into_attributes(tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text(ASKED, encoding="utf-8")
    exam = python.load(tmp_path / "q.yaml").solve()
    assert (list(exam), list(exam.q3)) == (["q3", "no-name", "3"], [*"abcde"])
    assert (exam.q3.a.total.value, exam["q3"]["a"]["total"].value) == (5, 5)
    assert [case.total.value for case in exam.q3.b] == [6, 7]
    assert exam.q3.c.gain.value == Fraction(5, 3)
    assert exam.q3.d.answer.value == exam.q3.d.update.value == 6
    assert [limit.agrees for limit in exam.q3.a.limits] == [False]
    assert exam["no-name"].total.value == exam["3"].total.value - 1 == 3
    assert repr(exam).splitlines()[0].startswith("q3: (a) Not met: the whole step = 5 s > 4 s")
    for shown in (exam, exam.q3):
        assert 'The whole step: <span class="solid">6 s' in shown._repr_html_()
    [wrong] = exam.errors
    for look in (lambda: exam.q3.e, lambda: exam.q3["e"], lambda: exam.q3.a["totl"]):
        with pytest.raises(python.DdcalcError, match="did you mean"):
            look()
    assert "did you mean 'total'?" in str(wrong)
    for name in ("totl", "_total"):
        assert not hasattr(exam.q3.a, name)
    assert not hasattr(exam, "q4")
    with pytest.raises(python.DdcalcError, match="cannot open"):
        python.load(tmp_path / "none.yaml").solve()


def test_questions_may_have_formulas_steps_and_limits() -> None:
    given = {**EXAM, "workers": "epochs - 4", "steps": {"paid": "workers*total: worker-seconds"}}
    solved = python.solve("epoch-time", **given, limit=["paid <= 1 h", "2*total <= 10 min"])
    assert solved.paid.value == 3573
    assert [limit.agrees for limit in solved.limits] == [True, False]
    assert python.solve("epoch-time", **given, quantity="paid").answer.value == 3573
    del given["epochs"]
    found = python.find("epoch-time", "epochs", where="paid <= 60*full_round + 1 h", **given)
    assert [found.is_solution(epochs) for epochs in (4, 5, 11, 12)] == [False, True, True, False]
    points = {"vary": {"epochs": "5..20"}, "minimize": ["paid"], "where": "paid/10 >= 400 s"}
    assert python.sweep("epoch-time", **points, **given).columns.best["paid"][1] == {"epochs": 12}
    moved = python.sensitivity("epoch-time", **given, epochs=10)
    assert {"epochs", "compute"} <= {effect.lever.name for effect in moved.effects}
    marks = python.mark("epoch-time", answers={"paid": "3573 s"}, **given, epochs=10)
    assert marks.credit == 1
    with pytest.raises(python.DdcalcError, match="did you mean total"):
        python.solve("epoch-time", **EXAM, steps={"paid": "workers*totl"})
