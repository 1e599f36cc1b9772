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


def lanes(step: Timeline, look: Look) -> Iterator[str]:
    """The lines of the picture, the axis first."""
    margin = max(len(look.spelt(lane.label)) for lane in step.lanes) + 4
    canvas = look.width - margin - TIMES - 1
    last = max([step.horizon, *(bar.end for lane in step.lanes for bar in lane.bars)])
    scale = Fraction(canvas) / Fraction(last)
    yield f"{' ' * margin}{_axis(last, scale, canvas, look)}"
    for lane in step.lanes:
        drawn = "".join(_drawn(lane, scale, canvas, look))
        label = f"  {look.spelt(lane.label)}"
        times = look.spelt(_times(lane))
        yield f"{label:<{margin}}{drawn:<{canvas}} {times}".rstrip()


def _axis(last: Number, scale: Fraction, canvas: int, look: Look) -> str:
    line = [" "] * (canvas + TIMES)
    step = _tick(last)
    at: Number = 0
    while at <= last:
        told = look.spelt(number_text(at)[0])
        column = round(at * scale)
        line[column : column + len(told)] = told
        at += step
    return "".join(line).rstrip()


def _tick(last: Number) -> Number:
    """A round distance of ticks: 1, 2 or 5 times a power of ten."""
    step = Fraction(1)
    while step * TICKS < last:
        step *= 10
    while step * TICKS >= 10 * last:
        step /= 10
    return next(
        step * part for part in (Fraction(1, 5), Fraction(1, 2), 1) if step * part * TICKS >= last
    )


def _drawn(lane: Lane, scale: Fraction, canvas: int, look: Look) -> list[str]:
    line = [" "] * canvas
    for bar in lane.bars:
        first = min(round(bar.start * scale), canvas - 1)
        behind = min(max(round(bar.end * scale), first + 1), canvas)
        line[first:behind] = _bar(bar, behind - first, look)
    return line


def _bar(bar: Bar, length: int, look: Look) -> str:
    """A bar of *length* characters with as much of its label as there is room for."""
    rule, begin, end = (look.spelt(glyph) for glyph in "─├┤")
    label = look.spelt(str(Formula(bar.label)) if isinstance(bar.label, Expr) else bar.label)
    if not bar.done:
        label, end = "not done", rule
    if length == 1:
        return begin
    inner = length - 2
    told = f" {label} " if len(label) + 2 <= inner else ""
    left = min(3, (inner - len(told)) // 2)
    return begin + rule * left + told + rule * (inner - left - len(told)) + end


def _times(lane: Lane) -> str:
    if len(lane.bars) != 1:
        return ""
    bar = lane.bars[0]
    told = "–".join(number_text(time)[0] for time in (bar.start, bar.end))
    return told if len(told) <= TIMES else ""
