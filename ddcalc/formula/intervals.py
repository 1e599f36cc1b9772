"""Bounds of formulas while their letters move within bounds of their own: interval arithmetic
(Moore, Interval Analysis, 1966).

Bounds are never too narrow. Their ends are exact, and known to be reached or not, so that what is
rounded at an open end is rounded as it should be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import ceil, floor, inf
from typing import TypeAlias

from ddcalc.formula.algebra import FUNCTIONS, Function, Index, counted
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Operator, Rel, Sym
from ddcalc.numbers import irrational
from ddcalc.numbers.irrational import Approximate, factorial, floor_log2, pi, power, sin

FEW = 1_000  # terms of a sum that are looked at one by one
Limit: TypeAlias = Number | float  # a float is infinite
End: TypeAlias = tuple[Limit, bool]  # a limit, and whether it is reached
Whole: TypeAlias = Callable[[Number], int]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a formula is worth at least and at most, and whether it reaches that.

    It may have no value somewhere (*none*), or divide by zero (*fails*); *never* if nowhere else.
    """

    low: Limit
    high: Limit
    low_in: bool = True
    high_in: bool = True
    none: bool = False
    fails: bool = False

    @property
    def sure(self) -> bool:
        """Whether there is a number everywhere."""
        return not self.none and not self.fails

    @property
    def ends(self) -> tuple[End, End]:
        """Both ends."""
        return (self.low, self.low_in), (self.high, self.high_in)


ANYTHING = Bounds(-inf, inf, False, False)
NOWHERE = replace(ANYTHING, fails=True)
NO_VALUE = replace(ANYTHING, none=True)

Known = Mapping[str, Bounds]


def enclosed(expr: Expr, known: Known) -> Bounds:
    """Bounds of *expr*, given those of its letters."""
    return _Enclosures(known).of(expr)


def truth(relation: Rel, known: Known) -> tuple[bool, bool]:
    """Whether *relation* surely holds everywhere, and whether it may hold anywhere."""
    sure, may, defined = _Enclosures(known).truth(relation)
    return sure and defined, may


def of_number(value: Number) -> Bounds:
    """The bounds of a number: a point, a little around one that is rounded."""
    if type(value) is Approximate:
        exact = Fraction(value)
        margin = abs(exact) * irrational.MARGIN
        return Bounds(exact - margin, exact + margin)
    return Bounds(value, value)


