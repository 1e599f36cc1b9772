"""Every point of a sweep is what the point is worth by itself: counts alike, values to 1e-12."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from questions import SYMBOLIC, Kind
from random_sweeps import Drawn, plain, sweeps

from ddcalc.ask.sweep.best import Sweep
from ddcalc.ask.sweep.grid import Block, Patch, question
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Number
from ddcalc.render import point_lines as rows

NEAR = Fraction(1, 10**12)
ROUNDS = 9  # in which something is compared, though a type refuses most numbers by chance
SHAPES = 30  # of each type, at most, in a round
FLOATS = (Fraction(1, 10**290), 10**300)  # sizes that floats have with all their digits

of_equations = pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)


def _sweep(drawn: Drawn) -> Sweep | None:
    """The sweep; None where no value of an axis is admitted, which is refused."""
    try:
        sweep_question = question(drawn.problem, drawn.texts, drawn.vary, drawn.quantities, [])
    except BadValue:
        return None
    return Sweep(sweep_question, [])


def _pieces(sweep: Sweep) -> Iterator[tuple[Block, list[Patch]]]:
    sweep.engine.most = 7  # so that there are several blocks
    return sweep.blocks()


def _compare(drawn: Drawn) -> int:
    """How many values were compared."""
    sweep = _sweep(drawn)
    if sweep is None:
        assert all(point is None for point in drawn.points())
        return 0
    wanted = list(drawn.points())
    forms = rows.csv(sweep.question), rows.ndjson(sweep.question)
    written = [rows.csv_head(sweep.question).decode(), ""]
    compared = missing = 0
    for block, pieces in _pieces(sweep):
        for i, form in enumerate(forms):
            written[i] += rows.lines(sweep.question, form, block, pieces).decode()
        [piece] = pieces
        for local in range(piece.size):
            values = wanted[piece.number(local)]
            for name in drawn.quantities if values != {} else ():
                value = None if values is None else values[name]
                assert _is_missing(piece, name, local) == (value is None)
                if value is None:
                    missing += 1
                else:
                    compared += 1
                    _check_value(piece, name, local, value)
    head, *cells = csv.reader(written[0].splitlines())
    names = [name for name, _ in drawn.vary] + drawn.quantities
    assert [cell.partition(" [")[0] for cell in head] == names
    _check_lines(drawn, [dict(zip(names, line, strict=True)) for line in cells], wanted)
    lines = (json.loads(line, parse_float=Fraction) for line in written[1].splitlines())
    _check_lines(drawn, list(lines), wanted)
    assert sum(sweep.tally.counts.values()) >= missing // len(drawn.quantities)
    return compared


def _is_missing(piece: Patch, name: str, local: int) -> bool:
    floats = piece.floats(name)
    cells = piece.cells[name]
    return bool(floats.ravel()[local] != floats.ravel()[local]) and local not in cells.single


def _check_value(piece: Patch, name: str, local: int, value: Number) -> None:
    assert plain(piece.exact(name, local)) == value
    number = float(piece.floats(name).ravel()[local])
    if value == 0 or FLOATS[0] < abs(value) < FLOATS[1]:
        assert abs(Fraction(number) - value) <= abs(value) * NEAR
    if value.denominator == 1 and abs(value) < 10**14 and piece.cells[name].sharp:
        assert number == value


def _check_lines(
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


@of_equations
@pytest.mark.parametrize("wide", [False, True])
def test_every_point(problem: Kind, wide: bool) -> None:
    """With *wide* numbers too: those that 64 bits do not hold."""
    random = Random(f"{problem.slug} {wide}")
    for _ in range(ROUNDS):
        if sum(_compare(drawn) for drawn in sweeps(problem, random, wide=wide, most=SHAPES)):
            return
    pytest.fail("nothing was compared")
