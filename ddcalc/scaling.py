"""Equations evaluated on whole numbers where their dimensions allow it: exact, and much faster.

Formulas that are sound in their dimensions do not care in which unit times are told, as long as
nothing that has a dimension is rounded. So times are told in a unit in which all of them are whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import lcm

from ddcalc.coherence import dimension_of
from ddcalc.dimension import ONE, TIME, Dimension
from ddcalc.expression import Expr, Fun, Number
from ddcalc.number import quotient

Function = Callable[..., tuple[Number | None, ...]]


def scaled(
    function: Function, givens: Sequence[Dimension], results: Sequence[Dimension]
) -> Function:
    """*function* (of numbers in base units, for values in base units), on whole times.

    The dimensions of its arguments and results decide; where they are not all times and plain
    numbers, the function itself is returned.
    """
    if not {*givens, *results} <= {ONE, TIME} or TIME not in givens:
        return function
    timed = [dimension == TIME for dimension in givens]
    told = [dimension == TIME for dimension in results]

    def on_whole_times(*numbers: Number) -> tuple[Number | None, ...]:
        unit = lcm(*(n.denominator for n, time in zip(numbers, timed, strict=True) if time))
        if unit == 1:
            return function(*numbers)
        whole = [
            n.numerator * (unit // n.denominator) if time else n
            for n, time in zip(numbers, timed, strict=True)
        ]
        return tuple(
            quotient(value.numerator, value.denominator * unit) if time and value else value
            for value, time in zip(function(*whole), told, strict=True)
        )

    return on_whole_times


def rounds_amounts(formula: Expr, dimensions: Mapping[str, Dimension]) -> bool:
    """Whether *formula* rounds something that has a dimension, and so depends on its unit."""
    match formula:
        case Fun("floor" | "ceiling", (arg,)) if dimension_of(arg, dimensions) != ONE:
            return True
    return any(rounds_amounts(part, dimensions) for part in formula.parts())
