"""What stands on a page before it has a format: headings, paragraphs, tables, formulas, pictures.

A page is a series of blocks. Some say what they are for (givens, steps, the answer): a terminal
lays these out in its own way, and :func:`plain` turns them into the simple ones that Markdown,
LaTeX and HTML write. Words are plain text that is neither cleaned nor escaped: a format does that
to all of them. A page makes very many blocks: frozen ones would take twice as long to make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from ddcalc.formula.expression import Expr, Number
from ddcalc.formula.letters import SIGNS
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem import steps as kinds
from ddcalc.problem.sentences import capital
from ddcalc.problem.speaker import Filled
from ddcalc.problem.steps import Chart, Step
from ddcalc.render import exchange, sides, story, timeline
from ddcalc.render.notation import Notation, shown
from ddcalc.render.sides import ShownFormula, Side, Sides, chain, comparisons, equation, solution

ANSWER = "Answer"  # the label of what a page comes to
BARS = 40  # of a timeline, up to which its table has a row for each

_AMOUNT: Final = re.compile(
    r"(?:≈ |~ )?[+−-]?[0-9][0-9  ]*(?:\.[0-9]+)?(?:×10[⁻⁰¹²³⁴-⁹]+)?(?: [^\d\s]+)?"
)
_NONE: Final = ("", "…", "...", "–", "no value")  # cells of such a column without a number

Drawn = kinds.Timeline | kinds.Plot  # steps that are pictures where there are any
Piece = str | Sides  # words, or a formula among words
Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; *level* 1 is the page's own.

    A terminal writes the *name* of what it is about before it, and leaves an *optional* one out.
    """

    words: str
    level: int = 1
    name: str = ""
    optional: bool = False


@dataclass(slots=True)
class Paragraph:
    """Words and formulas, after a bold *label* (may be empty)."""

    pieces: Pieces
    label: str = ""


@dataclass(slots=True)
class TextTable:
    """A table under a *header*, whose words may be empty."""

    header: tuple[str, ...]
    rows: tuple[tuple[Pieces, ...], ...]


@dataclass(slots=True)
class Items:
    """A list, with *marks* instead of bullets if there are any."""

    rows: tuple[Pieces, ...]
    marks: tuple[str, ...] = ()


@dataclass(slots=True)
class Display:
    """Equations on lines of their own, aligned; None stands for some that are left out. Where they
    *flow*, short ones share a line of a terminal, and the first that of the words that *lead* to
    it."""

    equations: tuple[Sides | None, ...]
    flows: bool = False
    lead: Pieces = ()


@dataclass(slots=True)
class Chain:
    """Equalities and estimates, or what derives a formula, a line each, with a reason each."""

    sides: Sides


@dataclass(slots=True)
class Code:
    """Lines to type, or a file: none of them is broken, unless they are *read* only, as formulas
    are."""

    text: str
    read: bool = False


@dataclass(slots=True)
class Picture:
    """A timeline, curves or bars, the *table* that says it in words (if there is one),
    and a *note* below; a terminal's drawing says what the note does."""

    step: Drawn
    table: TextTable | None
    note: str = ""


@dataclass(slots=True)
class Givens:
    """What the question states: numbers, and in words how it is to be read."""

    states: tuple[kinds.State, ...]
    read: tuple[str, ...] = ()


@dataclass(slots=True)
class Stage:
    """A step of the working, under its *number* and *title*; in brief its *body* alone."""

    body: tuple[Block, ...]
    title: str = ""
    why: str = ""
    number: int | None = None


@dataclass(slots=True)
class Remark:
    """The answer, or what is to be said after it, under its *label*."""

    label: str
    body: tuple[Block, ...]


@dataclass(slots=True)
class Asked:
    """A part of a question: its *name*, its *words*, and what it comes to."""

    name: str
    words: str
    body: tuple[Block, ...]


Plain = Heading | Paragraph | TextTable | Items | Display | Chain | Code | Picture
Meant: TypeAlias = Givens | Stage | Remark | Asked
Block: TypeAlias = Plain | Meant


