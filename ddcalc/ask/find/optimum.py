"""For which value of a given something is least, or greatest: of whole numbers by search, each for
a better one than is known; of others where the slope is 0, by SymPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from ddcalc.ask.find.branching import SearchModel, model
from ddcalc.ask.find.by_hand import written
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.nearest import outermost
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import SearchOutcome
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import close_to
from ddcalc.formula.evaluation import decided
from ddcalc.formula.expression import (
    Cases,
    Expr,
    Fun,
    Num,
    Number,
    Rel,
    Sym,
    nodes,
    substitute,
    symbols,
)
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as printed
from ddcalc.numbers.amounts import amount, amount_text, together
from ddcalc.numbers.display import ABOUT, rounded
from ddcalc.numbers.irrational import SURE as SURE_OF
from ddcalc.numbers.irrational import Approximate, sqrt
from ddcalc.numbers.units import COUNT, Unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.steps import BOUND, Reasoned, Table

DIGITS: Final = 20  # of a number at which a slope is 0
LETTERS: Final = 9  # of a formula whose slope is shown, at most,
PARTS_SHOWN: Final = 40  # and parts of its slope
COLUMNS: Final = 4  # of the table of neighbours, beside the number itself
NEAR: Final = (-1, 0, 1)  # neighbours of a whole number
POWERS: Final = range(-9, 12)  # of ten, of which numbers are tried,
PARTS: Final = (10, 13, 18, 24, 32, 42, 56, 75)  # these tenths of each
SURE: Final = 6  # digits of what is found by trying
FACTORS: Final = (Fraction(1, 2), Fraction(4, 5), 1, Fraction(5, 4), 2)  # and of others


def extreme_of(question: InverseQuestion) -> Relation | None:
    """What is to be least or greatest, if anything is."""
    wanted = [one for one in question.relations if one.extreme]
    if len(wanted) > 1:
        raise BadValue(wanted[1].written, "one thing only can be least").about("where")
    return wanted[0] if wanted else None


def bounded(question: InverseQuestion, plan: EquationPlan) -> InverseQuestion | SearchOutcome:
    """The *question* for a whole number, in which what is to be least is at most what it is at
    least; of other numbers what came of it.

    Raises NoAnswer where there is no such value, or it is not known.
    """
    relation = extreme_of(question)
    assert relation is not None
    others = tuple(one for one in question.relations if one is not relation)
    searched = model(replace(question, relations=others), plan)
    if not question.given.whole:
        return _where_flat(question, plan, searched, relation)
    goals = tuple(one.formula for one in others)
    best = outermost(searched, relation, relation.extreme or "least", goals)
    if best is None:
        reason = "there is none, or it is not found; a sweep compares those of a range"
        raise NoAnswer(relation.name, reason)
    bound = replace(relation.bound, value=best.value)
    made = replace(relation, bound=bound)
    return replace(
        question, relations=tuple(made if one is relation else one for one in question.relations)
    )


def _where_flat(
    question: InverseQuestion, plan: EquationPlan, searched: SearchModel, relation: Relation
) -> SearchOutcome:
    """Where the slope of what is to be least is 0, or an end of what the given admits."""
    from ddcalc.formula.cas import substituted, to_sympy
    from ddcalc.formula.zeros import zeros

    domain, given = searched.domain, question.given
    sample = Fraction(domain.sample())
    near = searched.at(sample)
    formula = None if near is None else written(relation.letter, plan, searched.live, near)
    places = None
    if formula is not None and given.letter in symbols(formula):
        known = {n: searched.known[n] for n in symbols(formula) if n != searched.letter}
        numbers = {n: Fraction(x) for n, x in known.items() if x is not None}
        form = substituted(to_sympy(formula), numbers)
        slope = form.diff(*form.free_symbols)
        places = zeros(slope, *_ends(domain)) if slope.free_symbols else []
    if places is None:
        return _where_tried(question, searched, relation)
    tried = [Fraction(close_to(one, DIGITS)) for one in places]
    tried += [Fraction(end) for end in _ends(domain) if end is not None and end in domain]
    values = {x: y for x in tried if searched.holds_at(x) and (y := _at(searched, relation, x))}
    sign = 1 if relation.extreme == "least" else -1
    beyond = [
        y for x in (sample, *_outside(tried)) if (y := _at(searched, relation, x)) is not None
    ]
    best = min(values, key=lambda x: sign * values[x], default=None)
    if best is None or any(sign * y < sign * values[best] for y in beyond):
        raise NoAnswer(relation.name, f"there is no {relation.extreme} one")
    end = int(best) if best.denominator == 1 else best
    return _only(question, searched, end, "the slope is 0 there alone")


def _where_tried(
    question: InverseQuestion, searched: SearchModel, relation: Relation
) -> SearchOutcome:
    """The best of many numbers, each so much larger than the one before it, and then of those
    between its neighbours; of which nothing is proved."""
    sign = 1 if relation.extreme == "least" else -1

    def cost(x: Fraction) -> tuple[bool, Number]:
        value = _at(searched, relation, x) if searched.holds_at(x) else None
        return value is None, sign * (value or 0)

    tried = [Fraction(10) ** power * Fraction(part, 10) for power in POWERS for part in PARTS]
    tried = [x for x in tried if x in searched.domain]
    best = min(range(len(tried)), key=lambda i: cost(tried[i]), default=0)
    if not 0 < best < len(tried) - 1 or cost(tried[best])[0]:
        raise NoAnswer(relation.name, f"none of those tried is {relation.extreme}")
    low, high = tried[best - 1], tried[best + 1]
    while high - low > low / 10**SURE:
        first, second = low + (high - low) * 2 / 5, low + (high - low) * 3 / 5
        low, high = (low, second) if cost(first) <= cost(second) else (first, high)
    end = Fraction(rounded((low + high) / 2, SURE))
    tries = (tried[0], tried[-1])
    proof = f"the best of {len(tried)} numbers tried, and of those beside it; that is no proof"
    return _only(question, searched, end, proof, tried=tries)


def _only(
    question: InverseQuestion, searched: SearchModel, end: Number, proof: str, **found: Any
) -> SearchOutcome:
    """The one number *end* as the outcome, with what proves it."""
    return SearchOutcome(
        unknown=question.given,
        kind="only",
        end=end,
        reached=True,
        solutions=(Piece(end, end),),
        admitted=(searched.domain,),
        proof=proof,
        **found,
    )


def _ends(domain: Piece) -> tuple[Number | None, Number | None]:
    low, high = domain.low, domain.high
    assert not hasattr(low, "zero_of")
    return low, high  # type: ignore[return-value]


def _outside(tried: Sequence[Fraction]) -> Iterator[Fraction]:
    """Numbers far below and above those that were tried."""
    if tried:
        yield from (min(tried) / 1000, max(tried) * 1000 + 1)


def _at(searched: SearchModel, relation: Relation, x: Number) -> Number | None:
    return (searched.at(x) or {}).get(relation.letter) if x in searched.domain else None


def neighbours(
    question: InverseQuestion, plan: EquationPlan, searched: SearchModel, at: Number
) -> Table | None:
    """What is to be least, and what it is made of, at the best number and beside it."""
    relation = extreme_of(question)
    given = question.given
    if relation is None:
        return None
    line = next((one for one in plan.lines if one.symbol == relation.letter), None)
    names = [] if line is None else [*dict.fromkeys(symbols(line.formula))]
    shown = [one for one in names if one in searched.live and one != given.letter]
    letters = [*shown[: COLUMNS - 1], relation.letter]
    units = {one: plan.problem.origin[one][0].unit for one in letters}
    beside = _beside(at, given.whole, searched.domain)
    known = {x: values for x in beside if (values := searched.at(x)) is not None}
    columns = [
        _column([values.get(one) for values in known.values()], units[one]) for one in letters
    ]
    marks = [
        relation.extreme if x == at else "" if searched.holds_at(x) else "not allowed"
        for x in known
    ]
    rows = zip(_column([*known], given.unit), *columns, marks, strict=True)
    header = (printed(given.letter), *map(printed, letters), "")
    why = _smooth(plan, searched, relation) if given.whole else ""
    return Table("Beside it", why, header, tuple(rows))


def flat(
    question: InverseQuestion, plan: EquationPlan, searched: SearchModel
) -> tuple[Reasoned, ...]:
    """Why something is least about where it is: its formula without roundings, the slope of that,
    and where it is 0. Nothing where that is said beside the neighbours, or is too long."""
    from ddcalc.formula.cas import slope, substituted, to_sympy
    from ddcalc.formula.zeros import zeros

    relation, x = extreme_of(question), question.given
    if relation is None or (x.whole and _smooth(plan, searched, relation)):
        return ()
    formula = _unrounded(plan, searched, relation)
    known = {one: searched.known.get(one) for one in {*symbols(formula)} - {x.letter}}
    is_open = any(isinstance(one, Fun | Cases) for one in nodes(formula))
    if is_open or len(known) >= LETTERS or None in known.values():
        return ()
    fallen = slope(formula, Sym(x.letter), plan.rank)
    numbers = {name: Fraction(value) for name, value in known.items() if value is not None}
    places = zeros(substituted(to_sympy(fallen), numbers), *_ends(searched.domain))
    if places is None or len(places) != 1 or len([*nodes(fallen)]) > PARTS_SHOWN:
        return ()
    at = amount(Approximate(close_to(places[0], DIGITS), SURE_OF), x.unit)
    called = question.compared[relation.name].called
    return (
        Reasoned(formula, f"{called}, without rounding" if x.whole else called),
        Reasoned(Rel("==", fallen, Num(0)), f"its slope in {printed(x.letter)} is 0"),
        Reasoned(Rel("==", Sym(x.letter), Sym(BOUND)), "solved, and rounded", {BOUND: at}),
    )


def _unrounded(plan: EquationPlan, searched: SearchModel, relation: Relation) -> Expr:
    """What is to be least without its roundings, in the unknown and what does not rest on it."""

    def plain(part: Expr) -> Expr | None:
        is_rounded = isinstance(part, Fun) and part.name in ("floor", "ceiling")
        return rewritten(part.parts()[0], plain) if is_rounded else None

    formula: Expr = Sym(relation.letter)
    for line in reversed(plan.lines):
        if line.symbol in searched.live:
            rule = rewritten(decided(line.formula, searched.known), plain)
            formula = substitute(formula, {line.symbol: rule})
    return formula


def _smooth(plan: EquationPlan, searched: SearchModel, relation: Relation) -> str:
    """What is to be least without its roundings, and where its slope is 0, where it is a sum of
    something that is divided by the unknown, and something that grows with it; else nothing."""
    from ddcalc.formula.cas import quotient_in

    formula = _unrounded(plan, searched, relation)
    known = {one: searched.known.get(one) for one in {*symbols(formula)} - {searched.letter}}
    if None in known.values() or any(isinstance(one, Fun | Cases) for one in nodes(formula)):
        return ""
    numbers = {one: Num(value) for one, value in known.items() if value is not None}
    made = quotient_in(searched.letter, substitute(formula, numbers))
    if made is None or len(made[0]) != 3 or len(made[1]) != 2 or made[1][1]:
        return ""
    (rises, fixed, falls), (by, _) = made
    rising, falling = Fraction(rises) / by, Fraction(falls) / by
    if min(rising, falling) <= 0:
        return ""
    unit = plan.problem.origin[relation.letter][0].unit
    shown = [amount_text(x, unit).lstrip("≈ ") for x in (Fraction(fixed) / by, rising, falling)]
    x = printed(searched.letter)
    at = amount_text(sqrt(falling / rising), COUNT)
    terms = f"{shown[0]} + " * bool(fixed) + f"{shown[1]} · {x} + {shown[2]}/{x}"
    slope = f"{x} {at}" if at.startswith(ABOUT) else f"{x} = {at}"
    return f"without rounding {printed(relation.letter)} = {terms}, whose slope is 0 at {slope}"


def _beside(at: Number, whole: bool, domain: Piece) -> Iterator[Number]:
    places = (at + by for by in NEAR) if whole else (at * by for by in FACTORS)
    yield from dict.fromkeys(x for x in places if x in domain)


def _column(values: Sequence[Number | None], unit: Unit) -> list[str]:
    """The *values* in one unit, if all are readable in it."""
    shown = iter(together([value for value in values if value is not None], unit))
    return ["no value" if value is None else next(shown).marked for value in values]
