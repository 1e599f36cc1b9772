"""The days of the workers against the witness, which plays on and cuts at the horizon."""

from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import witness_schemes
from hypothesis import given
from hypothesis import settings as running
from hypothesis import strategies as st
from playing import machine, scheme, settings
from witness_schemes import Record, Setting

from ddcalc.schedule.play import engine
from ddcalc.schedule.tally import tally

LONGER = 100  # than everything that is under way at the horizon


def _expected(records: Sequence[Record], worker: int, horizon: int) -> Counter[str]:
    day: Counter[str] = Counter()
    for record in records:
        asked, released, hold, start, ends, end, arrived, *_, update = _times(record)
        if record[0] != worker:
            continue
        held = _until(horizon, *hold[:2]) if hold else 0
        day["held"] += held
        day["served"] += _until(horizon, asked, released) - held
        day["moves"] += _until(horizon, released, start) + _until(horizon, end, arrived)
        day["computes"] += _until(horizon, start, end)
        day["clocks"] += sum(each <= horizon for each in ends or (end,))
        day["uploads"] += arrived <= horizon and update >= 0
    return day


def _times(record: Record) -> tuple[Any, ...]:
    return record[3:]


def _until(horizon: int, start: int, end: int) -> int:
    return max(min(end, horizon) - min(start, horizon), 0)


@running(max_examples=300)
@given(settings(), st.integers(0, 40))
def test_no_time_before_the_horizon_is_lost(setting: Setting, horizon: int) -> None:
    run = engine(scheme(setting), machine(setting), [cycle(own) for own in setting.times])
    counted = tally(run, horizon)
    records = witness_schemes.played(setting, horizon + LONGER)
    for worker, day in enumerate(counted.days, 1):
        expected = _expected(records, worker, horizon)
        for name in ("held", "served", "moves", "computes", "uploads"):
            assert getattr(day, name) == expected[name], name
        assert day.clocks == expected["clocks"] or setting.scheme == "cancel"
        spent = day.held + day.served + day.moves + day.computes
        assert spent == max(horizon - setting.starts[worker - 1], 0)
