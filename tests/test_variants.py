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
SHEETS = ("data-parallel", "divergence", "exam", "update-rules")


@pytest.mark.parametrize("name", SHEETS)
def test_files_of_variants_solve_and_agree(name: str, tmp_path: Path) -> None:
    target = tmp_path / "variants.yaml"
    ran = ddcalc("variants", PROBLEMS / f"{name}.yaml", "--count", "2", "--output", target)
    assert ran.code == 0, ran.err
    solved = ddcalc("solve", target, "--format", "json")
    assert solved.code == 0, solved.err
    problems = json.loads(solved.out)["problems"]
    assert len(problems) >= 4
    checks = [check for problem in problems for check in problem["checks"]]
    assert len(checks) >= len(problems)
    assert all(check["agrees"] and check["ours"] for check in checks)


def test_the_exam_and_its_key_are_two_files(tmp_path: Path) -> None:
    exam, key = tmp_path / "exam.md", tmp_path / "key.md"
    ran = ddcalc(
        "variants", EXAM, "sync-step", "--choices", "4", "--output", exam, "--key", key
    )  # fmt: skip
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


def test_the_right_option_is_the_answer() -> None:
    ran = ddcalc("variants", EXAM, "--choices", "5", "--format", "json", "--count", "4")
    for version in json.loads(ran.out)["versions"]:
        for question in version["questions"]:
            right = [option for option in question["options"] if option["right"]]
            assert [option["text"] for option in right] == [question["answer"]["text"]]
            texts = [option["text"] for option in question["options"]]
            assert len(set(texts)) == len(texts) >= 3
            assert all(option["slip"] for option in question["options"] if not option["right"])


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


PARTS = Path(__file__).parent / "golden" / "files" / "exam-parts.yaml"
LONG = "id: q\nparts:\n" + "".join(f"  - {{id: p{i}, formula: {i} s}}\n" for i in range(200))


@pytest.mark.parametrize("name", ["", "local-epochs", "two-backups", "few-values-or-few-bits"])
def test_versions_of_parts_solve_and_agree(name: str, tmp_path: Path) -> None:
    target = tmp_path / "variants.yaml"
    file = (PROBLEMS / "exercises.yaml", name) if name else (PARTS,)
    assert ddcalc("variants", *file, "--count", "3", "--output", target).code == 0
    solved = ddcalc("solve", target, "--format", "json")
    problems = json.loads(solved.out)["problems"]
    assert solved.code == 0
    assert len({str([x["answer"]["exact"] for x in one["parts"]]) for one in problems}) == 3
    checks = [part["checks"] for one in problems for part in one["parts"]]
    assert all(made and all(check["agrees"] for check in made) for made in checks)


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
