"""Where the time goes: the share of each group of givens in an answer that is a time.

The share of a given t is t·(dT/dt)/T, weighted by the power of time in its unit (a bandwidth has
-1). Times scale together, so by Euler's theorem on homogeneous functions the shares sum to 1. Of
equal members of a maximum the first is credited.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from ddcalc.formula.expression import Known, Number, letters
from ddcalc.formula.slopes import Differential
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import product
from ddcalc.numbers.units import TIME
from ddcalc.problem.plan import EquationPlan, Line
from ddcalc.problem.quantity import Given

NOTHING = Fraction(1, 10**40)  # a share that only rounded numbers leave


@dataclass(slots=True)
class Share:
    """The *part* (0 to 1) of the answer that a *group* of givens is responsible for."""

    group: str
    part: Number


def shares(plan: EquationPlan, known: Known) -> tuple[Share, ...]:
    """The shares in the answer, largest first; empty unless it is a positive time."""
    problem = plan.problem
    answer = problem.answered
    total = known[answer.letter]
    if answer.unit.dimension != TIME or not total:
        return ()
    times: dict[str, tuple[str, Number]] = {}  # the group of a letter, and t by the power of time
    for letter, (quantity, _) in problem.origin.items():
        if isinstance(quantity, Given) and quantity.unit.dimension.time and letter in known:
            value = known[letter]
            assert value is not None
            times[letter] = quantity.group, value * quantity.unit.dimension.time
    # by group: the sum of t·d/dt over the group's givens, in parts that keep most of it whole
    unit = lcm(*(time.denominator for _, time in times.values() if type(time) is not Approximate))
    slopes = {letter: {group: _times(unit, time)} for letter, (group, time) in times.items()}
    for line in _needed(plan, answer.letter):
        if any(slopes.get(letter) for letter in letters(line.formula)):
            slopes[line.symbol] = Differential(known, slopes).of(line.formula).slopes
    if answer.letter not in slopes:
        return ()
    groups = slopes[answer.letter]
    whole = Fraction(total) * unit
    parts = [Share(group, Fraction(slope) / whole) for group, slope in groups.items()]
    shown = [share for share in parts if not -NOTHING <= share.part <= NOTHING]
    return tuple(sorted(shown, key=lambda share: -share.part)) if len(shown) > 1 else ()


def _times(unit: int, time: Number) -> Number:
    return time * unit if type(time) is Approximate else product(time, unit)


@remembered
def _needed(plan: EquationPlan, letter: str) -> list[Line]:
    return plan.needed(letter)
