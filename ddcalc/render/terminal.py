"""Derivations for people at a terminal: plain text that reads well at 80 columns and in a pipe.

Colour and weight add nothing that the text does not say. All texts are Rich ``Text`` objects, so
no markup of a question is ever interpreted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import StringIO
from typing import assert_never

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.expression import Expr
from ddcalc.render import gantt, story
from ddcalc.render.layout import INDENT, Look, equation
from ddcalc.render.sides import Formula, Sides, chain, comparison, solution
from ddcalc.render.sides import equation as sides_of
from ddcalc.sheet.answers import Check
from ddcalc.sheet.batch import Solved
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

TITLE = 200  # characters of a title
NAME, ANSWER = 26, 22  # columns of the summary

Blocks = Iterator[RenderableType]


def derivation(solved: Derivation, steps: str, look: Look, unit: Unit | None = None) -> str:
    """*solved* as text; *steps* is "none", "brief" or "full"."""
    if steps == "none":
        return printed([Text(story.answer_text(solved, unit))], look)
    blocks = _full(solved, look, unit) if steps == "full" else _brief(solved, look, unit)
    return printed(blocks, look)


def problem(done: Solved, steps: str, look: Look) -> str:
    """A solved problem of a file: its title, its derivation, and its stated answers."""
    assert done.derivation is not None
    question = done.question
    names = [text for text in (question.id, question.title) if text]
    head = [Text(clean("  ".join(names), TITLE), "bold underline"), Text()] if names else []
    told = printed(head, look) + derivation(done.derivation, steps, look)
    checks = [Text(), *(_check(check, look) for check in done.checks)] if done.checks else []
    return told + printed(checks, look)


def summary_head(look: Look) -> str:
    """The head of the lines that :func:`summary` makes."""
    return printed(
        [Text(f"{'problem':<{NAME}}  {'answer':<{ANSWER}}  stated answers", "bold")], look
    )


def summary(done: Solved, look: Look) -> str:
    """What the problem is called, its answer and how many stated ones agree, on a line; below it
    those that do not."""
    question = done.question
    where = f"{question.file}:{question.line}" if question.line else question.file
    name = question.id or question.title or where
    wrong: list[Check] = []
    if done.derivation is None or done.errors:
        answer, verdict = "not solved", ""
    else:
        answer = f"{done.derivation.answer.symbol} = {story.answer_text(done.derivation)}"
        wrong = [check for check in done.checks if not check.agrees]
        agreeing = len(done.checks) - len(wrong)
        verdict = f"{agreeing} of {len(done.checks)} agree" if done.checks else ""
    told = f"{clean(name, NAME):<{NAME}}  {look.spelt(answer):<{ANSWER}}  {verdict}"
    return printed([Text(told.rstrip()), *(_check(check, look, "  ") for check in wrong)], look)


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
    text = console.file.getvalue()
    return text if look.colour else "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def _full(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    yield Text(solved.problem.question(), "bold")
    yield Text()
    yield Text("Given", "bold")
    yield _givens(solved, look)
    yield Text()
    for told in story.numbered(solved):
        yield _heading(told.number, told.step)
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
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", max_width=look.width // 2)
    grid.add_column()
    for step in story.givens(solved):
        meaning = Text(step.title)
        if note := story.note(step):
            meaning.append(f" ({note})", "dim")
        value = look.spelt(clean(story.given_text(step)))
        grid.add_row(Text(look.letter(step.symbol)), Text(value), meaning)
    return Padding(grid, (0, 0, 0, 2))


def _heading(number: int, step: Step) -> RenderableType:
    heading = Text(step.title, "bold")
    if step.why:
        heading.append(" · " if len(step.title) < 60 else " ", "not bold dim")
        heading.append(step.why, "not bold dim")
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
            yield from (Text(line, no_wrap=True) for line in gantt.lanes(step, look))
        case Compare():
            yield _proof(step, look)
        case State():
            pass
        case never:
            assert_never(never)


def _relation(step: Solve) -> Sides:
    from ddcalc.render.notation.plain import SIGNS
    from ddcalc.render.sides import Side

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
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in step.header:
        grid.add_column(Text(look.spelt(title)))
    for row in step.rows:
        grid.add_row(*(Text(_cell(cell, look)) for cell in row))
    return grid


def _cell(cell: str | Expr, look: Look) -> str:
    return look.spelt(str(Formula(cell)) if isinstance(cell, Expr) else cell)


def _answer(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    told = story.answer(solved, unit)
    lines = equation(told.sides, look, 0)
    text = Text(f"Answer  {lines[0]}", "bold green", no_wrap=True)
    for line in lines[1:]:
        text.append(f"\n        {line}")
    if told.second:
        text.append(f"  ({look.spelt(told.second)})", "not bold")
    yield text


def _remarks(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    """How the question was read, the answers to other readings, and where the answer goes."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    if says := story.read_as(solved):
        grid.add_row(Text("Read as", "bold"), Text(look.spelt("; ".join(says))))
    if others := story.otherwise(solved, unit):
        table = Grid.grid(padding=(0, 2))
        for other in others:
            table.add_row(
                Text(other.says),
                Text(look.spelt(other.value), no_wrap=True),
                Text(look.spelt(other.difference), no_wrap=True),
            )
        grid.add_row(Text("Otherwise", "bold"), table)
    if parts := story.shares(solved):
        told = ", ".join(f"{group} {part}" for group, part in parts)
        grid.add_row(Text("Where it goes", "bold"), Text(told))
    if form := story.closed_form(solved):
        sides, cases = form
        lines = equation(sides, look, 0, look.width - 17)
        if cases:
            lines.append(look.spelt(f"as long as {', '.join(map(str, cases))}"))
        grid.add_row(Text("In one formula", "bold"), Text("\n".join(lines)))
    if grid.row_count:
        yield Text()
        yield grid


def _check(check: Check, look: Look, margin: str = "") -> Text:
    who = "expected" if check.ours else "claimed "
    if check.agrees:
        verdict = f"✓  right {clean(check.allowed)}" if check.allowed else "✓"
    else:
        verdict = f"✗  it is {_derived(check)}"
        verdict += f", {check.allowed} {check.rounded}" if check.rounded else ""
    told = f"{margin}{who}  {check.name} = {clean(check.stated, 60)}  "
    return Text(look.spelt(told)).append(look.spelt(verdict), "" if check.agrees else "bold red")


def _derived(check: Check) -> str:
    results = check.derived if isinstance(check.derived, tuple) else (check.derived,)
    return ", ".join(story.full_value_text(each.value, each.unit) for each in results)


__all__ = ["Look", "derivation", "printed", "problem", "summary", "summary_head"]
