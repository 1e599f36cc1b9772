"""How near what is compared comes to its bound where nothing fits: its least or greatest value, by
further searches, each for a better one than is known; or among what was tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from ddcalc.ask.find.branching import SearchModel, search
from ddcalc.ask.find.inverse import Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Root
from ddcalc.formula.expression import Known, Num, Number, Rel, Sym
from ddcalc.numbers.irrational import Approximate, OutOfReach

PIECES, WORK = 2_000, 50_000  # of the number line that each search may look at, and its work
SEARCHES = 100

Sense = Literal["least", "greatest"]


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
    letter, known, goals = Sym(relation.letter), dict[Number, Number](), others
    for _ in range(SEARCHES):
        try:
            sought = search(replace(searched, goals=goals), PIECES, WORK)
            if not sought.complete:
                return None
            if not sought.solutions:
                break
            values = {
                x: (searched.at(x) or {}).get(letter.name) for x in _examples(sought.solutions)
            }
        except (DdcalcError, OutOfReach):
            return None
        known = {x: y for x, y in values.items() if y is not None and type(y) is not Approximate}
        if not known:
            return None
        at = (min if sense == "least" else max)(known, key=known.__getitem__)
        goals = (*others, Rel("<" if sense == "least" else ">", letter, Num(known[at])))
    else:
        return None
    return Nearest(relation.name, sense, known[at], at) if known else None


def _examples(pieces: Sequence[Piece]) -> Iterator[Number]:
    """Numbers in *pieces*: rational ends, and some between them."""
    for piece in pieces[:50]:
        ends = [piece.low] * piece.low_in + [piece.high] * piece.high_in
        yield from (end for end in ends if end is not None and not isinstance(end, Root))
        if not piece.is_point:
            sample = Fraction(piece.sample())
            if piece.whole and piece.low is not None and piece.high is not None:
                sample = Fraction((piece.low + piece.high) // 2)  # type: ignore[operator]
            yield int(sample) if piece.whole else sample
