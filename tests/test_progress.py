"""The progress line: only for somebody who watches, only after a while, and gone at the end."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.boundary.output import Output
from ddcalc.cli import progress
from ddcalc.cli.progress import Bar, Progress


class Screen(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


def steps(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, seconds: float) -> str:
    """What is written while a hundred problems are solved in so many *seconds* each."""
    clock = iter(range(10_000))
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock) * seconds)
    with Progress(Output(stream, "standard error")) as shown:
        for _ in range(100):
            shown.step()
    return stream.getvalue()


def test_a_long_batch_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    told = steps(Screen(), monkeypatch, 0.1)
    assert "\r100 problems, 10 per second" in told
    assert told.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (2, "1 problem, 30 per minute"),
        (60, "1 problem, 1 per minute"),
        (90, "1 problem, 40 per hour"),
        (5000, "1 problem\033"),
    ],
)
def test_one_problem_and_a_slow_pace(monkeypatch, seconds: float, told: str) -> None:
    assert f"\r{told}" in steps(Screen(), monkeypatch, seconds)


def test_a_line_is_never_wider_than_the_screen(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    lines = re.findall(r"\r([^\r\033]+)", steps(Screen(), monkeypatch, 1))
    assert {len(line) for line in lines} == {11}


def test_a_short_batch_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps(Screen(), monkeypatch, 0.001) == ""


def test_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps(io.StringIO(), monkeypatch, 10) == ""


def bar(monkeypatch: pytest.MonkeyPatch, seconds: float, columns: str = "80") -> str:
    """What is written when two runs of four are made, a quarter in so many *seconds*."""
    clock = iter(range(10_000))
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock) * seconds)
    monkeypatch.setenv("COLUMNS", columns)
    screen = Screen()
    with Bar(Output(screen, "standard error"), 4, "run") as shown:
        for run in "ab":
            for share in (0.25, 0.5, 0.75):
                shown.under_way(run, share)
            shown.finished(run)
    return screen.getvalue()


@pytest.mark.parametrize(
    ("seconds", "left"), [(10, "80 s"), (30, "4 min"), (900, "2.0 h"), (0.5, "4 s")]
)
def test_a_bar_tells_how_long_it_will_take(monkeypatch, seconds, left) -> None:
    told = bar(monkeypatch, seconds)
    assert f"\r[##########----------] 50 %, 2 of 4 runs, {left} left\033[K" in told
    assert told.endswith("\r\x1b[K")


def test_a_bar_moves_within_a_run(monkeypatch) -> None:
    assert "[####" in bar(monkeypatch, 10).partition("1 of 4")[0]


def test_a_narrow_screen_has_the_words_alone(monkeypatch) -> None:
    told = bar(monkeypatch, 10, columns="40")
    assert "\r50 %, 2 of 4 runs, 80 s left" in told
    assert "#" not in told


class Terminal:
    """What a terminal shows of what is written to it, with the few controls that we use."""

    def __init__(self) -> None:
        self.lines, self.column, self.passed = [""], 0, [""]

    def write(self, told: str) -> None:
        for sign in re.findall(r"\033\[[0-9;]*[A-Za-z]|.", told, re.DOTALL):
            line = self.lines[-1]
            if sign == "\r":
                self.column = 0
            elif sign == "\n":
                self.lines.append("")
                self.column = 0
            elif sign == "\033[K":
                self.lines[-1] = line[: self.column]
            elif not sign.startswith("\033"):
                self.lines[-1] = line[: self.column].ljust(self.column) + sign
                self.lines[-1] += line[self.column + 1 :]
                self.column += 1
            if self.lines[-1] != line:
                self.passed.append(self.lines[-1])

    @property
    def shown(self) -> list[str]:
        return [line.rstrip() for line in self.lines]


def on_a_terminal(*arguments: str | Path, columns: int = 80) -> tuple[Terminal, str]:
    """A call whose output and errors go to one terminal, slow enough for progress to be told."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-m", "ddcalc", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**kept, "TERM": "xterm", "PYTHONUTF8": "1", "DDCALC_TEST_DELAY": "0.1"},
    )
    os.close(theirs)
    told = b""
    try:
        while chunk := os.read(ours, 65536):
            told += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(ours)
        process.kill()
        process.wait()
    terminal, text = Terminal(), told.decode()
    terminal.write(text)
    return terminal, text


def questions(folder: Path, count: int) -> Path:
    """A file of so many problems, of which one is wrong and one states what has no effect."""
    given = "finish: [1 s, 2 s], aggregate: 1 s, update: %s"
    problems = [
        f"{{id: p{i}, type: sync-step, given: {{{given % f'{i} s'}}}}}" for i in range(count)
    ]
    problems[count - 3] = "{id: wrong, type: sync-stp}"
    problems[count - 2] = f"{{id: off, type: sync-step, given: {{{given % '1 GB'}}}}}"
    file = folder / "asked.yaml"
    claimed = "".join(f"  - {each[:-1]}, claimed: {{total: 4 s}}}}\n" for each in problems)
    file.write_text(f"problems:\n{claimed}", encoding="utf-8")
    return file


@pytest.mark.parametrize("verb", ["solve", "check"])
def test_rows_and_progress_never_mix(tmp_path: Path, verb: str) -> None:
    file = questions(tmp_path, 24)
    terminal, text = on_a_terminal(verb, file)
    assert "per second" in text
    assert not any("per second" in line for line in terminal.shown)
    moving = re.compile(r"[0-9]+ problems?(, [0-9 ]+ per (second|minute))?")
    for line in terminal.passed:  # as it was built up, letter by letter
        if "problem" in line and "per" in line:
            assert moving.match(line), line
    assert sum(line.startswith("error") for line in terminal.shown) == 2


def test_rows_stand_as_in_a_file(tmp_path: Path) -> None:
    """What stays on the screen is what a file gets, and the diagnostics."""
    file = questions(tmp_path, 24)
    terminal, _ = on_a_terminal("solve", file)
    ran = ddcalc("solve", file)
    assert [line for line in terminal.shown if line in ran.out.splitlines()] == [
        line.rstrip() for line in ran.out.splitlines()
    ]


def test_nothing_is_shown_beside_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of the pipe may print to the same screen, at any time."""
    clock = iter(range(10_000))
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    theirs, ours = os.pipe()
    screen = Screen()
    with (
        open(theirs),
        open(ours, "w") as piped,
        Progress(Output(screen), rows=Output(piped)) as shown,
    ):
        shown.step()
        shown.step()
    assert screen.getvalue() == ""
