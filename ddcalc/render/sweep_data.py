"""A sweep as plain data, ready for JSON: numbers as floats in stated units, the best ones exact."""

from __future__ import annotations

from ddcalc.ask.solve import Result
from ddcalc.ask.sweep.account import notes
from ddcalc.ask.sweep.axes import Axis, Named, Numeric
from ddcalc.ask.sweep.best import Optimum, Sweep
from ddcalc.ask.sweep.grid import Place
from ddcalc.boundary.cleaning import clean
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.steps import Value
from ddcalc.render.data import Data, result


def told(sweep: Sweep) -> Data:
    """The points of a finished *sweep*, the best of them, and why some have no value."""
    question = sweep.question
    return {
        "problem": question.problem.slug,
        "status": "solved",
        "points": sweep.size,
        "varied": [_varied(axis) for axis in question.axes],
        "quantities": [_told(quantity) for quantity in question.quantities],
        "rows": [_row(sweep, question.grid.place(i)) for i in range(sweep.size)],
        "optimum": [_best(sweep, optimum) for optimum in sweep.optima],
        "front": _front(sweep) if sweep.fronts else None,
        "without_value": [
            {"points": note.points, "first": note.at, "text": clean(note.says)}
            for note in notes(sweep)
        ],
    }


def _varied(axis: Axis) -> Data:
    if isinstance(axis, Numeric):
        given = axis.given
        told = {"name": axis.name, "symbol": given.letter, "unit": axis.unit.name}
        return {**told, "title": given.title, "values": axis.size}
    declared = axis.declared
    told = {"name": axis.name, "symbol": "", "unit": ""}
    return {**told, "title": declared.title, "values": axis.size}


def _told(quantity: Quantity) -> Data:
    told = {"name": quantity.name, "symbol": quantity.letter, "unit": quantity.unit.name}
    return {**told, "title": quantity.title}


def _row(sweep: Sweep, place: Place) -> list[float | str | None]:
    values = sweep.engine.at(place)
    quantities = sweep.question.quantities
    return [*_at(sweep, place).values(), *(_value(q, values.get(q.name)) for q in quantities)]


def _at(sweep: Sweep, place: Place) -> dict[str, float | str | None]:
    """Where a point lies, by name of axis."""
    found: dict[str, float | str | None] = {}
    for axis, i in zip(sweep.question.axes, place, strict=True):
        if isinstance(axis, Named):
            found[axis.name] = clean(axis.texts[i])
        else:
            value = Result(axis.name, axis.given.letter, axis.unit, axis.numbers[i])
            found[axis.name] = result(value)["value"]
    return found


def _value(quantity: Quantity, value: Value) -> float | str | None:
    """A value as a float in the quantity's unit; in letters where it has some."""
    told = result(Result(quantity.name, quantity.letter, quantity.unit, value))
    found: float | str | None = told["value"]
    return told["exact"] if found is None else found


def _best(sweep: Sweep, optimum: Optimum) -> Data:
    goal, best = optimum.goal, optimum.best
    quantity = sweep.question.problem.quantities[goal.name]
    value = None if best is None else best.value
    told = result(Result(goal.name, quantity.letter, quantity.unit, value))
    told["sought"] = "least" if goal.smallest else "largest"
    if best is not None:
        told["at"] = _at(sweep, sweep.question.grid.place(best.number))
        told["points"] = best.points
    return told


def _front(sweep: Sweep) -> list[Data] | None:
    """The points of the front; None where they are too many."""
    [front] = sweep.fronts
    if front.points is None:
        return None
    quantities = [sweep.question.problem.quantities[goal.name] for goal in front.goals]
    return [
        {
            **_at(sweep, sweep.question.grid.place(point.number)),
            **{q.name: _value(q, v) for q, v in zip(quantities, point.values, strict=True)},
        }
        for point in front.points
    ]
