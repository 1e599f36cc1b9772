"""Formulas as answers state them: ``4*eta*Delta``, ``w_0 - eta*(G(1,1) + G(2,1))``.

Terms may stand in any order, products may be multiplied out, and sums may be written in full or as
``Sum(G(1, k), (k, 1, 3))``: what counts is how often each product of letters is in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import prod
from typing import Final

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
LETTERS: Final = 200_000  # of all that is written out on the way
DEPTH: Final = 20  # brackets in brackets

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

Terms = dict[tuple[str, ...], Number]  # products by their letters, and how often each is in


class _NoFormula(Exception):
    pass


def states(text: str, value: Expr) -> bool:
    """Whether *text* states the formula *value*; BadNumber for a text that states no formula."""
    gradients = is_rule(value)
    try:
        formula = _read(text)
        if is_rule(formula) and not gradients:
            raise _NoFormula
        stated = _terms(formula, _Room())
    except (_NoFormula, BadNumber):
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
            raise _NoFormula


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
    terms: list[Expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        term = _made(node.right, numbers)
        terms.append(Neg(term) if isinstance(node.op, ast.Sub) else term)
        node = node.left
    if terms:
        return total([_made(node, numbers), *terms[::-1]])
    match node:
        case ast.Constant(int(place)):
            return Num(numbers[place])
        case ast.Name(name):
            return Sym(name)
        case ast.UnaryOp(ast.USub(), part):
            return Neg(_made(part, numbers))
        case ast.BinOp(left, ast.Mult(), right):
            return _made(left, numbers) * _made(right, numbers)
        case ast.BinOp(left, ast.Div(), right):
            return _made(left, numbers) / _made(right, numbers)
        case ast.Call(ast.Name("Sum"), [body, ast.Tuple([ast.Name(index), first, last])]):
            limits = (_made(first, numbers), _made(last, numbers))
            return Fun("sum", (_made(body, numbers), Sym(index), *limits))
        case ast.Call(ast.Name("SumOver"), [body, ast.Name() | ast.Call() as group]):
            return Fun("sum_over", (_made(body, numbers), _made(group, numbers)))
        case ast.Call(ast.Name(name), [_, *_] as places) if name not in ("Sum", "SumOver"):
            return Fun("indexed", (Sym(name), *(_made(place, numbers) for place in places)))
    raise _NoFormula


def _indexed(match: re.Match[str]) -> str:
    """Printed indices as they are spelt: G₁,₂ as G(1,2), w₀ as w_0."""
    indices = (match[1] or match[2]).translate(_LOW)
    return f"({indices})" if "," in indices else f"_{indices}"
