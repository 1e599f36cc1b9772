"""What equations may use: functions, each declared once, and rules that define a quantity.

>>> K, m = Sym("K"), Sym("m")
>>> floor(K / m)
floor(Div(K, m))
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, Final, Literal

from ddcalc.errors import BadEquation
from ddcalc.formula.expression import BITS_PER_BYTE as BITS_PER_BYTE
from ddcalc.formula.expression import (
    Add,
    Case,
    Cases,
    Div,
    Fun,
    Index,
    Mul,
    Neg,
    Nothing,
    Number,
    Operand,
    Pow,
    counted,
    factors_of,
    replace,
    symbols,
    terms_of,
    wrap,
)
from ddcalc.formula.expression import Expr as Expr
from ddcalc.formula.expression import Num as Num
from ddcalc.formula.expression import Rel as Rel
from ddcalc.formula.expression import Sym as Sym
from ddcalc.numbers import irrational
from ddcalc.numbers.irrational import ratio, surely
from ddcalc.numbers.number import product as times

NOTHING = Nothing()
NEVER = Rel("<", Num(1), Num(0))  # a condition that no numbers meet

FUNCTIONS: Final[dict[str, Function]] = {}
PRINTED: Final[dict[str, Function]] = {}  # those besides that are only written, never worked out


def _only_printed(*args: Any) -> Any:
    raise TypeError("a function that is only printed has no value")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Function:
    """A function of the language, all that is known of it; called on formulas it writes one.

    Domains (:mod:`ddcalc.formula.domain`) and notations read here what they need. Where a domain
    has neither a rule of its own nor a fact to go by, it takes the *meaning*: the same in simpler
    functions. So a function that has a meaning needs nothing else but its *value*.
    """

    name: str = field(kw_only=False)
    what: str = field(kw_only=False)
    value: Callable[..., Any] = _only_printed
    """Its exact value, marked as approximate where that is no rational number; ArithmeticError
    where there is none."""
    meaning: Callable[..., Expr] | None = None
    measures: Literal["", "alike", "place", "plain"] = ""
    """Arguments are *alike* and so is the value; or the value is a *place* among them; or all are
    *plain* numbers; else as its meaning says."""
    symbol: str = ""
    """Its name in SymPy, if that is another one; those that SymPy does not know are defined by
    their value."""
    rises: tuple[Number | float, Number | float, Number | float] | None = None
    """It rises all along: where it begins, what it is worth there, and in the end."""
    text: str = ""
    latex: str = ""
    mathml: str = ""
    code: str = ""
    """How it is written: a name before brackets, if it is not its own, or all of it, with {} for
    its arguments."""
    fence: bool = False
    """Whether what is written for it are fences around its arguments."""

    def __post_init__(self) -> None:
        (PRINTED if self.value is _only_printed else FUNCTIONS)[self.name] = self

    def __call__(self, *args: Operand) -> Expr:
        """The function of *args*."""
        return Fun(self.name, tuple(map(wrap, args)))


def fused(expr: Fun) -> Fun:
    """A root that is rounded to a whole number as the one function that it is."""
    match expr.args:
        case (Fun("sqrt", args),) if f"{expr.name}_sqrt" in FUNCTIONS:
            return Fun(f"{expr.name}_sqrt", args)
    return expr


# fmt: off
floor = Function(
    "floor", "The largest whole number that is at most x.",
    value=surely(math.floor), measures="alike",
    text="⌊{}⌋", latex=r"\lfloor{}\rfloor", mathml="⌊{}⌋", fence=True,
)
ceiling = Function(
    "ceiling", "The smallest whole number that is at least x.",
    value=surely(math.ceil), meaning=lambda x: -floor(-x), measures="alike",
    text="⌈{}⌉", latex=r"\lceil{}\rceil", mathml="⌈{}⌉", fence=True,
)
largest = Function(
    "max", "The largest of all.",
    value=lambda *xs: max(xs), measures="alike", symbol="Max", latex=r"\max", code="Max",
)
smallest = Function(
    "min", "The smallest of all.",
    value=lambda *xs: min(xs), meaning=lambda *xs: -largest(*(-x for x in xs)),
    measures="alike", symbol="Min", latex=r"\min", code="Min",
)
position_of_largest = Function(
    "argmax", "The number, counted from 1, of the largest of all; of the first, if several are.",
    value=irrational.place_of_largest, measures="place",
    text="position of max", latex=r"\text{position of } \max",
    mathml="<mtext>position of&#xA0;</mtext><mi>max</mi>",
)
sqrt = Function(
    "sqrt", "The square root of x, whose dimension must have one.",
    value=irrational.sqrt, meaning=lambda x: x ** Fraction(1, 2), rises=(0, 0, math.inf),
    text="√{}", latex=r"\sqrt{{{}}}", mathml="<msqrt>{}</msqrt>", code="sqrt({})",
)
exp = Function(
    "exp", "e to the power of x, a plain number.",
    value=irrational.exp, measures="plain", rises=(-math.inf, 0, math.inf),
    text="e^{}", latex=r"\mathrm{{e}}^{{{}}}", code="exp({})",
    mathml="<msup><mrow><mi mathvariant='normal'>e</mi></mrow><mrow>{}</mrow></msup>",
)
log = Function(
    "log", "The natural logarithm of x, a plain number.",
    value=irrational.log, measures="plain", rises=(0, -math.inf, math.inf), text="ln",
    latex=r"\ln", mathml="<mi>ln</mi>",
)
lambert = Function(
    "lambert", "Lambert's W of x, from −1/e on: the number w ≥ −1 for which w·e^w = x.",
    value=irrational.lambert, measures="plain", symbol="LambertW",
    text="W", latex="W", mathml="<mi>W</mi>",
)
floor_log2 = Function(
    "floor_log2", "How often 1 can be doubled without exceeding x: rounded down, exactly.",
    value=surely(irrational.floor_log2), measures="plain",
)
ceiling_log2 = Function(
    "ceiling_log2", "How often 1 must be doubled to reach x: rounded up, exactly.",
    value=surely(irrational.ceiling_log2), meaning=lambda x: -floor_log2(1 / x),
    measures="plain",
)
factorial = Function(
    "factorial", "1·2·…·x, of a whole number; also written x!.",
    value=irrational.factorial, measures="plain", text="{}!", latex="{}!",
    mathml="<mrow>{}<mo>!</mo></mrow>",
)
Function(
    "floor_sqrt", "The largest whole number that is at most the root; written floor(sqrt(x)).",
    value=surely(irrational.floor_sqrt), meaning=lambda x: floor(sqrt(x)),
)
Function(
    "ceiling_sqrt", "The smallest whole number that is at least the root: ceiling(sqrt(x)).",
    value=surely(irrational.ceiling_sqrt), meaning=lambda x: ceiling(sqrt(x)),
)
Function(
    "norm", "The length of a vector.",
    text="‖{}‖", latex=r"\lVert{}\rVert", mathml="‖{}‖", fence=True,
)
Function(
    "log2", "The logarithm to the base of two, of what is rounded.",
    text="log₂ {}", latex=r"\log_2 {}", code="log({}, 2)",
    mathml="<msub><mi>log</mi><mn>2</mn></msub><mspace width='0.17em'/>{}",
)
Function(
    "grad", "The gradient of f with an index, at a point.",
    text="∇f{}({})", latex=r"\nabla f_{{{}}}({})", code="grad({}, {})",
    mathml="<mo form='prefix'>∇</mo><msub><mi>f</mi><mrow>{0}</mrow></msub>{2}",
)
Function(
    "indexed", "A letter with its indices.",
    text="{}{}", latex="{}_{{{}}}", mathml="<msub>{}<mrow>{}</mrow></msub>", code="{}({})",
)
Function(
    "sum", "The sum of a term, over an index, from a number, to another one.",
    text="∑_{{{1}={2}}}^{{{3}}}\v {0}", latex=r"\sum_{{{1}={2}}}^{{{3}}} {0}",
    mathml="<munderover><mo>∑</mo><mrow>{1}<mo>=</mo>{2}</mrow><mrow>{3}</mrow></munderover>{0}",
    code="Sum({}, ({}, {}, {}))",
)
Function(
    "sum_over", "The sum of a term, over a set, whose members have these names.",
    text="∑_{{{2} ∈ {1}}}\v {0}", latex=r"\sum_{{{2} \in {1}}} {0}",
    mathml="<munder><mo>∑</mo><mrow>{2}<mo>∈</mo>{1}</mrow></munder>{0}", code="SumOver({}, {})",
)
# fmt: on


def added_up(term: Operand, index: Index, first: Operand, last: Operand) -> Expr:
    """The sum of a *term* for an *index* that is *first*, and 1, 2, … more, up to *last*."""
    return Fun("sum", (wrap(term), index, wrap(first), wrap(last)))


def members(expr: Fun, first: Number, last: Number) -> Iterator[Expr]:
    """The terms of a sum from *first* to *last*, each without powers of 0 and 1."""
    term, index, *_ = expr.args

    def plain(part: Expr) -> Expr | None:
        match part:
            case Pow(base, Num(times)) if times in (0, 1):
                return replace(base, plain) if times else Num(1)
            case Fun("factorial", (Num(x),)) if x < 2:
                return Num(1)
        return None

    for i in range(int(last - first) + 1):
        yield without(replace(counted(term, index, Num(first + i)), plain), (Num(1),))


def total(xs: Iterable[Expr]) -> Expr:
    """The sum of *xs*."""
    terms = tuple(term for x in xs for term in terms_of(x))
    return Add(terms) if len(terms) != 1 else terms[0]


def _collected(
    parts: Iterable[Expr], start: Number, put: Callable[[Number, Number], Number]
) -> tuple[Number, list[tuple[Expr, int]]]:
    """The numbers among *parts*, *put* together, and the others with how often each is in."""
    numbers = [part.value for part in parts if isinstance(part, Num)]
    others = Counter(part for part in parts if not isinstance(part, Num))
    return reduce(put, numbers, start), list(others.items())


def added(total: Expr) -> Expr | Number:
    """A *total* with its numbers added up, in front, and equal terms taken together.

    >>> added(Sym("p") + 1 + Sym("p") + 2)
    Add(3, Mul(2, p))
    """
    number, others = _collected(terms_of(total), 0, add)
    terms = [one if n == 1 else Mul((Num(n), one)) for one, n in others]
    if not terms:
        return number
    parts = [Num(number), *terms] if number else terms
    return parts[0] if len(parts) == 1 else Add(tuple(parts))


def multiplied(product: Expr) -> Expr | Number:
    """A *product* with its numbers multiplied out, in front, and the powers of its letters.

    >>> multiplied(Sym("eta") * 3 * Sym("eta") * 2)
    Mul(6, Pow(eta, 2))
    """
    number, others = _collected(factors_of(product), 1, times)
    powers = [one if n == 1 else Pow(one, Num(n)) for one, n in others]
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
    if isinstance(expr, Cases) or (isinstance(expr, Fun) and expr.name not in ("floor", "ceiling")):
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
    branches = tuple(Case(wrap(value), test, *reason) for value, test, *reason in given)
    for case in branches:
        if not isinstance(case.test, Rel):
            raise BadEquation(repr(case.test), "is not a relation; write same(a, b) for a == b")
    return Cases(branches, wrap(otherwise), why)


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
