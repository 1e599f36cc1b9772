"""Formulas as answers state them: ``4*eta*Delta``, ``w_0 - eta*(G(1,1) + G(2,1))``.

Terms may stand in any order, products may be multiplied out, and sums may be written in full or as
``Sum(G(1, k), (k, 1, 3))``. Two formulas are the same if they are worth the same where each letter
and each gradient is worth a number of its own, drawn from so many that no others are (Schwartz
1980): nothing is written out, whatever a text has in it.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import count
from typing import Any, Final

from ddcalc.errors import BadNumber
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Div, Expr, Fun, Num, Number, Sym, nodes, substitute
from ddcalc.numbers.number import parse

MOST: Final = 10_000  # members of a sum up to which these are added up
LONGEST: Final = 4_096  # characters of a text
PARTS: Final = 200_000  # of formulas, that are worked out for one of them
DEPTH: Final = 20  # brackets in brackets
PRIME: Final = 2**127 - 1  # numbers are drawn below it, and worked with modulo it

_GREEK: Final = {"eta": "eta", "delta": "Delta"}  # in any case, and without a sign
_PRINTED: Final = str.maketrans({"−": "-", "·": "*", "×": "*", "η": " eta ", "Δ": " Delta "})
_PRINTED[0x2062] = " "  # multiplied without a sign, in formulas on web pages
_LOW: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_INDICES: Final = re.compile(r"_\{([0-9a-z]+(?:,[0-9a-z]+)*)\}|([₀-₉]+(?:,[₀-₉]+)*)")
_TOKEN: Final = re.compile(
    r"\s*(?:([0-9](?:[0-9_.]|\s+(?=[0-9])|(?:[eE][+-]?|\^|\*\*)(?=[0-9]))*)"
    r"|([A-Za-z]\w*)|([-+*/(),]))",
    re.ASCII,
)
_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


class _NoFormula(Exception):
    pass


def states(text: str, value: Expr) -> bool:
    """Whether *text* states the formula *value*; BadNumber for a text that states no formula."""
    gradients = is_rule(value)
    try:
        formula = _read(text)
        if is_rule(formula) and not gradients:
            raise _NoFormula
        stated = _Drawn().of(formula)
    except (_NoFormula, BadNumber):
        example = "product of numbers and letters such as 4*eta*Delta"
        if gradients:
            example = "sum of gradients such as w_0 - eta*(G(1,1) + G(2,1))"
        raise BadNumber(text, f"is not a {example}") from None
    try:
        return stated == _Drawn().of(value)
    except _NoFormula:
        return False


def is_rule(value: Expr) -> bool:
    """Whether *value* is made of gradients with indices."""
    return any(isinstance(part, Fun) and part.name == "indexed" for part in nodes(value))


class _Drawn(Domain[int]):
    """What formulas are worth modulo PRIME, as far as that takes no more than PARTS of them."""

    def __init__(self) -> None:
        self.parts = count(1)

    def of(self, expr: Expr) -> int:
        is_over = isinstance(expr, Div) and not isinstance(expr.bottom, Num)
        if is_over or next(self.parts) > PARTS:
            raise _NoFormula
        return super().of(expr) % PRIME

    def number(self, expr: Num) -> int:
        return expr.value.numerator * pow(expr.value.denominator, -1, PRIME)

    def letter(self, name: str) -> int:
        return _drawn(name)

    def quotient(self, top: int, bottom: int) -> int:
        if not bottom:
            raise _NoFormula
        return top * pow(bottom, -1, PRIME)

    def power(self, base: int, exponent: int) -> int:
        return pow(base, exponent, PRIME)

    def function(self, expr: Fun) -> int:
        match expr:
            case Fun("sum", (body, Sym(index), Num(first), Num(last))) if _members(expr) <= MOST:
                places = range(int(first), int(last) + 1)
                return sum(self.of(substitute(body, {index: Num(at)})) for at in places)
            case Fun("sum_over", (body, group, *_)):
                return _drawn("over", self.of(group), self.of(body))
            case Fun("indexed" | "sum" as name, args):
                return _drawn(name, *map(self.of, args))
        raise _NoFormula

    def unruled(self, expr: Expr) -> int:
        raise _NoFormula


def _drawn(*what: str | int) -> int:
    """The number that a letter is worth, or something that is the same for the same *what*."""
    return int(sha256(repr(what).encode()).hexdigest(), 16) % PRIME


def _members(expr: Expr) -> Number:
    """How many members the sums in *expr* have in each other, at least."""
    match expr:
        case Fun("sum", (body, _, Num(first), Num(last))):
            return max(0, last - first + 1) * _members(body)
    return max(map(_members, expr.parts()), default=1)


def _read(text: str) -> Expr:
    """``4*eta*Delta`` and ``w_0 - eta*(G(1,1) + …)``, spelt as in JSON or as printed."""
    if len(text) > LONGEST:
        raise _NoFormula
    spelt = _INDICES.sub(_indexed, " ".join(text.translate(_PRINTED).split()))
    if _TOKEN.sub("", spelt):
        raise _NoFormula
    numbers: list[Number] = []  # Python's grammar reads their places here, as ours are others
    words: list[str] = []
    before, depth = "", 0
    for number, name, sign in _TOKEN.findall(spelt):
        known = _GREEK.get(name.lower(), "")
        if (name and before in ("number", "Greek")) or (sign == "(" and words[-1:] == ["eta"]):
            words.append("*")
        if number:
            numbers.append(parse(number))
        words.append(str(len(numbers) - 1) if number else known or name or sign)
        before = "number" if number else "Greek" if known else ""
        depth += (sign == "(") - (sign == ")")
        if depth > DEPTH:
            raise _NoFormula
    try:
        return _made(ast.parse(" ".join(words), mode="eval").body, numbers)
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        raise _NoFormula from None


def _made(node: ast.expr, numbers: Sequence[Number]) -> Expr:
    """The formula that Python's tree stands for, with *numbers* at their places."""
    match node:
        case ast.Constant(int(place)):
            return Num(numbers[place])
        case ast.Name(name):
            return Sym(name)
        case ast.UnaryOp(ast.USub(), part):
            return -_made(part, numbers)
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
            made: Expr = _OPERATORS[type(sign)](_made(left, numbers), _made(right, numbers))
            return made
        case ast.Call(ast.Name("Sum"), [body, ast.Tuple([ast.Name() as index, first, last])]):
            parts = (body, index, first, last)
            return Fun("sum", tuple(_made(part, numbers) for part in parts))
        case ast.Call(ast.Name("SumOver"), [body, ast.Name() | ast.Call() as group]):
            return Fun("sum_over", (_made(body, numbers), _made(group, numbers)))
        case ast.Call(ast.Name(name), [_, *_] as places) if name not in ("Sum", "SumOver"):
            return Fun("indexed", (Sym(name), *(_made(place, numbers) for place in places)))
    raise _NoFormula


def _indexed(match: re.Match[str]) -> str:
    """Printed indices as they are spelt: G₁,₂ as G(1,2), w₀ as w_0."""
    indices = (match[1] or match[2]).translate(_LOW)
    return f"({indices})" if "," in indices else f"_{indices}"
