"""Charts of sweeps: well-formed, inside their frame, told in words, legible in the terminal."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from itertools import pairwise

import pytest
from running import ddcalc

from ddcalc.ask.sweep.axes import written
from ddcalc.ask.sweep.best import Sweep, goals
from ddcalc.ask.sweep.grid import question
from ddcalc.ask.sweep.views import BENDS, LINES, Curves
from ddcalc.errors import BadValue
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Chart, Curve, Dot, Scale
from ddcalc.render import chart, plot, svg
from ddcalc.render.axis import ticks
from ddcalc.render.layout import Look

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'/><script>alert(1)</script>]]>& \x1b[31m\u202e"
EXAM = {
    "samples": "76800",
    "batch": "1536",
    "epochs": "10",
    "workers": "6",
    "download": "1.5 s",
    "compute": "4 s",
    "upload": "1.5 s",
    "aggregate": "15 ms",
}
CASES = {
    "curves": ["workers=1..60", "batch=256,512,1024"],
    "one curve": ["workers=1..20"],
    "many curves": ["workers=1..30", "batch=100..2000:100"],
    "choices": ["queue=carry,per-epoch", "workers=1..12"],
    "factors": ["workers=1..4096:x2"],
    "gaps": ["workers=-3..9", "batch=1536,100000"],
    "long": ["workers=1..5000"],
    "flat": ["download=1s..3s:1s", "compute=1s"],
    "two points": ["workers=1,1000000"],
    "large": ["samples=1e20..9e20:1e20"],
}


def made(name: str) -> Chart:
    problem = problem_named("epoch-time")
    pairs = [written(text) for text in CASES[name]]
    texts = {key: text for key, text in EXAM.items() if key not in dict(pairs)}
    asked = question(problem, texts, pairs, [], [])
    sweep = Sweep(asked, goals(asked, [], []))
    curves = Curves(sweep)
    for block, pieces in sweep.blocks():
        curves.see(block, pieces)
    return curves.chart()


def parsed(told: str) -> ET.Element:
    return ET.fromstring(told.encode())


def named(root: ET.Element, tag: str, look: str = "") -> list[ET.Element]:
    found = root.iter(f"{NAMESPACE}{tag}")
    return [each for each in found if not look or look in each.get("class", "").split()]


@pytest.mark.parametrize("name", CASES)
def test_a_chart_stands_alone_and_tells_itself(name: str) -> None:
    drawn = made(name)
    told = chart.picture(drawn)
    root = parsed(told)
    assert told.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    assert [each.tag.removeprefix(NAMESPACE) for each in root[:2]] == ["title", "desc"]
    assert root[0].text == drawn.title
    words = root[1].text or ""
    assert words.startswith("total [s] by ")
    for curve in drawn.curves:
        assert not curve.label or f"{curve.label}: " in words
    assert drawn.best is not None
    assert f"The best point: {drawn.best.words}." in words
    assert not re.search(r"<script|href|src=|url\(|@import|\son\w+=|\sid=", told)
    assert not re.search(r'[="MLHV ](nan|inf)', told)


@pytest.mark.parametrize("name", CASES)
def test_everything_lies_inside_the_frame(name: str) -> None:
    root = parsed(chart.picture(made(name)))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for path in named(root, "path"):
        for x, y in re.findall(r"[ML]([-0-9.]+) ([-0-9.]+)", path.attrib["d"]):
            assert left <= float(x) <= left + width
            assert top <= float(y) <= top + height
    for circle in named(root, "circle"):
        assert left <= float(circle.attrib["cx"]) <= left + width
        assert top <= float(circle.attrib["cy"]) <= top + height
    for text in named(root, "text"):
        at, long = float(text.attrib["x"]), len(text.text or "") * 7
        look = text.get("class", "").split()
        start = at - long / 2 if "middle" in look else at - long if "end" in look else at
        assert start >= left - 1, text.text
        assert "heading" in look or start + long <= left + width + 1, text.text
        assert top <= float(text.attrib["y"]) <= top + height


def test_every_point_has_its_sentence() -> None:
    root = parsed(chart.inline(made("one curve")))
    told = [each[0].text or "" for each in named(root, "g")]
    assert "workers = 1: 3 507.5 s" in told
    assert sum(words.startswith("workers = ") for words in told) == 20
    assert "The best point: least total = 182.5 s at workers = 20" in told


def test_no_line_through_points_without_a_value() -> None:
    drawn = made("gaps")
    assert [curve.label for curve in drawn.curves] == ["batch = 1 536", "batch = 100 000"]
    assert [dot.x for dot in drawn.curves[0].dots if dot] == [*range(1, 10)]
    assert drawn.curves[1].dots == ()
    gap = Curve("", (Dot(0, 0, "a"), Dot(1, 1, "b"), None, Dot(3, 1, "c")))
    told = chart.picture(Chart("t", Scale("x", ""), Scale("y", ""), (gap,), None, 0))
    [path] = named(parsed(told), "path", "compute")[:1]
    assert path.attrib["d"].count("M") == 2
    assert path.attrib["d"].count("L") == 1


def test_what_is_left_out_is_said() -> None:
    drawn = made("many curves")
    assert (len(drawn.curves), drawn.left) == (LINES, 14)
    labels = [curve.label for curve in drawn.curves]
    assert (labels[0], labels[-1]) == ("batch = 100", "batch = 2 000")
    told = chart.picture(drawn)
    assert told.count("14 more curves are not drawn") == 2


def test_long_curves_keep_their_extremes() -> None:
    drawn = made("long")
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
    root = parsed(chart.picture(made("factors")))
    numbers = [each for each in named(root, "text", "middle") if each.text != "workers"]
    at = [float(each.attrib["x"]) for each in numbers[:4]]
    assert [each.text for each in numbers[:4]] == ["1", "2", "4", "8"]
    steps = [round(b - a, 1) for a, b in pairwise(at)]
    assert max(steps) - min(steps) < 0.3


def test_hostile_texts_are_shown() -> None:
    curve = Curve(HOSTILE, (Dot(0, 0, HOSTILE), Dot(1, 1, HOSTILE)))
    drawn = Chart(HOSTILE, Scale(HOSTILE, HOSTILE), Scale(HOSTILE, ""), (curve,), curve.dots[0], 3)
    told = chart.picture(drawn)
    parsed(told)
    assert "<script" not in told
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert not any("\x1b" in line for line in plot.lines(drawn, Look()))


@pytest.mark.parametrize("palette", [svg.LIGHT, svg.DARK], ids=["light", "dark"])
def test_colours_are_those_of_all_pictures(palette: dict[str, str]) -> None:
    told = chart.picture(made("curves"))
    for look in chart.LOOKS:
        assert f"path.{look}{{stroke:{palette[look]}}}" in told


@pytest.mark.parametrize(
    ("first", "last", "most", "told"),
    [
        (1, 10, 10, "1 2 3 4 5 6 7 8 9 10"),
        (58, 70, 6, "58 60 62 64 66 68 70"),
        (-10, 10, 5, "−10 −5 0 5 10"),
        (Fraction(1, 10), Fraction(1, 2), 5, "0.1 0.2 0.3 0.4 0.5"),
        (1000, 10000, 4, "5 000 10 000"),
    ],
)
def test_ticks_between_two_numbers(first: int, last: int, most: int, told: str) -> None:
    found = ticks(last, most, lambda at, words: (float(at), float(at)), first)
    assert " ".join(words for _, words in found) == told


@pytest.mark.parametrize("texts", [["queue=carry,per-epoch"], ["workers=6"], ["queue=carry"]])
def test_what_makes_no_curve(texts: list[str]) -> None:
    problem = problem_named("epoch-time")
    pairs = [written(text) for text in texts]
    stated = {key: text for key, text in EXAM.items() if key not in dict(pairs)}
    with pytest.raises(BadValue, match="makes no curve"):
        Curves(Sweep(question(problem, stated, pairs, [], []), []))


# In the terminal


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_chart_in_the_terminal(name: str, width: int) -> None:
    pytest.importorskip("plotille")
    drawn = made(name)
    told = list(plot.lines(drawn, Look(width)))
    assert told[0].strip() == "total [s]"
    for line in told:
        assert len(line) <= max(width, 60), line
        assert line == line.rstrip()
    assert any("└──" in line for line in told)
    assert sum("┤" in line for line in told) >= 2
    if len(drawn.curves) > 1:
        shown = "".join(line for line in told if "│" in line or "┤" in line)
        assert "a" in shown
    assert "⠀" not in "".join(told)


def test_a_chart_needs_plotille(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotille", None)
    with pytest.raises(BadValue, match=r"pip install 'ddcalc\[plot\]'"):
        list(plot.lines(made("one curve"), Look()))


def test_a_chart_needs_unicode() -> None:
    pytest.importorskip("plotille")
    with pytest.raises(BadValue, match="Unicode"):
        list(plot.lines(made("one curve"), Look(unicode=False)))


def test_what_stands_for_curves_that_cannot_be_drawn_is_indented(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotille", None)
    told = ddcalc("staleness", "--low", "1", "--high", "4", "--alpha", "0.2,0.05", columns=40).out
    lines = told.splitlines()
    at = next(i for i, line in enumerate(lines) if "(drawn by --output" in line)
    assert lines[at : at + 2] == [
        "   (drawn by --output FILE.svg, or here",
        "   with the extra plot)",
    ]


def falling(factor: Fraction, updates: int) -> Chart:
    """A curve that falls by a *factor* at each update, on an upright scale of factors."""
    dots = tuple(Dot(t, factor**t, f"update {t}") for t in range(updates + 1))
    scales = Scale("update", ""), Scale("distance", "", factors=True)
    return Chart("A run", *scales, (Curve("", dots),), None, 0)


@pytest.mark.parametrize("factor", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 2), Fraction(1)])
def test_equal_factors_are_equal_heights(factor: Fraction) -> None:
    """Even where no float holds the numbers."""
    for updates in (1, 8, 500):
        drawn = falling(factor, updates)
        root = parsed(chart.picture(drawn))
        [path] = named(root, "path", "compute")[:1]
        heights = [float(each.split()[1]) for each in re.findall(r"[ML]([^ML]+)", path.get("d"))]
        steps = [b - a for a, b in pairwise(heights)]
        assert max(steps) - min(steps) <= 0.2
        assert all(chart.TOP <= each <= chart.TOP + chart.TALL for each in heights)
        assert [*plot.lines(drawn, Look(width=60))]


def test_an_upright_scale_of_factors_has_powers_of_ten() -> None:
    _, ends = chart.limits(falling(Fraction(1, 7), 20))
    assert ends == (Fraction(1, 10**17), 1)
    told = chart.heights(falling(Fraction(1, 7), 20), ends, 10, lambda _, words: (0, -1))
    assert [words for _, words in told][-3:] == ["0.0001", "0.01", "1"]
    assert told[0][1] == "10^−16"


def test_a_distance_of_nothing_is_a_gap_among_factors() -> None:
    """Numbers that are not positive have no place there, so the scale is a plain one."""
    dots = (Dot(0, 1, "one"), Dot(1, 0, "nothing"))
    scales = Scale("update", ""), Scale("distance", "", factors=True)
    drawn = Chart("A run", *scales, (Curve("", dots),), None, 0)
    assert chart.limits(drawn)[1] == (0, 1)
    assert parsed(chart.picture(drawn)) is not None
