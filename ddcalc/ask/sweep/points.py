"""Sweeps of played schedules: one point after the other, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ddcalc.ask.sweep.exact import nothing
from ddcalc.ask.sweep.grid import Block, Place
from ddcalc.ask.sweep.piece import Cells, Piece
from ddcalc.ask.sweep.question import Question, refuse_list
from ddcalc.ask.sweep.tally import Kind, Reason, Tally
from ddcalc.ask.working import working
from ddcalc.errors import BadValue, DdcalcError, NoAnswer, OverLimit
from ddcalc.expression import Expr
from ddcalc.number import plain
from ddcalc.plan import Values
from ddcalc.steps import Value

BLOCK = 64  # points between two signs of life


class Points:
    """Works out the points of *question* one by one, and counts in *tally* what has no value."""

    most = BLOCK

    def __init__(self, question: Question, tally: Tally) -> None:
        self.question, self.tally = question, tally

    def pieces(self, block: Block) -> Iterator[Piece]:
        """The points of *block*."""
        bare = Piece(block, (0,) * len(block.shape), block.shape, {}, self.at)
        found: dict[str, dict[int, Value]] = {each.name: {} for each in self.question.quantities}
        for local in range(block.size):
            values = self._values(bare.place(local))
            if isinstance(values, Reason):
                self.tally.add(values, 1, block.start + local)
                continue
            for name, own in found.items():
                value = values.get(name)
                if isinstance(value, tuple):
                    raise refuse_list(name)
                if value is None:
                    kind: Kind = "nothing" if name in values else "not derived"
                    self.tally.add(Reason(kind, name), 1, block.start + local)
                else:
                    own[local] = value if isinstance(value, Expr) else plain(value)
        missing = np.ones(block.shape, dtype=bool)
        cells = {name: Cells(nothing(), missing, single) for name, single in found.items()}
        yield Piece(block, bare.offset, block.shape, cells, self.at)

    def at(self, place: Place) -> Mapping[str, Value]:
        """The exact quantities at *place*; empty where it has none."""
        values = self._values(place)
        told = [quantity.name for quantity in self.question.quantities]
        if isinstance(values, Reason):
            return {}
        return {
            name: value
            for name, value in values.items()
            if name in told and not isinstance(value, tuple)
        }

    def _values(self, place: Place) -> Values | Reason:
        """The quantities at *place*, or why there are none."""
        try:
            self.question.stated(self.question.names(place))
        except DdcalcError as error:
            return Reason("not read", str(error))
        try:
            return working(self.question.point(place)).values
        except BadValue as error:
            return Reason("refused", error.parameter or "")
        except (NoAnswer, OverLimit) as error:
            return Reason("no answer", getattr(error, "name", ""))
