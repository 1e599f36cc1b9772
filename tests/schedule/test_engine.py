"""Asynchronous workers without transfers, against known answers and plain counting."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import until

from ddcalc.errors import OverLimit
from ddcalc.schedule.engine import EXPLAINED, Engine, check_length, engine
from ddcalc.schedule.gradient import Machine, Order, Time
from ddcalc.schedule.scheme import asynchronous
from ddcalc.schedule.times import common_unit, in_units
from ddcalc.types.schedules.divergence.model import updates_until

times = st.fractions(min_value=0, max_value=3, max_denominator=12)
durations = st.fractions(min_value=Fraction(1, 6), max_value=2, max_denominator=12)


def lock_free(
    starts: Sequence[Time], periods: Sequence[Time], order: Order = "writes_first"
) -> Engine:
    machine = Machine(starts, order=order)
    return engine(asynchronous(), machine, [repeat(period) for period in periods])


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
