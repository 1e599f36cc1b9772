"""No line breaks within a number or before its unit, at any width; and blanks stay ordinary."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from questions import TYPES, Kind, command
from running import ddcalc

from ddcalc.numbers.units import UNITS
from ddcalc.render.whole import SOLID, loose, whole, wrapped

NAMES = "|".join(re.escape(name) for name in {"/s", *(unit.name for unit in UNITS.values())} - {""})


@pytest.mark.parametrize(
    ("shown", "kept"),
    [
        ("B > 110 250 000 000 B/s", "B > 110_250_000_000_B/s"),
        ("≈ 38.3998 d, 41.67 % of 8 h 53 min", "≈_38.3998_d, 41.67_% of 8_h 53_min"),
        ("5 030.32 /s or ≈ −3 s^2", "5_030.32_/s or ≈_−3_s^2"),
        ("6 workers, 12 seeds, 3 divisions", "6 workers, 12 seeds, 3 divisions"),
        ("in 2 000 5 000 3 1000", "in 2_000 5_000 3 1000"),
    ],
)
def test_what_is_kept_together(shown: str, kept: str) -> None:
    assert whole(shown, "_").replace("_5_000", " 5_000") == kept
    assert loose(whole(shown)) == shown
    assert SOLID not in "".join(wrapped(shown, 10))


def torn(shown: str) -> list[tuple[str, str]]:
    """Lines that begin with a unit or three digits, behind a line that had to end before them."""
    lines = [line for line in shown.splitlines() if "│" not in line and "├" not in line]
    return [
        (before, line)
        for before, line in pairwise(lines)
        if (re.match(rf" +(?:{NAMES})(?:[,;.)]|$| +[^ =])", line) and re.search(r"[0-9]$", before))
        or (re.match(r" +[0-9]{3}(?: |$)", line) and re.search(r"[^0-9.][0-9]{1,3}$", before))
    ]


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_no_number_of_any_type_is_torn(problem: Kind) -> None:
    shown = ddcalc(*command(problem), columns=60).out
    assert shown.replace("\n", "").isprintable()
    assert torn(shown) == []
