"""A table of numbers that states lists of a problem: the inputs of each row, and its target."""

from __future__ import annotations

from typing import Final

from ddcalc.boundary.nodes import Scalar
from ddcalc.boundary.reader import fed
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import Row, rows
from ddcalc.errors import BadFile, BadNumber, BadSheet, DdcalcError, OverLimit, Place, Several
from ddcalc.numbers.display import counted
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import MOST

SHOWN: Final = 20  # wrong cells that are shown


def lists(problem: type[Problem], file: str) -> dict[str, list[str]]:
    """What the table in *file* states for the two lists in ``problem.table``.

    The last column is the second list, the others are the first, row after row. A first row
    without any number is the header. Raises DdcalcError, with the place of every wrong cell.
    """
    inputs, target = (problem.givens[name] for name in problem.table)
    texts: dict[str, list[str]] = {name: [] for name in problem.table}
    errors: list[DdcalcError] = []
    wide = 0
    for i, row in enumerate(rows(fed(Source(file)), file)):
        if isinstance(row, BadFile):
            errors.append(row)
        elif (wrong := _misfit(row, wide or len(row.cells), file)) is not None:
            errors.append(wrong)
        else:
            wide = len(row.cells)
            if i or any(_wrong(inputs, cell, file) is None for cell in row.cells):
                for given, cells in ((inputs, row.cells[:-1]), (target, row.cells[-1:])):
                    wrong_cells = (_wrong(given, cell, file) for cell in cells)
                    errors += [error for error in wrong_cells if error is not None]
                    texts[given.name] += [cell.text.strip() for cell in cells]
            if len(texts[inputs.name]) > MOST:
                reason = f"more than {MOST} inputs in a table"
                raise OverLimit(reason, Place(file, row.line))
        if len(errors) >= SHOWN or (errors and not wide):
            break
    if not errors and not texts[target.name]:
        errors.append(BadSheet("has no row of numbers", Place(file)))
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    return texts


def _misfit(row: Row, wide: int, file: str) -> DdcalcError | None:
    """What is wrong with the width of *row*, where the first row is *wide*."""
    if len(row.cells) == wide > 1:
        return None
    reason = f"{counted(len(row.cells), 'cell')}; the first row has {wide}"
    if wide == 1:
        reason = "one cell in a row; inputs and the target are needed, a column each"
    return BadSheet(reason, Place(file, row.line))


def _wrong(given: Given, cell: Scalar, file: str) -> DdcalcError | None:
    """What is wrong with *cell*; None for a number."""
    place = Place(file, cell.line, cell.column, max(1, len(cell.text)))
    if not cell.text.strip():
        return BadSheet("an empty cell; a number is wanted", place)
    try:
        given.read(cell.text.strip())
    except BadNumber as error:
        return error.about("data", place)
    return None
