"""Charts: their curves and scales, in the terminal."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from drawings import CHARTS, swept

from ddcalc.ask.sweep.views import POINTS
from ddcalc.errors import BadValue
from ddcalc.problem.steps import Chart, Curve, Dot, Scale
from ddcalc.render.terminal import plot
from ddcalc.render.whole import Look


def test_long_curves_are_thinned_and_keep_the_best() -> None:
    drawn = swept("long")
    [curve] = drawn.curves
    ys = [dot.y for dot in curve.dots if dot]
    assert POINTS <= len(ys) <= POINTS + 1
    assert drawn.best is not None
    assert min(ys) == drawn.best.y
    assert curve.dots[0] == Dot(1, Fraction(7015, 2), "")


# In the terminal


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("width", [40, 200])
def test_a_chart_in_the_terminal(name: str, width: int) -> None:
    pytest.importorskip("plotille")
    drawn = swept(name)
    data = list(plot.lines(drawn, Look(width)))
    assert data[0].strip() == "total [s]"
    for line in data:
        assert len(line) <= max(width, 60), line
        assert line == line.rstrip()
    assert any("└──" in line for line in data)
    assert sum("┤" in line for line in data) >= 2
    if len(drawn.curves) > 1:
        shown = "".join(line for line in data if "│" in line or "┤" in line)
        assert "a" in shown
    assert "⠀" not in "".join(data)


def test_a_chart_needs_unicode() -> None:
    pytest.importorskip("plotille")
    with pytest.raises(BadValue, match="Unicode"):
        list(plot.lines(swept("one curve"), Look(unicode=False)))


def falling(factor: Fraction, updates: int) -> Chart:
    """A curve that falls by a *factor* at each update, on an upright scale of factors."""
    dots = tuple(Dot(t, factor**t, f"update {t}") for t in range(updates + 1))
    scales = Scale("update", ""), Scale("distance", "", factors=True)
    return Chart("A run", *scales, (Curve("", dots),), None, 0)


@pytest.mark.parametrize("factor", [Fraction(1, 10), Fraction(9, 2), Fraction(1)])
def test_equal_factors_are_equal_heights(factor: Fraction) -> None:
    """Even where no float holds the numbers."""
    for updates in (1, 300):
        drawn = falling(factor, updates)
        _, y = plot.stretches(drawn)
        heights = [y.place(dot.y) for dot in drawn.curves[0].dots if dot]
        steps = [b - a for a, b in pairwise(heights)]
        assert max(steps) - min(steps) < 1e-9
        assert all(-1e-9 <= height <= 1 + 1e-9 for height in heights)
        assert [*plot.lines(drawn, Look(width=60))]
