"""Formulas for LaTeX's mathematics with the package amsmath."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from ddcalc.display import ABOUT, MINUS
from ddcalc.expression import Number, Operator
from ddcalc.render.notation.plain import GREEK, Text
from ddcalc.render.notation.walk import (
    BREAK,
    POWER,
    SUM,
    Notation,
    Part,
)

_GREEK_WORDS = frozenset(f"\\{name}" for name in GREEK)
_OPENINGS: Final = ("(", r"\left", r"\lVert", r"\lceil", r"\lfloor", r"\nabla")
_SIGNS: Final[Mapping[Operator, str]] = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "==": "="}
_TEXT = Text()


def latex_letter(name: str) -> str:
    """The letter of a quantity for LaTeX's mathematics.

    >>> latex_letter("t_agg"), latex_letter("eta"), latex_letter("n_k_2")
    ('t_{\\\\mathrm{agg}}', '\\\\eta', 'n_{k,2}')
    """
    base, *marks = map(_word, name.split("_"))
    return f"{base}_{{{','.join(marks)}}}" if marks else base


def _word(word: str) -> str:
    if word in GREEK:
        return f"\\{word}"
    return word if len(word) <= 1 or word.isdecimal() else f"\\mathrm{{{word}}}"


class Latex(Notation):
    dots = r"\dots"
    nothing = r"\text{no value}"

    def number(self, value: Number) -> Part:
        part = _TEXT.number(value)
        top, slash, bottom = (_number(piece) for piece in part.text.partition("/"))
        if not slash:
            return Part(top, part.level)
        sign, top = ("-", top[1:]) if value < 0 else ("", top)
        return Part(rf"{sign}\frac{{{top}}}{{{bottom}}}", SUM if value < 0 else POWER)

    def letter(self, name: str) -> str:
        return latex_letter(name)

    def bracket(self, inner: str) -> str:
        return _fenced("(", inner, ")")

    def sign(self, negative: bool, term: str) -> str:
        return f"{'-' if negative else '+'} {term}"

    def negative(self, term: str) -> str:
        return f"-{term}"

    def product(self, factors: Sequence[Part]) -> str:
        shown = factors[0].text
        for left, right in pairwise(factors):
            shown += (" " if _touch(left.text, right.text) else r" \cdot ") + right.text
        return shown

    def quotient(self, top: Part, bottom: Part) -> Part:
        return Part(rf"\frac{{{top.text}}}{{{bottom.text}}}", POWER)

    def power(self, base: str, exponent: Part) -> str:
        return f"{base}^{{{exponent.text}}}"

    def call(self, name: str, arguments: Sequence[str]) -> str:
        inner = ", ".join(arguments)
        match name:
            case "floor":
                return _fenced(r"\lfloor ", inner, r" \rfloor")
            case "ceiling":
                return _fenced(r"\lceil ", inner, r" \rceil")
            case "norm":
                return _fenced(r"\lVert ", inner, r" \rVert")
            case "argmax":
                return r"\text{position of } \max" + self.bracket(inner)
            case "grad":
                index, at = arguments
                return rf"\nabla f_{{{index}}}({at})"
            case "max" | "min" if r"\frac" not in inner:
                marked = f",{BREAK} ".join(arguments)
                return rf"\{name}({marked})"
        known = name in ("max", "min")
        return (rf"\{name}" if known else rf"\operatorname{{{name}}}") + self.bracket(inner)

    def relation(self, op: Operator, left: str, right: str) -> str:
        return f"{left}{BREAK} {_SIGNS[op]} {right}"

    def cases(self, told: Sequence[tuple[str, str]], otherwise: str) -> str:
        rows = [rf"{value} & \text{{if }} {test} \\" for value, test in told]
        return rf"\begin{{cases}} {' '.join(rows)} {otherwise} & \text{{else}} \end{{cases}}"


def _touch(left: str, right: str) -> bool:
    if right in _GREEK_WORDS:
        return left in _GREEK_WORDS or not left.strip("0123456789.\\,")
    return left in _GREEK_WORDS and right.startswith(_OPENINGS)


def _number(shown: str) -> str:
    """A number's text, without a fraction bar, for LaTeX."""
    shown = shown.replace(ABOUT, r"\approx ").replace(MINUS, "-")
    mantissa, times, exponent = shown.partition("×10^")
    grouped = mantissa.replace(" ", r"\,").replace(r"\approx\,", r"\approx ")
    return rf"{grouped} \times 10^{{{exponent}}}" if times else grouped


def _fenced(left: str, inner: str, right: str) -> str:
    """*inner* between fences, which grow where it is high."""
    return (
        rf"\left{left}{inner}\right{right.lstrip()}" if r"\frac" in inner else left + inner + right
    )
