"""Schedules, charts and exchanges with characters and as tables: what holds for each."""

import re
from fractions import Fraction

import pytest
from drawings import MIXED, RINGS, TIMELINES, bars, exchanges, swept, timeline, timelines
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.ask.sweep.views import POINTS
from ddcalc.problem.said.steps import Bar, Dot, Timeline
from ddcalc.render import stages
from ddcalc.render.blocks import Picture
from ddcalc.render.markup import html, latex, markdown
from ddcalc.render.terminal import gantt, screen
from ddcalc.render.whole import Look

# Schedules


FEW = settings(max_examples=40, deadline=None)
LOOKS = st.builds(Look, st.integers(40, 200), st.booleans(), st.booleans())
AXIS, MANY = 1, "╫"


def _screen(step: Timeline, look: Look) -> str:
    return gantt.text(step, look)


def test_glyphs_stay_distinct_in_ascii():
    """A character of one picture stands for one character of the other."""
    unicode, ascii_ = _screen(MIXED, Look()), _screen(MIXED, Look(unicode=False))
    pairs = {pair for pair in zip(unicode, ascii_, strict=True) if not pair[0].isascii()}
    assert len({other for _, other in pairs}) == len(pairs) == 13


@FEW
@given(st.one_of(timelines(), st.sampled_from(list(TIMELINES.values()))), LOOKS)
def test_every_line_fits(step, look):
    lines = gantt.text(step, look).splitlines()
    assert max(map(len, lines)) <= look.width
    assert len(lines) > len(step.lanes) + AXIS
    if not look.unicode:
        assert all(line.isascii() for line in lines)


@FEW
@given(timelines(), LOOKS)
def test_every_lane_keeps_the_order_of_its_bars(step, look):
    lines = gantt.text(step, look).splitlines()[AXIS:]
    for lane, line in zip(step.lanes, lines, strict=False):
        shown = line.partition(lane.label)[2]
        numbers = [int(item) for item in re.findall(r"[├\[][─-]* ?(\d+) ?[─-]*[┤\]]", shown)]
        assert numbers == sorted(set(numbers))


@FEW
@given(bars(("compute",)), LOOKS)
def test_no_bar_is_lost(mine, look):
    """As many beginnings as bars that take time, or a sign that bars share a column."""
    done = [Bar(bar.start, bar.end, "") for bar in mine if bar.end > bar.start]
    step = timeline({"a": done}, max((bar.end for bar in done), default=1))
    drawn = _screen(step, Look(look.width)).splitlines()[AXIS]
    assert drawn.count("├") == len(done) or (MANY in drawn and drawn.count("├") < len(done))


@pytest.mark.parametrize("writer", [html, latex, markdown])
def test_every_document_has_the_lanes(writer):
    step = TIMELINES["periods"]
    assert all(writer.part([Picture(step)]).count(lane.label[-1]) for lane in step.lanes)


# Charts


def test_long_curves_are_thinned_and_keep_the_best():
    drawn = swept("long")
    [curve] = drawn.curves
    ys = [dot.y for dot in curve.dots if dot]
    assert POINTS <= len(ys) <= POINTS + 1
    assert drawn.best is not None
    assert min(ys) == drawn.best.y
    assert curve.dots[0] == Dot(1, Fraction(7015, 2), "")


# Exchanges


of_cases = pytest.mark.parametrize("name", RINGS)


@pytest.mark.parametrize("width", [60, 100])
@of_cases
def test_tables_fit(name, width):
    for step in exchanges(name):
        for line in screen.page(stages.stages([step]), Look(width)).splitlines():
            assert len(line) <= width, line
