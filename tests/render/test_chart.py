"""Charts: their curves and scales, as pictures and in the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
from drawings import CHARTS, named, parsed, swept

from ddcalc.ask.sweep.views import BENDS, LINES
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Number
from ddcalc.problem.steps import Chart, Curve, Dot, Scale
from ddcalc.render.pictures import canvas
from ddcalc.render.pictures import line_chart as chart
from ddcalc.render.pictures.axis import ticks
from ddcalc.render.terminal import plot
from ddcalc.render.whole import Look


def letters_apart(last: Number, letter: float) -> Callable[[Number, str], tuple[float, float]]:
    """Where a number goes on an axis of a hundred *letter* widths."""

    def place(at: Number, words: str) -> tuple[float, float]:
        start = float(at / Fraction(last) * 100)
        return min(start, 100 - letter / 2 * len(words)), start + letter * len(words)

    return place


@pytest.mark.parametrize(
    ("first", "last", "most", "letter", "shown"),
    [
        (0, 24, 12, 1, "0 2 4 6 8 10 12 14 16 18 20 22 24"),
        (0, Fraction(7, 10), 7, 1, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"),
        (0, 100, 10, 9, "0 20 40 60 80"),  # the last one lacks room
        (0, 10**30, 2, 1, "0 5×10²⁹ 1×10³⁰"),
        (-10, 10, 5, 0, "−10 −5 0 5 10"),
        (Fraction(1, 10), Fraction(1, 2), 5, 0, "0.1 0.2 0.3 0.4 0.5"),
    ],
)
def test_ticks_are_round_and_apart(
    first: Number, last: Number, most: int, letter: float, shown: str
) -> None:
    marks = ticks(last, most, letters_apart(last, letter), first)
    assert " ".join(words for _, words in marks) == shown


def test_every_point_has_its_sentence() -> None:
    root = parsed(chart.inline(swept("one curve")))
    data = [item[0].text or "" for item in named(root, "g")]
    assert "workers = 1: 3 507.5 s" in data
    assert sum(words.startswith("workers = ") for words in data) == 20
    assert "The best point: smallest total = 182.5 s at workers = 20" in data


def test_no_line_through_points_without_a_value() -> None:
    drawn = swept("gaps")
    assert [curve.label for curve in drawn.curves] == ["batch = 1 536", "batch = 100 000"]
    assert [dot.x for dot in drawn.curves[0].dots if dot] == [*range(1, 10)]
    assert drawn.curves[1].dots == ()
    gap = Curve("", (Dot(0, 0, "a"), Dot(1, 1, "b"), None, Dot(3, 1, "c")))
    data = chart.picture(Chart("t", Scale("x", ""), Scale("y", ""), (gap,), None, 0))
    [path] = named(parsed(data), "path", "compute")[:1]
    assert path.attrib["d"].count("M") == 2
    assert path.attrib["d"].count("L") == 1


def test_what_is_left_out_is_said() -> None:
    drawn = swept("many curves")
    assert (len(drawn.curves), drawn.left) == (LINES, 14)
    labels = [curve.label for curve in drawn.curves]
    assert (labels[0], labels[-1]) == ("batch = 100", "batch = 2 000")
    data = chart.picture(drawn)
    assert data.count("14 more curves are not drawn") == 2


def test_long_curves_keep_their_extremes() -> None:
    drawn = swept("long")
    [curve] = drawn.curves
    ys = [dot.y for dot in curve.dots if dot]
    assert 2 * BENDS >= len(ys) > BENDS
    assert drawn.best is not None
    assert min(ys) == drawn.best.y
    assert [curve.dots[0], curve.dots[-1]] == [
        Dot(1, Fraction(7015, 2), "workers = 1: 3 507.5 s"),
        curve.dots[-1],
    ]
    assert len(chart.picture(drawn)) < 60_000


def test_factors_are_equally_far_apart() -> None:
    root = parsed(chart.picture(swept("factors")))
    numbers = [item for item in named(root, "text", "middle") if item.text != "workers"]
    at = [float(item.attrib["x"]) for item in numbers[:4]]
    assert [item.text for item in numbers[:4]] == ["1", "2", "4", "8"]
    steps = [round(b - a, 1) for a, b in pairwise(at)]
    assert max(steps) - min(steps) < 0.3


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


def test_a_chart_needs_plotille(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotille", None)
    with pytest.raises(BadValue, match=r"pip install 'ddcalc\[plot\]'"):
        list(plot.lines(swept("one curve"), Look()))


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
        root = parsed(chart.picture(drawn))
        [path] = named(root, "path", "compute")[:1]
        heights = [float(item.split()[1]) for item in re.findall(r"[ML]([^ML]+)", path.get("d"))]
        steps = [b - a for a, b in pairwise(heights)]
        assert max(steps) - min(steps) <= 0.2
        assert all(canvas.HEAD <= item <= canvas.HEAD + chart.TALL for item in heights)
        assert [*plot.lines(drawn, Look(width=60))]


def test_an_upright_scale_of_factors_has_powers_of_ten() -> None:
    _, ends = chart.limits(falling(Fraction(1, 7), 20))
    assert ends == (Fraction(1, 10**17), 1)
    data = chart.heights(falling(Fraction(1, 7), 20), ends, 10, lambda _, words: (0, -1))
    assert [words for _, words in data][-3:] == ["0.0001", "0.01", "1"]
    assert data[0][1] == "10⁻¹⁶"
