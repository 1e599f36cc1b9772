"""Formulas over a piece of the number line in which nothing jumps or turns: SymPy's quotients of
polynomials in the unknown, or its formulas. Where something does, that is where to cut it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cmp_to_key, partial
from operator import add, mul, sub, truediv
from typing import Any, Final

from ddcalc.ask.find.number_line import Cut, Piece, Undefined, Unsettled
from ddcalc.formula import zeros
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.formula.algebraic import Edge, at_least, at_most
from ddcalc.formula.cas import to_sympy
from ddcalc.formula.domain import Domain
from ddcalc.formula.evaluation import compared
from ddcalc.formula.expression import Cases, Expr, Fun, Known, Num, Number, Rel, Sym
from ddcalc.formula.zeros import LETTER, RING, number_of, roots, sign_at
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import Approximate

STEEPEST = 64  # the degree of a polynomial, at most
LONG = 10**40  # no denominator of an exact number
LEVELS: Final[Mapping[str, tuple[Callable[[int], Number], int]]] = {
    "floor": (lambda k: k, -1),
    "floor_sqrt": (lambda k: k * abs(k), 0),
    "floor_log2": (lambda k: Fraction(2) ** k, 1),
}
"""What each rounding is of where it becomes the number k (rounded up, what lies behind that), and
the least sign of that."""
CURVES: Final = {"log": 1, "exp": -1}  # with the least sign of what they are of

_FIELD: Any = RING.to_field()
_QUOTIENT: Any = type(_FIELD.one)
# what comes again in each piece: exact numbers, and what they and other formulas come to
_in_field: Any = remembered(_FIELD)
_sum, _difference, _product, _ratio = map(remembered, (add, sub, mul, truediv))


class Settled(Domain[Any]):
    """Formulas while the *unknown* is in *piece*, None where they have no value; *rules* define
    other letters, and *known* are the numbers of what does not rest on the unknown."""

    def __init__(self, piece: Piece, unknown: str, rules: Mapping[str, Expr], known: Known) -> None:
        self.piece, self.rules, self.given = piece, rules, known
        self.asked = 0  # how often SymPy was asked for zeros, which takes long
        self.made: dict[str, Any] = {unknown: _FIELD(LETTER)}
        self.functions = {
            "max": lambda *xs: xs[self._largest(xs)],
            "argmax": lambda *xs: _constant(self._largest(xs) + 1),
            **{name: partial(self._curve, name) for name in CURVES},
        }
        ways = (name.replace("floor", way) for name in LEVELS for way in ("floor", "ceiling"))
        self.functions |= {name: partial(self._rounded, name) for name in ways}

    def number(self, expr: Num) -> Any:
        return _constant(expr.value)

    def letter(self, name: str) -> Any:
        if name not in self.made:
            if name in self.rules:
                self.made[name] = self.of(self.rules[name])
            else:
                number = self.given[name]
                self.made[name] = None if number is None else _constant(number)
        return self.made[name]

    def nothing(self) -> None:
        return None

    def plus(self, left: Any, right: Any) -> Any:
        return _sum(*_alike(left, right))

    def times(self, left: Any, right: Any) -> Any:
        return _short(_product(*_alike(left, right)))

    def quotient(self, top: Any, bottom: Any) -> Any:
        over, under = _alike(top, bottom)
        if self._sign(under) == 0:
            raise Undefined
        return _short(_ratio(over, under))

    def power(self, base: Any, exponent: Any) -> Any:
        base, exponent = _sure(base), _sure(exponent)
        times = _number(exponent)
        if times is None or times.denominator != 1:
            if self._sign(base) < (times is None or times < 0):
                raise Undefined
            return _exact(_form(base) ** _form(exponent))
        if times < 0:
            return self.power(self.quotient(_constant(1), base), _constant(-times))
        if times > STEEPEST and _number(base) is None:
            raise Unsettled
        return _short(base ** int(times))

    def cases(self, expr: Cases) -> Any:
        for case in expr.cases:
            if self.holds(case.test):
                return self.of(case.value)
        return self.of(expr.otherwise)

    def unruled(self, expr: Expr) -> Any:
        raise Unsettled

    def holds(self, relation: Rel) -> bool:
        """Whether *relation* holds everywhere in the piece, where it else fails everywhere."""
        sides = [*map(self.of, relation.parts())]
        defined = all(side is not None for side in sides)
        return defined and compared(relation.op, self._compared(*sides), 0)

    def _compared(self, left: Any, right: Any) -> int:
        return self._sign(_difference(*_alike(left, right)))

    def _largest(self, xs: Sequence[Any]) -> int:
        """Where the largest stands; the first of equal ones."""
        worth = cmp_to_key(self._compared)
        return max(range(len(xs)), key=lambda i: worth(xs[i]))

    def _sign(self, form: Any, least: int = -1) -> int:
        """The sign of *form* everywhere in the piece; Undefined unless it is *least* at least."""
        if not self.piece.is_point:
            self._cut(self._zeros(form))
        at: Any = self.piece.low if self.piece.is_point else self.piece.middle()
        if isinstance(form, _QUOTIENT):
            sign = sign_at(form.numer, at) * sign_at(form.denom, at)
        else:
            sign = zeros.sign(form, at)
        if sign < least:
            raise Undefined
        return sign

    def _zeros(self, form: Any) -> Sequence[Edge]:
        """Where *form* is 0 or divides by 0, in the piece or elsewhere."""
        if isinstance(form, _QUOTIENT):
            parts = [part for part in (form.numer, form.denom) if not part.is_ground]
            return [place for part in parts for place in roots(part)]
        self.asked += 1
        low, high = self.piece.low, self.piece.high
        ends = None if low is None else at_most(low), None if high is None else at_least(high)
        places = zeros.zeros(form, *ends) if form.free_symbols else []
        if places is None:
            raise Unsettled
        return places

    def turning(self, name: str) -> tuple[Any, list[Edge], list[tuple[Any, Any]]]:
        """The letter *name* as SymPy's formula, where it is flat, and its limits at open ends."""
        form, piece = _sure(self.letter(name)), self.piece
        slope = form.diff((_FIELD.gens if isinstance(form, _QUOTIENT) else _FIELD.symbols)[0])
        flat, form = [place for place in self._zeros(slope) if place in piece], _form(form)
        ends = (piece.low, piece.low_in, 1), (piece.high, piece.high_in, -1)
        near = [(zeros.limit(form, end, i), end) for end, own, i in ends if end is None or not own]
        return form, flat, near

    def _cut(self, places: Iterable[Edge]) -> None:
        if inside := sorted(place for place in places if place in self.piece):
            raise Cut(inside)

    def _curve(self, name: str, x: Any) -> Any:
        """A function that SymPy knows, of *x*."""
        if CURVES[name] >= 0:
            self._sign(_sure(x), CURVES[name])
        return _exact(to_sympy(Fun(name, (Sym("x"),)), {"x": _form(_sure(x))}))

    def _rounded(self, name: str, x: Any) -> Any:
        """*x* rounded by the function *name*: the number that it is everywhere in the piece."""
        down, piece = name.replace("ceiling", "floor"), self.piece
        level, least = LEVELS[down]
        if not isinstance(_sure(x), _QUOTIENT):
            raise Unsettled
        if least >= 0:
            self._sign(x, least)
        rounding, step = FUNCTIONS[name].value, 1 if name == down else -1
        near = rounding(_at(x, piece.middle()))
        if _number(x) is not None:
            return _constant(near)

        def above(k: int) -> Any:
            return _difference(x, _constant(level(k)))

        if piece.is_point:  # it may be a jump
            return _constant(near + step * (self._sign(above(near + step)) * step >= 0))
        jumps = [x for x in self._zeros(above(near)) if x not in (piece.low, piece.high)]
        self._cut([*jumps, *self._zeros(above(near + step))])
        return _constant(near)


