"""The verb ``check``: marks in every format, exit codes, files, and answers nobody should obey."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from running import Ran, ddcalc

from ddcalc.ask.mark.grading import Mark
from ddcalc.files.answer_key import Key, StatedAnswers

FILES = Path(__file__).parent / "golden" / "files"
SHEET, CLASS, THREE = FILES / "sheet.yaml", FILES / "class.csv", FILES / "three.yaml"
FORMATS = ("text", "csv", "markdown", "latex", "html", "json", "ndjson")


def table(ran: Ran) -> list[dict[str, str]]:
    """The rows of a CSV, by the names of its columns."""
    return list(csv.DictReader(StringIO(ran.out, newline="")))


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
    assert (whole["students"], whole["answers"]) == (5, 25)
    assert whole["slips"][0]["times"] == 2
    [updates] = [item for item in whole["questions"] if item["quantity"] == "updates"]
    assert updates["verdicts"] == {"wrong": 3, "right": 2}
    assert updates["credit"] == 0.4


@pytest.mark.parametrize(
    ("call", "text", "lines"),
    [([str(SHEET), "-"], "student,ps-epochs\nann,596 s\n", 2),
     (["-", str(THREE)], SHEET.read_text(encoding="utf-8"), 4)],
)  # fmt: skip
def test_standard_input(call: list[str], text: str, lines: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ddcalc", "check", *call, "--format", "csv"],
        input=text, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.count("\n")) == (0, lines)


BROKEN = """
problems:
  - id: good
    type: sync-step
    given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}
    %s
  - id: bad
    type: sync-step
    given: {finish: [1 s, 2 sek], aggregate: 1 s, update: 1 s}
"""


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
  - id: no-relation
    type: speedup
    find: processors
    where: speedup above 3
    given: {serial: 0.25}
    claimed: {processors: 9}
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
    assert ran.code == 2
    assert ran.err.count("error: ") == 8
    assert "processors is given, so it is not an answer" in ran.err
    assert "problem given, processors" in ran.err
    if form == "csv":
        document = [(row["problem"], row["verdict"]) for row in table(ran)]
    elif form == "json":
        students = json.loads(ran.out)["students"]
        document = [
            (mark["problem"], mark["verdict"]) for item in students for mark in item["marks"]
        ]
    elif form == "ndjson":
        lines = [json.loads(line) for line in ran.out.splitlines()]
        marks = [mark for line in lines for mark in line.get("marks", ())]
        document = [(mark["problem"], mark["verdict"]) for mark in marks]
    else:
        assert ran.out.rstrip().endswith(
            {"html": "</html>", "latex": "\\end{document}"}.get(form, "")
        )
        assert all(problem in ran.out for problem, _ in VERDICTS)
        return
    assert document == VERDICTS


def test_an_expectation_that_differs_is_told(tmp_path: Path) -> None:
    content = (BROKEN % "expect: {total: 5 s}").partition("  - id: bad")[0]
    sheet = answers(tmp_path, content, "sheet.yaml")
    ran = ddcalc("check", sheet, answers(tmp_path, "student,good\nann,4 s\n"))
    assert ran.code == 1
    assert "note: good: total differs from what the sheet expects" in ran.err
    assert "✓" in ran.out


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bug_costs_its_student_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """What was marked before stays."""
    marks = Key.marks

    def broken(key: Key, stated: StatedAnswers) -> Iterator[Mark]:
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


def test_memory_does_not_grow_with_the_students(tmp_path: Path) -> None:
    """A student a row is marked and told before the next one is read."""

    def peak(students: int) -> int:
        """Kilobytes that marking so many students takes."""
        lines = "".join(f"s{i},588.47 s,67\n" for i in range(students))
        file = answers(tmp_path, f"student,ps-epochs,ps-breakeven\n{lines}", f"{students}.csv")
        code = (
            "import sys, resource; from ddcalc.cli.main import run;"
            f"run(['check', {str(SHEET)!r}, {str(file)!r}, '--format', 'ndjson']);"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        call = [sys.executable, "-c", code]
        done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True)
        assert done.stdout.count("\n") == students + 1
        return int(done.stderr)

    assert peak(900) < peak(50) + 4_000
