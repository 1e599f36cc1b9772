"""All-reduces and other messages: published numbers, conventions, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from running import ddcalc
from stating import derivation, refusals, results

from ddcalc.problem.steps import Solve, Table

LINKS: dict[str, Any] = {"latency": "3 us", "bandwidth": "7 GB/s", "size": "5040000 B"}
V5E: dict[str, Any] = {"workers": 4, "bandwidth": "45 GB/s"}
H100: dict[str, Any] = {"workers": 8, "bandwidth": "450 GB/s", "size": "33554432 B"}
ALGEBRA: dict[str, Any] = {"latency": "10 us", "bandwidth": "100 GB/s", "size": "100 MB"}


@pytest.mark.parametrize(
    ("slug", "question", "name", "value"),
    [
        # The Algebra of Distributed Training: chapters 4 and 12
        ("allreduce", ALGEBRA | {"workers": 16}, "time", Fraction("0.002175")),
        ("allreduce", ALGEBRA | {"nodes": 4, "workers_per_node": 4, "algorithm": "two_level"},
         "time", Fraction("0.001995")),
        ("transfer", {"size": "1 B", "latency": "1 us", "bandwidth": "900 GB/s"},
         "balance", 900_000),
        # Dive into Deep Learning: factor 2, three links
        ("allreduce", {"workers": 8, "size": "160 MB", "bandwidth": "18 GB/s", "links": 3,
                       "factor": "two"}, "time", Fraction(160, 27000)),
        # Bekman: what a worker of ZeRO-1 sends
        ("allreduce", {"workers": 8, "parameters": "10B", "bytes_per_parameter": 2,
                       "bandwidth": "1 GB/s", "factor": "two"}, "sent", 40 * 10**9),
        # How to Scale Your Model, sharding.md, Question 3; gpus.md
        ("collective", V5E | {"size": "33554432 B", "algorithm": "ring"},
         "time", Fraction(3 * 8388608, 45 * 10**9)),
        ("collective", V5E | {"size": "256 B", "algorithm": "bidirectional", "latency": "1 us",
                              "together": "larger"}, "time", Fraction(2, 10**6)),
        ("collective", H100 | {"factor": "whole"}, "time", Fraction(33554432, 450 * 10**9)),
        ("collective", H100, "time", Fraction(33554432 * 7, 8 * 450 * 10**9)),
        # nccl-tests: 8 H100 in one node, and its listed bandwidths by those of the wire
        ("bus-bandwidth", {"workers": 8, "algorithm_bandwidth": "275.58 GB/s"},
         "bus_bandwidth", Fraction("482.265") * 10**9),
        ("bus-bandwidth", {"listed_bus_bandwidth": "234.89 GB/s", "wire": "300 GB/s"},
         "share", Fraction("234.89") / 300),
    ],
)  # fmt: skip
def test_published(slug: str, question: dict[str, Any], name: str, value: Fraction) -> None:
    assert results(slug, **question)[name] == value


def test_the_double_tree_is_the_estimate_of_nccl() -> None:
    """src/graph/tuning.cc: 2·log2(nodes) latencies, and half of the bandwidth."""
    question = {"workers": 64, "latency": "5 us", "bandwidth": "10 GB/s", "size": "1 GB"}
    answers = results("allreduce", **question, algorithm="double_tree", versus="ring")
    assert answers["time"] == 2 * 6 * Fraction(5, 10**6) + Fraction(10**9, 5 * 10**9)
    assert answers["crossover"] == Fraction((126 - 12) * 5 * 10**4) / (2 - Fraction(2 * 63, 64))
    assert "double_tree" not in results("allreduce", **question, algorithm="all")


@pytest.mark.parametrize("p", [2, 3, 12, 16])
def test_where_the_order_changes(p: int) -> None:
    question = ALGEBRA | {"workers": p, "algorithm": "all"}
    solution = derivation("allreduce", **question)
    tables = {step.title: step for step in solution.steps if isinstance(step, Table)}
    order = tables["Ranking"]
    changed = tables["Where the order changes"].rows if p > 2 else ()
    if p == 2:
        assert "are fastest at every size above 0" in order.why
    answers = results("allreduce", **question)
    titles = {q.title: name for name, q in solution.problem.quantities.items()}
    times: list[Any] = [answers[titles[str(row[1])]] for row in order.rows]
    assert times == sorted(times)
    assert min(times) == answers["time"]
    solved = [step for step in solution.steps if isinstance(step, Solve)]
    assert len(solved) <= len(changed)
    for step in solved:
        (left, right) = step.title.split(" and ")
        at = results("allreduce", **question | {"size": f"{step.value} B"})
        assert at[titles[left]] == at[titles[right]] == at["time"]
        assert isinstance(step.value, int | Fraction)
        after: Any = results("allreduce", **question | {"size": f"{step.value * 2} B"})
        assert after[titles[right]] < after[titles[left]]


@pytest.mark.parametrize("slug", ["allreduce", "collective"])
def test_bandwidths_of_nccl_tests(slug: str) -> None:
    part = Fraction(14 if slug == "allreduce" else 7, 8)
    answers: dict[str, Any] = results(slug, **LINKS | {"latency": 0}, workers=8, calls=3)
    assert answers["bus_bandwidth"] == 7 * 10**9 == answers["algorithm_bandwidth"] * part
    alone = results(slug, **LINKS, workers=1)
    assert (alone["time"], alone["bus_bandwidth"]) == (0, None)


# Conventions


def test_a_two_way_bandwidth_is_halved() -> None:
    both = results("allreduce", **LINKS | {"bandwidth": "14 GB/s"}, workers=4, direction="two_way")
    assert both["time"] == results("allreduce", **LINKS, workers=4)["time"]
    inside = LINKS | {"nodes": 2, "workers_per_node": 2, "algorithm": "two_level"}
    half = inside | {"inner_bandwidth": "60 GB/s"}
    whole = inside | {"inner_bandwidth": "120 GB/s", "bandwidth": "14 GB/s"}
    both = results("allreduce", **whole, direction="two_way")
    assert both["time"] == results("allreduce", **half)["time"]
    alike = inside | {"inner_latency": "3 us", "inner_bandwidth": "7 GB/s"}
    assert results("allreduce", **inside)["time"] == results("allreduce", **alike)["time"]


def test_a_model_size_is_parameters_times_bytes() -> None:
    small = {"workers": 4, "bandwidth": "1 GB/s", "parameters": "300M"}
    for width in ("4", "32 bit", "4 B"):
        answers = results("allreduce", **small, bytes_per_parameter=width)
        assert answers["message"] == 1200 * 10**6


def test_what_is_compared_with_is_told_apart() -> None:
    text = ddcalc("allreduce", "--workers", "8", "--size", "800 Mbit", "--bandwidth", "8 Gbit/s",
                  "--versus", "tree", columns=200).out  # fmt: skip
    assert "With a binomial tree it takes 600 ms, about 3.429 times as long" in text
    assert "175 ms" in text  # bits are shown as stated and counted as bytes


# Refusals

SENT = {"size": "1 GB", "bandwidth": "1 GB/s"}


@pytest.mark.parametrize(
    ("slug", "question", "parameter", "message"),
    [
        ("allreduce", LINKS | {"workers": 4, "bandwidth": "1 gb/s"}, "bandwidth", "Gb"),
        ("allreduce", LINKS | {"workers": 5, "nodes": 2, "workers_per_node": 2}, "workers",
         "2 times 2"),
        ("allreduce", LINKS | {"workers": 4, "parameters": 7, "bytes_per_parameter": 1}, "size",
         "state one of the two"),
        ("allreduce", {"workers": 4, "bandwidth": "1 GB/s"}, None, "missing: size or parameters"),
        ("allreduce", SENT, None, "missing: workers or nodes"),
        ("allreduce", SENT | {"nodes": 2}, None, "missing: workers_per_node"),
        ("allreduce", {"parameters": 4, "bandwidth": "1 GB/s", "workers": 2}, None,
         "missing: bytes_per_parameter"),
        ("allreduce", LINKS | {"workers": 4, "algorithm": "two_level"}, None,
         "missing: nodes, workers_per_node"),
        ("collective", LINKS | {"workers": 6, "algorithm": "tree", "operation": "reduce_scatter"},
         "workers", "power"),
        ("transfer", {"size": "1 GB"}, None, "missing: bandwidth"),
        ("transfer", {"size": "1 GB", "bandwidth": "0 GB/s"}, "bandwidth", ""),
        ("transfer", {"size": "-1 GB", "bandwidth": "1 GB/s"}, "size", ""),
        ("bus-bandwidth", {}, None, "missing: algorithm_bandwidth or size, workers"),
        ("bus-bandwidth", {"workers": 2, "size": "1 GB"}, None, "missing: time"),
        ("bus-bandwidth", {"workers": 2, "size": "1 GB", "time": 0}, "time", ""),
    ],
)  # fmt: skip
def test_refused(slug: str, question: dict[str, Any], parameter: str | None, message: str) -> None:
    ((about, text),) = refusals(slug, **question)
    assert about == parameter
    assert message in text
    if not parameter:
        assert text == message
