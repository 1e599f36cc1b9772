"""Equations in lines of a width: broken at ``=``, at ``+`` and ``−``, and inside of a term only
where it is longer than a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ddcalc.numbers.amounts import Amount
from ddcalc.render.notation import BREAK, INNER, unbroken
from ddcalc.render.sides import ShownFormula, Side, Sides
from ddcalc.render.whole import Look, hung, wrapped

REASON = 24  # columns of the reasons beside the lines of an argument, at least
BELOW = " " * 3  # before a reason that stands below its line
_MARKS = re.compile(f"{BREAK}|{INNER}+")


def text_of(sides: Sides, look: Look) -> str:
    """An equation among words."""
    return unbroken(" ".join(_side(side, look) for side in sides))


def equation(sides: Sides, look: Look, width: int) -> list[str]:
    """The lines of ``head = side = side``, each at most *width*.

    All on one line if they fit; else each beside the one before it if there is room, or below it,
    the signs below each other, and the last beside the one that comes to it. One with a reason,
    which stands at its right, has a line of its own. A side that is still too long goes on behind
    its terms.
    """
    if not sides:
        return []
    reasons = any(side.reason for side in sides[1:])
    if len(flat := text_of(sides, look)) <= width and not reasons:
        return [flat]
    start, *others = (_side(side, look) for side in sides)
    margin = len(unbroken(start))
    if others and margin <= width // 3 and not reasons:
        lines = _broken(f"{start} {others[0]}", margin + 3, width)
        return _continued(lines, sides[1:], margin, look, width)
    # a long subject or a chain of reasons: the links stand below the subject
    return _continued(_broken(start, 3, width), sides, 1, look, width)


def argument(lines: Sides, look: Look, width: int) -> Iterator[str]:
    """Lines that derive something, each with its reason beside it, or below it."""
    formulas = [equation((side,), look, width) for side in lines]
    edge = max(len(line) for formula in formulas for line in formula) + len(BELOW)
    for side, (*above, last) in zip(lines, formulas, strict=True):
        reason = look.spelt(side.reason)
        yield from above
        if width - edge >= max(REASON, len(reason) / 2):
            yield hung(f"{last:<{edge}}", reason, width)
        else:
            yield last
            yield from wrapped(reason, width, initial_indent=BELOW, subsequent_indent=BELOW)


def _continued(
    lines: list[str], sides: Sequence[Side], margin: int, look: Look, width: int
) -> list[str]:
    """*lines* with all *sides* but the first, which they end with, beside or below it."""
    reasons = any(side.reason for side in sides)
    texts = [f" {_side(side, look)}" for side in sides]
    for i, (side, shown) in enumerate(zip(sides[1:], texts[1:], strict=True), 2):
        is_value = i == len(sides) - 1 and isinstance(sides[i].what, Amount)
        value = texts[i] if is_value else ""  # which stands beside what comes to it
        if not reasons and len(lines[-1] + unbroken(shown + value)) <= width:
            lines[-1] += unbroken(shown)
        else:
            whole = _broken(" " * margin + shown, margin + 3, width)
            lines += _with_reason(whole, side, width, look)
    return lines


def _side(side: Side, look: Look) -> str:
    what = side.what
    shown = what.marked if isinstance(what, ShownFormula) else str(what)
    return look.spelt(f"{side.sign} {shown}" if side.sign else shown)


def _broken(line: str, margin: int, width: int) -> list[str]:
    """*line* cut at its marks so that each piece fits; later pieces begin at *margin*."""
    first, *pieces = _pieces(line, width - margin)
    lines = [first]
    for piece in pieces:
        if len(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines.append(" " * margin + piece.lstrip())
    return [part for line in lines for part in _cut(line, margin, width)]


def _cut(line: str, margin: int, width: int) -> Iterator[str]:
    """*line*, where it has no mark and no room cut behind a fraction bar, or else where it ends."""
    while len(line) > width > margin:
        bar = line.rfind("/", margin + 1, width)
        end = bar + 1 if bar > 0 else width
        yield line[:end]
        line = " " * margin + line[end:]
    yield line


def _pieces(line: str, room: int) -> Iterator[str]:
    """*line* cut at its outermost marks, and so again each piece for which there is no *room*."""
    marks = _MARKS.findall(line)
    if not marks:
        yield line
        return
    for piece in re.split(
        f"(?<!{INNER}){min(marks, key=lambda mark: mark != BREAK and len(mark))}(?!{INNER})", line
    ):
        if len(unbroken(piece).strip()) > room:
            yield from _pieces(piece, room)
        else:
            yield unbroken(piece)


def _with_reason(lines: list[str], side: Side, width: int, look: Look) -> list[str]:
    """*lines* with the side's reason behind the last one, or below where it does not fit."""
    if not side.reason:
        return lines
    reason = look.spelt(side.reason)
    if len(lines[-1]) + 3 + len(reason) <= width:
        return [*lines[:-1], f"{lines[-1]:<{width - len(reason)}}{reason}"]
    margin = " " * (width // 4)
    return [*lines, *wrapped(reason, width, initial_indent=margin, subsequent_indent=margin)]
