"""The bounds against actual runs: never exceeded, and attained where that is claimed."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import witness_divergence as witness
from hypothesis import assume, given
from hypothesis import strategies as st

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import wrap
from ddcalc.types.schedules.divergence.model import (
    WRITTEN,
    Runs,
    open_tight,
    pairs,
    plain,
    same_operations,
    same_time,
    tight,
)

Vector = witness.Vector

times = st.fractions(min_value=0, max_value=2, max_denominator=10)
positive = st.fractions(min_value=Fraction(1, 10), max_value=3, max_denominator=10)
seeds = st.integers(0, 10**9)


@dataclass(frozen=True)
class Case:
    """Both runs twice: ours and the witness's."""

    runs: Runs
    check: witness.Witness


@st.composite
def cases(draw: st.DrawFn) -> Case:
    starts = draw(st.lists(times, min_size=1, max_size=5))
    duration = draw(st.fractions(min_value=Fraction(1, 4), max_value=1, max_denominator=10))
    if draw(st.booleans()):
        count = draw(st.integers(0, 8))
        return Case(
            same_operations(starts, duration, count),
            witness.same_operations(starts, duration, count),
        )
    horizon = draw(times)
    return Case(same_time(starts, duration, horizon), witness.same_time(starts, duration, horizon))


def _squared_distance(
    check: witness.Witness, step: Fraction, gradient: witness.Gradient, start: Vector
) -> Fraction:
    ours = check.asynchronous_end(step, gradient, start)
    theirs = check.sequential_end(step, gradient, start)
    return sum(((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)), Fraction(0))


def _bounded(
    seed: int, size: Fraction, vector: Callable[[random.Random], Vector]
) -> witness.Gradient:
    """Gradients at most *size* long, random but the same whenever data and point are."""

    def gradient(data: int, point: Vector) -> Vector:
        drawn = vector(random.Random(f"{seed} {data} {point}"))
        return tuple(size * coordinate for coordinate in drawn)

    return gradient


def _disc(draw: random.Random) -> Vector:
    t, radius = Fraction(draw.randint(-20, 20), 10), Fraction(draw.choice([1, 4, 4, 4]), 4)
    return radius * (1 - t * t) / (1 + t * t), radius * 2 * t / (1 + t * t)


@given(cases(), positive, positive, seeds)
def test_no_run_exceeds_the_bound_in_the_plane(
    case: Case, step: Fraction, size: Fraction, seed: int
) -> None:
    gradient = _bounded(seed, size, _disc)
    distance = _squared_distance(case.check, step, gradient, (Fraction(1), Fraction(-1)))
    assert distance <= (step * size * plain(case.runs)) ** 2


def _slopes(seed: int, size: Fraction, lipschitz: Fraction) -> witness.Gradient:
    """Slopes a·(x − b) with |a| at most L, clipped at ±Δ, different for each data number."""

    def gradient(data: int, point: Vector) -> Vector:
        draw = random.Random(f"{seed} {data}")
        slope = lipschitz * Fraction(draw.choice([-2, -2, 2, 2, 1]), 2)
        middle = Fraction(draw.randint(-6, 6), 2)
        return (min(size, max(-size, slope * (point[0] - middle))),)

    return gradient


def _plane_slopes(seed: int, size: Fraction, lipschitz: Fraction) -> witness.Gradient:
    """The same in two directions; 3, 4 and 5 make the length at most Δ."""
    first = _slopes(seed, size * Fraction(3, 5), lipschitz)
    second = _slopes(seed + 1, size * Fraction(4, 5), lipschitz)
    return lambda data, point: (*first(data, point[:1]), *second(data, point[1:]))


@given(cases(), positive, positive, positive, seeds)
def test_no_lipschitz_run_exceeds_the_tighter_bound(
    case: Case, step: Fraction, size: Fraction, lipschitz: Fraction, seed: int
) -> None:
    limit = (step * size * tight(case.runs, step * lipschitz)) ** 2
    origin = (Fraction(0), Fraction(0))
    slopes = _slopes(seed, size, lipschitz)
    assert _squared_distance(case.check, step, slopes, origin[:1]) <= limit
    slopes = _plane_slopes(seed, size, lipschitz)
    assert _squared_distance(case.check, step, slopes, origin) <= limit


@given(cases(), positive)
def test_the_tighter_bound_lies_between_the_unmatched_and_the_plain(
    case: Case, slope: Fraction
) -> None:
    bound = tight(case.runs, slope)
    assert case.runs.unmatched <= bound <= plain(case.runs)
    assert bound <= tight(case.runs, slope + Fraction(1, 7))
    assert tight(case.runs, 0) == case.runs.unmatched


@given(cases(), positive, positive)
def test_an_open_step_size_gives_the_same_bound(
    case: Case, step: Fraction, lipschitz: Fraction
) -> None:
    assume(case.runs.matched - case.runs.shared <= WRITTEN)
    bound = wrap(open_tight(case.runs, lipschitz))
    assert evaluate(bound, {"eta": step}) == tight(case.runs, step * lipschitz)


def test_long_costs_are_rounded_up_by_next_to_nothing() -> None:
    runs = same_operations([0, 0, 0], 1, 300)
    slope = Fraction(1, 1237)
    exact = [Fraction(0)]
    for op in runs.asynchronous:
        distance = op.data - 1 - op.seen + sum(exact[1 : op.seen + 1])
        exact.append(min(Fraction(2), slope * distance))
    costs = list(pairs(runs, slope))
    assert any(pair.rounded for pair in costs)
    assert max(pair.cost.denominator for pair in costs) < 10**110
    assert 0 < tight(runs, slope) - sum(exact) < Fraction(1, 10**95)
