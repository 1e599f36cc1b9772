"""A quantity as a sum of powers of one letter, numbers before them: ``112 GB + 208 GB/p``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import chain, product
from operator import add
from typing import Any, Final

from ddcalc.formula import expression
from ddcalc.formula.algebra import sqrt
from ddcalc.formula.evaluation import decided, evaluate
from ddcalc.formula.expression import Expr, Fun, Known, Num, Number, Sym, nodes, substitute, symbols
from ddcalc.numbers.amounts import ROUNDED, Amount, amount, common, in_unit
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, MONEY, ONE, TIME, Dimension, Unit, base_unit, unit_named
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.said.steps import NUMBER, PutIn

FINE: Final = 5  # digits of what leads to the usual ones
HALF: Final = Fraction(1, 2)
EXACT: Final = 10**15  # a denominator from which on a number was rounded
_MEASURED: Final = ("data", "money", "euros", "work", "mass", "energy")
_AMOUNTS: Final = (TIME, *(Dimension(**{one: 1}) for one in _MEASURED))
READ: Final = (ONE, *_AMOUNTS, *(one / TIME for one in (ONE, *_AMOUNTS[1:])))  # by people
_MONEY_HOURS: Final = Unit("USD·h", 3600, MONEY * TIME, "")
InNumbers = tuple[Expr, Mapping[str, PutIn]]
Terms = Mapping[Number, Fraction]  # what stands before each power in a sum


def composed(
    formula: Expr,
    plan: EquationPlan,
    live: set[str],
    known: Known,
    change: Callable[[Expr], Expr | None] = lambda _: None,
) -> Expr:
    """The equations that lead to *formula* put into it, as far as they rest on *live* letters: with
    the branches that *known* numbers decide, and their parts as *change* has them."""
    for line in reversed(plan.lines):
        if line.symbol in live & {*symbols(formula)}:
            made = expression.replace(decided(line.formula, known), change)
            formula = substitute(formula, {line.symbol: made})
    return formula


def form_of(formula: Expr, live: Collection[str], known: Known) -> Any:
    """*formula* as SymPy's quotient of two sums of powers of *live* letters, which are positive;
    None where it is none, is rounded or chosen, or another letter has no number."""
    from ddcalc.formula.cas import to_sympy
    from ddcalc.formula.zeros import sums_of

    def changed(part: Expr) -> Expr | None:
        if isinstance(part, Num) or not {*live}.isdisjoint(symbols(part)):
            return None
        return Num(plain(Fraction(evaluate(part, known))))  # rounded, as all that is shown

    with suppress(ArithmeticError, LookupError, TypeError):
        formula = expression.replace(formula, changed)
        functions = {one.name for one in nodes(formula) if isinstance(one, Fun)}
        form = to_sympy(formula) if functions <= {"sqrt"} else None  # SymPy ponders on others
        return form if form is None or sums_of(form) else None
    return None


def terms_of(form: Any) -> Terms:
    """The sum of powers that SymPy's *form* is; empty where it is none, but a quotient."""
    from ddcalc.formula.zeros import sums_of

    over, under = sums_of(form)
    made = {power: Fraction(by) for power, by in over.items()} or {0: Fraction(0)}
    return made if len(under) == 1 else {}


def powers_in(formula: Expr, of: str, known: Known) -> Terms:
    """The sum of whole powers of the letter *of* that *formula* is, in which nothing else rests on
    it; empty where it is no such sum."""
    form = form_of(formula, {of}, known)
    terms = {} if form is None else terms_of(form)
    return terms if all(power.denominator == 1 for power in terms) else {}


def order(formula: Expr, of: str) -> list[Number]:
    """The powers of the letter *of* as they come in *formula*, if that is a sum of powers."""
    every = [order(one, of) for one in formula.parts()]
    if isinstance(formula, expression.Add | expression.Neg):
        return [*dict.fromkeys(chain(*every))]
    sign = -1 if isinstance(formula, expression.Div) else 1
    by = getattr(getattr(formula, "exponent", None), "value", 1)
    made = (first * by + sign * sum(more) for first, *more in product(*every)) if every else ()
    return [*dict.fromkeys(made)] or [int(formula == Sym(of))]


def divisor(condition: expression.Rel, rules: Mapping[str, Expr], letter: str, known: Known) -> int:
    """The number whose multiples are those for which *condition* holds, which says that something
    is whole; 0 where it does not, or not of a multiple of *letter*."""
    formula = condition.left
    if condition.op != "==" or condition.right != Fun("floor", (formula,)):
        return 0
    for name, rule in reversed([*rules.items()]):
        formula = substitute(formula, {name: rule})
    terms = powers_in(formula, letter, known)
    return terms[1].denominator if [*terms] == [1] and terms[1].denominator < EXACT else 0


