"""Exit codes of real processes: 0, 1, 2, 3, 70, 141; the gravest wins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = (
    "- {id: good, type: sync-step, given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s},"
    " expect: {total: 4 s}}\n"
)
DIFFERS = GOOD.replace("good", "differs").replace("4 s", "5 s")
CLAIMED = DIFFERS.replace("differs", "claimed").replace("expect", "claimed")
WRONG = GOOD.replace("good", "wrong").replace("aggregate: 1 s", "aggregate: 1:30")
DDCALC = f"{sys.executable} -m ddcalc"
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
        timeout=30,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **env},
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("ddcalc", 0),
        ("ddcalc --help", 0),
        ("ddcalc -h", 0),
        ("ddcalc --version", 0),
        ("ddcalc list", 0),
        ("ddcalc schema", 0),
        ("ddcalc show epoch-time", 0),
        ("ddcalc new federated", 0),
        (f"ddcalc {BREAKEVEN}", 0),
        (f"ddcalc {BREAKEVEN} --hint", 0),
        (f"ddcalc {BREAKEVEN} --as-yaml", 0),
        ("ddcalc breakeven --help", 0),
        ("ddcalc solve good.yaml", 0),
        ("ddcalc solve claimed.yaml", 0),
        ("ddcalc solve - < good.yaml", 0),
        ("cat good.yaml | ddcalc solve -", 0),
        ("ddcalc solve differs.yaml", 1),
        ("ddcalc solve good.yaml differs.yaml good.yaml", 1),
        ("ddcalc nonsense", 2),
        ("ddcalc --nonsense", 2),
        ("ddcalc breakeven", 2),
        ("ddcalc breakeven --nonsense 5", 2),
        ("ddcalc solve", 2),
        ("ddcalc solve missing.yaml", 2),
        ("ddcalc solve wrong.yaml", 2),
        ("ddcalc solve syntax.yaml", 2),
        ("ddcalc solve differs.yaml wrong.yaml", 2),
        ("ddcalc solve wrong.yaml differs.yaml", 2),
        ("ddcalc solve missing.yaml differs.yaml good.yaml", 2),
        ("ddcalc solve - <&-", 2),
        ("ddcalc solve - < /dev/null", 2),
        ("ddcalc solve - - < good.yaml", 2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("more", ["", " --format ndjson", " --format json"])
def test_code(command: str, code: int, more: str) -> None:
    if more and "solve" not in command:
        more = ""
    ran = sh(command.replace("solve", f"solve{more}"))
    assert ran.returncode == code, ran.stderr
    assert "Traceback" not in ran.stderr
    if code == 0:
        assert ran.stdout
    if code == 2:
        assert ran.stderr
    if "json" in more and ran.stdout:
        told = ran.stdout.splitlines() if "nd" in more else [ran.stdout]
        for text in told:
            json.loads(text)


def test_what_can_be_solved_is() -> None:
    ran = sh("ddcalc solve --format ndjson missing.yaml wrong.yaml syntax.yaml good.yaml")
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [line["status"] for line in told] == [
        "error", "solved", "error", "solved", "solved", "error", "solved",
    ]  # fmt: skip


@pytest.mark.parametrize("target", [">&-", "> /dev/full"])
@pytest.mark.parametrize(
    "command",
    [
        BREAKEVEN,
        f"{BREAKEVEN} --format json",
        f"{BREAKEVEN} --format markdown",
        f"{BREAKEVEN} --format latex",
        f"{BREAKEVEN} --format html",
        f"{BREAKEVEN} --hint",
        f"{BREAKEVEN} --as-yaml",
        "breakeven --help",
        "--help",
        "--version",
        "list",
        "schema",
        "show epoch-time",
        "new epoch-time",
        "solve good.yaml",
        "solve good.yaml --format json",
        "solve good.yaml --format ndjson",
        "solve good.yaml --format markdown",
        "solve many.yaml",
        "solve many.yaml --format ndjson",
        "solve wrong.yaml",
        "solve differs.yaml --format json",
    ],
)
def test_output_that_cannot_be_written_is_told(command: str, target: str) -> None:
    ran = sh(f"ddcalc {command} {target}")
    assert ran.returncode == 3, ran.stderr
    assert "cannot write" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr


def test_errors_that_cannot_be_told_change_nothing() -> None:
    assert sh("ddcalc solve wrong.yaml 2>&-").returncode == 2
    assert sh("ddcalc solve wrong.yaml 2> /dev/full").returncode == 2
    assert sh("ddcalc breakeven 2> /dev/full").returncode == 2
    assert sh("ddcalc nonsense 2>&-").returncode == 2
    assert sh("ddcalc solve good.yaml 2>&-").returncode == 0
    assert sh("ddcalc solve good.yaml >&- 2>&-").returncode == 3


@pytest.mark.parametrize(
    "command",
    [
        "solve many.yaml",
        "solve many.yaml --format ndjson",
        "solve many.yaml --format json",
        "solve many.yaml --format markdown",
        "solve many.yaml --steps full",
    ],
)
def test_a_closed_pipe_is_quiet(command: str) -> None:
    ran = sh(f"ddcalc {command} | head -1")
    assert ran.returncode == 141, ran.stderr
    assert ran.stderr == ""
    assert len(ran.stdout.splitlines()) == 1


@pytest.mark.parametrize("command", ["list", "schema", "--help", "show epoch-time", BREAKEVEN])
def test_a_pipe_that_nobody_reads_is_quiet(command: str) -> None:
    ran = sh(f"(sleep 0.1; ddcalc {command}; echo $? >&2) | true")
    assert ran.stderr == "141\n"


BROKEN = """
import sys
from ddcalc.cli import main
import ddcalc.solvers.sync_step as step

