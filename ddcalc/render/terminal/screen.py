"""Steps on a screen: plain text that reads well at 80 columns and in a pipe.

Colour and weight add nothing that the text does not say. All texts are Rich ``Text`` objects, so
no markup of a question is ever interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Final, assert_never

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Expr
from ddcalc.problem.steps import (
    Bound,
    Compare,
    Define,
    DefineEach,
    Exchange,
    Plot,
    Solve,
    State,
    Step,
    Table,
    Timeline,
    Tornado,
)
from ddcalc.render import story
from ddcalc.render.pictures import exchange, tornado
from ddcalc.render.sides import Formula, Side, Sides, chain, comparison, solution
from ddcalc.render.sides import equation as sides_of
from ddcalc.render.terminal import columns, gantt
from ddcalc.render.terminal.layout import INDENT, Look, equation, filled
from ddcalc.render.whole import loose, whole

_COLOURS: Final[dict[gantt.Part, str]] = {
    "axis": "dim",
    "plain": "",
    "horizon": "bold",
    "down": "green",
    "compute": "cyan",
    "up": "magenta",
    "server": "yellow",
    "send": "magenta",
    "wait": "dim",
    "not done": "dim",
    "not counted": "dim",
    "dropped": "red",
    "interrupted": "red",
    "many": "bold",
}
_MARKED: Final[dict[exchange.Mark, str]] = {
    "plain": "",
    "changed": "bold cyan",
    "complete": "green",
    "both": "bold green",
}
NARROWEST: Final = 20  # columns of a proof beside its title
_ENDS = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)  # of lines, coloured or not

Blocks = Iterator[RenderableType]


def printed(blocks: Iterable[RenderableType], look: Look) -> str:
    """*blocks* one below the other, lines without trailing blanks."""
    console = Console(
        file=StringIO(),
        width=look.width,
        force_terminal=look.colour,
        color_system="standard" if look.colour else None,
        no_color=not look.colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for block in blocks:
        _keep_whole(block)
        console.print(block)
    assert isinstance(console.file, StringIO)
    told = loose(console.file.getvalue())
    return _ENDS.sub(lambda end: end.group().replace(" ", ""), told)


def _keep_whole(block: RenderableType) -> None:
    """Let no line break within a number of *block*, or before its unit."""
    if isinstance(block, Text):
        block.plain = whole(block.plain)
        block.overflow = block.overflow or "fold"  # what is too long for a line goes on, uncut
        return
    inner: list[RenderableType] = []
    if isinstance(block, Padding):
        inner.append(block.renderable)
    elif isinstance(block, Group):
        inner += block.renderables
    elif isinstance(block, Grid):
        inner += (cell for column in block.columns for cell in (column.header, *column.cells))
    for each in inner:
        _keep_whole(each)


def givens(stated: Iterable[State], look: Look) -> RenderableType:
    """What is stated, with what it means."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(overflow="fold")
    grid.add_column(no_wrap=True, justify="right")  # its lines are broken between values
    grid.add_column(overflow="fold")
    room = 2 * look.width // (5 if look.narrow else 4)
    for step in stated:
        meaning = Text(look.spelt(step.title))
        if note := story.note(step):
            meaning.append(look.spelt(f" ({note})"), "yellow" if step.unused else "dim")
        value = look.spelt(clean(story.given_text(step)))
        lines = filled(value.split(", "), room, hang=0)
        grid.add_row(Text(look.letter(step.symbol)), Text("\n".join(lines)), meaning)
    return Padding(grid, (0, 0, 0, 2))


def numbered(steps: Iterable[Step], look: Look) -> Blocks:
    """The steps under their numbers, each with what proves it."""
    for told in story.numbered(steps):
        yield _heading(told.number, told.step, look)
        yield from body(told.step, look)
        yield from (_proof(step, look) for step in told.proof)


def _heading(number: int, step: Step, look: Look) -> RenderableType:
    heading = Text(look.spelt(step.title), "bold")
    if step.why:
        between = " · " if len(step.title) < 60 else " "
        heading.append(look.spelt(between + step.why), "not bold dim")
    grid = Grid.grid()
    grid.add_column(width=INDENT, no_wrap=True)
    grid.add_column()
    grid.add_row(Text(f"{number}", "bold"), heading)
    return grid


def body(step: Step, look: Look, indent: int = INDENT) -> Blocks:
    """What *step* comes to, without its heading."""
    match step:
        case Define():
            yield from _lines(sides_of(step), look, indent)
        case DefineEach(rows=rows):
            for row in story.shown(rows):
                yield from (
                    _lines(sides_of(row), look, indent) if row else [Text(" " * indent + "…")]
                )
        case Solve():
            yield from _lines(_relation(step), look, indent)
            yield from _lines(solution(step), look, indent)
            if step.op is None:
                yield Text(" " * indent + f"no {look.letter(step.unknown)} changes either side")
        case Bound():
            yield from _lines(chain(step), look, indent)
        case Table():
            yield Padding(_table(step, look), (0, 0, 0, indent))
        case Tornado():
            yield Padding(_table(tornado.table(step), look), (0, 0, 0, indent))
        case Timeline():
            yield from drawn(step, look)
        case Exchange():
            yield Padding(_exchange(step, look), (0, 0, 0, indent))
        case Plot():
            yield from plotted(step, look)
        case Compare():
            yield _proof(step, look)
        case State():
            pass
        case never:
            assert_never(never)


