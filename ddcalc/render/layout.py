"""Equations laid out in lines of a width: broken at ``=``, ``+`` and ``−``, never inside a term."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from ddcalc.boundary.output import ascii_only
from ddcalc.render.formula import BREAK, letter, text
from ddcalc.render.sides import Formula, Side, Sides

INDENT = 3


@dataclass(frozen=True, slots=True)
class Look:
    """The *width* of what is printed, whether it has *colour*, and whether it has *unicode*."""

    width: int = 80
    colour: bool = False
    unicode: bool = True

    def spelt(self, told: str) -> str:
        """*told* in the characters that there are; before anything is aligned."""
        return told if self.unicode else ascii_only(told)

    def letter(self, name: str) -> str:
        """A quantity's letter."""
        return self.spelt(letter(name))


def equation(sides: Sides, look: Look, indent: int, width: int = 0) -> list[str]:
    """The lines of ``head = side = side``, each at most *width* (the look's) if terms allow it.

    All on one line if they fit; else a line for each side, the signs below each other; and a side
    that is still too long goes on behind its terms. A side's reason stands at its right.
    """
    if not sides:
        return []
    width = width or look.width
    head, *others = sides
    start = " " * indent + _side(head, look)
    reasons = any(side.reason for side in others)
    flat = start + "".join(f" {_side(side, look)}" for side in others)
    if len(flat.replace(BREAK, "")) <= width and not reasons:
        return [flat.replace(BREAK, "")]
    margin = len(start.replace(BREAK, ""))
    if others and margin <= width // 3 and not reasons:
        lines = _broken(f"{start} {_side(others[0], look)}", margin + 3, width)
        others = others[1:]
    else:  # a long subject or a chain of reasons: the links stand below the subject
        lines, margin = _broken(start, indent + 2, width), indent + 1
    for side in others:
        told = _broken(f"{' ' * margin} {_side(side, look)}", margin + 3, width)
        lines += _with_reason(told, side, width, look)
    return lines


def _side(side: Side, look: Look) -> str:
    what = side.what
    told = text(what.expr, what.numbers) if isinstance(what, Formula) else str(what)
    return look.spelt(f"{side.sign} {told}" if side.sign else told)


def _broken(line: str, margin: int, width: int) -> list[str]:
    """*line* cut at its marks so that each piece fits; later pieces begin at *margin*."""
    first, *pieces = line.split(BREAK)
    lines = [first]
    for piece in pieces:
        if len(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines.append(" " * margin + piece.lstrip())
    return lines


def _with_reason(lines: list[str], side: Side, width: int, look: Look) -> list[str]:
    """*lines* with the side's reason behind the last one, or below where it does not fit."""
    if not side.reason:
        return lines
    reason = look.spelt(side.reason)
    if len(lines[-1]) + 3 + len(reason) <= width:
        return [*lines[:-1], f"{lines[-1]:<{width - len(reason)}}{reason}"]
    margin = " " * (width // 4)
    return [*lines, *wrap(reason, width, initial_indent=margin, subsequent_indent=margin)]
