"""Work shared out to processes: the order, what is tried again, and that nothing is left behind."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from multiprocessing import active_children

import pytest

from ddcalc.boundary.workers import AHEAD, LARGEST, in_order, open_executor


def squared(number: int) -> int:
    time.sleep(0.002 * (number % 3))
    return number * number


def wrong(number: int) -> int:
    raise ValueError(number)


def named(numbers: Iterable[int | None]) -> Iterator[tuple[str, int | None]]:
    """Pieces with names that stay here."""
    return ((f"n{number}", number) for number in numbers)


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
                    child.join()


def test_workers_that_end_with_nothing_to_do_cost_no_piece_a_try() -> None:
    with open_executor(2) as executor:
        assert len(list(in_order(executor, squared, named(range(40))))) == 40
        for child in active_children():
            child.kill()
            child.join()
        assert [result for _, result in in_order(executor, squared, named([3]))] == [9]