def broken(self):
    raise ZeroDivisionError("a \\x1b[31msecret\\n mistake")

step.SyncStep.equations = broken
sys.argv = ["ddcalc", *sys.argv[1:]]
main.main()
"""


@pytest.mark.parametrize("debug", [(), ("--debug",)])
@pytest.mark.parametrize("place", ["a type's own command", "a batch"])
def test_a_bug_of_ours(place: str, debug: tuple[str, ...]) -> None:
    arguments = {
        "a type's own command": ["sync-step", "--finish=1", "--aggregate=1", "--update=1"],
        "a batch": ["solve", "mixed.yaml", "--format", "ndjson"],
    }[place]
    numbers = "download: 1, compute: 1, upload: 1, aggregate: 1"
    other = f"- {{id: other, type: breakeven, given: {{{numbers}}}}}\n"
    Path("mixed.yaml").write_text(f"problems:\n{other}{GOOD}{other.replace('other', 'last')}")
    ran = subprocess.run(
        [sys.executable, "-c", BROKEN, *arguments, *debug],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert ran.returncode == 70
    assert "ZeroDivisionError" in ran.stderr
    assert "\x1b" not in ran.stderr
    assert ("Traceback" in ran.stderr) == bool(debug)
    if not debug:
        assert ran.stderr.count("a bug in ddcalc") == 1
    if place == "a batch":
        told = [json.loads(line) for line in ran.stdout.splitlines()]
        assert [line["status"] for line in told] == ["solved", "error", "solved"]
        assert told[1]["error"]["kind"] == "bug"


def test_the_gravest_wins_over_a_bug() -> None:
    """Output that cannot be written is found first; a bug outweighs a wrong input."""
    ran = subprocess.run(
        [sys.executable, "-c", BROKEN, "solve", "wrong.yaml", "--format", "ndjson"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert ran.returncode == 70


def test_short_diagnostics_are_for_editors() -> None:
    ran = sh("ddcalc solve wrong.yaml syntax.yaml --diagnostics short")
    lines = ran.stderr.splitlines()
    assert lines[0].startswith("wrong.yaml:3:71: '1:30' is a clock time")
    assert lines[1].startswith("syntax.yaml:3:")


def test_full_diagnostics_show_the_line_and_a_caret() -> None:
    ran = sh("ddcalc solve wrong.yaml")
    lines = ran.stderr.splitlines()
    assert lines[0].startswith("error: '1:30'")
    assert "wrong.yaml:3:71" in lines[1]
    source, caret = lines[3], lines[4]
    assert source[caret.index("^") :].startswith("1:30")
    assert caret.count("^") == 4


def test_more_than_fifty_errors_are_counted() -> None:
    problems = "".join(WRONG.replace("wrong", f"w{i}") for i in range(60))
    Path("lots.yaml").write_text(f"problems:\n{problems}")
    ran = sh("ddcalc solve lots.yaml --diagnostics short")
    assert ran.returncode == 2
    assert "and 10 more errors" in ran.stderr
    assert ran.stderr.count("clock time") == 50


@pytest.mark.parametrize(
    "env",
    [
        {"COLUMNS": "0"},
        {"COLUMNS": "abc"},
        {"COLUMNS": "1000000"},
        {"COLUMNS": "9" * 5000},
        {"COLUMNS": "40"},
        {"TERM": "dumb"},
        {"TERM": ""},
        {"NO_COLOR": "1"},
        {"FORCE_COLOR": "1"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "cp437"},
        {"DDCALC_TEST_DELAY": "x"},
        {"DDCALC_TEST_DELAY": "nan"},
        {"DDCALC_TEST_DELAY": "-1"},
    ],
    ids=lambda env: " ".join(f"{k}={v[:12]}" for k, v in env.items()),
)
def test_odd_surroundings(env: dict[str, str]) -> None:
    for command in (
        "list",
        BREAKEVEN,
        "solve good.yaml",
        "solve claimed.yaml --steps full",
        "--help",
    ):
        ran = subprocess.run(
            [sys.executable, "-m", "ddcalc", *command.split()],
            capture_output=True,
            timeout=30,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **env},
        )
        assert ran.returncode == 0, ran.stderr
        assert len(ran.stdout) > 60
        assert b"\x1b" not in ran.stdout


def test_a_third_party_type_that_cannot_be_imported(tmp_path: Path) -> None:
    """A broken package is named in one line when it is asked for, and costs nobody else."""
    site = tmp_path / "site"
    info = site / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ddcalc.problems]\nbroken = broken_types:Broken\n")
    (site / "broken_types.py").write_text("raise RuntimeError('no \\x1b[31mluck')\n")
    path = f"{site}{os.pathsep}{Path(__file__).parent.parent}"
    called = sh("ddcalc broken --x 1", PYTHONPATH=path)
    assert called.returncode == 2  # not our bug: as if the type did not exist
    assert "Traceback" not in called.stderr
    assert "\x1b" not in called.stderr
    assert "Traceback" in sh("ddcalc --debug broken --x 1", PYTHONPATH=path).stderr
    assert sh(f"ddcalc {BREAKEVEN}", PYTHONPATH=path).returncode == 0
    assert sh("ddcalc solve good.yaml", PYTHONPATH=path).returncode == 0
    listed = sh("ddcalc list", PYTHONPATH=path)
    assert "epoch-time" in listed.stdout
    Path("mixed.yaml").write_text(f"problems:\n- {{id: b, type: broken, given: {{}}}}\n{GOOD}")
    batch = sh("ddcalc solve mixed.yaml --format ndjson", PYTHONPATH=path)
    assert batch.returncode == 2
    assert [json.loads(line)["status"] for line in batch.stdout.splitlines()] == ["error", "solved"]
