"""Derivations as plain data, ready for JSON: the contract that scripts rely on.

Numbers are told twice in their ``unit``: ``value`` as a float, ``exact`` as a fraction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from ddcalc.ask.find.answer import Found
from ddcalc.ask.solve import Derivation, Result
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import spelt
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import (
    Bound,
    Compare,
    Define,
    DefineEach,
    Exchange,
    Plot,
    Solve,
    State,
    Step,
    Table,
    Timeline,
    Tornado,
    Value,
)
from ddcalc.render import exchange_data, found_data, tornado
from ddcalc.render.amounts import amount
from ddcalc.render.formula import code, text, unbroken
from ddcalc.render.story import in_bytes, value_text
from ddcalc.sheet.answers import Check
from ddcalc.sheet.batch import Solved

SCHEMA_VERSION = 1

Data = dict[str, Any]


def dumped(data: Data, indent: int | None = None) -> str:
    """*data* as JSON in ASCII, without NaN."""
    return json.dumps(data, indent=indent, allow_nan=False)


def derivation(solved: Derivation, steps: bool, unit: Unit | None = None) -> Data:
    """The object of a solved problem, with its steps if they are asked for."""
    told: Data = {
        "problem": solved.problem.slug,
        "id": None,
        "file": None,
        "status": "solved",
        "answer": result(solved.answer, unit),
        "quantities": {name: _either(value) for name, value in solved.quantities.items()},
        "assumptions": [
            {"choice": each.choice, "value": each.option, "says": each.says}
            for each in solved.assumptions
        ],
        "readings": [
            {"choice": each.choice, "value": each.option, "answer": result(each.answer, unit)}
            for each in solved.readings
        ],
        "unused": [{"name": each.name, "says": each.says} for each in solved.unused],
        "checks": [],
    }
    if isinstance(solved, Found):
        told["find"] = found_data.search(solved, unit)
    if steps:
        told["steps"] = [step(each) for each in solved.steps]
    return told


def solved_problem(done: Solved, steps: bool) -> Data:
    """The object of a problem from a file, solved or not."""
    question = done.question
    if done.derivation is None or not done.answered:
        return failed(done.errors, question.kind, question.id, question.file)
    told = derivation(done.derivation, steps)
    told["id"], told["file"] = question.id, clean(question.file)
    if question.title:
        told["title"] = clean(question.title, TITLE)
    if question.source:
        told["source"] = clean(question.source)
    told["checks"] = [_check(check) for check in done.checks]
    return told


def failed(
    errors: Sequence[DdcalcError],
    problem: str | None = None,
    name: str | None = None,
    file: str | None = None,
) -> Data:
    """The object of a problem that could not be solved; ``error`` is the first of ``errors``."""
    told = [_error(single) for error in errors for single in error.each()]
    return {
        "problem": None if problem is None else clean(problem, 200),
        "id": name,
        "file": None if file is None else clean(file),
        "status": "error",
        "error": told[0],
        "errors": told,
    }


def result(told: Result, unit: Unit | None = None) -> Data:
    """A quantity, in *unit* instead of its own if one is given."""
    return {"name": told.name, "symbol": told.symbol, **amount(told.value, unit or told.unit)}


def _either(value: Result | tuple[Result, ...]) -> Data | list[Data]:
    return [result(each) for each in value] if isinstance(value, tuple) else result(value)


def _exact(value: Value) -> str | None:
    if value is None:
        return None
    return code(value) if isinstance(value, Expr) else spelt(value)


def _check(check: Check) -> Data:
    derived = check.derived if isinstance(check.derived, tuple) else (check.derived,)
    return {
        "name": check.name,
        "stated": clean(check.stated, 200),
        "derived": ", ".join(value_text(each.value, each.unit) for each in derived),
        "agrees": check.agrees,
        "ours": check.ours,
    }


def _error(error: DdcalcError) -> Data:
    place = error.place
    return {
        "kind": error.kind,
        "file": clean(place.file) if place else None,
        "line": place.line or None if place else None,
        "column": place.column or None if place else None,
        "parameter": None if error.parameter is None else clean(error.parameter, 200),
        "message": clean(str(error)),
    }


def step(step: Step) -> Data:
    """A step with everything it tells."""
    told: Data = {
        "kind": type(step).__name__.lower(),
        "name": getattr(step, "name", None),
        "title": step.title,
        "why": step.why,
        "formula": None,
        "numbers": None,
        "text": None,
    }
    match step:
        case State():
            why = "; ".join(filter(None, (step.why, in_bytes(step))))
            return told | {"why": why, "symbol": step.symbol, "text": _stated(step)}
        case Define():
            return told | _defined(step)
        case DefineEach(rows=rows):
            return told | {"rows": [_defined(row) for row in rows]}
        case Solve():
            return told | _solved(step)
        case Compare():
            return told | _compared(step)
        case Bound():
            links = [
                {"op": each.op, "formula": _formula(each.expr), "why": each.reason}
                for each in step.links
            ]
            formula, exact = _formula(step.subject), _exact(step.value)
            return told | {"symbol": step.symbol, "formula": formula, "links": links, "text": exact}
        case Table() | Tornado():
            return told | _table(step)
        case Timeline():
            return told | _timeline(step)
        case Exchange():
            return told | exchange_data.exchange(step)
        case Plot():
            return told | _plot(step)
        case never:
            assert_never(never)


def _stated(step: State) -> str:
    if step.written is None:
        return step.word or step.symbol
    return ", ".join(quantity_text(each.value, each.unit) for each in step.written)


def _defined(step: Define) -> Data:
    return {
        "symbol": step.symbol,
        "formula": _formula(step.applied),
        "numbers": _formula(step.applied, step.numbers),
        "text": value_text(step.value, step.unit),
    }


def _solved(step: Solve) -> Data:
    return {
        "symbol": step.symbol,
        "relation": _formula(step.relation),
        "unknown": step.unknown,
        "op": step.op,
        "formula": _formula(step.formula),
        "numbers": _formula(step.formula, step.numbers),
        "text": value_text(step.value, step.unit),
    }


def _compared(step: Compare) -> Data:
    left, right = (quantity_text(side, step.unit) for side in (step.left, step.right))
    return {
        "symbol": step.symbol,
        "formula": _formula(step.relation),
        "numbers": _formula(step.relation, step.numbers),
        "text": f"{left} {step.relation.op} {right}",
        "holds": step.holds,
    }


def _table(step: Table | Tornado) -> Data:
    step = tornado.table(step, drawn=False) if isinstance(step, Tornado) else step
    return {"header": list(step.header), "rows": [list(map(_cell, row)) for row in step.rows]}


def _timeline(step: Timeline) -> Data:
    lanes = [
        {
            "label": lane.label,
            "operations": [
                {
                    "start": str(bar.start),
                    "end": str(bar.end),
                    "label": _cell(bar.label),
                    "done": bar.done,
                    "kind": bar.kind,
                    "note": clean(bar.note),
                }
                for bar in lane.bars
            ],
        }
        for lane in step.lanes
    ]
    return {"lanes": lanes, "horizon": str(step.horizon), "omitted": step.shown}


def _plot(step: Plot) -> Data:
    chart = step.chart
    curves = [
        {
            "label": clean(curve.label),
            "points": [None if dot is None else [str(dot.x), str(dot.y)] for dot in curve.dots],
        }
        for curve in chart.curves
    ]
    return {"x": clean(str(chart.x)), "y": clean(str(chart.y)), "curves": curves}


def _cell(cell: Expr | str) -> str:
    return _formula(cell) if isinstance(cell, Expr) else cell


def _formula(expr: Expr, numbers: Mapping[str, Number] | None = None) -> str:
    return unbroken(text(expr, numbers))
