"""What equations may use: functions, each declared once, and rules that define a quantity.

>>> K, m = Sym("K"), Sym("m")
>>> floor(K / m)
floor(Div(K, m))
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Final, Literal

from ddcalc.errors import BadEquation
from ddcalc.formula import expression
from ddcalc.formula.expression import BITS_PER_BYTE as BITS_PER_BYTE
from ddcalc.formula.expression import Add, Div, Fun, Mul, Neg, Number, Operand, symbols, wrap
from ddcalc.formula.expression import Expr as Expr
from ddcalc.formula.expression import Index as Index
from ddcalc.formula.expression import Num as Num
from ddcalc.formula.expression import Rel as Rel
from ddcalc.formula.expression import Sym as Sym
from ddcalc.numbers import irrational
from ddcalc.numbers.irrational import ratio, surely
from ddcalc.numbers.number import product as times

NOTHING = expression.Nothing()
NEVER = Rel("<", Num(1), Num(0))  # a condition that no numbers meet

FUNCTIONS: Final[dict[str, Function]] = {}
PRINTED: Final[dict[str, Function]] = {}  # those besides that are only written, never worked out


def _only_printed(*args: Any) -> Any:
    raise TypeError("a function that is only printed has no value")


class Function:
    """A function of the language, all that is known of it, the most in ``functions.toml``; called
    on formulas it writes one.

    Domains (:mod:`ddcalc.formula.domain`) and notations read here what they need. Where a domain
    has neither a rule of its own nor a fact to go by, it takes the *meaning*: the same in simpler
    functions. So a function that has a meaning needs nothing else but its *value*.
    """

    measures: Literal["", "alike", "place", "plain"] = ""
    symbol: str = ""
    rises: tuple[Number | float, Number | float, Number | float] | None = None
    text = latex = code = ""
    fence: bool = False

    def __init__(
        self,
        name: str,
        value: Callable[..., Any] = _only_printed,
        meaning: Callable[..., Expr] | None = None,
    ) -> None:
        """Its *value* is exact, or marked as approximate where that is no rational number; it
        raises ArithmeticError where there is none."""
        self.name, self.value, self.meaning = name, value, meaning
        vars(self).update(_AS_DATA.get(name, {}))
        (PRINTED if value is _only_printed else FUNCTIONS)[name] = self

    def __call__(self, *args: Operand) -> Expr:
        """The function of *args*."""
        return Fun(self.name, tuple(map(wrap, args)))


def fused(expr: Expr) -> Expr:
    """A root that is rounded to a whole number, or a quotient of logarithms, as the one function
    that it is."""
    match expr:
        case Fun(name, (Fun("sqrt", args),)) if f"{name}_sqrt" in FUNCTIONS:
            return Fun(f"{name}_sqrt", args)
        case Div(Fun("log", (x,)), Fun("log", (base,))):
            return Fun("logarithm", (x, base))
    return expr


_AS_DATA: Final = tomllib.loads(Path(__file__).with_name("functions.toml").read_text("utf-8"))
floor = Function("floor", surely(math.floor))
ceiling = Function("ceiling", surely(math.ceil), lambda x: -floor(-x))
largest = Function("max", lambda *xs: max(xs))
smallest = Function("min", lambda *xs: min(xs), lambda *xs: -largest(*(-x for x in xs)))
position_of_largest = Function("argmax", irrational.place_of_largest)
sqrt = Function("sqrt", irrational.sqrt, lambda x: x ** Fraction(1, 2))
exp = Function("exp", irrational.exp)
log = Function("log", irrational.log)
Function("logarithm", irrational.logarithm, lambda x, base: log(x) / log(base))
lambert = Function("lambert", irrational.lambert)
pi = Function("pi", irrational.pi)()
sin = Function("sin", irrational.sin)
Function("cos", lambda x: irrational.sin(irrational.pi() / 2 - x), lambda x: sin(pi / 2 - x))
floor_log2 = Function("floor_log2", surely(irrational.floor_log2))
ceiling_log2 = Function(
    "ceiling_log2", surely(irrational.ceiling_log2), lambda x: -floor_log2(1 / x)
)
factorial = Function("factorial", irrational.factorial)
Function(
    "binomial", irrational.binomial, lambda n, k: factorial(n) / (factorial(k) * factorial(n - k))
)
Function("floor_sqrt", surely(irrational.floor_sqrt), lambda x: floor(sqrt(x)))
Function("ceiling_sqrt", surely(irrational.ceiling_sqrt), lambda x: ceiling(sqrt(x)))
for _name in _AS_DATA.keys() - FUNCTIONS.keys():
    Function(_name)


def added_up(term: Operand, index: Index, first: Operand, last: Operand) -> Expr:
    """The sum of a *term* for an *index* that is *first*, and 1, 2, … more, up to *last*."""
    return Fun("sum", (wrap(term), index, wrap(first), wrap(last)))


def counted(term: Expr, index: Expr, at: Expr) -> Expr:
    """The *term* of a sum where its *index* is *at* something."""
    return expression.replace(term, lambda part: at if part == index else None)


def members(expr: Fun, first: Number, last: Number) -> Iterator[Expr]:
    """The terms of a sum from *first* to *last*, each without powers of 0 and 1."""
    term, index, *_ = expr.args

    def plain(part: Expr) -> Expr | None:
        match part:
            case expression.Pow(base, Num(times)) if times in (0, 1):
                return expression.replace(base, plain) if times else Num(1)
            case Fun("factorial", (Num(x),)) if x < 2:
                return Num(1)
        return None

    for i in range(int(last - first) + 1):
        yield without(expression.replace(counted(term, index, Num(first + i)), plain), (Num(1),))


def total(xs: Iterable[Expr]) -> Expr:
    """The sum of *xs*."""
    terms = tuple(term for x in xs for term in expression.terms_of(x))
    return Add(terms) if len(terms) != 1 else terms[0]


def _collected(
    parts: Iterable[Expr], start: Number, put: Callable[[Number, Number], Number]
) -> tuple[Number, list[tuple[Expr, int]]]:
    """The numbers among *parts*, *put* together, and the others with how often each is in."""
    numbers = [part.value for part in parts if isinstance(part, Num)]
    others = Counter(part for part in parts if not isinstance(part, Num))
    return reduce(put, numbers, start), list(others.items())


def added(total: Expr) -> Expr | Number:
    """A *total* with its numbers added up, in front, and equal terms taken together."""
    number, others = _collected(expression.terms_of(total), 0, add)
    terms = [one if n == 1 else Mul((Num(n), one)) for one, n in others]
    if not terms:
        return number
    parts = [Num(number), *terms] if number else terms
    return parts[0] if len(parts) == 1 else Add(tuple(parts))


def multiplied(product: Expr) -> Expr | Number:
    """A *product* with its numbers multiplied out, in front, and the powers of its letters."""
    number, others = _collected(expression.factors_of(product), 1, times)
    powers = [one if n == 1 else expression.Pow(one, Num(n)) for one, n in others]
    if not number or not powers:
        return number
    parts = powers if number == 1 else [Num(number), *powers]
    return parts[0] if len(parts) == 1 else Mul(tuple(parts))


def ordered(expr: Expr, key: Callable[[Expr], str]) -> Expr:
    """*expr* with every product sorted: its numbers as one, then by *key*, sums and functions last;
    and what it is over.

    >>> ordered(Sym("b") * Sym("a") / 2 * 3, repr)
    Div(Mul(3, a, b), 2)
    """
    if not isinstance(expr, Mul | Div | Neg):
        return expr.rebuilt(tuple(ordered(part, key) for part in expr.parts()))
    number: Number = 1
    factors: dict[bool, list[Expr]] = {True: [], False: []}
    for factor, above in _factors(expr, True):
        if isinstance(factor, Num) and (above or factor.value):
            number = times(number, factor.value) if above else ratio(number, factor.value)
        else:
            factors[above].append(ordered(factor, key))

    def product(number: int, factors: list[Expr]) -> Expr:
        factors.sort(key=lambda factor: (isinstance(factor, Add | Fun), key(factor)))
        members = [Num(number), *factors] if number != 1 or not factors else factors
        return Mul(tuple(members)) if len(members) > 1 else members[0]

    made = product(abs(number.numerator), factors[True])
    if number.denominator > 1 or factors[False]:
        made = Div(made, product(number.denominator, factors[False]))
    return Neg(made) if number < 0 else made


def _factors(expr: Expr, above: bool) -> Iterator[tuple[Expr, bool]]:
    """What *expr* is the product of, each with whether it stands *above* the line."""
    match expr:
        case Neg(arg):
            yield from ((Num(-1), True), *_factors(arg, above))
        case Div(top, bottom):
            yield from (*_factors(top, above), *_factors(bottom, not above))
        case Mul(args):
            yield from (factor for arg in args for factor in _factors(arg, above))
        case _:
            yield expr, above


def without(expr: Expr, ones: Collection[Expr], nones: Collection[Expr] = ()) -> Expr:
    """*expr* without factors and divisors that are one of *ones*, and terms that are one of
    *nones*, which nobody writes; what functions are of stays, but for what they round.

    >>> without(Sym("n") * Sym("k") / Sym("k") + Num(1) * Sym("m"), [Sym("k"), Num(1)])
    Add(n, m)
    >>> without(Sym("n") * (Sym("k") - 1), [Sym("k")])
    0
    """
    is_rounding = isinstance(expr, Fun) and expr.name in ("floor", "ceiling")
    if isinstance(expr, Fun | expression.Cases) and not is_rounding:
        return expr
    zero, parts = Num(0), tuple(without(part, ones, nones) for part in expr.parts())
    match expr:
        case Add():
            kept = tuple(part for part in parts if part not in nones and part != zero)
            if len(kept) == 2 and kept[0] in ones and kept[1] == Neg(Num(1)):
                return zero
            return Add(kept) if len(kept) > 1 else kept[0] if kept else zero
        case Mul() | Div() if any(part in nones or part == zero for part in parts):
            return zero
        case Div() if parts[1] in ones:
            return parts[0]
        case Mul() if any(part in ones for part in parts):
            kept = tuple(part for part in parts if part not in ones) or parts[:1]
            return Mul(kept) if len(kept) > 1 else kept[0]
    return expr.rebuilt(parts) if parts != expr.parts() else expr


def same(left: Operand, right: Operand) -> Rel:
    """The relation that *left* equals *right* (``==`` compares formulas)."""
    return Rel("==", wrap(left), wrap(right))


def cases(
    *given: tuple[Operand, Rel] | tuple[Operand, Rel, str], otherwise: Operand, why: str = ""
) -> Expr:
    """The first value whose test holds, else *otherwise*; each case may say why it applies."""
    branches = tuple(expression.Case(wrap(value), test, *reason) for value, test, *reason in given)
    for case in branches:
        if not isinstance(case.test, Rel):
            raise BadEquation(repr(case.test), "is not a relation; write same(a, b) for a == b")
    return expression.Cases(branches, wrap(otherwise), why)


@dataclass(frozen=True, slots=True)
class Boundary:
    """The value of the *unknown*, linear in it, at which both sides of a *relation* are equal: of a
    letter that grows until the relation changes its truth, or of the quantity itself (None)."""

    unknown: Sym | None
    relation: Rel


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest whole number, from 1 on, for which *relation* holds; none if none does.

    *boundary* is the quantity that a :class:`Boundary` of the same relation has defined, or, where
    the relation is not linear, the formula of the number itself, for where it is more than 1.
    *first* and *never* say why the answer is 1, or why there is none.
    """

    relation: Rel
    boundary: Expr
    first: str
    never: str = ""


Rule = Expr | Boundary | Least


def needed_by(rule: Rule) -> Iterator[str]:
    """The letters that a *rule* rests on; not that of what it asks for."""
    match rule:
        case Boundary(unknown, relation):
            yield from (letter for letter in symbols(relation) if Sym(letter) != unknown)
        case Least(boundary=boundary):
            yield from symbols(boundary)
        case _:
            yield from symbols(rule)
