"""Stated weights such as ``w_0 - eta*(G(1,1) + G(2,1))``, compared with derived ones.

Terms may stand in any order, products may be multiplied out, and sums may be written in full or as
``Sum(G(1, k), (k, 1, 3))``: what counts is how often each gradient is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from math import prod
from typing import Final, NoReturn

from ddcalc.errors import BadNumber
from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Neg, Num, Number, Sym, substitute
from ddcalc.numbers.number import parse

MOST = 10_000  # terms to which a sum is written out, and to which a text may come
DEPTH = 20  # brackets in brackets

ETA: Final = Sym("eta")
_PRINTED: Final = str.maketrans({"−": "-", "·": "*", "η": " eta "})
_LOW: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_INDICES: Final = re.compile(r"_\{([0-9a-z]+(?:,[0-9a-z]+)*)\}|([₀-₉]+(?:,[₀-₉]+)*)")
_TOKEN: Final = re.compile(r" *(?:([0-9]+(?:\.[0-9]+)?)|([A-Za-z]\w*)|([-+*/(),]))", re.ASCII)

Terms = dict[tuple[str, ...], Number]  # products by their letters, and how often each is in


class _NoWeights(Exception):
    pass


def is_rule(value: Expr) -> bool:
    """Whether *value* is made of gradients with indices."""
    return (isinstance(value, Fun) and value.name == "indexed") or any(map(is_rule, value.parts()))


def same_weights(text: str, value: Expr) -> bool:
    """Whether *text* states *value*; BadNumber for a text that states no weights."""
    try:
        return _terms(_Reader(text).whole()) == _terms(value)
    except _NoWeights:
        reason = "is no sum of gradients such as w_0 - eta*(G(1,1) + G(2,1))"
        raise BadNumber(text, reason) from None


def _terms(expr: Expr) -> Terms:
    match expr:
        case Num(value):
            return {(): value}
        case Sym(name):
            return {(name,): 1}
        case Neg(arg):
            return _product([_terms(arg), {(): -1}])
        case Div(top, Num(bottom)) if bottom:
            return _product([_terms(top), {(): Fraction(1) / bottom}])
        case Add(args):
            return _sum(map(_terms, args))
        case Mul(args):
            return _product([_terms(arg) for arg in args])
        case Fun("sum", (body, Sym(index), Num(first), Num(last))) if _size(expr) <= MOST:
            places = range(int(first), int(last) + 1)
            return _sum(_terms(substitute(body, {index: Num(at)})) for at in places)
        case Fun("indexed" | "sum" | "sum_over"):
            return {(_spelt(expr),): 1}
    raise _NoWeights


def _sum(each: Iterable[Terms]) -> Terms:
    found: Terms = {}
    for terms in each:
        for letters, number in terms.items():
            found[letters] = found.get(letters, 0) + number
        if len(found) > MOST:
            raise _NoWeights
    return {letters: number for letters, number in found.items() if number}


def _product(factors: Iterable[Terms]) -> Terms:
    made: Terms = {(): 1}
    for terms in factors:
        if len(made) * len(terms) > MOST:
            raise _NoWeights
        made = _sum(
            {tuple(sorted((*mine, *theirs))): number * times}
            for mine, number in made.items()
            for theirs, times in terms.items()
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


def _spelt(expr: Expr) -> str:
    """What cannot be written out, as a text that is the same for the same thing."""
    match expr:
        case Fun("sum_over", (body, group, *_)):
            return f"over {_spelt(group)}: {_spelt(body)}"
        case Fun(name, args):
            return f"{name}({', '.join(map(_spelt, args))})"
    terms = sorted(_terms(expr).items())
    return " + ".join(f"{number}*{'*'.join(letters)}" for letters, number in terms)


class _Reader:
    """Reads ``w_0 - eta*(G(1,1) + …)``, spelt as in JSON or as it is printed."""

    def __init__(self, text: str) -> None:
        told = _INDICES.sub(_indexed, text.translate(_PRINTED)).rstrip()
        self.tokens = [found[0].strip() for found in _TOKEN.finditer(told)][::-1]
        self.depth = 0
        if _TOKEN.sub("", told):
            raise _NoWeights

    def whole(self) -> Expr:
        """All of the text."""
        told = self._sum()
        return _fail() if self.tokens else told

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
        while self._next("*", "/") or (factors[-1] == ETA and self._next("(")):
            over = not self._next("(") and self._take("*", "/") == "/"
            factor = self._factor()
            factors.append(Div(Num(1), factor) if over else factor)
        return Mul(tuple(factors)) if len(factors) > 1 else factors[0]

    def _factor(self) -> Expr:
        if self._next("("):
            inner = self._listed()
            return inner[0] if len(inner) == 1 else Fun("limits", inner)
        name = self.tokens.pop() if self.tokens else _fail()
        if name[0].isdigit():
            return Num(parse(name))
        if not name[0].isalpha():
            _fail()
        if name == ETA.name or not self._next("("):
            return Sym(name)
        return _called(name, self._listed())

    def _listed(self) -> tuple[Expr, ...]:
        """What stands in a pair of brackets, separated by commas."""
        self._take("(")
        self.depth += 1
        if self.depth > DEPTH:
            _fail()
        found = [self._sum()]
        while self._take(",", ")") == ",":
            found.append(self._sum())
        self.depth -= 1
        return tuple(found)


def _called(name: str, arguments: tuple[Expr, ...]) -> Expr:
    match name, arguments:
        case "Sum", (body, Fun("limits", (Sym() as index, first, last))):
            return Fun("sum", (body, index, first, last))
        case "SumOver", (body, Sym() | Fun("indexed") as group):
            return Fun("sum_over", (body, group))
        case "Sum" | "SumOver", _:
            _fail()
    return Fun("indexed", (Sym(name), *arguments))


def _indexed(found: re.Match[str]) -> str:
    """Printed indices as they are spelt: G₁,₂ as G(1,2), w₀ as w_0."""
    indices = (found[1] or found[2]).translate(_LOW)
    return f"({indices})" if "," in indices else f"_{indices}"


def _fail() -> NoReturn:
    raise _NoWeights
