"""Words that verbs share: differences with their sign, and what a quantity is called."""

from __future__ import annotations

from ddcalc.formula.expression import Expr, Fun, Number
from ddcalc.numbers.display import ABOUT, quantity_text
from ddcalc.numbers.units import Unit
from ddcalc.problem.problem import Problem

Cell = str | Expr
NOT_ADMITTED = "no answer"  # where a given cannot have the value it is moved to


def signed(value: Number, unit: Unit | None) -> str:
    """A difference with its sign: ``+120 s``, ``−291 s``, ``0 s``."""
    told = quantity_text(value, unit, 5)
    if value <= 0:
        return told
    return f"{ABOUT}+{told.removeprefix(ABOUT)}" if told.startswith(ABOUT) else f"+{told}"


def title_of(problem: type[Problem], name: str) -> str:
    """What quantity *name* is called inside of a sentence."""
    return problem.quantities[name].called


def has_root(expr: Expr) -> bool:
    """Whether a root is taken anywhere in *expr*."""
    return (isinstance(expr, Fun) and expr.name == "sqrt") or any(map(has_root, expr.parts()))
