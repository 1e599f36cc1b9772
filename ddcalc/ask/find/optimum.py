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
from ddcalc.ask.find.branching import MOST, WORK, NotSolved, SearchModel, model, search
from ddcalc.ask.find.by_hand import composed, quotient_of
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import SearchOutcome
from ddcalc.errors import BadValue, NoAnswer, OverLimit
from ddcalc.formula.algebraic import Root, close_to
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Rel, Sym, nodes, symbols
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as printed
from ddcalc.numbers.amounts import amount, amount_text, count_text, fitting, together
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.irrational import SURE, Approximate, OutOfReach
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import Table

DIGITS: Final = 20  # of a number at which a slope is 0
COLUMNS: Final = 4  # of the table of neighbours, beside the number itself and what else must hold
REACH: Final = 1_000  # how far away a neighbour is that the question admits
FACTORS: Final = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), 2)  # of others than whole ones
NONE: Final = "holds nowhere: there is always a better one, or none at all"
NOT_FOUND: Final = "is not found; a sweep compares those of a range"


def bounded(
    question: InverseQuestion, plan: EquationPlan
) -> tuple[InverseQuestion, SearchModel, SearchOutcome | None]:
    """The *question* with what is to be searched: of whole numbers those at which what is to be
    least is at most what it is at least; of others what came of the search.

    Raises NoAnswer where there is no such value, or it is not known, OverLimit where the search is
    given up.
    """
    relation, given = question.extreme, question.given
    assert relation is not None
    assert relation.extreme
    others = tuple(one for one in question.relations if one is not relation)
    searched = model(replace(question, relations=others), plan)
    if relation.letter not in searched.live:
        reason = f"does not depend on {given.name}, so it is {relation.extreme} anywhere"
        raise BadValue(relation.name, reason).about("where")
    if not given.whole:
        try:
            places = turning(searched, relation.letter, relation.extreme)
        except NotSolved:
            raise NoAnswer(relation.name, f"where it is {relation.extreme} {NOT_FOUND}") from None
        if not places:
            raise BadValue(relation.written, NONE).about("where")
        outcome = SearchOutcome(
            unknown=given,
            kind="only" if len(places) == 1 else "least",
            end=places[0],
            reached=True,
            solutions=tuple(Piece(x, x) for x in places),
            admitted=(searched.domain,),
            proof="it is compared where its slope is 0, and at all ends",
        )
        return question, replace(searched, goals=()), outcome
    value = _best_of_whole(question, searched, relation)
    made = replace(
        relation, bound=replace(relation.bound, value=beyond(value, relation.extreme, -1))
    )
    relations = tuple(made if one is relation else one for one in question.relations)
    goals = tuple(one.formula for one in relations)
    return replace(question, relations=relations), replace(searched, goals=goals), None


def _best_of_whole(question: InverseQuestion, searched: SearchModel, relation: Relation) -> Number:
    """The least, or greatest, value of what *relation* is about; raises as :func:`bounded`."""
    assert relation.extreme
    best = Best(searched, relation.letter, relation.extreme)
    sought = best.run(MOST, WORK)
    if sought.open and any(best.is_endless(piece) for piece in sought.open if piece.endless):
        raise BadValue(relation.written, NONE).about("where")
    if sought.open:
        unit = question.compared[relation.name].unit
        outcome = SearchOutcome(unknown=question.given)
        left = outcome.ranges(question.given.unit, sought.open)
        known = (
            ""
            if best.value is None
            else (
                f"; the {relation.extreme} so far is {amount_text(best.value, unit)} at "
                f"{question.given.name} = {amount(best.at, question.given.unit)}"
            )
        )
        pieces = f"{count_text(sought.examined)} intervals"
        reason = f"gave up after {pieces}: not decided is {left}{known}"
        raise OverLimit(reason).about("where")
    if best.value is None:
        raise NoAnswer(relation.name, f"no {question.given.name} fits all that is asked")
    return best.value


def neighbours(
    question: InverseQuestion, plan: EquationPlan, searched: SearchModel, at: Number
) -> Table | None:
    """What is to be least, what it is made of, and what must hold besides, at the best number,
    beside it, and at the nearest numbers that are better, but do not fit."""
    relation, given = question.extreme, question.given
    if relation is None:
        return None
    others = [one for one in question.relations if one is not relation]
    line = next((one for one in plan.lines if one.symbol == relation.letter), None)
    made = {} if line is None else dict.fromkeys(symbols(line.formula))
    shown = [one for one in made if one in searched.live and one != given.letter]
    asked = [one.letter for one in others if one.letter in searched.live]
    letters = [*dict.fromkeys([*shown[: COLUMNS - 1], relation.letter, *asked])]
    letters = [one for one in letters if one != given.letter]
    units = {one: plan.problem.origin[one][0].unit for one in letters}
    free = replace(searched, goals=())
    better = _better(free, relation, at) if others else ()
    beside = {at, *_beside(at, free), *(_nearest_of(better, at) if given.whole else ())}
    known = {x: values for x in sorted(beside) if (values := free.at(x)) is not None}
    columns = [
        _column([values.get(one) for values in known.values()], units[one]) for one in letters
    ]

    def mark(x: Number) -> str:
        if x == at:
            return relation.extreme
        names = {name: question.stated.problem.quantities[name].letter for one in question.relations
                 for name in one.names}  # fmt: skip
        values = {name: known[x].get(one) for name, one in names.items()}
        failing = [printed(one.letter) for one in others if not one.holds_among(values)]
        return f"{' and '.join(failing)} not allowed" if failing else ""

    marks = map(mark, known)
    rows = zip(_column([*known], given.unit), *columns, marks, strict=True)
    header = (printed(given.letter), *map(printed, letters), "")
    why = [_smooth(plan, free, relation, given)]
    if better:
        ranges = SearchOutcome(unknown=given, solutions=better).ranges(fitting(at, given.unit))
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


def _beside(at: Number, free: SearchModel) -> Iterator[Number]:
    """The nearest whole numbers that the question admits on both sides; of others some."""
    if not free.domain.whole:
        yield from (x for by in FACTORS if (x := at * by) in free.domain)
        return
    for step in (-1, 1):
        places = (at + step * by for by in range(1, REACH) if at + step * by in free.domain)
        yield from islice((x for x in places if _admits(free, x)), 1)


def _admits(free: SearchModel, x: Number) -> bool:
    try:
        return free.at(x) is not None
    except OutOfReach:
        return False


def _nearest_of(better: Sequence[Piece], at: Number) -> Iterator[Number]:
    """The nearest of the whole numbers that are *better*, below *at* and above."""
    below = [one.high for one in better if one.high is not None and one.high < at]
    above = [one.low for one in better if one.low is not None and one.low > at]
    yield from (end for end in (*below[-1:], *above[:1]) if not isinstance(end, Root))


def _column(values: Sequence[Number | None], unit: Unit) -> list[str]:
    """The *values* in one unit, if all are readable in it."""
    shown = iter(together([value for value in values if value is not None], unit))
    return ["no value" if value is None else next(shown).marked for value in values]
