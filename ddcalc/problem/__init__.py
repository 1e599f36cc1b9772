"""What a problem type declares, and what becomes of a question of it.

The names here are the face for authors of types; equations use :mod:`ddcalc.formula.algebra`, and
units are in :mod:`ddcalc.numbers.units`.
"""

from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Ranking
from ddcalc.problem.quantity import (
    amount,
    choice,
    count,
    data,
    derived,
    duration,
    elapsed,
    given,
    money,
    number,
    price,
    rate,
    share,
    token_rate,
)

__all__ = [
    "Condition",
    "Equations",
    "Falls",
    "Holds",
    "Law",
    "Problem",
    "Ranking",
    "Rises",
    "amount",
    "choice",
    "count",
    "data",
    "derived",
    "duration",
    "elapsed",
    "given",
    "money",
    "number",
    "price",
    "rate",
    "share",
    "token_rate",
]
