"""Marks that people take away: of one answer behind a type, of an exam in versions, and a
gradebook."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from running import Ran, ddcalc
from tables import rows

HERE = Path(__file__).parent
PROBLEMS = HERE.parent / "problems"
EPOCHS = (
    "epoch-time", "--samples", "76800", "--batch", "1536", "--epochs", "10", "--workers", "6",
    "--download", "1.5s", "--compute", "4s", "--upload", "1.5s", "--aggregate", "15ms",
)  # fmt: skip
BEST = (*EPOCHS[:7], *EPOCHS[9:], "--find", "workers", "--where", "total < 5 min")
PLAYED = (
    "divergence", "--starts", "0.15s,0.2s,0.25s,0.5s", "--update", "0.2s", "--horizon", "0.6s",
)  # fmt: skip
JSON = ("--format", "json")
RING = ("ring-trace", "--vectors", "3 1; 5 9", "--op", "max")


def words(ran: Ran) -> str:
    """What was printed, on one line."""
    return " ".join(ran.out.split())


def book(ran: Ran) -> list[dict[str, str]]:
    """The rows of a CSV, by the names of its columns."""
    return list(csv.DictReader(StringIO(ran.out, newline="")))


# One answer


QUESTIONS = {
    "exam": EPOCHS, "exam --unit min": (*EPOCHS, "--unit", "min"), "find": BEST, "played": PLAYED,
    "ring": RING,
}  # fmt: skip


@pytest.mark.parametrize(("asked", "mine", "code", "says"), rows(HERE / "mine.tsv"))
def test_an_answer_behind_a_type(asked: str, mine: str, code: str, says: str) -> None:
    ran = ddcalc(*QUESTIONS[asked], "--mine", mine)
    assert (ran.code, ran.err) == (int(code), "")
    assert says in words(ran)
    assert "Given" not in ran.out


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


@pytest.mark.parametrize("row", rows(HERE / "versions.tsv"), ids=lambda row: row[0])
def test_versions_that_are_not_there(row: list[str], exam: Path, tmp_path: Path) -> None:
    says, table, *options = row
    ran = marked(exam, tmp_path, table, *options)
    assert ran.code == 2
    assert ran.err.count("error: ") == 1
    assert says in ran.err


# The gradebook


def test_a_row_a_student_with_what_a_gradebook_wants(tmp_path: Path) -> None:
    table = (
        "student,group,ps-epochs.total,ps-epochs.full_rounds,ps-breakeven,sync-step\n"
        'ann,7,595.5 s,83,67,"1,05 s"\n'
        "bob,8,9.925,84,,1.05 s\n"
    )
    ran = marked(PROBLEMS / "exam.yaml", tmp_path, table, "--format", "csv")
    assert ran.code == 2  # what cannot be read is told
    ann, bob = book(ran)
    assert [*ann] == [
        "student", "ps-epochs", "ps-breakeven", "fl-local-epochs",
        "async-same-operations", "async-same-time", "sync-step", "total", "of", "unread",
    ]  # fmt: skip
    assert [*ann.values()] == ["ann", "2", "1", "", "", "", "0", "3", "4", "1"]
    assert [*bob.values()] == ["bob", "0.5", "0", "", "", "", "1", "1.5", "4", "0"]
    each = marked(PROBLEMS / "exam.yaml", tmp_path, table, "--format", "csv", "--rows", "answers")
    assert len(book(each)) == 8
