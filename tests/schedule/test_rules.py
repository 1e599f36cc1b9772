"""Update rules by the gradients in their formulas, and bounds that no actual run exceeds."""

import random
from dataclasses import dataclass
from fractions import Fraction

import pytest
import rules_witness as witness
import witness_divergence as runs
from hypothesis import given
from hypothesis import strategies as st
from questions import asked
from rules_witness import MAYBE, Models, worth

from ddcalc.ask.solve import Derivation
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, wrap
from ddcalc.problem.said.steps import Bound


def _chain(read: Derivation, name: str) -> tuple[Expr, list[Expr]]:
    """What the step of that *name* is about, and what it equals, line by line."""
    step = next(step for step in read.steps if isinstance(step, Bound) and step.name == name)
    return step.subject, [link.expr for link in step.links]


@pytest.mark.parametrize(
    "stated",
    [
        *({"scheme": "ssp", "clock": c, "staleness": s} for c in (2, 4, 5) for s in (0, 1, 9)),
        *({"scheme": scheme, "clock": c} for scheme in ("sync", "async") for c in (2, 4)),
        *({"scheme": "local_sgd", "clock": clock, "local_steps": 4} for clock in (3, 5)),
        {"scheme": "sync", "clock": 4, "workers": 1, "worker": 1},
        {"scheme": "k_of_n", "clock": 4, "wait_for": 3},
    ],
)
def test_all_formulas_of_a_rule_say_the_same(stated):
    """In letters, as sums, and written out."""
    read = asked("update-rule", **{"workers": 3, "worker": 2, **stated})
    values = {name: result.value for name, result in read.quantities.items()}  # type: ignore[union-attr]
    letters = {"n": values["workers"], "i": values["worker"], "c": values["clock"]}
    _, (in_letters, sums, *named) = _chain(read, "weights")
    assert worth(values["weights"]) == worth(sums)
    assert all(worth(one) == worth(sums) for one in named)
    found = worth(in_letters, letters | {"K": values["common"]})
    assert found.keys() - {MAYBE} == worth(sums).keys() - {MAYBE}
    if values["possible"]:
        assert found == worth(sums)


# Rules as some sheets print them


@pytest.mark.parametrize(("clock", "staleness"), [(2, 0), (4, 1), (4, 0), (5, 2), (3, 7)])
def test_the_printed_ssp_rule_counts_these_twice(clock, staleness):
    read = asked("update-rule", workers=3, worker=2, clock=clock, staleness=staleness)
    _, (letters, numbers) = _chain(read, "printed")
    t = clock - 1
    in_letters = worth(letters, {"n": 3, "i": 2, "t": t, "s": min(staleness, t - 1)})
    counted = worth(numbers)
    first = max(1, t - staleness)
    twice = {pair for pair, times in counted.items() if times == 2}
    assert twice == {(2, k) for k in range(first, t + 1)}
    assert {pair: in_letters[pair] for pair in counted} == counted
    assert counted.keys() - {MAYBE} == {(j, k) for j in (1, 2, 3) for k in range(1, t + 1)}


@pytest.mark.parametrize(("workers", "worker", "local_steps"), [(2, 1, 2), (3, 2, 2), (3, 3, 4)])
def test_the_printed_average_never_makes_replicas_equal(workers, worker, local_steps):
    stated = {"workers": workers, "worker": worker, "local_steps": local_steps, "clock": 3}
    read = asked("update-rule", scheme="local_sgd", **stated)
    subject, links = _chain(read, "printed")
    other = 2 if worker == 1 else 1
    printed = _by_place(witness.local_sgd(workers, local_steps, local_steps + 1, printed=True))
    averaged = _by_place(witness.local_sgd(workers, local_steps, local_steps + 1))
    apart = worth(subject, printed)
    assert set(apart) == {(j, k) for j in (worker, other) for k in range(1, local_steps)}
    for link in links:
        assert worth(link, printed) == apart
    assert worth(subject, averaged) == {}


@pytest.mark.parametrize("clock", [3, 4])
def test_local_sgd_step_by_step(clock):
    """Within a round a step of one's own, at its end the mean of all models."""
    read = asked("update-rule", scheme="local_sgd", workers=3, worker=2, local_steps=4, clock=clock)
    models = _by_place(witness.local_sgd(3, 4, clock + 1))
    known = {"n": Fraction(3), "i": 2, "c": clock} | models
    subject, (value,) = _chain(read, "average" if clock % 4 == 0 else "update")
    assert worth(subject, known) == worth(value, known)


def _by_place(runs: list[Models]) -> dict[str, object]:
    """The models by worker and clock, as the letter w."""
    return {"w": {(j, k): m for k, models in enumerate(runs, 1) for j, m in enumerate(models, 1)}}


Vector = runs.Vector

times = st.fractions(min_value=0, max_value=2, max_denominator=10)
positive = st.fractions(min_value=Fraction(1, 10), max_value=3, max_denominator=10)
seeds = st.integers(0, 10**9)


@dataclass(frozen=True)
class Case:
    """A question, and both runs by the witness."""

    question: dict[str, str | list[str]]
    check: runs.Witness

    def bound(self, **sizes: Fraction) -> Fraction:
        """The bound that is answered, for 1 where it leaves a letter."""
        answer = asked("divergence", **self.question, **sizes).answer.value
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
        check = runs.same_operations(starts, duration, number)
        return Case({**question, "operations": str(number)}, check)
    end = draw(positive)
    check = runs.same_time(starts, duration, end)
    return Case({**question, "horizon": f"{end} s", "compare": "same-time"}, check)


def _squared_distance(
    check: runs.Witness, step: Fraction, gradient: runs.Gradient, start: Vector
) -> Fraction:
    ours = check.asynchronous_end(step, gradient, start)
    theirs = check.sequential_end(step, gradient, start)
    return sum(((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)), Fraction(0))


def _slopes(seed: int, size: Fraction, lipschitz: Fraction) -> runs.Gradient:
    """Slopes a·(x − b) with |a| at most L, clipped at ±Δ, different for each data number."""

    def gradient(data: int, point: Vector) -> Vector:
        draw = random.Random(f"{seed} {data}")
        slope = lipschitz * Fraction(draw.choice([-2, -2, 2, 2, 1]), 2)
        middle = Fraction(draw.randint(-6, 6), 2)
        return (min(size, max(-size, slope * (point[0] - middle))),)

    return gradient


def _plane_slopes(seed: int, size: Fraction, lipschitz: Fraction) -> runs.Gradient:
    """The same in two directions; 3, 4 and 5 make the length at most Δ."""
    first = _slopes(seed, size * Fraction(3, 5), lipschitz)
    second = _slopes(seed + 1, size * Fraction(4, 5), lipschitz)
    return lambda data, point: (*first(data, point[:1]), *second(data, point[1:]))


@given(cases(), positive, positive, positive, seeds)
def test_no_lipschitz_run_exceeds_the_tighter_bound(case, step, size, lipschitz, seed):
    limit = case.bound(eta=step, delta=size, lipschitz=lipschitz) ** 2
    origin = (Fraction(0), Fraction(0))
    slopes = _slopes(seed, size, lipschitz)
    assert _squared_distance(case.check, step, slopes, origin[:1]) <= limit
    slopes = _plane_slopes(seed, size, lipschitz)
    assert _squared_distance(case.check, step, slopes, origin) <= limit
