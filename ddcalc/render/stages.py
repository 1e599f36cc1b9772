"""Steps of the working as blocks, each with what proves it; and all blocks in simple ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, assert_never

from ddcalc.ask.solve import Derivation
from ddcalc.formula.expression import Expr, Num, Number
from ddcalc.numbers.display import ABOUT, fraction_text, number_text
from ddcalc.problem.said import steps as kinds
from ddcalc.problem.said.sentences import capital
from ddcalc.problem.said.steps import Exchange, Held, Step
from ddcalc.render import blocks, sides, story
from ddcalc.render.blocks import Block, Paragraph
from ddcalc.render.notation import HEAD, Notation, shown
from ddcalc.render.sides import Pieces, ShownFormula, Side, Sides, cell, comparison, symbol

ABREAST: Final = 12  # rows of a table that stand side by side
CHANGED, COMPLETE, EMPTY = "*", "✓", "–"
PARTS: Final = 6  # of what a process holds, up to which each has a column
VALUES: Final = 16  # the same of its values
FEW: Final = 6  # values of a cell, up to which all are shown
ROOM: Final = 74  # columns of a table whose rows are as many as its columns were


def stages(
    steps: Iterable[Step], most: int = Notation.longest, apart: bool = False
) -> Iterator[blocks.Stage]:
    """*steps* under their numbers, each with what proves it. Of a list, *most* members are shown,
    or few; other names stand *apart*."""
    listed, told = story.numbered(steps), list[Block]()
    for numbered in listed if apart else story.joined(listed):
        step, made = numbered.step, step_blocks(numbered.step, most)
        body = tuple(x for x in made if not isinstance(x, Paragraph) or x not in told)
        told += body  # what marks mean is told once
        body = proved(step, body, [*proof(numbered.proof)])
        yield blocks.Stage(body, *headed(step), numbered.number)


def headed(step: Step) -> tuple[str, str]:
    """The title of *step*, and its reason; a letter is one with it: ``m, where T is least``."""
    title = capital(step.title)
    return (f"{title}, {step.why}", "") if len(title) == 1 and step.why else (title, step.why)


def hints(solved: Derivation, count: int) -> Iterator[blocks.Stage]:
    """The first steps, each with its idea and its formula, in numbers but for the last one."""
    steps = [x for x in solved.shown_steps() if not isinstance(x, kinds.State | kinds.Compare)]
    for number, step in enumerate(steps[:count], 1):
        shown, of = Sides(), step
        if isinstance(of, kinds.DefineEach):
            of = of.rows[of.worked or 0]
        if isinstance(of, kinds.Define) and (number < count or not isinstance(of.applied, Num)):
            shown = sides.equation(of) if number < count else sides.unworked(of)
        body = (blocks.Display((shown,)),) if shown else ()
        yield blocks.Stage(body, step.title, story.idea(step, solved.problem), number)


def step_blocks(step: Step, most: int = Notation.longest) -> Iterator[Block]:
    """What *step* comes to, without its title and reason; of a list *most* members, or few."""
    match step:
        case kinds.State() | kinds.Compare():
            pass  # these stand with the givens, and below what they prove
        case kinds.Define():
            yield from [_argued(step.argument)] if step.argument else []
            yield blocks.Display((sides.equation(step),))
        case kinds.DefineEach():
            yield from _members(step, most)
        case kinds.Bound():
            yield blocks.Chain(sides.chain(step))
        case kinds.Table():
            yield from [_argued(step.argument)] if step.argument else []
            yield grid(step, most)
        case kinds.Timeline():
            yield blocks.Picture(step)
        case kinds.Exchange():
            yield from _exchanged(step)
        case never:
            assert_never(never)


def _members(step: kinds.DefineEach, most: int) -> Iterator[blocks.Display]:
    """The formulas of a list, *most* or few: first ones in numbers, of the others their values."""
    if step.worked is not None:
        yield blocks.Display((sides.equation(step.rows[step.worked]),))
        return
    known = [row for row in step.rows if row.value is not None or row.why not in ("", step.why)]
    some = shown(known or step.rows, most)
    worked = len(some) if most == Notation.longest or len(some) <= 3 else 2
    first = [None if row is None else sides.equation(row) for row in some[:worked]]
    yield blocks.Display((*first,), flows=all(one is not None and len(one) == 2 for one in first))
    if rest := [sides.again(row, numbers=False) for row in some[worked:] if row]:
        yield blocks.Display((*rest,), flows=True)


def proof(every: Iterable[kinds.Compare | kinds.Table]) -> Iterator[Block]:
    """The comparisons that prove a step, if there are any, and a table of them; where it was solved
    so that both sides are equal, that says nothing."""
    compared, tables = list[kinds.Compare](), list[kinds.Table]()
    for x in every:
        if isinstance(x, kinds.Table):
            tables.append(x)
        elif x.left != x.right or not (ABOUT in x.title or x.relation.op == "=="):
            compared.append(x)
    if compared:
        marks = tuple(f"{step.title}:" for step in compared)
        one, *more = map(comparison, compared)
        alike = (x[:-1] if len(x) > 3 and str(x[-1].what) == str(one[-1].what) else x for x in more)
        yield blocks.Items(tuple((one,) for one in (one, *alike)), marks, flows=True)
    yield from map(grid, tables)


def proved(step: Step, body: Sequence[Block], rows: Sequence[Block]) -> tuple[Block, ...]:
    """The *body* of a step above the *rows* that prove it, which say the number that was found."""
    is_found = isinstance(step, kinds.Define) and isinstance(step.applied, Num)
    return (*(body[:-1] if rows and is_found else body), *rows)


def _argued(argument: Iterable[kinds.Reasoned]) -> blocks.Chain:
    lines = (Side("", ShownFormula(one.formula, one.numbers), one.reason) for one in argument)
    return blocks.Chain(tuple(lines))


def grid(step: kinds.Table, most: int = Notation.longest) -> blocks.TextTable:
    """The cells of *step*, *most* rows or few; its columns as rows where shorter."""
    rows = (step.header, *_folded(step.rows, most, not step.header[-1]))
    if (step.abreast and len(step.rows) <= ABREAST) or is_flat(rows):
        rows = tuple(zip(*map(about, zip(*rows, strict=True)), strict=True))
        if not step.header[-1]:  # what is marked, at its head
            rows = tuple((f"{x} ({mark})" if mark else x, *more) for x, *more, mark in rows)
        rows = tuple(zip(*rows, strict=True))
    return blocks.TextTable(tuple(map(str, rows[0])), tuple(tuple(map(cell, x)) for x in rows[1:]))


def is_flat(rows: Sequence[kinds.Cells]) -> bool:
    """Whether so few columns of numbers are shorter as rows, and have room."""
    is_few = len(rows) > 3 >= len(rows[0]) and rows[0][-1] != ""
    wide = (max(map(len, map(str, row))) + 2 for row in rows)
    return is_few and sum(wide) <= ROOM and all(isinstance(x, str) for row in rows for x in row)


def _folded(rows: Sequence[kinds.Cells], most: int, is_marked: bool) -> Iterator[kinds.Cells]:
    """Of many *rows* the first ones, the last, and those that are marked with their neighbours."""
    marked = [i for i, row in enumerate(rows) if is_marked and row[-1]]
    kept = {*range(HEAD), len(rows) - 1, *(i + j for i in marked for j in (-1, 0, 1))}
    kept = {*range(len(rows))} if most == Notation.longest or len(rows) <= most + 2 else kept
    for is_kept, some in groupby(range(len(rows)), key=kept.__contains__):
        yield from map(rows.__getitem__, some) if is_kept else [("…",) * len(rows[0])]


def about(column: Sequence[str | Expr]) -> tuple[str | Expr, ...]:
    """A *column* of a table, of whose numbers some are rounded: its head says so of all."""
    head, *cells = column
    if not any(isinstance(one, str) and one.startswith(ABOUT) for one in cells):
        return (*column,)
    plain = (one.removeprefix(ABOUT) if isinstance(one, str) else one for one in cells)
    return (f"{head} {ABOUT}".rstrip(), *plain)


# A page that is read from top to bottom


def plain(content: Iterable[Block]) -> Iterator[blocks.Plain]:
    """*content* in simple blocks: those that say what they are for as others."""
    for block in content:
        match block:
            case blocks.Givens(states, read):
                yield Paragraph((), "Given")
                yield blocks.TextTable(("", "value", "meaning"), tuple(map(_given, states)))
                if read:
                    yield blocks.Items((*read,))
            case blocks.Stage(body, title, why, number):
                if title:
                    place = "" if number is None else f"{number}. "
                    yield Paragraph((why,) if why else (), place + title)
                yield from plain(body)
            case blocks.Display(equations, flows, lead) if lead:
                yield Paragraph(lead)
                yield from [blocks.Display(equations, flows)] if equations else []
            case blocks.Asked(name, words, body):
                yield Paragraph((words,) if words else (), name)
                yield from plain(body)
            case blocks.Remark(label, (Paragraph(pieces), *rest)):
                yield Paragraph(pieces, label)
                yield from plain(rest)
            case blocks.Remark(label, body):
                yield Paragraph((), label)
                yield from plain(body)
            case _:
                yield block


def bare(content: Iterable[Block]) -> Iterator[Block]:
    """The formulas and tables in *content*, without titles and reasons."""
    for block in content:
        match block:
            case blocks.Stage(body):
                yield from bare(body)
            case blocks.Display() | blocks.Chain() | blocks.TextTable() | blocks.Items():
                yield block


def _given(step: kinds.State) -> tuple[Pieces, ...]:
    note = story.note(step)
    meaning = f"{step.title} ({note})" if note else step.title
    return symbol(step.symbol), (story.given_text(step),), (meaning,)


# An exchange: who sends what to whom, and who holds what then


def _exchanged(step: Exchange) -> Iterator[Block]:
    """An exchange as a table, of many processes first ones and the last, and what marks mean."""
    sends = (f"sends {step.what}", "to") if step.sent else ()
    full = len(step.parts) <= PARTS and sum(len(x.values) for x in step.holds[0]) <= VALUES
    header = ("process", *sends, *(step.parts if full else ("holds",)))
    every = shown(range(1, len(step.holds) + 1))
    rows = [["…"] * len(header) if one is None else _held_by(step, one, full) for one in every]
    yield blocks.words_table(header, rows)
    parts = [part for row in step.holds for part in row]
    words = [f"{CHANGED} just {step.how}"] * any(part.changed for part in parts)
    words += [f"{COMPLETE} complete"] * any(part.complete for part in parts)
    words += ["… left out"] * any("…" in text for row in rows for text in row)
    if words:
        yield Paragraph(("; ".join(words),))


def _held_by(step: Exchange, process: int, full: bool) -> list[str]:
    """What a *process* sends, and holds then: a cell a part, or what changed alone, of which there
    is nothing before anything is sent."""
    sends = [EMPTY, EMPTY] if step.sent else []
    for sent in (one for one in step.sent if one.sender == process):
        number = f"{sent.number}: " if sent.number else ""
        sends = [number + _values(sent.values), str(sent.receiver)]
    parts = step.holds[process - 1]
    if full:
        return [str(process), *sends, *map(_held, parts)]
    both = zip(step.parts, parts, strict=True)
    changed = [f"{name}: {_held(part)}" for name, part in both if part.changed]
    whole = "as before" if step.sent else _values([x for part in parts for x in part.values])
    return [str(process), *sends, "; ".join(changed) or whole]


def _held(part: Held) -> str:
    """What a process holds of a part, with its marks."""
    marks = CHANGED * part.changed + COMPLETE * part.complete
    between = " " if marks and len(part.values) > 1 else ""
    return f"{_values(part.values)}{between}{marks}"


def _values(numbers: Sequence[Number]) -> str:
    """The values, of many the first ones and the last."""
    every = ("…" if one is None else _value(one) for one in shown(numbers, FEW))
    return ", ".join(every) or EMPTY


def _value(number: Number) -> str:
    text, is_exact = number_text(number)
    return text if is_exact else fraction_text(number)
