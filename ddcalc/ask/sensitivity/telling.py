"""The report of a sensitivity: tables of effects, of what decides, of swings and of purchases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ddcalc.ask.report import Report
from ddcalc.ask.sensitivity.binding import Binding
from ddcalc.ask.sensitivity.effects import Effect
from ddcalc.ask.sensitivity.levers import amount_of, name_of
from ddcalc.ask.sensitivity.outlook import bought, range_remarks
from ddcalc.ask.sensitivity.sensitivity import Sensitivity
from ddcalc.ask.words import NOT_ADMITTED, Cell, signed, title_of
from ddcalc.formula.expression import Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.display import ABOUT, quantity_text
from ddcalc.problem.steps import Step, Swung, Table, Tornado

SHOWN = 12  # rows of the tables of swings and of purchases
NAMED = 3  # of levers that move the answer alike, where there are more
SAME = 1 - Fraction(1, 10**9)  # of an elasticity: less than that is another one


def report(found: Sensitivity) -> Report:
    """What *found* tells."""
    point = found.point
    name = title_of(point.solved.problem, point.result.name)
    title = f"What moves {letter(point.result.symbol)}: {name}"
    return Report(title, tuple(_steps(found)), summary(found), tuple(_remarks(found)))


def _steps(found: Sensitivity) -> Iterator[Step]:
    smooth = [each for each in found.effects if not each.lever.whole]
    counted = [each for each in found.effects if each.lever.whole]
    if smooth:
        yield _rates(found, smooth)
    if counted:
        yield _counts(found, counted)
    if found.bindings:
        rows = tuple(_binding(each) for each in found.bindings)
        why = "what would have to change before something else does"
        yield Table("What decides", why, ("", "", "worth", ""), rows)
    if found.swings:
        yield tornado(found)
    yield from (bought(found, goal, SHOWN) for goal in found.goals)


def _rates(found: Sensitivity, effects: list[Effect]) -> Table:
    played = found.point.played
    why = (
        "by a thousandth up and down: a played question has no formula to differentiate"
        if played
        else "exact derivatives; an elasticity of 0.5 says: 1 % more gives 0.5 % more"
    )
    header = ("", "", "at", f"{letter(found.point.result.symbol)} changes by", "elasticity")
    return Table("For a small change", why, header, tuple(_rate(found, e) for e in effects))


def _rate(found: Sensitivity, effect: Effect) -> tuple[Cell, ...]:
    lever = effect.lever
    if effect.smooth is not None:
        told = _slope(found, effect, effect.smooth)
    elif effect.up is None and effect.down is None:
        told = "no derivative"
    else:
        sides = [
            "jumps" if each is None else _slope(found, effect, each)
            for each in (effect.down, effect.up)
        ]
        told = f"down {sides[0]}, up {sides[1]}"
    elasticity = effect.elasticity(found.point.value)
    share = "" if elasticity is None else _share(effect, elasticity, 4)
    return Sym(lever.symbol), name_of(lever), amount_of(lever, lever.value), told, share


def _slope(found: Sensitivity, effect: Effect, slope: Number) -> str:
    unit = effect.lever.unit
    each = unit.name or "1"
    if not slope:
        return "nothing"
    told = _about(effect, signed(slope * unit.worth, found.point.result.unit))
    return f"{told} per {each}"


def _share(effect: Effect, elasticity: Number, digits: int) -> str:
    return _about(effect, quantity_text(elasticity, None, 2 if effect.about else digits))


def _about(effect: Effect, told: str) -> str:
    return f"{ABOUT}{told}" if effect.about and not told.startswith(ABOUT) else told


def _counts(found: Sensitivity, effects: list[Effect]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for effect in effects:
        lever = effect.lever
        moves = [
            NOT_ADMITTED if each is None else signed(each, found.unit)
            for each in (effect.down, effect.up)
        ]
        rows.append((Sym(lever.symbol), name_of(lever), amount_of(lever, lever.value), *moves))
    why = "counts have no derivative: exact differences"
    return Table(
        "For one less and one more", why, ("", "", "at", "one less", "one more"), tuple(rows)
    )


def _binding(binding: Binding) -> tuple[Cell, ...]:
    value, gap = (quantity_text(each, binding.unit) for each in (binding.value, binding.gap))
    start: tuple[Cell, ...] = (Sym(binding.symbol), binding.winner)
    if binding.room is not None:
        ends = [quantity_text(each, binding.unit, 4) for each in (binding.gap, binding.room)]
        return *start, value, f"jumps {ends[0]} below, {ends[1]} above"
    if binding.rival is None:
        told = f"by {gap}" if binding.gap else "both sides are equal"
        return *start, value, f"{binding.kind}, {told}"
    return *start, value, f"{binding.kind}, {f'by {gap}' if binding.gap else 'but not alone'}"


def tornado(found: Sensitivity) -> Tornado:
    """The swings of *found*, of many the widest ones."""
    rows = tuple(
        Swung(
            each.lever.symbol,
            (amount_of(each.lever, each.low), each.below),
            (amount_of(each.lever, each.high), each.above),
        )
        for each in found.swings[:SHOWN]
    )
    share = f"{quantity_text(found.by * 100, None)} %"
    why = f"each given alone {share} less and {share} more; counts by whole numbers"
    point = found.point
    title, unit = f"Tornado for ±{share}", found.unit
    return Tornado(title, why, point.result.symbol, point.value, unit, rows)


def summary(found: Sensitivity) -> str:
    """The answer, and what moves it most, in one line."""
    result = found.point.result
    value = quantity_text(found.point.value, found.unit)
    told = f"{letter(result.symbol)}{' ' if value.startswith(ABOUT) else ' = '}{value}"
    return told + "".join(_strongest(found))


def _strongest(found: Sensitivity) -> Iterator[str]:
    """Every lever of which 1 % more moves the answer most; those that move it alike are one."""
    moved = [(each, each.elasticity(found.point.value) or 0) for each in found.effects]
    most = max((abs(Fraction(by)) for _, by in moved), default=0)
    alike: dict[str, list[str]] = {}
    for each, by in moved:
        if by and abs(Fraction(by)) >= most * SAME:
            alike.setdefault(_share(each, by, 3), []).append(letter(each.lever.symbol))
    of = " of those with a slope" if any(each.smooth is None for each in found.effects) else ""
    for i, (share, letters) in enumerate(alike.items()):
        if i == 0:
            yield f"; 1 % more {_any_of(letters)} moves it most{of}, by {share} %"
        else:
            yield f", {_any_of(letters)} by {share} %"


def _any_of(letters: Sequence[str]) -> str:
    """*letters* with "or" before the last; of many the first, and how many others."""
    *others, last = letters
    if len(others) >= NAMED:
        others, last = others[:NAMED], f"{len(letters) - NAMED} others"
    return f"{', '.join(others)} or {last}" if others else last


def _remarks(found: Sensitivity) -> Iterator[tuple[str, str]]:
    reasons = dict.fromkeys(each.why for each in found.effects if each.why)
    for why in reasons:
        names = (letter(each.lever.symbol) for each in found.effects if each.why == why)
        yield "No slope", f"{', '.join(names)}: {why}"
    yield from range_remarks(found)
