"""A comparison told: what is stated differently, every quantity beside the other, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.ask.compare.attribution import Attribution
from ddcalc.ask.compare.changes import Change
from ddcalc.ask.compare.comparison import Comparison, Row
from ddcalc.ask.report import Report
from ddcalc.ask.words import Cell, signed, title_of
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.display import ABOUT, quantity_text
from ddcalc.numbers.units import Unit, fitting
from ddcalc.problem.steps import Step, Table, Value

NAME = 28  # characters of a name that heads a column
NO_VALUE = "none"


def report(comparisons: Sequence[Comparison]) -> Report:
    """What *comparisons*, all with the same first question, tell."""
    several = len(comparisons) > 1
    first = comparisons[0]
    title = f"{first.names[0]} against " + ", ".join(each.names[1] for each in comparisons)
    return Report(
        title,
        tuple(step for each in comparisons for step in steps(each, several)),
        "; ".join(answer(each, several) for each in comparisons),
        tuple(remark for each in comparisons for remark in remarks(each, several)),
    )


def steps(comparison: Comparison, several: bool = False) -> Iterator[Step]:
    """The tables of *comparison*; their titles name it where there are *several*."""
    name = f": {comparison.names[1]}" if several else ""
    head = tuple(each if len(each) <= NAME else f"{each[: NAME - 1]}…" for each in comparison.names)
    if comparison.changes:
        rows = tuple((each.label, each.before, each.after) for each in comparison.changes)
        yield Table(f"What is stated differently{name}", "", ("", *head), rows)
    elif not comparison.alike and comparison.givens:
        yield _side_by_side("What both state", f"of two types{name}", head, comparison.givens)
    rows_of_both = comparison.rows or (comparison.answer,)
    if comparison.answer.first.name != comparison.answer.second.name:
        rows_of_both = (*comparison.rows, comparison.answer)
    yield _side_by_side(f"What follows{name}", "in the order of derivation", head, rows_of_both)
    if comparison.by_step is not None and len(comparison.by_step.parts) > 1:
        yield _by_step(comparison, comparison.by_step, name)
    if comparison.attribution is not None:
        yield _by_change(comparison, comparison.attribution, name)


def answer(comparison: Comparison, several: bool = False) -> str:
    """Both answers and their difference in one line."""
    row = comparison.answer
    unit = _unit(row)
    told = [_words(side.value, unit) for side in (row.first, row.second)]
    start = letter(row.first.symbol)
    if several:
        start = f"{comparison.names[1]}: {start}"
    if any(isinstance(side.value, Expr) for side in (row.first, row.second)):
        same = row.first.value == row.second.value
        return f"{start} {'is the same formula both times' if same else 'differs: see the table'}"
    if row.first.value == row.second.value:
        return f"{_equal(start, told[0])}, both times"
    end = told[1]
    if row.first.symbol != row.second.symbol:
        end = _equal(letter(row.second.symbol), end)
    moved = f"{_equal(start, told[0])} → {end}"
    difference = row.difference
    if difference is None:
        return moved
    more = "more" if difference > 0 else "less"
    factor = "" if row.ratio is None else f", {_times(row.ratio)}"
    size = quantity_text(max(difference, -difference), unit)
    return f"{moved}: {size} {more}{factor}"


def _equal(symbol: str, value: str) -> str:
    return f"{symbol}{' ' if value.startswith(ABOUT) else ' = '}{value}"


def _unit(row: Row) -> Unit:
    """The unit of both values; that of the first one if it is large, such as GB."""
    own, value = row.first.unit, row.first.value
    return own if value is None or isinstance(value, Expr) else fitting(value, own)


def remarks(comparison: Comparison, several: bool = False) -> Iterator[tuple[str, str]]:
    """Why the answers differ, in a sentence."""
    label = f"Why {comparison.names[1]}" if several else "Why"
    attribution = comparison.attribution
    if attribution is None:
        if reason := _no_reason(comparison):
            yield label, reason
        return
    unit = _unit(comparison.answer)
    told = (f"{_changed(part.changes)} {_effect(part.effect, unit)}" for part in attribution.parts)
    yield label, ", ".join(told)


def _no_reason(comparison: Comparison) -> str:
    if comparison.first.problem is not comparison.second.problem:
        return "two types of problem: the difference is not shared out among givens"
    if not comparison.changes:
        return "both state the same"
    if not comparison.alike:
        return "other quantities are asked for: the difference is not shared out"
    if comparison.answer.difference is None:
        return "not both answers are numbers: there is no difference to share out"
    return ""


def _how(attribution: Attribution[Change]) -> str:
    if len(attribution.parts) == 1:
        return "it alone makes the whole difference"
    if attribution.averaged:
        return "the mean over every order of making the changes (Shapley value); exact, sums up"
    return "one change after the other, in the order of declaration; exact, sums up"


def _by_change(comparison: Comparison, attribution: Attribution[Change], name: str) -> Table:
    unit = _unit(comparison.answer)
    rows = [
        (_names(part.changes), *_moves(part.changes), signed(part.effect, unit))
        for part in attribution.parts
    ]
    if len(rows) > 1:
        total = sum(part.effect for part in attribution.parts)
        rows.append(("together", "", "", signed(total, unit)))
    header = ("", "from", "to", f"changes {letter(comparison.answer.first.symbol)} by")
    return Table(f"Which change moved the answer{name}", _how(attribution), header, tuple(rows))


def _by_step(comparison: Comparison, attribution: Attribution[str], name: str) -> Table:
    unit = _unit(comparison.answer)
    letters = comparison.first.problem(comparison.first.stated.shape).origin
    rows: list[tuple[Cell, ...]] = []
    for part in attribution.parts:
        titles = ", ".join(
            title_of(comparison.first.problem, letters[each][0].name) for each in part.changes
        )
        symbol: Cell = (
            Sym(part.changes[0]) if len(part.changes) == 1 else " ".join(map(letter, part.changes))
        )
        rows.append((symbol, titles, signed(part.effect, unit)))
    why = "the mean over every order" if attribution.averaged else "one after the other"
    header = ("", "", f"changes {letter(comparison.answer.first.symbol)} by")
    return Table(f"Which step moved the answer{name}", why, header, tuple(rows))


def _side_by_side(title: str, why: str, head: Sequence[str], rows: Sequence[Row]) -> Table:
    told = tuple(_row(row) for row in rows)
    return Table(title, why, ("", "", *head, "difference", "ratio"), told)


def _row(row: Row) -> tuple[Cell, ...]:
    first, second = row.first, row.second
    symbol: Cell = Sym(first.symbol)
    if first.symbol != second.symbol:
        symbol = f"{letter(first.symbol)}, {letter(second.symbol)}"
    unit = _unit(row)
    values = (_cell(first.value, unit), _cell(second.value, unit))
    name = first.name.replace("_", " ")
    if first.value == second.value:
        return symbol, name, *values, "", ""
    difference = "" if row.difference is None else signed(row.difference, unit)
    return symbol, name, *values, difference, "" if row.ratio is None else _times(row.ratio)


def _times(ratio: Number) -> str:
    return "× " + quantity_text(ratio, None, 4).removeprefix(ABOUT)


def _effect(effect: Number, unit: Unit) -> str:
    if not effect:
        return "changes nothing"
    size = quantity_text(max(effect, -effect), unit)
    return f"adds {size}" if effect > 0 else f"takes {size} off"


def _changed(made: Sequence[Change]) -> str:
    return " with ".join(f"{each.label} {each.before} → {each.after}" for each in made)


def _names(made: Sequence[Change]) -> str:
    return " with ".join(each.label for each in made)


def _moves(made: Sequence[Change]) -> tuple[str, str]:
    return ", ".join(each.before for each in made), ", ".join(each.after for each in made)


def _cell(value: Value, unit: Unit) -> Cell:
    return value if isinstance(value, Expr) else _words(value, unit)


def _words(value: Value, unit: Unit) -> str:
    if value is None:
        return NO_VALUE
    return "a formula" if isinstance(value, Expr) else quantity_text(value, unit)