def drawn(step: Timeline, look: Look) -> Blocks:
    """The lines of a timeline's picture."""
    for line in gantt.lines(step, look):
        yield Text.assemble(*((told, _COLOURS[part]) for told, part in line), no_wrap=True)


def plotted(step: Plot, look: Look) -> Blocks:
    """The lines of curves; where they cannot be drawn, how to see them."""
    from ddcalc.render.terminal import plot

    try:
        yield from (Text(line, no_wrap=True) for line in plot.lines(step.chart, look))
    except BadValue:
        told = Text("(drawn by --output FILE.svg, or here with the extra plot)")
        yield Padding(told, (0, 0, 0, INDENT))


def _relation(step: Solve) -> Sides:
    from ddcalc.formula.letters import SIGNS

    relation = step.relation
    return (Side("", Formula(relation.left)), Side(SIGNS[relation.op], Formula(relation.right)))


def _lines(sides: Sides, look: Look, indent: int) -> Blocks:
    return (Text(line, no_wrap=True) for line in equation(sides, look, indent))


def _proof(step: Compare, look: Look) -> RenderableType:
    title = f"{' ' * INDENT}{look.spelt(step.title)}:  "
    room = max(look.width - len(title), NARROWEST)
    lines = equation(comparison(step), look, 0, room)
    body = Text("\n".join(lines))
    beside = len(f"{lines[-1]}   {step.why}") <= room
    body.append(f"{'   ' if beside else chr(10)}{step.why}", "dim")
    grid = Grid.grid()
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(Text(title), body)
    return grid


def _exchange(step: Exchange, look: Look) -> RenderableType:
    """Who sends what and holds what then: as much of it as there is room for, at least in words."""
    for full in (True, False):
        for room in exchange.ROOMS:
            header = [look.spelt(title) for title in exchange.header(step, full)]
            rows = [
                [Text(look.spelt(words), _MARKED[mark]) for words, mark in row]
                for row in exchange.rows(step, room, full)
            ]
            widths = columns.widths(header, [[cell.plain for cell in row] for row in rows], look)
            if widths:
                return Group(_grid(header, rows, widths), *_legend(step, rows, look))
    return Text("\n".join(_in_words(step, look)))


def _legend(step: Exchange, rows: list[list[Text]], look: Look) -> Iterator[Text]:
    told = [words for _, words in exchange.legend(step)]
    if any(look.spelt("…") in cell.plain for row in rows for cell in row):
        told.append("… values left out")
    if told:
        yield Text(look.spelt("  ".join(told)), "dim")


def _in_words(step: Exchange, look: Look) -> Iterator[str]:
    """A line for each cell, however long it is."""
    header = exchange.header(step, full=False)
    for row in exchange.rows(step, exchange.ROOMS[-1], full=False):
        told = (f"{title} {words}" for title, (words, _) in zip(header, row, strict=True))
        yield from filled(map(look.spelt, told), look.width - INDENT)


def _table(step: Table, look: Look) -> RenderableType:
    """The table, its titles in several lines or its rows one by one where there is no room."""
    header = [look.spelt(title) for title in step.header]
    rows = [[_cell(cell, look) for cell in row] for row in step.rows]
    if widths := columns.widths(header, rows, look):
        return _grid(header, [[*map(Text, row)] for row in rows], widths)
    if wrapped := columns.wrapped(header, rows, look):
        return _grid(header, [[*map(Text, row)] for row in wrapped.rows], wrapped.widths)
    return Text("\n".join(line for row in rows for line in columns.by_itself(header, row, look)))


def _grid(header: list[str], rows: list[list[Text]], widths: list[int]) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title, width in zip(header, widths, strict=True):
        grid.add_column(Text(title), width=width)
    for row in rows:
        grid.add_row(*row)
    return grid


def _cell(cell: str | Expr, look: Look) -> str:
    return look.spelt(str(Formula(cell)) if isinstance(cell, Expr) else cell)


def labelled(told: Iterable[tuple[str, RenderableType]], look: Look) -> Blocks:
    """Each text beside its label, or below it where there is no room."""
    if look.narrow:
        for label, body in told:
            yield Text(label, "bold")
            yield Padding(body, (0, 0, 0, INDENT))
    else:
        grid = Grid.grid(padding=(0, 2))
        for label, body in told:
            grid.add_row(Text(label, "bold", no_wrap=True), body)
        yield grid
