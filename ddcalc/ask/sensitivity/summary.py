"""The report of a sensitivity: tables of effects, of what decides, of swings and of purchases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ddcalc.ask.sensitivity import Sensitivity
from ddcalc.ask.sensitivity.effects import Binding, Effect
from ddcalc.ask.sensitivity.levers import Lever
from ddcalc.ask.sensitivity.purchases import AnswerGoal, Purchase
from ddcalc.ask.sensitivity.uncertainty import Range, RangeEnd
from ddcalc.formula.expression import Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import amount_text, signed
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.units import TIME, Unit
from ddcalc.problem.sentences import series
from ddcalc.problem.steps import NOT_ADMITTED, Cells, Report, Step, Swung, Table, Tornado

SHOWN = 12  # rows of the tables of swings and of purchases
NAMED = 3  # of levers that move the answer alike, where there are more
SAME = 1 - Fraction(1, 10**9)  # of an elasticity: less than that is another one
INPUTS = 6  # uncertain ones that are named


def report(moves: Sensitivity) -> Report:
    """What *moves* the answer."""
    result = moves.point.result
    name = moves.point.solved.problem.quantities[result.name].called
    title = f"What moves {letter(result.symbol)}: {name}"
    return Report(title, tuple(_steps(moves)), summary(moves), tuple(_remarks(moves)))


def _steps(moves: Sensitivity) -> Iterator[Step]:
    smooth = [effect for effect in moves.effects if not effect.lever.whole]
    counted = [effect for effect in moves.effects if effect.lever.whole]
    symbol = letter(moves.point.result.symbol)
    if smooth:
        why = (
            "exact derivatives; an elasticity of 0.5 says: 1 % more gives 0.5 % more"
            if moves.point.lines
            else "what a thousandth up and down changes, over that thousandth"
        )
        header = ("", "", "at", f"{symbol} changes by", "elasticity")
        rows = tuple(_rate(moves, effect) for effect in smooth)
        yield Table("For a small change", why, header, rows)
    if counted:
        why = "counts have no derivative: exact differences"
        header = ("", "", "at", "one less", "one more")
        rows = tuple(_differences(moves, effect) for effect in counted)
        yield Table("For one less and one more", why, header, rows)
    if moves.bindings:
        why = "how far each is from tipping"
        rows = tuple(_binding(binding) for binding in moves.bindings)
        yield Table("Thresholds", why, ("", "", "value", ""), rows)
    if moves.swings:
        yield tornado(moves)
    yield from (_bought(moves, goal) for goal in moves.goals)


def _start(lever: Lever) -> Cells:
    return Sym(lever.symbol), lever.title, lever.amount()


def _rate(moves: Sensitivity, effect: Effect) -> Cells:
    if effect.smooth is not None:
        rate = _slope(moves, effect, effect.smooth)
    elif effect.up is None and effect.down is None:
        rate = "no derivative"
    else:
        down, up = (
            "jumps" if slope is None else _slope(moves, effect, slope)
            for slope in (effect.down, effect.up)
        )
        rate = f"down {down}, up {up}"
    elasticity = effect.elasticity(moves.point.value)
    return *_start(effect.lever), rate, "" if elasticity is None else _share(effect, elasticity, 4)


def _slope(moves: Sensitivity, effect: Effect, slope: Number) -> str:
    if not slope:
        return "nothing"
    unit = effect.lever.unit
    rise = _about(effect, signed(slope * unit.worth, moves.point.result.unit))
    return f"{rise} per {unit.name or '1'}"


def _share(effect: Effect, elasticity: Number, digits: int) -> str:
    return _about(effect, amount_text(elasticity, None, digits=2 if effect.about else digits))


def _about(effect: Effect, text: str) -> str:
    return f"{ABOUT}{text}" if effect.about and not text.startswith(ABOUT) else text


def _differences(moves: Sensitivity, effect: Effect) -> Cells:
    down, up = (
        NOT_ADMITTED if change is None else signed(change, moves.unit)
        for change in (effect.down, effect.up)
    )
    return *_start(effect.lever), down, up


def _binding(binding: Binding) -> Cells:
    value, gap = (amount_text(x, binding.unit) for x in (binding.value, binding.gap))
    if binding.room is not None:
        below, above = (amount_text(x, binding.unit, digits=4) for x in (binding.gap, binding.room))
        decides = f"jumps {below} below, {above} above"
    elif binding.rival is None:
        decides = f"{binding.kind}, {f'by {gap}' if binding.gap else 'both sides are equal'}"
    else:
        decides = f"{binding.kind}, {f'by {gap}' if binding.gap else 'but not alone'}"
    return Sym(binding.symbol), binding.winner, value, decides


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
    point = moves.point
    title = f"Tornado for ±{share}"
    return Tornado(title, why, point.result.symbol, point.value, moves.unit, rows)


def _bought(moves: Sensitivity, goal: AnswerGoal) -> Table:
    """What each given alone must be to bring the answer to *goal*; those that cannot come last."""
    bought = [purchase for purchase in moves.purchases if purchase.way == goal.way][:SHOWN]
    unit = moves.point.result.unit  # of which the change is a round number
    by = signed(abs(Fraction(goal.change)), unit if unit.dimension == TIME else moves.unit)
    by = by.replace("+", "", 1)
    deed = "lower" if goal.way == "less" else "raise"
    title = f"To {deed} {letter(moves.point.result.symbol)} by {by}"
    why = "one given alone, the smallest share of itself first; all were put in"
    if any(purchase.sure == "estimate" for purchase in bought):
        why += "; some changes are those that were tried, so smaller ones may do"
    rows = tuple(_purchase(purchase, moves) for purchase in bought)
    return Table(title, why, ("", "", "from", "to", "change", "gives"), rows)


def _purchase(purchase: Purchase, moves: Sensitivity) -> Cells:
    lever = purchase.lever
    if purchase.value is None or purchase.answer is None:
        nothing = "none found"
        if purchase.sure == "never":
            nothing = "not by this alone"
        elif lever.whole:
            nothing = f"none within {moves.point.tries}"
        return *_start(lever), nothing, "–", "–"
    is_time = lever.unit.dimension == lever.given.unit.dimension == TIME
    change = signed(purchase.value - lever.value, lever.given.unit if is_time else lever.unit)
    if purchase.sure in ("none", "never"):
        change = "not enough"
    gives = amount_text(purchase.answer, moves.unit)
    return *_start(lever), lever.amount(purchase.value), change, gives


def summary(moves: Sensitivity) -> str:
    """The answer, and what moves it most, in one line."""
    result = moves.point.result
    value = amount_text(moves.point.value, moves.unit)
    equal = "" if value.startswith(ABOUT) else "= "
    return f"{letter(result.symbol)} {equal}{value}" + "".join(_strongest(moves))


def _strongest(moves: Sensitivity) -> Iterator[str]:
    """Every lever of which 1 % more moves the answer most; those that move it alike are one."""
    moved = [(effect, effect.elasticity(moves.point.value) or 0) for effect in moves.effects]
    most = max((abs(Fraction(by)) for _, by in moved), default=0)
    alike: dict[str, list[str]] = {}
    for effect, by in moved:
        if by and abs(Fraction(by)) >= most * SAME:
            alike.setdefault(_share(effect, by, 3), []).append(letter(effect.lever.symbol))
    of = "of the givens with a slope, " if any(e.smooth is None for e in moves.effects) else ""
    for i, (share, letters) in enumerate(alike.items()):
        if i == 0:
            yield f"; {of}1 % more {_any_of(letters)} moves it most, by {share} %"
        else:
            yield f", {_any_of(letters)} by {share} %"


def _any_of(letters: Sequence[str]) -> str:
    """*letters* with "or" before the last; of many the first, and how many others."""
    more = [f"{len(letters) - NAMED} others"] if len(letters) > NAMED else []
    return series([*letters[:NAMED], *more], "or")


def _remarks(moves: Sensitivity) -> Iterator[tuple[str, str]]:
    for why in dict.fromkeys(effect.why for effect in moves.effects if effect.why):
        names = (letter(effect.lever.symbol) for effect in moves.effects if effect.why == why)
        yield "No slope", f"{', '.join(names)}: {why}"
    if moves.range is not None:
        inputs = ", ".join(f"{spread.key} {spread.text}" for spread in moves.spreads[:INPUTS])
        rest = len(moves.spreads) - INPUTS
        inputs += f" and {rest} more" if rest > 0 else ""
        symbol = letter(moves.point.result.symbol)
        yield "Range", f"{symbol} lies {_between(moves.range, moves.unit)}; {inputs}"
        if not moves.range.everywhere:
            yield "Range", "some of these inputs have no answer, or may have none"


def _between(range: Range, unit: Unit) -> str:
    low, high = (amount_text(end.attained, unit) for end in (range.low, range.high))
    if range.low.exact and range.high.exact:
        return f"between {low} and {high}, both proved and reached"
    if range.low.bound is None and range.high.bound is None:
        return f"between {low} and {high} at least (both reached; further ends are not ruled out)"
    return f"{_end(range.low, unit, 'above')}, and {_end(range.high, unit, 'below')}"


def _end(end: RangeEnd, unit: Unit, side: str) -> str:
    reached = amount_text(end.attained, unit)
    way = "low" if side == "above" else "high"
    if end.exact:
        return f"at or {side} {reached} (proved, reached)"
    if end.bound is None:
        return f"at least as {way} as {reached} (reached; not proved to be the end)"
    bound = amount_text(end.bound, unit)
    return f"at least as {way} as {reached} (reached), surely {side} {bound}"