def plain(blocks: Iterable[Block]) -> Iterator[Plain]:
    """*blocks* in simple ones, for formats in which a page is read from top to bottom."""
    for block in blocks:
        match block:
            case Picture(note=note):
                yield block
                if note:
                    yield Paragraph((note,))
            case Givens(states, read):
                yield Paragraph((), "Given")
                yield TextTable(("", "value", "meaning"), tuple(map(_given, states)))
                if read:
                    yield Items(tuple((words,) for words in read))
            case Stage(body, title, why, number):
                if title:
                    place = "" if number is None else f"{number}. "
                    yield Paragraph((why,) if why else (), place + title)
                yield from plain(body)
            case Display(equations, flows, lead) if lead:
                yield Paragraph(lead)
                yield from [Display(equations, flows)] if equations else []
            case Asked(name, words, body):
                yield Paragraph((words,) if words else (), name)
                yield from plain(body)
            case Remark(label, (Paragraph(pieces), *rest)):
                yield Paragraph(pieces, label)
                yield from plain(rest)
            case Remark(label, body):
                yield Paragraph((), label)
                yield from plain(body)
            case _:
                yield block


def stages(
    steps: Iterable[Step], full: bool = True, titles: bool = False, most: int = Notation.longest
) -> Iterator[Stage]:
    """*steps* under their numbers, each with what proves it; else what they come to alone, under
    the *titles* of tables if these are wanted. Of a list, *most* members are shown, or few."""
    for numbered in story.numbered(steps):
        step, body = numbered.step, tuple(step_blocks(numbered.step, most))
        if full:
            body = (*body, *proof(numbered.proof))
            yield Stage(body, capital(step.title), step.why, numbered.number)
        else:
            yield Stage(body, step.title if titles and isinstance(step, kinds.Table) else "")


def step_blocks(step: Step, most: int = Notation.longest) -> Iterator[Block]:
    """What *step* comes to, without its title and reason; of a list *most* members, or few."""
    match step:
        case kinds.State() | kinds.Compare():
            pass  # these stand with the givens, and below what they prove
        case kinds.Define(argument=argument):
            if argument:
                yield _argued(argument)
            yield Display((equation(step),))
        case kinds.DefineEach():
            yield Display(tuple(_members(step, most)))
        case kinds.Solve(argument=argument) if argument:
            yield _argued(argument)
            if solved := solution(step):
                yield Display((solved,))
        case kinds.Solve():
            solved = solution(step)
            yield Display((_relation(step), solved) if solved else (_relation(step),))
            if not solved:
                yield Paragraph(("no ", *symbol(step.unknown), " changes either side"))
        case kinds.Bound():
            yield Chain(chain(step))
        case kinds.Table():
            yield grid(step)
        case kinds.Timeline():
            yield schedule(step)
        case kinds.Exchange():
            yield from exchanged(step)
        case kinds.Plot(chart=chart):
            yield Picture(step, curves(chart))
        case never:
            assert_never(never)


def exchanged(step: kinds.Exchange) -> Iterator[Block]:
    """An exchange as a table, and what its marks mean."""
    header, held = exchange.grid(step)
    yield TextTable(header, tuple(tuple((words,) for words in line) for line in held))
    if says := exchange.caption(step, held):
        yield Paragraph((says,))


def _members(step: kinds.DefineEach, most: int) -> Iterator[Sides | None]:
    """The formulas of a list: that of the worked member, *most* of those with a value, or few."""
    if step.worked is not None:
        yield equation(step.rows[step.worked])
        return
    known = [row for row in step.rows if row.value is not None or row.why not in ("", step.why)]
    for row in shown(known or step.rows, most):
        yield None if row is None else equation(row)


def cell(content: str | Expr) -> Pieces:
    """A cell of a table: words, or a formula."""
    return (content,) if isinstance(content, str) else (alone(content),)


def said(filled: Filled) -> Pieces:
    """A sentence, with formulas where its numbers are open."""
    return tuple(piece if isinstance(piece, str) else alone(piece) for piece in filled)


def alone(expr: Expr) -> Sides:
    """*expr* as a formula among words."""
    return (Side("", ShownFormula(expr)),)


def symbol(letter: str) -> Pieces:
    """A quantity's letter as a formula among words."""
    return ((Side("", sides.letter(letter)),),)


def grid(step: kinds.Table) -> TextTable:
    """The cells of *step*."""
    return TextTable(step.header, tuple(tuple(map(cell, row)) for row in step.rows))


def are_amounts(cells: Iterable[Pieces]) -> bool:
    """Whether a column has several amounts and nothing else."""
    texts = ["".join(p if isinstance(p, str) else "=" for p in cell).strip() for cell in cells]
    matches = [_AMOUNT.fullmatch(text) for text in texts if text not in _NONE]
    return len(matches) > 1 and all(matches)


