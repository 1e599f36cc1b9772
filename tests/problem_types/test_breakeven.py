"""breakeven against counting workers upward, one at a time."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from running import ddcalc
from serving import MOST, counted
from stating import readings, results, times

EXAM: dict[str, Any] = {
    "download": "1.5 s",
    "compute": "4 s",
    "upload": "1.5 s",
    "aggregate": "15 ms",
}
RELATIONS = ("exceeds", "reaches")


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """Questions whose boundary is often a whole number of workers, and never out of reach."""
    aggregate = draw(times(1, 10**4))
    ties = draw(st.booleans())
    workers = draw(st.integers(-5, MOST - 2))
    part = 0 if ties else draw(st.fractions(0, 1, max_denominator=60))
    sending = draw(times()), draw(times())
    compute = sum(sending) + (workers + part) * aggregate
    assume(compute >= 0)
    return {
        "download": sending[0],
        "compute": compute,
        "upload": sending[1],
        "aggregate": aggregate,
        "relation": draw(st.sampled_from(RELATIONS)),
    }


@settings(max_examples=100, deadline=None)
@given(stated=questions(), link=st.sampled_from(["one-each", "shared"]))
def test_as_counted(stated: dict[str, Any], link: str) -> None:
    stated = {**stated, "server_link": link}
    answers = results("breakeven", **stated)
    assert answers["workers"] == counted(stated)


def test_a_shared_link_makes_transfers_grow() -> None:
    assert results("breakeven", **EXAM, server_link="shared")["balance"] == 4 / Fraction("3.015")
    none = {"download": 0, "upload": 0, "aggregate": 0, "server_link": "shared"}
    assert results("breakeven", **none, compute="1 s")["workers"] is None
    assert results("breakeven", **none, compute=0, relation="reaches")["workers"] == 1
    some = {**none, "download": "1 s"}
    assert results("breakeven", **some, compute="5 s")["workers"] == 6


def test_a_tie() -> None:
    tie = {**EXAM, "aggregate": "0.02 s"}
    assert readings("breakeven", **tie) == {
        ("relation", "reaches"): 50,
        ("server_link", "shared"): 2,
    }


@pytest.mark.parametrize("relation", RELATIONS)
def test_never(relation: str) -> None:
    answers = results("breakeven", **{**EXAM, "aggregate": 0}, relation=relation)
    assert answers["workers"] is None
    assert answers["balance"] is None


def test_huge_and_tiny_numbers_stay_exact() -> None:
    answers = results("breakeven", download=0, compute="1e30 s", upload=0, aggregate="1e-9 s")
    assert answers["workers"] == 10**39 + 1


HUGE = {"download": "1 s", "compute": "1e9 s", "upload": "1 s", "aggregate": "1e-9 s"}
HUGER = {"download": "0 s", "compute": "1e30 s", "upload": "0 s", "aggregate": "1e-9 s"}


@pytest.mark.parametrize(
    ("stated", "lines"),
    [
        (
            HUGE,
            ["m = 999 999 998 000 000 001", "holds: the sides are 1 ns apart; it is the first"],
        ),
        (HUGER, ["m ≈ 1×10³⁹", "holds: the sides are 1 ns apart", "not yet: the sides are equal"]),
    ],
)
def test_sides_that_look_equal_show_their_difference(
    stated: dict[str, str], lines: list[str]
) -> None:
    call = [word for name, text in stated.items() for word in (f"--{name}", text)]
    said = ddcalc("breakeven", *call, "--exact", columns=200).out
    assert "1×10¹⁸ is the first" not in said
    for line in lines:
        assert line in said


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("aggregate", ["1 s", "0.3 s", "7 ms", "13 us", "10 ns"])
def test_sides_that_are_compared_look_different(aggregate: str, relation: str) -> None:
    """Where the digits that decide are not shown, the sides are not either."""
    stated = ("--download", "1s", "--upload", "1s", "--compute", "4s", "--aggregate", aggregate)
    text = " ".join(ddcalc("breakeven", *stated, "--relation", relation).out.split())
    answer = text.partition("Answer ")[2].partition(" It means")[0]
    strict = re.search(r": (.*) against (.*); with .* takes (.*)\.", answer)
    assert bool(strict) == (aggregate not in ("13 us", "10 ns"))
    if strict is not None:
        there, computing, less = strict.groups()
        assert (there if relation == "exceeds" else less) != computing
