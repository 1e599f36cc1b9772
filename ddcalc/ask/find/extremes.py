"""The least or greatest value of a letter where everything holds: of whole numbers by branch and
bound, which looks for a better one than is known until nothing is left; of others where the slope
is 0, and at ends. Where nothing fits, that is what comes nearest to its bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import floor, inf
from typing import Final

from ddcalc.ask.find.branching import (
    ASIDE,
    WORK,
    NotSolved,
    Search,
    SearchModel,
    Sought,
)
from ddcalc.ask.find.inverse import InverseQuestion, Relation, Sense
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import Nearest, given_up
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.formula.algebraic import close_to
from ddcalc.formula.expression import (
    Num,
    Number,
    Operator,
    Rel,
    Sym,
)
from ddcalc.numbers.amounts import amount
from ddcalc.numbers.irrational import Approximate, OutOfReach

WITHIN: Final[dict[Sense, Operator]] = {"least": "<=", "greatest": ">="}
DIGITS: Final = 40  # of a place that is irrational
COLUMNS: Final = 4  # of the table of neighbours, beside the number itself and what else must hold
REACH: Final = 1_000  # how far away a neighbour is that the question admits
FACTORS: Final = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), 2)  # of others than whole ones
NEAR: Final = Fraction(1, 10**30)  # of a rounded value: those that are nearer are the same
STRICT: Final[dict[Sense, Operator]] = {"least": "<", "greatest": ">"}


class Extreme(Search):
    """Looks for the *sense* value of *letter* where the goals of *model* hold: *value*, *at* a
    number for example. Its solutions are all places that have it.

    In a piece in which nothing jumps these are ends, or where the slope is 0. Of whole numbers what
    is worse than one that is known is a piece that fails.
    """

    def __init__(self, model: SearchModel, letter: str, sense: Sense) -> None:
        super().__init__(model)
        self.goals, self.letter, self.sense = model.goals, letter, sense
        self.value: Number | None = None
        self.at: Number = 0
        self.limits: list[Fraction | float] = []  # of ends that are missing

    @property
    def is_reached(self) -> bool:
        """Whether no limit that nothing reaches is better."""
        return not any(self._gain(one) > self._margin for one in self.limits)

    def found(self, piece: Piece) -> None:
        if piece.number is not None:
            self._offer(piece.number, piece)
            return
        if piece.whole:
            self._offer(floor(piece.middle()))
        form, flat = self.settled(piece).turning(self.letter)
        if not form.free_symbols and not piece.is_point:
            self._offer(piece.sample(), piece)
            return
        from ddcalc.formula.zeros import limit

        ends = [piece.low] * piece.low_in + [piece.high] * piece.high_in
        places: Iterable[Number] = {close_to(x, DIGITS) for x in (*ends, *flat) if x is not None}
        if piece.whole:
            places = {k for x in places for k in (floor(x), floor(x) + 1) if k in piece}
        for x in places:
            self._offer(x, Piece(x, x, whole=piece.whole))
        for end, is_in, side in (piece.low, piece.low_in, 1), (piece.high, piece.high_in, -1):
            if end is None or not is_in:
                self.limits.append(limit(form, end, side))

    def _offer(self, at: Number, place: Piece | None = None) -> None:
        """Take note of the value *at* a number, which *place* has too, unless it is worse."""
        value = self.model.values(at).get(self.letter)
        if value is None or (gain := self._gain(value)) < -self._margin:
            return
        if gain > self._margin:
            self.value, self.at, self.solutions = value, at, []
            if self.model.domain.whole:
                bound = beyond(value, self.sense, -1)
                best = Rel(WITHIN[self.sense], Sym(self.letter), Num(bound))
                self.model = replace(self.model, goals=(*self.goals, best))
        if place is not None:
            self.solutions.append(place)

    def _gain(self, value: Number | float) -> Number | float:
        """How much better *value* is than the one that is known."""
        if self.value is None:
            return inf
        gain = Fraction(self.value) - (value if isinstance(value, float) else Fraction(value))
        return gain if self.sense == "least" else -gain

    @property
    def _margin(self) -> Number:
        """How near values are that are the same: rounded ones, and those at irrational places."""
        is_exact = self.model.domain.whole and not isinstance(self.value, Approximate)
        return 0 if is_exact else abs(Fraction(self.value or 0)) * NEAR


def beyond(value: Number, sense: Sense, by: int = 1) -> Number:
    """*value*, or a little better one where it is rounded, so that it counts as the same."""
    if not isinstance(value, Approximate):
        return value
    less = by if sense == "least" else -by
    return Fraction(value) - less * abs(Fraction(value)) * NEAR


def best(question: InverseQuestion, searched: SearchModel) -> Sought | None:
    """Where something is least, or greatest; None where nothing fits all that is asked.

    Raises BadValue where that is not known, or there is no such place, OverLimit where the search
    is given up.
    """
    relation, given = question.extreme, question.given
    assert relation is not None
    assert relation.extreme
    if relation.letter not in searched.live:
        reason = f"does not depend on {searched.name}, so it is {relation.extreme} anywhere"
        raise BadValue(relation.name, reason).about("where")
    found, sought = Extreme(searched, relation.letter, relation.extreme), None
    with suppress(NotSolved):
        sought = found.run(WORK if given.whole else ASIDE)
    if sought is None or (sought.open and not given.whole):
        reason = "is not found; a sweep compares those of a range"
        raise BadValue(relation.written, reason).about("where")
    if sought.open:
        so_far = "none" if found.value is None else amount(found.at, given.unit)
        raise given_up(given, sought, f"the best so far is {so_far}")
    if not found.is_reached:
        reason = "holds nowhere: there is always a better one, or none at all"
        raise BadValue(relation.written, reason).about("where")
    return None if found.value is None else sought


def nearest(searched: SearchModel, relations: Sequence[Relation]) -> Nearest | None:
    """Why no number satisfies the *relations*: the value nearest to the bound of one of them, among
    the numbers that satisfy the others. None where that is on both sides of the bound, is a limit
    that no number reaches, or is not soon known."""
    for relation in relations:
        others = tuple(one.formula for one in relations if one is not relation)
        for sense, signs in WITHIN.items():
            if (
                relation.op[0] not in signs
                or relation.other
                or relation.letter not in searched.live
            ):
                continue
            found = Extreme(replace(searched, goals=others), relation.letter, sense)
            try:
                sought = found.run(ASIDE)
            except (DdcalcError, OutOfReach):
                continue
            value, bound = found.value, relation.bound.value
            if sought.open or value is None or isinstance(value, Approximate):
                continue
            beyond_it = value >= bound if sense == "least" else value <= bound
            if found.is_reached and beyond_it and not relation.holds(value):
                return Nearest(relation.name, sense, value, found.at)
    return None
