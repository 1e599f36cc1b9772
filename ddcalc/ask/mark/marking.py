"""The answers of one student to one question, marked in the order of the derivation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ddcalc.ask.mark import solutions
from ddcalc.ask.mark.allowed import Allowed, unit_of
from ddcalc.ask.mark.judge import Judged, judged
from ddcalc.ask.mark.mark import Answer, Mark, Spelt
from ddcalc.ask.mark.otherwise import member
from ddcalc.ask.mark.own import Own
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.readings import deed, meant
from ddcalc.ask.mark.slip import Slip
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Result
from ddcalc.formula.expression import Expr
from ddcalc.numbers.number import plain, product
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import Quantity

_AS_USUAL = Allowed()
_WORST = ("wrong", "unit", "follows", "rounded", "right")


def marks(
    question: Question, answers: Mapping[str, Answer], allowed: Mapping[str, Allowed]
) -> Iterator[Mark]:
    """The marks of *answers* by name of quantity; *allowed* says what the sheet asks of each."""
    own = Own(question)
    for name, right in question.results.items():
        if name in answers:
            answer, asked = answers[name], allowed.get(name, _AS_USUAL)
            mark = _mark(question, name, right, answer, asked, own)
            yield solutions.judged(question, mark, answer, asked)


def _mark(
    question: Question,
    name: str,
    right: Result | tuple[Result, ...],
    answer: Answer,
    allowed: Allowed,
    own: Own,
) -> Mark:
    if isinstance(answer, Spelt):
        return _spelt(question, name, right, answer)
    quantity = question.problem.quantities[name]
    if isinstance(right, tuple) and isinstance(answer, tuple):
        return _listed(question, quantity, right, answer, allowed, own)
    if isinstance(answer, tuple) or isinstance(right, tuple):
        told = ", ".join(each.text for each in answer) if isinstance(answer, tuple) else answer.text
        wanted = (
            f"a list of {len(right)} is asked" if isinstance(right, tuple) else "one value is asked"
        )
        return Mark(name, told, right, "wrong", (wanted,))
    found = _judged(question, quantity, right, answer, allowed, own, None)
    unit = unit_of(answer, quantity.unit, allowed)
    return _marked(name, answer.text, right, found, unit)


def _judged(
    question: Question,
    quantity: Quantity,
    right: Result,
    answer: Written,
    allowed: Allowed,
    own: Own,
    at: int | None,
) -> Judged:
    """The verdict on a number, which is noted among the student's own results."""
    if right.value is None or isinstance(right.value, Expr):
        return Judged("wrong", ("it has no value",) if right.value is None else ())
    target = Target(quantity, right.symbol, plain(right.value), at)
    found = judged(question, target, answer, allowed, own)
    unit = unit_of(answer, target.unit, allowed)
    if unit is not None and found.verdict != "right":
        own.add(target, product(answer.number, unit.worth), unit, found.verdict != "rounded")
    return found


def _listed(
    question: Question,
    quantity: Quantity,
    right: tuple[Result, ...],
    answer: tuple[Written, ...],
    allowed: Allowed,
    own: Own,
) -> Mark:
    """The mark of a list: that of its first worst member."""
    told = ", ".join(each.text for each in answer)
    if len(answer) != len(right):
        asked = f"it lists {len(answer)} values; {len(right)} are asked"
        return Mark(quantity.name, told, right, "wrong", (asked,))
    found = [
        _judged(question, quantity, one, each, allowed, own, i)
        for i, (one, each) in enumerate(zip(right, answer, strict=True), 1)
    ]
    worst = min(range(len(found)), key=lambda i: _WORST.index(found[i].verdict))
    unit = unit_of(answer[worst], quantity.unit, allowed)
    return _marked(quantity.name, told, right, found[worst], unit, worst + 1)


def _marked(
    name: str,
    stated: str,
    right: Result | tuple[Result, ...],
    found: Judged,
    unit: Unit | None,
    at: int | None = None,
) -> Mark:
    return Mark(
        name,
        stated,
        right,
        found.verdict,
        found.brief,
        found.slips,
        found.sure,
        found.two,
        at,
        None if found.verdict == "unit" else unit,
    )


def _spelt(
    question: Question, name: str, right: Result | tuple[Result, ...], answer: Spelt
) -> Mark:
    """The mark of a formula or of "no value": right, another reading's, or wrong."""
    if answer.agrees(None if isinstance(right, tuple) else right.value):
        return Mark(name, answer.text, right, "right")
    slips = tuple(
        Slip("reading", deed(question, other), 0, why=meant(question, other.choice))
        for other in question.otherwise
        if name in other.values and answer.agrees(member(other.values[name], None))
    )
    return Mark(name, answer.text, right, "wrong", slips=slips, sure=False)
