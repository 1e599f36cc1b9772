"""Edges of questions about messages that random ones seldom reach, put to the same witnesses."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from test_witnesses import witnessed
from two_trees import TwoTrees, trees

from ddcalc.api import find
from ddcalc.ask.solve import solve
from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Define, Table

LINKS = {"latency": "3 us", "bandwidth": "7 GB/s", "size": "5040000 B"}
INSIDE = {"inner_latency": "1 us", "inner_bandwidth": "60 GB/s"}
LIKE = ["ring", "tree", "recursive_doubling", "halving_doubling", "naive"]


@pytest.mark.parametrize("p", [*range(1, 18), 31, 32, 33])
@pytest.mark.parametrize("algorithm", [*LIKE, "bidirectional", "double_tree"])
def test_all_reduces_of_any_number_of_workers(algorithm: str, p: int) -> None:
    witnessed("allreduce", **LINKS, reduce="11 GB/s", workers=p, algorithm=algorithm)


@pytest.mark.parametrize("p", [*range(2, 20), 31, 32, 33])
def test_blocks_along_two_trees(p: int) -> None:
    """More and smaller blocks come as near to the bytes that are told as one likes."""
    all_at_once = TwoTrees(p)
    for blocks in (1, 7, 20):
        slots = TwoTrees(p, blocks).slots()
        least = all_at_once.busiest * blocks
        assert least <= slots <= least + all_at_once.busiest * 2 * all_at_once.height


def test_the_trees_are_those_of_the_pictures_of_nccl() -> None:
    first, _ = trees(14)
    assert [first[w] for w in range(1, 14)] == [2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12]
    _, mirrored = trees(12)
    assert {w: mirrored[w] for w in (3, 7, 1, 9, 5)} == {3: 11, 7: 3, 1: 3, 9: 7, 5: 7}
    _, shifted = trees(13)
    assert {w: shifted[w] for w in (9, 5, 0, 11, 3)} == {9: 1, 5: 9, 0: 9, 11: 0, 3: 5}


SERVERS = [*product(["apart", "worker"], ["shared", "one_each"], ["both", "gather"])]


@pytest.mark.parametrize(("server", "link", "ways"), SERVERS)
def test_servers(server: str, link: str, ways: str) -> None:
    message = {"algorithm": "parameter_server", "server": server, "server_link": link, "ways": ways}
    for p, servers in product([1, 2, 3, 5, 8], [None, 1, 2, 3, 5, 7]):
        if server == "apart" or (servers or 1) <= p:
            sharded = {"servers": servers} if servers else {}
            witnessed("allreduce", **LINKS, **message, **sharded, workers=p, reduce="11 GB/s")
    for q, k, servers in product([1, 2, 3], [1, 2, 3], [None, 1, 2, 3, 5, 7]):
        if server == "apart" or (servers or 1) <= q * k:
            sharded = {"servers": servers} if servers else {}
            for uplink, inside in product(["own", "shared"], [{}, INSIDE]):
                nodes = {"nodes": q, "workers_per_node": k, "uplink": uplink, **inside}
                witnessed("allreduce", **LINKS, **message, **sharded, **nodes)


@pytest.mark.parametrize("uplink", ["own", "shared"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("q", [1, 2, 3, 5, 8])
def test_all_reduces_in_nodes(q: int, k: int, uplink: str) -> None:
    """Each algorithm, and all of them ranked, over the same links inside and out of the nodes."""
    nodes = LINKS | {"nodes": str(q), "workers_per_node": str(k), "uplink": uplink}
    for inside, adding in ((INSIDE, {"reduce": "11 GB/s"}), ({}, {})):
        question: dict[str, Any] = nodes | inside | adding
        for algorithm in [*LIKE, "bidirectional", "two_level"]:
            witnessed("allreduce", **question, algorithm=algorithm)
        witnessed("allreduce", **question, algorithm="halving_doubling", partners="far")
        witnessed("allreduce", **question, algorithm="two_level", levels="leaders")
        ranked = witnessed("allreduce", **question, algorithm="all")
        for algorithm in [*LIKE, "two_level", "parameter_server"]:
            alone = solve(ranked.problem, {**question, "algorithm": algorithm})
            assert ranked.values[algorithm] == alone.values["time"]


@pytest.mark.parametrize(
    ("more", "milliseconds"),
    [
        ({"algorithm": "halving_doubling"}, "2.136"),
        ({"algorithm": "halving_doubling", "partners": "far"}, "15.0969375"),
        ({"algorithm": "naive"}, "961.907"),
        ({"algorithm": "all"}, "2.136"),
        ({"algorithm": "halving_doubling", "nodes": "4", "uplink": "own"}, "0.4085"),
        ({"algorithm": "all", "nodes": "4", "uplink": "own"}, "0.4085"),
    ],
)
def test_sixteen_nodes_that_share_a_link_out(more: dict[str, str], milliseconds: str) -> None:
    """All 8 workers of a node send at once over its one link: counted by hand."""
    nodes = {"nodes": "16", "workers_per_node": "8", "uplink": "shared", "size": "1 MB"}
    links = {"latency": "10 us", "bandwidth": "1 GB/s", "inner_latency": "1 us",
             "inner_bandwidth": "10 GB/s"}  # fmt: skip
    answers = witnessed("allreduce", **{**nodes, **links, **more})
    assert answers.answer.value == Fraction(milliseconds) / 1000


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"algorithm": "tree", "versus": "ring"}, "a ring is faster at every size above 0"),
        ({"algorithm": "ring", "versus": "tree"}, "a ring is faster at every size above 0"),
        ({"workers": "2", "algorithm": "double_tree", "versus": "ring"},
         "both are as fast at every size"),
        ({"workers": "1", "versus": "naive"}, "both are as fast at every size"),
        ({"latency": "1 us", "algorithm": "tree", "versus": "naive"},
         "a binomial tree is faster at every size"),
        ({"latency": "1 us", "versus": "tree"}, "where both need the same time"),
    ],
)  # fmt: skip
def test_who_is_faster_where_the_lines_do_not_meet(more: dict[str, str], message: str) -> None:
    question = {"workers": "8", "size": "1 MB", "bandwidth": "1 GB/s"} | more
    steps = witnessed("allreduce", **question).steps
    (step,) = (item for item in steps if isinstance(item, Define) and item.name == "crossover")
    assert step.why == message


WAYS = ["ring", "bidirectional", "pairs", "tree"]
OPERATIONS = ["all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather"]


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17])
@pytest.mark.parametrize("way", WAYS)
def test_operations_of_any_number_of_workers(way: str, p: int) -> None:
    for operation in [*OPERATIONS, "scatter"]:
        power = not p & (p - 1)
        if way != "tree" or power or operation not in ("reduce_scatter", "all_to_all"):
            question = {"workers": p, "algorithm": way, "operation": operation}
            witnessed("collective", **LINKS, **question, reduce="11 GB/s", calls=3)


@pytest.mark.parametrize("p", range(2, 12))
def test_a_line_is_no_ring(p: int) -> None:
    """The manual: a line takes as long for an all-gather; an all-to-all needs less of its busiest
    link, in the middle, than of that of a ring one way round."""
    question: dict[str, Any] = {"size": f"{p} B", "bandwidth": "1 B/s", "workers": p}
    link = Counter((w, w + 1) for a in range(p) for b in range(p) for w in range(a, b))
    assert max(link.values()) == p // 2 * (p - p // 2)
    ring = witnessed("collective", **question, operation="all_to_all").values["moved"]
    assert ring == p * (p - 1) // 2 >= max(link.values())
    assert (ring > max(link.values())) == (p > 2)
    right = Counter((w, w + 1) for a in range(p) for w in range(a, p - 1))  # everybody to the end
    assert max(right.values()) == witnessed("collective", **question).values["volume"]


COLLECTIVES = {
    "all_reduce": "14/8", "reduce_scatter": "7/8", "all_gather": "7/8", "all_to_all": "7/8",
    "broadcast": "1", "reduce": "1", "gather": "7/8", "scatter": "7/8", "send": "1",
    "in_network": "9/8",
}  # fmt: skip


@pytest.mark.parametrize(("collective", "factor"), COLLECTIVES.items())
def test_factors_and_the_ranks_that_have_them(collective: str, factor: str) -> None:
    measured = {"algorithm_bandwidth": "274 GB/s", "collective": collective}
    answers = witnessed("bus-bandwidth", **measured, workers=8)
    assert answers.values["factor"] == Fraction(factor)
    if collective not in ("broadcast", "reduce", "send"):
        for n in (2, 3, 8, 72, 5000):
            bus = witnessed("bus-bandwidth", **measured, workers=n).answer.value
            ranks = find("bus-bandwidth", "workers", where=f"bus_bandwidth = {bus} B/s", **measured)
            assert ranks.answer.value == n


def test_sums_in_the_switch_are_within_the_wire() -> None:
    """480 GB/s are listed for 8 GPUs with 450 GB/s each way (nccl-tests, issue 212): algorithm
    bandwidth 274 GB/s, of which the wire carries 9/8."""
    listed = {"workers": 8, "algorithm_bandwidth": "274 GB/s", "wire": "450 GB/s"}
    assert witnessed("bus-bandwidth", **listed).values["share"] > 1  # type: ignore[operator]
    answers = witnessed("bus-bandwidth", **listed, collective="in_network")
    assert answers.answer.value == Fraction("308.25") * 10**9
    assert answers.values["share"] == Fraction("0.685")


def test_links_that_are_not_modelled() -> None:
    nodes = {"nodes": "2", "workers_per_node": "4", **LINKS}
    for slow in ({"inner_latency": "4 us"}, {"inner_bandwidth": "6 GB/s"}):
        with pytest.raises(DdcalcError, match="both kinds of links"):
            solve(problem_named("allreduce"), {**nodes, **slow})
        witnessed("allreduce", **nodes, **slow, algorithm="two_level")
    with pytest.raises(DdcalcError, match="one kind"):
        solve(problem_named("allreduce"), {**nodes, "uplink": "shared", "versus": "double_tree"})


def test_what_is_never_hidden_needs_no_bandwidth() -> None:
    question = {"volume": "1 GB", "bandwidth": "1 GB/s", "compute": "1 s"}
    assert witnessed("overlap", **question).values["enough"] == 10**9
    for part_of in ("communication", "shorter"):
        answers = witnessed("overlap", **question, overlapped="0.5", part_of=part_of)
        assert (answers.values["enough"], answers.values["exposed"]) == (None, Fraction(1, 2))


@pytest.mark.parametrize("algorithm", ["ring", "bidirectional", "two_level"])
def test_what_a_ring_is_rounded_to_send_is_not_added_up(algorithm: str) -> None:
    for p in (1, 5):
        of = {"nodes": p, "workers_per_node": 3} if algorithm == "two_level" else {"workers": p}
        question: dict[str, Any] = {**LINKS, **of, "algorithm": algorithm, "reduce": "11 GB/s"}
        exact = witnessed("allreduce", **question).values["added"]
        rounded = solve(problem_named("allreduce"), {k: str(v) for k, v in question.items()}
                        | {"factor": "two"})  # fmt: skip
        assert rounded.values["added"] == exact
        scattered = {name: str(question[name]) for name in (*LINKS, "reduce")}
        scattered |= {"workers": str(p), "operation": "reduce_scatter", "factor": "whole"}
        if algorithm != "two_level":
            answers = solve(problem_named("collective"), scattered | {"algorithm": algorithm})
            assert answers.values["added"] == 5040000 * (1 - Fraction(1, p))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"workers": "1"}, "Ring, Tree, Recursive doubling, Halving-doubling and Everyone to"
                           " everyone are fastest"),
        ({"workers": "8"}, "Ring and Halving-doubling are fastest"),
        ({"workers": "2", "latency": "10 us", "factor": "two"},
         "Recursive doubling and Everyone to everyone are fastest"),
    ],
)  # fmt: skip
def test_algorithms_that_tie_are_named_together(more: dict[str, str], says: str) -> None:
    question = {"size": "1 MB", "bandwidth": "1 GB/s", "algorithm": "all"} | more
    steps = solve(problem_named("allreduce"), question).steps
    (table,) = (item for item in steps if isinstance(item, Table))
    assert table.why == f"the shortest time first; {says} at every size above 0"
