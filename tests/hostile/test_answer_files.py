"""Hostile answers of students: each file ends with a required exit code and a clean message."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from harness import call, ends_well, strict_json, strict_lines
from tables import rows

ROOT = Path(__file__).parents[2]
SHEET = ROOT / "tests" / "golden" / "files" / "sheet.yaml"


TABLE = "student,ps-epochs\n"
HERE = Path(__file__).parent
ANSWERS: dict[str, tuple[str | bytes, int, str]] = {  # a file, the exit code, and words of errors
    **{name: (text, int(code), says) for name, code, says, text in rows(HERE / "answers.tsv")},
    "Latin-1": ("student,ps-epochs\nJos\xe9,596 s\n".encode("latin-1"), 2, "UTF-8"),
    "many that are none": (TABLE + "".join(f"s{i},x{i}\n" for i in range(500)), 2, "and 450 more"),
    **{
        f"{count} columns": ("student," + ",".join(f"c{i}" for i in range(count)) + "\n", 2, says)
        for count, says in ((11_000, "10000 are allowed"), (9_000, "and 8950 more"))
    },
}


def written(folder: Path, content: str | bytes, name: str) -> Path:
    """A file with *content*."""
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


@pytest.mark.parametrize("name", ANSWERS)
def test_files_of_answers(name: str, tmp_path: Path) -> None:
    content, code, says = ANSWERS[name]
    suffix = ".yaml" if name.startswith("YAML") else ".csv"
    ran = call("check", SHEET, written(tmp_path, content, f"answers{suffix}"))
    ends_well(ran, code)
    assert says in ran.err, ran.err[:500]


FORMULAS = ("4*eta*Delta", "4ηΔ", "4", "Delta", "sin(x)", "4*eta*Delta*" * 50, "__import__('os')",
            "eta**9**9", "4*eta*Delta s", "")  # fmt: skip
PLAYED = ("18", "-1", "18 s", "10^30", "1/3", "18, 18", "none")


@pytest.mark.parametrize(
    ("question", "answers"),
    [("{id: a, type: divergence, given: {starts: [0.15 s, 0.2 s], update: 0.2 s, horizon: 1 s}}",
      FORMULAS),
     ("{id: a, type: timeline, given: {periods: [1 s, 2 s, 4 s], horizon: 24 s}}", PLAYED),
     ("{id: a, type: sync-step, find: update, where: total <= 1 s,"
      " given: {finish: [0.5 s], aggregate: 0.3 s}}", ("0.2 s", "0.1 s", "-1 s", "1e60 s", "x"))],
    ids=["formulas", "played", "unknown"],
)  # fmt: skip
def test_answers_to_other_kinds(question: str, answers: Sequence[str], tmp_path: Path) -> None:
    sheet = written(tmp_path, question, "sheet.yaml")
    table = StringIO()
    csv.writer(table).writerows([("student", "a"), *enumerate(answers)])
    handed = written(tmp_path, table.getvalue(), "answers.csv")
    ran = call("check", sheet, handed, "--format=csv", "--rows=answers")
    ends_well(ran, 2 if "error" in ran.err else 0)
    rows = list(csv.DictReader(StringIO(ran.out)))
    assert [row["student"] for row in rows] == [str(i) for i in range(len(answers))]
    assert rows[0]["verdict"] in ("right", "wrong")
    assert {row["credit"] for row in rows} <= {"0", "0.5", "1"}


NUMBERS = (
    "1e999999999", "9**9**9", "1/0", "nan", "inf", "-0", "0x10", "017", "1:30", "\uff11\uff12",
    "595.5 GB", "595.5 s s", "595.5 secnd", "1e-60 s", "1e60 s", "=595.5", '"595,5"', "'595.5",
    "ca. 596", "∞", "+595.5", "-595.5", "1_000", "595 500 ms", "yes", "{}", "[1]", "4*eta*Delta",
    "595.50000000000000000000000000000000000001 s",
)  # fmt: skip


@pytest.mark.parametrize("form", ["text", "csv", "json", "ndjson"])
def test_no_answer_gets_lost(form: str, tmp_path: Path) -> None:
    """Every student stands in the marks, read or not; nothing is obeyed."""
    lines = "".join(f"student{i},{text}\n" for i, text in enumerate(NUMBERS))
    rows = ["--rows=answers"] if form == "csv" else []
    handed = written(tmp_path, TABLE + lines, "answers.csv")
    ran = call("check", SHEET, handed, "--format", form, *rows)
    ends_well(ran, 2)
    for i in range(len(NUMBERS)):
        assert f"student{i}" in ran.out
    if form == "json":
        students = strict_json(ran.out)["students"]
        assert {mark["verdict"] for one in students for mark in one["marks"]} >= {"unread", "wrong"}
    if form == "ndjson":
        assert len(strict_lines(ran.out)) == len(NUMBERS) + 1
    if form == "csv":
        cells = [cell for row in csv.reader(StringIO(ran.out)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