class _Enclosures(Domain[Bounds]):
    def __init__(self, known: Known) -> None:
        self.known = known
        self.functions = {
            "max": _largest,
            "argmax": lambda *xs: Bounds(1, len(xs), fails=_fails(*xs)),
            "floor": lambda x: _rounded(x, floor, ceil),
            "floor_log2": _floor_log2,
            "factorial": _factorial,
            "pi": lambda: of_number(pi()),
            "sin": lambda x: replace(
                of_number(sin(x.low)) if x.low == x.high else Bounds(-1, 1), fails=not x.sure
            ),
        }

    def number(self, expr: Num) -> Bounds:
        return of_number(expr.value)

    def letter(self, name: str) -> Bounds:
        return self.known[name]

    def nothing(self) -> Bounds:
        return NO_VALUE

    def plus(self, left: Bounds, right: Bounds) -> Bounds:
        (low, low_in), (high, high_in) = map(_sum, left.ends, right.ends)
        return Bounds(low, high, low_in, high_in, fails=_fails(left, right))

    def times(self, left: Bounds, right: Bounds) -> Bounds:
        alike = left.low >= 0 and right.low >= 0  # then the other products lie between these
        pairs = zip(left.ends, right.ends, strict=True) if alike else product(left.ends, right.ends)
        return _hull([_product(x, y) for x, y in pairs], fails=_fails(left, right))

    def quotient(self, top: Bounds, bottom: Bounds) -> Bounds:
        return self.times(top, _inverse(bottom))

    def power(self, base: Bounds, exponent: Bounds) -> Bounds:
        """Powers with a whole exponent, and of positive bases; anything of others."""
        times = exponent.low
        whole = times == exponent.high and not isinstance(times, float) and times.denominator == 1
        if whole and times < 0:
            return _inverse(self.power(base, of_number(-int(times))))
        if not whole and base.low <= 0:
            return NOWHERE
        try:
            ends = [_raised(x, y) for x in base.ends for y in exponent.ends]
        except ArithmeticError:  # too large to hold
            return NOWHERE
        if whole and times % 2 == 0 and base.low < 0 < base.high:
            ends.append((0, True))
        return _hull(ends, fails=_fails(base, exponent))

    def function(self, expr: Fun) -> Bounds:
        match expr:
            case Fun("sum", (term, Index() as index, first, last)):
                return self.added_up(term, index, self.of(first), self.of(last))
        function = FUNCTIONS.get(expr.name)
        if function and function.rises:
            return _rising(function, *map(self.of, expr.args))
        return super().function(expr)

    def added_up(self, term: Expr, index: Index, first: Bounds, last: Bounds) -> Bounds:
        """A sum that begins with a known number: terms that are surely in it, and those that may
        be, of which each adds something or nothing."""
        if first.low != first.high or isinstance(first.low, float):
            return NOWHERE
        few, many = (max(0, end - first.low + 1) for end in (last.low, last.high))
        if last.high < first.low - 1:
            raise ArithmeticError("a sum that ends before it begins")
        most = floor(min(many if many <= FEW else few, FEW))
        every = [counted(term, index, Num(first.low + i)) for i in range(most)]
        members = [*map(self.of, every[: floor(few)])]
        others = [*map(self.maybe, every[floor(few) :])]
        more = [_hull([*one.ends, (0, True)], fails=one.fails) for one in others]
        if many >= most + 1:
            more.append(self.others(term, index, first.low, [*members, *others]))
        empty = Bounds(0, 0, fails=_fails(first, last) or last.low < first.low - 1)
        return reduce(self.plus, [*members, *more], empty)

    def maybe(self, expr: Expr) -> Bounds:
        """Bounds of what perhaps is not worked out, which then need not have a value."""
        try:
            return self.of(expr)
        except ArithmeticError:
            return NOWHERE

    def others(self, term: Expr, index: Index, first: Number, before: Sequence[Bounds]) -> Bounds:
        """What is added behind the terms *before*, of which the *first* is known, to an end that is
        far or not known: nothing or more, if each adds that, at most all that there is without
        end."""
        from ddcalc.formula.cas import without_end

        known = {**self.known, "#": Bounds(first + len(before), inf, high_in=False)}
        every = _Enclosures(known).of(counted(term, index, Sym("#")))
        most = without_end(term, index, first) if every.low >= 0 else None
        high = inf if most is None else most - sum(one.low for one in before)
        low = 0 if every.low >= 0 else -inf
        return Bounds(low, high, high_in=False, fails=every.fails and most is None)

    def unruled(self, expr: Expr) -> Bounds:
        return NOWHERE

    def cases(self, expr: Cases) -> Bounds:
        """All that the branches that may apply are worth."""
        branches: list[Bounds] = []
        fails = False
        for case in expr.cases:
            sure, may, defined = self.truth(case.test)
            fails = fails or not defined
            if may:
                branches.append(self.maybe(case.value))
            if sure:
                break
        else:
            branches.append(self.maybe(expr.otherwise))
        numbers = [bounds for bounds in branches if bounds is not NO_VALUE]
        hull = _hull([end for bounds in numbers for end in bounds.ends]) if numbers else NO_VALUE
        fails = fails or any(bounds.fails for bounds in branches)
        return replace(hull, none=any(bounds.none for bounds in branches), fails=fails)

    def truth(self, relation: Rel) -> tuple[bool, bool, bool]:
        """Whether it holds wherever both sides have a value, whether it may hold anywhere, and
        whether they have one everywhere."""
        left, right = self.of(relation.left), self.of(relation.right)
        return *_compared(relation.op, left, right), left.sure and right.sure


def _fails(*args: Bounds) -> bool:
    return not all(arg.sure for arg in args)


def _compared(op: Operator, left: Bounds, right: Bounds) -> tuple[bool, bool]:
    """Whether a relation surely holds everywhere, and whether it may hold anywhere."""
    if op in (">", ">="):
        return _compared("<" if op == ">" else "<=", right, left)
    if op == "==":
        same = left.low == left.high == right.low == right.high
        return same, _compared("<=", left, right)[1] and _compared("<=", right, left)[1]
    meet = left.low_in and right.high_in
    if op == "<=":
        return left.high <= right.low, left.low < right.high or (left.low == right.high and meet)
    apart = not (left.high_in and right.low_in)
    return left.high < right.low or (left.high == right.low and apart), left.low < right.high


