"""The progress line: only for somebody who watches, only after a while, and gone at the end."""

import io
import re
import sys
from itertools import count

import pytest
from running import GIVEN

from ddcalc.boundary.output import Output
from ddcalc.cli import session as cli_session
from ddcalc.cli.main import run
from ddcalc.cli.session import WIPED, Session, Waiting
from ddcalc.schedule.watching import tell


class Screen(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


class Terminal:
    """What a terminal shows of what is written to it, and the lines that have passed on it."""

    def __init__(self, text: str) -> None:
        self.shown, self.passed = [""], []
        for piece in re.split(f"({re.escape(WIPED)}|\n)", re.sub(r"\x1b\[[0-9;]*m", "", text)):
            if piece in (WIPED, "\n"):
                self.shown[-1:] = [""] if piece == WIPED else [self.shown[-1], ""]
            else:
                self.shown[-1] += piece
                self.passed.append(self.shown[-1])


def counted(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, seconds: float) -> str:
    """What is written while a hundred problems are solved in so many *seconds* each."""
    clock = [0.0]
    monkeypatch.setattr(cli_session, "monotonic", lambda: clock[0])
    with Waiting(Session(err=Output(stream, "standard error"))):
        for _ in range(100):
            clock[0] += seconds
            tell("problem")
    return stream.getvalue()


def test_a_long_batch_is_counted_and_the_line_is_wiped(monkeypatch):
    text = counted(Screen(), monkeypatch, 0.1)
    assert "11 problems" in Terminal(text).passed
    assert not any(Terminal(text).shown)


@pytest.mark.parametrize(("screen", "seconds"), [(Screen(), 0.001), (io.StringIO(), 10)])
def test_a_short_batch_and_nobody_who_watches(monkeypatch, screen, seconds):
    assert counted(screen, monkeypatch, seconds) == ""


@pytest.mark.parametrize("verb", ["solve", "check"])
def test_results_errors_and_progress_never_mix(tmp_path, monkeypatch, verb):
    """Beside a file that is written errors stay on the screen, what is counted does not; among
    results nothing is counted."""
    file, clock = tmp_path / "sheet.yaml", count()
    one = f"- {{id: p%d, type: sync-%s, {GIVEN[:-4]}%s}}, claimed: {{total: 4 s}}}}\n"
    ways = zip(count(), ["step", "step", "stp"] * 3, ["1 s", "1 GB"] + ["1 s"] * 7, strict=False)
    file.write_text("problems:\n" + "".join(one % way for way in ways), encoding="utf-8")
    monkeypatch.setattr(cli_session, "monotonic", lambda: next(clock))

    def written(*options: object) -> str:
        screen = Screen()
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setattr(sys, "stderr", screen)
        run([verb, str(file), *map(str, options)])
        return screen.getvalue()

    assert WIPED not in written()
    moving = re.compile(r"[0-9]+ (problems?|students?)")
    terminal = Terminal(written("--output", tmp_path / "made.md"))
    assert any(map(moving.match, terminal.passed))
    assert not any(map(moving.fullmatch, terminal.shown))
    assert sum(line.startswith("error") for line in terminal.shown) == 4
