"""The package as it is installed: its wheel, what a call imports, what shells complete, what others
call it by, and a real notebook."""

import json
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from questions import TYPES, command
from running import ROOT, ddcalc, python
from tables import rows


def test_the_wheel(tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(tmp_path), str(ROOT)], check=True, capture_output=True)
    [wheel] = tmp_path.glob("ddcalc-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packages = [ROOT / "ddcalc", ROOT / "ddcalc_experiment"]
    kinds = ("*.py", "*.sheet", "*.toml", "topics/*.md", "markup/page.*")
    wanted = {str(path.relative_to(ROOT)) for one in packages for kind in kinds
              for path in one.rglob(kind)}  # fmt: skip
    wanted |= {"ddcalc/py.typed", "ddcalc/problem/sheet/sheet.tmLanguage.json"}
    assert {name for name in names if ".dist-info/" not in name} == wanted


_WATCHED = """
import json, os, sys
def told(code):
    print("MODULES" + json.dumps([*sys.modules]), file=sys.__stderr__, flush=True)
    ended(code)
ended, os._exit = os._exit, told
sys.argv = {call!r}
from ddcalc.cli.main import main
main()
"""
EXAM = next(problem for problem in TYPES if problem.slug == "epoch-time")


def _imported(*arguments: str | Path, **env: str) -> set[str]:
    """The modules in memory at the end of a call."""
    call = ["ddcalc", *map(str, arguments)]
    ran = python(_WATCHED.format(call=call), env=env)
    line = next(line for line in ran.stderr.splitlines() if line.startswith("MODULES"))
    return set(json.loads(line.removeprefix("MODULES")))


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (["--help"], {"yaml", "ddcalc.problem.problem"}),
        (["--version"], {"yaml", "ddcalc.problem.problem"}),
        (["list"], {"yaml", "ddcalc.problem.problem", "ddcalc.problem.said.steps"}),
        (["explain", "SSP"], {"ddcalc.problem.known.index"}),
        (["no-such-command"], {"yaml"}),
        (["epoch-time", "-h"], {"pydantic", "yaml", "ddcalc.problem.plan", "ddcalc.ask"}),
        ([*command(EXAM), "--steps", "none", "--format", "ndjson"], set()),
    ],
    ids=lambda case: " ".join(case[:2]) if isinstance(case, list) else "",
)
def test_what_is_imported(arguments, needless):
    """No algebra, nothing else that is not needed, and of a sheet no module of a type."""
    imported = _imported(*arguments)
    assert not imported & {"sympy", "mpmath", *needless}
    types = [name.count(".") for name in imported if name.startswith("ddcalc.types.")]
    assert max(types, default=0) <= 2 * (arguments[0] == "epoch-time")


def test_a_batch_of_plain_formulas_needs_no_algebra(tmp_path):
    file = tmp_path / "file.yaml"
    given = "{samples: 76800, batch: 1536, workers: 6, download: 1 s, compute: 4 s, upload: 1 s}"
    file.write_text(f"problems:\n  - type: epoch-time\n    given: {given}\n", encoding="utf-8")
    for form in ("ndjson", "json"):
        assert not _imported("solve", file, "--format", form) & {"sympy", "rich.console"}


@pytest.mark.parametrize(("line", "wanted", "unwanted"), rows("completed.tsv"))
def test_lines_are_continued(line, wanted, unwanted, monkeypatch):
    """As bash asks, and as zsh and fish do."""
    monkeypatch.setenv("_DDCALC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(shlex.split(f"{line}|")) - 1))
    ran = ddcalc()
    assert (ran.code in (0, 1), ran.err) == (True, "")
    assert {*wanted.split()} <= {*ran.out.split()}
    assert unwanted not in ran.out.split()
    monkeypatch.delenv("COMP_WORDS")
    monkeypatch.setenv("_DDCALC_COMPLETE", "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    offered = {one.split("\t")[0] for one in ddcalc().out.splitlines()}
    assert {*wanted.split()} <= offered
    assert unwanted not in offered


def test_a_completion_reads_a_sheet_and_loads_no_algebra():
    line = {"COMP_CWORD": "4", "COMP_WORDS": "ddcalc sweep epoch-time --queue "}
    imported = _imported(_DDCALC_COMPLETE="complete_bash", **line)
    assert not imported & {"sympy", "mpmath", "rich"}
    assert not [one for one in imported if one.startswith("ddcalc.types.") and one.count(".") > 2]


def test_the_hook_calls_a_command_that_there_is():
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *call = hook["entry"].split()
    files = re.compile(hook["files"])
    names = ("problems/exam.yaml", "x/problems/a.yml", "a.ddcalc.yaml", "b.yml")
    matching = [name for name in names if files.search(name)]
    ran = ddcalc(*call, ROOT / "problems" / "exam.yaml")
    assert (program, ran.code, len(matching)) == ("ddcalc", 0, 3)


def test_the_action_installs_and_solves():
    """Every input is used, and what it says reaches the shell through the environment only."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite"
    used = str(steps)
    assert all(f"inputs.{name}" in used for name in action["inputs"])
    for step in steps:
        assert ("run" in step) == ("shell" in step)
        assert "${{" not in step.get("run", "")


LINK = 'latency="1ms", bandwidth="1GB/s"'
GIVEN = f'size="1GB", {LINK}'
SWEPT = f'ddcalc.sweep("transfer", vary={{"size": "1MB..1TB:x10"}}, {LINK})'
CELLS = {
    "import ddcalc": [],
    f'ddcalc.solve("transfer", {GIVEN})': ["Answer", "<math>"],
    f'ddcalc.sensitivity("transfer", {GIVEN})': ["<svg "],
    SWEPT: ["<svg ", "smallest time = 2 ms"],
    f'ddcalc.compare(ddcalc.solve("transfer", {GIVEN}), {{"latency": "2ms"}})': ["<table>"],
    f'ddcalc.mark("transfer", answers={{"time": "1 s"}}, {GIVEN})': ["<table>"],
    'ddcalc.solve("timeline", periods=["1 s", "2 s"], horizon="4 s")': ["<svg"],
}


@pytest.mark.filterwarnings("ignore")  # of what runs kernels
def test_a_notebook_shows_pages_with_pictures():
    nbclient = pytest.importorskip("nbclient")  # with a kernel: too much for the extra test
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, CELLS)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    for cell, wanted in zip(notebook.cells, CELLS.values(), strict=True):
        assert not any(output.output_type == "error" for output in cell.outputs)
        shown: dict[str, Any] = cell.outputs[0].data if cell.outputs else {}
        for words in wanted:
            assert words in shown["text/html"], cell.source
        if wanted:
            assert len(shown["text/plain"].splitlines()) == 1
            assert shown["text/markdown"].count("|") > 4
