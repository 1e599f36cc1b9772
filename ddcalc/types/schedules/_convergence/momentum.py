"""How staleness acts like momentum: both spread one gradient over several updates.

A heavy ball, w_{t+1} = w_t + β·(w_t − w_{t−1}) − α₀·g_t (Polyak, USSR Comput. Math. Math. Phys. 4,
1964), subtracts in the update after t the gradients α₀·g_t + α₀·β·g_{t−1} + α₀·β²·g_{t−2} + …: that
is staleness with coefficients α₀·β^τ which goes on for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ddcalc.formula.expression import Num, Sym
from ddcalc.numbers.display import number_text, rounded
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Step, Table
from ddcalc.types.schedules._convergence.conditions import Conditions, exact
from ddcalc.types.schedules._convergence.question import Question
from ddcalc.types.schedules._convergence.run import errors, places, told

_AGES = 2  # that a heavy ball is followed beyond the stale gradients


def factor(asked: Question) -> Number:
    """The momentum that these coefficients act like: their own β, else the one with whose powers
    they have the same sum."""
    if asked.beta is not None and asked.stale:
        return asked.beta
    stale = Fraction(Conditions(asked).stale_sum)
    return exact(stale / (asked.fresh + stale))


def heavy_ball(asked: Question, h: Number) -> list[Number]:
    """w_t − w* after 0, 1, … updates of a heavy ball where the curvature is *h*, from 1 on."""
    beta, step = Fraction(factor(asked)), Fraction(h) * asked.fresh
    found = [Fraction(1), 1 - step]
    while len(found) <= asked.updates:
        found.append(found[-1] + beta * (found[-1] - found[-2]) - step * found[-1])
    return [told(each) for each in found[: asked.updates + 1]]


def gap(asked: Question) -> Number:
    """The largest difference of the two runs at the smallest curvature."""
    return max(abs(a - b) for a, b in _pairs(asked))


def _pairs(asked: Question) -> list[tuple[Fraction, Fraction]]:
    stale = errors(asked.coefficients, asked.low, asked.updates)
    ball = heavy_ball(asked, asked.low)
    return [(Fraction(a), Fraction(b)) for a, b in zip(stale, ball, strict=True)]


def steps(asked: Question, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The momentum, the weights of a gradient by age, and both runs."""
    yield _factor(asked, declared["momentum"])
    yield _by_age(asked)
    yield _runs(asked)
    why = "of the two runs, over all updates"
    yield defined(declared["momentum_gap"], gap(asked), why=why)


def _factor(asked: Question, quantity: Derived) -> Step:
    if asked.beta is not None and asked.stale:
        why = "each coefficient is β times the one before, as with a heavy ball"
        return defined(quantity, asked.beta, Sym("beta"), {"beta": asked.beta}, why)
    stale = Conditions(asked).stale_sum
    numbers = {"S": stale, "alpha_0": asked.fresh}
    why = "so that α₀ + α₀·β + α₀·β^2 + … = α₀ + S: in the end a gradient counts as much"
    return defined(quantity, factor(asked), Sym("S") / (Sym("alpha_0") + Sym("S")), numbers, why)


def _by_age(asked: Question) -> Table:
    beta, ages = Fraction(factor(asked)), len(asked.coefficients)
    rows = []
    for age in range(ages + _AGES):
        ball = exact(asked.fresh * beta**age)
        mine = asked.coefficients[age] if age < ages else 0
        rows.append((Num(age), Num(rounded(mine, 6)), Num(rounded(ball, 6))))
    why = (
        "a heavy ball w + β·(w − w before) − α₀·g carries every gradient on, α₀·β^τ of it at age τ;"
        " staleness stops after k ages"
    )
    header = ("age", "of a stale gradient", "with a heavy ball")
    return Table("What an update takes of a gradient", why, header, tuple(rows))


def _runs(asked: Question) -> Table:
    pairs = _pairs(asked)
    same = next((t for t, (a, b) in enumerate(pairs) if a != b), None)
    if same is None:
        alike = "the two are exactly equal in all updates"
    else:
        alike = f"the two are exactly equal up to update {same - 1}"
    why = f"w − w* from 1 on, where the curvature is {number_text(asked.low)[0]}; {alike}"
    rows = tuple(
        (Num(t), *(Num(rounded(each, 6)) for each in (*pairs[t], pairs[t][0] - pairs[t][1])))
        for t in places(asked.updates)
    )
    header = ("update", "stale gradients", "heavy ball", "difference")
    return Table("Both runs", why, header, rows)
