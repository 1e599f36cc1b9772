"""Bounds of powers, roots, logarithms, and of what is rounded or the largest of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf

from ddcalc.ask.find.number_line.bounds import (
    NOWHERE,
    Bounds,
    End,
    Limit,
    ends_of,
    hull,
    inverse,
    negative,
    of_number,
)
from ddcalc.formula.expression import Expr, Num, Number
from ddcalc.numbers.approximate import (
    DOUBLING,
    TERMS,
    Approximate,
    ceiling_log2,
    exp,
    floor_log2,
    harmonic,
    log,
    power,
    sqrt,
)


def power_bounds(base: Bounds, exponent: Expr, moving: Bounds) -> Bounds:
    """Powers with a whole exponent, and of positive bases; anything of others."""
    fails = not (base.sure and moving.sure)
    if isinstance(exponent, Num) and exponent.value.denominator == 1:
        return _whole_power(base, int(exponent.value))
    if base.low > 0:
        ends = [_power_end(x, y) for x in ends_of(base) for y in ends_of(moving)]
        if all(end is not None for end in ends):
            return hull([wide for end in ends if end for wide in _widened(end)], fails=fails)
    return NOWHERE


def _power_end(base: End, exponent: End) -> End | None:
    x, y = base[0], exponent[0]
    if isinstance(x, float) or isinstance(y, float):
        if x == 1 or y == 0:
            return 1, False
        return (inf if (x > 1) == (y > 0) else 0), False
    try:
        return power(x, y), base[1] and exponent[1]
    except ArithmeticError:
        return None


def _whole_power(base: Bounds, exponent: int) -> Bounds:
    if exponent < 0:
        return inverse(_whole_power(base, -exponent))
    if exponent == 0:
        return replace(of_number(1), fails=not base.sure)
    try:
        ends = [_raised(end, exponent) for end in ends_of(base)]
    except ArithmeticError:  # too large to hold
        return NOWHERE
    if exponent % 2 == 0 and base.low < 0 < base.high:
        ends.append((0, True))
    return hull(ends, fails=not base.sure)


def _raised(end: End, exponent: int) -> End:
    x, x_in = end
    if isinstance(x, float):
        return (x if exponent % 2 else inf), False
    return power(x, exponent), x_in


def function_bounds(name: str, args: Sequence[Bounds]) -> Bounds:
    """The bounds of a function by its *name*; of an unknown one, nothing is known."""
    fails = not all(arg.sure for arg in args)
    match name:
        case "max" | "min":
            best = max if name == "max" else min
            return _extreme(args, best, fails)
        case "argmax":
            return Bounds(1, len(args), fails=fails)
        case "floor":
            return Bounds(_floor(args[0].low), _below(args[0]), fails=fails)
        case "ceiling":
            turned = function_bounds("floor", [negative(args[0])])
            return negative(turned)
        case "sqrt" | "exp" | "log":
            return _monotone(name, args[0])
        case "harmonic":
            return _harmonic(args[0], args[1], fails)
        case _ if name in DOUBLING:
            return _doublings(name, args[0])
    return NOWHERE


def _floor(x: Limit) -> Limit:
    return x if isinstance(x, float) else floor(x)


def _below(a: Bounds) -> Limit:
    """The largest whole number that a rounding down may give."""
    if isinstance(a.high, float):
        return a.high
    return floor(a.high) if a.high_in else ceil(a.high) - 1


def _extreme(args: Sequence[Bounds], best: Callable[..., Limit], fails: bool) -> Bounds:
    low, high = best(a.low for a in args), best(a.high for a in args)
    reached = all if best is max else any
    return Bounds(
        low,
        high,
        reached(a.low_in for a in args if a.low == low),
        (any if best is max else all)(a.high_in for a in args if a.high == high),
        fails=fails,
    )


_RISING: Mapping[str, tuple[Callable[[Number], Number], Limit, Limit, Limit]] = {
    "sqrt": (sqrt, 0, 0, inf),
    "exp": (exp, -inf, 0, inf),
    "log": (log, 0, -inf, inf),
}
"""Rising functions: where they begin, and what they are worth there and in the end."""


def _monotone(name: str, a: Bounds) -> Bounds:
    function, start, least, most = _RISING[name]
    outside = a.low < start or (name == "log" and a.low == 0 and a.low_in)
    low = least if a.low <= start else _rounded(function, a.low, least)[0]
    high = _rounded(function, a.high, most)[1] if a.high > start else least
    return Bounds(low, high, fails=outside or not a.sure)


def _rounded(function: Callable[[Number], Number], x: Limit, otherwise: Limit) -> list[Limit]:
    """Limits around the value at *x*; *otherwise* where it cannot be told."""
    if isinstance(x, float):
        return [otherwise, otherwise]
    try:
        return [wide for wide, _ in _widened((function(x), True))]
    except ArithmeticError:
        return [otherwise, otherwise]


def _harmonic(last: Bounds, exponent: Bounds, fails: bool) -> Bounds:
    """The sum of k^-exponent for k = 1, …, last: more for more terms, less for larger exponents."""
    short = last.high <= TERMS
    fails = fails or last.low < 0 or not short
    if exponent.low == -inf or exponent.high == inf or last.low > TERMS:
        return Bounds(0 if last.low <= 0 else 1, inf, True, False, fails=fails)
    low = _widened((harmonic(max(int(last.low), 0), Fraction(exponent.high)), True))[0]
    if not short:
        return Bounds(low[0], inf, True, False, fails=fails)
    high = _widened((harmonic(int(last.high), Fraction(exponent.low)), True))[1]
    return Bounds(low[0], high[0], fails=fails)


def _doublings(name: str, a: Bounds) -> Bounds:
    if a.high <= 0:
        return NOWHERE
    up = name == "ceiling_log2"
    low: Limit = -inf
    if a.low > 0 and not isinstance(a.low, float):
        low = floor_log2(a.low) + 1 if up and not a.low_in else _doubled(a.low, up=up)
    high: Limit = inf
    if not isinstance(a.high, float):
        high = _doubled(a.high, up=up) if up or a.high_in else ceiling_log2(a.high) - 1
    if name == "floor_power2":
        low = 0 if isinstance(low, float) else Fraction(2) ** low
        high = high if isinstance(high, float) else Fraction(2) ** high
    outside = a.low < 0 or (a.low == 0 and a.low_in)
    return Bounds(low, high, fails=outside or not a.sure)


def _doubled(x: Number, *, up: bool) -> int:
    return ceiling_log2(x) if up else floor_log2(x)


def _widened(end: End) -> list[End]:
    """An end, as two where its value is rounded."""
    x, _ = end
    if not isinstance(x, Approximate):
        return [end, end]
    around = of_number(x)
    return [(around.low, True), (around.high, True)]
