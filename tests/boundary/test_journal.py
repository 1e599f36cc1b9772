"""Files of lines that are gone on with, and work shared out to processes: nothing lost, nothing
twice, however a run or a worker ended."""

import os
import time
from collections.abc import Iterable, Iterator
from itertools import count
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from ddcalc.boundary import journal
from ddcalc.boundary.journal import origin, resumed
from ddcalc.boundary.workers import AHEAD, LARGEST, in_order, open_executor
from ddcalc.errors import BadTarget, OutputFailed

MADE_OF = origin("1.0", {"--steps": "full", "--answers": ""}, ["in.yaml"])


pytestmark = pytest.mark.usefixtures("folder")


def run(lines: int) -> int:
    """A run that writes so many *lines* in all: how many were kept."""
    with resumed("x", MADE_OF, ["in.yaml"]) as file:
        for number in range(file.kept, lines):
            file.write(b"%d\n" % number)
        return file.kept


def whole(lines: int) -> bytes:
    return b"".join(b"%d\n" % number for number in range(lines))


@pytest.mark.parametrize("name", ["x", "x.run"])
def test_neither_links_nor_folders_nor_inputs(name):
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


def test_two_at_once():
    with resumed("x", MADE_OF, ["in.yaml"]) as file:
        file.write(b"0\n")
        with pytest.raises(BadTarget, match="is being written by another call"):
            run(5)
    assert Path("x").read_bytes() == whole(1)


def test_a_file_that_is_taken_away():
    opened = resumed("x", MADE_OF, ["in.yaml"])
    opened.__enter__().write(b"0\n")
    os.unlink("x")
    with pytest.raises(OutputFailed, match="taken away"):
        opened.__exit__(None, None, None)


def test_lines_are_written_at_once(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(journal, "monotonic", lambda: clock[0])
    synced: list[float] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(clock[0]))
    with resumed("x", MADE_OF, ["in.yaml"]) as file:
        synced.clear()
        file.write(b"0\n")
        assert Path("x").read_bytes() == whole(1)
        assert not synced
        clock[0] = journal.SYNC
        file.write(b"1\n")
        assert Path("x").read_bytes() == whole(2)
        assert synced == [journal.SYNC]


# Work shared out to processes


def squared(number: int) -> int:
    if number < 0:
        raise ValueError(number)
    time.sleep(0.002 * (number % 3))
    return number * number


def named(numbers: Iterable[int | None]) -> Iterator[tuple[str, int | None]]:
    """Pieces with names that stay here."""
    return ((f"n{number}", number) for number in numbers)


def test_few_pieces_are_taken_ahead():
    taken = count()
    with open_executor(2) as executor:
        results = in_order(executor, squared, ((None, next(taken)) for _ in range(1000)))
        assert next(results) == (None, 0)
        assert next(taken) <= AHEAD * LARGEST * 3


def test_an_error_of_the_work_is_raised():
    with pytest.raises(ValueError, match="-7"), open_executor(2) as executor:
        list(in_order(executor, squared, named([-7, -8])))
    assert not active_children()


def large(number: int) -> bytes:
    return bytes(400_000)


def killed(children: Iterable[BaseProcess]) -> None:
    for child in children:
        child.kill()
        child.join()


def test_a_worker_that_ends_in_the_midst_of_a_result_holds_up_nobody():
    """Which a pipe does not take in one go; all processes of ProcessPoolExecutor share one."""
    with open_executor(2) as executor:
        for number, (_, result) in enumerate(in_order(executor, large, named(range(200)))):
            assert result == bytes(400_000)
            if number % 20 == 5:
                killed(active_children()[:1])


def test_workers_that_end_with_nothing_to_do_cost_no_piece_a_try():
    with open_executor(2) as executor:
        assert len(list(in_order(executor, squared, named(range(40))))) == 40
        killed(active_children())
        assert [result for _, result in in_order(executor, squared, named([3]))] == [9]
