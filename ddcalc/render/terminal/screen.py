"""Pages of blocks for people at a terminal: text that reads well at 80 columns and in a pipe.

Colour and weight add nothing that the text does not say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, TypeAlias, assert_never

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadValue
from ddcalc.files.batch import Solved
from ddcalc.memory import remembered
from ddcalc.problem.steps import Compare, Exchange, Plot, State, Timeline, Tornado
from ddcalc.render import blocks, pages, story
from ddcalc.render.blocks import Block, Pieces
from ddcalc.render.pictures import exchange, tornado
from ddcalc.render.story import Sides, comparisons
from ddcalc.render.terminal import column_widths as columns
from ddcalc.render.terminal import gantt
from ddcalc.render.terminal.layout import INDENT, Look, argued, equation, filled
from ddcalc.render.terminal.lines import (
    EMPTY,
    GAP,
    Line,
    beside,
    broken,
    cropped,
    filled_up,
    grid,
    indented,
    row,
    run,
    written,
)
from ddcalc.render.whole import fitting_command, wrapped

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

Lines: TypeAlias = Iterator[Line]


def page(content: Iterable[Block], look: Look) -> str:
    """*content* as text that ends in a line break."""
    return written(_page(content, look), look.colour)


def summary_head(look: Look) -> str:
    """The head of the lines that :func:`summary` makes."""
    return written([run(f"{'problem':<{NAME}}  answer", "bold")], look.colour)


def summary(done: Solved, look: Look) -> str:
    """What the problem is called beside its answer in a sentence, how many stated answers agree,
    and those that do not."""
    question = done.question
    where = f"{question.file}:{question.line}" if question.line else question.file
    name = clean(question.id or question.title or where, NAME)
    if done.derivation is None or not done.answered:
        return f"{look.spelt(name):<{NAME}}  not solved\n"
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


def _page(content: Iterable[Block], look: Look) -> Lines:
    """*content* with empty lines between, but for steps and for remarks, which share a table."""
    before: Block | None = None
    for are_remarks, group in groupby(content, lambda block: isinstance(block, blocks.Remark)):
        if are_remarks:
            remarks = [block for block in group if isinstance(block, blocks.Remark)]
            room = _room((block.label for block in remarks), look, LABEL)
            bodies = ((block.label, _remark(block.body, look, room)) for block in remarks)
            yield from _labelled(bodies, look, room)
            continue
        for block in group:
            if isinstance(block, blocks.Heading) and block.optional and not block.name:
                continue
            if before is not None and not _follows(block, before):
                yield EMPTY
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


def _block(block: Block, look: Look, indent: int | None = None) -> Lines:
    """*block* by itself (*indent* None) or as part of a step, so many columns from the left."""
    within, edge = INDENT if indent is None else indent, indent or 0
    match block:
        case blocks.Heading(words, _, name):
            yield from _bold(f"{name}  {words}" if name else words, look)
        case blocks.Paragraph(pieces, label, number):
            head = " ".join(part for part in (str(number or ""), label) if part)
            bold = _spelt(f"{head}: " if head and pieces else head, look)
            text = (
                ((bold, "bold"), (_words(pieces, look), "")) if bold else run(_words(pieces, look))
            )
            yield from indented(broken(text, look.width - edge), edge)
        case blocks.TextTable(header, rows):
            cells = [[_words(content, look) for content in row] for row in rows]
            yield from indented(_grid(header, cells, look, look.width - edge), edge)
        case blocks.Items(rows, marks):
            for item, mark in zip(rows, marks or ["-"] * len(rows), strict=True):
                yield from broken(run(f"{mark} {_words(item, look)}"), look.width)
        case blocks.Blanks(labels):
            words = "  ".join(f"{label} {'_' * blocks.LINE}" for label in labels)
            yield from broken(run(words), look.width)
        case blocks.Contents(files):
            for _, parts in files:
                for name, _ in parts:
                    yield from broken(run(f"- {look.spelt(name)}"), look.width)
        case blocks.Display(equations):
            for sides in equations:
                lines = equation(sides, look, within) if sides else [" " * within + "…"]
                yield from map(run, lines)
        case blocks.Chain(sides):
            yield from map(run, equation(sides, look, within))
        case blocks.Code():
            yield from indented(_code(block, look, look.width - within), within)
        case blocks.Picture(step):
            yield from _drawn(step, look, within)
        case _:
            yield from _part(block, look)


def _code(block: blocks.Code, look: Look, room: int) -> Lines:
    """Lines as they stand, but commands go on below; what is only read is broken like words."""
    text = look.spelt(block.text.rstrip("\n"))
    if block.read:
        return iter(broken(run(text), room))
    return map(run, fitting_command(text, room).split("\n"))


def _part(block: blocks.Meant, look: Look) -> Lines:
    """A part of a derivation or a report."""
    match block:
        case blocks.Entries(table, rows):
            yield from _entries(table, rows, look)
        case blocks.Givens(states, read):
            yield run("Given", "bold")
            yield from indented(_givens(states, look), 2)
            if read:
                words = run(_spelt(" · ".join(read), look))
                yield from indented(broken(words, look.width - 2), 2)
        case blocks.Stage():
            yield from _stage(block, look)
        case blocks.Proof(rows):
            for step, sides in zip(rows, comparisons(rows), strict=True):
                yield from _proof(step, sides, look)
        case blocks.Argued(lines):
            yield from map(run, argued(lines, look, INDENT))
        case blocks.Answer(pieces):
            room = _room(["Answer"], look, LABEL)
            answer = broken(run(_words(pieces, look), "bold green"), room)
            yield from _labelled([("Answer", answer)], look, room)
        case blocks.AnswerAlone(pieces, head):
            if head.words:
                yield from _block(head, look)
                yield EMPTY
            yield from broken(run(_words(pieces, look)), look.width)
        case blocks.Remark(_, body):
            yield from _remark(body, look, look.width)
        case blocks.Verdicts(summary, wrong):
            room = _room(["Stated"], look, LABEL)
            says = [run(_spelt(summary, look)), *(run(_spelt(x, look), "bold red") for x in wrong)]
            below = [line for words in says for line in broken(words, room)]
            yield from _labelled([("Stated", below)], look, room)
        case never:
            assert_never(never)


def _spelt(words: str, look: Look) -> str:
    return look.spelt(clean(words))


def _bold(words: str, look: Look) -> list[Line]:
    return broken(run(_spelt(words, look), "bold"), look.width)


def _words(pieces: Pieces, look: Look) -> str:
    return "".join(
        _spelt(piece, look) if isinstance(piece, str) else _inline(piece, look) for piece in pieces
    )


def _inline(piece: Sides, look: Look) -> str:
    return " ".join(equation(piece, look, 0, ENDLESS))


# Steps


def _givens(states: Iterable[State], look: Look) -> Lines:
    """What is stated, with what it means."""
    room = 2 * look.width // (5 if look.narrow else 4)
    rows: list[list[Line]] = []
    for step in states:
        meaning = run(look.spelt(step.title))
        if note := story.note(step):
            meaning = (*meaning, (look.spelt(f" ({note})"), "yellow" if step.unused else "dim"))
        values = _spelt(story.given_text(step), look).split(", ")
        lines = "\n".join(filled(values, room, hang=0))
        rows.append([run(look.letter(step.symbol)), run(lines), meaning])
    return grid(rows, look.width - 2, kept=[1], right=[1])


def _stage(stage: blocks.Stage, look: Look) -> Lines:
    yield from _head(stage.title, stage.why, stage.number, look)
    for block in stage.body:
        yield from _block(block, look, 0 if stage.number is None else INDENT)


@remembered
def _head(name: str, why: str, number: int | None, look: Look) -> Sequence[Line]:
    """What stands above a step, which many questions have."""
    title = run(_spelt(name, look), "bold")
    if why:
        between = " · " if len(name) < 60 else " "
        title = (*title, (_spelt(between + why, look), "dim"))
    if number is None:
        return broken(title, look.width) if name else []
    room = look.width - INDENT
    lines = broken(title, room)
    if len(lines) > 1:
        lines = [filled_up(line, room, "bold") for line in lines]
    return list(beside((f"{number:<{INDENT}}", "bold"), lines))


def _proof(step: Compare, sides: Sides, look: Look) -> Lines:
    title = f"{' ' * INDENT}{look.spelt(step.title)}:  "
    room = max(look.width - len(title), NARROWEST)
    lines = equation(sides, look, 0, room)
    fits = len(f"{lines[-1]}   {step.why}") <= room
    why = (f"{'   ' if fits else chr(10)}{step.why}", "dim")
    return beside((title, ""), broken((("\n".join(lines), ""), why), look.width - len(title)))


def _remark(body: Iterable[Block], look: Look, width: int) -> Lines:
    """What stands in a remark, in lines of a *width*."""
    room = look.width - (INDENT if look.narrow else LABEL + GAP)
    for block in body:
        match block:
            case blocks.TextTable(header, rows):
                yield from _readings(header, rows, look, room, width)
            case blocks.Display(equations):
                lines = (line for x in equations if x for line in equation(x, look, 0, room))
                yield from broken(run("\n".join(lines)), width)
            case _:
                yield from _block(block, look._replace(width=width))


def _readings(
    header: Sequence[str], rows: Sequence[tuple[Pieces, ...]], look: Look, room: int, width: int
) -> Lines:
    """What other readings say beside their answers, or above them where there is no room; under a
    *header* where it names the answer."""
    cells = [[_words(content, look) for content in row] for row in rows]
    if look.narrow or max(sum(map(len, values)) for _, *values in cells) > look.width // 2:
        lines: list[str] = []
        for (_, value, _), (says, *values) in zip(rows, cells, strict=True):
            formula = value[0] if value and not isinstance(value[0], str) else None
            below = equation(formula, look, 2, room) if formula else ["  " + "  ".join(values)]
            lines += [says, *below]
        yield from broken(run("\n".join(lines)), width)
        return
    heads = [_spelt(title, look) for title in header]
    listed = [heads, *cells] if "answer" not in heads else cells
    most = max(sum(map(bool, values)) for _, *values in cells)
    table = []
    for says, *values in listed:
        stated = [value for value in values if value]  # an empty column would take room
        table.append(list(map(run, [says, *stated, *[""] * (most - len(stated))])))
    yield from grid(table, width, kept=range(1, most + 1))


# Tables


def _grid(header: Sequence[str], cells: list[list[str]], look: Look, room: int) -> Lines:
    """A table, its titles in several lines or its rows one by one where there is no *room*."""
    titles = [_spelt(title, look) for title in header]
    if widths := columns.widths(titles, cells, room):
        return _table(titles, [[*map(run, row)] for row in cells], widths)
    if narrowed := columns.narrowed(titles, cells, room):
        return _table(titles, [[*map(run, row)] for row in narrowed.rows], narrowed.widths)
    lines = (line for row in cells for line in columns.by_itself(titles, row, room))
    return iter(broken(run("\n".join(lines)), room))


def _table(titles: list[str], rows: list[list[Line]], widths: list[int]) -> Lines:
    """*rows* of cells, columns of amounts at the right, under their *titles*."""
    texts = [["".join(text for text, _ in cell) for cell in cells] for cells in rows]
    right = [i for i in range(len(titles)) if blocks.are_amounts((cells[i],) for cells in texts)]
    heads = [broken(run(title, "dim"), width) for title, width in zip(titles, widths, strict=True)]
    yield from row(heads, widths, right, head="dim")
    for cells in rows:
        yield from row(list(map(broken, cells, widths)), widths, right)


def _entries(
    table: blocks.TextTable,
    rows: Sequence[tuple[str, Pieces, tuple[Pieces, ...]]],
    look: Look,
) -> Lines:
    """The table, or its rows as entries where it is too wide."""
    titles = [_spelt(title, look) for title in table.header]
    cells = [[_words(content, look) for content in row] for row in table.rows]
    if columns.fit(titles, cells, look.width):
        yield from _grid(table.header, cells, look, look.width)
        return
    widest = max(len(name) for name, _, _ in rows)
    names = [f"{name:<{widest}}  {_words(symbol, look)}".rstrip() for name, symbol, _ in rows]
    room = _room(names, look)
    bodies = (
        [line for pieces in lines for line in _entry_lines(pieces, look, room)]
        for _, _, lines in rows
    )
    laid = (broken(run("\n".join(body)), room) for body in bodies)
    yield from _labelled(zip(names, laid, strict=True), look, room)


def _entry_lines(pieces: Pieces, look: Look, room: int) -> list[str]:
    """A formula on as many lines as it needs, or words with formulas among them on one."""
    [first, *others] = pieces
    if others or isinstance(first, str):
        return [_words(pieces, look)]
    return equation(first, look, 0, room)


def _room(labels: Iterable[str], look: Look, least: int = 0) -> int:
    """The columns beside *labels*, whose own column has so many at *least*, or below them."""
    return look.width - (INDENT if look.narrow else max(least, *map(len, labels)) + GAP)


def _labelled(entries: Iterable[tuple[str, Iterable[Line]]], look: Look, room: int) -> Lines:
    """Each text beside its label, or below it, so that it has the *room* for which it is broken
    into lines."""
    edge = look.width - room
    for label, body in entries:
        if look.narrow:
            yield from broken(run(label, "bold"), look.width)
            yield from indented(body, edge)
        else:
            blank = (" " * GAP, "")
            lines = [(blank, *line) for line in body]
            yield from beside((f"{label:<{edge - GAP}}", "bold"), lines)


# Pictures


def _drawn(step: blocks.Drawn, look: Look, indent: int) -> Lines:
    match step:
        case Timeline():
            for line in gantt.lines(step, look):
                yield cropped([(text, _COLOURS[part]) for text, part in line], look.width)
        case Plot():
            yield from _plotted(step, look)
        case Exchange():
            yield from indented(_exchange(step, look, look.width - indent), indent)
        case Tornado():
            yield from _block(blocks.grid(tornado.table(step)), look, indent)
        case never:
            assert_never(never)


def _plotted(step: Plot, look: Look) -> Lines:
    """The lines of curves; where they cannot be drawn, how to see them."""
    from ddcalc.render.terminal import plot

    try:
        yield from (cropped(run(line), look.width) for line in plot.lines(step.chart, look))
    except BadValue:
        words = run("(drawn by --output FILE.svg, or here with the extra plot)")
        yield from indented(broken(words, look.width - INDENT), INDENT)


def _exchange(step: Exchange, look: Look, room: int) -> Lines:
    """Who sends what and holds what then: as much of it as there is room for, at least in words."""
    for full in (True, False):
        for size in exchange.ROOMS:
            titles = [look.spelt(title) for title in exchange.header(step, full)]
            rows = [
                [(look.spelt(words), _MARKED[mark]) for words, mark in row]
                for row in exchange.rows(step, size, full)
            ]
            texts = [[words for words, _ in cells] for cells in rows]
            if widths := columns.widths(titles, texts, room):
                legend = [meaning for _, meaning in exchange.marks([step])]
                legend += ["… values left out"] * _shortened(texts, look)
                yield from _table(titles, [[(cell,) for cell in cells] for cells in rows], widths)
                if legend:
                    yield from broken(run(look.spelt("  ".join(legend)), "dim"), room)
                return
    names = exchange.header(step, full=False)
    lines: list[str] = []
    for held in exchange.rows(step, exchange.ROOMS[-1], full=False):
        cells = (f"{name} {words}" for name, (words, _) in zip(names, held, strict=True))
        lines += filled(map(look.spelt, cells), room)
    yield from broken(run("\n".join(lines)), room)


def _shortened(rows: Iterable[Iterable[str]], look: Look) -> bool:
    return any(look.spelt("…") in cell for row in rows for cell in row)
