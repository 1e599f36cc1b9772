"""Comparisons as plain data, ready for JSON; numbers as in :mod:`ddcalc.render.data`."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.ask.compare import Comparison, QuantityPair
from ddcalc.ask.solve import Result
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.approximate import Approximate
from ddcalc.render.data import Data, result


def compared(comparisons: Sequence[Comparison]) -> Data:
    """The object of *comparisons* with one first question."""
    return {"status": "solved", "comparisons": [_comparison(each) for each in comparisons]}


def _comparison(comparison: Comparison) -> Data:
    sides = zip(comparison.names, (comparison.first, comparison.second), strict=True)
    return {
        "sides": [
            {"name": clean(name), "problem": side.problem.slug, "answer": result(side.answer)}
            for name, side in sides
        ],
        "difference": _difference(comparison.answer),
        "ratio": _exact(comparison.answer.ratio),
        "changes": [
            {"names": list(each.names), "before": clean(each.before), "after": clean(each.after)}
            for each in comparison.changes
        ],
        "quantities": [_row(row) for row in comparison.rows],
        "attribution": _attribution(comparison),
    }


def _row(row: QuantityPair) -> Data:
    return {
        "name": row.first.name,
        "first": result(row.first),
        "second": result(row.second),
        "difference": _difference(row),
        "ratio": _exact(row.ratio),
    }


def _attribution(comparison: Comparison) -> Data | None:
    found = comparison.attribution
    if found is None:
        return None
    return {
        "method": "mean over every order (Shapley)" if found.averaged else "one after the other",
        "parts": [
            {
                "names": [name for change in part.changes for name in change.names],
                "effect": _of(part.effect, comparison.answer),
            }
            for part in found.parts
        ],
    }


def _difference(row: QuantityPair) -> Data | None:
    return None if row.difference is None else _of(row.difference, row)


def _of(value: Number, row: QuantityPair) -> Data:
    """*value*, a difference of the quantity of *row*; without an exact text where it is rounded."""
    told = result(Result(row.first.name, row.first.symbol, row.first.unit, value))
    if any(isinstance(each.value, Approximate) for each in (row.first, row.second)):
        told["exact"] = None
    return told


def _exact(value: Number | None) -> str | None:
    return None if value is None or isinstance(value, Approximate) else str(value)
