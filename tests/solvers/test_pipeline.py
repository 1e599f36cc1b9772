"""pipeline against stages that are played pass by pass, model-memory against bytes dealt out,
checkpoint-interval against a search for the best interval.
"""

from __future__ import annotations

from fractions import Fraction
from math import isclose, sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, refusals, results


def order(stage: int, stages: int, batches: int, how: str) -> list[tuple[str, int]]:
    """The passes of a stage in their order."""
    if how == "gpipe":
        return [("f", i) for i in range(batches)] + [("b", i) for i in range(batches)]
    first = min(stages - stage - 1, batches)
    found = [("f", i) for i in range(first)]
    for i in range(batches):
        found += [("f", first + i)] if first + i < batches else []
        found.append(("b", i))
    return found


def played(stages: int, batches: int, forward: int, backward: int, how: str) -> tuple[int, int]:
    """When the last pass ends, and how many micro-batches the first stage keeps at most."""
    ends: dict[tuple[str, int, int], int] = {}
    left = {stage: order(stage, stages, batches, how) for stage in range(stages)}
    free = dict.fromkeys(range(stages), 0)
    while any(left.values()):
        for stage, passes in left.items():
            while passes:
                kind, i = passes[0]
                before = stage - 1 if kind == "f" else stage + 1
                edge = before in (-1, stages)
                turned = ("f", stage, i) if kind == "b" else None  # goes back after it went forth
                needs = [] if edge else [(kind, before, i)]
                needs += [turned] if turned else []
                if any(need not in ends for need in needs):
                    break
                begin = max([free[stage], *(ends[need] for need in needs)])
                free[stage] = ends[kind, stage, i] = begin + (forward if kind == "f" else backward)
                passes.pop(0)
    kept = most = 0
    for kind, _ in order(0, stages, batches, how):
        kept += 1 if kind == "f" else -1
        most = max(most, kept)
    return max(ends.values()), most


@settings(max_examples=150, deadline=None)
@given(
    stages=st.integers(1, 7),
    batches=st.integers(1, 12),
    forward=st.integers(1, 9),
    backward=st.integers(1, 9),
    how=st.sampled_from(["gpipe", "one_f_one_b"]),
)
def test_stages_are_played(
    stages: int, batches: int, forward: int, backward: int, how: str
) -> None:
    found: dict[str, Any] = results(
        "pipeline", stages=stages, micro_batches=batches, forward=forward, backward=backward,
        samples=3, activations="1 B", schedule=how,
    )  # fmt: skip
    time, most = played(stages, batches, forward, backward, how)
    assert (found["batch_time"], found["memory"]) == (time, most)
    working = batches * (forward + backward)
    assert (found["efficiency"], found["bubble"]) == (
        Fraction(working, time), 1 - Fraction(working, time),
    )  # fmt: skip
    assert found["throughput"] == Fraction(3 * batches, time)
    ideal = readings("pipeline", stages=stages, micro_batches=batches)
    if stages > 1:
        assert ideal == {("part_of", "ideal"): Fraction(time - working, working)}


def test_chunks_shorten_the_bubble() -> None:
    """Narayanan et al., SC 2021, section 2.2.2: v times shorter; ideal time for the part."""
    stated: dict[str, Any] = {"stages": 8, "micro_batches": 32, "part_of": "ideal"}
    assert results("pipeline", **stated)["bubble"] == Fraction(7, 32)
    assert results("pipeline", **stated, chunks=4)["bubble"] == Fraction(7, 4 * 32)


@settings(max_examples=150, deadline=None)
@given(
    per_worker=st.integers(1, 9),
    workers=st.integers(1, 8),
    split=st.integers(1, 4),
    sizes=st.tuples(st.integers(1, 4), st.integers(0, 4), st.integers(0, 12)),
    stage=st.integers(0, 3),
)
def test_bytes_are_dealt_out(
    per_worker: int, workers: int, split: int, sizes: tuple[int, int, int], stage: int
) -> None:
    parameters = per_worker * workers * split
    held = [0] * (workers * split)
    for parameter in range(parameters):
        part = parameter % split
        replicas = range(part * workers, (part + 1) * workers)
        owner = part * workers + parameter // split % workers
        for size, shared_from in zip(sizes, (3, 2, 1), strict=True):
            for device in [owner] if stage >= shared_from else replicas:
                held[device] += size
    assert len({*held}) == 1
    names = dict(zip(("weight", "gradient", "optimizer"), sizes, strict=True))
    zero = f"stage_{stage}" if stage else "none"
    stated: dict[str, Any] = {"parameters": parameters, "workers": workers, "split": split}
    found = results("model-memory", **stated, **names, zero=zero, other="1 B", capacity="999 B")
    assert found["device"] == held[0]
    assert found["total"] == parameters * sum(sizes)
    assert (found["needed"], found["spare"]) == (held[0] + 1, 999 - held[0] - 1)
    most = int(str(found["largest"]))
    assert Fraction(most * held[0], parameters) <= 998 < Fraction((most + 1) * held[0], parameters)


