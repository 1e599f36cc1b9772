"""Stated answers beside the derived ones, in words that are the same in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.boundary.cleaning import clean
from ddcalc.render import story
from ddcalc.render.blocks import Block, Items, Paragraph
from ddcalc.sheet.answers import Check

LONGEST = 60  # characters of a stated answer


def stated(check: Check) -> str:
    """Who states what: ``expected  total = 596 s``, alike in width."""
    who = "expected" if check.ours else "claimed "
    return f"{who}  {check.name} = {clean(check.stated, LONGEST)}"


def verdict(check: Check) -> str:
    """Whether it agrees, and what the derived value is where it does not."""
    if check.agrees:
        return f"✓  right {clean(check.allowed)}" if check.allowed else "✓"
    told = f"✗  it is {_derived(check)}"
    return f"{told}, {check.allowed} {check.rounded}" if check.rounded else told


def wrong(checks: Sequence[Check]) -> list[Check]:
    """Those that do not agree."""
    return [check for check in checks if not check.agrees]


def counted(checks: Sequence[Check]) -> str:
    """How many agree: ``5 of 6 agree``; empty where nothing is stated."""
    agreeing = len(checks) - len(wrong(checks))
    return f"{agreeing} of {len(checks)} agree" if checks else ""


def page(checks: Sequence[Check], steps: str) -> Iterator[Block]:
    """*checks* as blocks; with no *steps* those alone that do not agree."""
    if not checks:
        return
    yield Paragraph((counted(checks),), "Stated answers")
    if shown := wrong(checks) if steps == "none" else checks:
        yield Items(tuple(((" ".join(_line(each).split())),) for each in shown))


def _line(check: Check) -> str:
    return f"{stated(check)}  {verdict(check)}"


def _derived(check: Check) -> str:
    results = check.derived if isinstance(check.derived, tuple) else (check.derived,)
    return ", ".join(story.full_value_text(each.value, check.unit or each.unit) for each in results)
