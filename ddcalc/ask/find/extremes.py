"""The least or greatest value of a letter where everything holds: of whole numbers by branch and
bound, which looks for a better one than is known until nothing is left; of others where the slope
is 0, and at ends. Where nothing fits, that is what comes nearest to its bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import floor, inf
from typing import Any, Final

from ddcalc.ask.find.branching import (
    MOST,
    WORK,
    BranchAndBound,
    NotSolved,
    SearchModel,
    Sought,
    search,
)
from ddcalc.ask.find.by_hand import smooth
from ddcalc.ask.find.inverse import InverseQuestion, Relation, Sense
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.outcome import Nearest, SearchOutcome, answered, given_up
from ddcalc.ask.find.shown import table
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.formula.algebraic import Root, close_to
from ddcalc.formula.expression import (
    Known,
    Num,
    Number,
    Operator,
    Rel,
    Sym,
    symbols,
)
from ddcalc.formula.letters import letter as printed
from ddcalc.numbers.amounts import amount, fitting
from ddcalc.numbers.irrational import Approximate, OutOfReach
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.sentences import capital
from ddcalc.problem.stated_formulas import is_side
from ddcalc.problem.steps import Table

DIGITS: Final = 40  # of a place that is irrational
PIECES, BESIDE = 2_000, 50_000  # of the number line that is looked at beside, and the work
COLUMNS: Final = 4  # of the table of neighbours, beside the number itself and what else must hold
PLACES: Final = 1_000  # pieces in which places are looked for
REACH: Final = 1_000  # how far away a neighbour is that the question admits
FACTORS: Final = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), 2)  # of others than whole ones
NEAR: Final = Fraction(1, 10**30)  # of a rounded value: those that are nearer are the same
STRICT: Final[dict[Sense, Operator]] = {"least": "<", "greatest": ">"}


def nearest(searched: SearchModel, relations: Sequence[Relation]) -> Nearest | None:
    """Why no number satisfies the *relations*: the value nearest to the bound of one of them, among
    the numbers that satisfy the others. None where that is on both sides of the bound, is a limit
    that no number reaches, or is not soon known."""
    senses: dict[Sense, str] = {"least": "<=", "greatest": ">="}
    for relation in relations:
        others = tuple(one.formula for one in relations if one is not relation)
        for sense in (sense for sense, signs in senses.items() if relation.op[0] in signs):
            if relation.other is not None or relation.letter not in searched.live:
                continue
            best = Improving(replace(searched, goals=others), relation.letter, sense)
            try:
                known = best.run(PIECES, BESIDE).complete
            except (DdcalcError, OutOfReach):
                continue
            value, bound = best.value, relation.bound.value
            if not known or value is None or isinstance(value, Approximate):
                continue
            beyond_it = value >= bound if sense == "least" else value <= bound
            if beyond_it and not relation.holds(value):
                return Nearest(relation.name, sense, value, best.at)
    return None


class Improving(BranchAndBound):
    """Looks for the *sense* value of *letter* where the goals of *model* hold: *value*, *at* a
    number for example."""

    def __init__(self, model: SearchModel, letter: str, sense: Sense) -> None:
        super().__init__(model)
        self.goals, self.letter, self.sense = model.goals, letter, sense
        self.is_least = sense == "least"
        self.value: Number | None = None
        self.at: Number = 0

    def found(self, piece: Piece, cuts: int) -> None:
        """Everything in *piece* is better than what is known: the best of its rational ends and a
        number between them is kept, and what is better still is looked for."""
        before = self.value
        places = [piece.low] * piece.low_in + [piece.high] * piece.high_in
        if not piece.is_point:
            places.append(floor(piece.middle()) if piece.whole else piece.sample())
        for x in places:
            if x is None or isinstance(x, Root):
                continue
            y = self.model.values(x).get(self.letter)
            better = self.value is None or (y is not None and (y < self.value) == self.is_least)
            if y is not None and better:
                self.value, self.at = y, x
        if self.value is None or self.value is before:
            self.left.append(piece)
            return
        goal = Rel(STRICT[self.sense], Sym(self.letter), Num(beyond(self.value, self.sense)))
        self.model = replace(self.model, goals=(*self.goals, goal))
        if not piece.is_point:
            self.cut(piece, cuts)


def beyond(value: Number, sense: Sense, by: int = 1) -> Number:
    """*value*, or a little better one where it is rounded, so that it counts as the same."""
    if not isinstance(value, Approximate):
        return value
    less = by if sense == "least" else -by
    return Fraction(value) - less * abs(Fraction(value)) * NEAR


def best(question: InverseQuestion, searched: SearchModel) -> SearchOutcome | SearchModel:
    """Where something is least, or greatest: of whole numbers as what is still to be searched,
    which is what was *searched* where nothing fits all that is asked.

    Raises BadValue where it is not known, OverLimit where the search is given up.
    """
    relation, given = question.extreme, question.given
    assert relation is not None
    assert relation.extreme
    if relation.letter not in searched.live:
        reason = f"does not depend on {searched.name}, so it is {relation.extreme} anywhere"
        raise BadValue(relation.name, reason).about("where")
    if not given.whole:
        return _flat_places(question, searched, relation)
    found = Improving(searched, relation.letter, relation.extreme)
    sought = found.run(MOST, WORK)
    if sought.open:
        so_far = "none" if found.value is None else amount(found.at, given.unit)
        raise given_up(given, sought, f"the best so far is {so_far}")
    if found.value is None:
        return searched
    bound = replace(relation.bound, value=beyond(found.value, relation.extreme, -1))
    goals = (*searched.goals, replace(relation, bound=bound).formula)
    return replace(searched, goals=goals)


def _flat_places(
    question: InverseQuestion, searched: SearchModel, relation: Relation
) -> SearchOutcome:
    """Where something is least, or greatest, among numbers that are no whole ones: where its slope
    is 0, at ends, or on pieces where it stays the same.

    Raises BadValue where that is not known, or there is no such place.
    """
    try:
        places, limits = _turning(searched, relation.letter)
    except NotSolved:
        reason = "is not found; a sweep compares those of a range"
        raise BadValue(relation.written, reason).about("where") from None
    at: dict[Piece, Any] = {x: x.low if x.is_point else x.sample() for x in places}
    values: dict[Piece, Any] = {x: searched.values(at[x])[relation.letter] for x in places}
    same = best_of(values, relation, limits)
    if not same:
        reason = "holds nowhere: there is always a better one, or none at all"
        raise BadValue(relation.written, reason).about("where")
    outcome = answered(Sought(merged(same), len(places)), [searched.domain], question.given)
    return replace(outcome, proof="it is compared where its slope is 0, and at all ends")


def _turning(searched: SearchModel, letter: str) -> tuple[list[Piece], list[Any]]:
    """Where *letter* may be least or greatest; and what it comes near to at ends that are missing.
    NotSolved where that is not known."""
    from ddcalc.ask.find.settled import Cut, Undefined, Unsettled
    from ddcalc.formula.zeros import limit

    sought = search(searched)
    waiting, found, limits = [*sought.solutions], list[Piece](), list[Any]()
    for _ in range(PLACES):
        if not waiting or sought.open:
            break
        piece = waiting.pop()
        try:
            form, flat = BranchAndBound(searched).settled(piece).turning(letter)
        except Cut as cut:
            waiting += piece.split(cut.at)
            continue
        except Undefined:
            continue
        except Unsettled:
            raise NotSolved(searched.name) from None
        ends = [piece.low] * piece.low_in + [piece.high] * piece.high_in
        near = (close_to(x, DIGITS) for x in (*ends, *flat) if x is not None)
        found += [Piece(x, x) for x in near] if form.free_symbols else [piece]
        limits += [limit(form, piece.low, 1)] * (piece.low is None or not piece.low_in)
        limits += [limit(form, piece.high, -1)] * (piece.high is None or not piece.high_in)
    if waiting or sought.open:
        raise NotSolved(searched.name)
    return found, limits


def best_of(
    values: Mapping[Any, Number], relation: Relation, limits: Iterable[Any] = ()
) -> list[Any]:
    """Where, of all *values*, is the one that *relation* wants: all places that are not told apart;
    none where a limit that nothing reaches, one of *limits*, is better."""
    best = (min if relation.extreme == "least" else max)([*values.values(), *limits], default=inf)
    return [x for x, y in values.items() if abs(Fraction(y) - best) <= abs(Fraction(y)) * NEAR]


def neighbours(
    question: InverseQuestion,
    plan: EquationPlan,
    searched: SearchModel,
    at: Number,
    relation: Relation,
) -> Table:
    """What *relation* wants to be least, what it is made of, and what must hold besides: at the
    best number, beside it, and at the nearest numbers that are better, but do not fit."""
    given, free = question.given, replace(searched, goals=())
    line = next((one for one in plan.lines if one.symbol == relation.letter), None)
    made = () if line is None else dict.fromkeys(symbols(line.formula))
    parts = [one for one in made if one in free.live and plan.problem.origin[one][1] is None]
    others = [one.letter for one in question.compared.values() if one.letter in free.live]
    names = [
        plan.problem.origin[one][0].name
        for one in (*parts[: COLUMNS - 1], relation.letter, *others)
    ]
    places = sorted({at, *admitted_beside(at, free)})
    known = {x: named(plan, values) for x in places if (values := free.values(x))}
    failing = {
        x: [printed(one.letter) for one in question.bounds if not one.holds_among(values)]
        for x, values in known.items()
    }
    marks = {x: f"{' and '.join(one)} not allowed" if one else "" for x, one in failing.items()}
    marks[at] = relation.extreme
    among = ", of those that are allowed" if question.bounds else ""
    side = plan.problem.origin[relation.letter][0].title if is_side(relation.name) else ""
    where = f"where {side or relation.name.replace('_', ' ')} is {relation.extreme}{among}"
    why = ", ".join(filter(None, (where, smooth(plan, free, relation, given))))
    if better := _better(free, relation, at) if question.bounds else ():
        ranges = SearchOutcome(unknown=given).ranges(fitting(at, given.unit), better)
        why = f"{why}; better, but not allowed: {ranges}"
    made_up = table(question, capital(given.title), why, known, names, marks)
    return replace(made_up, name=given.name)


def named(plan: EquationPlan, known: Known) -> Known:
    """The numbers *known* by letter by the names of what is one number."""
    origin = plan.problem.origin.items()
    return {one.name: known.get(letter) for letter, (one, place) in origin if place is None}


def _better(free: SearchModel, relation: Relation, at: Number) -> tuple[Piece, ...]:
    """All numbers that would be better than the one *at* which the answer is, if that is known."""
    value = free.values(at).get(relation.letter)
    assert relation.extreme
    assert value is not None
    bound = Num(beyond(value, relation.extreme))
    goal = Rel(STRICT[relation.extreme], Sym(relation.letter), bound)
    try:
        sought = search(replace(free, goals=(goal,)), PIECES, BESIDE)
    except NotSolved:
        return ()
    return sought.solutions if sought.complete else ()


def admitted_beside(
    at: Number, free: SearchModel, sides: Sequence[int] = (-1, 1)
) -> Iterator[Number]:
    """The nearest whole numbers that the question admits on these *sides*; of others some."""
    if not free.domain.whole:
        yield from (x for by in FACTORS if (x := at * by) in free.domain)
        return
    for step in sides:
        places = (x for by in range(1, REACH) if (x := at + step * by) in free.domain)
        yield from islice((x for x in places if free.values(x)), 1)
