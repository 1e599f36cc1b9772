"""Lists of items in lines: short items stay whole, long ones break at spaces, never in a word."""

from __future__ import annotations

import pytest
from running import ddcalc

from ddcalc.render.terminal.layout import filled


@pytest.mark.parametrize("width", range(16, 60, 5))
def test_no_word_is_broken(width: int) -> None:
    items = ["theorem 1", "for one dimension and its curvature", "applies yes", "a b"]
    lines = filled(items, width)
    assert " ".join(line.strip() for line in lines) == ", ".join(items)
    assert all(len(line) <= width for line in lines)
    for item in items:
        if len(item) < width - 2:
            assert any(item in line for line in lines)


def test_a_table_without_room_has_no_empty_cells() -> None:
    call = ["--low", "1", "--high", "4", "--alpha", "0.2", "--ages", "2", "--beta", "0.1"]
    shown = ddcalc("compare", "staleness", *call, "--against", "beta=0.5", columns=60).out
    assert "step allowed: as stated 0.25, beta=0.5 0.25\n" in shown
    assert "difference ," not in shown
