"""How near what is compared comes to its bound where nothing fits: its least or greatest value, by
further searches, each for a better one than is known; the limit that it comes ever closer to where
there is none; or among what was tried."""

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
CUTS = 20  # towards an end, until nothing changes any more before it

Sense = Literal["least", "greatest"]


@dataclass(frozen=True, slots=True)
class Nearest:
    """The *least* or *greatest* *value* that quantity *name* takes, *where*, and *at* which number
    (or option) for example; if it is not *reached*, its limit towards that number, or without
    end."""

    name: str
    sense: Sense
    value: Number
    where: Sequence[Piece]
    at: Number | str | None
    reached: bool = True


def nearest(searched: SearchModel, relations: Sequence[Relation]) -> Nearest | None:
    """Why no number that is *searched* satisfies the *relations*: the value that is nearest to the
    bound of one of them, among the numbers that satisfy the others. None where that is on both
    sides of the bound, or not known soon."""
    for relation in (one for one in relations if one.other is None):
        if relation.letter not in searched.live:
            continue
        others = tuple(one.formula for one in relations if one is not relation)
        senses: tuple[Sense, ...] = ("least", "greatest")
        if relation.op != "==":
            senses = ("least",) if "<" in relation.op else ("greatest",)
        for sense in senses:
            known = _outermost(searched, relation, sense, others)
            if known is not None and _fails(relation, known):
                return known
    return None


def nearest_tried(
    relations: Sequence[Relation], tried: Mapping[Any, Mapping[str, Number | None]]
) -> Nearest | None:
    """What comes nearest to the first of *relations* that the others admit, among the numbers or
    options that were *tried*, with what is compared there; None if that is not one-sided."""
    for relation in (one for one in relations if one.other is None):
        others = [one for one in relations if one is not relation]
        values = {
            at: value
            for at, known in tried.items()
            if (value := known[relation.name]) is not None
            and all(one.holds_among(known) for one in others)
        }
        if not values:
            continue
        above = all(value >= relation.bound.value for value in values.values())
        if not above and any(value > relation.bound.value for value in values.values()):
            return None
        at = (min if above else max)(values, key=values.__getitem__)
        where = () if isinstance(at, str) else (Piece(at, at),)
        return Nearest(relation.name, "least" if above else "greatest", values[at], where, at)
    return None


def _outermost(
    searched: SearchModel, relation: Relation, sense: Sense, others: tuple[Rel, ...]
) -> Nearest | None:
    """The *least* or *greatest* value of what *relation* compares, among the numbers that satisfy
    the *others*, or the limit of that; None where it has none, or it is not soon known."""
    letter = Sym(relation.letter)
    best: Number | None = None
    goals = others
    for _ in range(SEARCHES):
        pieces = _solutions(searched, goals)
        if not pieces:
            break
        for limit, end in _limits(searched, pieces, letter.name):
            reaching = Rel("<=" if sense == "least" else ">=", letter, Num(limit))
            if _solutions(searched, (*others, reaching)) == ():
                return Nearest(relation.name, sense, limit, (), end, reached=False)
        values = [value for x in _examples(pieces) if (value := _at(searched, x, letter.name))]
        exact = [value for value in values if type(value) is not Approximate]
        if not exact:
            return None
        best = min(exact) if sense == "least" else max(exact)
        goals = (*others, Rel("<" if sense == "least" else ">", letter, Num(best)))
    if best is None or pieces != ():
        return None
    where = _solutions(searched, (*others, Rel("==", letter, Num(best)))) or ()
    at = next(_examples(where), None)
    return None if at is None else Nearest(relation.name, sense, best, where, at)


def _solutions(searched: SearchModel, goals: tuple[Rel, ...]) -> tuple[Piece, ...] | None:
    """All numbers that satisfy the *goals*; None where they are not soon known."""
    try:
        sought = search(replace(searched, goals=goals), PIECES, WORK)
    except DdcalcError:
        return None
    return sought.solutions if sought.complete else None


def _limits(
    searched: SearchModel, pieces: Sequence[Piece], letter: str
) -> Iterator[tuple[Number, Number | None]]:
    """What *letter* tends to towards those outer ends of *pieces* that do not belong to them, and
    the ends (None: without end)."""
    from ddcalc.ask.find.settled import Cut, Settled, Undefined, Unsettled

    first, last = pieces[0], pieces[-1]
    ends = [(first, first.low, first.low_in, 0), (last, last.high, last.high_in, -1)]
    for piece, end, reached, side in ends:
        if isinstance(end, Root) or (reached and end is not None):
            continue
        for _ in range(CUTS):
            try:
                settled = Settled(piece, searched.letter, searched.rules, searched.known)
                limit = settled.limit(letter, end)
            except Cut as cut:
                piece = [*piece.split(cut.at)][side]
            except (Undefined, Unsettled):
                break
            else:
                if limit is not None:
                    yield limit, end
                break


def _fails(relation: Relation, known: Nearest) -> bool:
    """Whether *relation* fails for all values, of which the outermost is *known*."""
    if known.reached and relation.holds(known.value):
        return False
    above = known.value >= relation.bound.value
    return above if known.sense == "least" else known.value <= relation.bound.value


def _at(searched: SearchModel, x: Number, letter: str) -> Number | None:
    try:
        return (searched.at(x) or {}).get(letter)
    except OutOfReach:
        return None


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
