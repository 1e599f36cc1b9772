"""The report of comparisons: what is stated differently, all quantities side by side, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.ask.compare import Comparison, QuantityPair, StatedChange
from ddcalc.ask.compare.attribution import Attribution
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import ALIKE, amount_text, common, in_unit, signed
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.number import magnitude
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Cells, Report, Step, Table, Value

NAME = 28  # characters of a name that heads a column


def report(comparisons: Sequence[Comparison]) -> Report:
    """The report of *comparisons*, all with the same first question."""
    several = len(comparisons) > 1
    names = ", ".join(comparison.names[1] for comparison in comparisons)
    return Report(
        f"{comparisons[0].names[0]} against {names}",
        tuple(step for comparison in comparisons for step in _steps(comparison, several)),
        "; ".join(answer(comparison, several) for comparison in comparisons),
        tuple(remark for comparison in comparisons for remark in _remarks(comparison, several)),
    )


def _steps(comparison: Comparison, several: bool) -> Iterator[Step]:
    """The tables of *comparison*; their titles name it where there are *several*."""
    name = f": {comparison.names[1]}" if several else ""
    head = tuple(n if len(n) <= NAME else f"{n[: NAME - 1]}…" for n in comparison.names)
    if comparison.changes:
        rows = tuple((change.label, change.before, change.after) for change in comparison.changes)
        yield Table(f"What is stated differently{name}", "", ("", *head), rows)
    elif not comparison.alike and comparison.givens:
        yield _side_by_side("What both state", f"of two types{name}", head, comparison.givens)
    pairs = comparison.rows or (comparison.answer,)
    if comparison.answer.first.name != comparison.answer.second.name:
        pairs = (*comparison.rows, comparison.answer)
    yield _side_by_side(f"What follows{name}", "in the order of derivation", head, pairs)
    if comparison.attribution is not None and len(comparison.attribution.parts) > 1:
        yield _by_change(comparison, comparison.attribution, name)


def answer(comparison: Comparison, several: bool = False) -> str:
    """Both answers and their difference in one line."""
    pair = comparison.answer
    first, second, unit = pair.first, pair.second, _unit(pair)
    start = f"{comparison.names[1]}: " if several else ""
    start += letter(first.symbol)
    if isinstance(first.value, Expr) or isinstance(second.value, Expr):
        same = first.value == second.value
        return f"{start} {'is the same formula both times' if same else 'differs: see the table'}"
    before, after = (_words(side.value, unit) for side in (first, second))
    if first.value == second.value:
        return f"{_equal(start, before)}, both times"
    if first.symbol != second.symbol:
        after = _equal(letter(second.symbol), after)
    moved = f"{_equal(start, before)} → {after}"
    if pair.difference is None:
        return moved
    more = "more" if pair.difference > 0 else "less"
    factor = "" if pair.ratio is None else f", {_times(pair.ratio)}"
    return f"{moved}: {_size(pair.difference, unit)} {more}{factor}"


def _equal(symbol: str, value: str) -> str:
    return f"{symbol}{' ' if value.startswith(ABOUT) else ' = '}{value}"


def _size(difference: Number, unit: Unit) -> str:
    words = _words(magnitude(difference), unit)
    return f"{words.removesuffix(' %')} percentage points" if words.endswith(" %") else words


def _unit(pair: QuantityPair) -> Unit:
    """The unit in which both values are readable, else the usual one."""
    values = (pair.first.value, pair.second.value)
    known = [value for value in values if isinstance(value, Number)]
    return common(known, pair.first.unit) or pair.first.unit


def _remarks(comparison: Comparison, several: bool) -> Iterator[tuple[str, str]]:
    """Why the answers differ, in a sentence where one change alone did it."""
    label = f"Why {comparison.names[1]}" if several else "Why"
    if comparison.attribution is None:
        if reason := _no_reason(comparison):
            yield label, reason
    elif len(comparison.attribution.parts) == 1:
        [part] = comparison.attribution.parts
        made = " with ".join(f"{c.label} {c.before} → {c.after}" for c in part.changes)
        size = _size(part.effect, _unit(comparison.answer))
        effect = f"adds {size}" if part.effect > 0 else f"takes {size} off"
        same = f"does not change {letter(comparison.answer.first.symbol)}"
        yield label, f"{made} {effect if part.effect else same}"


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


def _by_change(comparison: Comparison, attribution: Attribution[StatedChange], name: str) -> Table:
    why = "one change after the other, in the order of declaration; exact, sums up"
    if attribution.averaged:
        why = "the mean over every order of making the changes (Shapley value); exact, sums up"
    unit = _unit(comparison.answer)
    rows = [
        (" with ".join(change.label for change in part.changes), signed(part.effect, unit))
        for part in attribution.parts
    ]
    total = sum(part.effect for part in attribution.parts)
    header = ("", f"changes {letter(comparison.answer.first.symbol)} by")
    rows.append(("together", signed(total, unit)))
    return Table(f"Which change moved the answer{name}", why, header, tuple(rows))


def _side_by_side(
    title: str, why: str, head: Sequence[str], pairs: Sequence[QuantityPair]
) -> Table:
    rows = tuple(_row(pair) for pair in pairs)
    return Table(title, why, ("", "", *head, "difference", "ratio"), rows)


def _row(pair: QuantityPair) -> Cells:
    first, second, unit = pair.first, pair.second, _unit(pair)
    symbol: str | Expr = Sym(first.symbol)
    if first.symbol != second.symbol:
        symbol = f"{letter(first.symbol)}, {letter(second.symbol)}"
    values = (
        side.value if isinstance(side.value, Expr) else _words(side.value, unit)
        for side in (first, second)
    )
    difference = ratio = ""
    if first.value != second.value:
        difference = "" if pair.difference is None else signed(pair.difference, unit)
        ratio = "" if pair.ratio is None else _times(pair.ratio)
    return symbol, first.name.replace("_", " "), *values, difference, ratio


def _times(ratio: Number) -> str:
    return "× " + amount_text(ratio, None, digits=4).removeprefix(ABOUT)


def _words(value: Value, unit: Unit) -> str:
    if value is None:
        return "none"
    if isinstance(value, Expr):
        return "a formula"
    low, high = ALIKE
    readable = not value or low * unit.worth <= magnitude(value) < high * unit.worth
    return in_unit(value, unit).marked if readable else amount_text(value, unit)
