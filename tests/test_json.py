"""JSON that scripts rely on, searches by command, file and Python, and the Python face: one answer
in all."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from exam import EXAM
from jsonschema import Draft202012Validator
from questions import TYPES, Kind, command, example, options
from running import Ran, ddcalc

import ddcalc as python
from ddcalc.files.schema import schema


def _file(folder: Path, name: str, *problems: str) -> Path:
    path = folder / name
    lines = "".join(f"  - {{{problem}}}\n" for problem in problems)
    path.write_text(f"problems:\n{lines}", encoding="utf-8")
    return path


def _solved(*arguments: str | Path) -> tuple[Ran, list[dict[str, Any]]]:
    """The objects of a batch, which both JSON formats tell alike."""
    ran = ddcalc("solve", *arguments, "--format", "json")
    document = json.loads(ran.out, parse_constant=_refuse)
    assert list(document) == ["schema_version", "problems"]
    assert document["schema_version"] == 1
    lines = ddcalc("solve", *arguments, "--format", "ndjson")
    assert lines.code == ran.code
    objects = [json.loads(line, parse_constant=_refuse) for line in lines.out.splitlines()]
    assert objects == document["problems"]
    assert ran.out.isascii()
    return ran, objects


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def test_checks(tmp_path: Path) -> None:
    given = "given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}"
    stated = "expect: {total: 4 s, idle: [1 s, 0 s]}, claimed: {total: 5 s, slowest: 2000 ms}"
    file = _file(tmp_path, "checks.yaml", f"type: sync-step, {given}, {stated}")
    ran, (document,) = _solved(file)
    assert ran.code == 0
    checks = {(item["name"], item["ours"]): item for item in document["checks"]}
    assert all(
        list(item) == ["name", "stated", "derived", "agrees", "ours"] for item in document["checks"]
    )
    assert {key: item["agrees"] for key, item in checks.items()} == {
        ("total", True): True,
        ("idle", True): True,
        ("total", False): False,
        ("slowest", False): True,
    }
    assert checks["total", False]["stated"] == "5 s"
    assert checks["total", False]["derived"] == "4 s"
    wrong = _file(tmp_path, "wrong.yaml", f"type: sync-step, {given}, expect: {{total: 5 s}}")
    ran, (document,) = _solved(wrong)
    assert (ran.code, document["status"]) == (1, "solved")


PARTS = """
problems:
  - id: exam
    title: An exam
    given: {finish: [1 s, 3 s], aggregate: 1 s}
    parts:
      - {id: a, type: sync-step, given: {update: 1 s}, expect: {total: 5 s}}
      - {id: b, like: a, given: {update: [2 s, 3 s]}, limit: total <= 6.5 s}
      - {id: c, formula: a.total/a.slowest, name: gain}
      - {id: d, formula: c.gain*FACTOR}
      - {id: e, formula: d.value + 1}