def sized(
    terms: Terms, unit: Unit, of: Unit, digits: int = ROUNDED
) -> Iterator[tuple[Number, Amount, bool]]:
    """Each power in a sum in *unit*, and what stands before it, without sign; or what it is divided
    by, where people read that: ``S/(2 GB/s)``. The letter has the unit *of*."""
    for power in terms:
        worth, size = abs(terms[power]), unit.dimension / of.dimension**power
        is_rate = size != TIME and (size not in READ or size.time != 0)
        is_slope = power == 0 and ONE / size == of.dimension == TIME
        is_below = is_slope or (power > 0 and is_rate and ONE / size in READ)
        size = ONE / size if is_below else size
        usual = {of.dimension: of} if of.dimension == TIME else {}
        usual |= {unit.dimension: unit, MONEY / TIME: unit_named("USD/h")}
        its = {**usual, MONEY * TIME: _MONEY_HOURS}.get(size) or base_unit(size)
        shown = plain(Fraction(1) / worth if is_below and worth else worth)
        yield power, amount(shown, its, digits=digits), is_below


def to_power(base: Expr, exponent: Fraction) -> Expr:
    """A positive power of *base*, as one writes it."""
    if exponent == HALF:
        return sqrt(base)
    return base if exponent == 1 else base ** Num(plain(exponent))


def as_formula(
    terms: Terms, x: str, unit: Unit, of: Unit, told: Sequence[Number] = (), taken: int = 0
) -> InNumbers:
    """The sum with letters for its amounts, and these; its powers as they are *told*, what is
    subtracted last. So many letters are *taken*."""
    numbers, parts, place = dict[str, PutIn](), list[Expr](), {p: i for i, p in enumerate(told)}
    first = sorted(terms, key=lambda p: (terms[p] < 0, place.get(p, len(place)), p < 0, abs(p)))
    for power, shown, is_below in sized({power: terms[power] for power in first}, unit, of):
        letter, put = Sym(x), Sym(f"{NUMBER}{taken + len(numbers)}")
        numbers[put.name] = shown
        raised = to_power(letter, abs(Fraction(power)))
        if is_below or power <= 0:
            raised = raised if power else Num(1)
            part: Expr = raised / put if is_below else put / raised if power else put
        else:
            part = raised if str(shown) == "1" else put * raised
        parts.append(part if terms[power] > 0 else -part)
    return reduce(add, parts), numbers


def root(terms: Terms, unit: Unit, of: Unit) -> InNumbers | None:
    """For which letter the sum of two powers is 0, as the root of a quotient in numbers; None where
    there are more, or it measures what nobody reads."""
    if len(terms) != 2:
        return None
    low, high = sorted(terms)
    power, is_count = plain(Fraction(high) - low), of.dimension == ONE
    sizes = sized(terms, unit, of, ROUNDED if abs(terms[high]) == 1 else FINE)
    shown = {place: (put, is_below) for place, put, is_below in sizes}
    (one, is_odd), (other, is_below) = shown[low], shown[high]
    if is_odd or not (is_count or (power, low) in ((1, 0), (1, -1), (2, -1))):
        return None
    if is_count and one.unit != other.unit and (its := common([one.value, other.value], unit)):
        one, other = in_unit(one.value, its, FINE), in_unit(other.value, its, FINE)
    if is_count and one.unit == other.unit:
        one, other = replace(one, unit=""), replace(other, unit="")
    top, under = Sym(f"{NUMBER}t"), Sym(f"{NUMBER}u")
    if (other.number, other.unit, is_below) == ("1", "", False) and (one.exact or not is_count):
        return (sqrt(top) if power == 2 else top), {top.name: one}
    inner = top * under if is_below else top / under
    return to_power(inner, 1 / Fraction(power)), {top.name: one, under.name: other}


def quadratic(terms: Terms, x: str, unit: Unit, of: Unit) -> InNumbers | None:
    """The sum of three powers times one of them as a quadratic in the letter *x*, a number of *of*;
    None where it is none."""
    low, *others = sorted(terms or [0])
    if others != [low + 1, low + 2]:
        return None
    parts, numbers = list[Expr](), dict[str, PutIn]()
    sizes = [terms[place] * Fraction(of.worth) ** i for i, place in enumerate((low, *others))]
    its = COUNT if unit.dimension == ONE else common([*map(abs, sizes)], unit) or unit
    size = Fraction(its.worth) * (1 if sizes[2] > 0 else -1)
    for i in (2, 1, 0):
        it: Terms = {i: sizes[i] / size}
        part, put = as_formula(it, x, COUNT, COUNT, (), len(numbers))
        parts, numbers = [*parts, part], {**numbers, **put}
    return reduce(add, parts), numbers
