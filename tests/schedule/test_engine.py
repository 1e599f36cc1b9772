"""Asynchronous workers without transfers, against known answers and plain counting."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import until

from ddcalc.errors import OverLimit
from ddcalc.numbers.number import Number
from ddcalc.schedule.engine import EXPLAINED, Engine, check_length, engine
from ddcalc.schedule.gradient import Machine, Order, Time
from ddcalc.schedule.scheme import asynchronous
from ddcalc.schedule.times import common_unit, in_units
from ddcalc.types.schedules.divergence.model import updates_until

EXAM: list[Number] = [Fraction(15, 100), Fraction(1, 5), Fraction(1, 4), Fraction(1, 2)]
FIFTH = Fraction(1, 5)

times = st.fractions(min_value=0, max_value=3, max_denominator=12)
durations = st.fractions(min_value=Fraction(1, 6), max_value=2, max_denominator=12)


def lock_free(
    starts: Sequence[Time], periods: Sequence[Time], order: Order = "writes_first"
) -> Engine:
    machine = Machine(starts, order=order)
    return engine(asynchronous(), machine, [repeat(period) for period in periods])


def test_exam_sheet() -> None:
    unit = common_unit(*EXAM, FIFTH)
    run = lock_free([in_units(start, unit) for start in EXAM], [in_units(FIFTH, unit)] * 4)
    written = until(run, in_units(Fraction(3, 5), unit))
    assert [(g.worker, g.data, g.start / unit, g.seen) for g in written] == [
        (1, 1, 0.15, 0),
        (2, 2, 0.2, 0),
        (3, 3, 0.25, 0),
        (1, 4, 0.35, 1),
        (2, 5, 0.4, 2),
    ]


def test_floats_lose_the_update_that_ends_exactly_at_the_horizon() -> None:
    run = lock_free([float(start) for start in EXAM], [0.2] * 4)
    assert len(until(run, 0.6)) == 4


def test_ties_go_by_worker() -> None:
    first = islice(lock_free([1, 1, 0], [2, 2, 3]).gradients(), 4)
    assert [(g.worker, g.data, g.written) for g in first] == [
        (1, 2, 3),
        (2, 3, 3),
        (3, 1, 3),
        (1, 4, 5),
    ]


@pytest.mark.parametrize(
    ("order", "seen"),
    [
        ("writes_first", [(1, 0), (2, 0), (3, 2), (4, 2), (5, 2)]),
        ("in_turn", [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2)]),
    ],
)
def test_reads_at_an_instant_see_its_writes_or_those_of_earlier_workers(
    order: Order, seen: list[tuple[int, int]]
) -> None:
    run = lock_free([0, 0, 1], [1, 1, 1], order)
    assert [(g.data, g.seen) for g in islice(run.gradients(), 5)] == seen


@given(st.lists(times, min_size=1, max_size=5), durations, times)
def test_counting_agrees_with_playing(
    starts: list[Fraction], duration: Fraction, horizon: Fraction
) -> None:
    unit = common_unit(*starts, duration, horizon)
    run = lock_free([in_units(s, unit) for s in starts], [in_units(duration, unit)] * len(starts))
    assert updates_until(starts, duration, horizon) == len(until(run, in_units(horizon, unit)))


def test_limit_on_updates() -> None:
    check_length(EXPLAINED, "horizon")
    with pytest.raises(OverLimit, match="100 001 updates are too many; at most 100 000") as caught:
        check_length(EXPLAINED + 1, "horizon")
    assert (caught.value.parameter, caught.value.kind) == ("horizon", "limit")


def test_no_workers_make_no_updates() -> None:
    assert list(lock_free([], []).gradients()) == []
