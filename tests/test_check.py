"""The verb ``check``: marks in every format, exit codes, files, and answers nobody should obey."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.ask.mark.following import Following
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import StatedAnswers
from ddcalc.files.answer_key import Key

FILES = Path(__file__).parent / "golden" / "files"
SHEET, CLASS = FILES / "sheet.yaml", FILES / "class.csv"
FORMATS = ("text", "csv", "markdown", "latex", "html", "json", "ndjson")


def answers(folder: Path, content: str, name: str = "answers.csv") -> Path:
    """A file of answers."""
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return file


def test_json_tells_students_and_class() -> None:
    ran = ddcalc("check", SHEET, CLASS, "--format", "json")
    assert ran.out.isascii()
    document = json.loads(ran.out)
    assert document["schema_version"] == 1
    ann = document["students"][0]
    assert (ann["student"], ann["credit"], ann["of"]) == ("ann", 1.0, 5)
    mark = ann["marks"][0]
    assert mark["right"]["exact"] == "1191/2"
    assert [slip["kind"] for slip in mark["slips"]] == ["term", "reading", "case", "case"]
    assert mark["slips"][0]["step"] == 7
    whole = document["class"]
    assert (whole["students"], whole["answers"], whole["slips"][0]["times"]) == (5, 25, 2)
    [updates] = [item for item in whole["questions"] if item["quantity"] == "updates"]
    assert (updates["verdicts"], updates["credit"]) == ({"wrong": 3, "right": 2}, 0.4)


MIXED = """
problems:
  - {id: right, type: speedup, given: {serial: 0.25, processors: 9}, claimed: {speedup: 3}}
  - {id: wrong, type: speedup, given: {serial: 0.25, processors: 9}, claimed: {speedup: 4.5}}
  - id: given
    type: speedup
    given: {serial: 0.25, processors: 9}
    claimed: {processors: 9, speedup: 3}
  - id: found
    type: speedup
    find: processors
    where: speedup >= 3
    given: {serial: 0.25}
    claimed: {serial: 0.25, processors: 10}
  - {id: no-number, type: speedup, given: {serial: 0.25, processors: many}, claimed: {speedup: 3}}
  - {id: no-type, type: sppedup, given: {serial: 0.25, processors: 9}, claimed: {speedup: 3}}
  - {id: no-result, type: speedup, given: {serial: 0.25, processors: 9}, claimed: {velocity: 3}}
  - id: unread
    type: speedup
    given: {serial: 0.25, processors: 9}
    claimed: {speedup: about three, efficiency: 1/3}
  - {id: no-list, type: speedup, given: {serial: 0.25, processors: 9}, claimed: {speedup: [3, 4]}}
  - id: last
    type: sync-step
    given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}
    claimed: {total: 4 s}
"""
VERDICTS = [
    ("right", "right"), ("wrong", "wrong"), ("given", "right"), ("found", "wrong"),
    ("unread", "right"), ("last", "right"),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_a_broken_claim_costs_its_own_problem_only(form: str, tmp_path: Path) -> None:
    """What can be marked is marked, the document is whole, and the exit code says the rest."""
    ran = ddcalc("check", answers(tmp_path, MIXED, "sheet.yaml"), "--format", form)
    assert (ran.code, ran.err.count("error: ")) == (2, 7)
    assert "processors is given, so it is not an answer" in ran.err
    assert "problem given, processors" in ran.err
    if form in ("csv", "json", "ndjson"):
        if form == "csv":
            marks = [*csv.DictReader(StringIO(ran.out, newline=""))]
        else:
            lines = ran.out.splitlines() if form == "ndjson" else [ran.out]
            objects = [json.loads(line) for line in lines]
            students = [one for made in objects for one in made.get("students", [made])]
            marks = [mark for one in students for mark in one.get("marks", ())]
        assert [(mark["problem"], mark["verdict"]) for mark in marks] == VERDICTS
        return
    assert ran.out.rstrip().endswith({"html": "</html>", "latex": "\\end{document}"}.get(form, ""))
    assert all(problem in ran.out for problem, _ in VERDICTS)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bug_costs_its_student_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """What was marked before stays."""
    marks = Key.marks

    def broken(key: Key, stated: StatedAnswers, _: Following | None) -> Iterator[Mark]:
        yield from marks(key, stated)
        if any(getattr(one, "text", "") == "84" for one, _ in stated.values()):
            raise ZeroDivisionError

    monkeypatch.setattr(Key, "marks", broken)
    handed = answers(tmp_path, "student,ps-epochs\nann,595.5 s\nbob,84\ncid,588 s\n")
    ran = ddcalc("check", SHEET, handed, "--format", form)
    assert ran.code == 70
    assert "a bug in ddcalc, please report it: ZeroDivisionError" in ran.err
    assert "ann" in ran.out
    assert "cid" in ran.out
