"""For which value of a given something is least, or greatest: of whole numbers by search, each for
a better one than is known; of others where the slope is 0, by SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from ddcalc.ask.find.branching import SearchModel, model
from ddcalc.ask.find.by_hand import composed, quotient_of, written
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.nearest import outermost
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import SearchOutcome
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import close_to
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Rel, Sym, nodes, symbols
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as printed
from ddcalc.numbers.amounts import amount, amount_text, together
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.irrational import SURE, Approximate, sqrt
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, Unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.steps import BOUND, Reasoned, Table

DIGITS: Final = 20  # of a number at which a slope is 0
LETTERS: Final = 9  # of a formula whose slope is shown, at most,
PARTS_SHOWN: Final = 40  # and parts of its slope
COLUMNS: Final = 4  # of the table of neighbours, beside the number itself
NEAR: Final = (-1, 0, 1)  # neighbours of a whole number
FACTORS: Final = (Fraction(1, 2), Fraction(4, 5), 1, Fraction(5, 4), 2)  # and of others
NOT_FOUND: Final = "is not found; a sweep compares those of a range"


def extreme_of(question: InverseQuestion) -> Relation | None:
    """What is to be least or greatest, if anything is."""
    wanted = [one for one in question.relations if one.extreme]
    if len(wanted) > 1:
        raise BadValue(wanted[1].written, "one thing only can be least").about("where")
    return wanted[0] if wanted else None


def bounded(
    question: InverseQuestion, plan: EquationPlan
) -> tuple[InverseQuestion, SearchModel, SearchOutcome | None]:
    """The *question* with what is to be searched: of whole numbers those at which what is to be
    least is at most what it is at least; of others what came of the search.

    Raises NoAnswer where there is no such value, or it is not known.
    """
    relation = extreme_of(question)
    assert relation is not None
    others = tuple(one for one in question.relations if one is not relation)
    searched = model(replace(question, relations=others), plan)
    if not question.given.whole:
        end = _where_flat(plan, searched, relation)
        outcome = SearchOutcome(
            unknown=question.given,
            kind="only",
            end=end,
            reached=True,
            solutions=(Piece(end, end),),
            admitted=(searched.domain,),
            proof="the slope is 0 there alone",
        )
        return question, replace(searched, goals=()), outcome
    best = outermost(searched, question.relations, relation, relation.extreme or "least")
    if best is None:
        raise NoAnswer(relation.name, f"there is none, or it {NOT_FOUND}")
    made = replace(relation, bound=replace(relation.bound, value=best.value))
    relations = tuple(made if one is relation else one for one in question.relations)
    goals = tuple(one.formula for one in relations)
    return replace(question, relations=relations), replace(searched, goals=goals), None


def _where_flat(plan: EquationPlan, searched: SearchModel, relation: Relation) -> Number:
    """Where the slope of what is to be least is 0, or an end of what the given admits."""
    from ddcalc.formula.cas import exact, to_sympy
    from ddcalc.formula.zeros import zeros

    domain = searched.domain
    ends = domain.low, domain.high
    sample = Fraction(domain.sample())
    near = searched.at(sample)
    formula = None if near is None else written(relation.letter, plan, searched.live, near)
    places = None
    if formula is not None and searched.letter in symbols(formula):
        known = {n: searched.known[n] for n in symbols(formula) if n != searched.letter}
        form = to_sympy(formula, {n: exact(x) for n, x in known.items() if x is not None})
        slope = form.diff(*form.free_symbols)
        places = zeros(slope, *ends) if slope.free_symbols else []  # type: ignore[arg-type]
    if places is None:
        raise NoAnswer(relation.name, f"where it is {relation.extreme} {NOT_FOUND}")
    tried = [Fraction(close_to(one, DIGITS)) for one in places]
    tried += [Fraction(end) for end in ends if isinstance(end, int | Fraction) and end in domain]
    sign = 1 if relation.extreme == "least" else -1

    def costs(numbers: Iterable[Fraction]) -> dict[Fraction, Number]:
        worth = {x: (searched.at(x) or {}).get(relation.letter) for x in numbers if x in domain}
        return {x: sign * y for x, y in worth.items() if y is not None}

    allowed = {x: y for x, y in costs(tried).items() if searched.holds_at(x)}
    best = min(allowed, key=allowed.__getitem__, default=None)
    beyond = (min(tried) / 1000, max(tried) * 1000 + 1) if tried else ()
    if best is None or any(y < allowed[best] for y in costs((sample, *beyond)).values()):
        raise NoAnswer(relation.name, f"there is no {relation.extreme} one")
    return plain(best)


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
    from ddcalc.formula.cas import exact, slope, to_sympy
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
    numbers = {name: exact(value) for name, value in known.items() if value is not None}
    ends = searched.domain.low, searched.domain.high
    places = zeros(to_sympy(fallen, numbers), *ends)  # type: ignore[arg-type]
    if places is None or len(places) != 1 or len([*nodes(fallen)]) > PARTS_SHOWN:
        return ()
    place, solved = places[0], "solved"
    if not isinstance(place, int | Fraction):
        place, solved = Approximate(close_to(place, DIGITS), SURE), "solved, and rounded"
    at = amount(place, x.unit)
    called = question.compared[relation.name].called
    return (
        Reasoned(formula, f"{called}, without rounding" if x.whole else called),
        Reasoned(Rel("==", fallen, Num(0)), f"its slope in {printed(x.letter)} is 0"),
        Reasoned(Rel("==", Sym(x.letter), Sym(BOUND)), solved, {BOUND: at}),
    )


def _unrounded(plan: EquationPlan, searched: SearchModel, relation: Relation) -> Expr:
    """What is to be least without its roundings, in the unknown and what does not rest on it."""

    def unrounded(part: Expr) -> Expr | None:
        is_rounded = isinstance(part, Fun) and part.name in ("floor", "ceiling")
        return rewritten(part.parts()[0], unrounded) if is_rounded else None

    return composed(relation.letter, plan, searched.live, searched.known, unrounded)


def _smooth(plan: EquationPlan, searched: SearchModel, relation: Relation) -> str:
    """What is to be least without its roundings, and where its slope is 0, where it is a sum of
    something that is divided by the unknown, and something that grows with it; else nothing."""
    formula = _unrounded(plan, searched, relation)
    if any(isinstance(one, Fun | Cases) for one in nodes(formula)):
        return ""
    match quotient_of(formula, searched.letter, searched.known):
        case ([rises, fixed, falls], [by, 0]) if min(rises / by, falls / by) > 0:
            rising, falling = rises / by, falls / by
        case _:
            return ""
    unit = plan.problem.origin[relation.letter][0].unit
    shown = [amount_text(x, unit).lstrip("≈ ") for x in (fixed / by, rising, falling)]
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
