"""Files of lines that are gone on with: nothing lost, nothing twice, however a run ended."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ddcalc.boundary import journal
from ddcalc.boundary.journal import origin, resumed
from ddcalc.boundary.signals import Terminated
from ddcalc.errors import BadTarget, OutputFailed

MADE_OF = origin("1.0", {"--steps": "full", "--answers": ""}, ["in.yaml"])


class Stopped(Exception):
    """Something that happens in the midst of a run."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the test, in which it runs."""
    monkeypatch.chdir(tmp_path)


def run(lines: int, stop: int | None = None, error: type[BaseException] = Stopped) -> int:
    """A run that writes so many *lines* in all, or fails at line *stop*: how many were kept."""
    with resumed("x", MADE_OF, ["in.yaml"]) as file:
        for number in range(file.kept, lines):
            if number == stop:
                raise error
            file.write(b"%d\n" % number)
        return file.kept


def whole(lines: int) -> bytes:
    return b"".join(b"%d\n" % number for number in range(lines))


@pytest.mark.parametrize("error", [Stopped, KeyboardInterrupt, Terminated, MemoryError])
def test_what_was_written_stays_after_any_error(error: type[BaseException]) -> None:
    with pytest.raises(error):
        run(100, 30, error)
    assert Path("x").read_bytes() == whole(30)
    assert run(100) == 30
    assert Path("x").read_bytes() == whole(100)


@pytest.mark.parametrize("name", ["x", "x.run"])
def test_neither_links_nor_folders_nor_inputs(name: str) -> None:
    os.symlink("elsewhere", name)
    with pytest.raises(BadTarget, match="is a symbolic link"):
        run(1)
    os.unlink(name)
    os.mkdir(name)
    with pytest.raises(BadTarget, match="is a folder"):
        run(1)
    os.rmdir(name)
    Path(name).write_text("problems: []\n")
    with pytest.raises(BadTarget, match="is read in the same call"):
        resumed("x", MADE_OF, [f"./{name}"]).__enter__()


def test_two_at_once() -> None:
    with resumed("x", MADE_OF, ["in.yaml"]) as file:
        file.write(b"0\n")
        with pytest.raises(BadTarget, match="is being written by another call"):
            run(5)
    assert Path("x").read_bytes() == whole(1)


def test_a_file_that_is_taken_away() -> None:
    opened = resumed("x", MADE_OF, ["in.yaml"])
    opened.__enter__().write(b"0\n")
    os.unlink("x")
    with pytest.raises(OutputFailed, match="taken away"):
        opened.__exit__(None, None, None)


def test_lines_are_written_together_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(journal, "monotonic", lambda: clock[0])
    synced: list[float] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(clock[0]))
    with resumed("x", MADE_OF, ["in.yaml"]) as file:
        synced.clear()
        file.write(b"0\n")
        assert not Path("x").read_bytes()
        clock[0] = journal.PAUSE
        file.write(b"1\n")
        assert Path("x").read_bytes() == whole(2)
        assert not synced
        clock[0] = journal.SYNC
        file.write(b"2\n")
        assert synced == [journal.SYNC]
        file.write(b"3" * journal.HELD + b"\n")
        assert len(Path("x").read_bytes()) > journal.HELD