"""


@pytest.mark.parametrize(("factor", "status"), [("2", "solved"), ("a.totl", "error")])
def test_a_question_of_parts_is_an_object_of_objects(
    tmp_path: Path, factor: str, status: str
) -> None:
    """Each part is the object of any problem; one that fails, and what stands on it, costs no
    other."""
    file = tmp_path / "exam.yaml"
    file.write_text(PARTS.replace("FACTOR", factor), encoding="utf-8")
    ran, (document,) = _solved(file)
    assert (document["id"], document["file"], document["title"]) == ("exam", str(file), "An exam")
    assert document["status"] == status
    assert [part["id"] for part in document["parts"]] == ["a", "b", "c", "d", "e"]
    a, b, c, *others = document["parts"]
    assert (a["answer"]["exact"], a["checks"][0]["agrees"]) == ("5", True)
    assert [case["answer"]["exact"] for case in b["cases"]] == ["6", "7"]
    assert [case["limits"][0]["agrees"] for case in b["cases"]] == [True, False]
    assert (c["problem"], c["answer"]["name"], c["answer"]["exact"]) == ("formula", "gain", "5/3")
    assert [part["status"] for part in others] == [status, status]
    says = document["answer"]["says"]
    assert re.findall(r"\((\w)\) ", says) == ["a", "b", "c", "d", "e"]
    assert "Not met with t_upd = 3 s: the whole step = 7 s > 6.5 s, 7.7 % above." in says
    assert ran.code == (1 if status == "solved" else 2)
    ran, (short,) = _solved(file, "--answers")
    assert ran.code == (1 if status == "solved" else 2)
    assert short["answer"] == document["answer"]
    assert [part.get("answer") for part in short["parts"]] == [
        part.get("answer") for part in document["parts"]
    ]


@pytest.mark.parametrize(("factor", "bad"), [("2", []), ("a.totl", ["exam.d", "exam.e"])])
def test_reports_have_a_case_for_each_part(tmp_path: Path, factor: str, bad: list[str]) -> None:
    file = tmp_path / "exam.yaml"
    file.write_text(PARTS.replace("FACTOR", factor), encoding="utf-8")
    suite = fromstring(ddcalc("solve", file, "--format", "junit").out)
    cases = {case.get("name"): [one.tag for one in case] for case in suite.iter("testcase")}
    assert [*cases] == [f"exam.{part}" for part in "abcde"]
    assert cases["exam.b"] == ["failure"]
    assert [name for name, tags in cases.items() if tags == ["error"]] == bad
    lines = ddcalc("solve", file, "--format", "github").out.splitlines()
    titles = [re.search(r"title=ddcalc%3A ([\w.]+)", line)[1] for line in lines]  # type: ignore[index]
    assert titles == ["exam.b", *bad]
    assert ",line=8,col=" in lines[0]


def test_a_resumed_run_counts_the_parts(tmp_path: Path) -> None:
    file, lines = tmp_path / "exam.yaml", tmp_path / "out.ndjson"
    file.write_text(PARTS.replace("FACTOR", "2"), encoding="utf-8")
    calls = [ddcalc("solve", file, "--resume", "--output", lines) for _ in range(2)]
    assert [call.code for call in calls] == [1, 1]
    assert "nothing to do" in calls[1].err


STEP = ("sync-step", "--finish", "0.15s,0.5s", "--aggregate", "0.3s", "--update", "0.25s")


def test_differences_are_exact() -> None:
    changes = ("--against", "update=0.15 s; finish=0.2s,0.1s", "--against", "aggregate=1 s")
    ran = ddcalc("compare", *STEP, *changes, "--format", "json")
    comparisons = json.loads(ran.out)["comparisons"]
    assert (ran.code, len(comparisons)) == (0, 2)
    assert [one["difference"]["exact"] for one in comparisons] == ["-2/5", "7/10"]
    assert [[*one["changes"][0].values()] for one in comparisons] == [
        [["finish"], "0.15 s, 0.5 s", "0.2 s, 0.1 s"],
        [["aggregate"], "0.3 s", "1 s"],
    ]


def test_slopes_are_exact() -> None:
    ran = ddcalc("sensitivity", *STEP, "--format", "json")
    data = json.loads(ran.out)
    assert ran.code == 0
    rows = {row["name"]: row for row in data["sensitivities"]}
    assert rows["finish[2]"]["from_above"] == "1"
    assert rows["finish[1]"]["from_above"] == "0"
    assert data["swings"][0]["above"]["exact"] == "11/10"


# Searches


VALIDATOR = Draft202012Validator(schema())
GIVEN = {name: text for name, text in EXAM.items() if name != "workers"}
WORKERS = ["epoch-time", *options(GIVEN), "--find", "workers", "--where", "total <= 300 s"]
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


FROM = {"value": 13.0, "exact": "13", "unit": "", "text": "13"}


def test_the_exam_sheet() -> None:
    data = json.loads(ddcalc(*WORKERS, "--format", "json").out)
    assert data["answer"]["value"] == 13
    assert data["quantities"]["total"]["exact"] == "561/2"
    assert data["find"] == {
        "unknown": "workers",
        "where": ["total <= 300 s"],
        "solutions": [{"from": FROM, "to": None, "from_included": True, "to_included": False}],
        "complete": True,
        "text": data["find"]["text"],
        "proof": data["find"]["proof"],
    }
    assert data["find"]["text"].startswith("At least 13 workers: then the total is 280.5 s;")
    assert [step["kind"] for step in data["steps"]].count("compare") == 2


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
    swept = python.sweep("epoch-time", vary={"epochs": "5..20"}, minimize=["paid"], **given)
    assert swept.columns.best["paid"][1] == {"epochs": 5}
    moved = python.sensitivity("epoch-time", **given, epochs=10)
    assert {"epochs", "compute"} <= {effect.lever.name for effect in moved.effects}
    marks = python.mark("epoch-time", answers={"paid": "3573 s"}, **given, epochs=10)
    assert marks.credit == 1
    with pytest.raises(python.DdcalcError, match="did you mean total"):
        python.solve("epoch-time", **EXAM, steps={"paid": "workers*totl"})
