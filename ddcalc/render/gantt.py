"""A timeline drawn with characters: a lane a worker, a bar an operation, an axis above."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.display import number_text
from ddcalc.expression import Expr, Number
from ddcalc.render.layout import Look
from ddcalc.render.sides import Formula
from ddcalc.steps import Bar, Lane, Timeline

TICKS = 7  # at most, along the axis
TIMES = 12  # columns for the times at the right
NOT_DONE = "not done"
LONG, SHORT = "grad f_", "g_"  # a gradient in ASCII, and how a bar may shorten it


def lanes(step: Timeline, look: Look) -> Iterator[str]:
    """The lines of the picture, the axis first."""
    margin = max(len(look.spelt(lane.label)) for lane in step.lanes) + 4
    canvas = look.width - margin - TIMES - 1
    last = max([step.horizon, *(bar.end for lane in step.lanes for bar in lane.bars)])
    scale = Fraction(canvas) / Fraction(last)
    yield f"{' ' * margin}{_axis(last, scale, look)}"
    labels = _labels(step, scale, canvas, look)
    for lane in step.lanes:
        drawn = "".join(_drawn(lane, labels, scale, canvas, look))
        label = f"  {look.spelt(lane.label)}"
        times = look.spelt(_times(lane))
        yield f"{label:<{margin}}{drawn:<{canvas}} {times}".rstrip()
    if any(label.startswith(SHORT) for label in labels.values()):
        yield f"  ({SHORT}i stands for {LONG}i)"


def _axis(last: Number, scale: Fraction, look: Look) -> str:
    """Round times, as many as stand apart from each other."""
    for most in range(TICKS, 0, -1):
        line = ""
        for at in _ticks(last, most):
            column = round(at * scale)
            if line and len(line) >= column:
                break  # labels touch
            line = f"{line:<{column}}{look.spelt(number_text(at)[0])}"
        else:
            return line
    return "0"


def _ticks(last: Number, most: int) -> Iterator[Number]:
    """Times from 0 to *last*, about *most* of them."""
    step, at = _tick(last, most), Fraction(0)
    while at <= last:
        yield at
        at += step


def _tick(last: Number, most: int) -> Fraction:
    """A round distance of ticks: 1, 2 or 5 times a power of ten."""
    step = Fraction(1)
    while step * most < last:
        step *= 10
    while step * most >= 10 * last:
        step /= 10
    parts = (Fraction(1, 5), Fraction(1, 2), Fraction(1))
    return next(step * part for part in parts if step * part * most >= last)


def _labels(step: Timeline, scale: Fraction, canvas: int, look: Look) -> dict[Bar, str]:
    """What the bars say: the same kind of label in all that are done, or none."""
    bars = [bar for lane in step.lanes for bar in lane.bars]
    full = {bar: _label(bar, look) for bar in bars if bar.done}
    short = {bar: label.replace(LONG, SHORT) for bar, label in full.items()}
    for labels in (full, short):
        if all(_room(bar, scale, canvas) > len(label) for bar, label in labels.items()):
            return labels
    return {}


def _label(bar: Bar, look: Look) -> str:
    return look.spelt(str(Formula(bar.label)) if isinstance(bar.label, Expr) else bar.label)


def _place(bar: Bar, scale: Fraction, canvas: int) -> tuple[int, int]:
    """The first column of *bar*, and the one behind it."""
    first = min(round(bar.start * scale), canvas - 1)
    return first, min(max(round(bar.end * scale), first + 1), canvas)


def _room(bar: Bar, scale: Fraction, canvas: int) -> int:
    """The columns between the ends of *bar* and the blanks beside its label."""
    first, behind = _place(bar, scale, canvas)
    return behind - first - 4


def _drawn(
    lane: Lane, labels: dict[Bar, str], scale: Fraction, canvas: int, look: Look
) -> list[str]:
    line = [" "] * canvas
    for bar in lane.bars:
        first, behind = _place(bar, scale, canvas)
        label = labels.get(bar, "") if bar.done else NOT_DONE
        line[first:behind] = _bar(label, behind - first, bar.done, look)
    return line


def _bar(label: str, length: int, done: bool, look: Look) -> str:
    """A bar of *length* characters with its *label* if there is room for it."""
    rule, begin, end = (look.spelt(glyph) for glyph in "─├┤")
    if length == 1:
        return begin
    inner = length - 2
    told = f" {label} " if label and len(label) + 2 <= inner else ""
    left = min(3, (inner - len(told)) // 2)
    return begin + rule * left + told + rule * (inner - left - len(told)) + (end if done else rule)


def _times(lane: Lane) -> str:
    if len(lane.bars) != 1:
        return ""
    bar = lane.bars[0]
    told = "–".join(number_text(time)[0] for time in (bar.start, bar.end))
    return told if len(told) <= TIMES else ""
