"""Timelines: where they end, and their tables in every format."""

from __future__ import annotations

from hypothesis import given
from schedules import PERIODS, timeline, timelines

from ddcalc.problem.steps import Timeline
from ddcalc.render import blocks
from ddcalc.render.markup import html, latex, markdown


def test_long_tables_are_cut() -> None:
    step = timeline({f"w{i}": list(PERIODS.lanes[0].bars) for i in range(12)}, 24)
    picture = blocks.schedule(step)
    assert picture.table is not None
    assert len(picture.table.rows) == 12 * 4
    for page in (html._block(picture), markdown.part([picture]), latex._block(picture)):
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
