"""Pictures and tables of exchanges: everything is there, inside, and reads without colour."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

import pytest
from drawings import NAMESPACE, RINGS, exchanges, parsed, words

from ddcalc.problem.steps import Exchange, Held, Sent
from ddcalc.render import blocks
from ddcalc.render.markup import html, latex, markdown
from ddcalc.render.pictures import exchange
from ddcalc.render.terminal import screen
from ddcalc.render.whole import Look

of_cases = pytest.mark.parametrize("name", RINGS)


@of_cases
def test_a_box_a_part_and_an_arrow_a_message(name: str) -> None:
    steps = exchanges(name)
    root = parsed(exchange.picture(steps))
    groups = [words(item[0]) for item in root.iter(f"{NAMESPACE}g")]
    expected = []
    for step in steps:
        for j, row in enumerate(step.holds, 1):
            expected += [
                f"process {j}, {part}: {exchange.held(item, exchange.ROOMS[0])}"
                for part, item in zip(step.parts, row, strict=True)
            ]
        expected += [exchange.sentence(item, step.what) for item in step.sent]
    assert sorted(groups) == sorted(expected)
    points = [item for item in root.iter(f"{NAMESPACE}path") if item.get("class") == "point"]
    wrapped = sum(item.receiver < item.sender for step in steps for item in step.sent)
    assert len(points) == sum(len(step.sent) for step in steps) + wrapped


@of_cases
def test_words_fit_into_their_boxes(name: str) -> None:
    root = parsed(exchange.picture(exchanges(name)))
    for group in root.iter(f"{NAMESPACE}g"):
        box, text = group.find(f"{NAMESPACE}rect"), group.find(f"{NAMESPACE}text")
        if box is not None and text is not None:
            assert len(words(text)) * 7.6 <= float(box.attrib["width"])


@of_cases
def test_panels_stand_apart(name: str) -> None:
    root = parsed(exchange.picture(exchanges(name)))
    titles = [item for item in root.iter(f"{NAMESPACE}text") if item.get("class") == "title"]
    written = [(float(t.attrib["y"]), float(t.attrib["x"]), len(words(t)) * 7.6) for t in titles]
    for (y, x, wide), (below, right, _) in pairwise(written):
        assert below > y or x + wide < right


def test_marks_read_without_colour() -> None:
    step = exchanges("sheet")[3]
    shown = "".join(screen.page(blocks.step_blocks(step), Look(80)))
    assert "8*✓" in shown
    assert "* just reduced  ✓ complete" in shown
    plain = screen.page(blocks.step_blocks(step), Look(80, unicode=False))
    assert plain.isascii()
    assert "8*ok" in plain
    coloured = screen.page(blocks.step_blocks(step), Look(80, colour=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown
    assert coloured != shown


@pytest.mark.parametrize("width", [24, 60, 132])
@of_cases
def test_tables_fit(name: str, width: int) -> None:
    for step in exchanges(name):
        for line in screen.page(blocks.stages([step]), Look(width)).splitlines():
            assert len(line) <= width, line


@pytest.mark.parametrize(
    ("values", "room", "written"),
    [
        ((), 9, "–"),
        ((1, 2, 3), 9, "1, 2, 3"),
        ((10, 20, 30, 40), 11, "10, …, 40"),
        ((Fraction(1, 3), -2), 60, "1/3, −2"),
        ((123456, 2, 3), 7, "123 456, …"),
    ],
)
def test_values_are_left_out_in_a_stated_way(
    values: tuple[Fraction | int, ...], room: int, written: str
) -> None:
    assert exchange.values(values, room) == written


def test_what_is_left_out_is_said() -> None:
    step = exchanges("long")[1]
    assert "… values left out" in screen.page(blocks.step_blocks(step), Look(80))
    assert "… left out" in markdown.page(blocks.stages([step]))


def test_pages_hold_the_tables() -> None:
    step = exchanges("sheet")[3]
    page = markdown.page(blocks.stages([step]))
    assert "| process | sends chunk | to | chunk 1 | chunk 2 | chunk 3 | chunk 4 |" in page
    assert "| 1 | 3: 9 | 2 | 1 | 20\\*✓ | 9 | 9 |" in page
    assert r"$\checkmark$" in latex.part(blocks.stages([step]))
    web = html.part(blocks.stages([step]))
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="exchange"' in web
    assert "<summary>As a table</summary>" in web


def test_many_processes_are_told_in_part() -> None:
    holds = tuple((Held((i,), changed=True),) for i in range(40))
    sent = tuple(Sent(i, i % 40 + 1, i, 0, (i,)) for i in range(1, 41))
    step = Exchange("t", "w", "vector", ("holds",), holds, sent, "reduced", "share-reduce")
    rows = list(exchange.rows(step, 9))
    assert [row[0][0] for row in rows] == ["1", "2", "3", "4", "…", "40"]
    assert not exchange.is_drawn(step)
