"""Formulas as answers state them: ``4*eta*Delta``, ``w_0 - eta*(G(1,1) + G(2,1))``.

Terms may stand in any order, products may be multiplied out, and sums may be written in full or as
``Sum(G(1, k), (k, 1, 3))``: what counts is how often each product of letters is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from math import prod
from typing import Final, NoReturn

from ddcalc.errors import BadNumber
from ddcalc.formula.algebra import total
from ddcalc.formula.expression import (
    Add,
    Div,
    Expr,
    Fun,
    Mul,
    Neg,
    Num,
    Number,
    Sym,
    substitute,
)
from ddcalc.numbers.number import parse

MOST: Final = 10_000  # terms to which a sum is written out, and to which a text may come
LONGEST: Final = 4_096  # characters of a text
LETTERS: Final = 500_000  # of all that is written out on the way
DEPTH: Final = 20  # brackets in brackets

_ETA: Final = Sym("eta")
_GREEK: Final = (_ETA, Sym("Delta"))  # before which, and after which, a product needs no sign
_LETTERS: Final = {letter.name.lower(): letter for letter in _GREEK}  # in any case
_PRINTED: Final = str.maketrans({"−": "-", "·": "*", "×": "*", "η": " eta ", "Δ": " Delta "})
_PRINTED[0x2062] = " "  # multiplied without a sign, in formulas on web pages
_LOW: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_INDICES: Final = re.compile(r"_\{([0-9a-z]+(?:,[0-9a-z]+)*)\}|([₀-₉]+(?:,[₀-₉]+)*)")
_TOKEN: Final = re.compile(
    r"\s*(?:([0-9](?:[0-9_.]|\s+(?=[0-9])|(?:[eE][+-]?|\^|\*\*)(?=[0-9]))*)"
    r"|([A-Za-z]\w*)|([-+*/(),]))",
    re.ASCII,
)

Terms = dict[tuple[str, ...], Number]  # products by their letters, and how often each is in


class _NoFormula(Exception):
    pass


def states(text: str, value: Expr) -> bool:
    """Whether *text* states the formula *value*; BadNumber for a text that states no formula."""
    gradients = is_rule(value)
    try:
        formula = _Reader(text).whole()
        if is_rule(formula) and not gradients:
            raise _NoFormula
        stated = _terms(formula, _Room())
    except _NoFormula:
        example = "product of numbers and letters such as 4*eta*Delta"
        if gradients:
            example = "sum of gradients such as w_0 - eta*(G(1,1) + G(2,1))"
        raise BadNumber(text, f"is not a {example}") from None
    try:
        return stated == _terms(value, _Room())
    except _NoFormula:
        return False


def is_rule(value: Expr) -> bool:
    """Whether *value* is made of gradients with indices."""
    return (isinstance(value, Fun) and value.name == "indexed") or any(map(is_rule, value.parts()))


class _Room:
    """How many letters may still be written out."""

    def __init__(self) -> None:
        self.left = LETTERS

    def take(self, letters: int) -> None:
        """Raise _NoFormula where so many *letters* are too many."""
        self.left -= letters
        if self.left < 0:
            _fail()


def _terms(expr: Expr, room: _Room) -> Terms:
    match expr:
        case Num(value):
            return {(): value}
        case Sym(name):
            return {(name,): 1}
        case Neg(arg):
            return _product([_terms(arg, room), {(): -1}], room)
        case Div(top, Num(bottom)) if bottom:
            return _product([_terms(top, room), {(): Fraction(1) / bottom}], room)
        case Add(args):
            return _sum((_terms(arg, room) for arg in args), room)
        case Mul(args):
            return _product((_terms(arg, room) for arg in args), room)
        case Fun("sum", (body, Sym(index), Num(first), Num(last))) if _size(expr) <= MOST:
            places = range(int(first), int(last) + 1)
            room.take(len(places) * _letters(body))
            members = (substitute(body, {index: Num(at)}) for at in places)
            return _sum((_terms(member, room) for member in members), room)
        case Fun("indexed" | "sum" | "sum_over"):
            return {(_spelt(expr, room),): 1}
    raise _NoFormula


def _sum(parts: Iterable[Terms], room: _Room) -> Terms:
    whole: Terms = {}
    for terms in parts:
        room.take(len(terms))
        for letters, number in terms.items():
            whole[letters] = whole.get(letters, 0) + number
        if len(whole) > MOST:
            raise _NoFormula
    return {letters: number for letters, number in whole.items() if number}


def _product(factors: Iterable[Terms], room: _Room) -> Terms:
    made: Terms = {(): 1}
    for terms in factors:
        longest = max(map(len, made), default=0) + max(map(len, terms), default=0)
        room.take(len(made) * len(terms) * (1 + longest // 4))  # sorted letters cost less
        made = _sum(
            (
                {tuple(sorted((*mine, *theirs))): number * times}
                for mine, number in made.items()
                for theirs, times in terms.items()
            ),
            room,
        )
    return made


def _size(expr: Expr) -> Number:
    """How many terms *expr* has when its sums are written out, at least."""
    match expr:
        case Fun("sum", (body, _, Num(first), Num(last))):
            return max(0, last - first + 1) * _size(body)
        case Add(args):
            return sum(map(_size, args))
        case Mul(args):
            return prod(map(_size, args))
    return 1


def _letters(expr: Expr) -> int:
    """How many letters, numbers and signs *expr* has."""
    return 1 + sum(map(_letters, expr.parts()))


def _spelt(expr: Expr, room: _Room) -> str:
    """What cannot be written out, as a text that is the same for the same thing."""
    match expr:
        case Fun("sum_over", (body, group, *_)):
            return f"over {_spelt(group, room)}: {_spelt(body, room)}"
        case Fun(name, args):
            return f"{name}({', '.join(_spelt(arg, room) for arg in args)})"
    terms = sorted(_terms(expr, room).items())
    return " + ".join(f"{number}*{'*'.join(letters)}" for letters, number in terms)


class _Reader:
    """Reads ``4*eta*Delta`` and ``w_0 - eta*(G(1,1) + …)``, spelt as in JSON or as printed."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            _fail()
        spelt = _INDICES.sub(_indexed, " ".join(text.translate(_PRINTED).split()))
        self.tokens = [match[0].strip() for match in _TOKEN.finditer(spelt)][::-1]
        self.depth = 0
        if _TOKEN.sub("", spelt):
            raise _NoFormula

    def whole(self) -> Expr:
        """All of the text."""
        formula = self._sum()
        return _fail() if self.tokens else formula

    def _next(self, *signs: str) -> bool:
        return bool(self.tokens) and self.tokens[-1] in signs

    def _take(self, *signs: str) -> str:
        return self.tokens.pop() if self._next(*signs) else _fail()

    def _sum(self) -> Expr:
        terms = [self._product()]
        while self._next("+", "-"):
            negative = self._take("+", "-") == "-"
            term = self._product()
            terms.append(Neg(term) if negative else term)
        return total(terms)

    def _product(self) -> Expr:
        factors: list[Expr] = []
        while self._next("-"):
            self._take("-")
            factors.append(Num(-1))
        factors.append(self._factor())
        while self._next("*", "/") or self._touches(factors[-1]):
            over = self._next("*", "/") and self.tokens.pop() == "/"
            factor = self._factor()
            factors.append(Div(Num(1), factor) if over else factor)
        return Mul(tuple(factors)) if len(factors) > 1 else factors[0]

    def _touches(self, factor: Expr) -> bool:
        """Whether the next token is a factor without a sign before it, as in 4ηΔ and η(x + y)."""
        if not self.tokens:
            return False
        name = self.tokens[-1][0].isalpha() and (isinstance(factor, Num) or factor in _GREEK)
        return name or (factor == _ETA and self._next("("))

    def _factor(self) -> Expr:
        if self._next("("):
            inner = self._listed()
            return inner[0] if len(inner) == 1 else Fun("limits", inner)
        name = self.tokens.pop() if self.tokens else _fail()
        if name[0].isdigit():
            return Num(_number(name))
        if not name[0].isalpha():
            _fail()
        if name == _ETA.name or not self._next("("):
            return _LETTERS.get(name.lower(), Sym(name))
        return _called(name, self._listed())

    def _listed(self) -> tuple[Expr, ...]:
        """What stands in a pair of brackets, separated by commas."""
        self._take("(")
        self.depth += 1
        if self.depth > DEPTH:
            _fail()
        parts = [self._sum()]
        while self._take(",", ")") == ",":
            parts.append(self._sum())
        self.depth -= 1
        return tuple(parts)


def _called(name: str, arguments: tuple[Expr, ...]) -> Expr:
    match name, arguments:
        case "Sum", (body, Fun("limits", (Sym() as index, first, last))):
            return Fun("sum", (body, index, first, last))
        case "SumOver", (body, Sym() | Fun("indexed") as group):
            return Fun("sum_over", (body, group))
        case "Sum" | "SumOver", _:
            _fail()
    return Fun("indexed", (Sym(name), *arguments))


def _number(text: str) -> Number:
    try:
        return parse(text)
    except BadNumber:
        return _fail()


def _indexed(match: re.Match[str]) -> str:
    """Printed indices as they are spelt: G₁,₂ as G(1,2), w₀ as w_0."""
    indices = (match[1] or match[2]).translate(_LOW)
    return f"({indices})" if "," in indices else f"_{indices}"


def _fail() -> NoReturn:
    raise _NoFormula
