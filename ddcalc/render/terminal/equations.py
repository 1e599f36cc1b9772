"""Equations in lines of a width: broken at ``=``, ``+`` and ``−``, in a term only if need be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.formula.expression import Rel
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.display import ABOUT
from ddcalc.problem.said.steps import FOR
from ddcalc.render.notation import in_rows, unbroken
from ddcalc.render.sides import ShownFormula, Side, Sides
from ddcalc.render.whole import Look, hung, wrapped

REASON = 24  # columns of the reasons beside the lines of an argument, at least
BELOW = " " * 3  # before a reason that stands below its line


def text_of(sides: Sides, look: Look) -> str:
    """An equation among words."""
    return unbroken(" ".join(_side(side, look) for side in sides))


def equation(sides: Sides, look: Look, width: int) -> list[str]:
    """The lines of ``head = side = side``, each at most *width*.

    All on one line if they fit, or without one that is spare; else in rows behind the head, or
    below it where it is long, the value beside what comes to it.
    """
    for spare in (None, 1, 2, 3):
        some = tuple(side for side in sides if side.spare != spare)
        if len(flat := text_of(some, look)) <= width:
            return [flat] if flat else []
    texts = [_side(side, look) for side in sides]
    head = unbroken(texts[0])
    is_long = len(texts) == 1 or len(head) + 1 > width // 3
    margin = len(BELOW) if is_long else len(head) + 1
    both = " ".join(texts[-2:])  # the value and what comes to it
    if isinstance(sides[-1].what, Amount) and len(unbroken(both)) <= width - margin:
        texts[-2:] = [both]
    rows = in_rows(texts if is_long else texts[1:], width - margin, len, "  ")
    lines = [f"{' ' * margin}{row}" for row in rows]
    lines[0] = lines[0].lstrip() if is_long else f"{head} {lines[0].lstrip()}"
    return [part for line in lines for part in _cut(line, margin + 2, width)]


def argument(lines: Sides, look: Look, width: int) -> Iterator[str]:
    """Lines that derive something, with reasons beside or below; a short subject stands first."""
    is_relation = isinstance(getattr(lines[0].what, "expr", None), Rel)
    is_alone = len(lines) == 1 or bool(lines[0].reason) or is_relation
    head = "" if is_alone else f"{text_of(lines[:1], look)} "
    head, lines = (head, lines[1:]) if 0 < len(head) <= REASON // 2 else ("", lines)
    for i in range(len(lines) - 2, -1, -1):
        if lines[i].reason == FOR:
            then = f"{FOR} {text_of(lines[i + 1 : i + 2], look)} {lines[i + 1].reason}".rstrip()
            lines = (*lines[:i], replace(lines[i], reason=then), *lines[i + 2 :])
    made = (equation((side,), look, width - len(head)) for side in lines)
    formulas = [[" " * len(head) + line for line in one] for one in made]
    formulas[0][0] = head + formulas[0][0].lstrip()
    edge = max(len(line) for formula in formulas for line in formula) + len(BELOW)
    for side, (*above, last) in zip(lines, formulas, strict=True):
        reason = look.spelt(side.reason)
        yield from above
        room, is_formula = width - edge, ABOUT in side.reason  # which is not broken
        if room >= max(REASON, len(reason) / (1 if is_formula else 2)):
            yield hung(f"{last:<{edge}}", reason, width)
        elif len(last) + len(BELOW) + len(reason) <= width:
            yield f"{last}{BELOW}{reason}"
        else:
            yield last
            below = " " * len(head) + BELOW
            yield from wrapped(reason, width, initial_indent=below, subsequent_indent=below)


def _side(side: Side, look: Look) -> str:
    what = side.what
    shown = what.marked if isinstance(what, ShownFormula) else str(what)
    return look.spelt(f"{side.sign} {shown}" if side.sign else shown)


def _cut(line: str, margin: int, width: int) -> Iterator[str]:
    """*line*, where it has no mark and no room cut behind a fraction bar, or else where it ends."""
    while len(line) > width > margin:
        bar = line.rfind("/", margin + 1, width)
        end = bar + 1 if bar > 0 else width
        yield line[:end]
        line = " " * margin + line[end:]
    yield line
