"""Equations in lines of a width: broken at ``=``, at ``+`` and ``−``, and inside of a term only
where it is longer than a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.numbers.amounts import Amount
from ddcalc.render.notation import pieces, unbroken
from ddcalc.render.sides import ShownFormula, Side, Sides
from ddcalc.render.whole import Look, hung, wrapped

REASON = 24  # columns of the reasons beside the lines of an argument, at least
BELOW = " " * 3  # before a reason that stands below its line


def text_of(sides: Sides, look: Look) -> str:
    """An equation among words."""
    return unbroken(" ".join(_side(side, look) for side in sides))


def equation(sides: Sides, look: Look, width: int) -> list[str]:
    """The lines of ``head = side = side``, each at most *width*.

    All on one line if they fit, or those that are not spare; else each beside the one before it if
    there is room, or below it, the signs below each other, and the last beside the one that comes
    to it. A side that is still too long goes on behind its terms.
    """
    if not sides:
        return []
    if len(flat := text_of(sides, look)) <= width:
        return [flat]
    needed = [side for side in sides if not side.spare]
    if len(needed) < len(sides) and len(flat := text_of(tuple(needed), look)) <= width:
        return [flat]
    start, *others = (_side(side, look) for side in sides)
    margin = len(unbroken(start))
    if others and margin <= width // 3:
        lines = _broken(f"{start} {others[0]}", margin + 3, width)
        return _continued(lines, sides[1:], margin, look, width)
    # a long subject: the other sides stand below it
    return _continued(_broken(start, 3, width), sides, 1, look, width)


def argument(lines: Sides, look: Look, width: int) -> Iterator[str]:
    """Lines that derive something, each with its reason beside it, or below it; a short subject
    stands before the first."""
    head = f"{text_of(lines[:1], look)} " if len(lines) > 1 and not lines[0].reason else ""
    head, lines = (head, lines[1:]) if 0 < len(head) <= REASON // 2 else ("", lines)
    made = (equation((side,), look, width - len(head)) for side in lines)
    formulas = [[" " * len(head) + line for line in one] for one in made]
    formulas[0][0] = head + formulas[0][0].lstrip()
    edge = max(len(line) for formula in formulas for line in formula) + len(BELOW)
    for side, (*above, last) in zip(lines, formulas, strict=True):
        reason = look.spelt(side.reason)
        yield from above
        if width - edge >= max(REASON, len(reason) / 2):
            yield hung(f"{last:<{edge}}", reason, width)
        else:
            yield last
            below = " " * len(head) + BELOW
            yield from wrapped(reason, width, initial_indent=below, subsequent_indent=below)


def _continued(
    lines: list[str], sides: Sequence[Side], margin: int, look: Look, width: int
) -> list[str]:
    """*lines* with all *sides* but the first, which they end with, beside or below it."""
    texts = [f" {_side(side, look)}" for side in sides]
    for i, shown in enumerate(texts[1:], 2):
        is_value = i == len(sides) - 1 and isinstance(sides[i].what, Amount)
        value = texts[i] if is_value else ""  # which stands beside what comes to it
        if len(lines[-1] + unbroken(shown + value)) <= width:
            lines[-1] += unbroken(shown)
        else:
            lines += _broken(" " * margin + shown, margin + 3, width)
    return lines


def _side(side: Side, look: Look) -> str:
    what = side.what
    shown = what.marked if isinstance(what, ShownFormula) else str(what)
    return look.spelt(f"{side.sign} {shown}" if side.sign else shown)


def _broken(line: str, margin: int, width: int) -> list[str]:
    """*line* cut at its marks so that each piece fits; later pieces begin at *margin*."""
    first, *others = pieces(line, lambda x: len(unbroken(x).strip()) <= width - margin)
    lines = [first]
    for piece in others:
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
