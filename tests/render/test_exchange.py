"""Tables of exchanges: everything is there, and reads without colour."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from drawings import RINGS, exchanges

from ddcalc.problem.steps import Exchange, Held, Sent
from ddcalc.render import blocks, exchange
from ddcalc.render.markup import html, latex, markdown
from ddcalc.render.terminal import screen
from ddcalc.render.whole import Look

of_cases = pytest.mark.parametrize("name", RINGS)


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


@pytest.mark.parametrize("width", [60, 100])
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
    assert "<td>20*✓</td>" in html.part(blocks.stages([step]))


def test_many_processes_are_told_in_part() -> None:
    holds = tuple((Held((i,), changed=True),) for i in range(40))
    sent = tuple(Sent(i, i % 40 + 1, i, 0, (i,)) for i in range(1, 41))
    step = Exchange("t", "w", "vector", ("holds",), holds, sent, "reduced", "share-reduce")
    rows = list(exchange.rows(step, 9))
    assert [row[0][0] for row in rows] == ["1", "2", "3", "4", "…", "40"]
    assert not exchange.is_drawn(step)
