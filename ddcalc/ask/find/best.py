"""The least or greatest value of a letter where everything holds: of whole numbers by branch and
bound, which looks for a better one than is known until nothing is left; of others where the slope
is 0, and at ends. Where nothing fits, that is what comes nearest to its bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any, Final, Literal

from ddcalc.ask.find.branching import MOST, BranchAndBound, NotSolved, SearchModel, search
from ddcalc.ask.find.inverse import Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Root, close_to
from ddcalc.formula.expression import Known, Num, Number, Operator, Rel, Sym
from ddcalc.numbers.irrational import Approximate, OutOfReach

Sense = Literal["least", "greatest"]
DIGITS: Final = 40  # of a place that is irrational
PIECES, WORK = 2_000, 50_000  # of the number line that is looked at beside, and the work
NEAR: Final = Fraction(1, 10**30)  # of a rounded value: those that are nearer are the same
STRICT: Final[dict[Sense, Operator]] = {"least": "<", "greatest": ">"}


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


class Best(BranchAndBound):
    """Looks for the *sense* value of *letter* where the goals of *model* hold: *value*, *at* a
    number for example."""

    def __init__(self, model: SearchModel, letter: str, sense: Sense) -> None:
        super().__init__(model)
        self.goals, self.letter, self.sense = model.goals, letter, sense
        self.value: Number | None = None
        self.at: Number = 0

    def found(self, piece: Piece, cuts: int) -> None:
        """Everything in *piece* is better than what is known; it is looked at once more."""
        if not self._try(examples(piece)):
            self.left.append(piece)
        elif not piece.is_point:
            self.cut(piece, cuts)

    def _try(self, places: Iterable[Number]) -> bool:
        """Whether any of the *places* is better than what is known; the best one is kept."""
        before = self.value
        for x in places:
            y = worth(self.model, self.letter, x)
            if y is not None and (
                self.value is None or (y < self.value) == (self.sense == "least")
            ):
                self.value, self.at = y, x
        if self.value is None or self.value is before:
            return False
        goal = Rel(STRICT[self.sense], Sym(self.letter), Num(beyond(self.value, self.sense)))
        self.model = replace(self.model, goals=(*self.goals, goal))
        return True


def worth(model: SearchModel, letter: str, x: Number) -> Number | None:
    """What *letter* is worth at *x*; None where it has no value, or that is out of reach."""
    try:
        return (model.at(x) or {}).get(letter)
    except OutOfReach:
        return None


def beyond(value: Number, sense: Sense, by: int = 1) -> Number:
    """*value*, or a little better one where it is rounded, so that it counts as the same."""
    if not isinstance(value, Approximate):
        return value
    less = by if sense == "least" else -by
    return Fraction(value) - less * abs(Fraction(value)) * NEAR


def examples(piece: Piece) -> Iterator[Number]:
    """Numbers in *piece*: its rational ends, and one between them."""
    ends = [piece.low] * piece.low_in + [piece.high] * piece.high_in
    yield from (end for end in ends if end is not None and not isinstance(end, Root))
    if not piece.is_point:
        sample = Fraction(piece.sample())
        if piece.whole and piece.low is not None and piece.high is not None:
            sample = Fraction((piece.low + piece.high) // 2)  # type: ignore[operator]
        yield int(sample) if piece.whole else sample


def turning(model: SearchModel, letter: str, sense: Sense) -> list[Number]:
    """Where *letter* has its *sense* value among all numbers at which everything holds; nowhere
    where there is none.

    Raises NotSolved where it is not known.
    """
    from ddcalc.ask.find.settled import Cut, Undefined, Unsettled

    sought = search(model)
    waiting, places, limits = [*sought.solutions], set[Number](), list[Fraction | float]()
    for _ in range(MOST):
        if not waiting:
            break
        piece = waiting.pop()
        try:
            form, flat = BranchAndBound(model).settled(piece).turning(letter)
        except Cut as cut:
            waiting += piece.split(cut.at)
        except Undefined:
            continue
        except Unsettled:
            raise NotSolved(model.name) from None
        else:
            ends = [piece.low] * piece.low_in + [piece.high] * piece.high_in
            places |= {close_to(x, DIGITS) for x in (*ends, *flat) if x is not None}
            limits += limits_of(form, piece)
    known = {x: y for x in places if (y := worth(model, letter, x)) is not None}
    if waiting or not sought.complete or len(known) < len(places):
        raise NotSolved(model.name)
    values: list[Any] = [*map(Fraction, known.values()), *limits]
    best: Any = (min if sense == "least" else max)(values, default=inf)
    return [
        x for x, y in sorted(known.items()) if abs(Fraction(y) - best) <= abs(Fraction(y)) * NEAR
    ]


def limits_of(form: Any, piece: Piece) -> Iterator[Fraction | float]:
    """What SymPy's *form* comes near to at the ends that *piece* lacks."""
    from sympy import Rational, limit, oo

    from ddcalc.formula.cas import number_of

    for end, is_in, away in ((piece.low, piece.low_in, -1), (piece.high, piece.high_in, 1)):
        if (end is None or not is_in) and (letters := form.free_symbols):
            at = away * oo if end is None else Rational(close_to(end, DIGITS))
            near = limit(form, letters.pop(), at, "+" if away < 0 else "-")
            is_endless = near in (oo, -oo)
            yield float(near) if is_endless else Fraction(number_of(Rational(near.evalf(DIGITS))))