def test_the_states_as_published() -> None:
    """Rajbhandari et al., figure 1: 7.5B parameters, 64 workers."""
    stated: dict[str, Any] = {"parameters": "7.5B", "workers": 64}
    found = [results("model-memory", **stated, zero=z)["device"] for z in ("stage_1", "stage_2")]
    assert [round(float(str(each)) / 1e9, 1) for each in found] == [31.4, 16.6]


def lost(write: float, apart: float, restart: float, interval: float) -> float:
    return write / interval + (interval / 2 + restart) / apart


@settings(max_examples=60, deadline=None)
@given(write=st.integers(1, 10**4), apart=st.integers(1, 10**6), restart=st.integers(0, 10**4))
def test_no_other_interval_loses_less(write: int, apart: int, restart: int) -> None:
    found: dict[str, Any] = results(
        "checkpoint-interval", write=write, failures=apart, restart=restart
    )
    best = float(found["interval"])
    low, high = best / 100, best * 100
    for _ in range(200):  # golden enough: thirds
        third = (high - low) / 3
        left, right = low + third, high - third
        if lost(write, apart, restart, left) < lost(write, apart, restart, right):
            high = right
        else:
            low = left
    assert isclose(best, low, rel_tol=1e-5)
    assert isclose(float(found["loss"]), lost(write, apart, restart, best), rel_tol=1e-9)


@pytest.mark.parametrize(("hours", "minutes"), [(24, 117), (6, 57), (Fraction(1, 4), 9.1)])
def test_intervals_as_daly_prints_them(hours: Fraction, minutes: float) -> None:
    """The captions of figures 3, 4 and 5: a dump of 5 minutes."""
    found: dict[str, Any] = results(
        "checkpoint-interval", write="5 min", failures=f"{hours} h", formula="daly"
    )
    told = float(found["interval"]) / 60
    assert round(told, 1 if minutes < 10 else 0) == minutes


def test_rates_of_components_add_up() -> None:
    found: dict[str, Any] = results(
        "checkpoint-interval", write="30 s", components=[4096, 512, 32],
        lifetimes=["25000 h", "8000 h", "100000 h"], compared="1 h",
    )  # fmt: skip
    hours = 1 / (4096 / 25000 + 512 / 8000 + 32 / 100000)
    assert isclose(float(found["between"]) / 3600, hours)
    assert sum(found["blamed"]) == 1
    assert isclose(float(found["interval"]), sqrt(2 * 30 * hours * 3600))
    assert found["writes"] == Fraction(30, 3600)


WRITE = {"write": "30 s", "failures": "2 h"}
MODEL = {"parameters": "7B"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "told"),
    [
        ("pipeline", {"stages": "0", "micro_batches": "4"}, "stages", "at least 1"),
        ("pipeline", {"stages": "4", "micro_batches": "4", "samples": "2"}, "", "forward"),
        ("pipeline", {"stages": "4", "micro_batches": "4", "forward": "1 MB"}, "forward", "data"),
        ("model-memory", MODEL | {"parameters": "7 GB"}, "parameters", "takes no unit"),
        ("model-memory", MODEL | {"other": "80 GB", "capacity": "80 GB"}, "other", "leaves no"),
        (
            "model-memory", MODEL | {"weight": "0", "gradient": "0", "optimizer": "0"}, "weight",
            "is nothing",
        ),
        ("checkpoint-interval", {"write": "30 s"}, "", "failures or lifetimes"),
        ("checkpoint-interval", WRITE | {"write": "0"}, "write", "more than 0"),
        ("checkpoint-interval", {"size": "1 GB", "failures": "1 h"}, "", "bandwidth"),
        (
            "checkpoint-interval", WRITE | {"size": "1 GB", "bandwidth": "1 GB/s"}, "write",
            "one of the two",
        ),
        (
            "checkpoint-interval",
            WRITE | {"components": ["2"], "lifetimes": ["2 h"]}, "failures", "one of the two",
        ),
        (
            "checkpoint-interval",
            {"write": "1 s", "components": ["2", "3"], "lifetimes": ["2 h"]}, "lifetimes", "lists",
        ),
    ],
)  # fmt: skip
def test_refused(slug: str, given: dict[str, Any], parameter: str, told: str) -> None:
    [(name, text)] = refusals(slug, **given)
    assert (name or "") == parameter
    assert told in text
