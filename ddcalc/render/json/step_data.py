"""Quantities and the steps of a derivation as plain data, every value exact."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any, Final, assert_never

from ddcalc.ask.solve import Result
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Expr
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, spelt
from ddcalc.numbers.units import Unit
from ddcalc.problem.said import steps as kinds
from ddcalc.problem.said.steps import Step, Value
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text
from ddcalc.render.story import in_bytes, value_text

Data = dict[str, Any]


OBJECTS: Final = {
    "Assumption": "choice value=option says",
    "Bar": "start! end! label done kind note",
    "Held": "values! changed complete",
    "Lane": "label operations=bars",
    "Link": "op formula=expr why=reason",
    "Note": "points first=at text=says",
    "Reading": "choice value=option answer",
    "Student": "name number",
    "Unused": "name says",
}
"""What stands of a thing in its object, as :func:`fields` reads it, by the name of its class."""


def fields(thing: object, names: str, unit: Unit | None = None) -> Data:
    """The attributes of *thing* that *names* lists, as plain data, those called ``key=name`` under
    that key; with a ``!`` behind as texts. Results stand in *unit* if one is given."""
    data: Data = {}
    for word in names.split():
        key, _, name = word.removesuffix("!").partition("=")
        value = attrgetter(name or key)(thing)
        if not word.endswith("!"):
            data[key] = plain(value, unit)
        else:
            data[key] = [*map(spelt, value)] if isinstance(value, tuple) else spelt(value)
    return data


def plain(value: Any, unit: Unit | None = None) -> Any:
    """Anything as plain data: texts cleaned, formulas in letters, numbers as they are."""
    if names := OBJECTS.get(type(value).__name__):
        return fields(value, names, unit)
    match value:
        case str():
            return clean(value)
        case Expr():
            return _formula(value)
        case Result():
            return result(value, unit)
        case tuple() | list():
            return [plain(one, unit) for one in value]
        case _:
            return value


def result(quantity: Result, unit: Unit | None = None) -> Data:
    """A quantity, in *unit* instead of its own if one is given."""
    head = {"name": clean(quantity.name), "symbol": clean(quantity.symbol)}
    return head | amount(quantity.value, unit or quantity.unit)


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
            return fields(step, "symbol formula")
        case kinds.Define(applied=applied):
            return {"symbol": step.symbol} | _put(applied, step)
        case kinds.DefineEach(rows=rows):
            return {"rows": [*map(_content, rows)]}
        case kinds.Compare(relation=relation):
            left, right = (quantity_text(side, step.unit) for side in (step.left, step.right))
            data = {"symbol": step.symbol} | _put(relation, step)
            return data | {"text": f"{left} {relation.op} {right}", "holds": step.holds}
        case kinds.Bound(value=value):
            end = (
                value if value is None else code(value) if isinstance(value, Expr) else spelt(value)
            )
            return fields(step, "symbol formula=subject links") | {"text": end}
        case kinds.Table():
            return fields(step, "header rows")
        case kinds.Timeline():
            return fields(step, "lanes horizon! omitted=shown")
        case kinds.Exchange():
            return _exchanged(step)
        case never:
            assert_never(never)


def _exchanged(step: kinds.Exchange) -> Data:
    names = f"from=sender to=receiver {step.what}=number values!"
    sent = [fields(one, names) | {step.what: one.number or None} for one in step.sent]
    return fields(step, "phase parts") | {"sent": sent} | fields(step, "holds")


def _put(formula: Expr, step: kinds.Define | kinds.Compare) -> Data:
    """A formula, the same with its numbers, and what it comes to."""
    unlettered = {name: x for name, x in step.numbers.items() if name.startswith(kinds.NUMBER)}
    put: Data = {"formula": _formula(formula, unlettered)}
    put |= {"numbers": _formula(formula, step.numbers)}
    if isinstance(step, kinds.Compare):
        return put
    return put | {"text": value_text(step.value, step.unit)}


def _formula(expr: Expr, numbers: Mapping[str, kinds.PutIn] | None = None) -> str:
    return unbroken(text(expr, numbers))
