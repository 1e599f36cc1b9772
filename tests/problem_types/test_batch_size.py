"""batch-size against trying every batch; the fit against its normal equations and other lines."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stating import derivation, refusals, results, times

from ddcalc.problem.steps import Compare

TYPE = "batch-size"
MOST = 120  # batches that are tried

STATED: dict[str, Any] = {
    "overhead": "30 ms",
    "per_sample": "2 ms",
    "communication": "10 ms",
    "least_steps": 1000,
    "critical_batch": 4000,
    "workers": 8,
}
MEASURED = {name: value for name, value in STATED.items() if name not in ("overhead", "per_sample")}


def samples_processed(question: dict[str, Fraction], batch: int) -> Fraction:
    """The time to the target, from the samples: E/E_min − 1 = E_max/…, by the paper's own form.

    S/S_min − 1 = 1/(E/E_min − 1) with E = S·B is solved for S by hand: with s = S/S_min and
    e = s·B/B_crit it reads (s − 1)(e − 1) = 1.
    """
    together = question["workers"] * batch
    s = 1 + Fraction(question["critical_batch"]) / together
    e = s * together / question["critical_batch"]
    assert (s - 1) * (e - 1) == 1
    seconds = question["overhead"] + question["communication"]
    for _ in range(batch):
        seconds += question["per_sample"]
    return question["least_steps"] * s * seconds


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Fraction]:
    """Questions whose best batch is within reach, and often a tie of two."""
    per_sample, workers = draw(times(1, 100)), draw(st.integers(1, 50))
    critical = Fraction(draw(st.integers(1, 10**5)), draw(st.sampled_from([1, 3])))
    best = draw(st.integers(1, MOST - 20))
    product = best * (best + 1) + draw(st.sampled_from([0, Fraction(1, 10**15), Fraction(1, 3), 1]))
    fixed = product * per_sample * workers / critical
    share = draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1)]))
    return {
        "overhead": fixed * (1 - share),
        "communication": fixed * share,
        "per_sample": per_sample,
        "critical_batch": critical,
        "workers": Fraction(workers),
        "least_steps": Fraction(draw(st.integers(1, 10**6))),
    }


@settings(max_examples=80, deadline=None)
@given(question=questions(), price=st.fractions(0, 100, max_denominator=7))
def test_the_best_of_all_batches(question: dict[str, Fraction], price: Fraction) -> None:
    answers: dict[str, Any] = results(TYPE, **question, price=f"{price} USD/h")
    tried = {batch: samples_processed(question, batch) for batch in range(1, MOST)}
    best = min(tried, key=lambda batch: (tried[batch], batch))
    assert (answers["best"], answers["time"]) == (best, tried[best])
    assert answers["samples"] == answers["steps"] * best * question["workers"]
    assert answers["cost"] == tried[best] * question["workers"] * price / 3600
    assert best - 1 < answers["optimum"] < best + Fraction(3, 2)


@settings(max_examples=60, deadline=None)
@given(question=questions(), most=st.integers(1, MOST), batch=st.integers(1, MOST))
def test_memory_and_a_batch_to_compare(
    question: dict[str, Fraction], most: int, batch: int
) -> None:
    assume(batch <= most)
    answers: dict[str, Any] = results(TYPE, **question, largest_batch=most, batch=batch)
    tried = {size: samples_processed(question, size) for size in range(1, most + 1)}
    best = min(tried, key=lambda size: (tried[size], size))
    assert (answers["best"], answers["time"]) == (best, tried[best])
    assert answers["batch_time_to_target"] == tried[batch]
    assert answers["excess"] == tried[batch] - tried[best] >= 0


@settings(max_examples=30, deadline=None)
@given(question=questions())
def test_it_is_proved(question: dict[str, Fraction]) -> None:
    proofs = [step for step in derivation(TYPE, **question).steps if isinstance(step, Compare)]
    best: Any = results(TYPE, **question)["best"]
    text = [(best, True), (best - 1, False)][: 2 if best > 1 else 1]
    assert [(proof.at, proof.holds) for proof in proofs] == text


# The line


@st.composite
def measurements(draw: st.DrawFn) -> tuple[list[int], list[Fraction]]:
    batches = draw(st.lists(st.integers(1, 500), min_size=2, max_size=6, unique=True))
    miss = st.fractions(Fraction(-1, 50), Fraction(1, 50), max_denominator=1000)
    return batches, [Fraction(batch, 3) + 9 + draw(miss) for batch in batches]


def squares(batches: list[int], seconds: list[Fraction], a: Fraction, b: Fraction) -> Fraction:
    return sum(((y - a - b * x) ** 2 for x, y in zip(batches, seconds, strict=True)), Fraction(0))


@settings(max_examples=80, deadline=None)
@given(measured=measurements())
def test_no_other_line_has_smaller_squares(measured: tuple[list[int], list[Fraction]]) -> None:
    batches, seconds = measured
    answers: dict[str, Any] = results(TYPE, **MEASURED, batches=batches, times=seconds)
    a, b, misses = answers["fitted_overhead"], answers["fitted_per_sample"], answers["residuals"]
    assert sum(misses) == 0  # the normal equations
    assert sum(x * e for x, e in zip(batches, misses, strict=True)) == 0
    least = squares(batches, seconds, a, b)
    assert least == sum(e * e for e in misses)
    for da in (-1, 0, 1):
        for db in (-1, 0, 1):
            if da or db:
                near = squares(batches, seconds, a + Fraction(da, 10**6), b + Fraction(db, 10**6))
                assert near > least


@settings(max_examples=50, deadline=None)
@given(measured=measurements(), stated=st.sampled_from(["overhead", "per_sample"]))
def test_one_part_stated(measured: tuple[list[int], list[Fraction]], stated: str) -> None:
    batches, seconds = measured
    value = Fraction(1, 4)
    posed = {**MEASURED, stated: f"{value} s", "batches": batches, "times": seconds}
    answers: dict[str, Any] = results(TYPE, **posed)
    misses = answers["residuals"]
    if stated == "overhead":
        assert sum(x * e for x, e in zip(batches, misses, strict=True)) == 0
        assert "fitted_overhead" not in answers
    else:
        assert sum(misses) == 0
        assert "fitted_per_sample" not in answers


def test_numbers_stated_beside_measurements_are_kept() -> None:
    answers: dict[str, Any] = results(TYPE, **STATED, batches=[10, 20], times=["51 ms", "69 ms"])
    assert answers["residuals"] == [Fraction(1, 1000), Fraction(-1, 1000)]
    assert answers["best"] == results(TYPE, **STATED)["best"]


# Refusals


@pytest.mark.parametrize(
    ("changed", "parameter", "message"),
    [
        ({"batch": "65", "largest_batch": "64"}, "batch", "does not fit"),
    ],
)
def test_refused(changed: dict[str, str], parameter: str, message: str) -> None:
    ((answers, text),) = refusals(TYPE, **{**STATED, **changed})
    assert answers == parameter
    assert message in text


@pytest.mark.parametrize(
    ("batches", "seconds", "parameter", "message"),
    [
        (["64", "64"], ["1 s", "2 s"], "batches", "are all alike"),
        (["64", "128"], ["2 s", "1 s"], "times", "do not grow"),
        (["64", "128"], ["1 s", "1 s"], "times", "do not grow"),
        (["64", "128"], ["1 s", "3 s"], "times", "leave a fixed part below 0"),
        (["64", "128"], ["1 s"], "times", "does not fit batches"),
    ],
)
def test_measurements_refused(
    batches: list[str], seconds: list[str], parameter: str, message: str
) -> None:
    ((answers, text),) = refusals(TYPE, **MEASURED, batches=batches, times=seconds)
    assert answers == parameter
    assert message in text
