"""Lists of items in lines: short items stay whole, long ones break at spaces, never in a word."""

from __future__ import annotations

import pytest

from ddcalc.render.layout import filled


@pytest.mark.parametrize("width", range(16, 60))
def test_no_word_is_broken(width: int) -> None:
    items = ["theorem 1", "for one dimension and its curvature", "applies yes", "a b"]
    lines = filled(items, width)
    assert " ".join(line.strip() for line in lines) == ", ".join(items)
    assert all(len(line) <= width for line in lines)
    for item in items:
        if len(item) < width - 2:
            assert any(item in line for line in lines)
