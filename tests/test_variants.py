"""The verb ``variants``: problem files that solve, exams and keys, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from questions import TYPES, Kind, command
from running import ddcalc

PROBLEMS = Path(__file__).parents[1] / "problems"
EXAM = PROBLEMS / "exam.yaml"
SHEETS = (
    "data-parallel",
    "divergence",
    "exam",
    "readings",
    "staleness",
    "stragglers",
    "update-rules",
)


@pytest.mark.parametrize("name", SHEETS)
def test_files_of_variants_solve_and_agree(name: str, tmp_path: Path) -> None:
    target = tmp_path / "variants.yaml"
    ran = ddcalc("variants", PROBLEMS / f"{name}.yaml", "--count", "3", "--output", target)
    assert ran.code == 0, ran.err
    solved = ddcalc("solve", target, "--format", "json")
    assert solved.code == 0, solved.err
    problems = json.loads(solved.out)["problems"]
    assert len(problems) >= 6
    checks = [check for problem in problems for check in problem["checks"]]
    assert len(checks) >= len(problems)
    assert all(check["agrees"] and check["ours"] for check in checks)


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_a_type_with_its_givens(problem: Kind, tmp_path: Path) -> None:
    ran = ddcalc("variants", *command(problem), "--count", "2", "--seed", "4")
    assert ran.code == 0, ran.err
    target = tmp_path / "sheet.yaml"
    target.write_text(ran.out, encoding="utf-8")
    assert ddcalc("solve", target).code == 0
    assert ran.out.count(f"type: {problem.slug}") == 2


def test_a_type_may_say_itself_what_is_as_difficult() -> None:
    """Of a run with stale gradients it is which conditions hold, not how far the run gets."""
    made = ["--low", "1", "--high", "4", "--alpha", "0.2", "--beta", "0.1", "--ages", "3"]
    ran = ddcalc("variants", "staleness", *made, "--count", "6", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    versions = json.loads(ran.out)["versions"]
    assert len(versions) == 6
    for version in versions:
        [question] = version["questions"]
        values = {name: result["value"] for name, result in question["quantities"].items()}
        a, b, alpha, beta = (values[name] for name in ("low", "high", "alpha", "beta"))
        stale = sum(alpha * beta**age for age in range(1, int(values["ages"])))
        assert alpha < 1 / b
        assert 0 < stale < a / (2 * b) * alpha


def test_the_whole_sheet_is_asked_in_versions() -> None:
    out = ddcalc("variants", EXAM, "--count", "30", "--seed", "7", "--format", "markdown").out
    assert re.findall("^# (.*)$", out, re.MULTILINE) == [f"Version {i}" for i in range(1, 31)]
    assert len(re.findall("^## ", out, re.MULTILINE)) == 30 * 6
    assert "**Find** · $T$ (total), in s" in out
    assert "batches of all epochs stand in one queue" in out


def test_variants_do_not_depend_on_the_count() -> None:
    few = ddcalc("variants", EXAM, "ps-epochs", "--count", "2", "--choices", "4").out
    more = ddcalc("variants", EXAM, "ps-epochs", "--count", "5", "--choices", "4").out
    assert more.startswith(few)


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


def test_the_right_option_is_the_answer() -> None:
    ran = ddcalc("variants", EXAM, "--choices", "5", "--format", "json", "--count", "4")
    for version in json.loads(ran.out)["versions"]:
        for question in version["questions"]:
            right = [option for option in question["options"] if option["right"]]
            assert [option["text"] for option in right] == [question["answer"]["text"]]
            texts = [option["text"] for option in question["options"]]
            assert len(set(texts)) == len(texts) >= 3
            assert all(option["slip"] for option in question["options"] if not option["right"])


def test_the_key_has_the_working() -> None:
    out = ddcalc("variants", EXAM, "ps-epochs", "--count", "2", "--format", "key").out
    assert out.startswith("Key\n\nversion  answer\n1")
    assert "Version 2 (ps-epochs-2)" in out
    assert out.count("t_full = t_down + t_comp + t_up + m·t_agg") == 2


RING = ["ring-trace", "--vectors", "3 1 7 2; 5 0 4 6; 2 2 8 1; 9 3 0 5", "--op", "max"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_a_question_shows_all_that_is_given(form: str) -> None:
    """Sixteen values are shown in full; that none of them changes the steps is told."""
    ran = ddcalc("variants", *RING, "--count", "1", "--format", form)
    assert "…" not in ran.out
    assert "dots" not in ran.out
    numbers = re.findall(
        r"[0-9.]+", ran.out.partition("Processes")[0].rpartition("process after")[2]
    )
    assert len(numbers) == 16
    said = "none of the numbers tried changes what is asked (steps)"
    assert said in ran.err


def test_fewer_than_wanted_are_a_note() -> None:
    ran = ddcalc("variants", EXAM, "ps-epochs", "--vary", "batch", "--count", "50")
    assert ran.code == 0
    assert re.match(r"note: ps-epochs: \d+ of 50 variants: no other numbers", ran.err)


def test_none_at_all_write_nothing(tmp_path: Path) -> None:
    sheet, target = tmp_path / "sheet.yaml", tmp_path / "out.yaml"
    sheet.write_text(
        "id: x\ntype: sync-step\ngiven: {finish: [0 s, 0 s], aggregate: 0 s, update: 0 s}\n"
    )
    ran = ddcalc("variants", sheet, "--output", target)
    assert ran.code == 0
    assert ran.err.startswith("note: x: 0 of 10 variants")
    assert not target.exists()


def test_several_questions_keep_what_they_have() -> None:
    out = ddcalc("variants", EXAM, "--vary", "workers,finish", "--count", "2").out
    assert re.findall("type: (.*)", out) == ["epoch-time", "sync-step"] * 2
    assert out.count("samples: 76800") == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--count", "0"], "greater than or equal to 1"),
        (["--count", "9" * 5000], "exceeded maximum size"),
        (["--count", "1e3"], "valid integer"),
        (["--seed", "-1"], "greater than or equal to 0"),
        (["--digits", "16"], "less than or equal to 15"),
        (["--choices", "1"], "greater than or equal to 2"),
        (["--choices", "9"], "less than or equal to 8"),
        (["--format", "pdf"], "pdf"),
        (["--seed", "1", "--seed", "2"], "given more than once"),
        (["--keep", "\x1b[31m"], "unknown given '\\x1b[31m'"),
        (["--vary", ""], "unknown given ''"),
        (["--keep", "samples,,batch"], "unknown given ''"),
        (["--output", "exam.svg"], "its suffix says no format"),
        (["--key", "key.yaml"], "its suffix says no format"),
        (["--output", "exam.md", "--format", "latex"], "contradict each other"),
        (["--output", "a\0.md"], "is no name for a file"),
        (["--force"], "--force goes with"),
    ],
)
def test_what_is_refused(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = ddcalc("variants", EXAM, "ps-epochs", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in " ".join(ran.err.split())
    assert "Traceback" not in ran.err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    ran = ddcalc("variants", EXAM, "--output", tmp_path / "none" / "exam.tex")
    assert (ran.code, ran.out) == (3, "")
    assert "its folder does not exist" in ran.err


def test_files_that_must_stay(tmp_path: Path) -> None:
    sheet, other = tmp_path / "sheet.yaml", tmp_path / "other.md"
    shutil.copy(EXAM, sheet)
    other.write_text("mine")
    for call in (
        ["--output", sheet, "--force"],
        ["--output", other],
        ["--key", other],
        ["--output", tmp_path / "one.md", "--key", tmp_path / "." / "one.md"],
    ):
        assert ddcalc("variants", sheet, "ps-epochs", *call).code == 2
    assert other.read_text() == "mine"
    assert sheet.read_bytes() == EXAM.read_bytes()
    assert not (tmp_path / "one.md").exists()


def test_wrong_words() -> None:
    assert "unknown id 'nope'" in ddcalc("variants", EXAM, "nope").err
    assert "unknown problem type or file" in ddcalc("variants", "no-such-file").err
    assert "cannot open the file" in ddcalc("variants", "no-such-file.yaml").err
    assert "missing: --batch" in ddcalc("variants", "epoch-time", "--samples", "8").err
    assert ddcalc("variants", "epoch-time", "x", "--samples", "8").code == 2
    assert ddcalc("variants").code == 2


def test_hostile_titles_and_ids_stay_out_of_the_exam(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.yaml"
    given = "given: {finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}"
    sheet.write_text(
        f'problems:\n  - id: {"a" * 64}\n    type: sync-step\n    title: "<b>\\\\input{{x}}"\n'
        f"    {given}\n  - type: sync-step\n    {given}\n"
    )
    target = tmp_path / "out.yaml"
    ran = ddcalc("variants", sheet, "--count", "2", "--output", target)
    assert ran.code == 0, ran.err
    assert ddcalc("solve", target).code == 0
    out = ddcalc("variants", sheet, "--count", "2", "--format", "latex").out
    assert "input{x}" not in out


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


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_compiles(tmp_path: Path) -> None:
    exam, key = tmp_path / "exam.tex", tmp_path / "key.tex"
    sheet = (EXAM, "--count", "2", "--choices", "4")
    assert ddcalc("variants", *sheet, "--output", exam, "--key", key).code == 0
    for name in ("exam.tex", "key.tex"):
        ran = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stdout[-2000:]
        assert "Overfull \\hbox" not in ran.stdout
