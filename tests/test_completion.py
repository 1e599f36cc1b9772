"""What real shells offer at the cursor, with the script that ``--show-completion`` prints."""

from __future__ import annotations

import os
import shlex
from unittest.mock import patch

import pytest
from running import ddcalc, python

LINES = {  # a line up to the cursor, and what must be and what must not be offered
    "ddcalc epo": ("epoch-time", "transfer"),
    "ddcalc staleness": ("staleness staleness-penalty", "stale-sum"),
    "ddcalc epoch-time --queue ": ("carry per-epoch", "drop"),
    "ddcalc epoch-time --format ": ("text svg", "csv"),
    "ddcalc epoch-time --workers 6 --comp": ("--compute", "--workers"),
    "ddcalc show all": ("allreduce", "transfer"),
    "ddcalc sweep all": ("allreduce", "transfer"),
    "ddcalc sensitivity transfer --hops 'a b' --band": ("--bandwidth", "--size"),
    "ddcalc sweep no-such-type --": ("", "--vary"),
    "ddcalc no-such-type --": ("--version", "--workers"),
}


def script(shell: str) -> str:
    """What ``--show-completion`` prints in that *shell*."""
    with patch.dict(os.environ, {"_DDCALC_COMPLETE": f"source_{shell}"}):
        printed = ddcalc()
    assert (printed.code, printed.err) == (0, "")
    return printed.out


@pytest.mark.parametrize("line", LINES)
def test_lines_are_continued(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As bash asks, and as zsh and fish do."""
    wanted, unwanted = LINES[line]
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


def test_a_completion_reads_a_sheet_and_loads_no_algebra() -> None:
    ran = python(
        "import os, sys\n"
        "os.environ |= {'_DDCALC_COMPLETE': 'complete_bash', 'COMP_CWORD': '4',"
        " 'COMP_WORDS': 'ddcalc sweep epoch-time --queue '}\n"
        "from ddcalc.cli.main import run\n"
        "run([])\n"
        "types = [one for one in sys.modules if one.startswith('ddcalc.types.')]\n"
        "heavy = {'sympy', 'mpmath', 'rich'} & {*sys.modules}\n"
        "print(heavy, [one for one in types if one.count('.') > 2], file=sys.stderr)\n"
    )
    assert ran.stderr == "set() []\n"
