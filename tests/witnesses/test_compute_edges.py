"""Edges that random questions reach too seldom: shapes of models, small ties, one of something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from asking import WITNESSES
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_witnesses import agrees, posed

from ddcalc.ask.solve import solve
from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import problem_named

TIMES = st.fractions(Fraction(1, 100), 100, max_denominator=100)
COUNTS = st.integers(1, 12)


def text(value: Any) -> Any:
    return [str(item) for item in value] if isinstance(value, list) else str(value)


def answers(slug: str, stated: Mapping[str, Any]) -> Mapping[str, Any]:
    """All values; those that the witness of *slug* tells too are its own."""
    outcome = solve(problem_named(slug), {name: text(value) for name, value in stated.items()})
    question = posed(outcome)
    for name, value in WITNESSES[slug](question).items():
        assert agrees(outcome.values[name], value), f"{name}: {value}; {question}"
    return outcome.values


def refused(slug: str, stated: Mapping[str, Any]) -> str:
    with pytest.raises(DdcalcError) as caught:
        solve(problem_named(slug), {name: text(value) for name, value in stated.items()})
    return str(caught.value)


# Operations


@st.composite
def models(draw: st.DrawFn) -> dict[str, Any]:
    """A model with its shape, what is made again, and devices whose peak is far away."""
    stated: dict[str, Any] = {"parameters": draw(st.integers(1, 10**10))}
    if draw(st.booleans()):
        stated |= {"layers": draw(COUNTS), "sequence": draw(st.integers(1, 9000))}
        heads, size = draw(COUNTS), draw(st.sampled_from([1, 64, 128]))
        by_heads = {"heads": heads, "head_size": size}
        stated |= draw(st.sampled_from([by_heads, {"width": heads * size}]))
        stated["scores"] = draw(st.sampled_from(["all", "causal"]))
    if draw(st.booleans()):
        stated["recomputed"] = draw(st.sampled_from([1, 2, 3]))
    stated["operations"] = draw(st.sampled_from([4, 6]))
    return stated | {"devices": draw(COUNTS), "peak": f"{10**6} TFLOP/s"}


@settings(max_examples=150, deadline=None)
@given(model=models(), rate=st.integers(1, 10**6))
def test_attention_and_what_is_made_again(model: dict[str, Any], rate: int) -> None:
    outcome = answers("training-time", model | {"rate": rate})
    trained: dict[str, Any] = model | {"tokens": 3 * rate}
    by_rate = answers("training-time", trained | {"rate": rate})
    assert (by_rate["time"], by_rate["reached"]) == (3, outcome["reached"])
    again = answers("training-time", trained | {"utilization": outcome["reached"]})
    assert again["time"] == 3
    if "recomputed" in model:
        assert by_rate["hardware"] == again["hardware"] == outcome["hardware"]
        whole = {"utilization": outcome["hardware"], "counts": "hardware"}
        stated = answers("training-time", trained | whole)
        assert (stated["time"], stated["reached"]) == (3, outcome["reached"])
        speed = f"{outcome['hardware'] * 10**6} TFLOP/s"
        achieved = {"achieved": speed, "counts": "hardware"}
        assert answers("training-time", trained | achieved)["time"] == 3


SMALL = {"parameters": "7B", "devices": 8, "peak": "10 TFLOP/s"}


@pytest.mark.parametrize(
    ("slug", "stated", "message"),
    [
        ("training-time", SMALL | {"rate": "150k"}, "more than the peak of 8 devices"),
        ("training-time", SMALL | {"rate": "1800", "recomputed": 2}, "all devices counted"),
        ("training-time", SMALL | {"tokens": "1B", "rate": "150k"}, "dense or with sparsity"),
        ("training-time", SMALL | {"tokens": 9, "device_time": "1 ms"}, "all devices counted"),
        ("training-time", SMALL | {"tokens": 9, "achieved": "11 TFLOP/s"}, "peak of a device"),
        (
            "training-time",
            {"compute": 1, "peak": "1 TFLOP/s", "achieved": "2 TFLOP/s"},
            "peak of a",
        ),
        ("training-time", SMALL | {"tokens": 9, "utilization": 0.8, "recomputed": 2}, "the HFU?"),
        (
            "training-time",
            SMALL | {"tokens": 9, "achieved": "8 TFLOP/s", "recomputed": 2},
            "with what is computed again",
        ),
        ("training-time", SMALL | {"rate": 1, "width": 9}, "missing: layers"),
        (
            "training-time",
            SMALL | {"rate": 1, "layers": 1, "sequence": 1, "heads": 2, "head_size": 3, "width": 7},
            "not 2 heads times 3",
        ),
    ],
)
def test_nothing_passes_the_peak(slug: str, stated: Mapping[str, Any], message: str) -> None:
    assert message in refused(slug, stated)


@pytest.mark.parametrize("tokens", [{}, {"tokens": 500}])
def test_the_whole_peak_can_be_reached(tokens: dict[str, Any]) -> None:
    exact: dict[str, Any] = {"parameters": 10**9, "operations": 6, "rate": 500, "peak": "3 TFLOP/s"}
    assert answers("training-time", exact | tokens)["reached"] == 1
    again = {"peak": "4 TFLOP/s", "recomputed": 2}
    assert answers("training-time", exact | tokens | again)["hardware"] == 1


# Roofline


@settings(max_examples=150, deadline=None)
@given(
    peak=st.integers(1, 500), bandwidth=st.integers(1, 500), size=st.integers(1, 900),
    inside=st.integers(0, 9), outside=COUNTS, item=st.sampled_from(["1/2", "1", "2"]),
)  # fmt: skip
def test_parts_in_one_node(
    peak: int, bandwidth: int, size: int, inside: int, outside: int, item: str
) -> None:
    stated: dict[str, Any] = {"peak": f"{peak} FLOP/s", "bandwidth": f"{bandwidth} B/s"}
    stated |= {"size": size, "inside": inside, "intensity": f"{item} FLOP/B"}
    outcome = answers("roofline", stated | {"parts": inside + outside})
    assert outcome["share"] * (inside + outside) == size
    assert (outcome["used"] == 1) == (inside + outside <= outcome["most_whole"])
    assert (outcome["used"] == 1) == (size >= outcome["needed"])
    answers("roofline", stated)


def test_the_size_of_a_part_is_its_share_of_all() -> None:
    book: dict[str, Any] = {"peak": "990 TFLOP/s", "bandwidth": "400 GB/s", "size": 28000}
    outcome = answers("roofline", book | {"parts": 16, "inside": 8})
    assert (outcome["share"], outcome["most_whole"], outcome["used"]) == (1750, 19, 1)
    assert answers("roofline", book | {"parts": 20, "inside": 8})["used"] < 1


# Speed-ups


@settings(max_examples=150, deadline=None)
@given(
    serial=st.fractions(0, 1, max_denominator=12), first=COUNTS, more=COUNTS, ahead=COUNTS,
    kind=st.sampled_from(["times", "rates", "speedups"]), grows=st.booleans(),
)  # fmt: skip
def test_the_serial_fraction_is_that_of_one_processor(
    serial: Fraction, first: int, more: int, ahead: int, kind: str, grows: bool
) -> None:
    processors = [first, first + more]

    def rate(run: int) -> Fraction:
        return serial + (1 - serial) * run if grows else 1 / (serial + (1 - serial) / run)

    message = {"times": [(run if grows else 1) / rate(run) for run in processors]}
    message["rates"] = [7 * rate(run) for run in processors]
    message["speedups"] = [rate(run) for run in processors]
    stated = {"processors": processors, kind: message[kind], "work": "grows" if grows else "same"}
    outcome = answers("scaling", stated | {"ahead": ahead})
    assert outcome["fraction"] == serial
    assert outcome["predicted"] == rate(ahead) / (1 if kind == "speedups" else rate(first))


@pytest.mark.parametrize(("speedup", "fine"), [("1.5", False), ("0.99", False), ("1", True)])
def test_one_processor_is_as_fast_as_itself(speedup: str, fine: bool) -> None:
    stated = {"processors": [4, 1], "speedups": ["2", speedup]}
    if fine:
        answers("scaling", stated)
    else:
        assert "is not 1 where there is one processor" in refused("scaling", stated)


TALKS = st.sampled_from(["constant", "each", "tree"])
LAWS = st.sampled_from(["amdahl", "gustafson"])


@settings(max_examples=200, deadline=None)
@given(
    processors=st.integers(1, 40), tenths=st.integers(0, 10), growth=TALKS, law=LAWS,
    times=st.integers(0, 200), pause=st.integers(0, 3),
)  # fmt: skip
def test_processors_that_talk(
    processors: int, tenths: int, growth: str, law: str, times: int, pause: int
) -> None:
    """What is shared is often a small multiple of what a processor adds: ties, one, two."""
    stated: dict[str, Any] = {"processors": processors, "serial": Fraction(tenths, 10), "law": law}
    shared = max(1, 10 - tenths)
    stated |= {"one": f"{Fraction(10 * max(1, times), shared)} s", "communication": f"{pause} s"}
    outcome = answers("speedup", stated | {"growth": growth})
    if processors == 1:
        assert (outcome["speedup"], outcome["overhead"]) == (1, 0)
    if growth == "each" and law == "amdahl":
        assert outcome["soonest"] is None or outcome["soonest"] <= outcome["time"]


def test_what_the_speed_up_tends_to_while_the_work_grows() -> None:
    stated: dict[str, Any] = {"serial": "0.1", "one": "1 s", "communication": "10 ms"}
    stated |= {"law": "gustafson", "growth": "each"}
    near = answers("speedup", stated | {"processors": 10**9})
    assert near["limit"] == 90
    assert near["limit"] - Fraction(1, 10**4) < near["speedup"] < near["limit"]


# The best number


@settings(max_examples=150, deadline=None)
@given(best=st.integers(1, 60), slope=TIMES, off=st.sampled_from([0, 1, -1]), rest=TIMES)
def test_two_numbers_that_are_equally_good(
    best: int, slope: Fraction, off: int, rest: Fraction
) -> None:
    falling = best * (best + 1) * slope + off * Fraction(1, 10**20)
    assume(falling > 0)
    split = {"compute": f"{falling} s", "aggregate": f"{slope} s", "rest": f"{rest} s"}
    assert answers("split-batch", split | {"compared": best + 1})["workers"] == best + (off > 0)
    apart = {"communication": f"{falling} s", "weight": "1 s", "drift": slope}
    assert answers("sync-interval", apart | {"interval": best})["steps"] == best + (off > 0)


@settings(max_examples=60, deadline=None)
@given(
    scheme=st.sampled_from(["ssp", "sync", "async", "local_sgd", "k_of_n"]),
    periods=st.lists(st.sampled_from(["1 s", "2 s", "3/2 s"]), min_size=1, max_size=3),
    order=st.sampled_from(["in_turn", "writes_first"]),
    late=st.sampled_from(["drop", "reuse", "cancel"]),
    clock=st.integers(1, 4), data=st.data(),
)  # fmt: skip
def test_what_a_schedule_leaves_in_the_weights(
    scheme: str, periods: Sequence[str], order: str, late: str, clock: int, data: st.DataObject
) -> None:
    workers = st.integers(1, len(periods))
    stated: dict[str, Any] = {"scheme": scheme, "clock": clock, "worker": data.draw(workers)}
    stated |= {"staleness": data.draw(st.sampled_from([0, 1, 2, "infinity"])), "late": late}
    stated |= {"local_steps": data.draw(COUNTS), "wait_for": data.draw(workers), "order": order}
    try:
        answers("update-rule", stated | {"periods": list(periods)})
    except DdcalcError:
        assert scheme == "k_of_n"  # a late worker may never compute that clock
    answers("update-rule", stated | {"workers": len(periods)})
