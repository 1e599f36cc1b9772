"""Runs counted on arrays against the event engine, which plays every event: random schedules full
of ties, in blocks of all sizes, cut off at a horizon or at an update."""

from __future__ import annotations

from dataclasses import fields
from itertools import cycle, islice
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import machine, scheme, settings
from witness_schemes import Setting

from ddcalc.schedule import leap, leap_overlapping
from ddcalc.schedule.counting import Task, leap_of
from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Gradient, Machine, Order
from ddcalc.schedule.leap import Leap
from ddcalc.schedule.leap_overlapping import OneByOne, RoundByRound
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.streams import Cycle, streams, uniform
from ddcalc.schedule.tally import Day, Tally, begin, play_on, tally
from ddcalc.schedule.times import Drawn, Fixed, Law, Times
from ddcalc.schedule.watching import watch

SCHEMES = ("sync", "async", "ssp", "local_sgd", "drop", "reuse", "cancel")
NAMES = tuple(field.name for field in fields(Tally))


def _counted(run: Tally) -> dict[str, Any]:
    """All of *run*; of data numbers only whether a computation is begun."""
    values = {name: getattr(run, name) for name in NAMES}
    for name in ("first", "pending"):
        values[name] = sorted(map(_plain, values[name]))
    values["drawn"] = [list(map(_plain, lane)) for lane in run.drawn]
    waits = [{by: time for by, time in day.waits.items() if time} for day in run.days]
    for day, nonzero in zip(run.days, waits, strict=True):
        day.waits = nonzero
    return {**values, "waits": [list(wait.items()) for wait in waits], "begun": run.begun}


def _plain(gradient: Gradient) -> Gradient:
    if gradient.data:
        return gradient._replace(data=1)
    return gradient._replace(seen=0, ahead=0)  # what a worker that has not begun had read before


def _kinds(setting: Setting) -> list[type[Leap]]:
    """Whatever counts a run on arrays."""
    kind = leap_of(scheme(setting), machine(setting))
    return [] if kind is None else [OneByOne, kind] if kind is RoundByRound else [kind]


def _leapt(
    kind: type[Leap], setting: Setting, horizon: int | None, nth: int | None, goal: int
) -> tuple[Tally, int]:
    """The run counted on arrays, and how many computations it has."""
    which, where = scheme(setting), machine(setting)
    counted = Tally(horizon or 0, [Day() for _ in setting.starts], goal=goal)
    run = kind(which, where, [Cycle(list(row)) for row in setting.times], counted)
    played = max(run.play(horizon, nth), default=0)
    play_on(run.engine(), counted, horizon, nth)
    times = [cycle(row) for row in setting.times]
    begin(engine(which, where, times), counted, nth if horizon is None else None)
    return counted, played


def _compare(setting: Setting, horizon: int | None, nth: int | None, goal: int) -> int:
    """Compare both ways of counting; how many computations were counted on arrays."""
    played = 0
    for kind in _kinds(setting):
        leapt, played = _leapt(kind, setting, horizon, nth, goal)
        run = engine(scheme(setting), machine(setting), [cycle(row) for row in setting.times])
        assert _counted(leapt) == _counted(tally(run, horizon, nth, goal))
    return played