def _hull(ends: Iterable[End], *, fails: bool = False) -> Bounds:
    """The bounds that just hold all *ends*, and what is around those that are rounded."""
    spread = (of_number(end[0]).ends if type(end[0]) is Approximate else (end,) for end in ends)
    wide = [end for every in spread for end in every]
    low, high = min(x for x, _ in wide), max(x for x, _ in wide)
    low_in, high_in = (any(x_in for x, x_in in wide if x == end) for end in (low, high))
    return Bounds(low, high, low_in, high_in, fails=fails)


def _sum(a: End, b: End) -> End:
    """The sum of two ends, both finite or infinite alike."""
    (x, x_in), (y, y_in) = a, b
    if isinstance(x, float) or isinstance(y, float):
        return (x if isinstance(x, float) else y), False
    return x + y, x_in and y_in


def _product(a: End, b: End) -> End:
    """The product of two ends; 0 times anything is 0, as all numbers between are finite."""
    (x, x_in), (y, y_in) = a, b
    if x == 0 or y == 0:
        return 0, (x == 0 and x_in) or (y == 0 and y_in)
    if isinstance(x, float) or isinstance(y, float):
        return (inf if (x > 0) == (y > 0) else -inf), False
    return x * y, x_in and y_in


def _raised(base: End, exponent: End) -> End:
    (x, x_in), (y, y_in) = base, exponent
    if not isinstance(x, float) and not isinstance(y, float):
        return power(x, y), x_in and y_in
    if x == 1 or y == 0:
        return 1, y == 0 and y_in
    if x == -inf:
        return (x if y % 2 else inf), False
    return (inf if (x > 1) == (y > 0) else 0), False


def _inverse(a: Bounds) -> Bounds:
    """One over *a*; where *a* is 0 it fails. Raises ZeroDivisionError where it is 0 throughout."""
    if a.low == a.high == 0:
        if a.none:
            return NOWHERE
        raise ZeroDivisionError
    fails = not a.sure or a.low < 0 < a.high or any(x == 0 and x_in for x, x_in in a.ends)
    if a.low < 0 < a.high:
        return replace(ANYTHING, fails=fails)
    ends: list[End] = []
    for x, x_in in a.ends:
        if x == 0:
            ends.append((inf if a.high > 0 else -inf, False))
        else:
            ends.append((0, False) if isinstance(x, float) else (1 / Fraction(x), x_in))
    return _hull(ends, fails=fails)


def _largest(*args: Bounds) -> Bounds:
    low, high = max(a.low for a in args), max(a.high for a in args)
    low_in = all(a.low_in for a in args if a.low == low)
    high_in = any(a.high_in for a in args if a.high == high)
    return Bounds(low, high, low_in, high_in, fails=_fails(*args))


def _rounded(a: Bounds, down: Whole, up: Whole) -> Bounds:
    """What is rounded *down*; an end that is not reached counts as one that comes before it."""
    low = a.low if isinstance(a.low, float) else down(a.low)
    high = a.high
    if not isinstance(high, float):
        high = down(high) if a.high_in else up(high) - 1
    return Bounds(low, high, fails=not a.sure)


def _floor_log2(a: Bounds) -> Bounds:
    if a.high <= 0:
        return NOWHERE
    outside = a.low < 0 or (a.low == 0 and a.low_in)
    known = a if a.low > 0 else replace(a, low=-inf)
    made = _rounded(known, floor_log2, irrational.ceiling_log2)
    return replace(made, fails=outside or not a.sure)


def _rising(function: Function, a: Bounds) -> Bounds:
    """A function that rises all along, of what is known at the ends."""
    assert function.rises
    start, least, most = function.rises
    outside = a.low < start or (a.low == start and a.low_in and least == -inf)
    low = least if a.low <= start else _around(function.value, a.low, least).low
    high = _around(function.value, a.high, most).high if a.high > start else least
    return Bounds(low, high, fails=outside or not a.sure)


def _around(function: Callable[[Number], Number], x: Limit, otherwise: Limit) -> Bounds:
    """Bounds of the value at *x*; *otherwise* where there is none."""
    with suppress(ArithmeticError):
        if not isinstance(x, float):
            return of_number(function(x))
    return Bounds(otherwise, otherwise)


def _factorial(a: Bounds) -> Bounds:
    """Of whole numbers: nothing is said of others."""
    if a.low < 0 or isinstance(a.low, float):
        return NOWHERE
    low = _around(factorial, ceil(a.low), inf).low
    high = inf if isinstance(a.high, float) else _around(factorial, floor(a.high), inf).high
    return Bounds(low, max(low, high), fails=not a.sure or a.low != a.high)
