"""The page of a solved question: its derivation, or the report that it tells instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.ask.solve import Derivation
from ddcalc.render import blocks
from ddcalc.render.blocks import Block
from ddcalc.units import Unit


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
