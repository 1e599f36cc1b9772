"""The progress line: only for somebody who watches, only after a while, and gone at the end."""

from __future__ import annotations

import io

import pytest

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
    assert "\r100 problems, 10 a second" in told
    assert told.endswith("\r\x1b[K")


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
    with Bar(Output(screen, "standard error"), 4, "runs") as shown:
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
