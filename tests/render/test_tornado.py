"""Tornado charts as tables: each label on the side on which its bar is."""

from __future__ import annotations

import pytest
from questions import TYPES, Kind, example

from ddcalc.ask.sensitivity import sensitivity
from ddcalc.ask.sensitivity.summary import tornado
from ddcalc.errors import DdcalcError
from ddcalc.numbers.amounts import signed
from ddcalc.render.tornado import table


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