def entry_table(header: tuple[str, str], rows: Iterable[tuple[str, str]]) -> TextTable:
    """Names with what is said of each."""
    return TextTable(header, tuple(((name,), (words,)) for name, words in rows))


def curves(chart: Chart) -> TextTable:
    """The curves of *chart* as a table: a column each, a row for each place on the level scale."""
    places = sorted({dot.x for curve in chart.curves for dot in curve.dots if dot is not None})
    heights: list[dict[Number, Number]] = [
        {dot.x: dot.y for dot in curve.dots if dot is not None} for curve in chart.curves
    ]
    heights.insert(0, {x: x for x in places})
    rows = (tuple((_height(x, at),) for at in heights) for x in shown(places))
    header = (str(chart.x), *(curve.label or str(chart.y) for curve in chart.curves))
    return TextTable(header, tuple(rows))


def schedule(step: kinds.Timeline) -> Picture:
    """The picture of *step* with its table, cut where it is long, and the horizon."""
    bars = [bar for lane in step.lanes for bar in lane.bars]
    most = len(bars) if len(bars) <= BARS else max(1, BARS // len(step.lanes))
    kinds = any(bar.kind != "compute" for bar in bars)
    rows = tuple(row for lane in step.lanes for row in _lane(lane, most, kinds))
    note = f"The {step.name} is at {amount_text(step.horizon, SECOND)}."
    return Picture(step, TextTable(("", "operation", "from", "to"), rows), note)


def _argued(argument: Iterable[kinds.Reasoned]) -> Chain:
    return Chain(
        tuple(Side("", ShownFormula(line.formula, line.numbers), line.reason) for line in argument)
    )


def _relation(step: kinds.Solve) -> Sides:
    left, right = step.relation.parts()
    numbers = {name: put for name, put in step.numbers.items() if name == kinds.BOUND}
    return Side("", ShownFormula(left)), Side(SIGNS[step.relation.op], ShownFormula(right, numbers))


def _given(step: kinds.State) -> tuple[Pieces, ...]:
    note = story.note(step)
    meaning = f"{step.title} ({note})" if note else step.title
    return symbol(step.symbol), (story.given_text(step),), (meaning,)


def _height(x: Number | None, heights: Mapping[Number, Number]) -> str:
    if x is None:
        return "…"
    return amount_text(heights[x], None) if x in heights else ""


def proof(rows: Sequence[kinds.Compare]) -> Iterator[Items]:
    """The comparisons that prove a step, if there are any."""
    if rows:
        marks = tuple(f"{step.title}:" for step in rows)
        sides = zip(comparisons(rows), rows, strict=True)
        yield Items(tuple((shown, f"  {step.why}") for shown, step in sides), marks)


def answer(pieces: Pieces) -> Remark:
    """The answer in a sentence."""
    return Remark(ANSWER, (Paragraph(pieces),))


def otherwise(rows: Iterable[tuple[Pieces, ...]]) -> Remark:
    """Other readings, each with its answer and how far that is off."""
    return Remark("Otherwise", (TextTable(("reading", "answer", "difference"), tuple(rows)),))


def lines(label: str, said: Iterable[Pieces]) -> Iterator[Remark]:
    """A remark with a paragraph for each of what is *said*, if there is anything."""
    if paragraphs := tuple(map(Paragraph, said)):
        yield Remark(label, paragraphs)


def _lane(lane: kinds.Lane, most: int, kinds: bool) -> Iterator[tuple[Pieces, ...]]:
    """A row for each of the first bars, and one for the others."""
    for bar in lane.bars[:most]:
        start, end = (amount_text(time, SECOND) for time in (bar.start, bar.end))
        yield (lane.label,), _operation(bar, kinds), (start,), (end,)
    if left := lane.bars[most:]:
        end = amount_text(left[-1].end, SECOND)
        yield (lane.label,), (f"… {len(left)} more",), ("…",), (end,)


def _operation(bar: kinds.Bar, kinds: bool) -> Pieces:
    """What a worker does; where all compute, what they compute is enough."""
    if bar.kind != "compute":
        return (timeline.deed(bar),)
    if bar.done and kinds:
        return (f"{timeline.WORDS['compute']} ", *cell(bar.label))
    if bar.done or isinstance(bar.label, str):
        return cell(bar.label)
    return (*cell(bar.label), f", {timeline.WORDS['not done']}")
