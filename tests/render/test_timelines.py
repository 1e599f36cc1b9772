"""Timelines: their pictures, their tables in every format, and themselves in JSON."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import pytest
from drawings import explained, named, parsed, words
from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import CASES, FIRST_OF_MANY, MIXED, PERIODS, STRAGGLER, timeline, timelines

from ddcalc.formula.expression import Number
from ddcalc.problem.steps import Bar, Timeline
from ddcalc.render import blocks
from ddcalc.render.markup import html, latex, markdown
from ddcalc.render.pictures import canvas
from ddcalc.render.pictures import timeline as drawn
from ddcalc.render.pictures.timeline import WORDS, extent, marks

SIZE = 12  # pixels of a letter


def _columns(shape: ET.Element) -> Iterator[float]:
    """The x of every point of *shape*."""
    if "points" in shape.attrib:
        yield from (float(point.split(",")[0]) for point in shape.attrib["points"].split())
    elif "d" in shape.attrib:
        yield from (float(x) for x in re.findall(r"[MLH]([0-9.]+)", shape.attrib["d"]))
    else:
        yield (start := float(shape.attrib["x"]))
        yield start + float(shape.get("width", 0))


def test_the_description_adds_up() -> None:
    assert words(parsed(drawn.picture(MIXED))[1]) == (
        "Who works when, until the horizon at 10 s. worker 1: downloads once, 1 s in all; computes "
        "once, 2 s in all; uploads once, 1 s in all; at the server once, 1 s in all; waits once, "
        "3 s in all; 1 not done. worker 2: downloads once, 1 s in all; sends once, "
        "1 s in all; 1 dropped; 1 interrupted."
    )
    assert words(parsed(drawn.picture(PERIODS))[1]).endswith(
        "worker 3: computes 6 times, 24 s in all."
    )
    assert words(parsed(drawn.picture(FIRST_OF_MANY))[1]).endswith("900 more are not drawn.")


def test_tooltips_are_the_notes_or_tell_the_times() -> None:
    tooltips = [words(item[0]) for item in explained(parsed(drawn.inline(MIXED)))]
    assert tooltips[:2] == [
        "worker 1: downloads, from 0 s to 1 s",
        "worker 1 computes gradient 1 from 1 s to 3 s",
    ]
    assert tooltips[7] == "worker 2: dropped, from 1 s to 7 s"
    (alone,) = explained(parsed(drawn.inline(timeline({"a": [Bar(0, 1, "7")]}, 1))))
    assert words(alone[0]) == "a: computes 7, from 0 s to 1 s"


def _inside(step: Timeline) -> None:
    root = parsed(drawn.picture(step))
    left, _, width, _ = map(float, root.attrib["viewBox"].split())
    bars = explained(root)
    assert len(bars) == sum(len(lane.bars) for lane in step.lanes)
    for bar in bars:
        assert words(bar[0])
        places = [x for shape in bar[1:] for x in _columns(shape)]
        assert left < min(places)
        assert max(places) <= left + width - canvas.EDGE
        assert max(places) - min(places) > 1, "too short to see"


@given(st.one_of(timelines(), st.sampled_from(list(CASES.values()))))
@settings(max_examples=40)
def test_every_schedule_has_a_picture(step: Timeline) -> None:
    _inside(step)
    _legible(step)


def test_bars_stand_at_their_times() -> None:
    """Computations of one length are equally long, and those that start together stand together."""
    shapes = named(parsed(drawn.inline(PERIODS)), "rect", "compute")
    lefts = [float(item.attrib["x"]) for item in shapes]
    first, second, third = lefts[:24], lefts[24:36], lefts[36:]
    assert (second, third) == (first[::2], first[::4])
    steps = [right - left for left, right in pairwise(first)]
    assert max(steps) - min(steps) < 0.21, "more than two roundings to a tenth"


def _advance(words: str) -> float:
    """The width of *words* in DejaVu Sans, a wide font: advances in units of 2048 an em."""
    wide = {" ": 651, ".": 651, "1": 1303, "×": 1716, "^": 1716, "−": 1716, "≈": 1716}
    return sum(wide.get(letter, 1303) for letter in words) / 2048 * SIZE


def _legible(step: Timeline) -> None:
    root = parsed(drawn.inline(step))
    numbers = named(root, "text", "soft")[1:]
    assert words(numbers[0]) == "0"
    middles = [(float(item.attrib["x"]), _advance(words(item)) / 2) for item in numbers]
    for (left, half), (right, other) in pairwise(middles):
        assert left + half < right - other
    assert middles[-1][0] + middles[-1][1] <= canvas.WIDE


def test_the_horizon_is_marked() -> None:
    root = parsed(drawn.inline(STRAGGLER))
    (line,) = named(root, "path", "horizon")
    (beyond,) = named(root, "rect", "beyond")
    assert next(_columns(line)) == float(beyond.attrib["x"])
    assert "horizon 2 s" in drawn.inline(STRAGGLER)
    assert "horizon 1 000 s →" in drawn.inline(FIRST_OF_MANY)
    assert not named(parsed(drawn.inline(FIRST_OF_MANY)), "path", "horizon")


def test_the_legend_names_what_occurs() -> None:
    def legend(step: Timeline) -> list[str]:
        texts = [words(item) for item in named(parsed(drawn.inline(step)), "text")]
        return texts[texts.index(next(text for text in texts if "horizon" in text)) :]

    known = set(WORDS.values())
    occur = [WORDS[item] for item in marks(MIXED)]
    assert [word for word in legend(MIXED) if word in known][-len(occur) :] == occur
    assert [word for word in legend(PERIODS) if word in known] == []
    assert [word for word in legend(STRAGGLER) if word in known][-2:] == ["computes", "not done"]


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


def test_long_tables_are_cut() -> None:
    step = timeline({f"w{i}": list(PERIODS.lanes[0].bars) for i in range(12)}, 24)
    picture = blocks.schedule(step)
    assert picture.table is not None
    assert len(picture.table.rows) == 12 * 4
    for page in (html._block(picture), markdown.page([picture]), latex._block(picture)):
        assert page.count("21 more") == 12


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
        written = names.count(lane.label) - len(more)
        assert [row[1] for row in more] == [(f"… {len(lane.bars) - written} more",)] * len(more)
        assert more or written == len(lane.bars)
