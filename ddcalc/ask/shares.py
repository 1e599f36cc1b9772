"""Where the time goes: the share of each group of givens in an answer that is a time.

The share of a given t is t·(dT/dt)/T, weighted by the power of time in its unit (a bandwidth has
-1). Times scale together, so by Euler's theorem on homogeneous functions the shares sum to 1. Of
equal members of a maximum the first is credited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.dimension import TIME
from ddcalc.evaluation import applying, evaluate, power
from ddcalc.expression import Add, Cases, Div, Expr, Fun, Mul, Neg, Num, Number, Pow, Sym
from ddcalc.plan import EquationPlan
from ddcalc.quantity import Given

Known = Mapping[str, Number | None]
Slopes = dict[str, Number]  # by group: the sum of t·d/dt over the group's givens


@dataclass(frozen=True, slots=True)
class Share:
    """The *part* (0 to 1) of the answer that a *group* of givens is responsible for."""

    group: str
    part: Number


def shares(plan: EquationPlan, known: Known) -> tuple[Share, ...]:
    """The shares in the answer, largest first; empty unless it is a positive time."""
    problem = plan.problem
    answer = problem.quantities[problem.answer]
    total = known[answer.letter]
    if answer.unit.dimension != TIME or not total:
        return ()
    slopes: dict[str, Slopes] = {}
    for letter, (quantity, _) in problem.origin.items():
        if isinstance(quantity, Given) and quantity.unit.dimension.time and letter in known:
            value = known[letter]
            assert value is not None
            slopes[letter] = {quantity.group: value * quantity.unit.dimension.time}
    for line in plan.lines:
        slopes[line.symbol] = _slopes(line.formula, known, slopes)
    groups = slopes[answer.letter]
    parts = [Share(group, Fraction(slope) / total) for group, slope in groups.items() if slope]
    return tuple(sorted(parts, key=lambda share: -share.part)) if len(parts) > 1 else ()


def _slopes(expr: Expr, known: Known, slopes: Mapping[str, Slopes]) -> Slopes:
    """The derivative of *expr* in the direction in which each group grows by its own size."""

    def of(part: Expr) -> Slopes:
        return _slopes(part, known, slopes)

    match expr:
        case Sym(name):
            return slopes.get(name, {})
        case Add(args):
            return _sum(*map(of, args))
        case Neg(arg):
            return _times(-1, of(arg))
        case Mul(args):
            first, *rest = args
            others = Mul(tuple(rest)) if len(rest) > 1 else rest[0]
            left, right = evaluate(first, known), evaluate(others, known)
            return _sum(_times(right, of(first)), _times(left, of(others)))
        case Div(top, bottom):
            over = Fraction(evaluate(bottom, known))
            up, down = of(top), of(bottom)
            return _sum(_times(1 / over, up), _times(-evaluate(top, known) / over**2, down))
        case Fun("max" | "min" as name, args):
            best = (max if name == "max" else min)(args, key=lambda arg: evaluate(arg, known))
            return of(best)
        case Cases():
            return of(applying(expr, known)[0])
        case Pow(base, Num(exponent)):
            inner = power(evaluate(base, known), exponent - 1)
            return _times(exponent * inner, of(base))
        case Num() | Fun("floor" | "ceiling" | "argmax"):
            return {}  # numbers and what is rounded do not change
    raise TypeError(f"{expr!r} has no derivative")


def _sum(*slopes: Slopes) -> Slopes:
    added: Slopes = {}
    for each in slopes:
        for group, slope in each.items():
            added[group] = added.get(group, 0) + slope
    return added


def _times(factor: Number, slopes: Slopes) -> Slopes:
    return {group: factor * slope for group, slope in slopes.items()}
