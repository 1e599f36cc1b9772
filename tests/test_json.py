"""JSON that scripts rely on: files, errors, nulls, symbols, huge numbers, order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from running import Ran, ddcalc


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
    assert "3 s: Not met: the whole step = 7 s > 6.5 s, 7.7 % above." in says
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
