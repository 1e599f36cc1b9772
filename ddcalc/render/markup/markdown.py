"""Markdown, with formulas between dollars for the renderers that know mathematics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import markdown as escaped
from ddcalc.numbers.units import Unit
from ddcalc.render import pages
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
    Plain,
    plain,
)
from ddcalc.render.markup import latex

_IN_TEXT = str.maketrans({character: f"\\{character}" for character in "{}%#&$_"})


def section(
    solved: Derivation, steps: str = "full", unit: Unit | None = None, title: str = ""
) -> str:
    """The derivation of *solved*, under its own *title* if it has one, as part of a document.

    *steps* is ``full``, ``brief`` or ``none``.
    """
    return part(pages.derivation(solved, steps, unit, title))


def part(blocks: Iterable[Block]) -> str:
    """*blocks* as part of a document."""
    return page(blocks) + "\n"


def opening(title: str = "") -> str:
    """What stands before the first part."""
    return ""


def closing() -> str:
    """What stands after the last part."""
    return ""


def page(blocks: Iterable[Block]) -> str:
    """*blocks* as Markdown that ends in a line break."""
    return "\n\n".join(text for block in plain(blocks) if (text := _block(block))) + "\n"


def _block(block: Plain) -> str:
    match block:
        case Heading(words, level):
            return f"{'#' * level} {escaped(words)}"
        case Paragraph(pieces, label, number):
            before = "" if number is None else f"{number}. "
            bold = f"**{before}{escaped(label)}**" if label else ""
            return " · ".join(text for text in (bold, _inline(pieces)) if text)
        case Grid(header, rows):
            cells = [[escaped(word) for word in header], ["---"] * len(header)]
            cells += [list(map(_inline, row)) for row in rows]
            return "\n".join(f"| {' | '.join(line)} |" for line in cells)
        case Picture(_, table):
            return _block(table) if table else ""
        case Items(rows):
            return "\n".join(f"- {_inline(row)}" for row in rows)
        case Display(equations):
            return _display(latex.equations(equations))
        case Chain(sides):
            return _display(latex.reasoned(sides, _in_text))
        case Code(text):
            return "\n".join(f"    {clean(line)}" for line in text.splitlines())
        case never:
            assert_never(never)


def _inline(pieces: Pieces) -> str:
    return "".join(
        escaped(piece) if isinstance(piece, str) else f"${latex.inline(piece)}$" for piece in pieces
    )


def _display(tex: str) -> str:
    return f"$$\n{tex}\n$$"


def _in_text(words: str) -> str:
    r"""*words* inside of ``\text{}``, which takes Unicode in browsers."""
    return clean(words).replace("\\", "").translate(_IN_TEXT).replace("^", "").replace("~", " ")
