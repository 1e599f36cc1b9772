"""Every point of a sweep is what the point is worth by itself: counts alike, values to 1e-12."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from random import Random

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
    form = rows.csv(sweep.question)
    written = rows.csv_head(sweep.question).decode()
    compared = missing = 0
    for block, pieces in _pieces(sweep):
        written += rows.lines(sweep.question, form, block, pieces).decode()
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
    _check_lines(drawn, written, wanted)
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
    if value.denominator == 1 and abs(value) < 10**14 and _is_exact(piece, name):
        assert number == value


def _is_exact(piece: Patch, name: str) -> bool:
    """Whether the quantity's floats are the nearest ones."""
    return piece.cells[name].sharp


def _check_lines(drawn: Drawn, written: str, wanted: list[dict[str, Number | None] | None]) -> None:
    """What is written tells the same; whole numbers exactly."""
    header, *lines = csv.reader(written.splitlines())
    assert len(lines) == len(wanted)
    units = {name: drawn.problem.quantities[name].unit for name in drawn.quantities}
    assert [cell.partition(" [")[0] for cell in header] == [
        *(name for name, _ in drawn.vary),
        *drawn.quantities,
    ]
    for line, values in zip(lines, wanted, strict=True):
        for name, cell in zip(drawn.quantities, line[len(drawn.vary) :], strict=True):
            if values == {}:
                continue
            value = None if values is None else values[name]
            if value is None:
                assert cell == ""
                continue
            exact = value / Fraction(units[name].worth)
            assert abs(Fraction(cell) - exact) <= abs(exact) * NEAR
            assert exact.denominator > 1 or abs(exact) > 10**14 or Fraction(cell) == exact


@of_equations
def test_every_shape(problem: Kind) -> None:
    random = Random(problem.slug)
    assert any(sum(map(_compare, sweeps(problem, random, most=120))) for _ in range(ROUNDS))


@of_equations
def test_every_shape_with_numbers_too_wide_for_64_bits(problem: Kind) -> None:
    random = Random(f"{problem.slug} wide")
    for _ in range(ROUNDS):
        if sum(map(_compare, sweeps(problem, random, wide=True, most=120))):
            return
    pytest.fail("nothing was compared")


@of_equations
@pytest.mark.parametrize("seed", range(3))
def test_further_numbers(problem: Kind, seed: int) -> None:
    random = Random(seed)
    for drawn in sweeps(problem, random, wide=seed == 2, most=20):
        _compare(drawn)


@of_equations
def test_json_lines_tell_the_same(problem: Kind) -> None:
    random = Random(problem.slug)
    for drawn in sweeps(problem, random, wide=True, most=60):
        sweep = _sweep(drawn)
        if sweep is None:
            continue
        form = rows.ndjson(sweep.question)
        written = "".join(
            rows.lines(sweep.question, form, *block).decode() for block in sweep.blocks()
        )
        lines = [json.loads(line, parse_float=Fraction) for line in written.splitlines()]
        for line, values in zip(lines, drawn.points(), strict=True):
            for name in drawn.quantities if values != {} else ():
                worth = drawn.problem.quantities[name].unit.worth
                value = None if values is None else values[name]
                cell = line[name]
                assert (cell is None) == (value is None)
                if value is not None:
                    exact = value / Fraction(worth)
                    assert abs(Fraction(cell) - exact) <= abs(exact) * NEAR
