"""Numbers put into expressions: one at a time, or compiled to a Python function for bulk.

Both are exact where the value is rational (else see :mod:`ddcalc.numbers.irrational`). Quotients
are built as fractions, because ``floor`` gives an ``int`` and a quotient of two of those would be
a float.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ddcalc.formula.exactness import may_round
from ddcalc.formula.expression import (
    Add,
    Cases,
    Div,
    Expr,
    Fun,
    Mul,
    Neg,
    Nothing,
    Num,
    Number,
    Pow,
    Rel,
    Sym,
)
from ddcalc.numbers.approximate import (
    ceiling_log2,
    ceiling_sqrt,
    exp,
    floor_log2,
    floor_power2,
    floor_sqrt,
    harmonic,
    lambert,
    log,
    power,
    ratio,
    sqrt,
)

WRITTEN = 50  # terms up to which a sum is written with plus signs

Values = Mapping[str, Number | None]


def position_of_largest(*xs: Number) -> int:
    """The number, from 1, of the first of the largest."""
    return max(range(len(xs)), key=lambda i: xs[i]) + 1


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "floor": math.floor,
    "ceiling": math.ceil,
    "max": lambda *xs: max(xs),
    "min": lambda *xs: min(xs),
    "argmax": position_of_largest,
    "sqrt": sqrt,
    "exp": exp,
    "log": log,
    "harmonic": harmonic,
    "lambert": lambert,
    "floor_sqrt": floor_sqrt,
    "ceiling_sqrt": ceiling_sqrt,
    "floor_log2": floor_log2,
    "ceiling_log2": ceiling_log2,
    "floor_power2": floor_power2,
}
_SCOPE: dict[str, Any] = {
    **_FUNCTIONS,
    "max": max,
    "min": min,
    "power": power,
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
}


def evaluate(expr: Expr, values: Values) -> Any:
    """The exact value of *expr*: a number, None for nothing, a bool for a comparison."""
    match expr:
        case Num(value):
            return value
        case Sym(name):
            return values[name]
        case Nothing():
            return None
        case Add(args):
            return sum(evaluate(arg, values) for arg in args)
        case Neg(arg):
            return -evaluate(arg, values)
        case Mul(args):
            return math.prod(evaluate(arg, values) for arg in args)
        case Div(top, bottom):
            return ratio(evaluate(top, values), evaluate(bottom, values))
        case Pow(base, exponent):
            return power(evaluate(base, values), evaluate(exponent, values))
        case Fun():
            name, args = _called(expr)
            return _FUNCTIONS[name](*(evaluate(arg, values) for arg in args))
        case Rel(op, left, right):
            return _COMPARE[op](evaluate(left, values), evaluate(right, values))
        case Cases():
            return evaluate(applying(expr, values)[0], values)
    raise TypeError(f"{expr!r} has no value")


def _called(expr: Fun) -> tuple[str, tuple[Expr, ...]]:
    """The function and its arguments; a root that is rounded to a whole number is one function."""
    match expr:
        case Fun("floor" | "ceiling" as name, (Fun("sqrt", args),)):
            return f"{name}_sqrt", args
    return expr.name, expr.args


def applying(expr: Cases, values: Values) -> tuple[Expr, str]:
    """The branch of a distinction that applies to *values*, and its reason."""
    for case in expr.cases:
        if evaluate(case.test, values):
            return case.value, case.why
    return expr.otherwise, expr.why


def interpreted(
    arguments: Sequence[str], rules: Sequence[tuple[str, Expr]]
) -> Callable[..., tuple[Number | None, ...]]:
    """What :func:`compiled` returns, without compiling: for rules that are used only once."""

    def shape(*numbers: Number) -> tuple[Number | None, ...]:
        known: dict[str, Number | None] = dict(zip(arguments, numbers, strict=True))
        for letter, rule in rules:
            known[letter] = evaluate(rule, known)
        return tuple(known[letter] for letter, _ in rules)

    return shape


def compiled(
    arguments: Sequence[str], rules: Sequence[tuple[str, Expr]]
) -> Callable[..., tuple[Number | None, ...]]:
    """A function of the *arguments*' values that returns the value of every rule, in order.

    Letters become local variables; the source text comes from our own formulas only.
    """
    names = {letter: f"v{i}" for i, letter in enumerate([*arguments, *(name for name, _ in rules)])}
    lines = [f" {names[letter]} = {_code(rule, names)}\n" for letter, rule in rules]
    results = "".join(f"{names[letter]}, " for letter, _ in rules)
    head = f"def shape({', '.join(names[letter] for letter in arguments)}):\n"
    marked = any(may_round(rule) for _, rule in rules)
    scope = {**_SCOPE, "F": ratio if marked else Fraction}
    exec(compile(f"{head}{''.join(lines)} return ({results})\n", "<equations>", "exec"), scope)  # noqa: S102
    function: Callable[..., tuple[Number | None, ...]] = scope["shape"]
    return function


def _code(expr: Expr, names: Mapping[str, str]) -> str:
    def code(part: Expr) -> str:
        return _code(part, names)

    match expr:
        case Num(int(value)):
            return f"({value})"
        case Num(value):
            return f"F({value.numerator}, {value.denominator})"
        case Sym(name):
            return names[name]
        case Nothing():
            return "None"
        case Add(args):
            # long sums as a call: Python's compiler nests the terms of a written one
            told = list(map(code, args))
            return f"({' + '.join(told)})" if len(told) <= WRITTEN else f"sum(({', '.join(told)}))"
        case Neg(arg):
            return f"(-{code(arg)})"
        case Mul(args):
            return f"({' * '.join(map(code, args))})"
        case Fun("floor", (Div(top, bottom),)):
            return f"({code(top)} // {code(bottom)})"
        case Fun("ceiling", (Div(top, bottom),)):
            return f"(-(-{code(top)} // {code(bottom)}))"
        case Div(top, bottom):
            return f"F({code(top)}, {code(bottom)})"
        case Pow(base, exponent):
            return f"power({code(base)}, {code(exponent)})"
        case Fun("max" | "min", (only,)):
            return code(only)
        case Fun():
            name, args = _called(expr)
            return f"{name}({', '.join(map(code, args))})"
        case Rel(op, left, right):
            return f"({code(left)} {op} {code(right)})"
        case Cases(told, otherwise):
            tests = "".join(f"{code(case.value)} if {code(case.test)} else " for case in told)
            return f"({tests}{code(otherwise)})"
    raise TypeError(f"{expr!r} has no code")
