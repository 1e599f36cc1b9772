"""A derivation as a page of headings, paragraphs, tables and formulas, before it has a format.

Words are plain text that is neither cleaned nor escaped: a format does that to every one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from ddcalc.ask.solve import Derivation
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.units import SECOND, Unit
from ddcalc.problem.steps import (
    Bar,
    Bound,
    Chart,
    Compare,
    Define,
    DefineEach,
    Exchange,
    Lane,
    Plot,
    Solve,
    State,
    Step,
    Table,
    Timeline,
    Tornado,
)
from ddcalc.render import exchange, story, timeline, tornado
from ddcalc.render.sides import (
    Formula,
    Side,
    Sides,
    chain,
    comparison,
    equation,
    solution,
)

BARS = 40  # up to which a table tells them all

Drawn = Timeline | Exchange | Plot | Tornado  # steps that are pictures where there are any
Piece = str | Sides  # words, or a formula among words
Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; *level* 1 is the page's own."""

    words: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words and formulas, behind a bold *label* (may be empty) that may be *numbered*."""

    pieces: Pieces
    label: str = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table under a *header*, whose words may be empty."""

    header: tuple[str, ...]
    rows: tuple[tuple[Pieces, ...], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    rows: tuple[Pieces, ...]


@dataclass(frozen=True, slots=True)
class Display:
    """Equations on lines of their own, aligned; None stands for some that are left out."""

    equations: tuple[Sides | None, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Equalities and estimates, a line each, with a reason each."""

    sides: Sides


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to type, or a file."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A timeline, an exchange, curves or bars, and the *table* that tells it in words."""

    step: Drawn
    table: Grid


Block = Heading | Paragraph | Grid | Items | Display | Chain | Code | Picture


def derivation(
    solved: Derivation, steps: str = "full", unit: Unit | None = None, title: str = ""
) -> Iterator[Block]:
    """The page of *solved*: everything, the formulas in ``brief``, the answer alone in ``none``.

    The answer is told in *unit* if one is given.
    """
    if steps == "none":
        yield Paragraph((story.answer_text(solved, unit),), title)
        return
    yield from _opening(solved, title, full=steps == "full")
    yield from told(solved.steps, full=steps == "full")
    yield _answer(solved, unit)
    if steps == "full":
        yield from _afterwards(solved, unit)


def told(steps: Iterable[Step], full: bool = True) -> Iterator[Block]:
    """The steps under their numbers, each with what proves it; else their formulas alone."""
    for numbered in story.numbered(steps):
        if full:
            yield Paragraph((numbered.step.why,), numbered.step.title, numbered.number)
        yield from _step(numbered.step)
        if numbered.proof:
            yield Items(tuple(map(_comparison, numbered.proof)))


def cell(content: str | Expr) -> Pieces:
    """A cell of a table: words, or a formula."""
    return (content,) if isinstance(content, str) else (_alone(content),)


def _opening(solved: Derivation, title: str, full: bool) -> Iterator[Block]:
    question = solved.problem.question()
    yield Heading(title or question)
    if title and full:
        yield Paragraph((question,))
    givens = story.givens(solved)
    if full and givens:
        yield Paragraph((), "Given")
        yield Grid(("", "value", "meaning"), tuple(map(given, givens)))


def given(step: State) -> tuple[Pieces, ...]:
    """The row of a table that tells what is stated."""
    note = story.note(step)
    meaning = f"{step.title} ({note})" if note else step.title
    return cell(Sym(step.symbol)), (story.given_text(step),), (meaning,)


def _step(step: Step) -> Iterator[Block]:
    match step:
        case State() | Compare():
            pass  # told with the givens, and below what it proves
        case Define():
            yield Display((equation(step),))
        case DefineEach(rows=rows):
            told = (None if row is None else equation(row) for row in story.shown(rows))
            yield Display(tuple(told))
        case Solve(relation=relation):
            solved = solution(step)
            yield Display((_alone(relation), solved) if solved else (_alone(relation),))
        case Bound():
            yield Chain(chain(step))
        case Table():
            yield grid(step)
        case Timeline():
            yield from schedule(step)
        case Tornado():
            yield Picture(step, grid(tornado.table(step, drawn=False)))
        case Exchange():
            yield from _exchange(step)
        case Plot(chart=chart):
            yield Picture(step, curves(chart))
        case never:
            assert_never(never)


def grid(step: Table) -> Grid:
    """The cells of *step*."""
    return Grid(step.header, tuple(tuple(map(cell, row)) for row in step.rows))


def curves(chart: Chart) -> Grid:
    """The curves of *chart* as a table: a column each, a row for each place on the level scale."""
    places = sorted({dot.x for curve in chart.curves for dot in curve.dots if dot is not None})
    heights: list[dict[Number, Number]] = [
        {dot.x: dot.y for dot in curve.dots if dot is not None} for curve in chart.curves
    ]
    heights.insert(0, {x: x for x in places})
    rows = (tuple((_height(x, at),) for at in heights) for x in story.shown(places))
    header = (str(chart.x), *(curve.label or str(chart.y) for curve in chart.curves))
    return Grid(header, tuple(rows))


def _height(x: Number | None, heights: Mapping[Number, Number]) -> str:
    if x is None:
        return "…"
    return quantity_text(heights[x], None) if x in heights else ""


def _comparison(step: Compare) -> Pieces:
    return f"{step.title}: ", comparison(step), f" {step.why}"


def schedule(step: Timeline) -> Iterator[Block]:
    """The picture of *step* with its table, cut where it is long, and the horizon."""
    bars = sum(len(lane.bars) for lane in step.lanes)
    most = bars if bars <= BARS else max(1, BARS // len(step.lanes))
    rows = tuple(row for lane in step.lanes for row in _lane(lane, most, _kinds(step)))
    table = Grid(("", "operation", "from", "to"), rows)
    yield Picture(step, table)
    yield Paragraph((f"The {step.name} is at {quantity_text(step.horizon, SECOND)}.",))


def _exchange(step: Exchange) -> Iterator[Block]:
    """The picture with its table, and what its marks mean."""
    header, rows = exchange.grid(step)
    table = Grid(header, tuple(tuple((words,) for words in row) for row in rows))
    yield Picture(step, table) if exchange.is_drawn(step) else table
    told = [words for _, words in exchange.legend(step)]
    if any("…" in words for row in rows for words in row):
        told.append("… left out")
    if told:
        yield Paragraph(("; ".join(told),))


def _kinds(step: Timeline) -> bool:
    """Whether the workers do more than compute."""
    return any(bar.kind != "compute" for lane in step.lanes for bar in lane.bars)


def _lane(lane: Lane, most: int, kinds: bool) -> Iterator[tuple[Pieces, ...]]:
    """A row for each of the first bars, and one for the others."""
    for bar in lane.bars[:most]:
        start, end = (quantity_text(time, SECOND) for time in (bar.start, bar.end))
        yield (lane.label,), _operation(bar, kinds), (start,), (end,)
    if left := lane.bars[most:]:
        end = quantity_text(left[-1].end, SECOND)
        yield (lane.label,), (f"… {len(left)} more",), ("…",), (end,)


def _operation(bar: Bar, kinds: bool) -> Pieces:
    """What a worker does; where all compute, what they compute is enough."""
    if bar.kind != "compute":
        return (timeline.deed(bar),)
    if bar.done and kinds:
        return (f"{timeline.WORDS['compute']} ", *cell(bar.label))
    if bar.done or isinstance(bar.label, str):
        return cell(bar.label)
    return (*cell(bar.label), f", {timeline.WORDS['not done']}")


def _answer(solved: Derivation, unit: Unit | None) -> Paragraph:
    answer = story.answer(solved, unit)
    second = (f" ({answer.second})",) if answer.second else ()
    return Paragraph((answer.sides, *second), "Answer")


def _afterwards(solved: Derivation, unit: Unit | None) -> Iterator[Block]:
    if says := story.read_as(solved):
        yield Paragraph(("; ".join(says),), "Read as")
    if others := story.otherwise(solved, unit):
        yield Paragraph((), "Otherwise")
        rows = [((each.says,), _value(each), (each.difference,)) for each in others]
        yield Grid(("reading", "answer", "difference"), tuple(rows))
    if parts := story.shares(solved):
        yield Paragraph((_listed(parts),), "Where it goes")
    form = story.closed_form(solved)
    if form:
        sides, cases = form
        yield Paragraph(tuple(_where(cases)), "In one formula")
        yield Display((sides,))


def _value(each: story.Otherwise) -> Pieces:
    return cell(each.value if each.formula is None else each.formula)


def _listed(parts: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{group} {percent}" for group, percent in parts)


def _where(cases: Sequence[Side]) -> Iterator[Piece]:
    for i, case in enumerate(cases):
        yield " and " if i else "as long as "
        yield (Side("", case.what),)
        yield f" ({case.reason})" if case.reason else ""


def _alone(expr: Expr) -> Sides:
    return (Side("", Formula(expr)),)
