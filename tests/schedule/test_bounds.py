"""The bounds against actual runs: never exceeded, and attained where that is claimed."""

import random
from dataclasses import dataclass
from fractions import Fraction

import witness_divergence as witness
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.ask.solve import solve
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import wrap
from ddcalc.problem.catalog import problem_named

Vector = witness.Vector

times = st.fractions(min_value=0, max_value=2, max_denominator=10)
positive = st.fractions(min_value=Fraction(1, 10), max_value=3, max_denominator=10)
seeds = st.integers(0, 10**9)


@dataclass(frozen=True)
class Case:
    """A question, and both runs by the witness."""

    question: dict[str, str | list[str]]
    check: witness.Witness

    def bound(self, **sizes: Fraction) -> Fraction:
        """The bound that is answered, for 1 where it leaves a letter."""
        texts = {name: str(size) for name, size in sizes.items()}
        answer = solve(problem_named("divergence"), {**self.question, **texts}).answer.value
        assert answer is not None
        value: Fraction = evaluate(wrap(answer), {"eta": 1, "Delta": 1})
        return value


@st.composite
def cases(draw: st.DrawFn) -> Case:
    starts = draw(st.lists(times, min_size=1, max_size=5))
    duration = draw(st.fractions(min_value=Fraction(1, 4), max_value=1, max_denominator=10))
    question = {"starts": [f"{x} s" for x in starts], "update": f"{duration} s", "horizon": "1 s"}
    if draw(st.booleans()):
        number = draw(st.integers(1, 8))
        check = witness.same_operations(starts, duration, number)
        return Case({**question, "operations": str(number)}, check)
    end = draw(positive)
    check = witness.same_time(starts, duration, end)
    return Case({**question, "horizon": f"{end} s", "compare": "same-time"}, check)


def _squared_distance(
    check: witness.Witness, step: Fraction, gradient: witness.Gradient, start: Vector
) -> Fraction:
    ours = check.asynchronous_end(step, gradient, start)
    theirs = check.sequential_end(step, gradient, start)
    return sum(((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)), Fraction(0))


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
    limit = case.bound(eta=step, delta=size, lipschitz=lipschitz) ** 2
    origin = (Fraction(0), Fraction(0))
    slopes = _slopes(seed, size, lipschitz)
    assert _squared_distance(case.check, step, slopes, origin[:1]) <= limit
    slopes = _plane_slopes(seed, size, lipschitz)
    assert _squared_distance(case.check, step, slopes, origin) <= limit
