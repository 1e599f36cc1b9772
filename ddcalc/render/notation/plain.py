"""Formulas as text: in Unicode, ``m·t_agg``, and in ASCII as SymPy has them, ``2*Delta*eta/5``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ddcalc.formula.algebra import ordered
from ddcalc.formula.expression import LOW, SIGNS, Expr, Number
from ddcalc.numbers.display import MINUS
from ddcalc.render import notation
from ddcalc.render.notation import ATOM, BREAK, QUOTIENT, Notation, Part, unbroken, written

_ASCII: Final = {op: op for op in SIGNS}


class PlainText(Notation):
    """Formulas in Unicode. Lines break inside of brackets too, at the outermost that suffice."""

    column = "text"
    sums = ""
    minus = MINUS
    times = f"{BREAK}·"
    apart = f"{BREAK} · "
    fraction = QUOTIENT

    def inside(self, part: Part) -> str:
        return self.at_least(part, ATOM)

    def index(self, shown: str) -> str:
        if shown.replace(",", "").isdecimal():
            return shown.translate(LOW)
        return f"_{shown}" if shown.isalpha() else f"_{{{shown}}}"

    def tight(self, text: str) -> str:
        return unbroken(text).replace(" ", "")


class Sympy(Notation):
    """Formulas in ASCII, as SymPy spells them."""

    column = "code"
    longest = 10**9
    nothing = "None"
    beside = "*"
    between = ", "
    fraction = QUOTIENT
    raised = "{}**{}"
    signs = _ASCII

    def number(self, value: Number) -> Part:
        shown = str(value)
        return Part(shown, notation.level_of(value, shown))

    def letter(self, name: str) -> str:
        return name

    def power(self, base: str, exponent: Part) -> str:
        return self.raised.format(base, self.at_least(exponent, ATOM))

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        cases = [f"({value}, {test})" for value, test in pairs]
        return f"Piecewise({', '.join(cases)}, ({otherwise}, True))"


_TEXT: Final = PlainText()
_CODE: Final = Sympy()


def text(expr: Expr, numbers: notation.Numbers | None = None) -> str:
    """*expr* in Unicode, with the letters in *numbers* replaced by them.

    BREAK marks the spaces at which a line may break; ``unbroken`` removes the marks.
    """
    return written(expr, _TEXT, numbers)


def code(expr: Expr) -> str:
    """*expr* as SymPy spells it, with every product sorted: numbers, then letters alphabetically,
    sums and functions, and what it is over."""
    return unbroken(written(ordered(expr, code), _CODE))
