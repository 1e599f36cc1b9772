"""Pages of blocks for people at a terminal: text that reads well at 80 columns and in a pipe.

Colour and weight add nothing that the text does not say. All texts are Rich ``Text`` objects, so
no markup of a question is ever interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import groupby
from typing import Final, Literal, assert_never

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadValue
from ddcalc.problem.steps import Compare, Exchange, Plot, State, Timeline, Tornado
from ddcalc.render import blocks, pages, story
from ddcalc.render.blocks import Block, Pieces
from ddcalc.render.pictures import exchange, tornado
from ddcalc.render.story import Sides, comparisons
from ddcalc.render.terminal import column_widths as columns
from ddcalc.render.terminal import gantt
from ddcalc.render.terminal.layout import INDENT, Look, argued, equation, filled
from ddcalc.render.whole import fitting_command, loose, whole, wrapped
from ddcalc.sheet.batch import Solved

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
LABEL = 9  # columns of a remark's label
NAME = 20  # columns of a problem in the summary
ENDLESS = 10_000  # columns of a formula among words
_ENDS = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)  # of lines, coloured or not

Rendered = Iterator[RenderableType]


def page(content: Iterable[Block], look: Look) -> str:
    """*content* as text that ends in a line break."""
    return _printed(_page(content, look), look)


def summary_head(look: Look) -> str:
    """The head of the lines that :func:`summary` makes."""
    head = f"{'problem':<{NAME}}  answer"
    return _printed([Text(head, "bold")], look)


def summary(done: Solved, look: Look) -> str:
    """What the problem is called beside its answer in a sentence, how many stated answers agree,
    and those that do not."""
    question = done.question
    where = f"{question.file}:{question.line}" if question.line else question.file
    name = clean(question.id or question.title or where, NAME)
    lines = ["not solved"]
    if done.derivation is not None and done.answered:
        lines = [story.says(done.derivation), pages.agreeing(done.checks)]
        wrong = (check for check in done.checks if not check.agrees)
        lines += [f"{pages.stated(check)}  {pages.verdict(check)}" for check in wrong]
    margin = " " * (NAME + 2)
    room = max(look.width, len(margin) + NARROWEST)
    body = [
        part
        for line in lines
        if line
        for part in wrapped(
            look.spelt(clean(line)), room, initial_indent=margin, subsequent_indent=margin
        )
    ]
    return "\n".join([f"{look.spelt(name):<{NAME}}  {body[0].lstrip()}", *body[1:], ""])


def _printed(rendered: Iterable[RenderableType], look: Look) -> str:
    """What is *rendered* one below the other, lines without trailing blanks."""
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
    for part in rendered:
        _keep_whole(part)
        console.print(part)
    assert isinstance(console.file, StringIO)
    return _ENDS.sub(lambda end: end.group().replace(" ", ""), loose(console.file.getvalue()))


def _keep_whole(part: RenderableType) -> None:
    """Let no line break within a number of *part*, or before its unit."""
    if isinstance(part, Text):
        part.plain = whole(part.plain)
        part.overflow = part.overflow or "fold"  # what is too long for a line goes on, uncut
        return
    inner: list[RenderableType] = []
    if isinstance(part, Padding):
        inner.append(part.renderable)
    elif isinstance(part, Group):
        inner += part.renderables
    elif isinstance(part, Table):
        inner += (cell for column in part.columns for cell in (column.header, *column.cells))
    for member in inner:
        _keep_whole(member)


def _page(content: Iterable[Block], look: Look) -> Rendered:
    """*content* with empty lines between, but for steps and for remarks, which share a table."""
    before: Block | None = None
    for are_remarks, group in groupby(content, lambda block: isinstance(block, blocks.Remark)):
        if are_remarks:
            remarks = (block for block in group if isinstance(block, blocks.Remark))
            bodies = [(block.label, Group(*_remark(block.body, look))) for block in remarks]
            yield from _labelled(bodies, look, LABEL)
            continue
        for block in group:
            if isinstance(block, blocks.Heading) and block.optional and not block.name:
                continue
            if before is not None and not _follows(block, before):
                yield Text()
            yield from _block(block, look)
            before = block


def _follows(block: Block, before: Block) -> bool:
    """Whether *block* stands right below the one before it."""
    if not isinstance(before, blocks.Stage):
        return False
    formulas = before.number is None and isinstance(
        before.body[-1], blocks.Display | blocks.Chain | blocks.Paragraph
    )
    if isinstance(block, blocks.Stage):
        return block.number is not None or not block.title
    return isinstance(block, blocks.Answer) and formulas


def _block(block: Block, look: Look, indent: int | None = None) -> Rendered:
    """*block* by itself (*indent* None) or as part of a step, so many columns from the left."""
    within, edge = INDENT if indent is None else indent, indent or 0
    match block:
        case blocks.Heading(words, _, name):
            yield Text(_spelt(f"{name}  {words}" if name else words, look), "bold")
        case blocks.Paragraph(pieces, label, number):
            head = " ".join(part for part in (str(number or ""), label) if part)
            bold = _spelt(f"{head}: " if head and pieces else head, look)
            text = Text.assemble((bold, "bold"), _words(pieces, look))
            yield Padding(text, (0, 0, 0, edge)) if edge else text
        case blocks.TextTable(header, rows):
            cells = [[_words(content, look) for content in row] for row in rows]
            yield Padding(_grid(header, cells, look, look.width - edge), (0, 0, 0, edge))
        case blocks.Items(rows, marks):
            for row, mark in zip(rows, marks or ["-"] * len(rows), strict=True):
                yield Text(f"{mark} {_words(row, look)}")
        case blocks.Blanks(labels):
            yield Text("  ".join(f"{label} {'_' * blocks.LINE}" for label in labels))
        case blocks.Contents(files):
            yield from (Text(f"- {look.spelt(name)}") for _, parts in files for name, _ in parts)
        case blocks.Display(equations):
            for sides in equations:
                lines = equation(sides, look, within) if sides else [" " * within + "…"]
                yield from (Text(line, no_wrap=True) for line in lines)
        case blocks.Chain(sides):
            yield from (Text(line, no_wrap=True) for line in equation(sides, look, within))
        case blocks.Code(text):
            code = fitting_command(look.spelt(text.rstrip("\n")), look.width - within)
            yield Padding(Text(code), (0, 0, 0, within))
        case blocks.Picture(step):
            yield from _drawn(step, look, within)
        case _:
            yield from _part(block, look)


def _part(block: blocks.Meant, look: Look) -> Rendered:
    """A part of a derivation or a report."""
    match block:
        case blocks.Entries(table, rows):
            yield from _entries(table, rows, look)
        case blocks.Givens(states, read):
            yield Text("Given", "bold")
            yield _givens(states, look)
            if read:
                words = Text(_spelt(" · ".join(read), look))
                yield Padding(words, (0, 0, 0, 2))
        case blocks.Stage():
            yield from _stage(block, look)
        case blocks.Proof(rows):
            compared = zip(rows, comparisons(rows), strict=True)
            yield from (_proof(step, sides, look) for step, sides in compared)
        case blocks.Argued(lines):
            yield from (Text(line, no_wrap=True) for line in argued(lines, look, INDENT))
        case blocks.Answer(pieces):
            yield from _labelled(
                [("Answer", Text(_words(pieces, look), "bold green"))], look, LABEL
            )
        case blocks.AnswerAlone(pieces, head):
            if head.words:
                yield from _block(head, look)
                yield Text()
            yield Text(_words(pieces, look))
        case blocks.Remark(_, body):
            yield from _remark(body, look)
        case blocks.Verdicts(summary, wrong):
            below = (Text(_spelt(line, look), "bold red") for line in wrong)
            lines_below = Group(Text(_spelt(summary, look)), *below)
            yield from _labelled([("Stated", lines_below)], look, LABEL)
        case never:
            assert_never(never)


def _spelt(words: str, look: Look) -> str:
    return look.spelt(clean(words))


def _words(pieces: Pieces, look: Look) -> str:
    return "".join(
        _spelt(piece, look) if isinstance(piece, str) else _inline(piece, look) for piece in pieces
    )


def _inline(piece: Sides, look: Look) -> str:
    return " ".join(equation(piece, look, 0, ENDLESS))


# Steps


def _givens(states: Iterable[State], look: Look) -> RenderableType:
    """What is stated, with what it means."""
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True, justify="right")  # its lines are broken between values
    table.add_column(overflow="fold")
    room = 2 * look.width // (5 if look.narrow else 4)
    for step in states:
        meaning = Text(look.spelt(step.title))
        if note := story.note(step):
            meaning.append(look.spelt(f" ({note})"), "yellow" if step.unused else "dim")
        values = _spelt(story.given_text(step), look).split(", ")
        lines = "\n".join(filled(values, room, hang=0))
        table.add_row(Text(look.letter(step.symbol)), Text(lines), meaning)
    return Padding(table, (0, 0, 0, 2))


def _stage(stage: blocks.Stage, look: Look) -> Rendered:
    title = Text(_spelt(stage.title, look), "bold")
    if stage.why:
        between = " · " if len(stage.title) < 60 else " "
        title.append(_spelt(between + stage.why, look), "not bold dim")
    if stage.number is not None:
        table = Table.grid()
        table.add_column(width=INDENT, no_wrap=True)
        table.add_column()
        table.add_row(Text(f"{stage.number}", "bold"), title)
        yield table
    elif stage.title:
        yield title
    for block in stage.body:
        yield from _block(block, look, 0 if stage.number is None else INDENT)


def _proof(step: Compare, sides: Sides, look: Look) -> RenderableType:
    title = f"{' ' * INDENT}{look.spelt(step.title)}:  "
    room = max(look.width - len(title), NARROWEST)
    lines = equation(sides, look, 0, room)
    body = Text("\n".join(lines))
    beside = len(f"{lines[-1]}   {step.why}") <= room
    body.append(f"{'   ' if beside else chr(10)}{step.why}", "dim")
    table = Table.grid()
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row(Text(title), body)
    return table


def _remark(body: Iterable[Block], look: Look) -> Rendered:
    room = look.width - (INDENT if look.narrow else LABEL + 2)
    for block in body:
        match block:
            case blocks.TextTable(header, rows):
                yield _readings(header, rows, look, room)
            case blocks.Display(equations):
                lines = (line for x in equations if x for line in equation(x, look, 0, room))
                yield Text("\n".join(lines))
            case _:
                yield from _block(block, look)


def _readings(
    header: Sequence[str], rows: Sequence[tuple[Pieces, ...]], look: Look, room: int
) -> RenderableType:
    """What other readings say beside their answers, or above them where there is no room; under a
    *header* where it names the answer."""
    cells = [[_words(content, look) for content in row] for row in rows]
    if look.narrow or max(sum(map(len, values)) for _, *values in cells) > look.width // 2:
        lines: list[str] = []
        for (_, value, _), (says, *values) in zip(rows, cells, strict=True):
            formula = value[0] if value and not isinstance(value[0], str) else None
            below = equation(formula, look, 2, room) if formula else ["  " + "  ".join(values)]
            lines += [says, *below]
        return Text("\n".join(lines))
    table = Table.grid(padding=(0, 2))
    table.add_column()
    for _ in range(max(sum(map(bool, values)) for _, *values in cells)):
        table.add_column(no_wrap=True)
    heads = [_spelt(title, look) for title in header]
    for says, *values in [heads, *cells] if "answer" not in heads else cells:
        # an empty column would take room
        table.add_row(Text(says), *(Text(value, no_wrap=True) for value in values if value))
    return table


# Tables


def _grid(header: Sequence[str], cells: list[list[str]], look: Look, room: int) -> RenderableType:
    """A table, its titles in several lines or its rows one by one where there is no *room*."""
    titles = [_spelt(title, look) for title in header]
    if widths := columns.widths(titles, cells, room):
        return _table(titles, [[*map(Text, row)] for row in cells], widths)
    if narrowed := columns.narrowed(titles, cells, room):
        return _table(titles, [[*map(Text, row)] for row in narrowed.rows], narrowed.widths)
    lines = (line for row in cells for line in columns.by_itself(titles, row, room))
    return Text("\n".join(lines))


def _table(titles: list[str], rows: list[list[Text]], widths: list[int]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for i, (title, width) in enumerate(zip(titles, widths, strict=True)):
        amounts = blocks.are_amounts((row[i].plain,) for row in rows)
        side: Literal["left", "right"] = "right" if amounts else "left"
        table.add_column(Text(title), width=width, justify=side)
    for row in rows:
        table.add_row(*row)
    return table


def _entries(
    table: blocks.TextTable,
    rows: Sequence[tuple[str, Pieces, tuple[Pieces, ...]]],
    look: Look,
) -> Rendered:
    """The table, or its rows as entries where it is too wide."""
    titles = [_spelt(title, look) for title in table.header]
    cells = [[_words(content, look) for content in row] for row in table.rows]
    if columns.fit(titles, cells, look.width):
        yield _grid(table.header, cells, look, look.width)
        return
    widest = max(len(name) for name, _, _ in rows)
    names = [f"{name:<{widest}}  {_words(symbol, look)}".rstrip() for name, symbol, _ in rows]
    room = look.width - (INDENT if look.narrow else max(map(len, names)) + 2)
    bodies = (
        [line for pieces in lines for line in _entry_lines(pieces, look, room)]
        for _, _, lines in rows
    )
    entries = [(n, Text("\n".join(body))) for n, body in zip(names, bodies, strict=True)]
    yield from _labelled(entries, look)


def _entry_lines(pieces: Pieces, look: Look, room: int) -> list[str]:
    """A formula on as many lines as it needs, or words with formulas among them on one."""
    [first, *others] = pieces
    if others or isinstance(first, str):
        return [_words(pieces, look)]
    return equation(first, look, 0, room)


def _labelled(
    entries: Iterable[tuple[str, RenderableType]], look: Look, width: int | None = None
) -> Rendered:
    """Each text beside its label, in a column of that *width*, or below it where there is no
    room."""
    if look.narrow:
        for label, body in entries:
            yield Text(label, "bold")
            yield Padding(body, (0, 0, 0, INDENT))
    else:
        table = Table.grid(padding=(0, 2))
        table.add_column(min_width=width)
        for label, body in entries:
            table.add_row(Text(label, "bold", no_wrap=True), body)
        yield table


# Pictures


def _drawn(step: blocks.Drawn, look: Look, indent: int) -> Rendered:
    match step:
        case Timeline():
            for line in gantt.lines(step, look):
                yield Text.assemble(*((text, _COLOURS[part]) for text, part in line), no_wrap=True)
        case Plot():
            yield from _plotted(step, look)
        case Exchange():
            yield Padding(_exchange(step, look, look.width - indent), (0, 0, 0, indent))
        case Tornado():
            yield from _block(blocks.grid(tornado.table(step)), look, indent)
        case never:
            assert_never(never)


def _plotted(step: Plot, look: Look) -> Rendered:
    """The lines of curves; where they cannot be drawn, how to see them."""
    from ddcalc.render.terminal import plot

    try:
        yield from (Text(line, no_wrap=True) for line in plot.lines(step.chart, look))
    except BadValue:
        words = Text("(drawn by --output FILE.svg, or here with the extra plot)")
        yield Padding(words, (0, 0, 0, INDENT))


def _exchange(step: Exchange, look: Look, room: int) -> RenderableType:
    """Who sends what and holds what then: as much of it as there is room for, at least in words."""
    for full in (True, False):
        for size in exchange.ROOMS:
            titles = [look.spelt(title) for title in exchange.header(step, full)]
            rows = [
                [Text(look.spelt(words), _MARKED[mark]) for words, mark in row]
                for row in exchange.rows(step, size, full)
            ]
            if widths := columns.widths(titles, [[c.plain for c in row] for row in rows], room):
                legend = [meaning for _, meaning in exchange.marks([step])]
                legend += ["… values left out"] * _shortened(rows, look)
                table = _table(titles, rows, widths)
                words = Text(look.spelt("  ".join(legend)), "dim")
                return Group(table, words) if legend else table
    names = exchange.header(step, full=False)
    lines: list[str] = []
    for row in exchange.rows(step, exchange.ROOMS[-1], full=False):
        cells = (f"{name} {words}" for name, (words, _) in zip(names, row, strict=True))
        lines += filled(map(look.spelt, cells), room)
    return Text("\n".join(lines))


def _shortened(rows: Iterable[Iterable[Text]], look: Look) -> bool:
    return any(look.spelt("…") in cell.plain for row in rows for cell in row)
