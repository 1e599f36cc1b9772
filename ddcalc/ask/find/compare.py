"""Both sides of a relation with the numbers of one value of the unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddcalc.ask.find.relation import Relation, holds
from ddcalc.ask.find.words import amount, in_unit
from ddcalc.formula.expression import Expr, Num, Number, Rel, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.display import lead
from ddcalc.numbers.units import Unit
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import Compare, Define, Solve


@dataclass(frozen=True, slots=True)
class Side:
    """What is compared: a *formula* with its *numbers*, and the *unit* in which it comes out."""

    formula: Expr
    numbers: Mapping[str, Number]
    unit: Unit


def compared(
    relation: Relation, unknown: Given, at: Number, explanation: Explanation
) -> Iterator[Compare]:
    """*relation* where the *unknown* is worth *at* and *explanation* knows all values.

    Nothing where what is compared has no value there.
    """
    left = explanation.known[relation.letter]
    if left is not None:
        yield comparison(relation, unknown, at, left, _side(relation, explanation))


def comparison(relation: Relation, unknown: Given, at: Number, left: Number, side: Side) -> Compare:
    """*relation* where the *unknown* is worth *at* and its left *side* is worth *left*."""
    bound = relation.bound.value
    true = holds(relation.op, left, bound)
    return Compare(
        title=f"{letter(unknown.letter)} = {amount(at, unknown.unit)}",
        why=("holds" if true else "fails") + lead(left, bound, side.unit),
        relation=Rel(relation.op, side.formula, Num(in_unit(bound, side.unit))),
        symbol=unknown.letter,
        at=at,
        numbers=side.numbers,
        left=left,
        right=bound,
        unit=side.unit,
        holds=true,
    )


def letter_side(relation: Relation, unit: Unit) -> Side:
    """The letter alone, told in *unit*."""
    return Side(Sym(relation.letter), {}, unit)


def _side(relation: Relation, explanation: Explanation) -> Side:
    for step in explanation.steps({relation.name}):
        if isinstance(step, Define):
            return Side(step.applied, step.numbers, step.direct)
        if isinstance(step, Solve):
            return Side(step.formula, step.numbers, step.direct)
    return letter_side(relation, explanation.units[relation.letter])
