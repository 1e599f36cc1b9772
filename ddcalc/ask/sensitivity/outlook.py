"""What lowers or raises the answer, and between what it lies, in words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.ask.sensitivity.buying import MOST, PLAYED, Goal, Purchase
from ddcalc.ask.sensitivity.levers import amount_of, name_of
from ddcalc.ask.sensitivity.ranges import End, Range
from ddcalc.ask.sensitivity.sensitivity import Sensitivity
from ddcalc.ask.words import Cell, signed
from ddcalc.formula.expression import Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.display import ABOUT, quantity_text, rounded
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Table

SHOWN = 6  # uncertain inputs that are told
DIGITS = 6  # of a drawn answer


def bought(found: Sensitivity, goal: Goal, most: int) -> Table:
    """What each given alone must be to bring the answer to *goal*; those that cannot come last."""
    mine = [each for each in found.purchases if each.way == goal.way]
    rows = tuple(_purchase(each, found) for each in mine[:most])
    by = quantity_text(abs(Fraction(goal.change)), found.unit)
    deed = "lower" if goal.way == "less" else "raise"
    title = f"To {deed} {letter(found.point.result.symbol)} by {by}"
    why = "one given alone, the smallest share of itself first; all were put in"
    if any(each.sure == "estimate" for each in mine[:most]):
        why += "; some changes are those that were tried, so smaller ones may do"
    return Table(title, why, ("", "", "from", "to", "change", "gives"), rows)


def _purchase(purchase: Purchase, found: Sensitivity) -> tuple[Cell, ...]:
    lever, unit = purchase.lever, found.unit
    start: tuple[Cell, ...] = (Sym(lever.symbol), name_of(lever), amount_of(lever, lever.value))
    if purchase.value is None or purchase.answer is None:
        return *start, _nothing(purchase, found.point.played), "–", "–"
    change = signed(purchase.value - lever.value, lever.unit)
    if purchase.sure in ("none", "never"):
        change = "not enough"
    return *start, amount_of(lever, purchase.value), change, quantity_text(purchase.answer, unit)


def _nothing(purchase: Purchase, played: bool) -> str:
    """What is told where no value was found."""
    if purchase.sure == "never":
        return "not by this alone"
    return f"none within {PLAYED if played else MOST}" if purchase.lever.whole else "none found"


def range_remarks(found: Sensitivity) -> Iterator[tuple[str, str]]:
    """The range for uncertain inputs and the quantiles, each under its label."""
    unit, symbol = found.unit, letter(found.point.result.symbol)
    if found.range is not None:
        yield "Range", f"{symbol} lies {_between(found.range, unit)}; {_inputs(found)}"
        if not found.range.everywhere:
            yield "Range", "some of these inputs have no answer, or may have none"
    if found.quantiles is not None and found.draw is not None:
        told = found.quantiles
        ends = [_drawn_text(each, unit) for each in (told.low, told.median, told.high)]
        words = f"5 % of runs are at most {ends[0]}, 50 % {ends[1]}, 95 % {ends[2]}"
        drawn = f"{told.runs} runs from seed {found.draw.seed}, {_drawn(found)}"
        failed = f"; {told.failed} had no answer" if told.failed else ""
        yield "Quantiles", f"{words} ({drawn}{failed})"


def _drawn_text(value: Number, unit: Unit) -> str:
    """A drawn answer, of which no more digits say anything."""
    short = rounded(value, DIGITS)
    return f"{'' if short == value else ABOUT}{quantity_text(short, unit)}"


def _between(range: Range, unit: Unit) -> str:
    if range.low.exact and range.high.exact:
        low, high = (quantity_text(end.attained, unit) for end in (range.low, range.high))
        return f"between {low} and {high}, both proved and reached"
    if range.low.bound is None and range.high.bound is None and not range.low.exact:
        low, high = (quantity_text(end.attained, unit) for end in (range.low, range.high))
        return f"between {low} and {high} at least (both reached; further ends are not ruled out)"
    return f"{_end(range.low, unit, 'above')}, and {_end(range.high, unit, 'below')}"


def _end(end: End, unit: Unit, side: str) -> str:
    reached = quantity_text(end.attained, unit)
    way = "low" if side == "above" else "high"
    if end.exact:
        return f"{'at or ' + side} {reached} (proved, reached)"
    if end.bound is None:
        return f"at least as {way} as {reached} (reached; not proved to be the end)"
    return (
        f"at least as {way} as {reached} (reached), surely {side} {quantity_text(end.bound, unit)}"
    )


def _inputs(found: Sensitivity) -> str:
    told = ", ".join(f"{each.key} {each.text}" for each in found.spreads[:SHOWN])
    rest = len(found.spreads) - SHOWN
    return f"{told} and {rest} more" if rest > 0 else told


def _drawn(found: Sensitivity) -> str:
    assert found.draw is not None
    if found.draw.shape == "normal" and any(each.around for each in found.spreads):
        return "± normal with that standard deviation, ranges uniform"
    return "each input uniform between its ends"
