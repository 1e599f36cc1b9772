"""Files that are written piece by piece: whole at the end, and after Ctrl-C as far as they came."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_files import OLD, first_line, started, strays

from ddcalc.boundary import files
from ddcalc.boundary.signals import Terminated
from ddcalc.errors import OutputFailed

PIECES = [b"one\n", b"", b"two\n" * 5000, b"three"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the test, in which it runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(then: Callable[[], object], *, force: bool = False) -> None:
    """A file with one piece, and *then* something happens."""
    with files.opened("x", force=force) as file:
        file.write(b"one\n")
        then()


def failing(error: BaseException | type[BaseException]) -> Callable[[], object]:
    def fail() -> None:
        raise error

    return fail


def test_pieces_make_the_file() -> None:
    with files.opened("x") as file:
        for piece in PIECES:
            file.write(piece)
            assert os.listdir() == strays()  # it has no name yet
        assert file.size == sum(map(len, PIECES))
    assert os.listdir() == ["x"]
    assert Path("x").read_bytes() == b"".join(PIECES)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt, Terminated])
def test_what_is_written_stays_after_an_interruption(
    error: type[BaseException], force: bool
) -> None:
    if force:
        Path("x").write_text(OLD)
    with pytest.raises(error):
        written(failing(error), force=force)
    assert (os.listdir(), Path("x").read_bytes()) == (["x"], b"one\n")


@pytest.mark.parametrize("error", [ValueError, OutputFailed("x", "why"), MemoryError])
def test_nothing_stays_after_another_error(error: BaseException | type[BaseException]) -> None:
    Path("x").write_text(OLD)
    kind = error if isinstance(error, type) else type(error)
    with pytest.raises(kind):
        written(failing(error), force=True)
    assert (os.listdir(), Path("x").read_text()) == (["x"], OLD)


LOOP = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()  # which signals may reach
from ddcalc.boundary.signals import Terminated, interruptible
print("ready", flush=True)
try:
    with interruptible(), files.opened("x", force=True) as file:
        for i in range(10_000_000):
            file.write(f"{i:07d}\\n".encode() * 20_000)
except KeyboardInterrupt:
    os._exit(130)
except Terminated:
    os._exit(143)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_at_random_moments(number: signal.Signals, code: int) -> None:
    """Whole pieces, and all of those before them."""
    moments = random.Random(number)
    for _ in range(4):
        Path("x").unlink(missing_ok=True)
        process = started(LOOP)
        assert first_line(process) == "ready\n"
        time.sleep(0.01 + moments.random() * 0.1)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (code, "")
        assert not strays()
        content = Path("x").read_bytes()
        pieces = len(content) // 160_000
        assert len(content) == pieces * 160_000
        for i in range(pieces):
            piece = content[i * 160_000 : (i + 1) * 160_000]
            assert piece == f"{i:07d}\n".encode() * 20_000


def test_killed() -> None:
    Path("x").write_text(OLD)
    process = started(LOOP)
    assert first_line(process) == "ready\n"
    time.sleep(0.05)
    process.kill()
    process.communicate()
    assert Path("x").read_text() == OLD
    assert len(strays()) == 1
    files.write("y", "")
    assert not strays()
