"""The steps of a derivation as plain data, every value exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Expr
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import spelt
from ddcalc.problem import steps as kinds
from ddcalc.problem.steps import Step
from ddcalc.render import tornado
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text
from ddcalc.render.story import in_bytes, value_text

Data = dict[str, Any]


def step(step: Step) -> Data:
    """A step with everything that it says."""
    return {
        "kind": type(step).__name__.lower(),
        "name": getattr(step, "name", None),
        "title": step.title,
        "why": step.why,
        "formula": None,
        "numbers": None,
        "text": None,
        **_content(step),
    }


def _content(step: Step) -> Data:
    match step:
        case kinds.State():
            why = "; ".join(filter(None, (step.why, in_bytes(step))))
            return {"why": why, "symbol": step.symbol, "text": _stated(step)}
        case kinds.Define():
            return _defined(step)
        case kinds.DefineEach(rows=rows):
            return {"rows": [*map(_defined, rows)]}
        case kinds.Solve():
            return _solved(step)
        case kinds.Compare():
            return _compared(step)
        case kinds.Bound():
            return _bound(step)
        case kinds.Table():
            return {"header": list(step.header), "rows": [[*map(_cell, row)] for row in step.rows]}
        case kinds.Tornado():
            return _content(tornado.table(step, drawn=False))
        case kinds.Timeline():
            return _timeline(step)
        case kinds.Exchange():
            return _exchange(step)
        case kinds.Plot():
            return _plot(step)
        case never:
            assert_never(never)


def _stated(step: kinds.State) -> str:
    if step.written is None:
        return step.word or step.symbol
    return ", ".join(quantity_text(one.value, one.unit) for one in step.written)


def _defined(step: kinds.Define) -> Data:
    return {
        "symbol": step.symbol,
        "formula": _formula(step.applied),
        "numbers": _formula(step.applied, step.numbers),
        "text": value_text(step.value, step.unit),
    }


def _solved(step: kinds.Solve) -> Data:
    return {
        "symbol": step.symbol,
        "relation": _formula(step.relation, _bound_of(step)),
        "unknown": step.unknown,
        "op": step.op,
        "formula": _formula(step.formula, _bound_of(step)),
        "numbers": _formula(step.formula, step.numbers),
        "text": value_text(step.value, step.unit),
    }


def _compared(step: kinds.Compare) -> Data:
    left, right = (quantity_text(side, step.unit) for side in (step.left, step.right))
    return {
        "symbol": step.symbol,
        "formula": _formula(step.relation, _bound_of(step)),
        "numbers": _formula(step.relation, step.numbers),
        "text": f"{left} {step.relation.op} {right}",
        "holds": step.holds,
    }


def _bound_of(step: kinds.Solve | kinds.Compare) -> Mapping[str, kinds.PutIn]:
    """The numbers that have no letter: what is compared with, among others."""
    return {letter: put for letter, put in step.numbers.items() if kinds.is_number(letter)}


def _bound(step: kinds.Bound) -> Data:
    links = [
        {"op": link.op, "formula": _formula(link.expr), "why": link.reason} for link in step.links
    ]
    value = step.value
    exact = value if value is None else code(value) if isinstance(value, Expr) else spelt(value)
    formula = _formula(step.subject)
    return {"symbol": step.symbol, "formula": formula, "links": links, "text": exact}


def _timeline(step: kinds.Timeline) -> Data:
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


def _exchange(step: kinds.Exchange) -> Data:
    sent = [
        {
            "from": message.sender,
            "to": message.receiver,
            step.what: message.number or None,
            "values": [*map(spelt, message.values)],
        }
        for message in step.sent
    ]
    holds = [
        [
            {
                "values": [*map(spelt, part.values)],
                "changed": part.changed,
                "complete": part.complete,
            }
            for part in row
        ]
        for row in step.holds
    ]
    return {"phase": step.phase, "parts": list(step.parts), "sent": sent, "holds": holds}


def _plot(step: kinds.Plot) -> Data:
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


def _formula(expr: Expr, numbers: Mapping[str, kinds.PutIn] | None = None) -> str:
    return unbroken(text(expr, numbers))
