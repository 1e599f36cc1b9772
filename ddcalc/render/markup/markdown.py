"""Markdown, with formulas between dollars for the renderers that know mathematics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import markdown as escaped
from ddcalc.render import blocks
from ddcalc.render.markup import latex
from ddcalc.render.stages import plain
from ddcalc.render.terminal import gantt
from ddcalc.render.whole import Look

_IN_TEXT = str.maketrans({character: f"\\{character}" for character in "{}%#&$_"})


def frame(_title: str) -> tuple[str, str]:
    """Nothing stands around a document."""
    return "", ""


def part(content: Iterable[blocks.Block]) -> str:
    """*content* as Markdown that ends in a line break."""
    return "\n\n".join(text for block in plain(content) if (text := _block(block))) + "\n"


def _block(block: blocks.Plain) -> str:
    match block:
        case blocks.Heading(words, level):
            return f"{'#' * level} {escaped(words)}"
        case blocks.Paragraph(pieces, label):
            bold = f"**{escaped(label)}**" if label else ""
            return " · ".join(text for text in (bold, latex.inlined(pieces, escaped)) if text)
        case blocks.TextTable(header, rows):
            cells = [[escaped(word) for word in header], ["---"] * len(header)]
            cells += [[latex.inlined(cell, escaped) for cell in row] for row in rows]
            return "\n".join(f"| {' | '.join(line)} |" for line in cells)
        case blocks.Picture(step):
            return _block(blocks.Code(gantt.text(step, Look())))
        case blocks.Items(rows, marks):
            heads = [f"{escaped(mark)} " for mark in marks] or [""] * len(rows)
            lines = zip(heads, rows, strict=True)
            return "\n".join(f"- {head}{latex.inlined(row, escaped)}" for head, row in lines)
        case blocks.Display(equations):
            return _display(latex.equations(equations))
        case blocks.Chain(sides):
            return _display(latex.reasoned(sides, _in_text))
        case blocks.Code(text):
            return "\n".join(f"    {clean(line)}" for line in text.splitlines())
        case never:
            assert_never(never)


def _display(tex: str) -> str:
    return f"$$\n{tex}\n$$"


def _in_text(words: str) -> str:
    r"""*words* inside of ``\text{}``, which takes Unicode in browsers."""
    return clean(words).replace("\\", "").translate(_IN_TEXT).replace("^", "").replace("~", " ")
