"""Formulas as Unicode text, as LaTeX, and as SymPy spells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ddcalc.formula.expression import Expr, Number
from ddcalc.formula.letters import letter
from ddcalc.render.notation import BREAK, unbroken, written
from ddcalc.render.notation.ascii import code
from ddcalc.render.notation.plain import Text
from ddcalc.render.notation.tex import Latex, latex_letter

__all__ = ["BREAK", "code", "latex", "latex_letter", "letter", "text", "unbroken"]

Numbers = Mapping[str, Number] | None

_TEXT: Final = Text()
_LATEX: Final = Latex()


def text(expr: Expr, numbers: Numbers = None) -> str:
    """*expr* in Unicode, with the letters in *numbers* replaced by them.

    BREAK marks the spaces at which a line may break; ``unbroken`` removes the marks.
    """
    return written(expr, _TEXT, numbers)


def latex(expr: Expr, numbers: Numbers = None) -> str:
    """*expr* for LaTeX's mathematics (amsmath), with the letters in *numbers* replaced."""
    return unbroken(written(expr, _LATEX, numbers))
