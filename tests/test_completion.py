"""What real shells offer at the cursor, with the script that ``--show-completion`` prints."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from running import ddcalc, python

from ddcalc.problem.catalog import catalog

LINES = {  # a line up to the cursor, and what must be and what must not be offered
    "ddcalc epo": ("epoch-time", "transfer"),
    "ddcalc staleness": ("staleness staleness-penalty", "stale-sum"),
    "ddcalc epoch-time --queue ": ("carry per-epoch", "drop"),
    "ddcalc epoch-time --format ": ("text svg", "csv"),
    "ddcalc epoch-time --workers 6 --comp": ("--compute", "--workers"),
    "ddcalc transfer --find ": ("size bandwidth", "time"),
    "ddcalc epoch-time --where ": ("total", "workers"),
    "ddcalc allreduce --unit m": ("ms", "GB"),
    "ddcalc show all": ("allreduce", "transfer"),
    "ddcalc sweep all": ("allreduce", "transfer"),
    "ddcalc explain straggl": ("straggler", "staleness"),
    "ddcalc sweep epoch-time --quantity full": ("full_rounds full_round", "total"),
    "ddcalc sweep epoch-time --vary wor": ("workers=", "batch="),
    "ddcalc sensitivity transfer --hops 'a b' --band": ("--bandwidth", "--size"),
    "ddcalc sweep no-such-type --": ("", "--vary"),
    "ddcalc no-such-type --": ("--version", "--workers"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the shell finds this ddcalc, and a file to complete."""
    command = tmp_path / "bin" / "ddcalc"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m ddcalc "$@"\n')
    command.chmod(0o755)
    (tmp_path / "exam.yaml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


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


def test_all_types_and_verbs_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_DDCALC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "ddcalc ")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert {*catalog(), "solve", "explain"} <= {*ddcalc().out.split()}


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


def typed(shell: list[str], keys: str, until: str, wait: float = 30) -> str:
    """What a shell on a terminal shows after *keys*, when it shows *until*."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(shell[0], shell)
    shown = b""
    try:
        os.write(terminal, keys.encode())
        end = time.monotonic() + wait
        while until.encode() not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 4096)
    finally:
        os.write(terminal, b"\x03\nexit\n")
        os.close(terminal)
        os.waitpid(process, 0)
    return shown.decode(errors="replace")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_real_bash_completes(folder: Path) -> None:
    """On a terminal, by the Tab key: an option's choice, and a file where nothing is known."""
    (folder / "rc").write_text(script("bash") + "\nbind 'set enable-bracketed-paste off'\n")
    bash = ["bash", "--noprofile", "--rcfile", "rc", "-i"]
    line = "echo ddcalc; ddcalc epoch-time --queue per\t--hlp\n"
    assert "--queue per-epoch --hlp" in typed(bash, line, "per-epoch --hlp")
    assert "solve exam.yaml " in typed(bash, "ddcalc solve ex\t", "exam.yaml")
