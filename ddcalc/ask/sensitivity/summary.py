"""The report of a sensitivity: tables of effects and swings, and what moves the answer most."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.ask.sensitivity import PLAYED, Effect, Sensitivity, Swing
from ddcalc.formula.expression import Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import ROUNDED, amount_text, signed
from ddcalc.numbers.display import ABOUT, equal
from ddcalc.numbers.number import magnitude
from ddcalc.problem.sentences import series
from ddcalc.problem.steps import Cells, Report, Step, Table

SHOWN = 12  # givens in the table of swings
NAMED = 3  # of levers that move the answer alike, where there are more
SAME = 1 - Fraction(1, 10**9)  # of the largest elasticity: less than that is another one


def report(moves: Sensitivity) -> Report:
    """What *moves* the answer."""
    name = moves.solved.problem.quantities[moves.result.name].called
    title = f"What moves {letter(moves.result.symbol)}: {name}"
    return Report(title, tuple(_steps(moves)), summary(moves))


def _steps(moves: Sensitivity) -> Iterator[Step]:
    smooth = [effect for effect in moves.effects if not effect.lever.given.whole]
    counted = [effect for effect in moves.effects if effect.lever.given.whole]
    if smooth:
        why = "derivatives; an elasticity of 0.5 says: 1 % more gives 0.5 % more"
        by = f"{letter(moves.result.symbol)} changes by"
        rows = tuple(_rate(moves, effect) for effect in smooth)
        yield Table("For a small change", why, ("", "", "at", by, "elasticity"), rows)
    if counted:
        why = "counts have no derivative: exact differences"
        rows = tuple((*_start(x), _changed(moves, x.down), _changed(moves, x.up)) for x in counted)
        header = ("", "", "at", "one less", "one more")
        yield Table("For one less and one more", why, header, rows)
    if swings := moves.swings[:SHOWN]:
        share = f"{amount_text(moves.by * 100, None)} %"
        why = "each given alone, the widest swing first; counts by whole numbers"
        header = ("", "less", "changes by", "more", "changes by")
        rows = tuple(_swung(moves, swing) for swing in swings)
        yield Table(f"For {share} less and {share} more", why, header, rows)


def _swung(moves: Sensitivity, swing: Swing) -> Cells:
    """What a given is made, and by how much the answer then changes, on both sides."""
    lever, ends = swing.lever, ((swing.low, swing.below), (swing.high, swing.above))
    sides = ((lever.amount(at), _changed(moves, end and end - moves.value)) for at, end in ends)
    return Sym(lever.symbol), *(cell for side in sides for cell in side)


def _changed(moves: Sensitivity, change: Number | None) -> str:
    return "no answer" if change is None else signed(change, moves.unit)


def _rate(moves: Sensitivity, effect: Effect) -> Cells:
    down, up = (_slope(moves, effect, slope) for slope in (effect.down, effect.up))
    rate = down if down == up else f"down {down}, up {up}"
    elasticity = effect.elasticity(moves.value)
    return *_start(effect), rate, "" if elasticity is None else _share(effect, elasticity)


def _slope(moves: Sensitivity, effect: Effect, slope: Number | None) -> str:
    if not slope:
        return "jumps" if slope is None else "nothing"
    unit = effect.lever.unit
    rise = _marked(effect, signed(slope * unit.worth, moves.result.unit))
    return f"{rise} per {unit.name or '1'}"


def _share(effect: Effect, elasticity: Number, digits: int = ROUNDED) -> str:
    return _marked(effect, amount_text(elasticity, None, digits=digits))


def _marked(effect: Effect, text: str) -> str:
    """*text* of an effect that is measured, not derived, with the mark of what is rounded."""
    is_rough = effect.digits == PLAYED.digits and not text.startswith(ABOUT)
    return f"{ABOUT}{text}" if is_rough else text


def _start(effect: Effect) -> Cells:
    lever, count = effect.lever, len(effect.lever.members)
    together = "" if count == 1 else f", all {count} together"
    return Sym(lever.symbol), lever.name.replace("_", " ") + together, lever.amount(lever.value)


def summary(moves: Sensitivity) -> str:
    """The answer, and what moves it most, in one line."""
    said = equal(letter(moves.result.symbol), amount_text(moves.value, moves.unit))
    elasticities = [effect.elasticity(moves.value) or 0 for effect in moves.effects]
    most = max(map(magnitude, elasticities), default=0)
    strongest: dict[str, list[str]] = {}  # by their share: one may lower what another raises
    for effect, share in zip(moves.effects, elasticities, strict=True):
        if share and magnitude(share) >= most * SAME:
            alike = strongest.setdefault(_share(effect, share, digits=3), [])
            alike.append(letter(effect.lever.symbol))
    named = []
    for by, symbols in strongest.items():
        if len(symbols) > NAMED:
            symbols = [*symbols[:NAMED], f"{len(symbols) - NAMED} others"]
        named.append((series(symbols, "or"), by))
    if not named:
        return said
    others = any(effect.smooth is None for effect in moves.effects)
    of = "of the givens with a slope, " if others else ""
    (givens, by), *rest = named
    said += f"; {of}1 % more {givens} moves it most, by {by} %"
    return said + "".join(f", {also} by {share} %" for also, share in rest)
