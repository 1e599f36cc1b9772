"""How the chance that one worker is done in time follows from the law of its time."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.formula.algebra import exp
from ddcalc.formula.expression import Expr, Pow, Sym
from ddcalc.numbers.number import Number
from ddcalc.types.stragglers.backup_workers.beside import Known
from ddcalc.types.stragglers.backup_workers.laws import Alike, Pareto, Shifted, Uniform

X, FIXED = Sym("x"), Sym("c")


def exponential(mean: Number, letter: str, limit: Number, fixed: Number) -> Known:
    """An exponential time of that *mean*, called *letter*, within *limit* less *fixed*."""
    time, numbers = _time(limit, fixed)
    formula = exp(-time / Sym(letter))
    return Known(Shifted(1, 0, mean).chances(limit - fixed), 1, formula, {**numbers, letter: mean})


def known(times: Alike, limit: Number, fixed: Number) -> Known:
    """A time of the law of *times* within *limit* less *fixed*."""
    chances = times.chances(limit - fixed)
    if 0 in chances:
        return Known(chances)
    time, numbers = _time(limit, fixed)
    match times:
        case Shifted(_, shift, rest):
            formula = exp(-(time - Sym("t_min")) / Sym("t_exp"))
            return Known(chances, 1, formula, {**numbers, "t_min": shift, "t_exp": rest})
        case Uniform(_, least, most):
            low = Sym("t_low")
            ends = {**numbers, "t_low": least, "t_high": most}
            return Known(chances, 0, (time - low) / (Sym("t_high") - low), ends)
        case Pareto(_, least, tail):
            formula = Pow(Sym("t_low") / time, Sym("alpha"))
            return Known(chances, 1, formula, {**numbers, "t_low": least, "alpha": tail})
    return Known(chances)


def _time(limit: Number, fixed: Number) -> tuple[Expr, Mapping[str, Number]]:
    """What a round leaves for computing."""
    if fixed:
        return X - FIXED, {"x": limit, "c": fixed}
    return X, {"x": limit}
