"""Words with styles: broken into lines of a width, set in columns, and written with colours or
without.

Widths are counted in the columns that a terminal gives to characters, by Rich's table of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size

from ddcalc.memory import remembered
from ddcalc.render.whole import SOLID, loose, whole

Run: TypeAlias = tuple[str, str]
"""Characters, and the words of their style: ``bold green``, or none."""
Line: TypeAlias = Sequence[Run]

GAP: Final = 2  # columns between the columns of a table
EMPTY: Final[Line] = ()

_CODES: Final = {
    "bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35",
    "cyan": "36",
}  # fmt: skip
_NARROW: Final = frozenset(  # characters that take one column: those of our own texts
    chr(code)
    for first, behind in ((0x20, 0x7F), (0xA1, 0xAD), (0xAE, 0x300), (0x370, 0x378), (0x391, 0x3A2),
                          (0x3A3, 0x3FF), (0x2010, 0x2028), (0x2070, 0x2072), (0x2074, 0x208F),
                          (0x2190, 0x231A), (0x2500, 0x25FD), (ord(SOLID), ord(SOLID) + 1))
    for code in range(first, behind)
)  # fmt: skip
_WORD: Final = re.compile(r"\s*\S+\s*")
_ENDS: Final = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)  # of lines that have colours


def run(text: str, style: str = "") -> Line:
    """*text* in one style."""
    return ((text, style),)


def extent(words: Line) -> int:
    """The columns that *words* take, or the longest of their lines."""
    text = _text(words)
    return max(map(_width, text.split("\n"))) if "\n" in text else _width(text)


def broken(words: Line, width: int) -> list[Line]:
    """*words* in lines of that *width*: cut at line breaks, between words though not within
    numbers, and inside of what is longer than a line."""
    text = _text(words)
    if "\n" not in text and _width(text) <= width:
        return [words]
    lines, start = [], 0
    for part in text.split("\n"):
        for first, behind in pairwise([0, *_cuts(part, width), len(part)]):
            last = first + max(width, len(part[first:behind].rstrip()))
            lines.append(_cut(words, start + first, start + min(behind, last)))
        start += len(part) + 1
    return lines


def cropped(line: Line, width: int) -> Line:
    """*line*, or as much of it as has room."""
    if _width(_text(line)) <= width:
        return line
    kept: list[Run] = []
    for text, style in line:
        kept.append((set_cell_size(text, min(width, _width(text))), style))
        width -= _width(kept[-1][0])
    return kept


def indented(lines: Iterable[Line], by: int) -> Iterator[Line]:
    """*lines* that begin so many columns from the left."""
    return ((((" " * by, ""), *line) if by else line) for line in lines)


def beside(head: Run, lines: Sequence[Line]) -> Iterator[Line]:
    """*lines* behind a *head*, which stands before the first one."""
    first, *others = lines or [EMPTY]
    yield (head, *first)
    yield from indented(others, _width(head[0]))


def grid(
    rows: Sequence[Sequence[Line]],
    room: int,
    kept: Collection[int] = (),
    right: Collection[int] = (),
    gap: int = GAP,
) -> Iterator[Line]:
    """*rows* of words in columns as wide as they are; where there is no *room* the widest goes on
    below, but those at the places *kept*. Columns at the places *right* end evenly."""
    widths = [max(map(extent, column)) for column in zip(*rows, strict=True)]
    whole_widths = [width + gap for width in widths[:-1]] + widths[-1:]
    free = [place for place in range(len(widths)) if place not in kept]
    while sum(whole_widths) > room:
        width, place = max((whole_widths[place], place) for place in free)
        if widths[place] == 1:
            break
        widths[place], whole_widths[place] = widths[place] - 1, width - 1
    for cells in rows:
        yield from row(list(map(broken, cells, widths)), widths, right, gap)


def row(
    cells: Sequence[Sequence[Line]],
    widths: Sequence[int],
    right: Collection[int] = (),
    gap: int = GAP,
    head: str = "",
) -> Iterator[Line]:
    """A row of a table: the lines of its *cells* side by side, each filled up in its first style.

    Those of a row with the style *head* end on one line, others begin on one.
    """
    tall = max(map(len, cells))
    for i in range(tall):
        made: list[Run] = []
        for place, (lines, width) in enumerate(zip(cells, widths, strict=True)):
            between = gap if place < len(widths) - 1 else 0
            at = i - (tall - len(lines) if head else 0)
            if 0 <= at < len(lines):
                line = lines[at]
                made += filled_up(line, width, line[0][1] if line else "", place in right)
                if between:
                    made.append((" " * between, head))
            else:
                made.append((" " * (width + between), head))
        yield made


def written(lines: Iterable[Line], colour: bool) -> str:
    """*lines* without blanks at their ends, in their styles where there is *colour*."""
    if not colour:
        return loose("".join([f"{_text(line).rstrip(' ')}\n" for line in lines]))
    text = "".join(f"{''.join(_coded(*one) for one in line)}\n" for line in lines)
    return _ENDS.sub(lambda end: end.group().replace(" ", ""), loose(text))


def _text(words: Line) -> str:
    return words[0][0] if len(words) == 1 else "".join([text for text, _ in words])


def _width(text: str) -> int:
    return len(text) if text.isascii() or _NARROW.issuperset(text) else cell_len(text)


@remembered
def _cuts(text: str, width: int) -> Sequence[int]:
    """Where *text* is cut."""
    return list(_breaks(whole(text), width))


def _breaks(text: str, width: int) -> Iterator[int]:
    """Where *text* is cut: each word that has no room on its line begins the next one."""
    at, measure = 0, len if _NARROW.issuperset(text) else cell_len
    for word in _WORD.finditer(text):
        start, length = word.start(), measure(word[0].rstrip())
        if at + length <= width:
            at += measure(word[0])
        elif length > width:
            for piece in chop_cells(word[0], width):
                if start:
                    yield start
                start, at = start + len(piece), measure(piece)
        else:
            if start:
                yield start
            at = measure(word[0])


def _cut(words: Line, first: int, behind: int) -> Line:
    """The characters of *words* from the place *first* to the one *behind*."""
    if len(words) == 1:
        return run(words[0][0][first:behind], words[0][1])
    made, at = [], 0
    for text, style in words:
        if piece := text[max(0, first - at) : max(0, behind - at)]:
            made.append((piece, style))
        at += len(text)
    return made


def filled_up(line: Line, width: int, style: str, on_right: bool = False) -> Line:
    """*line* with as many blanks in that *style* behind it, or before it, as there is room for."""
    if on_right and line:
        line = (*line[:-1], (line[-1][0].rstrip(), line[-1][1]))
    room = width - _width(_text(line))
    if room <= 0:
        return line
    if on_right and line:
        return ((" " * room + line[0][0], line[0][1]), *line[1:])
    if line and line[-1][1] == style:
        return (*line[:-1], (line[-1][0] + " " * room, style))
    return (*line, (" " * room, style))


def _coded(text: str, style: str) -> str:
    if not style or not text:
        return text
    return f"\x1b[{';'.join(_CODES[word] for word in style.split())}m{text}\x1b[0m"
