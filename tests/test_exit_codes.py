"""Exit codes 0, 1, 2, 3, 70, 141, the gravest of which wins: most are seen in this process; what
hangs on streams, shells and surroundings in real ones."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from running import ddcalc

from ddcalc.cli.main import run
from ddcalc.problem.catalog import problem_named

GOOD = (
    "- {id: good, type: sync-step, given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s},"
    " expect: {total: 4 s}}\n"
)
DIFFERS = GOOD.replace("good", "differs").replace("4 s", "5 s")
CLAIMED = DIFFERS.replace("differs", "claimed").replace("expect", "claimed")
WRONG = GOOD.replace("good", "wrong").replace("aggregate: 1 s", "aggregate: 1:30")
DDCALC = f"{sys.executable} -m ddcalc"
BREAKEVEN_GIVEN = "type: breakeven, given: {download: 1, compute: 1, upload: 1, aggregate: 1}"
BREAKEVEN = "breakeven --download 1.5s --compute 4s --upload 1.5s --aggregate 15ms"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, problems in {
        "good": GOOD,
        "differs": GOOD + DIFFERS,
        "claimed": GOOD + CLAIMED,
        "wrong": GOOD + WRONG + DIFFERS,
        "many": "".join(GOOD.replace("good", f"g{i}") for i in range(2000)),
    }.items():
        Path(f"{name}.yaml").write_text(f"problems:\n{problems}")
    Path("syntax.yaml").write_text(f"problems:\n{GOOD}- {{id: '")


def sh(command: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """*command* in bash, where ``ddcalc`` is this one; its exit code is that of a pipe's first."""
    script = f'ddcalc() {{ {DDCALC} "$@"; }}\n{command}\nexit ${{PIPESTATUS[0]}}'
    return subprocess.run(
        ["bash", "-c", script],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **env},
    )


PAGES = (
    "--help", "breakeven --help", "list -h", "help sweep", "--version", "list", "list latency",
    "explain", "explain straggler", "ask latency", "presets", "schema", "show epoch-time",
)  # fmt: skip
ANSWERS = (BREAKEVEN, f"{BREAKEVEN} --hint", f"{BREAKEVEN} --as-yaml", "new epoch-time")
WRONG_USE = ("nonsense", "--nonsense", "breakeven", "breakeven --nonsense 5")
FILES = {
    0: ("good.yaml", "claimed.yaml"),
    1: ("differs.yaml", "good.yaml differs.yaml good.yaml"),
    2: ("", "missing.yaml", "wrong.yaml", "syntax.yaml", "differs.yaml wrong.yaml",
        "wrong.yaml differs.yaml", "missing.yaml differs.yaml good.yaml"),
}  # fmt: skip
CALLS = [
    *((command, 0) for command in ("", "-h", *PAGES, *ANSWERS)),
    *((command, 2) for command in WRONG_USE),
    *((f"solve {more} {files}", code) for code, several in FILES.items() for files in several
      for more in ("", "--format ndjson")),
]  # fmt: skip


@pytest.mark.parametrize(("command", "code"), CALLS)
def test_code(command: str, code: int) -> None:
    ran = ddcalc(*shlex.split(command))
    assert ran.code == code, ran.err
    assert "Traceback" not in ran.err
    assert ran.out or code
    assert ran.err or code != 2
    if "json" in command and ran.out:
        for text in ran.out.splitlines() if "ndjson" in command else [ran.out]:
            json.loads(text)


def run_into(target: str, command: str) -> tuple[int, str]:
    """Exit code and standard error of a call in this process that prints into *target*: a full
    disk, a closed stream, or a pipe that nobody reads."""
    arguments, err = shlex.split(command), StringIO()
    reader, writer = os.pipe()
    os.close(reader)
    where = os.open("/dev/full", os.O_WRONLY) if target == "full" else os.dup(writer)
    os.close(writer)
    with suppress(OSError), open(where, "w", encoding="utf-8") as stream:
        with (
            patch("sys.argv", ["ddcalc", *arguments]),
            patch("sys.stdout", None if target == "closed" else stream),
            patch("sys.stderr", err),
        ):
            code = run(arguments)
        stream.close()  # the rest of a page of help fails once more, as at every exit
    return code, err.getvalue()


