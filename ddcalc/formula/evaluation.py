"""Numbers put into formulas: one at a time, or compiled to a Python function for bulk.

Both are exact where the value is rational (else see :mod:`ddcalc.numbers.irrational`). Quotients
are built as fractions, because ``floor`` gives an ``int`` and a quotient of two of those would be
a float.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ddcalc.formula.algebra import FUNCTIONS, fused
from ddcalc.formula.coherence import may_round
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import (
    Cases,
    Div,
    Expr,
    Fun,
    Known,
    Num,
    Number,
    Operator,
    Sym,
    replace,
    symbols,
)
from ddcalc.numbers.irrational import power, ratio

WRITTEN = 50  # terms up to which a sum is written with plus signs

Results = tuple[Number | None, ...]

COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
}


class _Exact(Domain[Any]):
    """Numbers, None for nothing, a bool for a comparison."""

    def __init__(self, values: Known) -> None:
        self.values = values

    def of(self, expr: Expr) -> Any:
        return self.values[expr.name] if type(expr) is Sym else super().of(expr)

    def number(self, expr: Num) -> Number:
        return expr.value

    def letter(self, name: str) -> Number | None:
        return self.values[name]

    def nothing(self) -> None:
        return None

    def sum(self, terms: Sequence[Any]) -> Any:
        if len(terms) <= WRITTEN:
            return sum(terms)
        times = Counter(map(id, terms))  # of long lists many members are one and the same
        return sum(times.pop(id(term)) * term for term in terms if id(term) in times)

    def product(self, factors: Sequence[Any]) -> Any:
        return math.prod(factors)

    def opposite(self, x: Any) -> Any:
        return -x

    def quotient(self, top: Any, bottom: Any) -> Number:
        return ratio(top, bottom)

    def power(self, base: Any, exponent: Any) -> Number:
        return power(base, exponent)

    def relation(self, op: Operator, left: Any, right: Any) -> bool:
        return COMPARE[op](left, right)

    def function(self, expr: Fun) -> Any:
        called = fused(expr)
        if called.name not in FUNCTIONS:
            return self.unruled(expr)
        return FUNCTIONS[called.name].value(*[self.of(arg) for arg in called.args])

    def cases(self, expr: Cases) -> Any:
        return self.of(self.applying(expr)[0])

    def applying(self, expr: Cases) -> tuple[Expr, str]:
        for case in expr.cases:
            if self.of(case.test):
                return case.value, case.why
        return expr.otherwise, expr.why


def evaluate(expr: Expr, values: Known) -> Any:
    """The exact value of *expr*: a number, None for nothing, a bool for a comparison."""
    return _Exact(values).of(expr)


def applying(expr: Cases, values: Known) -> tuple[Expr, str]:
    """The branch of a distinction that applies to *values*, and its reason."""
    return _Exact(values).applying(expr)


def decided(expr: Expr, known: Known) -> Expr:
    """*expr* with the branches that apply in place of distinctions, as far as their tests have
    *known* letters only."""

    def branch(part: Expr) -> Expr | None:
        if not isinstance(part, Cases):
            return None
        left, otherwise, why = [], part.otherwise, part.why
        for case in part.cases:
            if not all(letter in known for letter in symbols(case.test)):
                left.append(case)
            elif evaluate(case.test, known):
                otherwise, why = case.value, case.why
                break
        otherwise = decided(otherwise, known)
        return Cases(tuple(left), otherwise, why) if left else otherwise

    return replace(expr, branch)


def interpreted(
    arguments: Sequence[str], rules: Sequence[tuple[str, Expr]]
) -> Callable[..., Results]:
    """What :func:`compiled` returns, without compiling: for rules that are used only once."""

    def shape(*numbers: Number) -> Results:
        known: dict[str, Number | None] = dict(zip(arguments, numbers, strict=True))
        for letter, rule in rules:
            known[letter] = evaluate(rule, known)
        return tuple(known[letter] for letter, _ in rules)

    return shape


def compiled(arguments: Sequence[str], rules: Sequence[tuple[str, Expr]]) -> Callable[..., Results]:
    """A function of the *arguments*' values that returns the value of every rule, in order.

    Letters become local variables; the source text comes from our own formulas only.
    """
    names = {letter: f"v{i}" for i, letter in enumerate([*arguments, *(name for name, _ in rules)])}
    source = _Source(names)
    lines = [f" {names[letter]} = {source.of(rule)}\n" for letter, rule in rules]
    results = "".join(f"{names[letter]}, " for letter, _ in rules)
    head = f"def shape({', '.join(names[letter] for letter in arguments)}):\n"
    scope: dict[str, Any] = {name: function.value for name, function in FUNCTIONS.items()}
    scope |= {"max": max, "min": min, "power": power}
    scope["F"] = ratio if any(may_round(rule) for _, rule in rules) else Fraction
    exec(compile(f"{head}{''.join(lines)} return ({results})\n", "<equations>", "exec"), scope)  # noqa: S102
    function: Callable[..., Results] = scope["shape"]
    return function


class _Source(Domain[str]):
    """The source text of formulas, with other *names* for the letters."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def number(self, expr: Num) -> str:
        value = expr.value
        if isinstance(value, int):
            return f"({value})"
        return f"F({value.numerator}, {value.denominator})"

    def letter(self, name: str) -> str:
        return self.names[name]

    def nothing(self) -> str:
        return "None"

    def sum(self, terms: Sequence[str]) -> str:
        # long sums as a call: Python's compiler nests the terms of a written one
        return f"({' + '.join(terms)})" if len(terms) <= WRITTEN else f"sum(({', '.join(terms)}))"

    def product(self, factors: Sequence[str]) -> str:
        return f"({' * '.join(factors)})"

    def opposite(self, x: str) -> str:
        return f"(-{x})"

    def quotient(self, top: str, bottom: str) -> str:
        return f"F({top}, {bottom})"

    def power(self, base: str, exponent: str) -> str:
        return f"power({base}, {exponent})"

    def function(self, expr: Fun) -> str:
        match expr:
            case Fun("floor", (Div(top, bottom),)):
                return f"({self.of(top)} // {self.of(bottom)})"
            case Fun("ceiling", (Div(top, bottom),)):
                return f"(-(-{self.of(top)} // {self.of(bottom)}))"
            case Fun("max" | "min", (only,)):
                return self.of(only)
        called = fused(expr)
        return f"{called.name}({', '.join(map(self.of, called.args))})"

    def relation(self, op: Operator, left: str, right: str) -> str:
        return f"({left} {op} {right})"

    def cases(self, expr: Cases) -> str:
        branches = [f"{self.of(case.value)} if {self.of(case.test)} else " for case in expr.cases]
        return f"({''.join(branches)}{self.of(expr.otherwise)})"
