"""Every point of a sweep is what the point is worth by itself, in each format: values to 1e-12."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from questions import SYMBOLIC, Kind
from random_sweeps import Drawn, sweeps

from ddcalc.ask.sweep.best import Sweep
from ddcalc.ask.sweep.grid import question
from ddcalc.errors import BadValue, Several
from ddcalc.formula.expression import Number
from ddcalc.render.point_lines import PointLines

NEAR = Fraction(1, 10**12)
ROUNDS = 9  # in which something is compared, though a type refuses most numbers by chance
SHAPES = 8  # of each type, at most, in a round


def compared(drawn: Drawn) -> int:
    """How many values were compared."""
    try:
        asking = question(drawn.problem, drawn.texts, drawn.vary, drawn.quantities, [])
    except (BadValue, Several):  # a value of an axis is not admitted
        assert None in drawn.points()
        return 0
    sweep, wanted = Sweep(asking, []), list(drawn.points())
    sweep.points.most = 7  # so that there are several blocks
    writers = PointLines(asking, csv=True), PointLines(asking, csv=False)
    written, count = [writers[0].head.decode(), ""], 0
    for results in sweep.blocks():
        for i, writer in enumerate(writers):
            written[i] += writer.lines(results).decode()
        for local in range(results.block.size):
            number = results.block.start + local
            values = wanted[number]
            for name in drawn.quantities if values else ():
                assert plainly(sweep.points.at(asking.place(number))[name]) == values[name]
                count += values[name] is not None
    names = [name for name, _ in drawn.vary] + drawn.quantities
    head, *cells = csv.reader(written[0].splitlines())
    assert [cell.partition(" [")[0] for cell in head] == names
    check(drawn, [dict(zip(names, line, strict=True)) for line in cells], wanted)
    check(drawn, [json.loads(one, parse_float=Fraction) for one in written[1].splitlines()], wanted)
    missing = sum(values is None for values in wanted)
    assert sum(sweep.points.counts.values()) >= missing
    return count


def check(
    drawn: Drawn, written: list[dict[str, Any]], wanted: list[dict[str, Number | None] | None]
) -> None:
    """What is written says the same; whole numbers exactly."""
    for line, values in zip(written, wanted, strict=True):
        for name in drawn.quantities if values != {} else ():
            value = None if values is None else values[name]
            if value is None:
                assert line[name] in ("", None)
                continue
            exact = value / Fraction(drawn.problem.quantities[name].unit.worth)
            assert abs(Fraction(line[name]) - exact) <= abs(exact) * NEAR
            assert exact.denominator > 1 or abs(exact) > 10**14 or Fraction(line[name]) == exact


def plainly(value: Any) -> Fraction | None:
    return None if value is None else Fraction(value.numerator, value.denominator)


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
@pytest.mark.parametrize("wide", [False, True])
def test_every_point(problem: Kind, wide: bool) -> None:
    """With *wide* numbers too: those that 64 bits do not hold."""
    random = Random(f"{problem.slug} {wide}")
    for _ in range(ROUNDS):
        if sum(compared(drawn) for drawn in sweeps(problem, random, wide=wide, most=SHAPES)):
            return
    pytest.fail("nothing was compared")
