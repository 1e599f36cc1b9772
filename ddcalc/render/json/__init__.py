"""Solved problems as plain data, ready for JSON: the contract that scripts rely on.

Numbers stand twice in their ``unit``: ``value`` as a float, ``exact`` as a fraction. What they are,
for every format and verb, is decided by :func:`amount` alone; so they always agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, Result, singles
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.units import PERCENT, Unit
from ddcalc.problem.quantity import Choice
from ddcalc.problem.stated_formulas import NOTED
from ddcalc.render import story
from ddcalc.render.json.step_data import Data, amount, fields, plain, result, step
from ddcalc.render.parts import few_words
from ddcalc.render.story import value_text

if TYPE_CHECKING:
    from ddcalc.files.answers import Check
    from ddcalc.files.solved import Solved

SCHEMA_VERSION = 1
DIGITS = 20  # of an irrational end, before it becomes a float
NAME = 200  # characters of a name that a question made up


def derivation(
    solved: Derivation,
    steps: bool,
    unit: Unit | None = None,
    checks: Sequence[Check] = (),
    limits: Sequence[Check] = (),
) -> Data:
    """The object of a solved problem, with its *steps* if wanted, its *checks* and *limits*."""
    wanted, stated = solved.stated.shape.wanted, solved.stated
    data: Data = {
        "problem": solved.problem.slug,
        "id": None,
        "file": None,
        "status": "solved",
        "answer": _answer(solved, unit, limits),
        "quantities": {
            name: plain(value, unit if name == solved.answer.name else None)
            for name, value in solved.quantities.items()
            if name in (wanted or solved.quantities) and name not in NOTED.values()
        },
        **fields(solved, "assumptions readings unused", unit),
        "checks": [*map(_check, checks)],
    }
    if limits:
        data["limits"] = [*map(_check, limits)]
    if stated.filled:
        told = "option=slot preset=preset.name title=preset.title fact=name text=fact.text"
        data["presets"] = {
            name: fields(one, f"{told} source=fact.source")
            | {"format": one.number_format or None, "note": one.preset.note or None}
            for name, one in stated.filled.items()
        }
    if isinstance(solved, Inversion):
        data["find"] = _search(solved, unit)
    if steps:
        data |= {} if isinstance(solved, Inversion) else _commentary(solved, unit)
        shown = solved.shown_steps() if wanted else solved.steps
        data["steps"] = [step(x) for x in shown if getattr(x, "name", "") not in NOTED.values()]
    return data


def _answer(solved: Derivation, unit: Unit | None = None, limits: Sequence[Check] = ()) -> Data:
    """What is asked for, with the sentence that says it, and whether the *limits* are met."""
    says = " ".join((story.says(solved, unit), *(story.met(one, solved.problem) for one in limits)))
    return result(solved.answer, unit) | {"says": says}


def _commentary(solved: Derivation, unit: Unit | None) -> Data:
    """What is said beside the steps."""
    beside = solved.commentary(unit)
    shares = solved.shares if solved.problem.sequential else ()
    each = ((check, story.checked(check, solved)) for check in beside.checks)
    sides = [(check, " ".join(f"{x.sign} {x.what}" for x in every)) for check, every in each]
    return {
        "mechanism": beside.mechanism,
        "checks_made": [f"{story.spoken(check.words)}: {made.strip()}" for check, made in sides],
        "insights": [*map(story.spoken, beside.insights)],
        "shares": [{"group": one.group, **amount(one.part, PERCENT)} for one in shares],
        "premises": [story.premise(premise, solved.problem) for premise in beside.premises],
    }


def solved_problem(done: Solved, steps: bool) -> Data:
    """The object of a problem from a file, or of a part of one, solved or not; a question of parts
    has theirs, and a part for several values side by side those of its cases."""
    question = done.question
    named = {"id": question.id, "file": clean(question.file)}

    def solved(case: Derivation, checks: Sequence[Check], limits: Sequence[Check]) -> Data:
        return derivation(case, steps, None, checks, limits) | named

    head: Data = {"problem": None, **named, "status": "solved"}
    data = _whole(done, head, lambda part: solved_problem(part, steps), solved)
    data |= {"title": clean(question.title, TITLE)} if question.title else {}
    return data | ({"source": clean(question.source)} if question.source else {})


def answered_problem(done: Solved) -> Data:
    """The answers of a problem from a file alone, and its checks and limits where it states some;
    of one that is not solved all that is wrong."""

    def answered(case: Derivation, checks: Sequence[Check], limits: Sequence[Check]) -> Data:
        held = {"checks": checks, "limits": limits}
        beside = {name: [*map(_check, listed)] for name, listed in held.items() if listed}
        is_plain = isinstance(case.answer.value, Number) and not (limits or case.at is not case)
        answer = result(case.answer) if is_plain else _answer(case, None, limits)  # or in words
        return {"answer": answer} | beside

    return _whole(done, {"id": done.question.id, "status": "solved"}, answered_problem, answered)


def _whole(
    done: Solved,
    head: Data,
    part: Callable[[Solved], Data],
    case: Callable[[Derivation, Sequence[Check], Sequence[Check]], Data],
) -> Data:
    """The *head* of a problem with the object of each *part*, which stay where some of them have
    errors, or with that of its first *case*, and of all where there are several."""
    question = done.question
    if not done.answered or not (done.parts or done.derivation):
        head = failed(done.errors, question.kind, question.id, question.file)
        if not done.parts:
            return head
    is_plain = len(done.cases) == 1 and not question.is_silent
    said = {} if is_plain else {"says": " ".join(few_words.says(done))}
    if done.parts:
        return head | {"parts": [*map(part, done.parts)], "answer": said}
    each = enumerate(done.cases)
    cases = [case(x, done.of_case(i, done.checks), done.of_case(i, done.limits)) for i, x in each]
    several = {"cases": cases} if cases[1:] else {}
    return head | cases[0] | several | {"answer": cases[0]["answer"] | said}


def failed(
    errors: Sequence[DdcalcError],
    problem: str | None = None,
    name: str | None = None,
    file: str | None = None,
) -> Data:
    """The object of a problem that could not be solved; ``error`` is the first of ``errors``."""
    listed = [_error(single) for error in errors for single in error.singles()]
    return {
        "problem": problem and clean(problem, NAME),
        "id": name,
        "file": file and clean(file),
        "status": "error",
        "error": listed[0],
        "errors": listed,
    }


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


def _check(check: Check) -> Data:
    derived = ", ".join(value_text(one.value, one.unit) for one in singles(check.derived))
    data = {"name": check.name, "stated": clean(check.stated, NAME), "derived": derived}
    return data | fields(check, "agrees ours says" if check.says else "agrees ours")


def _error(error: DdcalcError) -> Data:
    place = error.place if error.place and error.place.file else None  # not one in a formula
    return {
        "kind": error.kind,
        "file": place and clean(place.file),
        "line": (place and place.line) or None,
        "column": (place and place.column) or None,
        "parameter": error.parameter and clean(error.parameter, NAME),
        "message": clean(str(error)),
    }


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
    """The value of what is compared that is nearest to its bound, and the value of the unknown
    there; None where that is not known."""
    near = solved.outcome.nearest
    if near is None or not near.is_reached:
        return None
    quantity = solved.question.compared[near.relation.name]
    compared = Result(quantity.name, quantity.letter, quantity.unit, near.value)
    return {"sense": near.sense, "quantity": result(compared), "at": amount(near.at, unit)}


def _end(x: Edge | None, unit: Unit) -> Data | None:
    if x is None:
        return None
    data = amount(close_to(x, DIGITS), unit)
    if not isinstance(x, Root):
        return data
    return data | {"exact": None, "text": ABOUT + data["text"].removeprefix(ABOUT)}
