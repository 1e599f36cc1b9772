"""The points of a sweep as lines of CSV or JSON: very many, and quickly.

Numbers are in the units of the axes and quantities, in fifteen digits. What has no value is empty
in CSV, and null in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.axes import Axis, Positions
from ddcalc.ask.sweep.column import Floats
from ddcalc.ask.sweep.grid import SweepQuestion
from ddcalc.ask.sweep.points import BlockResults
from ddcalc.boundary import table
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Expr
from ddcalc.numbers.display import decimal
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import Unit
from ddcalc.problem.said.steps import Value
from ddcalc.render.notation.plain import code

DIGITS: Final = 15  # of a value
_ROUND: Final = Context(prec=DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX)

Texts = NDArray[Any]  # of str


class PointLines:
    """Writes the points of *question* a line each: as CSV, or as an object of JSON."""

    def __init__(self, question: SweepQuestion, *, csv: bool) -> None:
        self.question, self.csv, self.nothing = question, csv, "" if csv else "null"
        named = ",".join(f'"{name}":%s' for name in question.columns)
        self.line = ",".join(["%s"] * len(question.columns)) if csv else f"{{{named}}}"

    @property
    def head(self) -> bytes:
        """The names of the columns of CSV, with their units."""
        columns = [(one.name, one.unit.name) for one in self.question.axes]
        columns += [(one.name, one.unit.name) for one in self.question.quantities]
        names = [f"{name} [{unit}]" if unit else name for name, unit in columns]
        return (",".join(names) + "\n").encode() if self.csv else b""

    def lines(self, results: BlockResults) -> list[str]:
        """The points of a block."""
        rows = zip(*self._columns(results), strict=True)
        return [f"{self.line % row}\n" for row in rows]

    def _columns(self, results: BlockResults) -> Iterator[list[str]]:
        """A cell for each point."""
        for axis, at in zip(self.question.axes, results.at, strict=True):
            cells = self._along(axis, at.ravel()).reshape(at.shape)
            yield np.broadcast_to(cells, results.shape).ravel().tolist()
        for quantity in self.question.quantities:
            values = results.values[quantity.name]
            texts = _written(values)
            texts[np.isnan(values)] = self.nothing
            for local, exact in results.alone.items():
                texts[local] = self._spelt(exact.get(quantity.name), quantity.unit)
            yield texts.tolist()

    def _along(self, axis: Axis, at: Positions) -> Texts:
        if axis.names:
            return np.array([self._word(axis.names[i]) for i in at.tolist()], dtype=object)
        try:
            return _written(axis.floats(at))
        except FloatingPointError:
            return np.array([self._spelt(axis.numbers[i], axis.unit) for i in at.tolist()], object)

    def _spelt(self, value: Value, unit: Unit) -> str:
        """A value by itself: exact if it is whole or a short decimal."""
        if value is None:
            return self.nothing
        if isinstance(value, Expr):
            return self._word(code(value))
        amount = in_units(value, unit.worth)
        rounded = _ROUND.divide(Decimal(amount.numerator), Decimal(amount.denominator))
        return decimal(amount) or str(rounded)

    def _word(self, text: str) -> str:
        word = clean(text)
        return table.csv_line([word])[:-1] if self.csv else json.dumps(word, allow_nan=False)


def _written(values: Floats) -> Texts:
    """*values* to so many digits that count; whole numbers without a point."""
    return np.array([f"{value:.{DIGITS}g}" for value in (values + 0).tolist()], object)  # no -0
