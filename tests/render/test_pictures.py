"""What pictures of schedules share, and their tables in every format."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from schedules import CASES, MIXED, PERIODS, timeline, timelines

from ddcalc.formula.expression import Number
from ddcalc.problem.steps import Bar, Timeline
from ddcalc.render import blocks
from ddcalc.render.json import step_data
from ddcalc.render.markup import html, latex, markdown
from ddcalc.render.pictures.axis import ticks
from ddcalc.render.pictures.timeline import deed, extent


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("mixed", 11),  # what goes on after the horizon is shown
        ("straggler", Fraction(5, 2)),  # but not for long
        ("first-of-many", 4),  # and nothing after what is left out
        ("no-lanes", 5),
        ("nothing", 1),
    ],
)
def test_where_a_picture_ends(name: str, last: Number) -> None:
    assert extent(CASES[name]) == last


@pytest.mark.parametrize(
    ("last", "most", "letter", "told"),
    [
        (24, 12, 1, "0 2 4 6 8 10 12 14 16 18 20 22 24"),
        (Fraction(7, 10), 7, 1, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"),
        (1, 1, 1, "0 1"),
        (100, 10, 9, "0 20 40 60 80"),  # the last one lacks room
        (100, 10, 60, "0"),
        (10**30, 2, 1, "0 5×10^29 1×10^30"),
    ],
)
def test_ticks_are_round_and_apart(last: Number, most: int, letter: int, told: str) -> None:
    def place(at: Number, words: str) -> tuple[float, float]:
        start = float(at / Fraction(last) * 100)
        return min(start, 100 - letter / 2 * len(words)), start + letter * len(words)

    assert " ".join(words for _, words in ticks(last, most, place)) == told


@pytest.mark.parametrize(
    ("bar", "words"),
    [
        (Bar(0, 1, "3"), "computes 3"),
        (Bar(0, 1, ""), "computes"),
        (Bar(0, 1, "", kind="up"), "uploads"),
        (Bar(0, 1, "", kind="down", done=False), "downloads, not done"),
        (Bar(0, 1, "dropped", done=False), "dropped"),
        (Bar(0, 1, "", done=False), "not done"),
    ],
)
def test_deeds_in_words(bar: Bar, words: str) -> None:
    assert deed(bar) == words


def test_tables_tell_what_is_done() -> None:
    page = markdown.page([blocks.schedule(MIXED)])
    assert "|  | operation | from | to |" in page
    assert "| worker 1 | downloads | 0 s | 1 s |\n| worker 1 | computes 1 | 1 s | 3 s |" in page
    assert "| worker 2 | dropped | 1 s | 7 s |" in page
    assert page.endswith("\n\nThe horizon is at 10 s.\n")


def test_where_all_compute_the_number_is_enough() -> None:
    assert "| worker 1 | 1 | 0 s | 1 s |" in markdown.page([blocks.schedule(PERIODS)])


def test_long_tables_are_cut() -> None:
    step = timeline({f"w{i}": list(PERIODS.lanes[0].bars) for i in range(12)}, 24)
    picture = blocks.schedule(step)
    assert picture.table is not None
    assert len(picture.table.rows) == 12 * 4
    told = [html._block(picture), markdown.page([picture]), latex._block(picture)]
    for page, more in zip(told, ("… 21 more", "… 21 more", r"\ldots{} 21 more"), strict=True):
        assert page.count(more) == 12


@given(timelines())
def test_every_lane_has_its_rows(step: Timeline) -> None:
    picture = blocks.schedule(step)
    assert picture.table is not None
    names = [row[0][0] for row in picture.table.rows]
    bars = sum(len(lane.bars) for lane in step.lanes)
    assert len(names) == bars if bars <= blocks.BARS else len(names) <= 2 * blocks.BARS
    assert set(names) == {lane.label for lane in step.lanes if lane.bars}
    for lane in step.lanes:
        more = [row for row in picture.table.rows if row[0] == (lane.label,) and row[2] == ("…",)]
        told = names.count(lane.label) - len(more)
        assert [row[1] for row in more] == [(f"… {len(lane.bars) - told} more",)] * len(more)
        assert more or told == len(lane.bars)


def test_json_tells_the_kinds_and_notes() -> None:
    (first, _) = step_data.step(MIXED)["lanes"]
    assert [each["kind"] for each in first["operations"]] == [
        "down",
        "compute",
        "up",
        "wait",
        "server",
        "compute",
    ]
    assert first["operations"][1] == {
        "start": "1",
        "end": "3",
        "label": "1",
        "done": True,
        "kind": "compute",
        "note": "worker 1 computes gradient 1 from 1 s to 3 s",
    }
