"""Givens in bits or in powers of two say what they are in the bytes that formulas are put in."""

from __future__ import annotations

import pytest

from ddcalc.ask.solve import solve
from ddcalc.problem.catalog import problem_named
from ddcalc.render import story

TOLD = [
    ("1 GB", "100 Gbit/s", "", "12.5 GB/s"),
    ("1 GiB", "100 GB/s", "1.073741824 GB", ""),
    ("8 bit", "1 kbit/s", "1 B", "125 B/s"),
    ("512 MB", "360 GB/h", "", "100 MB/s"),
    ("25 MiB", "1000 kB/s", "26.2144 MB", ""),
]


@pytest.mark.parametrize(("size", "bandwidth", "of_size", "of_bandwidth"), TOLD)
def test_bits_are_told_in_bytes(size: str, bandwidth: str, of_size: str, of_bandwidth: str) -> None:
    solved = solve(problem_named("transfer"), {"size": size, "bandwidth": bandwidth})
    notes = {step.name: story.note(step) for step in story.givens(solved)}
    assert (notes["size"], notes["bandwidth"]) == (of_size, of_bandwidth)
    assert notes["latency"] == "usual value"
