"""What is said at the edges of each type, and what is refused: calls in files beside this one.

A call is followed by what its page says (+), does not say (-), or does not say in its answer and
behind (/); a call that is refused by what stands on standard error. Sentences are here where they
might be false: one of a kind, nothing, a tie, digits that look equal.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from running import ddcalc
from stating import refusals, results

HERE = Path(__file__).parent


def calls(name: str) -> Iterator[tuple[str, list[str]]]:
    """The calls in a file, each with the lines that are indented below it."""
    below: list[str] = []
    call = ""
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line.startswith("  "):
            below.append(line[2:])
            continue
        if call:
            yield call, below
        call, below = line, []
    yield call, below


@pytest.mark.parametrize(("call", "below"), [*calls("sentences.txt")])
def test_what_is_said(call: str, below: list[str]) -> None:
    ran = ddcalc(*shlex.split(call), columns=1000)
    page = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    for line in below:
        sign, words = line.split(" ", 1)
        before, _, behind = page.partition("Answer ")[2].partition(" Given ")
        said = re.split(r" (?=Check |It means |Assumes )", behind)[1:]
        text = " ".join((before, *said)) if sign == "/" else page
        assert (words in text) == (sign == "+"), line


@pytest.mark.parametrize(("call", "below"), [*calls("refusals.txt")])
def test_what_is_refused(call: str, below: list[str]) -> None:
    ran = ddcalc(*shlex.split(call))
    lines = [line.strip() for line in ran.err.splitlines() if not line.startswith("an example")]
    assert (ran.code, ran.out, lines) == (2, "", below)


SLOW = [f"1/{n}" for n in range(10**6 + 1, 10**6 + 400, 2)]  # to add up


@pytest.mark.parametrize(
    ("slug", "stated", "message"),
    [
        ("backup-workers", {"means": ["1 s"] * 1025}, "at most 1 024 are possible"),
        ("backup-workers", {"means": ["1 s"] * 64 + ["2 s"] * 63}, "make too many sets of workers"),
        ("backup-workers", {"times": ["1 s"] * 1000, "workers": 1000}, "too many to be exact"),
        ("quantize", {"vector": SLOW, "bits": 4}, "more than 300 digits"),
        ("data-parallel", {"targets": SLOW, "inputs": [1] * 200, "workers": 2, "eta": 1},
         "more than 300 digits"),
        ("ring-trace", {"vectors": SLOW, "processes": 4}, "more than 300 digits"),
        ("ring-trace", {"vectors": ["9" * 40] * 200, "processes": 40, "op": "prod"}, "1000 digits"),
        ("sync-step", {"finish": [], "aggregate": "1 s", "update": "1 s"}, "is an empty list"),
    ],
)  # fmt: skip
def test_what_is_too_long_or_empty(slug: str, stated: dict[str, Any], message: str) -> None:
    [(_, text)] = refusals(slug, **stated)
    assert message in text


@pytest.mark.parametrize("size", [Fraction(1, 3), 1, 10**15])
def test_huge_and_tiny_numbers_stay_exact(size: Fraction | int) -> None:
    split = results("split-batch", compute=f"{100 * size * size} s", aggregate="1 s")
    assert split["optimum"] == 10 * size
    told = results("breakeven", download=0, compute=f"{size} s", upload=0, aggregate="1e-9 s")
    assert told["balance"] == size * 10**9
