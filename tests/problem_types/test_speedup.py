"""speedup and scaling: kinds of measurement, what is predicted, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, refusals, results


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
