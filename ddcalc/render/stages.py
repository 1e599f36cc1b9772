"""Steps of the working as blocks, each with what proves it; and all blocks in simple ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, assert_never

from ddcalc.formula.expression import Number
from ddcalc.formula.letters import SIGNS
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.numbers.units import SECOND
from ddcalc.problem import steps as kinds
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import Chart, Exchange, Held, Step
from ddcalc.render import blocks, sides, story, timeline
from ddcalc.render.blocks import Block, Paragraph
from ddcalc.render.notation import Notation, shown
from ddcalc.render.sides import Pieces, ShownFormula, Side, Sides, cell, comparisons, symbol

BARS: Final = 40  # of a timeline, up to which its table has a row for each
WIDTH: Final = 72  # characters of a table on a page
GAP: Final = 2  # between its columns
CHANGED, COMPLETE, EMPTY = "*", "✓", "–"
# characters of a cell's values, tried in this order
ROOMS: Final = (60, 40, 30, 24, 20, 16, 14, 12, 11, 10, 9, 8, 7)

Cells = list[list[str]]


def stages(
    steps: Iterable[Step], full: bool = True, most: int = Notation.longest
) -> Iterator[blocks.Stage]:
    """*steps* under their numbers, each with what proves it; else what they come to alone, under
    the titles of tables. Of a list, *most* members are shown, or few."""
    for numbered in story.numbered(steps):
        step, body = numbered.step, tuple(step_blocks(numbered.step, most))
        if full:
            body = (*body, *proof(numbered.proof))
            yield blocks.Stage(body, capital(step.title), step.why, numbered.number)
        else:
            yield blocks.Stage(body, step.title if isinstance(step, kinds.Table) else "")


def step_blocks(step: Step, most: int = Notation.longest) -> Iterator[Block]:
    """What *step* comes to, without its title and reason; of a list *most* members, or few."""
    match step:
        case kinds.State() | kinds.Compare():
            pass  # these stand with the givens, and below what they prove
        case kinds.Define(argument=argument):
            if argument:
                yield _argued(argument)
            yield blocks.Display((sides.equation(step),))
        case kinds.DefineEach():
            yield blocks.Display(tuple(_members(step, most)))
        case kinds.Solve(argument=argument) if argument:
            yield _argued(argument)
            if solved := sides.solution(step):
                yield blocks.Display((solved,))
        case kinds.Solve():
            solved = sides.solution(step)
            yield blocks.Display((_relation(step), solved) if solved else (_relation(step),))
            if not solved:
                yield Paragraph(("no ", *symbol(step.unknown), " changes either side"))
        case kinds.Bound():
            yield blocks.Chain(sides.chain(step))
        case kinds.Table():
            yield grid(step)
        case kinds.Timeline():
            yield schedule(step)
        case kinds.Exchange():
            yield from _exchanged(step)
        case kinds.Plot(chart=chart):
            yield blocks.Picture(step, curves(chart))
        case never:
            assert_never(never)


def _members(step: kinds.DefineEach, most: int) -> Iterator[Sides | None]:
    """The formulas of a list: that of the worked member, *most* of those with a value, or few."""
    if step.worked is not None:
        yield sides.equation(step.rows[step.worked])
        return
    known = [row for row in step.rows if row.value is not None or row.why not in ("", step.why)]
    for row in shown(known or step.rows, most):
        yield None if row is None else sides.equation(row)


def proof(rows: Sequence[kinds.Compare]) -> Iterator[blocks.Items]:
    """The comparisons that prove a step, if there are any."""
    if rows:
        marks = tuple(f"{step.title}:" for step in rows)
        sides = zip(comparisons(rows), rows, strict=True)
        yield blocks.Items(tuple((shown, f"  {step.why}") for shown, step in sides), marks)


def _argued(argument: Iterable[kinds.Reasoned]) -> blocks.Chain:
    return blocks.Chain(
        tuple(Side("", ShownFormula(line.formula, line.numbers), line.reason) for line in argument)
    )


def _relation(step: kinds.Solve) -> Sides:
    left, right = step.relation.parts()
    numbers = {name: put for name, put in step.numbers.items() if name == kinds.BOUND}
    return Side("", ShownFormula(left)), Side(SIGNS[step.relation.op], ShownFormula(right, numbers))


def grid(step: kinds.Table) -> blocks.TextTable:
    """The cells of *step*; its columns as rows where these are abreast and fit a page."""
    rows = (step.header, *step.rows)
    if step.abreast and sum(max(len(str(x)) for x in row) + GAP for row in rows) <= WIDTH:
        if not step.header[-1]:  # what is marked, at its head
            rows = tuple((f"{x} ({mark})" if mark else x, *more) for x, *more, mark in rows)
        rows = tuple(zip(*rows, strict=True))
    return blocks.TextTable(tuple(map(str, rows[0])), tuple(tuple(map(cell, x)) for x in rows[1:]))


def curves(chart: Chart) -> blocks.TextTable:
    """The curves of *chart* as a table: a column each, a row for each place on the level scale."""
    places = sorted({dot.x for curve in chart.curves for dot in curve.dots if dot is not None})
    heights: list[dict[Number, Number]] = [
        {dot.x: dot.y for dot in curve.dots if dot is not None} for curve in chart.curves
    ]
    heights.insert(0, {x: x for x in places})
    header = (str(chart.x), *(curve.label or str(chart.y) for curve in chart.curves))
    return blocks.words_table(header, ([_height(x, at) for at in heights] for x in shown(places)))


def schedule(step: kinds.Timeline) -> blocks.Picture:
    """The picture of *step* with its table, cut where it is long, and the horizon."""
    bars = [bar for lane in step.lanes for bar in lane.bars]
    most = len(bars) if len(bars) <= BARS else max(1, BARS // len(step.lanes))
    kinds = any(bar.kind != "compute" for bar in bars)
    rows = tuple(row for lane in step.lanes for row in _lane(lane, most, kinds))
    note = f"The {step.name} is at {amount_text(step.horizon, SECOND)}."
    return blocks.Picture(step, blocks.TextTable(("", "operation", "from", "to"), rows), note)


def _height(x: Number | None, heights: Mapping[Number, Number]) -> str:
    if x is None:
        return "…"
    return amount_text(heights[x], None) if x in heights else ""


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


# A page that is read from top to bottom


def plain(content: Iterable[Block]) -> Iterator[blocks.Plain]:
    """*content* in simple blocks: those that say what they are for as others."""
    for block in content:
        match block:
            case blocks.Picture(note=note):
                yield block
                if note:
                    yield Paragraph((note,))
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


def _given(step: kinds.State) -> tuple[Pieces, ...]:
    note = story.note(step)
    meaning = f"{step.title} ({note})" if note else step.title
    return symbol(step.symbol), (story.given_text(step),), (meaning,)


# An exchange: who sends what to whom, and who holds what then


def _exchanged(step: Exchange) -> Iterator[Block]:
    """An exchange as a table, and what its marks mean."""
    header, held = _held_by_each(step)
    yield blocks.words_table(header, held)
    if says := _marks(step, held):
        yield Paragraph((says,))


def _held_by_each(step: Exchange) -> tuple[tuple[str, ...], Cells]:
    """The header and the cells of each process: a column a part, or one for what changed."""
    sends = (f"sends {step.what}", "to") if step.sent else ()
    for full, room in product((True, False), ROOMS):
        header = ("process", *sends, *(step.parts if full else ("holds",)))
        rows = [*_rows(step, room, full, len(header))]
        columns = zip(header, *rows, strict=True)
        if sum(max(map(len, column)) + GAP for column in columns) - GAP <= WIDTH:
            break
    return header, rows


def _marks(step: Exchange, cells: Cells) -> str:
    """What the marks of the *cells* mean; empty where there are none."""
    parts = [part for row in step.holds for part in row]
    words = [f"{CHANGED} just {step.how}"] * any(part.changed for part in parts)
    words += [f"{COMPLETE} complete"] * any(part.complete for part in parts)
    words += ["… left out"] * any("…" in text for row in cells for text in row)
    return "; ".join(words)


def _rows(step: Exchange, room: int, full: bool, wide: int) -> Iterator[list[str]]:
    """The cells of each process, of many the first ones and the last; … for those between."""
    for process in shown(range(1, len(step.holds) + 1)):
        if process is None:
            yield ["…"] * wide
            continue
        parts = step.holds[process - 1]
        sends = [EMPTY, EMPTY] if step.sent else []
        for sent in (one for one in step.sent if one.sender == process):
            number = f"{sent.number}: " if sent.number else ""
            sends = [number + _values(sent.values, room), str(sent.receiver)]
        holds = [_held(part, room) for part in parts] if full else [_changed(step, parts, room)]
        yield [str(process), *sends, *holds]


def _changed(step: Exchange, parts: Sequence[Held], room: int) -> str:
    """The part that changed; before anything is sent the whole vector."""
    for name, part in zip(step.parts, parts, strict=True):
        if part.changed:
            return (f"{name}: " if len(parts) > 1 else "") + _held(part, room)
    every = [value for part in parts for value in part.values]
    return "as before" if step.sent else _values(every, room)


def _held(part: Held, room: int) -> str:
    """What a process holds of a part, with its marks."""
    marks = CHANGED * part.changed + COMPLETE * part.complete
    between = " " if marks and len(part.values) > 1 else ""
    return f"{_values(part.values, room)}{between}{marks}"


def _values(numbers: Sequence[Number], room: int) -> str:
    """The values, the first and last ones of many where there is no *room* for all."""
    texts = list(map(decimal_or_fraction, numbers))
    whole = ", ".join(texts)
    if len(whole) <= room or len(texts) <= 1:
        return whole or EMPTY
    for count in range(len(texts) - 2, 0, -1):
        short = ", ".join([*texts[:count], "…", texts[-1]])
        if len(short) <= room:
            return short
    return f"{texts[0]}, …"