@pytest.fixture(autouse=True)
def _monkey(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that a run has many of them."""
    monkeypatch.setattr(leap, "BLOCK", 5)


@given(settings(SCHEMES), st.integers(1, 90), st.integers(1, 30), st.integers(1, 60))
def test_until_a_horizon(setting: Setting, horizon: int, nth: int, goal: int) -> None:
    _compare(setting, horizon, nth, goal)


@given(settings(SCHEMES), st.integers(1, 50), st.integers(1, 60))
def test_until_an_update(setting: Setting, nth: int, goal: int) -> None:
    _compare(setting, None, nth, goal)


def _random(chance: Random, name: str) -> Setting:
    """A schedule in which much happens at one instant, or little."""
    workers, longest = chance.randint(1, 5), chance.choice([3, 6, 1000])
    rows = [
        tuple(chance.randint(1, longest) for _ in range(chance.randint(1, 4)))
        for _ in range(workers)
    ]
    late = chance.random() < 0.5
    starts = [late * chance.randint(0, 2 * workers) for _ in range(workers)]
    number = chance.randint(0, 3) if name == "ssp" else chance.randint(1, workers)
    lengths = [chance.choice([0, 0, chance.randint(0, 3)]) for _ in range(4)]
    orders = ["in_turn", "in_turn", "writes_first"]
    return Setting(
        name, number, starts, rows, *lengths, chance.random() < 0.6, chance.choice(orders),
        chance.choice(["start", "arrival"]),
    )  # fmt: skip


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("block", [1, 7, 50, 10_000])
def test_thousands_of_schedules(name: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leap, "BLOCK", block)
    chance, played = Random(f"{name}/{block}"), 0
    for _ in range(120):
        setting = _random(chance, name)
        nth = chance.randint(1, 80)
        horizon = chance.randint(1, 40) * max(map(max, setting.times))
        played += _compare(setting, horizon, nth, chance.randint(1, 100))
        played += _compare(setting, None, nth, chance.randint(1, 100))
    assert played > 1000


@pytest.mark.parametrize("name", ["drop", "reuse"])
@pytest.mark.parametrize("block", [1, 50])
def test_all_workers_of_a_round_at_once(
    name: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only many workers are worth."""
    monkeypatch.setattr(leap_overlapping, "MANY", 1)
    monkeypatch.setattr(leap_overlapping, "AHEAD", 3)
    test_thousands_of_schedules(name, block, monkeypatch)


LAWS = [
    Law("exponential"),
    Law("shifted_exponential", shift=1),
    Law("uniform", spread=2),
    Law("normal", spread=5),
    Law("lognormal", spread=3),
    Law("pareto", tail=2),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_blocks_hold_the_times_that_are_drawn_one_by_one(law: Law) -> None:
    times = Drawn([2, 3], law, 7)
    unit = 3 * times.unit
    for stream, exact in zip(streams(times, unit), times.exact(unit), strict=True):
        blocks = [time for count in (1, 5000, 300) for time in stream.take(count).tolist()]
        assert blocks == list(islice(exact, 5301))
        assert list(islice(stream, 300)) == list(islice(exact, 300))


def test_uniform_numbers_are_those_of_the_generator() -> None:
    one, other = Random("seed"), Random("seed")
    assert uniform(one, 1000).tolist() == [other.random() for _ in range(1000)]
    assert one.random() == other.random()


def _task(which: Scheme, times: Times, unit: int, **more: Any) -> Task:
    where = Machine([0] * times.workers, down=2, up=1)
    fields = {"horizon": 20_000, "nth": None, "goal": None, "most": 10**6, "foreseen": 10**5}
    return Task(which, where, times, unit, **{**fields, **more})


@pytest.mark.parametrize(
    "which",
    [asynchronous(), ssp(1), sync(3), local_sgd(3, 2), k_of_n(2, "drop"), k_of_n(2, "cancel")],
    ids=lambda which: which.label,
)
def test_times_that_do_not_fit_are_played_event_by_event(which: Scheme) -> None:
    """In units so small that times have more than 64 bits the same happens."""
    times, long = Fixed([(3,), (4, 5), (2, 2, 7)]), 10**20
    small = _task(which, times, 1).counted()
    large = _task(which, times, long, horizon=20_000 * long)
    where = Machine([0] * 3, down=2 * long, up=long)
    counted = Task(which, where, times, long, large.horizon, None, None, 10**6, 10**5).counted()
    assert (counted.used, counted.staleness) == (small.used, small.staleness)
    assert [day.computes for day in counted.days] == [day.computes * long for day in small.days]


def test_a_run_that_is_too_long_is_given_up() -> None:
    with pytest.raises(OverflowError):
        _task(asynchronous(), Fixed([(1,), (2,)]), 1, most=1000).counted()


@pytest.mark.parametrize("late", ["drop", "reuse"])
@pytest.mark.parametrize("workers", [40, 9])
def test_many_workers_and_large_times(workers: int, late: Late) -> None:
    """Times that floats do not hold are counted too, and rounds of which most workers are late."""
    chance = Random(workers)
    for size in (10, 10**9, 10**13):
        rows = [tuple(chance.randint(1, size) for _ in range(7)) for _ in range(workers)]
        setting = Setting(late, 5, [0] * workers, rows, 0, 0, 0, 0, True, "in_turn", "arrival")
        assert RoundByRound in _kinds(setting)
        assert _compare(setting, None, 400, 1000) > 1000


class Watching:
    """Who watches, and is told of so many computations."""

    foreseen = counted = 0

    def expect(self, more: int) -> None:
        self.foreseen += more

    def played(self, more: int) -> None:
        self.counted += more

    def seek(self, noun: str, most: int) -> None:
        raise AssertionError(noun)

    def tried(self) -> None:
        raise AssertionError


@pytest.mark.parametrize("order", ["in_turn", "writes_first"])
def test_a_long_run_tells_how_far_it_is(order: Order) -> None:
    """On arrays, and event by event where nothing else counts it."""
    where, times = Machine([0] * 3, order=order), Fixed([(3,), (4, 5), (2, 2, 7)])
    task = Task(k_of_n(2, "drop"), where, times, 1, 20_000, None, None, 10**6, 10**5)
    token = watch.set(watching := Watching())
    try:
        counted = task.counted()
    finally:
        watch.reset(token)
    assert 0.8 < watching.counted / counted.played <= 1
