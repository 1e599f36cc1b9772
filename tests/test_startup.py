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
    print("MODULES" + json.dumps([*sys.modules]), file=sys.__stderr__, flush=True)
    ended(code)
ended, os._exit = os._exit, told
sys.argv = {call!r}
from ddcalc.cli.main import main
main()
"""
EXAM = next(problem for problem in TYPES if problem.slug == "epoch-time")


def _imported(*arguments: str | Path) -> set[str]:
    """The modules in memory at the end of a call."""
    call = ["ddcalc", *map(str, arguments)]
    ran = python(_WATCHED.format(call=call))
    line = next(line for line in ran.stderr.splitlines() if line.startswith("MODULES"))
    return set(json.loads(line.removeprefix("MODULES")))


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (["--help"], {"yaml", "tomllib", "ddcalc.problem.problem"}),
        (["--version"], {"yaml", "tomllib", "ddcalc.problem.problem"}),
        (["list"], {"yaml", "ddcalc.problem.problem", "ddcalc.render.blocks"}),
        (["explain", "SSP"], {"ddcalc.problem.index"}),
        (["no-such-command"], {"yaml"}),
        (["epoch-time", "-h"], {"pydantic", "yaml", "ddcalc.problem.plan", "ddcalc.ask"}),
        ([*command(EXAM), "--steps", "none", "--format", "ndjson"], set()),
    ],
    ids=lambda case: " ".join(case[:2]) if isinstance(case, list) else "",
)
def test_what_is_imported(arguments: list[str], needless: set[str]) -> None:
    """No algebra, nothing else that is not needed, and of a sheet no module of a type."""
    imported = _imported(*arguments)
    assert not imported & {"sympy", "mpmath", *needless}
    types = [name.count(".") for name in imported if name.startswith("ddcalc.types.")]
    assert max(types, default=0) <= 2 * (arguments[0] == "epoch-time")


def test_a_batch_of_plain_formulas_needs_no_algebra(tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    given = "{samples: 76800, batch: 1536, workers: 6, download: 1 s, compute: 4 s, upload: 1 s}"
    file.write_text(f"problems:\n  - type: epoch-time\n    given: {given}\n", encoding="utf-8")
    for form in ("ndjson", "json"):
        assert not _imported("solve", file, "--format", form) & {"sympy", "rich.console"}
