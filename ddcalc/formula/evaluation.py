"""Numbers put into formulas, which become functions of Python once.

Values are exact where they are rational (else see :mod:`ddcalc.numbers.irrational`). Quotients
are built as fractions, because ``floor`` gives an ``int`` and a quotient of two of those would be
a float.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from ddcalc.formula.algebra import FUNCTIONS, fused
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
    replace,
    symbols,
)
from ddcalc.numbers.irrational import power, ratio

Results = tuple[Number | None, ...]
Run = Callable[[Known], Any]  # what gives the value of a formula, of those of its letters

COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
}  # fmt: skip


class _Exact(Domain[Run]):
    """What gives numbers, None for nothing, a bool for a comparison."""

    def number(self, expr: Num) -> Run:
        value = expr.value
        return lambda known: value

    def letter(self, name: str) -> Run:
        return operator.itemgetter(name)

    def nothing(self) -> Run:
        return lambda known: None

    def sum(self, terms: Sequence[Run]) -> Run:
        return (
            self._plus(*terms) if len(terms) == 2 else lambda known: sum([x(known) for x in terms])
        )

    def _plus(self, left: Run, right: Run) -> Run:
        return lambda known: left(known) + right(known)

    def product(self, factors: Sequence[Run]) -> Run:
        return lambda known: math.prod([x(known) for x in factors])

    def opposite(self, x: Run) -> Run:
        return lambda known: -x(known)

    def quotient(self, top: Run, bottom: Run) -> Run:
        return lambda known: ratio(top(known), bottom(known))

    def power(self, base: Run, exponent: Run) -> Run:
        return lambda known: power(base(known), exponent(known))

    def relation(self, op: Operator, left: Run, right: Run) -> Run:
        compare = COMPARE[op]
        return lambda known: compare(left(known), right(known))

    def function(self, expr: Fun) -> Run:
        match expr:
            case Fun("floor", (Div(over, under),)):  # much quicker than of a fraction
                top, bottom = self.of(over), self.of(under)
                return lambda known: top(known) // bottom(known)
            case Fun("ceiling", (Div(over, under),)):
                top, bottom = self.of(over), self.of(under)
                return lambda known: -(-top(known) // bottom(known))
        called = fused(expr)
        if called.name not in FUNCTIONS:
            return self.unruled(expr)
        value, args = FUNCTIONS[called.name].value, [self.of(arg) for arg in called.args]
        return lambda known: value(*[x(known) for x in args])

    def cases(self, expr: Cases) -> Run:
        tests = [(self.of(case.test), self.of(case.value)) for case in expr.cases]
        otherwise = self.of(expr.otherwise)

        def value(known: Known) -> Any:
            return next((run for test, run in tests if test(known)), otherwise)(known)

        return value


_run = lru_cache(maxsize=1 << 12)(_Exact().of)


def evaluate(expr: Expr, values: Known) -> Any:
    """The exact value of *expr*: a number, None for nothing, a bool for a comparison."""
    return _run(expr)(values)


def applying(expr: Cases, values: Known) -> tuple[Expr, str]:
    """The branch of a distinction that applies to *values*, and its reason."""
    for case in expr.cases:
        if evaluate(case.test, values):
            return case.value, case.why
    return expr.otherwise, expr.why


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


def compiled(arguments: Sequence[str], rules: Sequence[tuple[str, Expr]]) -> Callable[..., Results]:
    """A function of the *arguments*' values that returns the value of every rule, in order."""
    runs = [(letter, _run(rule)) for letter, rule in rules]

    def shape(*numbers: Number) -> Results:
        known: dict[str, Number | None] = dict(zip(arguments, numbers, strict=True))
        for letter, run in runs:
            known[letter] = run(known)
        return tuple([known[letter] for letter, _ in runs])

    return shape
