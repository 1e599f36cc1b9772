"""A page of blocks for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import TextWrapper
from typing import assert_never

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

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
from ddcalc.render.terminal.layout import INDENT, Look, equation
from ddcalc.render.terminal.screen import body, labelled, printed


def page(blocks: Iterable[Block], look: Look) -> str:
    """*blocks* as text."""
    return printed(_renderables(blocks, look), look)


def _renderables(blocks: Iterable[Block], look: Look) -> Iterator[RenderableType]:
    for i, block in enumerate(blocks):
        if i:
            yield Text()
        yield from _block(block, look)


def _block(block: Block, look: Look) -> Iterator[RenderableType]:
    match block:
        case Heading(words, level):
            yield Text(look.spelt(words), "bold" if level > 1 else "bold underline")
        case Paragraph(pieces, label, number):
            head = " ".join(part for part in (str(number or ""), label) if part)
            text = Text(f"{head}: " if head and pieces else head, "bold")
            yield text.append(_words(pieces, look), "not bold")
        case Grid(header, rows):
            cells = [[_words(cell, look) for cell in row] for row in rows]
            if _width([list(header), *cells]) <= look.width:
                yield _table(header, cells, look)
            else:
                yield from labelled(_entries(header, rows, look), look)
        case Picture(step):
            yield from body(step, look)
        case Items(rows):
            yield from (Text(f"- {_words(row, look)}") for row in rows)
        case Display(equations):
            for sides in equations:
                lines = equation(sides, look, INDENT) if sides else [" " * INDENT + "…"]
                yield Text("\n".join(lines))
        case Chain(sides):
            yield Text("\n".join(equation(sides, look, INDENT)))
        case Code(text):
            code = _fitting(look.spelt(text.rstrip("\n")), look.width - INDENT)
            yield Padding(Text(code), (0, 0, 0, INDENT))
        case never:
            assert_never(never)


def _fitting(code: str, room: int) -> str:
    """*code* whose commands are broken as a shell allows, where a line has more than *room*."""
    if max(map(len, code.split("\n"))) <= room:
        return code
    wrapper = TextWrapper(
        room - 2, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
    )
    return "\n".join(
        " \\\n".join(wrapper.wrap(line)) if line.startswith("ddcalc ") else line
        for line in code.replace(" \\\n ", "").split("\n")
    )


def _words(pieces: Pieces, look: Look) -> str:
    told = (
        look.spelt(piece) if isinstance(piece, str) else " ".join(equation(piece, look, 0, 10_000))
        for piece in pieces
    )
    return "".join(told)


def _width(rows: list[list[str]]) -> int:
    """The columns that a table of *rows* needs."""
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True))


def _table(header: tuple[str, ...], rows: list[list[str]], look: Look) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in header:
        table.add_column(Text(look.spelt(title)))
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _entries(
    header: tuple[str, ...], rows: Sequence[tuple[Pieces, ...]], look: Look
) -> list[tuple[str, Text]]:
    """The rows of a table that is too wide: what each tells of, and its words and formula."""
    told = [
        {title: _words(cell, look) for title, cell in zip(header, row, strict=True)} for row in rows
    ]
    widest = max(len(cells[header[0]]) for cells in told)
    names = [f"{cells[header[0]]:<{widest}}  {cells.get('', '')}".rstrip() for cells in told]
    room = look.width - (INDENT if look.narrow else max(map(len, names)) + 2)
    bodies = ([look.spelt(_told(cells, header[-1]))] for cells in told)
    if "equation" in header:
        rules = [row[header.index("equation")] for row in rows]
        bodies = (
            [*body, *_rule(rule, look, room)] for body, rule in zip(bodies, rules, strict=True)
        )
    return [(name, Text("\n".join(body))) for name, body in zip(names, bodies, strict=True)]


def _told(cells: dict[str, str], last: str) -> str:
    meaning, unit = cells.get("meaning", cells[last]), cells.get("unit", "")
    if "why" in cells:
        return f"{meaning} ({unit}) · {cells['why']}" if unit else f"{meaning} · {cells['why']}"
    told = f"{meaning}, in {unit}" if unit else meaning
    told += f"; {cells['limits']}" if cells.get("limits") else ""
    return f"{told} ({cells['needed']})" if "needed" in cells else told


def _rule(rule: Pieces, look: Look, room: int) -> list[str]:
    """The lines of a formula, or of words with formulas among them."""
    [first, *others] = rule
    if others or isinstance(first, str):
        return [_words(rule, look)]
    return equation(first, look, 0, room)
