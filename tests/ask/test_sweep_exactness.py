"""Every point of a sweep is what the point is worth by itself, in each format: values to 1e-12."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from questions import SYMBOLIC, TYPES, Kind, solved_variants
from random_sweeps import by_itself, sweeps

from ddcalc.ask.sweep.best import Sweep
from ddcalc.ask.sweep.grid import SweepQuestion, question
from ddcalc.formula.expression import Expr
from ddcalc.numbers.units import Measured
from ddcalc.render.point_lines import PointLines

NEAR = Fraction(1, 10**12)
ROUNDS = 200  # in which something is compared, though a type refuses most numbers by chance
SHAPES = 4  # of each type, at most, in a round
ENOUGH = 30  # values of each type that are compared for its choices


def compared(asking: SweepQuestion) -> int:
    """How many values were compared: what is written, and what is exact."""
    sweep, count = Sweep(asking, []), 0
    sweep.points.most = 7  # so that there are several blocks
    writers = PointLines(asking, csv=True), PointLines(asking, csv=False)
    written = [writers[0].head.decode(), ""]
    for results in sweep.blocks():
        for i, writer in enumerate(writers):
            written[i] += writer.lines(results).decode()
    head, *cells = csv.reader(written[0].splitlines())
    assert [cell.partition(" [")[0] for cell in head] == asking.columns
    lines = [json.loads(line, parse_float=Fraction) for line in written[1].splitlines()]
    missing = 0
    for number, (row, line) in enumerate(zip(cells, lines, strict=True)):
        wanted = by_itself(asking, number)
        if wanted is None:
            continue
        missing += not wanted
        exact = sweep.points.at(asking.place(number))
        for quantity in asking.quantities:
            name, value = quantity.name, wanted.get(quantity.name)
            texts = (line[name], row[asking.columns.index(name)])
            count += value is not None
            if isinstance(value, Expr):  # in letters
                assert exact[name] == value
                continue
            check(texts, plainly(value), plainly(exact.get(name)), Fraction(quantity.unit.worth))
    assert sweep.points.without >= missing
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


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_choices_among_numbers(problem: Kind) -> None:
    """Every choice before a number, in every type, played ones too."""
    count = 0
    for _, texts, solved in solved_variants(problem):
        numbers = {n: x for n, x in solved.stated.measured.items() if isinstance(x, Measured)}
        if count > ENOUGH or not numbers or solved.stated.shape.words:
            continue
        name, stated = next(iter(numbers.items()))
        unit = problem.givens[name].unit
        more = (Fraction(stated.value) + unit.worth) / unit.worth
        spec = (name, f"{stated.text},{more} {unit.name}".strip())
        choices = [(choice, ",".join(one.options)) for choice, one in problem.choices.items()]
        for vary in ([spec], *([choice, spec] for choice in choices)):
            still = {name: text for name, text in texts.items() if name not in dict(vary)}
            count += compared(question(problem, still, vary))
    assert count > 0


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
@pytest.mark.parametrize("wide", [False, True])
def test_every_point(problem: Kind, wide: bool) -> None:
    """With *wide* numbers too: those that 64 bits do not hold."""
    random = Random(f"{problem.slug} {wide}")
    for _ in range(ROUNDS):
        if sum(map(compared, sweeps(problem, random, wide=wide, most=SHAPES))):
            return
    pytest.fail("nothing was compared")
