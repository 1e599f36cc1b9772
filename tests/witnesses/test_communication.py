"""Edges of questions about messages that random ones seldom reach, put to the same witnesses."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from asking import WITNESSES
from test_witnesses import agrees, asked

from ddcalc.ask.solve import Derivation, solve
from ddcalc.catalog import problem_named
from ddcalc.steps import Define

LINKS = {"latency": "3 us", "bandwidth": "7 GB/s", "size": "5040000 B"}
INSIDE = {"inner_latency": "1 us", "inner_bandwidth": "60 GB/s"}
LIKE = ["ring", "tree", "recursive_doubling", "halving_doubling", "naive"]


def agreed(slug: str, **stated: Any) -> Derivation:
    """The solved question, with whose every value the witness agrees."""
    found = solve(problem_named(slug), {name: str(value) for name, value in stated.items()})
    expected = WITNESSES[slug](asked(found))
    assert found.answer.name in expected
    for name, value in expected.items():
        assert agrees(found.values[name], value), f"{name}: {found.values[name]}, witness {value}"
    return found


@pytest.mark.parametrize("p", [*range(1, 18), 31, 32, 33])
@pytest.mark.parametrize("algorithm", [*LIKE, "bidirectional", "double_tree"])
def test_all_reduces_of_any_number_of_workers(algorithm: str, p: int) -> None:
    agreed("allreduce", **LINKS, reduce="11 GB/s", workers=p, algorithm=algorithm)


SERVERS = [*product(["apart", "worker"], ["shared", "one_each"], ["both", "gather"])]


@pytest.mark.parametrize(("server", "link", "ways"), SERVERS)
def test_servers(server: str, link: str, ways: str) -> None:
    told = {"algorithm": "parameter_server", "server": server, "server_link": link, "ways": ways}
    for p, servers in product([1, 2, 3, 5, 8], [None, 1, 2, 3, 5, 7]):
        if server == "apart" or (servers or 1) <= p:
            sharded = {"servers": servers} if servers else {}
            agreed("allreduce", **LINKS, **told, **sharded, workers=p, reduce="11 GB/s")
    for q, k, servers in product([1, 2, 3], [1, 2, 3], [None, 1, 2, 3, 5, 7]):
        if server == "apart" or (servers or 1) <= q * k:
            sharded = {"servers": servers} if servers else {}
            for uplink, inside in product(["own", "shared"], [{}, INSIDE]):
                nodes = {"nodes": q, "workers_per_node": k, "uplink": uplink, **inside}
                agreed("allreduce", **LINKS, **told, **sharded, **nodes)


@pytest.mark.parametrize("uplink", ["own", "shared"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("q", [1, 2, 3, 5, 8])
def test_all_reduces_in_nodes(q: int, k: int, uplink: str) -> None:
    """Each algorithm, and all of them ranked, over the same links inside and out of the nodes."""
    nodes = LINKS | {"nodes": str(q), "workers_per_node": str(k), "uplink": uplink}
    for inside, adding in ((INSIDE, {"reduce": "11 GB/s"}), ({}, {})):
        question: dict[str, Any] = nodes | inside | adding
        for algorithm in [*LIKE, "bidirectional", "two_level"]:
            agreed("allreduce", **question, algorithm=algorithm)
        agreed("allreduce", **question, algorithm="halving_doubling", partners="far")
        agreed("allreduce", **question, algorithm="two_level", levels="leaders")
        ranked = agreed("allreduce", **question, algorithm="all")
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
    """Half of the data over 8 workers' one link costs more than an eighth of it: counted by hand."""
    nodes = {"nodes": "16", "workers_per_node": "8", "uplink": "shared", "size": "1 MB"}
    links = {"latency": "10 us", "bandwidth": "1 GB/s", "inner_latency": "1 us",
             "inner_bandwidth": "10 GB/s"}  # fmt: skip
    found = agreed("allreduce", **{**nodes, **links, **more})
    assert found.answer.value == Fraction(milliseconds) / 1000


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"algorithm": "tree", "versus": "ring"}, "ring is faster at every size"),
        ({"algorithm": "ring", "versus": "tree"}, "ring is faster at every size"),
        ({"workers": "2", "algorithm": "double_tree", "versus": "ring"},
         "both are as fast at every size"),
        ({"workers": "1", "versus": "naive"}, "both are as fast at every size"),
        ({"latency": "1 us", "algorithm": "tree", "versus": "naive"},
         "tree is faster at every size"),
        ({"latency": "1 us", "versus": "tree"}, "where the two lines meet"),
    ],
)  # fmt: skip
def test_who_is_faster_where_the_lines_do_not_meet(more: dict[str, str], told: str) -> None:
    question = {"workers": "8", "size": "1 MB", "bandwidth": "1 GB/s"} | more
    steps = agreed("allreduce", **question).steps
    (step,) = (each for each in steps if isinstance(each, Define) and each.name == "crossover")
    assert step.why == told
