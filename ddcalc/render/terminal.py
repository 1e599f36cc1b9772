"""Derivations for people at a terminal: plain text that reads well at 80 columns and in a pipe.

Colour and weight add nothing that the text does not say. All texts are Rich ``Text`` objects, so
no markup of a question is ever interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import StringIO
from textwrap import fill, indent
from typing import Final, assert_never

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.expression import Expr
from ddcalc.render import gantt, story
from ddcalc.render.layout import INDENT, Look, equation, filled
from ddcalc.render.sides import Formula, Side, Sides, chain, comparison, solution
from ddcalc.render.sides import equation as sides_of
from ddcalc.steps import (
    Bound,
    Compare,
    Define,
    DefineEach,
    Solve,
    State,
    Step,
    Table,
    Timeline,
)
from ddcalc.units import Unit

LABEL = 17  # columns of a remark's label
NAME, ANSWER = 26, 22  # columns of the summary
_COLOURS: Final[dict[gantt.Part, str]] = {
    "axis": "dim",
    "plain": "",
    "horizon": "bold",
    "down": "green",
    "compute": "cyan",
    "up": "magenta",
    "server": "yellow",
    "wait": "dim",
    "not done": "dim",
    "dropped": "red",
    "interrupted": "red",
    "many": "bold",
}
_ENDS = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)  # of lines, coloured or not

Blocks = Iterator[RenderableType]


def derivation(solved: Derivation, steps: str, look: Look, unit: Unit | None = None) -> str:
    """*solved* as text; *steps* is "none", "brief" or "full"."""
    if steps == "none":
        return printed([Text(story.answer_text(solved, unit))], look)
    blocks = _full(solved, look, unit) if steps == "full" else _brief(solved, look, unit)
    return printed(blocks, look)


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
        console.print(block)
    assert isinstance(console.file, StringIO)
    return _ENDS.sub(lambda end: end.group().replace(" ", ""), console.file.getvalue())


def _full(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    yield Text(solved.problem.question(), "bold")
    yield Text()
    yield Text("Given", "bold")
    yield _givens(solved, look)
    yield Text()
    for told in story.numbered(solved):
        yield _heading(told.number, told.step, look)
        yield from _body(told.step, look)
        yield from (_proof(step, look) for step in told.proof)
    yield Text()
    yield from _answer(solved, look, unit)
    yield from _remarks(solved, look, unit)


def _brief(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    """The formula lines and the answer."""
    for told in story.numbered(solved):
        if not isinstance(told.step, Table | Timeline):
            yield from _body(told.step, look, indent=0)
    yield from _answer(solved, look, unit)


def _givens(solved: Derivation, look: Look) -> RenderableType:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold", justify="right")
    grid.add_column(overflow="fold")
    for step in story.givens(solved):
        meaning = Text(look.spelt(step.title))
        if note := story.note(step):
            meaning.append(look.spelt(f" ({note})"), "dim")
        value = look.spelt(clean(story.given_text(step)))
        lines = filled(value.split(", "), look.width // 2, hang=0)
        grid.add_row(Text(look.letter(step.symbol)), Text("\n".join(lines)), meaning)
    return Padding(grid, (0, 0, 0, 2))


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


def _body(step: Step, look: Look, indent: int = INDENT) -> Blocks:
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
        case Timeline():
            yield from drawn(step, look)
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


def _relation(step: Solve) -> Sides:
    from ddcalc.render.notation.plain import SIGNS

    relation = step.relation
    return (Side("", Formula(relation.left)), Side(SIGNS[relation.op], Formula(relation.right)))


def _lines(sides: Sides, look: Look, indent: int) -> Blocks:
    return (Text(line, no_wrap=True) for line in equation(sides, look, indent))


def _proof(step: Compare, look: Look) -> RenderableType:
    lines = equation(comparison(step), look, 0)
    body = Text("\n".join(lines))
    body.append(f"   {step.why}", "dim")
    grid = Grid.grid()
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(Text(f"{' ' * INDENT}{look.spelt(step.title)}:  "), body)
    return grid


def _table(step: Table, look: Look) -> RenderableType:
    """The table, its titles in several lines or its rows one by one where there is no room."""
    header = [look.spelt(title) for title in step.header]
    rows = [[_cell(cell, look) for cell in row] for row in step.rows]
    room = look.width - INDENT + 2
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    for titles in ([[title] for title in header], [title.split() for title in header]):
        widths = [
            max(map(len, [*cells, *words])) for cells, words in zip(columns, titles, strict=True)
        ]
        if sum(widths) + 2 * len(widths) <= room:
            return _grid(header, rows, widths)
    told = ([f"{title} {cell}" for title, cell in zip(header, row, strict=True)] for row in rows)
    return Text("\n".join(line for row in told for line in filled(row, room - 2)))


def _grid(header: list[str], rows: list[list[str]], widths: list[int]) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title, width in zip(header, widths, strict=True):
        grid.add_column(Text(title), width=width)
    for row in rows:
        grid.add_row(*map(Text, row))
    return grid


def _cell(cell: str | Expr, look: Look) -> str:
    return look.spelt(str(Formula(cell)) if isinstance(cell, Expr) else cell)


def _answer(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    told = story.answer(solved, unit)
    margin = " " * len("Answer  ")
    lines = equation(told.sides, look, 0, look.width - len(margin))
    text = Text(f"Answer  {lines[0]}", "bold green", no_wrap=True)
    for line in lines[1:]:
        text.append(f"\n{margin}{line}")
    if told.second:
        second = f"({look.spelt(told.second)})"
        if len(f"{margin}{lines[-1]}  {second}") <= look.width:
            text.append(f"  {second}", "not bold")
        else:
            text.append("\n", "not bold")
            told_below = fill(second, look.width - len(margin), subsequent_indent=" ")
            text.append(indent(told_below, margin), "not bold")
    yield text


def _remarks(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    """How the question was read, the answers to other readings, and where the answer goes."""
    remarks = list(_remarked(solved, look, unit))
    if remarks:
        yield Text()
        yield from labelled(remarks, look)


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


def _remarked(
    solved: Derivation, look: Look, unit: Unit | None
) -> Iterator[tuple[str, RenderableType]]:
    """The remarks, each under its label."""
    if says := story.read_as(solved):
        yield "Read as", Text(look.spelt("; ".join(says)))
    if others := story.otherwise(solved, unit):
        yield "Otherwise", _otherwise(others, look)
    if parts := story.shares(solved):
        yield "Where it goes", Text(", ".join(f"{group} {part}" for group, part in parts))
    if form := story.closed_form(solved):
        sides, cases = form
        lines = equation(sides, look, 0, look.width - (INDENT if look.narrow else LABEL))
        if cases:
            lines.append(look.spelt(f"as long as {' and '.join(map(story.told_case, cases))}"))
        yield "In one formula", Text("\n".join(lines))


def _told_below(each: story.Otherwise, look: Look) -> str:
    """The answer of another reading below what it says."""
    if each.formula is None:
        return look.spelt(f"  {each.value}  {each.difference}")
    room = look.width - (INDENT if look.narrow else LABEL)
    return "\n".join(equation((Side("", Formula(each.formula)),), look, 2, room))


def _otherwise(others: Iterable[story.Otherwise], look: Look) -> RenderableType:
    """What other readings say beside their answers, or above them where there is no room."""
    told = [(each.says, look.spelt(each.value), look.spelt(each.difference)) for each in others]
    if look.narrow or max(len(value) + len(gap) for _, value, gap in told) > look.width // 2:
        lines = (f"{each.says}\n{_told_below(each, look)}" for each in others)
        return Text("\n".join(lines))
    table = Grid.grid(padding=(0, 2))
    for says, *values in told:  # an empty column would take room
        table.add_row(Text(says), *(Text(value, no_wrap=True) for value in values if value))
    return table
