"""Edges of the operations types that random questions seldom meet, against the same witnesses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from asking import WITNESSES
from hypothesis import given, settings
from hypothesis import strategies as st
from test_witnesses import agrees, posed

from ddcalc.ask.solve import Derivation, solve
from ddcalc.errors import NoAnswer
from ddcalc.problem.catalog import problem_named


def solved(slug: str, **stated: Any) -> Derivation:
    return solve(problem_named(slug), {name: str(value) for name, value in stated.items()})


def values(slug: str, **stated: Any) -> dict[str, Any]:
    return dict(solved(slug, **stated).values)


def witnessed(slug: str, **stated: Any) -> dict[str, Any]:
    """The values, which the witness of *slug* confirms."""
    answers = solved(slug, **stated)
    for name, value in WITNESSES[slug](posed(answers)).items():
        assert agrees(answers.values[name], value), f"{name}: {answers.values[name]}, not {value}"
    return dict(answers.values)


@settings(max_examples=200)
@given(
    stages=st.integers(1, 8),
    batches=st.integers(1, 20),
    chunks=st.integers(1, 5),
    times=st.tuples(st.integers(1, 9), st.integers(0, 9)),
    schedule=st.sampled_from(["one_f_one_b", "gpipe"]),
    part_of=st.sampled_from(["whole", "ideal"]),
)
def test_any_stages_micro_batches_and_chunks(
    stages: int, batches: int, chunks: int, times: tuple[int, int], schedule: str, part_of: str
) -> None:
    asked_for = {"stages": stages, "micro_batches": batches, "chunks": chunks, "samples": 3}
    asked_for |= dict(zip(("forward", "backward"), times, strict=True))
    message = {"activations": "1 B", "schedule": schedule, "part_of": part_of}
    mine = witnessed("pipeline", **asked_for, **message)
    if batches % stages == 0:
        order = witnessed("pipeline", **asked_for, **message, rounds="megatron")
        assert order["kept"] == mine["kept"]
    if chunks == 1:
        plain = witnessed(
            "pipeline", **{n: x for n, x in asked_for.items() if n != "chunks"}, **message
        )
        assert (plain["bubble"], plain["kept"]) == (mine["bubble"], mine["kept"])


def test_activations_with_chunks_as_published() -> None:
    """Korthikanti et al., arXiv:2205.05198: 1 + (p − 1)/(p·v) times those of p micro-batches."""
    stated = {"stages": 8, "micro_batches": 64, "activations": "1 GB"}
    kept = [values("pipeline", **stated, chunks=v)["memory"] / 10**9 for v in (2, 4)]
    assert kept == [8 * (1 + Fraction(7, 8 * v)) for v in (2, 4)]


@settings(max_examples=150)
@given(
    samples=st.integers(1, 60),
    batch=st.integers(1, 80),
    epochs=st.fractions(Fraction(1, 20), 5, max_denominator=20),
    how=st.sampled_from(["keep", "drop", "joined"]),
)
def test_parts_of_epochs(samples: int, batch: int, epochs: Fraction, how: str) -> None:
    if how == "drop" and batch > samples:
        return
    stated = {"samples": samples, "batch": batch, "epochs": epochs, "step_time": 3}
    answers = witnessed("training-steps", **stated, last_batch=how)
    assert answers["rate"] * 3 <= batch


@pytest.mark.parametrize(
    ("stated", "steps", "seen"),
    [((1101, "0.3", 508), 1, 508), ((1000, "1.5", 900), 3, 900 + 100 + 900)],
)
def test_steps_pass_whole_batches(stated: tuple[Any, ...], steps: int, seen: int) -> None:
    names = ("samples", "epochs", "batch")
    answers = values("training-steps", **dict(zip(names, stated, strict=True)))
    assert (answers["steps"], answers["seen"]) == (steps, seen)


PRICES = st.tuples(*[st.integers(0, 3)] * 4)
OFFERS = ("first_once", "first_use", "second_once", "second_use")


@settings(max_examples=150)
@given(prices=PRICES, per=st.integers(1, 3), use=st.integers(0, 4))
def test_offers_that_tie(prices: tuple[int, ...], per: int, use: int) -> None:
    stated = {name: f"{price} USD" for name, price in zip(OFFERS, prices, strict=True)}
    answers = witnessed("cost-breakeven", **stated, per=per, use=use)
    if prices[:2] == prices[2:]:
        assert (answers["balance"], answers["beyond"], answers["saved"]) == (None, None, 0)


def test_equal_offers_cost_the_same() -> None:
    stated = dict(zip(OFFERS, ("10 USD", "4 USD", "10 USD", "4 USD"), strict=True))
    assert "both cost the same always" in str(solved("cost-breakeven", **stated).steps)


@settings(max_examples=100)
@given(
    prices=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    overhead=st.sampled_from(["0", "0.5", "1"]),
    lost=st.integers(1, 3),
    strikes=st.sampled_from(["always", "working"]),
)
def test_spot_as_dear_as_on_demand(
    prices: tuple[int, int], overhead: str, lost: int, strikes: str
) -> None:
    spot, on_demand = (f"{price} USD/h" for price in prices)
    answers = witnessed(
        "spot", spot=spot, on_demand=on_demand, overhead=overhead, lost=f"{lost} h",
        strikes=strikes, apart=f"{lost + 1} h",
    )  # fmt: skip
    if prices[0] * (1 + Fraction(overhead)) == prices[1]:
        assert (answers["rate"], answers["between"]) == (0, None)


TIMES = st.integers(1, 50)


@settings(max_examples=60)
@given(
    write=TIMES, failures=st.integers(2, 50), restart=st.integers(0, 50), part=st.integers(1, 400)
)
def test_no_interval_loses_less_than_the_best(
    write: int, failures: int, restart: int, part: int
) -> None:
    stated: dict[str, Any] = {"write": write, "failures": failures, "restart": restart}
    stated["compared"] = Fraction(failures * part, 200)
    answers = witnessed("checkpoint-interval", **stated, formula="exact")
    assert answers["loss"] <= answers["compared_loss"] < 1
    for estimate in ("young", "daly"):
        other = witnessed("checkpoint-interval", **stated, formula=estimate)
        assert answers["loss"] <= other["loss"]
        assert other["compared_loss"] == answers["compared_loss"]


@pytest.mark.parametrize(("hours", "interval"), [(8, 3600), (18, 3600), (2, 3600)])
def test_checkpoints_longer_than_the_time_between_failures(hours: int, interval: int) -> None:
    """Daly, equation 37: from C = 2·M on the interval is M, and never 0."""
    stated = {"write": f"{hours} h", "failures": "1 h", "formula": "daly"}
    assert witnessed("checkpoint-interval", **stated)["interval"] == interval


@pytest.mark.parametrize("formula", ["young", "daly", "exact"])
@pytest.mark.parametrize("part", [9, 12, 15, 18, 21])
def test_failures_as_seldom_as_can_be(formula: str, part: int) -> None:
    """The loss is nearly 0, and Lambert's function is asked beside its end; √(2·C/M) is near both.

    Daly's model gives a loss of √(2·C/M) but for terms of higher order.
    """
    answers = values(
        "checkpoint-interval", write="1 us", failures=10 ** (part - 6), formula=formula
    )
    small = Fraction(2, 10**part)
    assert abs(Fraction(answers["loss"]) ** 2 / small - 1) < 10**-3
    assert abs(Fraction(answers["interval"]) ** 2 / (small * 10 ** (2 * part - 12)) - 1) < 10**-3


def test_digits_that_are_not_sure_are_still_refused() -> None:
    with pytest.raises(NoAnswer, match="too small to be sure of"):
        values("checkpoint-interval", write="1e-30 s", failures="1e50 s", formula="exact")
