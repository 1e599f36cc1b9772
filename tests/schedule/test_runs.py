"""What two runs share, counted by a witness that shares no code."""

from fractions import Fraction

import pytest
import witness_divergence as witness
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.errors import OverLimit
from ddcalc.types.schedules.divergence.model import Runs, same_operations, same_time

times = st.fractions(min_value=0, max_value=2, max_denominator=20)
starts = st.lists(times, min_size=1, max_size=6)
durations = st.fractions(min_value=Fraction(1, 5), max_value=1, max_denominator=20)

EXAM = [Fraction(15, 100), Fraction(1, 5), Fraction(1, 4), Fraction(1, 2)]
FIFTH = Fraction(1, 5)


def _counts(runs: Runs) -> tuple[int, int, int]:
    return len(runs.asynchronous), len(runs.sequential), runs.shared


@given(starts, durations, times)
def test_same_time_is_what_the_definition_says(
    starts: list[Fraction], duration: Fraction, horizon: Fraction
) -> None:
    runs = same_time(starts, duration, horizon)
    expected = witness.same_time(starts, duration, horizon)
    assert _counts(runs) == (len(expected.seen), expected.alone, expected.shared)
    _check_reads(runs, expected)


@given(starts, durations, st.integers(0, 9))
def test_same_operations_is_what_the_definition_says(
    starts: list[Fraction], duration: Fraction, count: int
) -> None:
    runs = same_operations(starts, duration, count)
    expected = witness.same_operations(starts, duration, count)
    assert _counts(runs) == (count, count, expected.shared)
    _check_reads(runs, expected)


def _check_reads(runs: Runs, expected: witness.Witness) -> None:
    reads = {op.data: frozenset(range(1, op.seen + 1)) for op in runs.asynchronous}
    assert reads == expected.seen


def test_points_have_the_sequential_name_as_far_as_the_runs_agree() -> None:
    runs = same_time(EXAM, FIFTH, Fraction(3, 5))
    assert [runs.point(seen).name for seen in (0, 1, 2)] == ["x_0", "x_1", "y_2"]
    assert (runs.matched, runs.longest, runs.unmatched) == (3, 5, 2)


@pytest.mark.parametrize(("starts", "horizon"), [([0] * 60, 2000), ([9**9], 100_001)])
def test_schedules_that_are_too_long_are_refused(starts: list[int], horizon: int) -> None:
    with pytest.raises(OverLimit):
        same_time(starts, 1, horizon)
