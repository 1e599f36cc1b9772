"""Derivations for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ddcalc.ask.solve import Derivation
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Exchange, Plot, Table, Timeline
from ddcalc.render import story
from ddcalc.render.sides import Formula, Side
from ddcalc.render.terminal.layout import INDENT, Look, equation
from ddcalc.render.terminal.screen import Blocks, body, givens, labelled, numbered, printed
from ddcalc.render.whole import wrapped

LABEL = 17  # columns of a remark's label


def derivation(solved: Derivation, steps: str, look: Look, unit: Unit | None = None) -> str:
    """*solved* as text; *steps* is "none", "brief" or "full"."""
    report = solved.report(unit)
    if report is not None:
        from ddcalc.render import report as reports

        return reports.text(report, steps, look)
    if steps == "none":
        return printed([Text(story.answer_text(solved, unit))], look)
    blocks = _full(solved, look, unit) if steps == "full" else _brief(solved, look, unit)
    return printed(blocks, look)


def _full(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    yield Text(solved.problem.question(), "bold")
    yield Text()
    yield Text("Given", "bold")
    yield givens(story.givens(solved), look)
    yield Text()
    yield from numbered(solved.steps, look)
    yield Text()
    yield from _answer(solved, look, unit)
    yield from _remarks(solved, look, unit)


def _brief(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    """The formula lines and the answer."""
    for told in story.numbered(solved.steps):
        if not isinstance(told.step, Exchange | Plot | Table | Timeline):
            yield from body(told.step, look, indent=0)
    yield from _answer(solved, look, unit)


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
            below = wrapped(second, look.width - len(margin), subsequent_indent=" ")
            text.append("\n".join(margin + line for line in below), "not bold")
    yield text


def _remarks(solved: Derivation, look: Look, unit: Unit | None) -> Blocks:
    """How the question was read, the answers to other readings, and where the answer goes."""
    remarks = list(_remarked(solved, look, unit))
    if remarks:
        yield Text()
        yield from labelled(remarks, look)


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
