"""How near what is compared comes to its bound where nothing fits: its least or greatest value, by
further searches, each for a better one than is known; or among what was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from ddcalc.ask.find.branching import SearchModel, search
from ddcalc.ask.find.inverse import Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Root
from ddcalc.formula.expression import Num, Number, Rel, Sym
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


def nearest(searched: SearchModel, relations: Sequence[Relation]) -> Nearest | None:
    """Why no number that is *searched* satisfies the *relations*: the value that is nearest to the
    bound of one of them, among the numbers that satisfy the others. None where that is on both
    sides of the bound, is a limit that no number reaches, or is not known soon."""
    for relation in relations:
        if relation.other is not None or relation.letter not in searched.live:
            continue
        others = tuple(one.formula for one in relations if one is not relation)
        for sense in _senses(relation):
            known = outermost(searched, relation, sense, others)
            if known is not None and _beyond(relation, known.value, sense):
                return known
    return None


def nearest_tried(
    relations: Sequence[Relation], tried: Mapping[Any, Mapping[str, Number | None]]
) -> Nearest | None:
    """The same among the numbers or options that were *tried*, with what is compared there."""
    for relation in (one for one in relations if one.other is None):
        others = [one for one in relations if one is not relation]
        values = {
            at: value
            for at, known in tried.items()
            if (value := known[relation.name]) is not None
            and all(one.holds_among(known) for one in others)
        }
        for sense in _senses(relation) if values else ():
            at = (min if sense == "least" else max)(values, key=values.__getitem__)
            if _beyond(relation, values[at], sense):
                return Nearest(relation.name, sense, values[at], at)
    return None


def _senses(relation: Relation) -> Sequence[Sense]:
    if relation.op == "==":
        return "least", "greatest"
    return ("least",) if "<" in relation.op else ("greatest",)


def _beyond(relation: Relation, value: Number, sense: Sense) -> bool:
    """Whether the outermost *value* is on the wrong side of the bound, so that all others are."""
    bound = relation.bound.value
    return not relation.holds(value) and (value >= bound if sense == "least" else value <= bound)


def outermost(
    searched: SearchModel, relation: Relation, sense: Sense, others: tuple[Rel, ...]
) -> Nearest | None:
    """The *least* or *greatest* value of what *relation* compares, among the numbers that satisfy
    the *others*; None where it has none, or it is not soon known."""
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
