"""Every point of a sweep is what the point is worth by itself, in each format: values to 1e-12."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from questions import SYMBOLIC, Kind
from random_sweeps import by_itself, sweeps

from ddcalc.ask.sweep.best import Sweep
from ddcalc.ask.sweep.grid import SweepQuestion
from ddcalc.render.point_lines import PointLines

NEAR = Fraction(1, 10**12)
ROUNDS = 40  # in which something is compared, though a type refuses most numbers by chance
SHAPES = 8  # of each type, at most, in a round


def compared(question: SweepQuestion) -> int:
    """How many values were compared: what is written, and what is exact."""
    sweep, count = Sweep(question, []), 0
    sweep.points.most = 7  # so that there are several blocks
    writers = PointLines(question, csv=True), PointLines(question, csv=False)
    written = [writers[0].head.decode(), ""]
    for results in sweep.blocks():
        for i, writer in enumerate(writers):
            written[i] += writer.lines(results).decode()
    head, *cells = csv.reader(written[0].splitlines())
    assert [cell.partition(" [")[0] for cell in head] == question.columns
    lines = [json.loads(line, parse_float=Fraction) for line in written[1].splitlines()]
    missing = 0
    for number, (row, line) in enumerate(zip(cells, lines, strict=True)):
        wanted = by_itself(question, number)
        if wanted is None:
            continue
        missing += not wanted
        exact = sweep.points.at(question.place(number))
        for quantity in question.quantities:
            name, value = quantity.name, wanted.get(quantity.name)
            texts = (line[name], row[question.columns.index(name)])
            count += value is not None
            check(texts, plainly(value), plainly(exact.get(name)), Fraction(quantity.unit.worth))
    assert sum(sweep.points.counts.values()) >= missing
    return count


def check(
    texts: tuple[Any, ...], value: Fraction | None, exact: Fraction | None, worth: Fraction
) -> None:
    """What is written says the same; whole numbers exactly."""
    assert exact == value
    for text in texts:
        if value is None:
            assert text in ("", None)
            continue
        amount = value / worth
        assert abs(Fraction(text) - amount) <= abs(amount) * NEAR
        assert amount.denominator > 1 or abs(amount) > 10**14 or Fraction(text) == amount


def plainly(value: Any) -> Fraction | None:
    return None if value is None else Fraction(value.numerator, value.denominator)


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
@pytest.mark.parametrize("wide", [False, True])
def test_every_point(problem: Kind, wide: bool) -> None:
    """With *wide* numbers too: those that 64 bits do not hold."""
    random = Random(f"{problem.slug} {wide}")
    for _ in range(ROUNDS):
        if sum(map(compared, sweeps(problem, random, wide=wide, most=SHAPES))):
            return
    pytest.fail("nothing was compared")
