"""Letters of quantities and signs of relations as people read them, in Unicode."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from ddcalc.boundary.cleaning import pairs
from ddcalc.formula.expression import Operator
from ddcalc.memory import remembered

GREEK: Final = pairs(
    """
    alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ
    nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ
    Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω
    """
)
SIGNS: Final[Mapping[Operator, str]] = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "="}
LOW: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@remembered
def letter(name: str) -> str:
    """The letter of a quantity in Unicode.

    >>> letter("t_agg"), letter("eta"), letter("x_12"), letter("x_1_2")
    ('t_agg', 'η', 'x₁₂', 'x₁,₂')
    """
    base, *marks = name.split("_")
    shown = GREEK.get(base, base)
    for before, mark in pairwise([base, *marks]):
        comma = "," if before.isdecimal() else ""
        low = mark.translate(LOW) if mark.isdecimal() else f"_{GREEK.get(mark, mark)}"
        shown += comma * mark.isdecimal() + low
    return shown
