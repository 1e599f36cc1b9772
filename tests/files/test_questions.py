"""Bounds that are held, reports of them, and what stands around the problems of several files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml
from running import ddcalc

from ddcalc.cli.formats import PAGES, Format

TOP = Path(__file__).resolve().parents[2]


def test_the_hook_calls_a_command_that_there_is() -> None:
    [hook] = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *call = hook["entry"].split()
    files = re.compile(hook["files"])
    names = ("problems/exam.yaml", "x/problems/a.yml", "a.ddcalc.yaml", "b.yml")
    matching = [name for name in names if files.search(name)]
    ran = ddcalc(*call, TOP / "problems" / "exam.yaml")
    assert (program, ran.code, len(matching)) == ("ddcalc", 0, 3)


def test_the_action_installs_and_solves() -> None:
    """Every input is used, and what it says reaches the shell through the environment only."""
    action = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
    steps = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite"
    used = str(steps)
    assert all(f"inputs.{name}" in used for name in action["inputs"])
    for step in steps:
        assert ("run" in step) == ("shell" in step)
        assert "${{" not in step.get("run", "")


TOTALS = "3 problems solved, 2 stated answers differ, 1 not solved"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sheets").mkdir()
    for name in ("bad.yaml", "good.yaml"):
        shutil.copy(Path(__file__).with_name(name), tmp_path / "sheets")
    monkeypatch.chdir(tmp_path)


def told(form: str, *more: str) -> str:
    ran = ddcalc("solve", "sheets", "--format", form, *more)
    assert ran.code == 2
    assert "Traceback" not in ran.err
    return ran.out


@pytest.mark.parametrize("steps", ["none", "full"])
@pytest.mark.parametrize("form", [form for form in PAGES if form not in ("json", "ndjson")])
def test_each_file_has_a_heading_and_all_have_totals(form: Format, steps: str) -> None:
    page = told(form, "--steps", steps).replace("{,}", ",")
    bad, good = (re.search(rf"sheets/{name}\\?.yaml", page) for name in ("bad", "good"))
    assert bad
    assert good
    assert bad.start() < page.index("4 s") < good.start()
    assert page.count(TOTALS) == 1
    assert page.index(TOTALS) > good.start()
    assert "expected" in page
    assert "claimed" in page
