"""Formulas in Unicode: ``t_full = t_down + m·t_agg``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ddcalc.formula.expression import Number, Operator
from ddcalc.formula.letters import GREEK, LOW, SIGNS, letter
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import MINUS, fraction_text, number_text
from ddcalc.render.notation import (
    ATOM,
    BREAK,
    INNER,
    POWER,
    PRODUCT,
    QUOTIENT,
    Notation,
    Part,
    level_of,
    unbroken,
)

_GREEK_SIGNS = frozenset(GREEK.values())
_MARKS = re.compile(f"{BREAK}|{INNER}+")


class Text(Notation):
    """Formulas in Unicode. Lines break inside of brackets too, at the outermost that suffice."""

    def inner(self, text: str) -> str:
        return _MARKS.sub(lambda found: INNER + found.group().replace(BREAK, ""), text)

    def number(self, value: Number) -> Part:
        shown, exact = number_text(value)
        if not exact and type(value) is not Approximate:  # of such a one the whole side tells
            shown = fraction_text(value)
        return Part(shown, level_of(value, shown))

    def letter(self, name: str) -> str:
        return letter(name)

    def bracket(self, inner: str) -> str:
        return f"({inner})"

    def sign(self, negative: bool, term: str) -> str:
        return f"{MINUS if negative else '+'} {term}"

    def negative(self, term: str) -> str:
        return MINUS + term

    def product(self, factors: Sequence[Part]) -> str:
        shown = factors[0].text
        for left, right in pairwise(factors):
            shown += right.text if _touch(left.text, right.text) else f"{BREAK}·{right.text}"
        return shown

    def quotient(self, top: Part, bottom: Part) -> Part:
        over = self.at_least(top, PRODUCT)
        return Part(f"{over}/{self.at_least(bottom, POWER)}", QUOTIENT)

    def power(self, base: str, exponent: Part) -> str:
        return f"{base}^{self.at_least(exponent, ATOM)}"

    def root(self, inner: Part) -> str:
        bare = inner.level >= ATOM and " " not in inner.text
        return f"√{inner.text if bare else self.bracket(inner.text)}"

    def exponential(self, exponent: Part) -> str:
        return self.power("e", exponent)

    def call(self, name: str, arguments: Sequence[str]) -> str:
        inner = f",{BREAK} ".join(arguments)
        match name:
            case "log":
                return f"ln({inner})"
            case "lambert":
                return f"W({inner})"
            case "log2":
                return f"log₂{'' if inner.startswith('(') else ' '}{inner}"
            case "floor":
                return f"⌊{inner}⌋"
            case "ceiling":
                return f"⌈{inner}⌉"
            case "norm":
                return f"‖{inner}‖"
            case "argmax":
                return f"position of max({inner})"
            case "grad":
                index, at = arguments
                low = index.translate(LOW) if index.isdecimal() else f"_{index}"
                return f"∇f{low}({at})"
            case "indexed":
                return _indexed(*map(_tight, arguments))
            case "sum":
                body, index, first, last = arguments
                return f"∑_{{{index}={_tight(first)}}}^{{{_tight(last)}}}{BREAK} {body}"
            case "sum_over":
                body, group, *members = arguments
                names = ",".join(members) if len(members) == 1 else f"({','.join(members)})"
                return f"∑_{{{names} ∈ {group}}}{BREAK} {body}"
        return f"{name}({inner})"

    def relation(self, op: Operator, left: str, right: str) -> str:
        return f"{left}{BREAK} {SIGNS[op]} {right}"

    def cases(self, told: Sequence[tuple[str, str]], otherwise: str) -> str:
        return "".join(f"{value} if {test},{BREAK} " for value, test in told) + f"else {otherwise}"


def _tight(text: str) -> str:
    """*text* for an index or a bound: without blanks."""
    return unbroken(text).replace(" ", "")


def _indexed(base: str, *indices: str) -> str:
    """A letter with indices: G₂,₃ or G_{j,k}."""
    if all(map(str.isdecimal, indices)):
        return base + ",".join(index.translate(LOW) for index in indices)
    if len(indices) == 1 and indices[0].isalpha():
        return f"{base}_{indices[0]}"
    return f"{base}_{{{','.join(indices)}}}"


def _touch(left: str, right: str) -> bool:
    """Whether two factors need no dot between them, as in 4ηΔ and η(x − y)."""
    if right in _GREEK_SIGNS:
        return left in _GREEK_SIGNS or not left.strip("0123456789. ")
    return left in _GREEK_SIGNS and right[0] in "(‖⌈⌊∇"
