"""The progress line: only for somebody who watches, only after a while, and gone at the end."""

import io
import re
import sys
from itertools import count

import pytest
from running import GIVEN, ddcalc

from ddcalc.boundary.output import Output
from ddcalc.cli import session as cli_session
from ddcalc.cli.main import run
from ddcalc.cli.session import Session, Waiting

CONTROL = r"\033\[\??[0-9;]*[A-Za-z]"


class Screen(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


class Terminal:
    """What a terminal shows of what is written to it, with the few controls that are used."""

    def __init__(self, text: str) -> None:
        self.lines, self.row, self.column, self.passed = [""], 0, 0, [""]
        for sign in re.findall(rf"{CONTROL}|.", text, re.DOTALL):
            self._write(sign)

    def _write(self, sign: str) -> None:
        line = self.lines[self.row]
        if sign == "\r":
            self.column = 0
        elif sign == "\n":
            self.row, self.column = self.row + 1, 0
            self.lines += [""] * (self.row == len(self.lines))
        elif sign == "\033[K":
            self.lines[self.row] = line[: self.column]
        elif not sign.startswith("\033"):
            before = line[: self.column].ljust(self.column)
            self.lines[self.row] = before + sign + line[self.column + 1 :]
            self.column += 1
        if self.lines[self.row] != line:
            self.passed.append(self.lines[self.row])

    @property
    def shown(self) -> list[str]:
        return [line.rstrip() for line in self.lines]


def counted(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, seconds: float) -> str:
    """What is written while a hundred problems are solved in so many *seconds* each."""
    clock = [0.0]
    monkeypatch.setattr(cli_session, "monotonic", lambda: clock[0])
    session = Session(err=Output(stream, "standard error"))
    with Waiting(session, "problem", 200) as line:
        for _ in range(100):
            clock[0] += seconds
            line.step()
    return stream.getvalue()


def test_a_long_batch_is_counted_and_the_line_is_wiped(monkeypatch):
    text = counted(Screen(), monkeypatch, 0.1)
    assert "11 problems, 6 %" in Terminal(text).passed
    assert not any(Terminal(text).shown)


@pytest.mark.parametrize(("screen", "seconds"), [(Screen(), 0.001), (io.StringIO(), 10)])
def test_a_short_batch_and_nobody_who_watches(monkeypatch, screen, seconds):
    assert counted(screen, monkeypatch, seconds) == ""


@pytest.mark.parametrize("verb", ["solve", "check"])
def test_rows_and_progress_never_mix(tmp_path, monkeypatch, verb):
    """What stays on the screen is what a file gets, and the diagnostics of two that are wrong."""
    file, screen, clock = tmp_path / "sheet.yaml", Screen(), count()
    kinds = ["sync-step"] * 21 + ["sync-stp", "sync-step", "sync-step"]
    updates = ["1 GB" if i == 22 else f"{i} s" for i in range(24)]
    one = f"- {{id: p%d, type: %s, {GIVEN[:-4]}%s}}, claimed: {{total: 4 s}}}}\n"
    problems = (one % of for of in zip(count(), kinds, updates, strict=False))
    file.write_text("problems:\n" + "".join(problems), encoding="utf-8")
    rows = [line.rstrip() for line in ddcalc(verb, file).out.splitlines() if line]
    monkeypatch.setattr(cli_session, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", screen)
    run([verb, str(file)])
    terminal, moving = Terminal(screen.getvalue()), re.compile(r"[0-9]+ (problems?|students?)")
    assert any(map(moving.match, terminal.passed))
    assert not any(map(moving.fullmatch, terminal.shown))
    assert sum(line.startswith("error") for line in terminal.shown) == 2
    assert [line for line in terminal.shown if line in rows and line] == rows