PRINTING = [
    *PAGES,
    *ANSWERS,
    *(f"{BREAKEVEN} --format {form}" for form in ("json", "markdown", "latex", "html")),
    *(f"solve good.yaml{more}" for more in ("", " --format json", " --format markdown")),
    *(f"solve many.yaml{more}" for more in ("", " --format ndjson")),
    "solve differs.yaml --format json",
]


@pytest.mark.parametrize("command", [*PRINTING, "solve wrong.yaml"])
def test_output_that_cannot_be_written_is_told(command: str) -> None:
    for target in ("closed", "full"):
        code, err = run_into(target, command)
        assert code == 3, err
        assert "cannot write" in err
        assert "Traceback" not in err
    if command in PRINTING:  # a pipe that nobody reads is quiet
        assert run_into("unread", command) == (141, "")


@pytest.mark.parametrize(
    ("command", "target"),
    [
        *((command, "> /dev/full") for command in ("--help", "list -h", BREAKEVEN)),
        (BREAKEVEN, ">&-"),
    ],
)
def test_a_process_ends_without_an_exception_ignored(command: str, target: str) -> None:
    ran = sh(f"ddcalc {command} {target}")
    assert ran.returncode == 3, ran.stderr
    assert "cannot write" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr


def test_errors_that_cannot_be_told_change_nothing() -> None:
    assert sh("ddcalc solve wrong.yaml 2>&-").returncode == 2
    assert sh("ddcalc nonsense 2> /dev/full").returncode == 2
    assert sh("ddcalc solve good.yaml >&- 2>&-").returncode == 3


def broken(*_: object) -> None:
    raise ZeroDivisionError("a \x1b[31msecret\n mistake")


@pytest.mark.parametrize("debug", [(), ("--debug",)])
@pytest.mark.parametrize("call", ["sync-step --finish=1,2,3,4,5,6,7 --aggregate=1 --update=1",
                                  "solve mixed.yaml --format ndjson"])  # fmt: skip
def test_a_bug_of_ours(call: str, debug: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problem_named("sync-step"), "equations", broken)
    other = f"- {{id: other, {BREAKEVEN_GIVEN}}}\n"
    odd = GOOD.replace("[1 s, 2 s]", "[1 s, 2 s, 1 s, 2 s, 1 s, 2 s]")
    Path("mixed.yaml").write_text(f"problems:\n{other}{odd}{other.replace('other', 'last')}")
    ran = ddcalc(*call.split(), *debug)
    assert ran.code == 70
    assert "ZeroDivisionError" in ran.err
    assert "\x1b" not in ran.err
    assert ("Traceback" in ran.err) == bool(debug)
    assert debug or ran.err.count("a bug in ddcalc") == 1
    if "ndjson" in call:
        lines = [json.loads(line) for line in ran.out.splitlines()]
        assert [line["status"] for line in lines] == ["solved", "error", "solved"]
        assert lines[1]["error"]["kind"] == "bug"


SURROUNDINGS: list[dict[str, str]] = [
    {"COLUMNS": "9" * 5000}, {"TERM": "", "COLUMNS": "abc"}, {"FORCE_COLOR": "1"},
    {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii:strict"},
    {"PYTHONIOENCODING": "cp437"},
]  # fmt: skip
PLACES = ("list", BREAKEVEN, "solve good.yaml", "solve claimed.yaml --steps full", "--help")


@pytest.mark.parametrize("i", range(len(SURROUNDINGS)))
def test_odd_surroundings(i: int) -> None:
    """Of a process, whose commands take turns."""
    ran = subprocess.run(
        [sys.executable, "-m", "ddcalc", *PLACES[i % len(PLACES)].split()],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **SURROUNDINGS[i]},
    )
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout) > 60
    assert (b"\x1b" in ran.stdout) == ("FORCE_COLOR" in SURROUNDINGS[i])
