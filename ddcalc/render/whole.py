"""How a text looks, and numbers in it that stay whole: no line breaks between groups of digits, or
before a unit.

Blanks are marked while lines are made and are ordinary ones again in what is printed, so that what
is copied or piped can be read like everything else.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence, Sized
from itertools import zip_longest
from typing import Any, Final, NamedTuple, TypeVar

from ddcalc.boundary.output import ascii_only
from ddcalc.numbers.units import UNITS

SOLID: Final = "\ue000"  # a blank at which no line breaks; cleaning leaves none of it in a question

_UNITS: Final = "|".join(re.escape(name) for name in sorted(UNITS, key=len, reverse=True))
_LARGE: Final = "million|billion|trillion"
_WITHIN: Final = re.compile(
    rf"(?<=[0-9]) (?=[0-9]{{3}}(?![0-9])|(?:{_UNITS}|/s|{_LARGE})(?![\w%]))"
    r"|(?:(?<=≈)|(?<=~=)|(?<=[^0-9][( ][A-Za-z] =)) (?=[0-9√−-])"
    r"|(?<=[^0-9][( ][A-Za-z]) (?=[=≈] [0-9√−-])"
)


SPLIT: Final = 3  # rows from which on they may stand in two columns

Cell = TypeVar("Cell", bound=Sized)
Rows = Sequence[tuple[Cell, ...]]


class Look(NamedTuple):
    """The *width* of what is printed, whether it has *colour*, and whether it has *unicode*."""

    width: int = 80
    colour: bool = False
    unicode: bool = True

    def spelt(self, text: str) -> str:
        """*text* in the characters that there are; before anything is aligned."""
        return text if self.unicode else ascii_only(text)


def whole(text: str, blank: str = SOLID) -> str:
    """*text* with *blank* for the blanks inside of numbers and before their units."""
    return _WITHIN.sub(blank, text)


def loose(text: str) -> str:
    """*text* with ordinary blanks again."""
    return text.replace(SOLID, " ")


def wrapped(text: str, width: int, **how: Any) -> list[str]:
    """The lines of *text*, broken between words but not within numbers; *how* as in textwrap."""
    line = how.get("initial_indent", "") + loose(text).rstrip(" ")
    if len(line) <= width and line.isprintable() and not line.isspace():
        return [line] if line else []
    return [loose(line) for line in textwrap.wrap(whole(text), width, **how)]


def hung(head: str, text: str, width: int) -> str:
    """*text* behind its *head*, and as many lines below it as it takes."""
    return "\n".join(
        wrapped(
            text, width, initial_indent=head, subsequent_indent=" " * len(head),
            break_on_hyphens=False, break_long_words=False,
        )
    )  # fmt: skip


def abreast(rows: Rows[Cell], none: Cell, width: int, gap: int) -> Sequence[Rows[Cell]]:
    """*rows* one below the other; or short ones side by side, above the others."""
    by_length = sorted(range(len(rows)), key=lambda i: sum(map(len, rows[i])))
    for count in range(len(rows), SPLIT - 1, -1):
        some, alone = sorted(by_length[:count]), [rows[i] for i in sorted(by_length[count:])]
        half = -(-count // 2)
        left, right = ([rows[i] for i in part] for part in (some[:half], some[half:]))
        both = [(*one, *other) for one, other in zip_longest(left, right, fillvalue=(none,) * 3)]
        wide = sum(max(map(len, column)) + gap for column in zip(*both, strict=True)) - gap
        if wide <= width and (count > SPLIT or not alone):
            return [both, *[alone] * bool(alone)]
    return [rows]
