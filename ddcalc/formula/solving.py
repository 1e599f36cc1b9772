"""Conditions solved for a quantity: the formula that an equation or a boundary means."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import NOTHING, cases
from ddcalc.formula.expression import Expr, Num, Rel


def solution(owner: str, unknown: str, relation: Rel, rank: Mapping[str, int]) -> Expr:
    """Where both sides of *relation* are equal; nothing where the *unknown* has no effect.

    Raises BadEquation, which names the *owner*, unless it is linear in the unknown. Letters are
    written in the order of their *rank*.
    """
    from ddcalc.formula.cas import solved_for

    try:
        value, slope = solved_for(unknown, relation.left, relation.right, rank)
    except ValueError as error:
        raise BadEquation(owner, str(error)) from None
    if isinstance(slope, Num):
        return value
    return cases((NOTHING, Rel("==", slope, Num(0))), otherwise=value)
