"""Work shared out to processes: the order, what is tried again, and that nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest

from ddcalc.boundary.workers import AHEAD, LARGEST, WorkerEnded, in_order, open_executor


def squared(number: int) -> int:
    time.sleep(0.002 * (number % 3))
    return number * number


def killed_once(folder: str, number: int) -> int:
    """Ends its process where *number* is 5 and no file says that it did; always where it is 8."""
    mark = Path(folder, "killed")
    if number == 8 or (number == 5 and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def wrong(number: int) -> int:
    raise ValueError(number)


def named(numbers: Iterable[int | None]) -> Iterator[tuple[str, int | None]]:
    """Pieces with names that stay here."""
    return ((f"n{number}", number) for number in numbers)


def test_results_come_in_the_order_of_the_pieces() -> None:
    """None among them keeps its place."""
    pieces = [*range(40), None, *range(40)]
    results = [(f"n{piece}", None if piece is None else piece * piece) for piece in pieces]
    assert list(in_order(None, squared, named(pieces))) == results
    with open_executor(2) as executor:
        assert list(in_order(executor, squared, named(pieces))) == results
        assert not list(in_order(executor, squared, []))
    assert not active_children()


def test_few_pieces_are_taken_ahead() -> None:
    taken = []

    def pieces() -> Iterator[tuple[None, int]]:
        for number in range(1000):
            taken.append(number)
            yield None, number

    with open_executor(2) as executor:
        results = in_order(executor, squared, pieces())
        assert next(results) == (None, 0)
        assert len(taken) <= AHEAD * LARGEST * 3


def test_a_piece_whose_worker_ends_is_tried_by_itself(tmp_path: Path) -> None:
    with open_executor(2) as executor:
        work = partial(killed_once, str(tmp_path))
        results = [result for _, result in in_order(executor, work, named(range(12)))]
    lost = results.pop(8)
    assert isinstance(lost, WorkerEnded)
    assert (lost.exit_code, results) == (-signal.SIGKILL, [*range(8), 9, 10, 11])
    assert not active_children()


def test_an_error_of_the_work_is_raised() -> None:
    with pytest.raises(ValueError, match="7"), open_executor(2) as executor:
        list(in_order(executor, wrong, named([7, 8])))
    assert not active_children()


def large(number: int) -> bytes:
    return bytes(400_000)


def test_a_worker_that_ends_in_the_midst_of_a_result_holds_up_nobody() -> None:
    """Which a pipe does not take in one go; all processes of ProcessPoolExecutor share one."""
    with open_executor(2) as executor:
        for number, (_, result) in enumerate(in_order(executor, large, named(range(200)))):
            assert result == bytes(400_000)
            if number % 20 == 5:
                for child in active_children()[:1]:
                    child.kill()


CALL = """
from time import sleep
from ddcalc.boundary.signals import Terminated, interruptible
from ddcalc.boundary.workers import in_order, open_executor

if __name__ == "__main__":
    code = 0
    try:
        with interruptible(), open_executor(3) as executor:
            print("begun", flush=True)
            for _ in in_order(executor, sleep, [(None, 30)] * 9):
                pass
    except KeyboardInterrupt:
        code = 130
    except Terminated:
        code = 143
    raise SystemExit(code)
"""


@pytest.mark.parametrize("after", [0, 0.01, 0.1])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_all_end_with_their_parent(number: signal.Signals, after: float, tmp_path: Path) -> None:
    """At any moment, also while processes begin; a signal to all of them is told by the parent."""
    (tmp_path / "call.py").write_text(CALL)
    process = subprocess.Popen(
        [sys.executable, tmp_path / "call.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)},
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    if number == signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, number)  # as a terminal does
    out, err = process.communicate(timeout=20)  # when the last one has closed the pipes
    codes = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
    assert (process.returncode, out) == (codes[number], b"")
    assert not err or number == signal.SIGKILL  # Python itself tells of one that had just begun
    until = time.monotonic() + 5
    while in_session(process.pid):
        assert time.monotonic() < until
        time.sleep(0.02)


def in_session(leader: int) -> list[str]:
    """The processes of the session that are left."""
    left = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(leader) and fields[0] != "Z":
            left.append(path.parent.name)
    return left
