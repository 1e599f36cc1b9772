"""Solved problems as plain data, ready for JSON: the contract that scripts rely on.

Numbers stand twice in their ``unit``: ``value`` as a float, ``exact`` as a fraction. What they are,
for every format and verb, is decided by :func:`amount` alone; so they always agree.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, Result, Results, singles
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.expression import Expr
from ddcalc.numbers.display import ABOUT, quantity_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, spelt
from ddcalc.numbers.units import PERCENT, Unit
from ddcalc.problem.quantity import Choice
from ddcalc.problem.slots import Filling
from ddcalc.problem.steps import Value
from ddcalc.render import story
from ddcalc.render.json.step_data import Data, fields, step
from ddcalc.render.notation.plain import code
from ddcalc.render.story import value_text

if TYPE_CHECKING:
    from ddcalc.files.answers import Check
    from ddcalc.files.batch import Solved

SCHEMA_VERSION = 1
DIGITS = 20  # of an irrational end, before it becomes a float
NAME = 200  # characters of a name that a question made up
_ENCODER = json.JSONEncoder(allow_nan=False)  # kept, as json.dumps would make one for each problem


def dumped(data: Data, indent: int | None = None) -> str:
    """*data* as JSON in ASCII, without NaN."""
    return (
        _ENCODER.encode(data)
        if indent is None
        else json.dumps(data, indent=indent, allow_nan=False)
    )


def derivation(
    solved: Derivation, steps: bool, unit: Unit | None = None, checks: Sequence[Check] = ()
) -> Data:
    """The object of a solved problem, with its *steps* if they are wanted, and its *checks*."""
    wanted, stated = solved.stated.shape.wanted, solved.stated
    data: Data = {
        "problem": solved.problem.slug,
        "id": None,
        "file": None,
        "status": "solved",
        "answer": _answer(solved, unit),
        "quantities": {
            name: results(value, unit if name == solved.answer.name else None)
            for name, value in solved.quantities.items()
            if name in (wanted or solved.quantities)
        },
        "assumptions": [fields(one, "choice value=option says") for one in solved.assumptions],
        "readings": [
            fields(one, "choice value=option") | {"answer": result(one.answer, unit)}
            for one in solved.readings
        ],
        "unused": [fields(one, "name says") for one in solved.unused],
        "checks": [*map(_check, checks)],
    }
    if stated.filled:
        data["presets"] = {name: _filling(one) for name, one in stated.filled.items()}
    if isinstance(solved, Inversion):
        data["find"] = _search(solved, unit)
    if steps:
        data |= {} if isinstance(solved, Inversion) else _commentary(solved, unit)
        data["steps"] = [*map(step, solved.shown_steps() if wanted else solved.steps)]
    return data


def _answer(solved: Derivation, unit: Unit | None = None) -> Data:
    """What is asked for, with the sentence that says it."""
    return result(solved.answer, unit) | {"says": story.says(solved, unit)}


def _filling(filling: Filling) -> Data:
    """What a preset states of a given, and where that stands."""
    return {
        "option": filling.slot,
        "preset": filling.preset.name,
        "title": filling.preset.title,
        "fact": filling.name,
        "format": filling.number_format or None,
        "text": filling.fact.text,
        "note": filling.preset.note or None,
        "source": filling.fact.source,
    }


def _commentary(solved: Derivation, unit: Unit | None) -> Data:
    """What is said beside the steps."""
    beside = solved.commentary(unit)
    shares = solved.shares if solved.problem.sequential else ()
    return {
        "mechanism": beside.mechanism,
        "checks_made": [story.check_text(check, solved) for check in beside.checks],
        "insights": [*map(story.spoken, beside.insights)],
        "shares": [{"group": one.group, **amount(one.part, PERCENT)} for one in shares],
        "premises": [story.premise(premise, solved.problem) for premise in beside.premises],
    }


def solved_problem(done: Solved, steps: bool) -> Data:
    """The object of a problem from a file, solved or not."""
    question = done.question
    if done.derivation is None or not done.answered:
        return failed(done.errors, question.kind, question.id, question.file)
    data = derivation(done.derivation, steps, checks=done.checks)
    data |= {"id": question.id, "file": clean(question.file)}
    data |= {"title": clean(question.title, TITLE)} if question.title else {}
    return data | ({"source": clean(question.source)} if question.source else {})


def answered_problem(done: Solved) -> Data:
    """The answer of a problem from a file alone, and its checks where it states answers; of one
    that is not solved all that is wrong."""
    question = done.question
    if done.derivation is None or not done.answered:
        return failed(done.errors, question.kind, question.id, question.file)
    data: Data = {"id": question.id, "status": "solved", "answer": _answer(done.derivation)}
    return data | {"checks": [*map(_check, done.checks)]} if done.checks else data


def failed(
    errors: Sequence[DdcalcError],
    problem: str | None = None,
    name: str | None = None,
    file: str | None = None,
) -> Data:
    """The object of a problem that could not be solved; ``error`` is the first of ``errors``."""
    listed = [_error(single) for error in errors for single in error.singles()]
    return {
        "problem": _cleaned(problem, NAME),
        "id": name,
        "file": _cleaned(file),
        "status": "error",
        "error": listed[0],
        "errors": listed,
    }


def result(quantity: Result, unit: Unit | None = None) -> Data:
    """A quantity, in *unit* instead of its own if one is given."""
    return fields(quantity, "name symbol") | amount(quantity.value, unit or quantity.unit)


def results(quantity: Results, unit: Unit | None = None) -> Data | list[Data]:
    """A quantity, or the members of one that is a list, as in :func:`result`."""
    if isinstance(quantity, tuple):
        return [result(one, unit) for one in quantity]
    return result(quantity, unit)


def machine_text(quantity: Result, unit: Unit | None, bare: bool) -> str:
    """The value of a quantity for a script: ``637.5 s``, or *bare* without its unit: digits with a
    point and a sign, without an exponent, a mark or a space. ``none`` where there is no value; a
    formula where letters were left open."""
    if quantity.value is None:
        return "none"
    data = result(quantity, unit)
    exact, value = data["exact"], data["value"]
    number = exact
    if value is not None and (exact is None or "/" in exact):
        number = format(Decimal(repr(value)), "f")
    elif value is None and not isinstance(quantity.value, Expr):  # too large for a float
        number = str(round(Fraction(quantity.value) / (unit or quantity.unit).worth))
    return number if bare else f"{number} {data['unit']}".rstrip()


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


def _check(check: Check) -> Data:
    derived = ", ".join(value_text(one.value, one.unit) for one in singles(check.derived))
    data = {"name": check.name, "stated": clean(check.stated, NAME), "derived": derived}
    return data | fields(check, "agrees ours says" if check.says else "agrees ours")


def _error(error: DdcalcError) -> Data:
    place = error.place
    return {
        "kind": error.kind,
        "file": place and clean(place.file),
        "line": (place and place.line) or None,
        "column": (place and place.column) or None,
        "parameter": _cleaned(error.parameter, NAME),
        "message": clean(str(error)),
    }


def _cleaned(text: str | None, most: int | None = None) -> str | None:
    return None if text is None else clean(text, most)


def _search(solved: Inversion, unit: Unit | None) -> Data:
    """What was sought and all solutions; amounts in *unit*, else in the unknown's own.

    ``exact`` is null where a value is irrational. ``complete`` is false where there may be others.
    """
    outcome, shown_in = solved.outcome, unit or solved.answer.unit
    data: Data = {
        "unknown": solved.question.unknown.name,
        "where": [clean(relation.written) for relation in solved.question.relations],
        "solutions": [
            {
                "from": _end(piece.low, shown_in),
                "to": _end(piece.high, shown_in),
                "from_included": piece.low is not None and piece.low_in,
                "to_included": piece.high is not None and piece.high_in,
            }
            for piece in outcome.solutions
        ],
        "complete": outcome.complete,
        "text": clean(solved.says(unit)),
        "proof": clean(outcome.proof),
    }
    if not (outcome.solutions or outcome.options):
        data["nearest"] = _nearest(solved, shown_in)
    is_choice = isinstance(solved.question.unknown, Choice)
    return data | {"options": list(outcome.options)} if is_choice else data


def _nearest(solved: Inversion, unit: Unit) -> Data | None:
    """The value of what is compared that is nearest to its bound, and the value
    (or option) of the unknown there; None where that is not known."""
    near = solved.outcome.nearest()
    if near is None:
        return None
    quantity = solved.question.compared[near.name]
    compared = Result(near.name, quantity.letter, quantity.unit, near.value)
    at = near.at.replace("_", "-") if isinstance(near.at, str) else amount(near.at, unit)
    return {"sense": near.sense, "quantity": result(compared), "at": at}


def _end(x: Edge | None, unit: Unit) -> Data | None:
    if x is None:
        return None
    data = amount(close_to(x, DIGITS), unit)
    if not isinstance(x, Root):
        return data
    text = f"{x.form} {unit.name}".rstrip() if x.form and unit.worth == 1 else ""
    return data | {"exact": None, "text": text or ABOUT + data["text"].removeprefix(ABOUT)}
