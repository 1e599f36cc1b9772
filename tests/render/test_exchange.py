"""Tables of exchanges: everything is there, and reads without colour."""

from __future__ import annotations

import pytest
from drawings import RINGS, exchanges

from ddcalc.render import blocks
from ddcalc.render.terminal import screen
from ddcalc.render.whole import Look

of_cases = pytest.mark.parametrize("name", RINGS)


def test_marks_read_without_colour() -> None:
    step = exchanges("sheet")[3]
    shown = "".join(screen.page(blocks.step_blocks(step), Look(80)))
    assert "8*✓" in shown
    assert "* just reduced; ✓ complete" in shown
    plain = screen.page(blocks.step_blocks(step), Look(80, unicode=False))
    assert plain.isascii()
    assert "8*ok" in plain


@pytest.mark.parametrize("width", [60, 100])
@of_cases
def test_tables_fit(name: str, width: int) -> None:
    for step in exchanges(name):
        for line in screen.page(blocks.stages([step]), Look(width)).splitlines():
            assert len(line) <= width, line
