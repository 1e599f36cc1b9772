"""Expressions exactly as written: nothing is sorted, distributed or cancelled.

Equations are written with these, so that an explanation can show the formula its author wrote.
Algebra is SymPy's business (:mod:`ddcalc.formula.cas`); nothing here imports it.

>>> p, S = Sym("p"), Sym("S")
>>> 2 * (p - 1) / p * S
Mul(Div(Mul(2, Add(p, Neg(1))), p), S)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast, dataclass_transform

from ddcalc.boundary.cleaning import GREEK as GREEK
from ddcalc.errors import BadEquation
from ddcalc.memory import remembered
from ddcalc.numbers.number import Number as Number
from ddcalc.numbers.units import DATA, ONE, Dimension, Unit

Operator = Literal["<", "<=", ">", ">=", "=="]
Known = Mapping[str, Number | None]  # values by letter; None: it has none

SIGNS: Final[Mapping[Operator, str]] = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "="}
LOW: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_Node = TypeVar("_Node")
_Method: TypeAlias = Callable[["Expr", "Operand"], _Node]


@dataclass_transform(eq_default=False, frozen_default=True)
def _node(cls: type[_Node]) -> type[_Node]:
    """A kind of expression, by the fields that it has."""
    made: Any = dataclass(frozen=True, slots=True, eq=False, repr=False)(cls)
    if made.__match_args__:
        made.content = staticmethod(attrgetter(*made.__match_args__))
    return cast(type[_Node], made)


def _operator(make: Callable[[Expr, Expr], Expr]) -> tuple[_Method[Expr], _Method[Expr]]:
    """The methods of an operator: the formula stands at its left; at its right."""
    return lambda x, y: make(x, wrap(y)), lambda x, y: make(wrap(y), x)


def _relation(op: Operator) -> _Method[Rel]:
    return lambda x, y: Rel(op, x, wrap(y))


class Expr:
    """A formula. ``<``, ``>``, … make a :class:`Rel`; ``==`` compares two formulas as written."""

    _hash: int
    _parts: tuple[Expr, ...]
    __match_args__: tuple[str, ...]

    __slots__ = ("_hash", "_parts")  # worked out once, as formulas are looked up again and again

    @staticmethod
    def content(_: Any) -> Any:
        """The values of all fields, or of the only one."""
        return ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expr):
            return NotImplemented
        if self is other or type(self) is not type(other):
            return self is other
        return hash(self) == hash(other) and self.content(self) == self.content(other)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((type(self), self.content(self))))
            return self._hash

    def parts(self) -> tuple[Expr, ...]:
        """The expressions that this one is made of, in writing order."""
        try:
            return self._parts
        except AttributeError:
            content = self.content(self)
            fields = content if isinstance(content, tuple) else (content,)
            every = (of if isinstance(of, tuple) else (of,) for of in fields)
            parts = tuple(part for of in every for part in of if isinstance(part, Expr))
            object.__setattr__(self, "_parts", parts)
            return parts

    def rebuilt(self, parts: tuple[Expr, ...]) -> Expr:
        """The same kind of expression made of other *parts*."""
        return type(self)(*parts) if parts else self

    __add__, __radd__ = _operator(lambda x, y: Add((*terms_of(x), *terms_of(y))))
    __sub__, __rsub__ = _operator(lambda x, y: Add((*terms_of(x), Neg(y))))
    __mul__, __rmul__ = _operator(lambda x, y: Mul((*factors_of(x), *factors_of(y))))
    __truediv__, __rtruediv__ = _operator(lambda x, y: Div(x, y))
    __pow__, _ = _operator(lambda x, y: Pow(x, y))
    __lt__, __gt__ = _relation("<"), _relation(">")
    __le__, __ge__ = _relation("<="), _relation(">=")

    def __neg__(self) -> Expr:
        return Neg(self)

    def __bool__(self) -> bool:
        raise TypeError("equations see symbols, never values: use cases(), not if")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts()))})"


Operand = Expr | Number


@_node
class Num(Expr):
    """An exact number that stands in the formula itself."""

    value: Number

    def __repr__(self) -> str:
        return str(self.value)


@_node
class Sized(Num):
    """A number of base units of a *dimension*, written in its *unit*; without one, as the number
    alone.

    >>> BITS_PER_BYTE
    8
    """

    dimension: Dimension
    unit: Unit | None = None


BITS_PER_BYTE = Sized(8, ONE / DATA)  # it makes data of a count of bits


@_node
class Sym(Expr):
    """A quantity, by its letter: a plain identifier such as ``t_agg`` or ``s_2``."""

    name: str

    def __repr__(self) -> str:
        return self.name


@_node
class Index(Expr):
    """What a sum counts with, by its letter, which stands for no quantity."""

    name: str

    def __repr__(self) -> str:
        return self.name


@_node
class Nothing(Expr):
    """No value at all: what an equation without a solution is worth."""


@_node
class _Several(Expr):
    args: tuple[Expr, ...]

    def rebuilt(self, parts: tuple[Expr, ...]) -> Expr:
        return type(self)(parts)


class Add(_Several):
    """A sum; a subtracted term is a :class:`Neg`."""

    __slots__ = ()


class Mul(_Several):
    """A product."""

    __slots__ = ()


@_node
class Neg(Expr):
    """The opposite of *arg*."""

    arg: Expr


@_node
class Div(Expr):
    """A quotient."""

    top: Expr
    bottom: Expr


@_node
class Pow(Expr):
    """A power."""

    base: Expr
    exponent: Expr


@_node
class Fun(Expr):
    """A function: a row of :data:`ddcalc.formula.algebra.FUNCTIONS`, or one only printed."""

    name: str
    args: tuple[Expr, ...]

    def rebuilt(self, parts: tuple[Expr, ...]) -> Expr:
        return Fun(self.name, parts)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.args))})"


@_node
class Rel(Expr):
    """A comparison of two sides."""

    op: Operator
    left: Expr
    right: Expr

    def rebuilt(self, parts: tuple[Expr, ...]) -> Expr:
        return Rel(self.op, *parts)


@dataclass(frozen=True, slots=True)
class Case:
    """The *value* of a distinction where *test* holds, and why (empty: as the quantity says)."""

    value: Expr
    test: Rel
    why: str = ""


@_node
class Cases(Expr):
    """The value of the first case whose test holds, else *otherwise*."""

    cases: tuple[Case, ...]
    otherwise: Expr
    why: str = ""

    def parts(self) -> tuple[Expr, ...]:
        return (*(part for case in self.cases for part in (case.value, case.test)), self.otherwise)

    def rebuilt(self, parts: tuple[Expr, ...]) -> Expr:
        *pairs, otherwise = parts
        tests: Any = pairs[1::2]
        made = zip(pairs[::2], tests, (case.why for case in self.cases), strict=True)
        return Cases(tuple(Case(*one) for one in made), otherwise, self.why)


def wrap(value: Operand) -> Expr:
    """*value* as an expression; BadEquation for a float, which no formula may hold."""
    if isinstance(value, Expr):
        return value
    if type(value) not in (int, Fraction):
        raise BadEquation(repr(value), "is no exact number; write it as a quotient")
    return Num(value)


def nodes(expr: Expr) -> Iterator[Expr]:
    """*expr* and all its parts, and theirs, in writing order."""
    waiting = [expr]
    while waiting:
        yield (part := waiting.pop())
        waiting.extend(part.parts()[::-1])


def symbols(expr: Expr) -> Iterator[str]:
    """The letters in *expr*, in writing order, repeated as written."""
    return (part.name for part in nodes(expr) if isinstance(part, Sym))


@remembered
def letters(expr: Expr) -> tuple[str, ...]:
    """The letters in *expr*, in writing order, each once."""
    return tuple(dict.fromkeys(symbols(expr)))


def replace(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """*expr* with every part for which *change* gives an expression replaced by it."""
    if (new := change(expr)) is not None:
        return new
    changed = tuple(replace(part, change) for part in expr.parts())
    return expr if changed == expr.parts() else expr.rebuilt(changed)


def substitute(expr: Expr, known: Mapping[str, Expr]) -> Expr:
    """*expr* with the letters in *known* replaced."""
    return replace(expr, lambda part: known.get(part.name) if isinstance(part, Sym) else None)


def terms_of(expr: Expr) -> tuple[Expr, ...]:
    """The terms of a sum; of anything else, the thing itself."""
    return expr.args if isinstance(expr, Add) else (expr,)


def signed_terms(expr: Expr) -> list[tuple[bool, Expr]]:
    """The terms of a sum without their signs, each with whether it is subtracted."""
    return [(isinstance(x, Neg), x.arg if isinstance(x, Neg) else x) for x in terms_of(expr)]


def factors_of(expr: Expr) -> tuple[Expr, ...]:
    """The factors of a product; of anything else, the thing itself."""
    return expr.args if isinstance(expr, Mul) else (expr,)


def addends(expr: Expr, rules: Mapping[str, Expr]) -> Iterator[Expr]:
    """The terms of *expr*; for a factor that is a sum by the *rules* of its letters, one for each
    of its own.

    >>> [*addends(Sym("n") * Sym("t"), {"t": Sym("a") + Sym("b")})]
    [Mul(n, a), Mul(n, b)]
    """
    for term in terms_of(expr):
        factors = factors_of(term)
        sums = ((x, rules.get(x.name) if isinstance(x, Sym) else x) for x in factors)
        found, rule = next((pair for pair in sums if isinstance(pair[1], Add)), (None, None))
        if rule is None:
            yield term
            continue
        others = tuple(one for one in factors if one is not found)
        for part in addends(rule, rules):
            yield Mul((*others, *factors_of(part))) if others else part


@remembered
def letter(name: str) -> str:
    """The letter of a quantity in Unicode."""
    base, *marks = name.split("_")
    shown = GREEK.get(base, base)
    for before, mark in pairwise([base, *marks]):
        comma = "," if before.isdecimal() else ""
        low = mark.translate(LOW) if mark.isdecimal() else f"_{GREEK.get(mark, mark)}"
        shown += comma * mark.isdecimal() + low
    return shown
