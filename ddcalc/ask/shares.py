"""Where the time goes: the share of each group of givens in an answer that is a time.

All times longer by a hair, and all rates as much lower, make the answer longer by that hair. Group
after group, each has the share that it adds, so they sum to 1; what is equally long counts for the
first group.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Known, Number
from ddcalc.numbers.units import TIME
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given

HAIR = Fraction(1, 10**12)
NOTHING = Fraction(1, 10**40)  # a share that only rounded numbers leave


@dataclass(slots=True)
class Share:
    """The *part* (0 to 1) of the answer that a *group* of givens is responsible for."""

    group: str
    part: Number


def shares(plan: EquationPlan, known: Known) -> tuple[Share, ...]:
    """The shares in the answer, largest first; empty unless it is a positive time."""
    answer = plan.problem.answered
    total = known[answer.letter]
    if answer.unit.dimension != TIME or not total:
        return ()
    powers: dict[str, dict[str, int]] = {}  # of time in the unit of each letter, by group
    for letter, (quantity, _) in plan.problem.origin.items():
        power = quantity.unit.dimension.time
        if isinstance(quantity, Given) and power and letter in known:
            powers.setdefault(quantity.group, {})[letter] = int(power)
    lines = [one for one in plan.needed(answer.letter) if known[one.symbol] is not None]
    moved, before, parts = dict(known), Fraction(total), list[Share]()
    for group, letters in powers.items():
        for letter, power in letters.items():
            moved[letter] = Fraction(known[letter] or 0) * (1 + HAIR) ** power
        for line in lines:
            moved[line.symbol] = evaluate(line.formula, moved)
        after = Fraction(moved[answer.letter] or 0)
        parts.append(Share(group, (after - before) / (HAIR * Fraction(total))))
        before = after
    shown = [share for share in parts if not -NOTHING <= share.part <= NOTHING]
    return tuple(sorted(shown, key=lambda share: -share.part)) if len(shown) > 1 else ()
