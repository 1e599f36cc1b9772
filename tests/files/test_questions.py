"""What is wrong with a problem is told all at once, at its place; bounds that are held, reports of
them, and what stands around the problems of several files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from running import ddcalc
from sheets import located, read_sheet

from ddcalc.cli.formats import PAGES, Format
from ddcalc.files.batch import Solved

STEP = "type: sync-step\ngiven: {finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}\n"

Told = tuple[str, int, int]


def flow(identity: str, **more: str) -> str:
    """One solvable problem on one line, with *more* entries or others instead."""
    entries = {
        "id": identity,
        "type": "sync-step",
        "given": "{finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}",
        **more,
    }
    return "{" + ", ".join(f"{name}: {value}" for name, value in entries.items()) + "}"


def sheet(*problems: str, head: str = "", tail: str = "") -> str:
    """A file with *problems*, one a line."""
    return f"{head}problems:\n" + "".join(f"- {problem}\n" for problem in problems) + tail


def wrong(results: list[Solved]) -> list[Told]:
    """Kind, line and column of every error in *found*."""
    return [located(error) for done in results for error in done.errors]


def texts(results: list[Solved]) -> list[str]:
    """The text of every error in *found*."""
    return [str(error) for done in results for error in done.errors]


def answers(results: list[Solved]) -> dict[str | None, str]:
    """The answers, by id, of the problems without errors."""
    return {
        done.question.id: str(done.derivation.answer.value)
        for done in results
        if done.derivation is not None and not done.errors
    }


FEDERATED = "samples: 64, devices: 2, batch: 8, download: 1, compute: 1, upload: 1"


def test_names_and_choices_in_either_spelling(tmp_path: Path) -> None:
    for local in ("local-epochs", "local_epochs"):
        text = f"type: federated\ngiven: {{{FEDERATED}, {local}: 3}}\n"
        assert answers(read_sheet(tmp_path, text)) == {None: "14"}
    for choice in ("same-time", "same_time"):
        given = f"starts: [0, 0.1], update: 0.2, horizon: 0.6, compare: {choice}"
        (done,) = read_sheet(tmp_path, f"type: divergence\ngiven: {{{given}}}\n")
        assert done.derivation
        assert dict(done.derivation.stated.shape.reading)["compare"] == "same_time"


def test_errors_know_their_problem(tmp_path: Path) -> None:
    results = read_sheet(tmp_path, sheet("{id: a, type: x, y: 1}", flow("b", expect="{totl: 1 s}")))
    assert [error.problem for done in results for error in done.errors] == ["a", "a", "b"]


# defaults

BREAKEVEN = "{id: a, type: breakeven, given: {download: 1, upload: 1, aggregate: 1%s}}"


@pytest.mark.parametrize(
    ("head", "problem", "answer"),
    [
        ("sync-step: {aggregate: 10, update: 20}", flow("a", given="{finish: 1}"), "31"),
        ("sync_step: {aggregate: 10, update: 20}", flow("a", given="{finish: 1}"), "31"),
        ("sync-step: {finish: [1, 2], aggregate: 1, update: 2}", "{id: a, type: sync_step}", "5"),
        ("breakeven: {compute: 4}", BREAKEVEN % "", "3"),
        ("breakeven: {relation: reaches}", BREAKEVEN % ", compute: 4", "2"),
        (
            "federated: {local_epochs: 2}",
            f"{{id: a, type: federated, given: {{{FEDERATED}, local-epochs: 3}}}}",
            "14",
        ),
    ],
)  # fmt: skip
def test_defaults_stand_under_the_givens(
    tmp_path: Path, head: str, problem: str, answer: str
) -> None:
    """Of their type in either spelling, and choices too."""
    results = read_sheet(tmp_path, sheet(problem, head=f"defaults: {{{head}}}\n"))
    assert texts(results) == []
    assert answers(results) == {"a": answer}


def test_an_error_in_a_default_is_at_its_place_and_once(tmp_path: Path) -> None:
    head = "defaults: {sync-step: {updte: 3, aggregate: 1 x}}\n"
    results = read_sheet(tmp_path, sheet(flow("a"), flow("b"), head=head))
    assert wrong(results)[:2] == [("unknown", 1, 24), ("unit", 1, 45)]
    assert wrong(results).count(("unknown", 1, 24)) == 1


def test_nothing_is_solved_with_wrong_defaults(tmp_path: Path) -> None:
    other = "{id: b, type: breakeven, given: {download: 1, compute: 4, upload: 1, aggregate: 1}}"
    results = read_sheet(tmp_path, sheet(flow("a"), other, head="defaults: {sync-step: 3}\n"))
    assert wrong(results) == [("sheet", 1, 23), ("sheet", 3, 3)]
    assert answers(results) == {"b": "3"}


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
        ("devices > 0", 0, "256 > 0: holds, 256 above"),
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
