"""How near what is compared comes to its bound: its least or greatest value, found by further
searches, each for a value that is better than the one known; the limit that it comes ever closer
to where there is none; or among what was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from ddcalc.ask.find.branching import SearchModel, search
from ddcalc.ask.find.inverse import Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.quotients import NoQuotient, Quotients, Undecided, Undefined
from ddcalc.ask.find.wording import Nearest, Sense
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Root, at_most
from ddcalc.formula.expression import Num, Number, Operator, Rel, Sym
from ddcalc.numbers.irrational import Approximate, OutOfReach

PIECES = 2_000  # of the number line that each search may look at
WORK = 200_000  # that all searches together may take
SEARCHES = 100
SPLITS = 20  # towards an end, until the formulas are quotients there
BETTER: Final[Mapping[Sense, Operator]] = {"least": "<", "greatest": ">"}
BEST: Final[Mapping[Sense, Operator]] = {"least": "<=", "greatest": ">="}


def nearest(
    searched: SearchModel, relations: Sequence[Relation], *, together: bool = True
) -> Nearest | None:
    """Why no number that is *searched* satisfies the *relations*: the value that is nearest to the
    bound of one of them, among the numbers that satisfy the others (or, if not *together*, among
    all). None where that is on both sides of the bound, or not known soon."""
    for relation in (one for one in relations if one.other is None):
        others = [one.formula for one in relations if together and one is not relation]
        senses: tuple[Sense, ...] = ("least", "greatest")
        if relation.op != "==":
            senses = ("least",) if "<" in relation.op else ("greatest",)
        for sense in senses:
            known = outermost(searched, relation, sense, others)
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


def outermost(
    searched: SearchModel, relation: Relation, sense: Sense, others: Sequence[Rel] = ()
) -> Nearest | None:
    """The *least* or *greatest* value of what *relation* compares, among the numbers that satisfy
    the *others*, or the limit of that; None where it has none, or it is not soon known."""
    letter, better = Sym(relation.letter), BETTER[sense]
    if letter.name not in searched.live:
        return None
    best, goals, left = None, tuple(others), WORK
    limits: set[Number] = set()  # that were looked at
    for _ in range(SEARCHES):
        pieces, left = _solutions(searched, goals, left)
        if not pieces:
            break
        for limit, end in _limits(searched, pieces, letter.name):
            if limit not in limits:
                limits.add(limit)
                reaching = Rel(BEST[sense], letter, Num(limit))
                beyond, left = _solutions(searched, (*others, reaching), left)
                if beyond == ():
                    return Nearest(relation.name, sense, limit, (), end, reached=False)
        values = [_at(searched, x, letter.name) for x in _candidates(pieces)]
        numbers = [x for x in values if x is not None and type(x) is not Approximate]
        if not numbers:
            return None
        best = min(numbers) if sense == "least" else max(numbers)
        goals = (*others, Rel(better, letter, Num(best)))
    if best is None or pieces is None or pieces:
        return None
    where, _ = _solutions(searched, (*others, Rel("==", letter, Num(best))), left + WORK)
    at = next(_candidates(where or ()), None)
    if not where or at is None:
        return None
    return Nearest(relation.name, sense, best, where, at)


def _solutions(
    searched: SearchModel, goals: tuple[Rel, ...], work: int
) -> tuple[tuple[Piece, ...] | None, int]:
    """All numbers that satisfy the *goals*, None where so much *work* does not tell them; and what
    is left of it."""
    if not (goals or searched.conditions):
        return (searched.domain,), work
    model = replace(searched, goals=goals)
    try:
        sought = search(model, PIECES, work)
    except DdcalcError:
        return None, 0
    return sought.solutions if sought.complete else None, work - sought.examined * model.work


def _limits(
    searched: SearchModel, pieces: Sequence[Piece], letter: str
) -> Iterator[tuple[Number, Number | None]]:
    """What *letter* tends to towards those ends of *pieces* that do not belong to them, and the
    ends (None: without end)."""
    for piece in (pieces[0], pieces[-1]):
        for upper in (False, True):
            end, reached = (piece.high, piece.high_in) if upper else (piece.low, piece.low_in)
            if isinstance(end, Root) or (reached and end is not None):
                continue
            limit = _towards(searched, piece, letter, upper=upper)
            if limit is not None:
                yield limit, end


def _towards(searched: SearchModel, piece: Piece, letter: str, *, upper: bool) -> Number | None:
    """What *letter* tends to towards the *upper* or the lower end of *piece*, where it is a
    quotient of polynomials near that; else None."""
    rules = {line.letter: line.formula for line in searched.lines}
    for _ in range(SPLITS):
        try:
            known = Quotients(piece, searched.letter, rules).letter(letter)
        except Undecided as undecided:
            piece = [*piece.split(undecided.at)][-1 if upper else 0]
        except (NoQuotient, Undefined):
            return None
        else:
            end = piece.high if upper else piece.low
            assert not isinstance(end, Root)
            return None if known is None else known.value_towards(end)
    return None


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


def _candidates(pieces: Sequence[Piece]) -> Iterator[Number]:
    """Numbers in *pieces*: rational ends, and some between them."""
    for piece in pieces[:50]:
        low, high = piece.low, piece.high
        if low is not None and not isinstance(low, Root) and piece.low_in:
            yield low
        if high is not None and not isinstance(high, Root) and piece.high_in:
            yield high
        if piece.is_point:
            continue
        if low is not None and high is not None:
            middle = (Fraction(at_most(low)) + Fraction(at_most(high))) / 2
        elif low is not None:
            middle = 2 * Fraction(at_most(low)) + 1
        else:
            middle = Fraction(piece.sample())
        between = middle // 1 if piece.whole else middle
        if between in piece:
            yield int(between) if piece.whole else between
