"""The report of a sensitivity: tables of effects, a tornado chart, what moves the answer most."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.ask.sensitivity import Sensitivity
from ddcalc.ask.sensitivity.effects import PLAYED, Effect
from ddcalc.ask.sensitivity.range import Range, RangeEnd
from ddcalc.formula.expression import Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import ROUNDED, amount_text, signed
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.number import magnitude
from ddcalc.numbers.units import Unit
from ddcalc.problem.sentences import series
from ddcalc.problem.steps import NOT_ADMITTED, Cells, Report, Step, Swung, Table, Tornado

SHOWN = 12  # bars of the tornado chart
NAMED = 3  # of levers that move the answer alike, where there are more
SAME = 1 - Fraction(1, 10**9)  # of the largest elasticity: less than that is another one
INPUTS = 6  # uncertain ones that are named


def report(moves: Sensitivity) -> Report:
    """What *moves* the answer."""
    result = moves.point.result
    name = moves.point.solved.problem.quantities[result.name].called
    title = f"What moves {letter(result.symbol)}: {name}"
    remarks = () if moves.range is None else tuple(_ranges(moves, moves.range))
    return Report(title, tuple(_steps(moves)), summary(moves), remarks)


def _steps(moves: Sensitivity) -> Iterator[Step]:
    smooth = [effect for effect in moves.effects if not effect.lever.given.whole]
    counted = [effect for effect in moves.effects if effect.lever.given.whole]
    if smooth:
        why = "derivatives; an elasticity of 0.5 says: 1 % more gives 0.5 % more"
        by = f"{letter(moves.point.result.symbol)} changes by"
        rows = tuple(_rate(moves, effect) for effect in smooth)
        yield Table("For a small change", why, ("", "", "at", by, "elasticity"), rows)
    if counted:
        why = "counts have no derivative: exact differences"
        rows = tuple(_differences(moves, effect) for effect in counted)
        header = ("", "", "at", "one less", "one more")
        yield Table("For one less and one more", why, header, rows)
    if moves.swings:
        yield tornado(moves)


def tornado(moves: Sensitivity) -> Tornado:
    """The swings, of many the widest ones."""
    rows = tuple(
        Swung(
            swing.lever.symbol,
            (swing.lever.amount(swing.low), swing.below),
            (swing.lever.amount(swing.high), swing.above),
        )
        for swing in moves.swings[:SHOWN]
    )
    share = f"{amount_text(moves.by * 100, None)} %"
    why = f"each given alone {share} less and {share} more; counts by whole numbers"
    symbol, answer = moves.point.result.symbol, moves.point.value
    return Tornado(f"Tornado for ±{share}", why, symbol, answer, moves.unit, rows)


def _rate(moves: Sensitivity, effect: Effect) -> Cells:
    down, up = (_slope(moves, effect, slope) for slope in (effect.down, effect.up))
    rate = down if down == up else f"down {down}, up {up}"
    elasticity = effect.elasticity(moves.point.value)
    return *_start(effect), rate, "" if elasticity is None else _share(effect, elasticity)


def _slope(moves: Sensitivity, effect: Effect, slope: Number | None) -> str:
    if not slope:
        return "jumps" if slope is None else "nothing"
    unit = effect.lever.unit
    rise = _marked(effect, signed(slope * unit.worth, moves.point.result.unit))
    return f"{rise} per {unit.name or '1'}"


def _share(effect: Effect, elasticity: Number, digits: int = ROUNDED) -> str:
    return _marked(effect, amount_text(elasticity, None, digits=digits))


def _marked(effect: Effect, text: str) -> str:
    """*text* of an effect that is measured, not derived, with the mark of what is rounded."""
    is_rough = effect.digits == PLAYED.digits and not text.startswith(ABOUT)
    return f"{ABOUT}{text}" if is_rough else text


def _differences(moves: Sensitivity, effect: Effect) -> Cells:
    changes = (effect.down, effect.up)
    down, up = (NOT_ADMITTED if one is None else signed(one, moves.unit) for one in changes)
    return *_start(effect), down, up


def _start(effect: Effect) -> Cells:
    lever = effect.lever
    return Sym(lever.symbol), lever.title, lever.amount(lever.value)


def summary(moves: Sensitivity) -> str:
    """The answer, and what moves it most, in one line."""
    value = amount_text(moves.point.value, moves.unit)
    equal = "" if value.startswith(ABOUT) else "= "
    said = f"{letter(moves.point.result.symbol)} {equal}{value}"
    elasticities = [effect.elasticity(moves.point.value) or 0 for effect in moves.effects]
    most = max(map(magnitude, elasticities), default=0)
    strongest: dict[str, list[str]] = {}  # by their share: one may lower what another raises
    for effect, share in zip(moves.effects, elasticities, strict=True):
        if share and magnitude(share) >= most * SAME:
            alike = strongest.setdefault(_share(effect, share, digits=3), [])
            alike.append(letter(effect.lever.symbol))
    for i, (by, symbols) in enumerate(strongest.items()):
        if len(symbols) > NAMED:
            symbols = [*symbols[:NAMED], f"{len(symbols) - NAMED} others"]
        given = series(symbols, "or")
        if i == 0:
            of = (
                "of the givens with a slope, "
                if any(e.smooth is None for e in moves.effects)
                else ""
            )
            said += f"; {of}1 % more {given} moves it most, by {by} %"
        else:
            said += f", {given} by {by} %"
    return said


def _ranges(moves: Sensitivity, span: Range) -> Iterator[tuple[str, str]]:
    inputs = ", ".join(f"{spread.key} {spread.text}" for spread in moves.spreads[:INPUTS])
    if len(moves.spreads) > INPUTS:
        inputs += f" and {len(moves.spreads) - INPUTS} more"
    low, high = (amount_text(end.attained, moves.unit) for end in (span.low, span.high))
    between = f"{letter(moves.point.result.symbol)} lies between {low} and {high}"
    if span.low.exact and span.high.exact:
        yield "Range", f"{between}, both proved and reached; {inputs}"
    else:
        yield "Range", f"{between} at least, which are reached; {inputs}"
        for side, end in (("above", span.low), ("below", span.high)):
            yield "Range", _proof(end, side, moves.unit)
    if not span.everywhere:
        yield "Range", "some of these inputs have no answer, or may have none"


def _proof(end: RangeEnd, side: str, unit: Unit) -> str:
    """What is known of an end beyond that it is reached."""
    if end.exact:
        return f"that it is {side} or at {amount_text(end.attained, unit)} is proved"
    if end.bound is None:
        return f"that it is {side} {amount_text(end.attained, unit)} is not proved"
    return f"it is surely {side} {amount_text(end.bound, unit)}"
