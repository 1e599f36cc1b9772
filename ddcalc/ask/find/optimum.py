"""For which value of a given something is least, or greatest: of whole numbers by search, each for
a better one than is known; of others where the slope is 0, by SymPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Final

from ddcalc.ask.find.best import PIECES, STRICT, Best, beyond, turning, worth
from ddcalc.ask.find.best import WORK as BESIDE
from ddcalc.ask.find.branching import MOST, WORK, NotSolved, SearchModel, search
from ddcalc.ask.find.by_hand import composed, quotient_of
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import SearchOutcome, given_up
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import Root, close_to
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Rel, Sym, nodes, symbols
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as printed
from ddcalc.numbers.amounts import amount, amount_text, fitting, together
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.irrational import SURE, Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import Table

DIGITS: Final = 20  # of a number at which a slope is 0
COLUMNS: Final = 4  # of the table of neighbours, beside the number itself and what else must hold
REACH: Final = 1_000  # how far away a neighbour is that the question admits
FACTORS: Final = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), 2)  # of others than whole ones
NOT_FOUND: Final = "is not found; a sweep compares those of a range"


def best_value(
    question: InverseQuestion, searched: SearchModel, relation: Relation, *limits: int
) -> Number:
    """The value of what is to be least, or greatest, for a whole unknown, where that is proved
    within the *limits*.

    Raises NoAnswer where there is none, OverLimit where the search is given up.
    """
    assert relation.extreme
    best = Best(searched, relation.letter, relation.extreme)
    sought = best.run(*limits or (MOST, WORK))
    if sought.open:
        known = "nothing else fits"
        if best.value is not None:
            value = amount_text(best.value, question.compared[relation.name].unit)
            at = amount(best.at, question.given.unit)
            where = f"{question.given.name} = {at}"
            known = f"so far it is {relation.extreme} where {where}: {value}"
        raise given_up(question.given, sought, known)
    if best.value is None:
        raise NoAnswer(relation.name, f"no {question.given.name} fits all that is asked")
    return best.value


def flat_places(
    question: InverseQuestion, searched: SearchModel, relation: Relation
) -> SearchOutcome:
    """Where something is least, or greatest, among numbers that are no whole ones.

    Raises NoAnswer where that is not known, BadValue where there is no such place.
    """
    assert relation.extreme
    try:
        places = turning(searched, relation.letter, relation.extreme)
    except NotSolved:
        raise NoAnswer(relation.name, f"where it is {relation.extreme} {NOT_FOUND}") from None
    if not places:
        reason = "holds nowhere: there is always a better one, or none at all"
        raise BadValue(relation.written, reason).about("where")
    return SearchOutcome(
        unknown=question.given,
        kind="least" if places[1:] else "only",
        end=places[0],
        reached=True,
        solutions=tuple(Piece(x, x) for x in places),
        admitted=(searched.domain,),
        proof="it is compared where its slope is 0, and at all ends",
    )


def neighbours(
    question: InverseQuestion, plan: EquationPlan, searched: SearchModel, at: Number
) -> Table | None:
    """What is to be least, what it is made of, and what must hold besides, at the best number,
    beside it, and at the nearest numbers that are better, but do not fit."""
    relation, given = question.extreme, question.given
    if relation is None:
        return None
    free = replace(searched, goals=())
    line = next((one for one in plan.lines if one.symbol == relation.letter), None)
    made = () if line is None else dict.fromkeys(symbols(line.formula))
    parts = [one for one in made if one in free.live and one != given.letter]
    names = {one.name: one.letter for one in question.compared.values()}
    others = [one for one in names.values() if one in free.live and one != given.letter]
    letters = [*dict.fromkeys([*parts[: COLUMNS - 1], relation.letter, *others])]
    better = _better(free, relation, at) if question.bounds else ()
    places = {at, *_beside(at, free, relation.letter), *_nearest_of(better, at)}
    known = {x: values for x in sorted(places) if (values := free.at(x)) is not None}

    def mark(x: Number) -> str:
        values = {name: known[x].get(one) for name, one in names.items()}
        failing = (one.letter for one in question.bounds if not one.holds_among(values))
        said = " and ".join(map(printed, failing))
        return relation.extreme if x == at else f"{said} not allowed" if said else ""

    units = {one: plan.problem.origin[one][0].unit for one in letters}
    columns = (_column([one.get(n) for one in known.values()], units[n]) for n in letters)
    rows = zip(_column([*known], given.unit), *columns, map(mark, known), strict=True)
    header = (printed(given.letter), *map(printed, letters), "")
    why = [_smooth(plan, free, relation, given)]
    if better:
        ranges = SearchOutcome(unknown=given).ranges(fitting(at, given.unit), better)
        why.append(f"better, but not allowed: {ranges}")
    return Table("Beside it", "; ".join(filter(None, why)), header, tuple(rows))


def _better(free: SearchModel, relation: Relation, at: Number) -> tuple[Piece, ...]:
    """All numbers that would be better than the one *at* which the answer is, if that is known."""
    value = worth(free, relation.letter, at)
    assert relation.extreme
    assert value is not None
    bound = Num(beyond(value, relation.extreme))
    goal = Rel(STRICT[relation.extreme], Sym(relation.letter), bound)
    try:
        sought = search(replace(free, goals=(goal,)), PIECES, BESIDE)
    except NotSolved:
        return ()
    return sought.solutions if sought.complete else ()


def _beside(at: Number, free: SearchModel, letter: str) -> Iterator[Number]:
    """The nearest whole numbers that the question admits on both sides; of others some."""
    if not free.domain.whole:
        yield from (x for by in FACTORS if (x := at * by) in free.domain)
        return
    for step in (-1, 1):
        places = (x for by in range(1, REACH) if (x := at + step * by) in free.domain)
        yield from islice((x for x in places if worth(free, letter, x) is not None), 1)


def _nearest_of(better: Sequence[Piece], at: Number) -> Iterator[Number]:
    """The nearest of the whole numbers that are *better*, below *at* and above."""
    whole = [one for one in better if one.whole]
    below = [one.high for one in whole if one.high is not None and one.high < at]
    above = [one.low for one in whole if one.low is not None and one.low > at]
    yield from (end for end in (*below[-1:], *above[:1]) if not isinstance(end, Root))


def _smooth(plan: EquationPlan, searched: SearchModel, relation: Relation, given: Given) -> str:
    """What is to be least without its roundings, and where its slope is 0, where it is a sum of
    powers of the unknown, whose slope is 0 once; else nothing."""
    from ddcalc.formula.polynomial import LETTER, constant, roots

    formula = _unrounded(plan, searched, relation)
    is_open = any(isinstance(one, Fun | Cases) for one in nodes(formula))
    made = None if is_open else quotient_of(formula, searched.letter, searched.known)
    if made is None or any(made[1][1:]):
        return ""
    over, below = made[0], len(made[1]) - 1
    terms = {len(over) - 1 - i - below: c / made[1][0] for i, c in enumerate(over) if c}
    slope = sum((constant(p * c) * LETTER ** (p + below) for p, c in terms.items()), constant(0))
    places = [one for one in roots(slope) if one in searched.domain and one > 0] if slope else []
    if len(places) != 1:
        return ""
    unit, x = plan.problem.origin[relation.letter][0].unit, printed(searched.letter)
    powers = {0: "", 1: f" · {x}", -1: f"/{x}"}
    said = ""
    for power in sorted(terms, key=lambda p: (p < 0, abs(p))):
        sign = (" − " if said else "−") if terms[power] < 0 else " + " if said else ""
        behind = powers.get(power) or (f" · {x}^{power}" if power > 0 else f"/{x}^{-power}")
        size = unit.dimension / given.unit.dimension**power
        put = amount_text(abs(terms[power]), unit if size == unit.dimension else base_unit(size))
        said += sign + put.lstrip("≈ ") + (behind if power else "")
    at = plain(close_to(places[0], DIGITS))
    shown = amount_text(Approximate(at, SURE) if isinstance(places[0], Root) else at, given.unit)
    slope_at = f"{x} {shown}" if shown.startswith(ABOUT) else f"{x} = {shown}"
    rounded = "without rounding " if given.whole else ""
    return f"{rounded}{printed(relation.letter)} = {said}, whose slope is 0 at {slope_at}"


def _unrounded(plan: EquationPlan, searched: SearchModel, relation: Relation) -> Expr:
    """What is to be least without its roundings, in the unknown and what does not rest on it."""

    def unrounded(part: Expr) -> Expr | None:
        is_rounded = isinstance(part, Fun) and part.name in ("floor", "ceiling")
        return rewritten(part.parts()[0], unrounded) if is_rounded else None

    return composed(relation.letter, plan, searched.live, searched.known, unrounded)


def _column(values: Sequence[Number | None], unit: Unit) -> list[str]:
    """The *values* in one unit, if all are readable in it."""
    shown = iter(together([value for value in values if value is not None], unit))
    return ["no value" if value is None else next(shown).marked for value in values]
