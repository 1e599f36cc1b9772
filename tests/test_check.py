"""The verb check and marks that people take away: of one answer behind a type, of an exam in
versions, in every format, and a gradebook."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from running import Ran, ddcalc

from ddcalc.ask.mark.following import Following
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import StatedAnswers
from ddcalc.files.answer_key import Key

FILES = Path(__file__).parent / "golden" / "files"
SHEET = FILES / "sheet.yaml"


def answers(folder: Path, content: str, name: str = "answers.csv") -> Path:
    """A file of answers."""
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return file


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


HERE = Path(__file__).parent
PROBLEMS = HERE.parent / "problems"
JSON = ("--format", "json")


def book(ran: Ran) -> list[dict[str, str]]:
    """The rows of a CSV, by the names of its columns."""
    return list(csv.DictReader(StringIO(ran.out, newline="")))


# An exam in versions


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three versions of the exam's questions, as ``variants`` writes them."""
    file = tmp_path_factory.mktemp("exam") / "versions.yaml"
    assert ddcalc("variants", PROBLEMS / "exam.yaml", "--count", "3", "--output", file).code == 0
    return file


@pytest.fixture(scope="module")
def right(exam: Path) -> dict[str, str]:
    """The right answers of the solved versions, by id."""
    problems = json.loads(ddcalc("solve", exam, *JSON).out)["problems"]
    return {x["id"]: f"{x['answer']['exact']} {x['answer']['unit']}" for x in problems}


def marked(exam: Path, folder: Path, table: str, *options: str) -> Ran:
    """What ``check`` prints of the answers in *table*."""
    file = folder / "answers.csv"
    file.write_text(table, encoding="utf-8")
    return ddcalc("check", exam, file, *options)


def line(*cells: str) -> str:
    """A line of a table."""
    made = StringIO()
    csv.writer(made).writerow(cells)
    return made.getvalue()


def test_everybody_is_marked_by_the_own_version(
    exam: Path, right: dict[str, str], tmp_path: Path
) -> None:
    """The right answers of each version, one student a row and one answer a row; in another
    version they are not all right."""
    bases = [*dict.fromkeys(name.rpartition("-")[0] for name in right)]
    for version in ("Version 2", "v03"):
        number = int(version[-1])
        answers = [right[f"{base}-{number}"] for base in bases]
        wide = line("student", "version", *bases) + line("ann", version, *answers)
        long = line("student", "version", "problem", "answer") + "".join(
            line("ann", version, base, answer) for base, answer in zip(bases, answers, strict=True)
        )
        for table in (wide, long):
            ran = marked(exam, tmp_path, table, "--format", "csv")
            assert (ran.code, ran.err) == (0, "")
            [row] = book(ran)
            assert row["version"] == str(number)
            assert (row["total"], row["of"], row["unread"]) == ("6", "6", "0")
            assert [row[base] for base in bases] == ["1"] * 6
    other = wide.replace("v03", "1")
    [row] = book(marked(exam, tmp_path, other, "--format", "csv"))
    assert int(row["total"]) < 6
