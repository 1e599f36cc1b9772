"""A table of numbers that states lists of a problem: the inputs of each row, and its target."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.boundary.nodes import Scalar
from ddcalc.boundary.reader import fed
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import Row, rows
from ddcalc.errors import BadFile, BadNumber, BadSheet, DdcalcError, OverLimit, Place, Several
from ddcalc.numbers.display import counted
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import MOST

TOLD = 20  # wrong cells that are told


def lists(problem: type[Problem], file: str) -> dict[str, list[str]]:
    """What the table in *file* states for the two lists in ``problem.table``.

    The last column is the second list, the others are the first, row after row. A first row
    without any number is the header. Raises DdcalcError, with the place of every wrong cell.
    """
    return _Table(problem, file).lists()


class _Table:
    def __init__(self, problem: type[Problem], file: str) -> None:
        self.file = file
        self.inputs, self.target = (problem.givens[name] for name in problem.table)
        self.told: dict[str, list[str]] = {name: [] for name in problem.table}
        self.wide = 0
        self.errors: list[DdcalcError] = []

    def lists(self) -> dict[str, list[str]]:
        source = Source(self.file)
        for i, row in enumerate(rows(fed(source), self.file)):
            if isinstance(row, BadFile):
                self.errors.append(row)
            elif i or not self._is_header(row):
                self._row(row)
            if len(self.errors) >= TOLD or self.wide == 1:
                break
        if not self.errors and not self.told[self.target.name]:
            self.errors.append(BadSheet("has no row of numbers", Place(self.file)))
        if self.errors:
            raise Several(self.errors) if len(self.errors) > 1 else self.errors[0]
        return self.told

    def _is_header(self, row: Row) -> bool:
        """Whether no cell of the first *row* is a number; then it says how many there are."""
        if any(self._wrong(self.inputs, cell) is None for cell in row.cells):
            return False
        self.wide = len(row.cells)
        return True

    def _row(self, row: Row) -> None:
        cells = row.cells
        self.wide = self.wide or len(cells)
        if len(cells) != self.wide or len(cells) < 2:
            told = f"{counted(len(cells), 'cell')}; the first row has {self.wide}"
            if self.wide == 1:
                told = "one cell in a row; inputs and the target are needed, a column each"
            self.errors.append(BadSheet(told, Place(self.file, row.line)))
            return
        if len(self.told[self.inputs.name]) + len(cells) - 1 > MOST:
            reason = f"more than {MOST} inputs in a table"
            raise OverLimit(reason, Place(self.file, row.line))
        self._keep(self.inputs, cells[:-1])
        self._keep(self.target, cells[-1:])

    def _keep(self, given: Given, cells: Sequence[Scalar]) -> None:
        for cell in cells:
            if (error := self._wrong(given, cell)) is not None:
                self.errors.append(error)
            self.told[given.name].append(cell.text.strip())

    def _wrong(self, given: Given, cell: Scalar) -> DdcalcError | None:
        """What is wrong with *cell*; None for a number."""
        place = Place(self.file, cell.line, cell.column, max(1, len(cell.text)))
        if not cell.text.strip():
            return BadSheet("an empty cell; a number is wanted", place)
        try:
            given.read(cell.text.strip())
        except BadNumber as error:
            return error.about("data", place)
        return None
