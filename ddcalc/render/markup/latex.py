"""LaTeX documents that need no more than article, amsmath, amssymb and geometry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import latex as escaped
from ddcalc.boundary.limits import TITLE
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Tornado
from ddcalc.render import blocks, pages, story
from ddcalc.render.blocks import (
    Block,
    Chain,
    Code,
    Display,
    Grid,
    Heading,
    Items,
    Paragraph,
    Picture,
    Pieces,
)
from ddcalc.render.markup import texlayout
from ddcalc.render.notation.tex import width
from ddcalc.render.pictures import tornado
from ddcalc.render.sides import Sides

ROWS = 40  # rows of a table on one page
WIDE = 88  # digits of a formula on a line
LINE = 84  # characters on a line
NARROW = 14  # characters of a column that is never broken

_LOW = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_LOW_RUNS = re.compile("([₀-₉]+)")
_PREAMBLE: Final = r"""\documentclass[10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb}
\usepackage[a4paper,margin=25mm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{7pt plus 3pt}
\emergencystretch=3em
\begin{document}
"""


def document(sections: Iterable[str]) -> str:
    """A complete document of what :func:`derivation` gave."""
    return opening() + "\n".join(sections) + closing()


def section(
    solved: Derivation, steps: str = "full", unit: Unit | None = None, title: str = ""
) -> str:
    """The derivation of *solved*, under its own *title* if it has one, as part of a document.

    *steps* is ``full``, ``brief`` or ``none``.
    """
    return part(pages.page(solved, steps, unit, clean(title, TITLE)))


def part(told: Iterable[Block]) -> str:
    """*told* as part of a document."""
    return "".join(_lead(block) + _block(block) + "\n" for block in told)


def opening() -> str:
    """What stands before the first section."""
    return _PREAMBLE


def closing() -> str:
    """What stands behind the last section."""
    return "\\end{document}\n"


def fragment(solved: Derivation) -> str:
    """All equations of *solved* and its answer in one display, for notebooks."""
    told: list[Sides | None] = []
    for block in blocks.derivation(solved, "brief"):
        if isinstance(block, Display):
            told += block.equations
        elif isinstance(block, Chain):
            told.append(block.sides)
    return f"$${texlayout.equations([*told, story.answer(solved).sides])}$$"


def words(text: str) -> str:
    """*text* cleaned and escaped for LaTeX's text; subscript digits are kept."""
    parts = _LOW_RUNS.split(text)
    return "".join(
        rf"$_{{{part.translate(_LOW)}}}$" if i % 2 else escaped(part)
        for i, part in enumerate(parts)
    )


def _lead(block: Block) -> str:
    """What keeps a block on the page of the words before it, where it belongs to them."""
    if isinstance(block, Display | Chain):
        return ""
    return "\\par\\nopagebreak\n" if isinstance(block, Grid | Items | Picture) else "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return rf"\{'sub' * (level - 1)}section*{{{words(text)}}}"
        case Paragraph(pieces, label, number):
            before = "" if number is None else f"{number}. "
            bold = rf"\textbf{{{before}{words(label)}}}" if label else ""
            return r" \textperiodcentered{} ".join(part for part in (bold, _inline(pieces)) if part)
        case Grid(header, rows):
            return "\n\n".join(_tables(header, rows))
        case Picture(Tornado() as step):
            return _block(blocks.grid(tornado.table(step)))
        case Picture(_, table):
            return _block(table)
        case Items(rows):
            lines = "".join(f"\\item{{}} {_inline(row)}\n" for row in rows)
            return f"\\begin{{itemize}}\n{lines}\\end{{itemize}}"
        case Display(equations):
            return _display(texlayout.equations(equations, WIDE))
        case Chain(sides):
            return _display(texlayout.reasoned(sides, words, WIDE))
        case Code(text):
            return "\n".join(rf"\texttt{{{words(line)}}}\\" for line in text.splitlines())
        case never:
            assert_never(never)


def _inline(pieces: Pieces) -> str:
    return "".join(
        words(piece) if isinstance(piece, str) else f"${texlayout.inline(piece)}$"
        for piece in pieces
    )


def _display(tex: str) -> str:
    return f"\\[\n{tex}\n\\]"


def _tables(header: Sequence[str], rows: Sequence[Sequence[Pieces]]) -> Iterator[str]:
    """A table, or several where it has more rows than a page."""
    columns = "".join(_columns(header, rows))
    top = " & ".join(rf"\textit{{{words(each)}}}" for each in header)
    for start in range(0, len(rows), ROWS):
        lines = [" & ".join(map(_inline, row)) for row in rows[start : start + ROWS]]
        body = "".join(f"{line} \\\\\\relax\n" for line in lines)  # [ must not follow \\\\
        head = rf"{top} \\ \hline"
        yield f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n{head}\n{body}\\end{{tabular}}"


def _columns(header: Sequence[str], rows: Sequence[Sequence[Pieces]]) -> list[str]:
    """Left-aligned columns; wide ones share what the others leave, if all are too wide."""
    cells = [[_width((word,)) for word in header], *([_width(c) for c in row] for row in rows)]
    widest = [max(column) for column in zip(*cells, strict=True)]
    gaps = 3 * len(widest)
    broken = [each > NARROW for each in widest]
    if sum(widest) + gaps <= LINE or not any(broken):
        return ["l"] * len(widest)
    room = LINE - gaps - sum(each for each, far in zip(widest, broken, strict=True) if not far)
    whole = sum(each for each, far in zip(widest, broken, strict=True) if far)
    shares = [max(0.05, each / whole * max(room, 0) / LINE) for each in widest]
    return [
        rf"p{{{share:.3f}\linewidth}}" if far else "l"
        for share, far in zip(shares, broken, strict=True)
    ]


def _width(pieces: Pieces) -> int:
    """About how many characters wide *pieces* are."""
    return sum(
        len(piece) if isinstance(piece, str) else width(texlayout.inline(piece)) for piece in pieces
    )
