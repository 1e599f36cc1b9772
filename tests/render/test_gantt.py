"""Schedules drawn with characters: exact screens, and what holds for every schedule."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import CASES, MIXED, bars, timeline
from schedules import timelines as any_timeline

from ddcalc.problem.steps import Bar, Timeline
from ddcalc.render.blocks import Picture
from ddcalc.render.terminal import gantt, screen
from ddcalc.render.timeline import mark
from ddcalc.render.whole import Look

FEW = settings(max_examples=40, deadline=None)
LOOKS = st.builds(Look, st.integers(40, 200), st.booleans(), st.booleans())
AXIS, MANY = 1, "╫"


def _screen(step: Timeline, look: Look) -> str:
    return "\n".join(_told(line).rstrip() for line in gantt.lines(step, look))


def _told(line: gantt.Line) -> str:
    return "".join(characters for characters, _ in line)


def test_glyphs_stay_distinct_in_ascii() -> None:
    """A character of one picture stands for one character of the other."""
    unicode, ascii_ = _screen(MIXED, Look()), _screen(MIXED, Look(unicode=False))
    pairs = {pair for pair in zip(unicode, ascii_, strict=True) if not pair[0].isascii()}
    assert len({other for _, other in pairs}) == len(pairs) == 13


def test_colour_adds_nothing() -> None:
    picture = [Picture(MIXED, None)]
    plain = screen.page(picture, Look())
    coloured = screen.page(picture, Look(colour=True))
    assert "\x1b[31m├╌╌╌ dropped" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert plain == f"{_screen(MIXED, Look())}\n"


@FEW
@given(st.one_of(any_timeline(), st.sampled_from(list(CASES.values()))), LOOKS)
def test_every_line_fits(step: Timeline, look: Look) -> None:
    lines = [_told(line) for line in gantt.lines(step, look)]
    assert max(map(len, lines)) <= look.width
    assert len(lines) > len(step.lanes) + AXIS
    if not look.unicode:
        assert all(line.isascii() for line in lines)


@FEW
@given(any_timeline(), LOOKS)
def test_every_lane_keeps_the_order_of_its_bars(step: Timeline, look: Look) -> None:
    lines = list(gantt.lines(step, look))[AXIS:]
    for lane, line in zip(step.lanes, lines, strict=False):
        marks: Iterator[gantt.Part] = map(mark, lane.bars)
        drawn = [part for _, part in line if part not in ("plain", "horizon", "many")]
        assert all(any(part == item for item in marks) for part in drawn), "not in this order"
        shown = _told(line).partition(lane.label)[2]
        numbers = [int(item) for item in re.findall(r"[├\[][─-]* ?(\d+) ?[─-]*[┤\]]", shown)]
        assert numbers == sorted(set(numbers))


@FEW
@given(bars(("compute",)), LOOKS)
def test_no_bar_is_lost(mine: tuple[Bar, ...], look: Look) -> None:
    """As many beginnings as bars that take time, or a sign that bars share a column."""
    done = [Bar(bar.start, bar.end, "") for bar in mine if bar.end > bar.start]
    step = timeline({"a": done}, max((bar.end for bar in done), default=1))
    drawn = _screen(step, Look(look.width)).splitlines()[AXIS]
    assert drawn.count("├") == len(done) or (MANY in drawn and drawn.count("├") < len(done))
