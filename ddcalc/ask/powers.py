"""A quantity as a sum of powers of one letter, numbers before them: ``112 GB + 208 GB/p``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Final

from ddcalc.ask.working import Working
from ddcalc.formula.evaluation import decided, evaluate
from ddcalc.formula.expression import (
    Cases,
    Expr,
    Fun,
    Known,
    Num,
    Number,
    Sym,
    nodes,
    substitute,
    symbols,
)
from ddcalc.formula.expression import replace as rewritten
from ddcalc.numbers.amounts import Amount, amount
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import MONEY, ONE, TIME, Unit, base_unit, unit_named
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.steps import NUMBER, PutIn

ANYWHERE: Final = Fraction(10_007, 9_973)  # where no formula divides by zero
NEAR: Final = Fraction(1, 10**12)  # of two values that are irrational
Terms = Mapping[int, Fraction]  # what stands before each power


def composed(
    letter: str,
    plan: EquationPlan,
    live: set[str],
    known: Known,
    change: Callable[[Expr], Expr | None] = lambda _: None,
) -> Expr:
    """The equations that lead to *letter* put into each other, as far as they rest on *live* ones:
    with the branches that *known* numbers decide, and their parts as *change* has them."""
    formula: Expr = Sym(letter)
    for line in reversed(plan.lines):
        if line.symbol in live:
            made = rewritten(decided(line.formula, known), change)
            formula = substitute(formula, {line.symbol: made})
    return formula


def quotient_of(
    formula: Expr, unknown: str, known: Known
) -> tuple[list[Fraction], list[Fraction]] | None:
    """The coefficients of *formula* as a quotient of two polynomials in the *unknown*, the highest
    power first; None where it is none, or a letter has no exact number."""
    from ddcalc.ask.find.number_line import Piece, Undefined, Unsettled
    from ddcalc.ask.find.settled import Settled, coefficients

    def worked_out(part: Expr) -> Expr | None:
        if unknown in {*symbols(part)} or isinstance(part, Num):
            return None
        return Num(plain(Fraction(evaluate(part, known))))  # rounded, as all that is shown

    settled = Settled(Piece(ANYWHERE, ANYWHERE), unknown, {}, {})
    try:
        return coefficients(settled.of(rewritten(formula, worked_out)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, Undefined, Unsettled):
        return None  # something in it has no value


def powers(letter: str, of: str, cases: Sequence[Working]) -> Terms | None:
    """The sum of powers of the letter *of* that *letter* is in all of the *cases*; None where it is
    no such sum for all numbers, or not that alone changes it."""
    live = {of}
    if not (plan := cases[0].plan):
        return None
    for line in plan.lines:
        live |= {line.symbol} if live & {*symbols(line.formula)} else set()
    known = {name: x for name, x in cases[0].letters.items() if name not in live}
    terms = powers_in(composed(letter, plan, live, known), of, known)
    if terms is None:
        return None
    for x, worth in ((one.letters.get(of), one.letters.get(letter)) for one in cases):
        if x is None or worth is None or (x == 0 and min(terms) < 0):
            return None
        made = Fraction(sum(c * Fraction(x) ** power for power, c in terms.items()))
        if abs(made - Fraction(worth)) > NEAR * abs(made):
            return None
    return terms


def powers_in(formula: Expr, of: str, known: Known) -> Terms | None:
    """The sum of powers of the letter *of* that *formula* is, in which nothing else rests on it;
    None where it is no such sum."""
    is_open = any(isinstance(one, Fun | Cases) and of in symbols(one) for one in nodes(formula))
    made = None if is_open else quotient_of(formula, of, known)
    if made is None or any(made[1][1:]):
        return None
    over, below = made[0], len(made[1]) - 1
    terms = {len(over) - 1 - i - below: c / made[1][0] for i, c in enumerate(over) if c}
    return terms or {0: Fraction(0)}


def summed(terms: Terms, others: Terms, times: Number = 1) -> Terms:
    """The sum of *terms* and so many *times* the *others*."""
    made = {p: terms.get(p, Fraction(0)) + times * others.get(p, 0) for p in {**terms, **others}}
    return {power: c for power, c in made.items() if c}


def multiplied(terms: Terms, others: Terms) -> Terms:
    """The product of two sums."""
    made: Terms = {}
    for power, c in terms.items():
        made = summed(made, {power + other: c * d for other, d in others.items()})
    return made


def slope(terms: Terms) -> Terms:
    """The derivative of a sum."""
    return {power - 1: power * c for power, c in terms.items() if power}


def _sized(terms: Terms, unit: Unit, of: Unit) -> Iterator[tuple[int, Amount, bool]]:
    """Each power in a sum in *unit* and what stands before it, without sign, or below it, where
    that is a number of the letter's own unit *of*: ``t/(100 h)``."""
    for power in sorted(terms, key=lambda p: (terms[p] < 0, p < 0, abs(p))):
        worth, size = abs(terms[power]), unit.dimension / of.dimension**power
        is_below = size * of.dimension == ONE != of.dimension and worth != 0
        its = of if is_below else unit if size == unit.dimension else base_unit(size)
        its = unit_named("USD/h") if size == MONEY / TIME else its
        yield power, amount(plain(1 / worth if is_below else worth), its), is_below


def as_text(terms: Terms, x: str, unit: Unit, of: Unit) -> str:
    """``= 3 s + 2 s · x``."""
    parts, sign = list[str](), "="
    for power, put, is_below in _sized(terms, unit, of):
        raised = x if abs(power) == 1 else f"{x}^{abs(power)}"
        if is_below:
            part = f"{raised}/({put})"
        elif power > 0:
            part = raised if str(put) == "1" else f"{put} · {raised}"
        else:
            part = f"{put}/{raised}" if power else str(put)
        parts.append(f"{'−' * (terms[power] < 0)}{part}")
        sign = sign if put.exact else "≈"
    return f"{sign} {' + '.join(parts)}".replace("+ −", "− ")


def as_formula(
    terms: Terms, x: str, unit: Unit, of: Unit, taken: int = 0
) -> tuple[Expr, Mapping[str, PutIn]]:
    """The sum with letters for its amounts, and these; so many letters are *taken*."""
    numbers, parts = dict[str, PutIn](), list[Expr]()
    for power, shown, is_below in _sized(terms, unit, of):
        letter, put = Sym(x), Sym(f"{NUMBER}{taken + len(numbers)}")
        numbers[put.name] = shown
        raised = letter if abs(power) == 1 else letter ** abs(power)
        if is_below or power <= 0:
            part: Expr = raised / put if is_below else put / raised if power else put
        else:
            part = raised if str(shown) == "1" else put * raised
        parts.append(part if terms[power] > 0 else -part)
    return reduce(add, parts), numbers
