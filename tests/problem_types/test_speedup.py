"""speedup and scaling against processors that work off tasks, one tick after the other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, refusals, results

SMALL = st.integers(1, 12)


def ticks(serial: int, shared: int, processors: int, pause: int = 0) -> int:
    """How long *processors* take for *serial* tasks, done by the first of them, and then for
    *shared* ones, which they take from one heap, one a tick; where there are several, *pause*
    ticks more are lost."""
    passed, heap = 0, shared
    for _ in range(serial):
        passed += 1
    while heap:
        passed += 1
        for _ in range(processors):
            heap -= bool(heap)
    return passed + (pause if processors > 1 else 0)


@st.composite
def jobs(draw: st.DrawFn) -> tuple[int, int, int]:
    """Serial tasks, shared ones that the processors can share equally, and the processors."""
    processors = draw(SMALL)
    return draw(st.integers(0, 30)), processors * draw(st.integers(1, 9)), processors


@settings(max_examples=200, deadline=None)
@given(job=jobs(), pause=st.integers(0, 20))
def test_the_same_work(job: tuple[int, int, int], pause: int) -> None:
    serial, shared, processors = job
    alone, together = ticks(serial, shared, 1), ticks(serial, shared, processors)
    stated: dict[str, Any] = {"processors": processors, "serial": Fraction(serial, alone)}
    answers = results("speedup", **stated, one=f"{alone} s")
    assert answers["speedup"] == Fraction(alone, together)
    assert answers["efficiency"] == Fraction(alone, together * processors)
    assert answers["time"] == together
    assert answers["limit"] == (Fraction(alone, serial) if serial else None)
    slower = results("speedup", **stated, one=f"{alone} s", communication=f"{pause} s")
    with_pause = ticks(serial, shared, processors, pause)
    assert (slower["ideal"], slower["time"]) == (answers["speedup"], with_pause)
    assert slower["speedup"] == Fraction(alone, with_pause)
    assert slower["computing"] == together
    never_shared = serial + pause
    assert slower["limit"] == (Fraction(alone, never_shared) if never_shared else None)


@settings(max_examples=200, deadline=None)
@given(serial=st.integers(0, 30), item=SMALL, processors=SMALL, pause=st.integers(0, 20))
def test_work_that_grows(serial: int, item: int, processors: int, pause: int) -> None:
    before = ticks(serial, item, 1)
    alone = ticks(serial, item * processors, 1)
    together = ticks(serial, item * processors, processors)
    stated: dict[str, Any] = {"law": "gustafson", "processors": processors}
    stated |= {"serial": Fraction(serial, before), "one": f"{before} s"}
    answers = results("speedup", **stated)
    assert answers["speedup"] == Fraction(alone, together)
    assert (answers["time"], answers["work"]) == (together, alone)
    slower = results("speedup", **stated, communication=f"{pause} s")
    paused = ticks(serial, item * processors, processors, pause)
    assert slower["speedup"] == Fraction(alone, paused)
    assert (slower["time"], slower["work"]) == (paused, alone)
    assert slower["computing"] == together
    assert "limit" not in answers


@settings(max_examples=200, deadline=None)
@given(job=jobs(), more=SMALL, law=st.sampled_from(["amdahl", "gustafson"]))
def test_from_what_was_measured(job: tuple[int, int, int], more: int, law: str) -> None:
    serial, shared, measured_on = job
    if measured_on == 1:
        return
    grown = measured_on if law == "gustafson" else 1
    alone = ticks(serial, shared * grown, 1)
    together = ticks(serial, shared * grown, measured_on)
    fraction = Fraction(serial, ticks(serial, shared, 1))
    stated: dict[str, Any] = {"law": law, "processors": more}
    measured = {"measured": Fraction(alone, together), "measured_on": measured_on}
    answers = results("speedup", **stated, **measured)
    assert answers["experimental"] == fraction
    assert answers["speedup"] == results("speedup", **stated, serial=fraction)["speedup"]


def levels(processors: int) -> int:
    """The levels of a tree by which one message has reached all processors."""
    reached, rounds = 1, 0
    while reached < processors:
        reached, rounds = 2 * reached, rounds + 1
    return rounds


@settings(max_examples=100, deadline=None)
@given(
    serial=st.integers(0, 50),
    shared=st.integers(1, 500),
    pause=st.integers(1, 20),
    law=st.sampled_from(["amdahl", "gustafson"]),
)
def test_communication_that_grows(serial: int, shared: int, pause: int, law: str) -> None:
    one = serial + shared
    times = {}
    for processors in range(1, 40):
        talking = processors if processors > 1 else 0
        for growth, paused in (("each", talking), ("tree", levels(processors))):
            answers: dict[str, Any] = results(
                "speedup", processors=processors, serial=Fraction(serial, one), one=one,
                communication=pause, growth=growth, law=law,
            )  # fmt: skip
            work = one if law == "amdahl" else serial + shared * processors
            busy = serial + Fraction(shared, processors) if law == "amdahl" else one
            time = busy + paused * pause
            assert (answers["time"], answers["speedup"]) == (time, Fraction(work) / time)
            times[growth, processors] = time
    if law == "amdahl":
        best = min(range(1, 40), key=lambda p: times["each", p])
        stated: dict[str, Any] = {"serial": Fraction(serial, one), "one": one, "growth": "each"}
        answers = results("speedup", processors=8, communication=pause, **stated)
        if best < 39:
            assert (answers["best"], answers["soonest"]) == (best, times["each", best])
            assert (
                abs(best - float(answers["optimum"])) < 1
            )  # convex, so a neighbour of the minimum


@settings(max_examples=100, deadline=None)
@given(job=jobs(), pause=st.integers(1, 20))
def test_what_is_lost_besides_shows_in_the_fraction(job: tuple[int, int, int], pause: int) -> None:
    serial, shared, processors = job
    if processors == 1:
        return
    alone, together = ticks(serial, shared, 1), ticks(serial, shared, processors, pause)
    if together > alone:
        return
    stated: dict[str, Any] = {"serial": Fraction(serial, alone), "processors": processors}
    answers = results(
        "speedup", **stated, measured=Fraction(alone, together), measured_on=processors
    )
    lost = Fraction(pause, alone) * Fraction(processors, processors - 1)
    assert answers["experimental"] == Fraction(serial, alone) + lost
    assert answers["speedup"] == results("speedup", **stated)["speedup"]


@settings(max_examples=200, deadline=None)
@given(
    runs=st.lists(st.tuples(SMALL, st.integers(0, 5)), min_size=1, max_size=6),
    serial=st.integers(0, 20),
    shared=st.integers(1, 60),
    grows=st.booleans(),
)
def test_a_series_of_runs(
    runs: list[tuple[int, int]], serial: int, shared: int, grows: bool
) -> None:
    processors = [run for run, _ in runs]
    tasks = [shared * run if grows else shared for run in processors]
    taken = [
        ticks(serial, work, run, pause) for work, (run, pause) in zip(tasks, runs, strict=True)
    ]
    answers: dict[str, Any] = results(
        "scaling",
        processors=processors,
        times=[f"{time} s" for time in taken],
        work="grows" if grows else "same",
    )
    scales = [Fraction(run, processors[0]) for run in processors]
    speeds = [Fraction(work, time) for work, time in zip(tasks, taken, strict=True)]
    gains = [speed / speeds[0] for speed in speeds]
    assert answers["gains"] == gains
    assert answers["efficiencies"] == [g / s for g, s in zip(gains, scales, strict=True)]
    assert answers["efficiency"] == answers["efficiencies"][-1]
    for gain, scale, fraction in zip(gains, scales, answers["fractions"], strict=True):
        if scale == 1:
            assert fraction is None
        elif fraction is not None:  # of the time of one processor
            first, run = (
                fraction + (1 - fraction) * (n if grows else Fraction(1, n))
                for n in (processors[0], scale * processors[0])
            )
            assert gain == (run / first if grows else first / run)


@settings(max_examples=100, deadline=None)
@given(job=jobs(), ahead=st.integers(1, 12))
def test_what_comes_next(job: tuple[int, int, int], ahead: int) -> None:
    serial, shared, processors = job
    shared *= 27720  # so that up to 12 processors share it equally
    runs = {n: Fraction(serial) + Fraction(shared, n) for n in (1, processors, ahead)}
    stated: dict[str, Any] = {"processors": [1, processors], "ahead": ahead}
    times = [f"{runs[1]} s", f"{runs[processors]} s"]
    answers = results("scaling", **stated, times=times)
    assert answers["predicted"] == (runs[1] / runs[ahead] if processors > 1 else None)
    speedups = [1, runs[1] / runs[processors]]
    assert results("scaling", **stated, speedups=speedups)["predicted"] == answers["predicted"]


def test_nothing_is_predicted_from_more_than_a_fair_share() -> None:
    answers = results("scaling", processors=[1, 4], speedups=[1, 5], ahead=8)
    assert (answers["fraction"], answers["predicted"]) == (Fraction(-1, 15), None)
    grown = results("scaling", processors=[2, 4], rates=[3, 5], work="grows", ahead=8)
    assert (grown["fraction"], grown["predicted"]) == (Fraction(1, 2), 3)


def test_kinds_of_measurement_agree() -> None:
    processors = [2, 4, 8]
    by_times = results("scaling", processors=processors, times=["12 s", "7 s", "5 s"])
    rates = [Fraction(1, 12), Fraction(1, 7), Fraction(1, 5)]
    by_rates = results("scaling", processors=processors, rates=rates)
    kept = by_times.keys() - {"times"}
    assert {name: by_times[name] for name in kept} == {name: by_rates[name] for name in kept}
    alone = [Fraction(24, 12), Fraction(24, 7), Fraction(24, 5)]  # had one taken 24 s
    by_speedups = results("scaling", processors=processors, speedups=alone)
    assert by_speedups["efficiencies"] == by_times["efficiencies"]
    assert by_speedups["efficiencies"] == [1, Fraction(6, 7), Fraction(3, 5)]


def test_the_serial_fraction_is_of_one_processor_whatever_the_first_run_is() -> None:
    times = ["325 ms", "212.5 ms", "156.25 ms"]
    answers = results("scaling", processors=[4, 8, 16], times=times)
    tenth = Fraction(1, 10)
    assert answers["fractions"] == [None, tenth, tenth]
    assert answers["parts"] == [None, Fraction(4, 13), Fraction(4, 13)]
    grown = results("scaling", processors=[4, 8], rates=["3.7", "7.3"], work="grows")
    assert grown["fraction"] == tenth


def test_runs_that_no_serial_part_explains() -> None:
    slow = results("scaling", processors=[2, 4], times=["1 s", "2 s"], ahead=8)
    fast = results("scaling", processors=[2, 4], rates=[1, 4], work="grows", ahead=8)
    for answers in (slow, fast):
        assert (answers["fraction"], answers["predicted"]) == (None, None)


def test_the_best_number_of_processors_is_whole_and_one_at_least() -> None:
    stated: dict[str, Any] = {"processors": 8, "serial": "0.1", "one": "1 s", "growth": "each"}
    for pause, best in ("2 s", 1), ("225 ms", 1), ("224 ms", 2), ("10 ms", 9):
        answers: dict[str, Any] = results("speedup", **stated, communication=pause)
        assert answers["best"] == best
        assert answers["optimum"] >= 1
        assert (answers["soonest"] == 1) == (best == 1)
    free = results("speedup", **stated, communication="0 s")
    assert (free["best"], free["optimum"], free["soonest"]) == (None, None, None)


@pytest.mark.parametrize(
    ("given", "parameter", "message"),
    [
        ({"processors": 8}, None, "serial or measured"),
        ({"processors": 8, "measured": 3}, None, "measured_on"),
        ({"processors": 8, "serial": 0.1, "measured_on": 4}, None, "measured"),
        ({"processors": 8, "measured": 5, "measured_on": 4}, "measured", "more than 4 processors"),
        ({"processors": 8, "serial": 0.1, "communication": "2 ms"}, None, "one"),
        ({"processors": 8, "serial": 0.1, "law": "moore"}, "law", "amdahl"),
    ],
)
def test_speedup_refused(given: dict[str, Any], parameter: str | None, message: str) -> None:
    [(name, text)] = refusals("speedup", **given)
    assert parameter in (name, None)
    assert message in text


@pytest.mark.parametrize(
    ("given", "parameter", "message"),
    [
        ({"processors": [2, 4]}, None, "times or speedups or rates"),
        ({"processors": [2, 4], "times": ["1 s"]}, "times", "one value for each run"),
        (
            {"processors": [2, 4], "speedups": [1, 2], "rates": [1, 2]},
            "rates",
            "one kind only",
        ),
    ],
)
def test_scaling_refused(given: dict[str, Any], parameter: str | None, message: str) -> None:
    [(name, text)] = refusals("scaling", **given)
    assert parameter in (name, None)
    assert message in text


RUNS = st.integers(1, 6)


@settings(max_examples=200, deadline=None)
@given(
    first=RUNS, last=RUNS, times=st.tuples(RUNS, RUNS), work=st.sampled_from(["same", "grows"]),
    kind=st.sampled_from(["times", "speedups"]),
)  # fmt: skip
def test_why_nothing_is_predicted(
    first: int, last: int, times: tuple[int, int], work: str, kind: str
) -> None:
    """With a serial part a run lies between as fast as the base and as fast as its share."""
    if kind == "speedups":
        first, gain = 1, Fraction(*times) if last > 1 else Fraction(1)
        stated: dict[str, Any] = {"speedups": [1, gain]}
    else:
        stated = {"times": [f"{time} s" for time in times]}
        gain = Fraction(*times) * (Fraction(last, first) if work == "grows" else 1)
    low, high = sorted([Fraction(1), Fraction(last, first)])
    solved = derivation("scaling", processors=[first, last], work=work, ahead=16, **stated)
    message = str(solved.steps)
    apart = first != last
    assert ("is faster than any serial part explains" in message) == (apart and gain > high)
    assert ("is slower than any serial part explains" in message) == (apart and gain < low)
