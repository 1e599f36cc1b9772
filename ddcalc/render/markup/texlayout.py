"""Equations laid out for LaTeX's display mathematics: on one line, or broken and aligned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ddcalc.render.notation import BREAK, INNER, unbroken, written
from ddcalc.render.notation.tex import Latex, latex_number, width
from ddcalc.render.sides import NOTHING, Amount, Formula, Side

LINE = 76  # digits on a line
SIGN = 4  # digits that the sign before a side takes
TALL = 20  # width from which the first side stands on a line of its own

Texts = Callable[[str], str]

_LATEX = Latex()
_SIGNS = {"≤": r"\le", "≥": r"\ge", "≈": r"\approx", "": ""}


def inline(sides: Sequence[Side]) -> str:
    """All *sides* on one line."""
    return unbroken(" ".join(f"{_sign(side)} {_broken(side.what)}".strip() for side in sides))


def equations(told: Sequence[Sequence[Side] | None], line: int = LINE) -> str:
    """Equations under each other, each on one line where it fits, else aligned at its signs.

    None stands for some that are left out.
    """
    if len(told) == 1 and told[0] is not None and width(inline(told[0])) <= line:
        return inline(told[0])
    rows: list[str] = []
    for sides in told:
        if sides is None:
            rows.append(r"& \;\vdots")
        elif width(inline(sides)) <= line and len(sides) > 1:
            rows.append(f"{inline(sides[:1])} & {inline(sides[1:])}")
        else:
            rows += _rows(sides, line)
    return aligned(rows)


def reasoned(sides: Sequence[Side], texts: Texts, line: int = LINE) -> str:
    """A chain with the reason of each side behind it, or below it where there is no room.

    *texts* escapes a reason for LaTeX's text.
    """
    blocks = [list(_side_rows(side, line)) for side in sides]
    if width(inline(sides[:1])) <= TALL and len(blocks) > 1:
        head = blocks.pop(0)[0].removeprefix("& ")
        blocks[0][0] = f"{head} {blocks[0][0]}"
    widest = max(width(row) for block in blocks for row in block)
    beside = widest + max(len(side.reason) for side in sides) <= line + TALL // 2
    rows: list[str] = []
    for side, block in zip(sides[-len(blocks) :], blocks, strict=True):
        reason = rf"\text{{{texts(side.reason)}}}" if side.reason else ""
        if reason and beside:
            block[-1] += rf" && {reason}"
        elif reason:
            block.append(rf"& \qquad {reason}")
        rows += block
    return aligned(rows)


def aligned(rows: Iterable[str]) -> str:
    """*rows*, with & where they are aligned."""
    lines = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}"


def _rows(sides: Sequence[Side], line: int) -> Iterator[str]:
    first, *others = sides
    head = inline([first])
    room = line
    if width(head) <= TALL:
        room -= width(head)
    else:
        yield from _side_rows(first, line)
        head = ""
    for side in others:
        for row in _side_rows(side, room):
            yield f"{head} {row}".strip()
            head = ""


def _side_rows(side: Side, room: int) -> Iterator[str]:
    """The rows of one side, each with its alignment mark."""
    lead = f"& {_sign(side)} " if side.sign else "& "
    for text in _packed(_broken(side.what), room - SIGN):
        yield f"{lead}{text.strip()}"
        lead = r"& \qquad "


def _packed(text: str, room: int) -> Iterator[str]:
    """*text* cut at its marks into lines that fit, at inner marks only where it must be."""
    line = ""
    for piece in _pieces(text, room):
        if line and width(line + piece) > room:
            yield line
            line = ""
        line += piece
    yield line


def _pieces(text: str, room: int) -> Iterator[str]:
    for piece in text.split(BREAK):
        if width(piece) > room:
            yield from piece.split(INNER)
        else:
            yield unbroken(piece)


def _sign(side: Side) -> str:
    return _SIGNS.get(side.sign, side.sign)


def _broken(what: Formula | Amount) -> str:
    if isinstance(what, Formula):
        return written(what.expr, _LATEX, what.numbers)
    return amount(what)


def amount(what: Amount) -> str:
    """A number with its unit."""
    if what.number == NOTHING:
        return _LATEX.nothing
    number = latex_number(what.number)
    unit = what.unit.replace("%", r"\%")
    return rf"{number}\,\mathrm{{{unit}}}" if unit else number
