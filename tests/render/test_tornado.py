"""Tornado charts as tables: each label on the side on which its bar is."""

from __future__ import annotations

import pytest
from drawings import TORNADO
from questions import TYPES, Kind, example

from ddcalc.ask.sensitivity import sensitivity
from ddcalc.ask.sensitivity.summary import tornado
from ddcalc.errors import DdcalcError
from ddcalc.numbers.amounts import signed
from ddcalc.render.tornado import FULL, MIDDLE, table

LEFT = {  # what stands on the left, and on the right
    "a": ("1 s", "−10 s", "+20 s", "2 s"),
    "b": ("7", "−20 s", "+30 s", "5"),
    "c": ("3", "+5 s", "+10 s", "1"),
    "d": ("3", "−30 s", "no answer", "1"),
    "e": ("1", "no answer", "+40 s", "3"),
    "f": ("1", "−40 s", "no answer", "3"),
}


def test_the_lower_answer_is_on_the_left() -> None:
    shown = {str(row[0].name): row[1:] for row in table(TORNADO, 24).rows}  # type: ignore[union-attr]
    lower = {str(row[1]) for row in shown.values()}
    assert len({*map(len, lower)}) == 1  # they all end where the bars begin
    sides = {name: (row[0], str(row[1]).strip(), row[3], row[4]) for name, row in shown.items()}
    assert sides == LEFT
    bars = {name: str(row[2]).partition(MIDDLE)[::2] for name, row in shown.items()}
    drawn = {name: tuple(FULL in side for side in bar) for name, bar in bars.items()}
    assert drawn == {
        "a": (True, True),
        "b": (True, True),
        "c": (False, True),
        "d": (True, False),
        "e": (False, True),
        "f": (True, False),
    }


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_changes_rise_from_left_to_right(problem: Kind) -> None:
    try:
        chart = tornado(sensitivity(problem, example(problem)))
    except DdcalcError:
        return
    if not chart.rows:
        return
    for shown, row in zip(table(chart, 24).rows, chart.rows, strict=True):
        known = [end for _, end in row.ends(chart.answer) if end is not None]
        assert known == sorted(known)
        ends = {text: end for text, end in (row.smaller, row.larger) if end is not None}
        for text, change in ((shown[1], shown[2]), (shown[5], shown[4])):
            if text in ends:
                assert str(change).strip() == signed(ends[str(text)] - chart.answer, chart.unit)
