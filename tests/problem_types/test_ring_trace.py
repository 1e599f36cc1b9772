"""ring-trace message by message: each table from the one before, and Open MPI's."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation

from ddcalc.problem.steps import Exchange

TYPE = "ring-trace"
OPERATIONS: dict[str, Any] = {
    "sum": lambda a, b: a + b,
    "mean": lambda a, b: a + b,
    "max": max,
    "min": min,
    "prod": lambda a, b: a * b,
}
SHEET: dict[str, Any] = {
    "vectors": [1, 5, 2, 8, 3, 1, 9, 4, 7, 6, 2, 3, 4, 8, 5, 1],
    "processes": 4,
    "op": "max",
}


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    p, n = draw(st.integers(1, 8)), draw(st.integers(1, 12))
    random = Random(draw(st.integers(0, 10**6)))
    return {
        "vectors": [
            Fraction(random.randrange(-99, 99), random.choice([1, 1, 2, 7, 12]))
            for _ in range(p * n)
        ],
        "processes": p,
        "op": draw(st.sampled_from([*OPERATIONS])),
        "way": draw(st.sampled_from(["chunks", "whole", "relay"])),
        "first": draw(st.sampled_from(["own", "before"])),
        "uneven": draw(st.sampled_from(["one_more", "rounded_up"])),
    }


def exchanges(stated: dict[str, Any]) -> list[Exchange]:
    return [step for step in derivation(TYPE, **stated).steps if isinstance(step, Exchange)]


# The messages, one by one


def replayed(step: Exchange, before: Exchange, op: str, processes: int) -> None:
    """The table after *step* follows from the one before it and from the messages alone."""
    assert len({message.sender for message in step.sent}) == len(step.sent)
    for message in step.sent:
        assert message.receiver == message.sender % processes + 1
    touched = {(m.receiver, m.part): m for m in step.sent}
    for j, row in enumerate(step.holds, 1):
        for k, part in enumerate(row):
            old = before.holds[j - 1][k].values
            message = touched.get((j, k))
            assert part.changed == (message is not None)
            if message is None:
                assert part.values == old
            elif step.how == "received":
                assert part.values == message.values
            else:
                pairs = zip(message.values, old, strict=True)
                new = [OPERATIONS[op](Fraction(a), Fraction(b)) for a, b in pairs]
                divided = part.complete and op == "mean"
                assert list(part.values) == [v / processes if divided else v for v in new]


@settings(max_examples=80, deadline=None)
@given(stated=questions())
def test_every_table_follows_from_the_one_before(stated: dict[str, Any]) -> None:
    text = exchanges(stated)
    p, way = stated["processes"], stated["way"]
    assert len(text) == 1 + (p - 1) * (1 if way == "whole" else 2)
    start = [v for row in text[0].holds for part in row for v in part.values]
    assert start == stated["vectors"]
    assert all(part.complete for row in text[-1].holds for part in row if part.values)
    for before, step in pairwise(text):
        replayed(step, before, stated["op"], p)
        if way == "chunks":
            held = {(m.sender, m.number): m.values for m in step.sent}
            assert all(before.holds[j - 1][k - 1].values == v for (j, k), v in held.items())
            assert len({m.number for m in step.sent}) == len(step.sent)


OPEN_MPI = [  # rank, block and value of what each step changed, counted from 0
    {(1, 0): 10, (2, 1): 32, (3, 2): 54, (4, 3): 76, (0, 4): 48},
    {(2, 0): 30, (3, 1): 63, (4, 2): 96, (0, 3): 79, (1, 4): 62},
    {(3, 0): 60, (4, 1): 104, (0, 2): 98, (1, 3): 92, (2, 4): 86},
    {(4, 0): 100, (0, 1): 105, (1, 2): 110, (2, 3): 115, (3, 4): 120},
]


def test_the_example_of_open_mpi() -> None:
    """The tables in the comment of ompi_coll_base_allreduce_intra_ring, on five nodes.

    The comment prints 01+10+20 where rank 2 has 00+10+20.
    """
    nodes = [10 * rank + block for rank in range(5) for block in range(5)]
    text = exchanges({"vectors": nodes, "processes": 5})
    for step, published in zip(text[1:5], OPEN_MPI, strict=True):
        changed = {
            (rank, block): part.values[0]
            for rank, row in enumerate(step.holds)
            for block, part in enumerate(row)
            if part.changed
        }
        assert changed == published
    assert all(part.complete == part.changed for row in text[4].holds for part in row)


def test_where_a_chunk_is_complete_first() -> None:
    """Baidu's process n completes chunk n + 1, NCCL's the one of its own number."""
    for first, ahead in (("own", 1), ("before", 0)):
        step = exchanges(SHEET | {"first": first})[3]
        done = [[k for k, part in enumerate(row) if part.complete] for row in step.holds]
        assert done == [[(j + ahead) % 4] for j in range(4)]
