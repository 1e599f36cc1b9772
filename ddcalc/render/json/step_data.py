"""Quantities and the steps of a derivation as plain data, every value exact."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any, assert_never

from ddcalc.ask.solve import Result, Results
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Expr
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, spelt
from ddcalc.numbers.units import Unit
from ddcalc.problem import steps as kinds
from ddcalc.problem.steps import Step, Value
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text
from ddcalc.render.story import in_bytes, value_text

Data = dict[str, Any]


def fields(thing: object, names: str) -> Data:
    """The attributes of *thing* that *names* lists, as plain data, those called ``key=name`` under
    that key."""
    pairs = (word.partition("=") for word in names.split())
    return {key: _plain(attrgetter(name or key)(thing)) for key, _, name in pairs}


def _plain(value: Any) -> Any:
    """Texts are cleaned, and numbers left as they are."""
    match value:
        case str():
            return clean(value)
        case Result():
            return result(value)
        case tuple():
            return [*map(_plain, value)]
        case _:
            return value


def result(quantity: Result, unit: Unit | None = None) -> Data:
    """A quantity, in *unit* instead of its own if one is given."""
    return fields(quantity, "name symbol") | amount(quantity.value, unit or quantity.unit)


def results(quantity: Results, unit: Unit | None = None) -> Data | list[Data]:
    """A quantity, or the members of one that is a list, as in :func:`result`."""
    if isinstance(quantity, tuple):
        return [result(one, unit) for one in quantity]
    return result(quantity, unit)


def amount(value: Value, unit: Unit) -> Data:
    """*value*, in base units, shown in *unit*.

    ``value`` is a float (null where it is symbolic, too large for one, or missing), ``exact`` a
    fraction or a formula (null where it is rounded or missing).
    """
    number: float | None = None
    exact: str | None = None
    if value is None or isinstance(value, Expr):
        shown = value if value is None or unit.worth == 1 else value / unit.worth
        text = value_text(shown, unit)
        exact = None if shown is None else code(shown)
    else:
        here = in_units(value, unit.worth)
        with suppress(OverflowError):
            number = here.numerator / here.denominator
        exact = None if type(value) is Approximate else spelt(here)
        text = quantity_text(value, unit)
    return {"value": number, "exact": exact, "unit": unit.name, "text": text}


def step(step: Step) -> Data:
    """A step with everything that it says."""
    data: Data = {"kind": type(step).__name__.lower(), "name": getattr(step, "name", None)}
    data |= {"title": step.title, "why": step.why, "formula": None, "numbers": None, "text": None}
    return data | _content(step)


def _content(step: Step) -> Data:
    match step:
        case kinds.State(written=written):
            words = [quantity_text(one.value, one.unit) for one in written or ()]
            said = step.word or step.symbol if written is None else ", ".join(words)
            why = "; ".join(filter(None, (step.why, in_bytes(step))))
            return {"why": why, "symbol": step.symbol, "text": said}
        case kinds.Define(open=True):
            return {"symbol": step.symbol, "formula": _formula(step.formula)}
        case kinds.Define(applied=applied):
            return {"symbol": step.symbol} | _put(applied, step)
        case kinds.DefineEach(rows=rows):
            return {"rows": [*map(_content, rows)]}
        case kinds.Solve(relation=relation, formula=formula):
            put = _put(formula, step)
            data = {"symbol": step.symbol, "relation": _formula(relation, _without_letter(step))}
            return data | fields(step, "unknown op") | put
        case kinds.Compare(relation=relation):
            left, right = (quantity_text(side, step.unit) for side in (step.left, step.right))
            data = {"symbol": step.symbol} | _put(relation, step)
            return data | {"text": f"{left} {relation.op} {right}", "holds": step.holds}
        case kinds.Bound(links=links, value=value):
            chain = [{"op": x.op, "formula": _formula(x.expr), "why": x.reason} for x in links]
            end = (
                value if value is None else code(value) if isinstance(value, Expr) else spelt(value)
            )
            data = {"symbol": step.symbol, "formula": _formula(step.subject)}
            return data | {"links": chain, "text": end}
        case kinds.Table():
            return {"header": list(step.header), "rows": [[*map(_cell, row)] for row in step.rows]}
        case _:
            return _drawn(step)


def _put(formula: Expr, step: kinds.Define | kinds.Solve | kinds.Compare) -> Data:
    """A formula, the same with its numbers, and what it comes to."""
    put: Data = {"formula": _formula(formula, _without_letter(step))}
    put |= {"numbers": _formula(formula, step.numbers)}
    if isinstance(step, kinds.Compare):
        return put
    return put | {"text": value_text(step.value, step.unit)}


def _without_letter(step: kinds.Define | kinds.Solve | kinds.Compare) -> Mapping[str, kinds.PutIn]:
    """The numbers that have no letter: what is compared with, among others."""
    if isinstance(step, kinds.Define):
        return {}
    return {letter: put for letter, put in step.numbers.items() if kinds.is_number(letter)}


def _drawn(step: kinds.Timeline | kinds.Exchange | kinds.Plot) -> Data:
    match step:
        case kinds.Timeline():
            return {
                "lanes": [
                    {"label": lane.label, "operations": [*map(_operation, lane.bars)]}
                    for lane in step.lanes
                ],
                "horizon": str(step.horizon),
                "omitted": step.shown,
            }
        case kinds.Exchange():
            sent = [
                {"from": one.sender, "to": one.receiver, step.what: one.number or None}
                | {"values": [*map(spelt, one.values)]}
                for one in step.sent
            ]
            holds = [
                [{"values": [*map(spelt, x.values)]} | fields(x, "changed complete") for x in row]
                for row in step.holds
            ]
            return {"phase": step.phase, "parts": list(step.parts), "sent": sent, "holds": holds}
        case kinds.Plot(chart=chart):
            curves = [
                {"label": clean(one.label)}
                | {
                    "points": [
                        None if dot is None else [str(dot.x), str(dot.y)] for dot in one.dots
                    ]
                }
                for one in chart.curves
            ]
            return {"x": clean(str(chart.x)), "y": clean(str(chart.y)), "curves": curves}
        case never:
            assert_never(never)


def _operation(bar: kinds.Bar) -> Data:
    data = {"start": str(bar.start), "end": str(bar.end), "label": _cell(bar.label)}
    return data | fields(bar, "done kind") | {"note": clean(bar.note)}


def _cell(cell: Expr | str) -> str:
    return _formula(cell) if isinstance(cell, Expr) else cell


def _formula(expr: Expr, numbers: Mapping[str, kinds.PutIn] | None = None) -> str:
    return unbroken(text(expr, numbers))
