"""Formulas as answers state them: ``4*eta*Delta``, ``w_0 - eta*(G(1,1) + G(2,1))``.

Terms may stand in any order, products may be multiplied out, and sums may be written in full or as
``Sum(G(1, k), (k, 1, 3))``. Two formulas are the same if they are worth the same where each letter
and each gradient is worth a number of its own, drawn from so many that no others are (Schwartz
1980): nothing is written out, whatever a text has in it.
"""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import count
from typing import Any, Final

from ddcalc.errors import BadNumber, DdcalcError
from ddcalc.formula import expression
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Div, Expr, Fun, Num, Number, Sym, nodes, substitute, wrap
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import plain
from ddcalc.problem.sheet.formulas import Formula
from ddcalc.problem.sheet.text import Text
from ddcalc.problem.stated_formulas import GROUPS

MOST: Final = 10_000  # members of a sum up to which these are added up
LONGEST: Final = 4_096  # characters of a text
PARTS: Final = 200_000  # of formulas, that are worked out for one of them

_PRINTED: Final = str.maketrans({
    "−": "-", "·": "*", "×": "*", "^": "**", "η": " eta ", "Δ": " Delta ",
    "\u2062": " ",  # multiplied without a sign, in formulas on web pages
})  # fmt: skip
_LOW: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_INDICES: Final = re.compile(r"_\{([0-9a-z]+(?:,[0-9a-z]+)*)\}|([₀-₉]+(?:,[₀-₉]+)*)")
_SPELT: Final = {  # letters in any case, and what is multiplied without a sign
    r"(?<![\w.])(\d[\d_.]*(?:[eE][+-]?\d+)?) ?(?=[A-Za-z])(?![eE][+-]?\d)": r"\1*",
    r"(?i)\beta\b": "eta", r"(?i)\bdelta\b": "Delta",
    r"\beta ?(?=[A-Za-z(])": "eta*", r"\bDelta ?(?=[A-Za-z])": "Delta*",
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
    except (_NoFormula, DdcalcError, ArithmeticError, RecursionError):
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


class _Drawn(Domain[Number]):
    """What formulas are worth, as far as that takes no more than PARTS of them."""

    quotient = staticmethod(ratio)

    def __init__(self) -> None:
        self.parts = count(1)

    def of(self, expr: Expr) -> Number:
        is_over = isinstance(expr, Div) and not isinstance(expr.bottom, Num)
        if is_over or next(self.parts) > PARTS:
            raise _NoFormula
        return plain(super().of(expr))

    def number(self, expr: Num) -> Number:
        return expr.value

    def letter(self, name: str) -> Number:
        return _drawn(name)

    def function(self, expr: Fun) -> Number:
        match expr:
            case Fun("sum", (body, Sym(index), Num(first), Num(last))) if _members(expr) <= MOST:
                places = range(int(first), int(last) + 1)
                return sum(self.of(substitute(body, {index: Num(at)})) for at in places)
            case Fun("sum_over", (body, group, *_)):
                return _drawn("over", self.of(group), self.of(body))
            case Fun("indexed" | "sum" as name, args):
                return _drawn(name, *map(self.of, args))
        raise _NoFormula

    def unruled(self, expr: Expr) -> Number:
        raise _NoFormula


def _drawn(*what: str | Number) -> int:
    """The number that a letter is worth, or something that is the same for the same *what*."""
    return int(sha256(repr(what).encode()).hexdigest(), 16)


def _members(expr: Expr) -> Number:
    """How many members the sums in *expr* have in each other, at least."""
    match expr:
        case Fun("sum", (body, _, Num(first), Num(last))):
            return max(0, last - first + 1) * _members(body)
    return max(map(_members, expr.parts()), default=1)


class _Letters:
    """The scope in which each name stands for itself, and what is in brackets are its indices."""

    value = Sym

    def call(self, name: str, args: list[Any]) -> Expr:
        match name, args:
            case "Sum", [body, [Sym() as index, first, last]]:
                return Fun("sum", (wrap(body), index, wrap(first), wrap(last)))
            case "SumOver", [body, group]:
                return Fun("sum_over", (wrap(body), wrap(group)))
            case _, [_, *_] if name not in ("Sum", "SumOver"):
                return Fun("indexed", (Sym(name), *map(wrap, args)))
        raise _NoFormula


_LETTERS: Final[Any] = _Letters()


def _read(text: str) -> Expr:
    """``4*eta*Delta`` and ``w_0 - eta*(G(1,1) + …)``, spelt as in JSON or as printed."""
    if len(text) > LONGEST:
        raise _NoFormula
    spelt = _INDICES.sub(_indexed, " ".join(text.translate(_PRINTED).split()))
    spelt = re.sub(GROUPS, lambda number: number[0].replace(" ", "_"), spelt)
    for pattern, instead in _SPELT.items():
        spelt = re.sub(pattern, instead, spelt)
    formula = Formula(Text(spelt, range(len(spelt) + 1), spelt, ""))
    formula.deep = LONGEST
    made = wrap(formula.evaluate(_LETTERS))
    if not spelt.isascii() or any(isinstance(part, expression.Pow) for part in nodes(made)):
        raise _NoFormula
    return made


def _indexed(match: re.Match[str]) -> str:
    """Printed indices as they are spelt: G₁,₂ as G(1,2), w₀ as w_0."""
    indices = (match[1] or match[2]).translate(_LOW)
    return f"({indices})" if "," in indices else f"_{indices}"
