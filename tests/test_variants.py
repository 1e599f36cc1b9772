"""The verb ``variants``: problem files that solve, exams and keys, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.errors import BadTarget
from ddcalc.render import exam as sheets

PROBLEMS = Path(__file__).parents[1] / "problems"
EXAM = PROBLEMS / "exam.yaml"
PARTS = Path(__file__).parent / "golden" / "files" / "exam-parts.yaml"
LONG = "id: q\nparts:\n" + "".join(f"  - {{id: p{i}, formula: {i} s}}\n" for i in range(200))
FILES = [(name,) for name in ("data-parallel", "divergence", "exam", "update-rules")]
FILES += [("exercises", id) for id in ("two-backups", "few-values-or-few-bits")]


@pytest.mark.parametrize("file", FILES)
def test_files_of_variants_solve_and_agree(file: tuple[str, ...], tmp_path: Path) -> None:
    target, (name, *ids) = tmp_path / "variants.yaml", file
    ran = ddcalc("variants", PROBLEMS / f"{name}.yaml", *ids, "--count", "2", "--output", target)
    assert ran.code == 0, ran.err
    solved = ddcalc("solve", target, "--format", "json")
    assert solved.code == 0, solved.err
    problems = json.loads(solved.out)["problems"]
    asked = [part for problem in problems for part in problem.get("parts") or [problem]]
    answers = [part["answer"]["exact"] for part in asked]
    assert answers[: len(asked) // 2] != answers[len(asked) // 2 :]
    assert all(check["agrees"] for part in asked for check in part["checks"])
    assert all(part["checks"] for part in asked)


def test_the_exam_and_its_key_are_two_files(tmp_path: Path) -> None:
    exam, key = tmp_path / "exam.md", tmp_path / "key.md"
    ran = ddcalc("variants", EXAM, "sync-step", "--choices=4", "--output", exam, "--key", key)
    assert (ran.code, ran.out) == (0, "")
    questions, answers = exam.read_text(encoding="utf-8"), key.read_text(encoding="utf-8")
    assert "leaving out" not in questions
    assert "Answer" not in questions
    assert answers.count("**Answer**") == 10
    assert answers.count("**Right option** · ") == 10
    assert len(re.findall(r"^- [A-D]\\?\)", questions, re.MULTILINE)) == 40
    assert len(re.findall(r"^- [A-D]\\?\)", answers, re.MULTILINE)) == 30


def test_neither_exam_nor_key_is_replaced_where_the_key_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_item: object, _number: int) -> None:
        raise BadTarget("is away")

    files = [tmp_path / "exam.md", tmp_path / "key.md"]
    for file in files:
        file.write_text("old")
    monkeypatch.setattr(sheets, "working", failing)
    names = ("--output", files[0], "--key", files[1], "--force")
    ran = ddcalc("variants", EXAM, "sync-step", "--count", "2", *names)
    assert (ran.code, ran.err.count("wrote ")) == (2, 0)
    assert [file.read_text() for file in files] == ["old", "old"]
    assert len([*tmp_path.iterdir()]) == 2


TWO = """
problems:
  - id: ps
    title: %s
    type: epoch-time
    given: {samples: 76800, batch: 1536, epochs: 10, workers: 6, download: 1.5 s, compute: 4 s,
      upload: 1.5 s, aggregate: 15 ms}
  - id: step
    title: 'A "quoted" <b>title</b> \\a & é😀, figure 7'
    type: sync-step
    given: {finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}
"""


def test_no_version_misses_a_question(tmp_path: Path) -> None:
    sheet, target = tmp_path / "sheet.yaml", tmp_path / "out.yaml"
    sheet.write_text(TWO % "Epochs")
    call = ("variants", sheet, "--count", "40", "--output", target, "--vary")
    for vary, says in {
        "update": "'ps' has nothing that is to vary",
        "samples,update": "'ps' leads to no variant",
    }.items():
        ran = ddcalc(*call, vary)
        assert (ran.code, target.exists()) == (2, False)
        assert f"error: {says}" in ran.err
    ran = ddcalc(*call, "epochs,update")
    assert "note: ps: 2 of 40 variants: " in ran.err
    made = target.read_text()
    assert made.count("  - id: ps-") == made.count("  - id: step-") == 2


def test_variants_ask_what_the_question_asks(tmp_path: Path) -> None:
    """``quantity`` stays, and what is sought besides is worked out in the key too."""
    sheet, exam = tmp_path / "sheet.yaml", tmp_path / "exam.yaml"
    sheet.write_text(
        (TWO % "").replace("    type: sync-step", "    type: sync-step\n    quantity: idle")
    )
    assert ddcalc("variants", sheet, "step", "--count=3", "--output", exam).code == 0
    problems = json.loads(ddcalc("solve", exam, "--format=json").out)["problems"]
    assert [[*problem["quantities"]] for problem in problems] == [["idle"]] * 3


def test_how_a_part_alone_is_read_stands_in_it() -> None:
    """Part (b) has epochs that end with a barrier, and others that do not."""
    file = PROBLEMS / "exam-parts.yaml"
    ran = ddcalc("variants", file, "exam-parameter-server", "--count", "1", "--format", "text")
    head, first, cases, *_ = re.split(r"\n\([a-f]\) ", ran.out)
    assert ["mix epochs" in one for one in (head, first, cases)] == [False, True, False]


def test_a_wrong_question_does_not_cost_the_others(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.yaml"
    given = "given: {finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}"
    sheet.write_text(
        f"problems:\n  - {{id: good, type: sync-step, {given}}}\n"
        "  - {id: bad, type: sync-step, given: {finish: 1}}\n"
    )
    ran = ddcalc("variants", sheet, "--count", "1")
    assert ran.code == 2
    assert "id: good-1" in ran.out
    assert "missing: aggregate, update" in ran.err
    assert ddcalc("variants", sheet, "good", "--count", "1").code == 0


def test_a_paper_and_its_key_name_the_students(tmp_path: Path) -> None:
    paper, key, names = (tmp_path / name for name in ("exam.html", "key.json", "class.csv"))
    names.write_text("name,id\nAda <b>,1\nAlan,2\nGrace,3\n")
    call = ("variants", PARTS, "--count", "2", "--names", names, "--output", paper, "--key", key)
    assert ddcalc(*call).code == 0
    page = paper.read_text(encoding="utf-8")
    assert [page.count(one) for one in ("Ada &lt;b&gt;", "Alan", "<b>", "Antwort")] == [1, 1, 0, 15]
    versions = json.loads(key.read_text(encoding="utf-8"))["versions"]
    assert [[one["number"] for one in x["students"]] for x in versions] == [["1", "3"], ["2"]]


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("--names", "id\n1\n", "a column called name"),
        ("--names", "name\n", "lists no students"),
        ("--names", "name\nann\nann\n", "'ann' is given more than once"),
        ("--words", 'Anser = "x"', "did you mean 'Answer'"),
        ("--words", "Answer = 1", "Answer is one text"),
        ("--words", "=", "is no TOML"),
        ("", LONG, "are too many; at most"),
    ],
)
def test_what_no_exam_is_made_of(option: str, text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    ran = ddcalc("variants", *((PARTS, option, file) if option else (file, "--count", "1000")))
    assert (ran.code, ran.out, says in ran.err) == (2, "", True), ran.err
