"""crossbow against learners as objects that hand in their corrections; learners by counting."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, readings_by_hand, refusals, results

WEIGHTS = st.fractions(-20, 20, max_denominator=12)
Vector = list[Fraction]


@dataclass
class Centre:
    """The central average model of a run that goes on step after step."""

    z: Vector
    earlier: Vector | None
    given_up: Vector

    def move(self, momentum: Fraction) -> None:
        moved = [a + b for a, b in zip(self.z, self.given_up, strict=True)]
        if self.earlier is not None:
            for i, (now, before) in enumerate(zip(self.z, self.earlier, strict=True)):
                moved[i] += momentum * (now - before)
        self.earlier, self.z = self.z, moved
        self.given_up = [Fraction(0)] * len(moved)


@dataclass
class Learner:
    """One learner, who looks at the centre before or after its own step."""

    w: Vector

    def step(self, centre: Centre, gradient: Vector, eta: Fraction, alpha: Fraction) -> None:
        self._pull(centre, self.w, alpha)
        self._descend(gradient, eta)

    def late(self, centre: Centre, gradient: Vector, eta: Fraction, alpha: Fraction) -> None:
        self._descend(gradient, eta)
        self._pull(centre, self.w, alpha)

    def _descend(self, gradient: Vector, eta: Fraction) -> None:
        for i, slope in enumerate(gradient):
            self.w[i] -= eta * slope

    def _pull(self, centre: Centre, seen: Vector, alpha: Fraction) -> None:
        for i, value in enumerate(list(seen)):
            share = alpha * (value - centre.z[i])
            self.w[i] -= share
            centre.given_up[i] += share


@st.composite
def crews(draw: st.DrawFn) -> dict[str, Any]:
    learners, width = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    vector = st.lists(WEIGHTS, min_size=width, max_size=width)
    many = st.lists(WEIGHTS, min_size=learners * width, max_size=learners * width)
    found = {"models": draw(many), "gradients": draw(many), "average": draw(vector)}
    if draw(st.booleans()):
        found["previous"] = draw(vector)
    found["eta"] = draw(st.fractions(Fraction(1, 100), 2, max_denominator=100))
    if draw(st.booleans()):
        found["alpha"] = draw(st.fractions(0, 1, max_denominator=9))
    found["momentum"] = draw(st.fractions(0, 1, max_denominator=10))
    return found


@settings(max_examples=100, deadline=None)
@given(crew=crews(), correct=st.sampled_from(["before", "after"]))
def test_one_step_of_each_learner(crew: dict[str, Any], correct: str) -> None:
    width = len(crew["average"])
    rows = range(0, len(crew["models"]), width)
    learners = [Learner(crew["models"][i : i + width]) for i in rows]
    alpha = crew.get("alpha", Fraction(1, len(learners)))
    centre = Centre(crew["average"], crew.get("previous"), [Fraction(0)] * width)
    for learner, i in zip(learners, rows, strict=True):
        act = learner.step if correct == "before" else learner.late
        act(centre, crew["gradients"][i : i + width], crew["eta"], alpha)
    before = Fraction(0)
    for i, w in enumerate(crew["models"]):
        before = max(before, abs(w - crew["average"][i % width]))
    given_up = centre.given_up
    centre.move(crew["momentum"])
    found: dict[str, Any] = results("crossbow", **crew, correct=correct)
    assert found["new_models"] == [w for learner in learners for w in learner.w]
    assert (found["new_average"], found["pull"]) == (centre.z, given_up)
    assert found["learners"] == len(learners)
    gaps = [abs(w - z) for each in learners for w, z in zip(each.w, centre.z, strict=True)]
    assert (found["old_distance"], found["distance"]) == (before, max(gaps))


@settings(max_examples=50, deadline=None)
@given(crew=crews())
def test_the_average_is_the_mean_of_the_models_before(crew: dict[str, Any]) -> None:
    """As the manual says, without momentum and with a share of 1/k."""
    crew = {**crew, "momentum": 0}
    crew.pop("alpha", None)
    width = len(crew["average"])
    found: dict[str, Any] = results("crossbow", **crew)
    columns = [crew["models"][i::width] for i in range(width)]
    assert found["new_average"] == [sum(each) / Fraction(len(each)) for each in columns]
    still: dict[str, Any] = results("crossbow", **crew, alpha=0)
    assert still["new_average"] == crew["average"]


@settings(max_examples=20, deadline=None)
@given(crew=crews())
def test_the_other_reading(crew: dict[str, Any]) -> None:
    assert readings("crossbow", **crew) == readings_by_hand("crossbow", **crew)


@pytest.mark.parametrize(
    ("changed", "parameter", "message"),
    [
        ({"average": ["1", "2"]}, "models", "do not make whole models of 2"),
        ({"gradients": ["1", "2"]}, "gradients", "does not fit models"),
        ({"average": ["1"], "previous": ["1", "2"]}, "previous", "does not fit average"),
        ({"eta": "0"}, "eta", "must be more than 0"),
        ({"alpha": "1.5"}, "alpha", "at most 1"),
        ({"momentum": "-0.1"}, "momentum", "at least 0"),
        ({"models": ["1", "x", "2"]}, "models[2]", "'x'"),
    ],
)
def test_refused(changed: dict[str, Any], parameter: str, message: str) -> None:
    stated = {"models": ["1", "2", "4"], "gradients": ["1", "1", "1"], "average": ["2"]}
    ((name, told),) = refusals("crossbow", **{**stated, "eta": "0.1", **changed})
    assert name == parameter
    assert message in told


# learners


@settings(max_examples=60, deadline=None)
@given(
    rounds=st.lists(st.tuples(st.integers(1, 50), st.integers(1, 40)), min_size=1, max_size=6),
    batch=st.integers(1, 64),
    laps=st.integers(1, 30),
)
def test_learners_round_by_round(rounds: list[tuple[int, int]], batch: int, laps: int) -> None:
    """Each number of learners takes its rounds one by one until the samples are through."""
    samples = 720 * batch * laps  # whole rounds for 1 to 6 learners
    ends = []
    for learners, (seconds, epochs) in enumerate(rounds, 1):
        left, clock = samples * epochs, 0
        whole = left // (learners * batch)
        left -= whole * learners * batch
        clock += whole * seconds
        assert left == 0
        ends.append(clock)
    found: dict[str, Any] = results(
        "learners", samples=samples, batch=batch,
        round_times=[f"{seconds} s" for seconds, _ in rounds],
        epochs=[epochs for _, epochs in rounds],
    )  # fmt: skip
    assert found["times"] == ends
    assert (found["best"], found["best_time"]) == (ends.index(min(ends)) + 1, min(ends))
    assert found["speedups"] == [Fraction(ends[0], end) for end in ends]
    busy = [Fraction(i, seconds) for i, (seconds, _) in enumerate(rounds, 1)]
    assert found["busiest"] == busy.index(max(busy)) + 1


def test_the_busiest_is_not_the_best() -> None:
    found = results(
        "learners", samples=50000, batch=32, round_times=["16 ms", "20 ms", "27 ms"],
        epochs=[30, 32, 39],
    )  # fmt: skip
    assert (found["busiest"], found["best"], found["best_time"]) == (3, 2, 500)


def test_unlike_lists_are_refused() -> None:
    asked: dict[str, Any] = {"samples": 1, "batch": 1, "round_times": ["1 s", "2 s"]}
    ((name, told),) = refusals("learners", **asked, epochs=[1])
    assert name == "epochs"
    assert "does not fit round_times" in told
