"""The progress line: only for somebody who watches, only after a while, and gone at the end."""

from __future__ import annotations

import io

import pytest

from ddcalc.boundary.output import Output
from ddcalc.cli import progress
from ddcalc.cli.progress import Progress


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
