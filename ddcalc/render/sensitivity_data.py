"""A sensitivity as plain data, ready for JSON; numbers as in :mod:`ddcalc.render.data`."""

from __future__ import annotations

from ddcalc.ask.sensitivity import Sensitivity
from ddcalc.ask.sensitivity.effects import Effect
from ddcalc.ask.sensitivity.uncertainty import RangeEnd
from ddcalc.ask.solve import Result
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.render.data import Data, result


def told(found: Sensitivity) -> Data:
    """The object of *found*; derivatives are exact texts in base units."""
    return {
        "problem": found.point.solved.problem.slug,
        "status": "solved",
        "answer": result(found.point.result),
        "sensitivities": [_effect(found, each) for each in found.effects],
        "swings": [
            {
                "name": each.lever.name,
                "low": str(each.low),
                "high": str(each.high),
                "below": _answer(found, each.below),
                "above": _answer(found, each.above),
            }
            for each in found.swings
        ],
        "gains": [
            {
                "name": each.lever.name,
                "way": each.way,
                "sure": each.sure,
                "value": None if each.value is None else str(each.value),
                "answer": _answer(found, each.answer),
            }
            for each in found.purchases
        ],
        "range": _range(found),
    }


def _effect(found: Sensitivity, effect: Effect) -> Data:
    elasticity = effect.elasticity(found.point.value)
    sides = ("one_less", "one_more") if effect.lever.whole else ("from_below", "from_above")
    values = (effect.down, effect.up)
    return {
        "name": effect.lever.name,
        "symbol": effect.lever.symbol,
        "at": str(effect.lever.value),
        "kind": "difference" if effect.lever.whole else _kind(effect),
        **{side: _exact(found, value) for side, value in zip(sides, values, strict=True)},
        "elasticity": None if elasticity is None else float(elasticity),
        "why": effect.why or None,
    }


def _kind(effect: Effect) -> str:
    return "difference quotient" if effect.measured else "derivative"


def _exact(found: Sensitivity, value: Number | None) -> str | float | None:
    """An exact text, or a float where the answer is rounded."""
    if value is None:
        return None
    return float(value) if found.point.rounded else str(value)


def _answer(found: Sensitivity, value: Number | None) -> Data | None:
    if value is None:
        return None
    mine = found.point.result
    made = result(Result(mine.name, mine.symbol, mine.unit, value))
    if found.point.rounded:
        made["exact"] = None
    return made


def _range(found: Sensitivity) -> Data | None:
    if found.range is None:
        return None
    inputs = [{"name": each.key, "stated": clean(each.text)} for each in found.spreads]
    ends = {"low": found.range.low, "high": found.range.high}
    return {
        "inputs": inputs,
        "everywhere": found.range.everywhere,
        **{name: _end(found, end) for name, end in ends.items()},
    }


def _end(found: Sensitivity, end: RangeEnd) -> Data:
    return {
        "reached": _answer(found, end.attained),
        "at": {name: str(value) for name, value in end.at.items()},
        "proved": _answer(found, end.bound),
        "exact": end.exact,
    }
