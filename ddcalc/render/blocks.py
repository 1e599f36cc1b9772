"""A derivation as a page of headings, paragraphs, tables and formulas, before it has a format.

Words are plain text that is neither cleaned nor escaped: a format does that to every one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from ddcalc.ask.solve import Derivation
from ddcalc.display import quantity_text
from ddcalc.expression import Expr, Sym
from ddcalc.render import story
from ddcalc.render.sides import (
    Formula,
    Side,
    Sides,
    chain,
    comparison,
    equation,
    solution,
)
from ddcalc.steps import (
    Bar,
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
from ddcalc.units import SECOND, Unit

NOT_DONE = "not done"

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


Block = Heading | Paragraph | Grid | Items | Display | Chain | Code


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
    for numbered in story.numbered(solved):
        if steps == "full":
            yield Paragraph((numbered.step.why,), numbered.step.title, numbered.number)
        yield from _step(numbered.step)
        if numbered.proof:
            yield Items(tuple(map(_comparison, numbered.proof)))
    yield _answer(solved, unit)
    if steps == "full":
        yield from _afterwards(solved, unit)


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
        yield Grid(("", "value", "meaning"), tuple(map(_given, givens)))


def _given(step: State) -> tuple[Pieces, ...]:
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
        case Table(header=header, rows=cells):
            yield Grid(header, tuple(tuple(map(cell, row)) for row in cells))
        case Timeline():
            yield from _timeline(step)
        case never:
            assert_never(never)


def _comparison(step: Compare) -> Pieces:
    return f"{step.title}: ", comparison(step), f" {step.why}"


def _timeline(step: Timeline) -> Iterator[Block]:
    rows = [
        (
            (lane.label,),
            _operation(bar),
            (quantity_text(bar.start, SECOND),),
            (quantity_text(bar.end, SECOND),),
        )
        for lane in step.lanes
        for bar in lane.bars
    ]
    yield Grid(("", "operation", "from", "to"), tuple(rows))
    yield Paragraph((f"The horizon is {quantity_text(step.horizon, SECOND)}.",))


def _operation(bar: Bar) -> Pieces:
    counts = bar.done or bar.label == NOT_DONE
    return cell(bar.label) if counts else (*cell(bar.label), f", {NOT_DONE}")


def _answer(solved: Derivation, unit: Unit | None) -> Paragraph:
    answer = story.answer(solved, unit)
    second = (f" ({answer.second})",) if answer.second else ()
    return Paragraph((answer.sides, *second), "Answer")


def _afterwards(solved: Derivation, unit: Unit | None) -> Iterator[Block]:
    if says := story.read_as(solved):
        yield Paragraph(("; ".join(says),), "Read as")
    if others := story.otherwise(solved, unit):
        yield Paragraph((), "Otherwise")
        rows = [((each.says,), (each.value,), (each.difference,)) for each in others]
        yield Grid(("reading", "answer", "difference"), tuple(rows))
    if parts := story.shares(solved):
        yield Paragraph((_listed(parts),), "Where it goes")
    form = story.closed_form(solved)
    if form:
        sides, cases = form
        yield Paragraph(tuple(_where(cases)), "In one formula")
        yield Display((sides,))


def _listed(parts: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{group} {percent}" for group, percent in parts)


def _where(cases: Sequence[Side]) -> Iterator[Piece]:
    for i, case in enumerate(cases):
        yield " and " if i else "as long as "
        yield (Side("", case.what),)
        yield f" ({case.reason})" if case.reason else ""


def _alone(expr: Expr) -> Sides:
    return (Side("", Formula(expr)),)