class Beyond(Settled):
    """Towards infinity, where roundings jump without end: the two quotients between which a formula
    is, as what is rounded is less than 1 away."""

    def of(self, expr: Expr) -> Any:
        made = super().of(expr)
        return made if made is None or isinstance(made, tuple) else (made, made)

    def plus(self, left: Any, right: Any) -> Any:
        return tuple(map(super().plus, _sure(left), _sure(right)))

    def times(self, left: Any, right: Any) -> Any:
        return self._span(super().times, left, right)

    def quotient(self, top: Any, bottom: Any) -> Any:
        if len({self._sign(end) for end in _sure(bottom)}) > 1:
            raise Unsettled
        return self._span(super().quotient, top, bottom)

    def power(self, base: Any, exponent: Any) -> Any:
        times, most = map(_number, _sure(exponent))
        if times is None or times != most or times not in range(1, STEEPEST):
            raise Unsettled
        return self.product([base] * int(times))

    def _span(self, rule: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        made = [*dict.fromkeys(rule(x, y) for x in _sure(left) for y in _sure(right))]
        return tuple(made[self._largest([(by * x,) * 2 for x in made])] for by in (-1, 1))

    def _compared(self, left: Any, right: Any) -> int:
        (low, high), (least, most) = _sure(left), _sure(right)
        signs = {super()._compared(low, most), super()._compared(high, least)}
        if len(signs) > 1:
            raise Unsettled
        return signs.pop()

    def _rounded(self, name: str, x: Any) -> Any:
        if name not in ("floor", "ceiling"):
            raise Unsettled
        up = name == "ceiling"
        return self.plus(x, (_constant(up - 1), _constant(up)))

    _curve = _rounded  # of which nothing is known either


def _constant(number: Number) -> Any:
    """A number as a quotient; a rounded one as SymPy's, whose zeros are no exact ones either."""
    return to_sympy(Num(Fraction(number))) if type(number) is Approximate else _in_field(number)


def _sure(x: Any) -> Any:
    """*x*, which must have a value."""
    if x is None:
        raise Undefined
    return x


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """Both of them quotients of polynomials, or both SymPy's formulas."""
    if isinstance(_sure(left), _QUOTIENT) and isinstance(_sure(right), _QUOTIENT):
        return left, right
    return _form(left), _form(right)


def _form(form: Any) -> Any:
    return form.as_expr() if isinstance(form, _QUOTIENT) else form


def _exact(form: Any) -> Any:
    """SymPy's *form*, as a quotient where it is a number."""
    return _constant(number_of(form)) if form.is_Rational and abs(form.q) < LONG else form


def _short(form: Any) -> Any:
    """*form*, unless it is too long a quotient to be worked with."""
    if isinstance(form, _QUOTIENT) and max(form.numer.degree(), form.denom.degree()) > STEEPEST:
        raise Unsettled
    return form


def _number(form: Any) -> Number | None:
    """The number that *form* is; None where the unknown stands in it."""
    if not isinstance(form, _QUOTIENT) or not (form.numer.is_ground and form.denom.is_ground):
        return None
    return _at(form, 0)


def _at(form: Any, x: Number) -> Number:
    at = RING.domain(x)
    return number_of(form.numer(at) / form.denom(at))
