"""Bounds that are held, reports of them, and what stands around the problems of several files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from running import ddcalc

from ddcalc.cli.formats import PAGES, Format

TRAINING = (
    "training-time", "--parameters", "7B", "--tokens", "1T", "--devices", "256",
    "--achieved", "400TFLOP/s",
)  # fmt: skip
BOUNDED = """\
problems:
  - id: run
    type: training-time
    given: {parameters: 7B, tokens: 1T, devices: 256, achieved: 400 TFLOP/s}
    expect:
      needed: "> 1e20 FLOP"
      time: BOUND
  - id: wrong
    type: transfer
    given: {size: "5 MB, 100%", bandwidth: 1 GB/s}
"""


@pytest.mark.parametrize(
    ("bound", "code", "says"),
    [
        ("time <= 5 d", 0, "≈ 4.747 d ≤ 5 d: holds, 5.1 % below"),
        ("time < 4 d", 1, "≈ 4.747 d > 4 d: does not hold, 19 % above"),
        ("needed >= 4.2e22 FLOP", 0, "4.2×10²² FLOP ≥ 4.2×10²² FLOP: holds, just equal"),
        ("needed < 4.2e22 FLOP", 1, "4.2×10²² FLOP = 4.2×10²² FLOP: does not hold, just equal"),
        ("devices > 0", 0, "256 > 0: holds"),
        ("time <= 10 d", 0, "≈ 4.747 d ≤ 10 d: holds"),
        ("time <= 48 h*2", 1, "≈ 113.9 h > 96 h: does not hold, 19 % above"),
        ("time - 2 d <= 0", 1, "≈ 2.747 d > 0 d: does not hold"),
    ],
)
def test_a_bound_holds_or_not(bound: str, code: int, says: str) -> None:
    ran = ddcalc(*TRAINING, "--assert", bound)
    last = " ".join(ran.out[ran.out.rindex("Stated") :].split())
    shown = last.replace("\u202f", " ").replace("\xa0", " ")
    assert (ran.code, shown.endswith(says)) == (code, True), shown
    plain = ddcalc(*TRAINING, "--assert", bound, "--quantity", "time")
    assert (plain.code, plain.out[-2:]) == (code, "s\n")
    assert plain.err.endswith(f"{says}\n")
    [check] = json.loads(ddcalc(*TRAINING, "--assert", bound, "--format", "json").out)["checks"]
    assert (check["agrees"], check["says"]) == (not code, says)


def reported(folder: Path, bound: str, form: str) -> tuple[int, str]:
    file = folder / "a,b.yaml"
    file.write_text(BOUNDED.replace("BOUND", bound), encoding="utf-8")
    ran = ddcalc("solve", file, "--format", form)
    return ran.code, ran.out.replace(str(folder), ".")


def test_a_bound_in_a_file(tmp_path: Path) -> None:
    code, out = reported(tmp_path, '"<= 4 d"', "text")
    assert code == 2  # the other problem is wrong, which is graver
    assert "expected 1 of 2 ✗" in out
    assert "expected time ≤ 4 d  ✗" in out
    code, out = reported(tmp_path, '"~= 4 d"', "text")
    assert (code, "not solved" in out) == (2, True)


def test_a_report_for_junit(tmp_path: Path) -> None:
    _, out = reported(tmp_path, '"<= 4 d"', "junit")
    root = ElementTree.fromstring(out)
    [suite] = root
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["2", "1", "1"]
    run, wrong = suite
    assert (run.get("name"), run.get("line"), run[0].tag) == ("run", "2", "failure")
    assert (wrong.get("name"), wrong.get("line"), wrong[0].tag) == ("wrong", "8", "error")
    written = tmp_path / "report.xml"
    ddcalc("solve", tmp_path / "a,b.yaml", "--format", "junit", "--output", written)
    assert ElementTree.parse(written).getroot()[0].get("failures") == "1"
    right = ElementTree.fromstring(reported(tmp_path, '"<= 5 d"', "junit")[1])
    assert right.get("failures") == "0"


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


EVENS = """problems:
  - {id: a, type: breakeven, given: &g {download: 1 s, compute: 4 s, upload: 1 s, aggregate: 15 ms},
     expect: {workers: 134}, claimed: {workers: 133}}
  - {id: b, title: "<b> & \\"B\\"", type: breakeven,
     given: {download: 1 s, compute: 4 s, upload: 2 s, aggregate: 15 ms}}
""".replace("&g ", "")
BAD = """problems:
  - {id: c, type: sync-step, given: {finish: [1 s]}}
  - {id: d, type: sync-step, given: {finish: [1 s], aggregate: 1 s, update: 1 s},
     expect: {total: 4 s}}
"""
TOTALS = "3 problems solved, 2 stated answers differ, 1 not solved"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sheets").mkdir()
    (tmp_path / "sheets" / "bad.yaml").write_text(BAD)
    (tmp_path / "sheets" / "good.yaml").write_text(EVENS)
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


def test_one_problem_has_neither() -> None:
    Path("one.yaml").write_text(BAD.replace("\n  - {id: c", "\n  # {id: c"))
    ran = ddcalc("solve", "one.yaml", "--format", "markdown")
    assert ran.code == 1
    assert "solved" not in ran.out
