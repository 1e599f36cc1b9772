"""Pictures and tables of exchanges: everything is there, inside, and reads without colour."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from ddcalc.ask.solve import solve
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import texts_of
from ddcalc.problem.steps import Exchange, Held, Sent
from ddcalc.render import data, exchange, html, latex, markdown, panels
from ddcalc.render.blocks import told
from ddcalc.render.layout import Look
from ddcalc.render.screen import body, printed

NAMESPACE = "{http://www.w3.org/2000/svg}"
SHEET = [1, 5, 2, 8, 3, 1, 9, 4, 7, 6, 2, 3, 4, 8, 5, 1]
CASES: dict[str, dict[str, Any]] = {
    "sheet": {"vectors": SHEET, "processes": 4},
    "whole": {"vectors": SHEET, "processes": 4, "way": "whole"},
    "relay": {"vectors": SHEET, "processes": 4, "way": "relay"},
    "alone": {"vectors": [1, 2], "processes": 1},
    "two": {"vectors": [1, 2], "processes": 2},
    "short": {"vectors": list(range(10)), "processes": 5},
    "long": {"vectors": [Fraction(i, 7) for i in range(120)], "processes": 3, "op": "mean"},
    "eight": {"vectors": list(range(64)), "processes": 8, "op": "prod"},
    "one-value": {"vectors": [1, 2, 3], "processes": 3, "way": "whole"},
    "twelve": {"vectors": list(range(24)), "processes": 12},
}
of_cases = pytest.mark.parametrize("name", CASES)


def exchanges(name: str) -> list[Exchange]:
    steps = solve(problem_named("ring-trace"), texts_of(CASES[name])).steps
    return [step for step in steps if isinstance(step, Exchange)]


def words(element: ElementTree.Element) -> str:
    return "".join(element.itertext())


def places(element: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """Corners of rectangles, and points that paths go to."""
    for each in element.iter(f"{NAMESPACE}rect"):
        x, y = float(each.get("x", "0")), float(each.get("y", "0"))
        yield x, y
        yield x + float(each.attrib["width"]), y + float(each.attrib["height"])
    for each in element.iter(f"{NAMESPACE}path"):
        for x_text, y_text in re.findall(r"[ML]([\d.-]+) ([\d.-]+)", each.attrib["d"]):
            yield float(x_text), float(y_text)


@of_cases
def test_a_picture_stands_alone(name: str) -> None:
    steps = exchanges(name)
    drawn = panels.picture(steps)
    root = ElementTree.fromstring(drawn)
    assert (root.tag, root.get("role")) == (f"{NAMESPACE}svg", "img")
    assert [each.tag.removeprefix(NAMESPACE) for each in root[:2]] == ["title", "desc"]
    assert not re.search(r"<script|href|src=|url\(|@import|\son\w+=|\sid=", drawn)
    description = words(root[1])
    for step in steps:
        assert step.title in description
        assert all(exchange.sentence(each, step.what) in description for each in step.sent)


@of_cases
def test_the_legend_has_the_outlines_of_the_picture(name: str) -> None:
    """What just changed has one colour, whether it is complete or not, in light and in dark."""
    drawn = panels.picture(exchanges(name))
    style = re.findall(r"\.exchange \.(changed|both)\{fill:[^;]+;stroke:(#\w+)\}", drawn)
    assert [look for look, _ in style] == ["changed", "both"] * 2
    assert all(plain == both for (_, plain), (_, both) in zip(style[::2], style[1::2], strict=True))


@of_cases
def test_everything_lies_inside(name: str) -> None:
    for drawn in (panels.picture(exchanges(name)), panels.inline(exchanges(name)[-1])):
        root = ElementTree.fromstring(drawn)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for x, y in places(root):
            assert 0 <= x <= width
            assert 0 <= y <= height
        for each in root.iter(f"{NAMESPACE}text"):
            long = len(words(each)) * 7.0  # as wide as most letters are
            half = long / 2 if "middle" in each.get("class", "") else 0
            assert float(each.attrib["x"]) - half >= 0
            assert float(each.attrib["x"]) - half + long <= width, words(each)


@of_cases
def test_a_box_a_part_and_an_arrow_a_message(name: str) -> None:
    steps = exchanges(name)
    root = ElementTree.fromstring(panels.picture(steps))
    groups = [words(each[0]) for each in root.iter(f"{NAMESPACE}g")]
    expected = []
    for step in steps:
        for j, row in enumerate(step.holds, 1):
            expected += [
                f"process {j}, {part}: {exchange.held(each, exchange.ROOMS[0])}"
                for part, each in zip(step.parts, row, strict=True)
            ]
        expected += [exchange.sentence(each, step.what) for each in step.sent]
    assert sorted(groups) == sorted(expected)
    points = [each for each in root.iter(f"{NAMESPACE}path") if each.get("class") == "point"]
    wrapped = sum(each.receiver < each.sender for step in steps for each in step.sent)
    assert len(points) == sum(len(step.sent) for step in steps) + wrapped


@of_cases
def test_words_fit_into_their_boxes(name: str) -> None:
    root = ElementTree.fromstring(panels.picture(exchanges(name)))
    for group in root.iter(f"{NAMESPACE}g"):
        box, text = group.find(f"{NAMESPACE}rect"), group.find(f"{NAMESPACE}text")
        if box is not None and text is not None:
            assert len(words(text)) * 7.6 <= float(box.attrib["width"])


@of_cases
def test_panels_stand_apart(name: str) -> None:
    root = ElementTree.fromstring(panels.picture(exchanges(name)))
    titles = [each for each in root.iter(f"{NAMESPACE}text") if each.get("class") == "title"]
    told = [(float(t.attrib["y"]), float(t.attrib["x"]), len(words(t)) * 7.6) for t in titles]
    for (y, x, wide), (below, right, _) in pairwise(told):
        assert below > y or x + wide < right


def test_marks_read_without_colour() -> None:
    step = exchanges("sheet")[3]
    shown = "".join(printed(body(step, Look(80)), Look(80)))
    assert "8*✓" in shown
    assert "* just reduced  ✓ complete" in shown
    plain = printed(body(step, Look(80, unicode=False)), Look(80, unicode=False))
    assert plain.isascii()
    assert "8*ok" in plain
    coloured = printed(body(step, Look(80, colour=True)), Look(80, colour=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown
    assert coloured != shown


@pytest.mark.parametrize("width", [24, 40, 60, 80, 132])
@of_cases
def test_tables_fit(name: str, width: int) -> None:
    for step in exchanges(name):
        for line in printed(body(step, Look(width)), Look(width)).splitlines():
            assert len(line) <= width, line


@pytest.mark.parametrize(
    ("values", "room", "told"),
    [
        ((), 9, "–"),
        ((1,), 9, "1"),
        ((1, 2, 3), 9, "1, 2, 3"),
        ((10, 20, 30, 40), 11, "10, …, 40"),
        ((10, 20, 30, 40, 50), 13, "10, 20, …, 50"),
        ((Fraction(1, 3), -2), 60, "1/3, −2"),
        ((123456, 2, 3), 7, "123 456, …"),
    ],
)
def test_values_are_left_out_in_a_stated_way(
    values: tuple[Fraction | int, ...], room: int, told: str
) -> None:
    assert exchange.values(values, room) == told


def test_what_is_left_out_is_said() -> None:
    step = exchanges("long")[1]
    assert "… values left out" in printed(body(step, Look(80)), Look(80))
    assert "… left out" in markdown.page(told([step]))


def test_pages_hold_the_tables() -> None:
    step = exchanges("sheet")[3]
    page = markdown.page(told([step]))
    assert "| process | sends chunk | to | chunk 1 | chunk 2 | chunk 3 | chunk 4 |" in page
    assert "| 1 | 3: 9 | 2 | 1 | 20\\*✓ | 9 | 9 |" in page
    assert r"$\checkmark$" in latex.part(told([step]))
    web = html.part(told([step]))
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="exchange"' in web
    assert "<summary>As a table</summary>" in web


def test_json_tells_every_value() -> None:
    told = data.step(exchanges("sheet")[1])
    assert told["kind"] == "exchange"
    assert told["sent"][0] == {"from": 1, "to": 2, "chunk": 1, "values": ["1"]}
    assert told["holds"][1][0] == {"values": ["4"], "changed": True, "complete": False}
    relay = data.step(exchanges("relay")[1])
    assert relay["sent"] == [{"from": 1, "to": 2, "vector": None, "values": ["1", "5", "2", "8"]}]


def test_many_processes_are_told_in_part() -> None:
    holds = tuple((Held((i,), changed=True),) for i in range(40))
    sent = tuple(Sent(i, i % 40 + 1, i, 0, (i,)) for i in range(1, 41))
    step = Exchange("t", "w", "vector", ("holds",), holds, sent, "reduced", "share-reduce")
    rows = list(exchange.rows(step, 9))
    assert [row[0][0] for row in rows] == ["1", "2", "3", "4", "…", "40"]
    assert not exchange.is_drawn(step)
