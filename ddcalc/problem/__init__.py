"""What a problem type declares, and what becomes of a question of it.

The names here are the face for authors of types; equations use :mod:`ddcalc.formula.algebra`, and
units are in :mod:`ddcalc.numbers.units`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddcalc.problem.problem import Condition, Equations, Problem, Ranking
    from ddcalc.problem.quantity import (
        amount,
        choice,
        count,
        data,
        derived,
        duration,
        elapsed,
        facts,
        given,
        money,
        number,
        price,
        rate,
        share,
        token_rate,
    )
    from ddcalc.problem.sentences import (
        After,
        Crosscheck,
        Equated,
        First,
        Premise,
        Rewritten,
        Said,
        Sentence,
        Stationary,
        Summed,
    )

__all__ = [
    "After",
    "Condition",
    "Crosscheck",
    "Equated",
    "Equations",
    "First",
    "Premise",
    "Problem",
    "Ranking",
    "Rewritten",
    "Said",
    "Sentence",
    "Stationary",
    "Summed",
    "amount",
    "choice",
    "count",
    "data",
    "derived",
    "duration",
    "elapsed",
    "facts",
    "given",
    "money",
    "number",
    "price",
    "rate",
    "share",
    "token_rate",
]


def __getattr__(name: str) -> object:
    """The names above, imported when they are used: a list of types needs none of them."""
    if name in __all__:
        from ddcalc.problem import problem, quantity, sentences

        for module in (problem, quantity, sentences):
            if name in vars(module):
                return getattr(module, name)
    raise AttributeError(f"module 'ddcalc.problem' has no attribute {name!r}")
