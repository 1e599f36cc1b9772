"""allreduce: what is told beside its times, and published numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import derivation, refusals, results

from ddcalc.problem.steps import Solve, Table

TYPE = "allreduce"
FLAT = ["ring", "bidirectional", "tree", "recursive_doubling", "halving_doubling", "naive"]
PACE, SIZE = Fraction(7 * 10**9), 5040000
LINKS: dict[str, Any] = {"latency": "3 us", "bandwidth": "7 GB/s", "size": "5040000 B"}


def number(value: Any) -> Fraction:
    return Fraction(value)


def stated(**more: Any) -> dict[str, Any]:
    return LINKS | {"reduce": "11 GB/s"} | more


def test_what_is_compared_with_is_told_apart() -> None:
    text = ddcalc("allreduce", "--workers", "8", "--size", "1GB", "--bandwidth", "1GB/s",
                  "--versus", "tree", columns=200).out  # fmt: skip
    assert "ring: reduce-scatter, then all-gather; to compare with: binomial tree: " in text


def test_the_double_tree_is_the_estimate_of_nccl() -> None:
    """src/graph/tuning.cc: 2·log2(nodes) latencies, and half of the bandwidth."""
    question = {"workers": 64, "latency": "5 us", "bandwidth": "10 GB/s", "size": "1 GB"}
    answers = results(TYPE, **question, algorithm="double_tree", versus="ring")
    assert answers["time"] == 2 * 6 * Fraction(5, 10**6) + Fraction(10**9, 5 * 10**9)
    assert answers["crossover"] == Fraction((126 - 12) * 5 * 10**4) / (2 - Fraction(2 * 63, 64))
    assert "double_tree" not in results(TYPE, **question, algorithm="all")


def test_one_kind_of_link_for_both_levels() -> None:
    question = stated(nodes=4, workers_per_node=4, algorithm="two_level")
    alike = question | {"inner_latency": "3 us", "inner_bandwidth": "7 GB/s"}
    assert results(TYPE, **question)["time"] == results(TYPE, **alike)["time"]


@settings(max_examples=60, deadline=None)
@given(
    p=st.integers(1, 40),
    size=st.integers(1, 10**6),
    alpha=st.integers(0, 50),
    algorithm=st.sampled_from(FLAT),
    calls=st.integers(1, 9),
)
def test_all_ranks_what_each_one_takes(
    p: int, size: int, alpha: int, algorithm: str, calls: int
) -> None:
    question: dict[str, Any] = {
        "workers": p, "size": f"{size} B", "latency": f"{alpha} ns", "bandwidth": "3 GB/s",
        "calls": calls,
    }  # fmt: skip
    every = results(TYPE, **question, algorithm="all")
    one: dict[str, Any] = results(TYPE, **question, algorithm=algorithm)
    assert one["time"] == calls * one["call"]
    if algorithm == "bidirectional":  # has twice the links
        assert algorithm not in every
    else:
        assert every[algorithm] == one["call"]
    names = [*(name for name in FLAT if name != "bidirectional"), "parameter_server"]
    assert every["time"] == calls * min(number(every[name]) for name in names)


@settings(max_examples=40, deadline=None)
@given(
    p=st.integers(2, 40),
    one=st.sampled_from(FLAT),
    other=st.sampled_from([*FLAT, "parameter_server"]),
    speed=st.booleans(),
)
def test_the_size_at_which_both_take_as_long(p: int, one: str, other: str, speed: bool) -> None:
    question = {"latency": "3 us", "bandwidth": "7 GB/s", "workers": p}
    question |= {"reduce": "11 GB/s"} if speed else {}

    def times(size: Any) -> tuple[Fraction, Fraction]:
        text = (
            results(TYPE, **question, size=f"{size} B", algorithm=name)["time"]
            for name in (one, other)
        )
        return number(next(text)), number(next(text))

    answers = results(TYPE, **question, size="1 MB", algorithm=one, versus=other)
    assert answers["other"] == times(10**6)[1]
    if one == other:
        assert "crossover" not in answers
    elif answers["crossover"] is None:
        (a, b), (c, d) = times(Fraction(1, 10**30)), times(10**30)
        assert (a - b) * (c - d) >= 0
    else:
        at = times(answers["crossover"])
        assert at[0] == at[1]


def _tables(**question: Any) -> list[Table]:
    return [step for step in derivation(TYPE, **question).steps if isinstance(step, Table)]


@pytest.mark.parametrize("p", [2, 3, 8, 12, 16, 17])
def test_where_the_order_changes(p: int) -> None:
    question = {"latency": "10 us", "bandwidth": "100 GB/s", "workers": p, "algorithm": "all"}
    order, _, changes = _tables(**question, size="100 MB")
    answers = results(TYPE, **question, size="100 MB")
    titles = {
        q.title: n for n, q in derivation(TYPE, **question, size="1 B").problem.quantities.items()
    }
    times = [number(answers[titles[str(row[1])]]) for row in order.rows]
    assert times == sorted(times)
    assert min(times) == answers["time"]
    solved = [
        step
        for step in derivation(TYPE, **question, size="100 MB").steps
        if isinstance(step, Solve)
    ]
    assert len(solved) <= len(changes.rows)
    for step in solved:
        (left, right) = step.title.split(" and ")
        at = results(TYPE, **question, size=f"{step.value} B")
        assert at[titles[left]] == at[titles[right]] == at["time"]
        after = results(TYPE, **question, size=f"{number(step.value) * 2} B")
        assert number(after[titles[right]]) < number(after[titles[left]])


# Published


@pytest.mark.parametrize(
    ("question", "name", "value"),
    [
        # The Algebra of Distributed Training: chapter 4 exercise 1; chapter 13 exercise 1; 12.3
        ({"workers": 256, "size": "10 GB", "latency": "2 us", "bandwidth": "50 GB/s"},
         "time", Fraction("0.3994575")),
        ({"workers": 16, "size": "100 MB", "latency": "10 us", "bandwidth": "100 GB/s"},
         "time", Fraction("0.002175")),
        ({"nodes": 4, "workers_per_node": 4, "size": "100 MB", "latency": "10 us",
          "bandwidth": "100 GB/s", "algorithm": "two_level"}, "time", Fraction("0.001995")),
        # Gibiansky: the root gathers, and nothing more is counted
        ({"workers": 10, "parameters": "300M", "bytes_per_parameter": 4, "bandwidth": "1 GB/s",
          "algorithm": "parameter_server", "server": "worker", "ways": "gather"},
         "time", Fraction("10.8")),
        # Dive into Deep Learning: factor 2, three links
        ({"workers": 8, "size": "160 MB", "bandwidth": "18 GB/s", "links": 3, "factor": "two"},
         "time", Fraction(160, 27000)),
        # Bekman: what a worker of ZeRO-1 sends
        ({"workers": 8, "parameters": "10B", "bytes_per_parameter": 2, "bandwidth": "1 GB/s",
          "factor": "two"}, "sent", Fraction(40 * 10**9)),
    ],
)  # fmt: skip
def test_published(question: dict[str, Any], name: str, value: Fraction) -> None:
    assert results(TYPE, **question)[name] == value


def test_bandwidths_of_nccl_tests() -> None:
    answers: dict[str, Any] = results(TYPE, **LINKS, workers=8, calls=3)
    assert answers["algorithm_bandwidth"] == 3 * SIZE / number(answers["time"])
    assert answers["bus_bandwidth"] == answers["algorithm_bandwidth"] * Fraction(14, 8)
    free: dict[str, Any] = results(TYPE, **LINKS | {"latency": 0}, workers=8)
    assert free["bus_bandwidth"] == PACE
    alone = results(TYPE, **LINKS, workers=1)
    assert (alone["time"], alone["bus_bandwidth"]) == (0, None)


# Conventions


def test_a_two_way_bandwidth_is_halved() -> None:
    both = results(TYPE, **stated(workers=4, direction="two_way", bandwidth="14 GB/s"))
    assert both["time"] == results(TYPE, **stated(workers=4))["time"]
    inside = {"nodes": 2, "workers_per_node": 2, "algorithm": "two_level"}
    half = stated(**inside, inner_bandwidth="60 GB/s")
    whole = stated(**inside, inner_bandwidth="120 GB/s", direction="two_way", bandwidth="14 GB/s")
    assert results(TYPE, **half)["time"] == results(TYPE, **whole)["time"]


def test_a_model_size_is_parameters_times_bytes() -> None:
    small = {"workers": 4, "bandwidth": "1 GB/s", "parameters": "300M"}
    for width in ("4", "32 bit", "4 B"):
        answers = results(TYPE, **small, bytes_per_parameter=width)
        assert answers["message"] == 1200 * 10**6


# Refusals


@pytest.mark.parametrize(
    ("more", "parameter", "message"),
    [
        ({"workers": 4, "bandwidth": "100 Gb/s"}, "bandwidth", "Gb"),
        ({"workers": 5, "nodes": 2, "workers_per_node": 2}, "workers", "2 times 2"),
        ({"workers": 4, "parameters": 7, "bytes_per_parameter": 1}, "size", "state one of the two"),
        ({"workers": 4, "algorithm": "rings"}, "algorithm", "rings"),
    ],
)
def test_refusals(more: dict[str, Any], parameter: str, message: str) -> None:
    ((about, text),) = refusals(TYPE, **LINKS | more)
    assert about == parameter
    assert message in text


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ({"workers": 4, "bandwidth": "1 GB/s"}, "size or parameters"),
        ({"size": "1 GB", "bandwidth": "1 GB/s"}, "workers or nodes"),
        ({"size": "1 GB", "bandwidth": "1 GB/s", "nodes": 2}, "workers_per_node"),
        ({"parameters": 4, "bandwidth": "1 GB/s", "workers": 2}, "bytes_per_parameter"),
        (LINKS | {"workers": 4, "algorithm": "two_level"}, "nodes, workers_per_node"),
    ],
)
def test_missing(question: dict[str, Any], missing: str) -> None:
    assert refusals(TYPE, **question) == [(None, f"missing: {missing}")]


def test_bits_are_shown_as_stated_and_counted_as_bytes() -> None:
    ran = ddcalc(
        TYPE, "--workers", "4", "--size", "800 Mbit", "--bandwidth", "8 Gbit/s", "--format", "json"
    )
    assert ran.code == 0
    assert '"text": "0.15 s"' in ran.out
    wrong = ddcalc(TYPE, "--workers", "4", "--size", "1 Gb", "--bandwidth", "1 GB/s")
    assert wrong.code == 2
    assert "--size" in wrong.err


@pytest.mark.parametrize(
    ("more", "missing"),
    [({"workers": 8, "nodes": 2}, "--workers-per-node"), ({}, "--nodes, --workers-per-node")],
)
def test_what_is_missing_is_told_once(more: dict[str, int], missing: str) -> None:
    stated = [f"--{name}={value}" for name, value in more.items()]
    ran = ddcalc("allreduce", "--size=1MB", "--bandwidth=1GB/s", "--algorithm=two-level", *stated)
    assert ran.err.splitlines()[0] == f"error: missing: {missing}"
