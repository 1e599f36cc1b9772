"""Find by equations: the search, its answer with what it rests on, and the other readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.ask.find.answer import Sought, answer
from ddcalc.ask.find.asked import Asked
from ddcalc.ask.find.found import Found, Other, Outcome
from ddcalc.ask.find.model import Model, model
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.search import MOST, SECONDS, search
from ddcalc.ask.find.telling import Telling
from ddcalc.ask.find.verdict import Verdict
from ddcalc.ask.restate import restated
from ddcalc.ask.solve import Derivation, Reading, Result
from ddcalc.errors import BadValue, NoAnswer, OverLimit
from ddcalc.numbers.number import Number
from ddcalc.problem.plan import EquationPlan, plan
from ddcalc.problem.quantity import Given

ASIDE = 2_000  # pieces that are looked at for what stands beside the answer
ONE_SECOND = 1.0  # that this may take


def find(asked: Asked) -> Found:
    """The values of a given for which the relations hold, proved.

    Raises OverLimit where the search is given up before the answer is known.
    """
    made = plan(asked.stated.problem, asked.stated.shape)
    modelled, verdict = _verdict(asked, made, MOST, SECONDS)
    value = verdict.answer.value
    outcome = Outcome(
        value=value,
        says=verdict.says,
        proof=verdict.proof(),
        steps=Telling(asked, made, modelled, verdict).steps,
        solutions=verdict.sought.solutions,
        kind=verdict.answer.kind,
        end=verdict.answer.end,
        complete=verdict.sought.complete,
        others=lambda: _others(asked, made, verdict.sought),
    )
    return Found(asked, outcome, _at(asked, value))


def soon(asked: Asked) -> Sought:
    """All solutions, as far as they are found in a second; raises BadValue as the search does."""
    made = plan(asked.stated.problem, asked.stated.shape)
    unknown = asked.unknown
    assert isinstance(unknown, Given)
    return search(_model(asked, made, unknown), ASIDE, ONE_SECOND)


def _at(asked: Asked, value: Number | None) -> Derivation | None:
    """The question with the answer put in; None where there is no answer, or no value at it."""
    if value is None:
        return None
    try:
        return Derivation(restated(asked.stated, {asked.unknown.name: value}))
    except NoAnswer:  # something else is out of reach there
        return None


def _verdict(asked: Asked, made: EquationPlan, most: int, seconds: float) -> tuple[Model, Verdict]:
    """The search with the equations that were *made*; OverLimit where its answer is not known."""
    unknown = asked.unknown
    assert isinstance(unknown, Given)
    modelled = _model(asked, made, unknown)
    sought = search(modelled, most, seconds)
    admitted = _admitted(modelled)
    verdict = Verdict(unknown, admitted, sought, answer(sought, admitted), modelled.idle)
    if not _is_known(sought):
        raise OverLimit(verdict.given_up()).about("where")
    return modelled, verdict


def _model(asked: Asked, made: EquationPlan, unknown: Given) -> Model:
    """What the search needs of the equations that were *made*."""
    given = dict(zip(made.givens, asked.stated.numbers(), strict=True))
    del given[unknown.letter]
    return model(made, unknown, given, asked.relations)


def _admitted(modelled: Model) -> tuple[Piece, ...]:
    """The values that the conditions of the type admit, as far as that is found out soon."""
    if not modelled.conditions:
        return (modelled.domain,)
    free = search(replace(modelled, goals=(), lines=()), ASIDE, ONE_SECOND)
    return free.solutions if free.complete and free.solutions else (modelled.domain,)


def _is_known(sought: Sought) -> bool:
    """Whether nothing is left open before the first solution."""
    if not sought.open:
        return True
    if not sought.solutions:
        return False
    first, left = sought.solutions[0].low, sought.open[0].low
    return left is not None and (first is None or first < left)


def _others(asked: Asked, made: EquationPlan, sought: Sought) -> Iterator[Other]:
    """The answers with one choice changed, where the solutions differ."""
    unknown = asked.unknown
    assert isinstance(unknown, Given)
    letters = {relation.letter for relation in asked.relations}
    for name, option, other in made.neighbours:
        if not letters <= {*other.givens, *(line.symbol for line in other.lines)}:
            continue  # what is compared is not part of this reading
        restated_ = replace(asked, stated=replace(asked.stated, shape=other.problem.shape))
        try:
            _, verdict = _verdict(restated_, other, ASIDE, ONE_SECOND)
        except (BadValue, NoAnswer, OverLimit):
            continue  # this reading does not admit the question
        if verdict.sought.solutions != sought.solutions:
            says = asked.stated.problem.choices[name].options[option]
            value = verdict.answer.value
            result = Result(unknown.name, unknown.letter, unknown.unit, value)
            yield Other(Reading(name, option, says, result), verdict.in_short)
