"""The page of a solved question: its derivation, or the report that it tells instead, and of one
from a file the answers that it states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.numbers.units import Unit
from ddcalc.render import blocks, checks
from ddcalc.render.blocks import Block
from ddcalc.sheet.batch import Solved


def page(
    solved: Derivation, steps: str = "full", unit: Unit | None = None, title: str = ""
) -> Iterator[Block]:
    """*solved* as blocks, under its own *title* if it has one; *steps* is full, brief or none."""
    report = solved.report(unit)
    if report is None:
        return blocks.derivation(solved, steps, unit, title)
    from ddcalc.render import report as reports

    told = f"{title}: {report.title}" if title else report.title
    return reports.page(replace(report, title=told), steps)


def problem(done: Solved, steps: str) -> Iterator[Block]:
    """A solved problem of a file under its title, and whether the answers that it states agree."""
    assert done.derivation is not None
    title = done.question.title or done.question.id or ""
    yield from page(done.derivation, steps, title=clean(title, TITLE))
    yield from checks.page(done.checks, steps)
