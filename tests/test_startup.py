"""What needs no algebra does not wait for its import, and help does not import the solvers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from questions import TYPES, command
from running import python

_WATCHED = """
import json, os, sys
def told(code):
    names = [name for name in sys.modules if name in {heavy!r} or name.startswith({solvers!r})]
    print("MODULES" + json.dumps(names), file=sys.__stderr__, flush=True)
    ended(code)
ended, os._exit = os._exit, told
sys.argv = {call!r}
from ddcalc.cli.main import main
main()
"""
HEAVY = ["sympy", "numpy", "mpmath", "rich.console"]
EXAM = next(problem for problem in TYPES if problem.slug == "epoch-time")


def _imported(*arguments: str | Path) -> set[str]:
    """The heavy modules and solvers in memory at the end of a call."""
    call = ["ddcalc", *map(str, arguments)]
    ran = python(_WATCHED.format(heavy=HEAVY, solvers="ddcalc.types.", call=call))
    line = next(line for line in ran.stderr.splitlines() if line.startswith("MODULES"))
    return set(json.loads(line.removeprefix("MODULES")))


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["list"], ["no-such-command"], ["explain"]],
)
def test_help_imports_no_solver(arguments: list[str]) -> None:
    imported = _imported(*arguments)
    assert not imported & {"sympy", "numpy", "mpmath"}
    assert not {name for name in imported if name.startswith("ddcalc.types.")}


@pytest.mark.parametrize("arguments", [["--version"], ["explain", "SSP"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    assert not _imported(*arguments) & {"sympy", "numpy", "mpmath"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["epoch-time", "-h"],
        ["epoch-time", "--workrs", "6"],
        [*command(EXAM), "--steps", "none", "--format", "ndjson"],
        [*command(EXAM), "--as-yaml"],
    ],
)
def test_a_type_command_imports_its_own_solver_only(arguments: list[str]) -> None:
    found = _imported(*arguments)
    assert "sympy" not in found
    types = {name for name in found if name.startswith("ddcalc.types.")}
    assert {name for name in types if name.count(".") > 2} == {"ddcalc.types.epochs.epoch_time"}


def test_a_batch_of_plain_formulas_needs_no_algebra(tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    given = "{samples: 76800, batch: 1536, workers: 6, download: 1 s, compute: 4 s, upload: 1 s}"
    file.write_text(f"problems:\n  - type: epoch-time\n    given: {given}\n", encoding="utf-8")
    for form in ("ndjson", "json"):
        assert not _imported("solve", file, "--format", form) & {"sympy", "rich.console"}
