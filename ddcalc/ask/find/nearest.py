"""How near what is compared comes to its bound where nothing fits: its least or greatest value, of
all or among what was tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ddcalc.ask.find.best import Best, Sense
from ddcalc.ask.find.branching import SearchModel
from ddcalc.ask.find.inverse import Relation
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Known, Number
from ddcalc.numbers.irrational import Approximate, OutOfReach

PIECES, WORK = 2_000, 50_000  # of the number line that is looked at, and the work


@dataclass(frozen=True, slots=True)
class Nearest:
    """The *least* or *greatest* *value* that quantity *name* takes, *at* which number (or option)
    for example."""

    name: str
    sense: Sense
    value: Number
    at: Number | str


def nearest(
    relations: Sequence[Relation], outermost: Callable[[Relation, Sense], Nearest | None]
) -> Nearest | None:
    """Why no number satisfies the *relations*: the value nearest to the bound of one of them, among
    the numbers that satisfy the others, of which *outermost* says the least or the greatest. None
    where that is on both sides of the bound, is a limit that no number reaches, or is not known."""
    for relation in (one for one in relations if one.other is None):
        equal = relation.op == "=="
        senses: dict[Sense, bool] = {
            "least": equal or "<" in relation.op, "greatest": equal or ">" in relation.op
        }  # fmt: skip
        for sense in (sense for sense, counts in senses.items() if counts):
            known, bound = outermost(relation, sense), relation.bound.value
            if known is None or relation.holds(known.value):
                continue
            if known.value >= bound if sense == "least" else known.value <= bound:
                return known
    return None


def outermost_tried(
    relations: Sequence[Relation],
    tried: Mapping[Any, Known],
    relation: Relation,
    sense: Sense,
) -> Nearest | None:
    """The *least* or *greatest* value of what *relation* compares, among the numbers or options
    that were *tried* and satisfy the others of the *relations*."""
    values = {
        at: value
        for at, known in tried.items()
        if (value := known[relation.name]) is not None
        and all(one is relation or one.holds_among(known) for one in relations)
    }
    at = (min if sense == "least" else max)(values, key=values.__getitem__, default=None)
    return None if at is None else Nearest(relation.name, sense, values[at], at)


def outermost(
    searched: SearchModel, relations: Sequence[Relation], relation: Relation, sense: Sense
) -> Nearest | None:
    """The same among all numbers that can be *searched*; None where it has no such value, does not
    rest on the unknown, or is not soon known."""
    if relation.letter not in searched.live:
        return None
    others = tuple(one.formula for one in relations if one is not relation)
    best = Best(replace(searched, goals=others), relation.letter, sense)
    try:
        if not best.run(PIECES, WORK).complete:
            return None
    except (DdcalcError, OutOfReach):
        return None
    if best.value is None or isinstance(best.value, Approximate):
        return None
    return Nearest(relation.name, sense, best.value, best.at)
