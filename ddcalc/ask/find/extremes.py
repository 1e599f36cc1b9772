"""The least or greatest value of a letter where everything holds: of whole numbers by branch and
bound, which looks for a better one than is known until nothing is left; of others where the slope
is 0, and at ends. Where nothing fits, that is what comes nearest to its bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import inf
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
from ddcalc.ask.find.by_hand import composed, quotient_of
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.outcome import Nearest, SearchOutcome, Sense, answered, given_up
from ddcalc.errors import BadValue, DdcalcError, NoAnswer
from ddcalc.formula.algebraic import Root, close_to
from ddcalc.formula.expression import (
    Cases,
    Expr,
    Fun,
    Num,
    Number,
    Operator,
    Rel,
    Sym,
    nodes,
    symbols,
)
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as printed
from ddcalc.numbers.amounts import amount, amount_text, fitting, together
from ddcalc.numbers.display import equal
from ddcalc.numbers.irrational import Approximate, OutOfReach
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import Table

DIGITS: Final = 40  # of a place that is irrational
PIECES, BESIDE = 2_000, 50_000  # of the number line that is looked at beside, and the work
COLUMNS: Final = 4  # of the table of neighbours, beside the number itself and what else must hold
PLACES: Final = 400  # that are compared
REACH: Final = 1_000  # how far away a neighbour is that the question admits
FACTORS: Final = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), 2)  # of others than whole ones
NEAR: Final = Fraction(1, 10**30)  # of a rounded value: those that are nearer are the same
STRICT: Final[dict[Sense, Operator]] = {"least": "<", "greatest": ">"}


def nearest(searched: SearchModel, relations: Sequence[Relation]) -> Nearest | None:
    """Why no number satisfies the *relations*: the value nearest to the bound of one of them, among
    the numbers that satisfy the others. None where that is on both sides of the bound, is a limit
    that no number reaches, or is not known."""
    for relation in (one for one in relations if one.other is None):
        senses: dict[Sense, str] = {"least": "<=", "greatest": ">="}
        for sense in (sense for sense, signs in senses.items() if relation.op[0] in signs):
            known, bound = outermost(searched, relations, relation, sense), relation.bound.value
            if known is None or relation.holds(known.value):
                continue
            if known.value >= bound if sense == "least" else known.value <= bound:
                return known
    return None


def outermost(
    searched: SearchModel, relations: Sequence[Relation], relation: Relation, sense: Sense
) -> Nearest | None:
    """The *least* or *greatest* value of what *relation* compares, among the numbers that satisfy
    the others of the *relations*; None where there is none, or it is not soon known."""
    if relation.letter not in searched.live:
        return None
    others = tuple(one.formula for one in relations if one is not relation)
    best = Improving(replace(searched, goals=others), relation.letter, sense)
    try:
        if not best.run(PIECES, BESIDE).complete:
            return None
    except (DdcalcError, OutOfReach):
        return None
    if best.value is None or isinstance(best.value, Approximate):
        return None
    return Nearest(relation.name, sense, best.value, best.at)


class Improving(BranchAndBound):
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
            y = self.model.values(x).get(self.letter)
            if y is not None and (
                self.value is None or (y < self.value) == (self.sense == "least")
            ):
                self.value, self.at = y, x
        if self.value is None or self.value is before:
            return False
        goal = Rel(STRICT[self.sense], Sym(self.letter), Num(beyond(self.value, self.sense)))
        self.model = replace(self.model, goals=(*self.goals, goal))
        return True


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


def _turning(searched: SearchModel, letter: str) -> tuple[dict[Piece, Any], list[Any]]:
    """What *letter* is worth where its slope is 0, at ends, and on pieces where it stays the same;
    and what it comes near to at ends that are missing. NotSolved where that is not known."""
    from ddcalc.ask.find.settled import Cut, Undefined, Unsettled
    from ddcalc.formula.zeros import limit

    sought = search(searched)
    waiting, found, limits = [*sought.solutions, *sought.open], list[Piece](), list[Any]()
    while waiting and len(found) < PLACES:
        piece = waiting.pop()
        try:
            form, flat = BranchAndBound(searched).settled(piece).turning(letter)
        except Cut as cut:
            waiting += piece.split(cut.at)
        except Undefined:
            continue
        except Unsettled:
            raise NotSolved(searched.name) from None
        else:
            ends = [piece.low] * piece.low_in + [piece.high] * piece.high_in
            near = (close_to(x, DIGITS) for x in (*ends, *flat) if x is not None)
            found += [Piece(x, x) for x in near] if form.free_symbols else [piece]
            limits += [limit(form, piece.low, 1)] * (piece.low is None or not piece.low_in)
            limits += [limit(form, piece.high, -1)] * (piece.high is None or not piece.high_in)
    at = (x.low if x.is_point else x.sample() for x in found)
    values = [searched.values(x).get(letter) for x in at]  # type: ignore[arg-type]
    if waiting or sought.open or None in values:
        raise NotSolved(searched.name)
    return dict(zip(found, values, strict=True)), limits


def flat_places(
    question: InverseQuestion, searched: SearchModel, relation: Relation
) -> SearchOutcome:
    """Where something is least, or greatest, among numbers that are no whole ones: where its slope
    is 0, or at ends.

    Raises BadValue where that is not known, or there is no such place.
    """
    try:
        found, limits = _turning(searched, relation.letter)
    except NotSolved:
        reason = "is not found; a sweep compares those of a range"
        raise BadValue(relation.written, reason).about("where") from None
    same = best_of(found, relation, limits)
    if not same:
        reason = "holds nowhere: there is always a better one, or none at all"
        raise BadValue(relation.written, reason).about("where")
    sought = Sought(merged(same), len(found))
    outcome = answered(sought, [searched.domain], question.given)
    return replace(outcome, proof="it is compared where its slope is 0, and at all ends")


def best_of(
    values: Mapping[Any, Number], relation: Relation, limits: Iterable[Any] = ()
) -> list[Any]:
    """Where, of all *values*, is the one that *relation* wants: all places that are not told apart;
    none where a limit that nothing reaches, one of *limits*, is better."""
    best = (min if relation.extreme == "least" else max)([*values.values(), *limits], default=inf)
    return [x for x, y in values.items() if abs(Fraction(y) - best) <= abs(Fraction(y)) * NEAR]


# How that is found, and shown


def best_value(question: InverseQuestion, searched: SearchModel, relation: Relation) -> Number:
    """The value of what is to be least, or greatest, for a whole unknown, where that is proved.

    Raises NoAnswer where there is none, OverLimit where the search is given up.
    """
    assert relation.extreme
    best = Improving(searched, relation.letter, relation.extreme)
    sought = best.run(MOST, WORK)
    if sought.open:
        so_far = "none" if best.value is None else amount(best.at, question.given.unit)
        raise given_up(question.given, sought, f"the best so far is {so_far}")
    if best.value is None:
        raise NoAnswer(relation.name, f"no {question.given.name} fits all that is asked")
    return best.value


def neighbours(
    question: InverseQuestion,
    plan: EquationPlan,
    searched: SearchModel,
    at: Number,
    relation: Relation,
) -> Table:
    """What *relation* wants to be least, what it is made of, and what must hold besides: at the
    best number, beside it, and at the nearest numbers that are better, but do not fit."""
    given = question.given
    free = replace(searched, goals=())
    line = next((one for one in plan.lines if one.symbol == relation.letter), None)
    made = () if line is None else dict.fromkeys(symbols(line.formula))
    parts = [one for one in made if one in free.live and one != given.letter]
    names = {one.name: one.letter for one in question.compared.values()}
    others = [one for one in names.values() if one in free.live and one != given.letter]
    letters = [*dict.fromkeys([*parts[: COLUMNS - 1], relation.letter, *others])]
    better = _better(free, relation, at) if question.bounds else ()
    places = {at, *admitted_beside(at, free)}
    known = {x: values for x in sorted(places) if (values := free.values(x))}

    def mark(x: Number) -> str:
        values = {name: known[x].get(one) for name, one in names.items()}
        failing = (one.letter for one in question.bounds if not one.holds_among(values))
        said = " and ".join(map(printed, failing))
        return relation.extreme if x == at else f"{said} not allowed" if said else ""

    units = {one: plan.problem.origin[one][0].unit for one in letters}
    columns = (column([one.get(n) for one in known.values()], units[n]) for n in letters)
    rows = zip(column([*known], given.unit), *columns, map(mark, known), strict=True)
    header = (printed(given.letter), *map(printed, letters), "")
    among = ", of those that are allowed" if len(question.relations) > 1 else ""
    where = f"where {relation.name.replace('_', ' ')} is {relation.extreme}{among}"
    why = [", ".join(filter(None, (where, smooth(plan, free, relation, given))))]
    if better:
        ranges = SearchOutcome(unknown=given).ranges(fitting(at, given.unit), better)
        why.append(f"better, but not allowed: {ranges}")
    return Table(capital(given.title), "; ".join(why), header, tuple(rows), given.name)


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


def smooth(plan: EquationPlan, searched: SearchModel, relation: Relation, given: Given) -> str:
    """What *relation* compares without its roundings, where that is a sum of powers of the unknown,
    and where its slope is 0 once, or it meets its bound at one or two places; else nothing."""
    from ddcalc.formula.polynomial import LETTER, constant, roots

    terms, rounded = _powers(plan, searched, relation.letter)
    called, other, bound = printed(relation.letter), relation.other, relation.bound.value
    if other is not None and other.letter in searched.live:
        less, too = _powers(plan, searched, other.letter)
        called, rounded = f"{called} − {printed(other.letter)}", rounded or too
        terms = {p: terms.get(p, 0) - less.get(p, Fraction(0)) for p in terms | less if less}
    elif other is not None:
        bound = searched.known.get(other.letter) or 0
    sought = {p: p * c if relation.extreme else c for p, c in terms.items()}
    if len(terms) < 2:
        return ""
    if not relation.extreme:
        sought[0] = sought.get(0, Fraction(0)) - Fraction(bound)
    lowest = min(0, *sought)
    zero = sum((constant(c) * LETTER ** (p - lowest) for p, c in sought.items()), constant(0))
    places = [one for one in roots(zero) if one in searched.domain and one > 0] if zero else []
    if not 0 < len(places) < (2 if relation.extreme else 3):
        return ""
    unit, x = plan.problem.origin[relation.letter][0].unit, printed(searched.letter)
    shown = [amount_text(plain(close_to(one, DIGITS)), given.unit) for one in places]
    there = " and ".join(equal(x, at) for at in shown)
    met = amount(bound, relation.bound.unit if other is None else unit, stated=other is None)
    worth = "whose slope is 0" if relation.extreme else f"which is {met}"
    formula = _written(terms, x, unit, given.unit)
    return f"{rounded}{called} {formula}, {worth} at {there}"


def _powers(
    plan: EquationPlan, searched: SearchModel, letter: str
) -> tuple[dict[int, Fraction], str]:
    """The factors of powers of the unknown, by power, whose sum *letter* is without its roundings,
    and what says that there are some; nothing where it is no such sum."""
    roundings = set[str]()

    def unrounded(part: Expr) -> Expr | None:
        if not (isinstance(part, Fun) and part.name in ("floor", "ceiling")):
            return None
        roundings.add("without rounding ")
        return rewritten(part.parts()[0], unrounded)

    formula = composed(letter, plan, searched.live, searched.known, unrounded)
    is_open = any(isinstance(one, Fun | Cases) for one in nodes(formula))
    made = None if is_open else quotient_of(formula, searched.letter, searched.known)
    if made is None or any(made[1][1:]):
        return {}, ""
    over, below = made[0], len(made[1]) - 1
    powers = {len(over) - 1 - i - below: c / made[1][0] for i, c in enumerate(over) if c}
    return powers, "".join(roundings)


def _written(terms: Mapping[int, Fraction], x: str, unit: Unit, of: Unit) -> str:
    """The sum of *terms*, an amount of *unit*, in powers of *x* in its unit *of*: ``= 3 s + 2 s ·
    x``."""
    powers, parts, is_rounded = {0: "", 1: f" · {x}", -1: f"/{x}"}, list[str](), False
    for power in sorted(terms, key=lambda p: (p < 0, abs(p))):
        behind = powers.get(power) or (f" · {x}^{power}" if power > 0 else f"/{x}^{-power}")
        size = unit.dimension / of.dimension**power
        put = amount(abs(terms[power]), unit if size == unit.dimension else base_unit(size))
        is_rounded = is_rounded or not put.exact
        parts.append(f"{'−' * (terms[power] < 0)}{put}{behind if power else ''}")
    return f"{'≈' if is_rounded else '='} {' + '.join(parts)}".replace("+ −", "− ")


def column(values: Sequence[Number | None], unit: Unit) -> list[str]:
    """The *values* in one unit, if all are readable in it."""
    shown = iter(together([value for value in values if value is not None], unit))
    return ["no value" if value is None else next(shown).marked for value in values]
