"""Formulas for LaTeX's mathematics with the package amsmath."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ddcalc.formula.expression import GREEK, SIGNS
from ddcalc.render.notation import POWER, PRODUCT, QUOTIENT, Notation, Numeral, Part, unbroken

_SIGNS: Final = {**SIGNS, "<=": r"\le", ">=": r"\ge"}

WIDE = 60  # width from which brackets and fractions give way to what can be broken

_UNSEEN = re.compile(r"\\(?:frac|left|right|bigl|bigr|mathrm|text|,)(?![a-z])|[{}_^\f\v$&]")
_BROAD = re.compile(r"\\(?:nabla|Delta|dots|max|min) ?")
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+ ?|.)")


def width(tex: str) -> int:
    """About how many digits wide *tex* is; a fraction counts for more than it is."""
    return len(_COMMAND.sub("x", _BROAD.sub("xx", _UNSEEN.sub("", tex))))


def fits(tex: str, room: int) -> bool:
    """Whether *tex* is at most so many digits wide; it never is wider than it is long."""
    return len(tex) <= room or width(tex) <= room


def latex_letter(name: str) -> str:
    """The letter of a quantity for LaTeX's mathematics."""
    base, *marks = map(_word, name.split("_"))
    return f"{base}_{{{','.join(marks)}}}" if marks else base


def latex_number(shown: str) -> str:
    """A number as :mod:`ddcalc.numbers.display` writes it, for LaTeX's mathematics."""
    about, negative, top, bottom, power = Numeral.of(shown)
    before = r"\approx " * about + "-" * negative
    top = top.replace(" ", r"\,")
    if bottom:
        bottom = bottom.replace(" ", r"\,")
        return rf"{before}\frac{{{top}}}{{{bottom}}}"
    return f"{before}{top}" + (rf" \times 10^{{{power}}}" if power else "")


def latex_amount(number: str, unit: str) -> str:
    """An amount for LaTeX's mathematics."""
    name = unit.replace("%", r"\%").replace("^2", r"\(^2\)")
    return latex_number(number) + (rf"\,\text{{{name}}}" if unit else "")


class Latex(Notation):
    """Formulas for LaTeX's mathematics."""

    column = "latex"
    dots = r"\dots"
    nothing = r"\text{no value}"
    times = r" \cdot "
    apart = r" \cdot "
    beside = " "
    raised = "{}^{{{}}}"
    signs = _SIGNS
    numeral = staticmethod(latex_number)
    measured = staticmethod(latex_amount)
    letter = staticmethod(latex_letter)

    def named(self, name: str, inner: str) -> str:
        known = name if name.startswith("\\") or name == "W" else rf"\operatorname{{{name}}}"
        return known + self.bracket(inner)

    def fenced(self, left: str, right: str, inner: str) -> str:
        """*inner* between fences, which grow where it is high; then no line may break inside."""
        if r"\frac" not in inner and r"\sum" not in inner:
            return f"({inner})" if left == "(" else f"{left} {inner} {right}"
        if r"\frac" not in inner or not fits(inner, WIDE):
            return rf"\bigl{left} {inner} \bigr{right}"
        return rf"\left{left} {unbroken(inner)} \right{right}"

    def quotient(self, top: Part, bottom: Part) -> Part:
        if not (fits(top.text, WIDE) and fits(bottom.text, WIDE)):
            over, under = self.at_least(top, PRODUCT), self.at_least(bottom, POWER)
            return Part(f"{over} / {under}", QUOTIENT)
        return Part(rf"\frac{{{unbroken(top.text)}}}{{{unbroken(bottom.text)}}}", POWER)

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        rows = [rf"{unbroken(value)} & \text{{if }} {unbroken(test)} \\" for value, test in pairs]
        end = rf"{unbroken(otherwise)} & \text{{else}}"
        return rf"\begin{{cases}} {' '.join(rows)} {end} \end{{cases}}"


def _word(word: str) -> str:
    if word in GREEK:
        return f"\\{word}"
    if word == Notation.dots:
        return Latex.dots
    return word if len(word) <= 1 or word.isdecimal() else f"\\mathrm{{{word}}}"
