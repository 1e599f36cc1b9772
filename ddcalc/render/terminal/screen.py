"""Pages of blocks for people at a terminal: text that reads well at 80 columns and in a pipe.

Rich lays them out. Colour and weight add nothing that the text does not say. What formulas and
pictures need is imported where a page has some: a list of words does not wait for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Final, Literal, assert_never

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ddcalc.boundary.cleaning import clean
from ddcalc.render import blocks
from ddcalc.render.blocks import Block
from ddcalc.render.whole import SOLID, Look, abreast, loose, whole, wrapped

if TYPE_CHECKING:
    from ddcalc.problem.said.steps import State
    from ddcalc.render.sides import Piece, Pieces, Sides

    Marked = tuple[Pieces, str]
INDENT: Final = 3  # columns of a step's number, and before what belongs to a line
NARROWEST: Final = 20  # columns beside a label; with fewer it stands above
LABEL: Final = 9  # columns of a remark's label
GAP: Final = 2  # columns between the columns of a table
BESIDE: Final = ";   "  # between equations on a line
TAIL: Final = 16  # characters that a title has on its last line, up to which a formula follows
MOST: Final = 30  # characters of a word that is not broken in a table

_ENDS: Final = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)  # of lines that have colours


@dataclass(frozen=True, slots=True)
class FromWidth:
    """What is *made* for the width that there is."""

    made: Callable[[int], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.made(options.max_width)


@dataclass(frozen=True, slots=True)
class Hanging:
    """A *label*, and a *body* that begins so many columns from the left, or below where it would
    have less than NARROWEST, or two thirds of what there is."""

    label: str
    body: RenderableType
    indent: int
    style: str = "bold"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width - self.indent
        if width < max(NARROWEST, options.max_width * 2 // 3):
            yield from (Text(self.label.strip(), self.style), Padding(self.body, (0, 0, 0, INDENT)))
            return
        begin: Text | Segment = Text(self.label.ljust(self.indent), self.style, end="")
        for line in console.render_lines(self.body, options.update(width=width), pad=False):
            yield from (begin, *line, Segment.line())
            begin = Segment(" " * self.indent)


def as_it_is(text: str) -> Text:
    """Lines that are not broken."""
    return Text(text, no_wrap=True, overflow="ignore")


def page(content: Iterable[Block], look: Look) -> str:
    """*content* as text that ends in a line break, without blanks at the ends of lines."""
    shown = [*content]
    edge = max([LABEL, *(len(x.label) for x in shown if isinstance(x, blocks.Remark))])
    console = Console(
        file=StringIO(), width=look.width, force_terminal=look.colour, legacy_windows=False,
        color_system="standard" if look.colour else None,
        highlight=False, markup=False, emoji=False,
    )  # fmt: skip
    with console.capture() as text:
        console.print(Group(*_Page(look, edge).content(shown)), crop=False)
    return _ENDS.sub(lambda end: end.group().replace(" ", ""), loose(text.get()))


class _Page:
    """What the blocks of a page become, in the characters of a *look*, with labels so wide."""

    def __init__(self, look: Look, labels: int = LABEL) -> None:
        self.look, self.labels = look, labels

    def content(self, content: Iterable[Block]) -> Iterator[RenderableType]:
        """*content* with empty lines between, but for steps and remarks."""
        before: Block | None = None
        for block in (x for x in content if not (isinstance(x, blocks.Heading) and x.optional)):
            if before is not None and not _follows(block, before):
                yield ""
            yield self.block(block)
            before = block

    def block(self, block: Block) -> RenderableType:
        """A block by itself, or in a step."""
        match block:
            case blocks.Heading(words):
                return self.words(words, "bold")
            case blocks.Paragraph(pieces, label):
                bold = self.words(f"{label}: " if label and pieces else label, "bold")
                return Text("", overflow="fold").append_text(bold).append_text(self.text(pieces))
            case blocks.TextTable(header, rows):
                return self.table(header, rows)
            case blocks.Items(rows, marks, flows):
                both = zip(rows, marks or ["-"] * len(rows), strict=True)
                if flows:
                    return FromWidth(partial(self.flowing, (), [*both]))
                listed = ((mark, FromWidth(partial(self.item, row))) for row, mark in both)
                return Group(*(Hanging(x, row, len(x) + 1, style="") for x, row in listed))
            case blocks.Display(equations, True, lead):
                alone = [((sides,), "") for sides in equations if sides]
                return FromWidth(partial(self.flowing, lead, alone))
            case blocks.Display(equations):
                dots = self.words("…")
                return Group(*(self.equation(one) if one else dots for one in equations))
            case blocks.Chain(sides):
                return self.equation(sides, argued=True)
            case blocks.Code(text, read):
                return self.code(text.rstrip("\n"), read)
            case blocks.Picture(step):
                from ddcalc.render.terminal import gantt

                look = self.look._replace
                return FromWidth(lambda width: as_it_is(gantt.text(step, look(width=width))))
            case _:
                return self.part(block)

    def part(self, block: blocks.Meant) -> RenderableType:
        """A part of a derivation or a report."""
        match block:
            case blocks.Givens(states, read):
                both = tuple(piece for one in read for piece in (" · ", *one))
                beside = [self.text(both[1:])] if both else []
                body = Group(self.givens(states), *beside)
                has_room = self.look.width > 66 and len(states) <= 12
                width = self.labels + GAP if has_room else self.look.width
                return Hanging(blocks.GIVEN, body, width)
            case blocks.Stage(body, title, _, number):
                made = partial(self.stage, block)
                inner = FromWidth(made) if title else Group(*map(self.block, body))
                return inner if number is None else Hanging(str(number or ""), inner, INDENT)
            case blocks.Asked(name, "", [blocks.Remark(blocks.ANSWER, said), *more]):
                first = Group(*(self.remark(blocks.ANSWER, one) for one in said))
                return Group(Hanging(name, first, len(name) + 1), *map(self.asked, more))
            case blocks.Asked(name, words, body):
                head = [self.words(words, "bold")] if words else [*map(self.block, body)]
                below = map(self.asked, body if words else ())
                return Group(Hanging(name, Group(*head), len(name) + 1), *below)
            case blocks.Remark(label, body):
                every = (self.remark(label, one) for one in body)
                return Hanging(self.look.spelt(label), Group(*every), self.labels + GAP)
            case never:
                assert_never(never)

    def asked(self, block: Block) -> RenderableType:
        """A block of a part of a question; what has no number or label begins where steps do."""
        shown = self.block(block)
        match block:
            case blocks.Givens() | blocks.Remark() | blocks.Stage(number=int()):
                return shown
        return Hanging("", shown, INDENT)

    def stage(self, stage: blocks.Stage, width: int) -> RenderableType:
        """A step under its title and reason, or behind a short line of these if it fits there."""
        title, why = (words.removesuffix(":") for words in (stage.title, stage.why))
        head = Text.assemble(self.words(title, "bold"), self.words(f" · {why}" * bool(why), "dim"))
        *above, tail = wrapped(head.plain, width) or [""]
        room = (width if len(tail) <= TAIL or not above else 0) - len(f"{tail}: ")
        for spare in ((1,), (1, 3)):  # else what a rounding or a maximum is of, too
            beside = [self.beside(x, *spare) for x in stage.body if ": " not in stage.why]
            if beside and all(beside) and len(said := BESIDE.join(beside)) <= room:
                return Text.assemble(head, ": ", said.replace(" ", SOLID))
        match stage.body:
            case [blocks.Chain((x,)), *on] if not why and len(f"{x.what}{x.reason}") > width - 3:
                body = (blocks.Display(((replace(x, reason=""),),)), *on)
                return self.stage(replace(stage, why=x.reason, body=body), width)
            case [blocks.Display((tuple() as sides,)), *others] if beside and sides:
                from ddcalc.render.terminal.equations import equation

                first, *more = equation(sides, self.look, width)
                if len(first) <= room:
                    head = Text.assemble(head, ": ", first.replace(" ", SOLID))
                    below = [as_it_is("\n".join(more))] if more else []
                    return Group(head, *below, *map(self.block, others))
        return Group(head, *map(self.block, stage.body))

    def beside(self, block: Block, *spare: int) -> str:
        """A block on one line, without what is *spare*; nothing where it needs its own lines."""
        match block:
            case blocks.Display((tuple() as sides,)):
                return self.text((brief(sides, *spare),)).plain
            case blocks.Items(rows, marks) if marks:
                said = ((x if isinstance(x, str) else brief(x, *spare) for x in y) for y in rows)
                return BESIDE.join(map("{} {}".format, marks, map(self.text, said)))
        return ""

    def remark(self, label: str, block: Block) -> RenderableType:
        """What stands in a remark; other readings need no header that names their answers."""
        match block:
            case blocks.TextTable(header, rows):
                return self.table(("",) * len(header), rows)
            case blocks.Paragraph(pieces, "") if label == blocks.ANSWER:
                return self.text(pieces, "bold green")
            case blocks.Paragraph(pieces, "") if label == blocks.GIVEN:
                return self.together(self.text(pieces))
        return self.block(block)

    def item(self, pieces: Pieces, width: int) -> RenderableType:
        """A line of a list; a formula that is too long goes on at its signs, its reason below."""
        flat = self.text(pieces)
        match pieces:
            case [tuple() as sides] if len(flat) > width:
                return self.equation(sides)
        return flat

    def equation(self, sides: Sides, argued: bool = False) -> RenderableType:
        """An equation, or what is *argued* line by line, on as many lines as it needs."""
        from ddcalc.render.terminal.equations import argument, equation

        made = argument if argued else equation
        return FromWidth(lambda width: as_it_is("\n".join(made(sides, self.look, width))))

    def flowing(self, lead: Pieces, rows: Sequence[Marked], width: int) -> RenderableType:
        """Equations behind the words that *lead* to them, or their marks, as many on a line as have
        room."""
        from ddcalc.render.terminal.equations import equation

        *above, line = wrapped(self.text(lead).plain, width) or [""]
        joint = " "
        for pieces, mark in rows:
            said = (x if isinstance(x, str) else brief(x) for x in pieces)
            first, *more = [f"{mark} {self.text(said).plain}".lstrip()]
            if len(first) > width and isinstance(pieces[0], tuple):
                room = width - len(mark) - bool(mark)
                first, *more = equation(pieces[0], self.look, room)
                first = f"{mark} {first}".lstrip()
            if line and not more and len(line) + len(joint) + len(first) <= width:
                line += joint + first
            else:
                above += [*[line] * bool(line), first, *more]
                line = above.pop()
            joint = BESIDE
        return as_it_is("\n".join([*above, line]))

    def words(self, words: str, style: str = "") -> Text:
        """Cleaned *words* whose numbers stay whole."""
        return Text(whole(self.look.spelt(clean(words))), style, overflow="fold", no_wrap=False)

    def text(self, pieces: Iterable[Piece], style: str = "") -> Text:
        """Words with formulas among them."""
        made = Text("", style, overflow="fold", no_wrap=False)
        for piece in pieces:
            if isinstance(piece, str):
                made.append_text(self.words(piece))
            else:
                from ddcalc.render.terminal.equations import text_of

                made.append(whole(text_of(piece, self.look)))
        return made

    def table(self, header: Sequence[str], rows: Sequence[tuple[Pieces, ...]]) -> RenderableType:
        """A table without its empty columns."""
        kept = [i for i, head in enumerate(header) if head or any(any(row[i]) for row in rows)]
        cells = [[self.text(row[i]) for i in kept] for row in rows]
        heads = [self.words(header[i], "dim") for i in kept]
        return FromWidth(lambda width: _table(heads, cells, width))

    def givens(self, states: Sequence[State]) -> RenderableType:
        """What is stated, with what it means, on as few lines as it needs."""
        rows = [*map(self.given, states)]
        return FromWidth(lambda width: Group(*map(self.grid, abreast(rows, Text(), width, GAP))))

    def grid(self, rows: Sequence[Sequence[Text]]) -> Table:
        """Letters, values and meanings, once or twice in a row."""
        grid = Table.grid(padding=(0, GAP, 0, 0))
        for _ in range(0, len(rows[0]), 3):
            grid.add_column(no_wrap=True)
            grid.add_column(justify="right", no_wrap=True, max_width=self.look.width // 2)
            grid.add_column()
        for row in rows:
            grid.add_row(*row)
        return grid

    def given(self, step: State) -> tuple[Text, Text, Text]:
        """The letter, the value and the meaning of what is stated."""
        from ddcalc.render import sides, story

        meaning = self.words(step.title)
        if note := story.note(step):
            meaning.append_text(self.words(f" ({note})", "yellow" if step.unused else "dim"))
        values = self.together(self.words(story.given_text(step)))
        return self.text(sides.symbol(step.symbol)), values, meaning

    def together(self, text: Text) -> Text:
        """*text* that breaks behind commas alone."""
        text.plain = re.sub(r"(?<!,) ", SOLID, text.plain)
        return text

    def code(self, text: str, read: bool) -> RenderableType:
        """Lines as they stand; what is only read is broken like words."""
        spelt = self.look.spelt(text)
        if read:
            return Hanging("", Text(spelt), INDENT)
        return as_it_is("\n".join(" " * INDENT + line for line in spelt.split("\n")))


def brief(sides: Sides, *spare: int) -> Sides:
    """*sides* without those that are *spare*."""
    return tuple(side for side in sides if side.spare not in (spare or (1,)))


def _follows(block: Block, before: Block) -> bool:
    """Whether *block* stands right below the one before it."""
    labelled = blocks.Givens | blocks.Remark
    if isinstance(before, blocks.Heading):
        return isinstance(block, blocks.Paragraph | labelled)
    if isinstance(block, labelled):
        return isinstance(before, blocks.Paragraph | labelled)
    if isinstance(block, blocks.TextTable):
        return isinstance(before, blocks.Stage)
    is_next = isinstance(block, blocks.Stage) and (block.number is not None or not block.title)
    return is_next and isinstance(before, blocks.Paragraph | blocks.Stage | blocks.TextTable)


def _table(header: Sequence[Text], rows: Sequence[Sequence[Text]], width: int) -> RenderableType:
    """A table whose words go on below where the *width* leaves no room, amounts at the right; where
    it has more columns than fit, the last ones stand below, again behind the first."""
    columns = [[row[i].plain for row in (header, *rows)] for i in range(len(header))]
    longest = [max(cell_len(word) for x in texts for word in x.split(" ")) for texts in columns]
    least = [min(word, MOST) for word in longest]
    if sum(least) + GAP * (len(least) - 1) > width and len(header) > 2:
        half = len(header) // 2 + 1
        parts = [[*range(half)], [0, *range(half, len(header))]]
        cut = ([[row[i] for i in part] for row in (header, *rows)] for part in parts)
        return Group(*(_table(head, body, width) for head, *body in cut))
    widths = [max(map(cell_len, texts)) for texts in columns]
    while sum(widths) + GAP * (len(widths) - 1) > width and widths > least:
        widest = max((wide, -i) for i, wide in enumerate(widths) if wide > least[i])
        widths[-widest[1]] -= 1  # Rich would cut what stands at the right
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
    table.show_header = any(header)
    for title, texts, wide in zip(header, columns, widths, strict=True):
        one = texts[1:] * (1 + title.plain[:1].isdecimal())  # which a number at its head is like
        amounts = blocks.are_amounts((loose(text),) for text in one)
        justify: Literal["left", "right"] = "right" if amounts else "left"
        is_whole = wide == max(map(cell_len, texts))
        table.add_column(title, justify=justify, overflow="fold", width=wide, no_wrap=is_whole)
    for row in rows:
        table.add_row(*row)
    return table
