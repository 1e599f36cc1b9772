"""The report of a verb in every format: the same steps as those of a derivation."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from ddcalc.boundary.cleaning import clean
from ddcalc.problem.steps import Report, State, Table
from ddcalc.render import blocks, screen, story
from ddcalc.render.blocks import Block, Grid, Heading, Paragraph
from ddcalc.render.data import Data
from ddcalc.render.data import step as step_data
from ddcalc.render.layout import Look


def text(report: Report, steps: str, look: Look) -> str:
    """*report* for a screen; *steps* is "none" (the answer alone), "brief" or "full"."""
    if steps == "none":
        return screen.printed([Text(look.spelt(clean(report.answer)))], look)
    return screen.printed(_screen(report, look, full=steps == "full"), look)


def _screen(report: Report, look: Look, full: bool) -> screen.Blocks:
    if full:
        yield Text(look.spelt(clean(report.title)), "bold")
        yield Text()
        if given := [step for step in report.steps if isinstance(step, State)]:
            yield Text("Given", "bold")
            yield screen.givens(given, look)
            yield Text()
        yield from screen.numbered(report.steps, look)
    else:
        many = sum(isinstance(step, Table) for step in report.steps) > 1
        for told in story.numbered(report.steps):
            if many and isinstance(told.step, Table):  # which would not tell what it shows
                yield Text(look.spelt(clean(told.step.title)), "bold")
            yield from screen.body(told.step, look, indent=0)
    if report.answer:
        yield Text()
        yield Text(look.spelt(clean(f"Answer  {report.answer}")), "bold green")
    if full and report.remarks:
        yield Text()
        told_remarks = [(label, Text(look.spelt(clean(words)))) for label, words in report.remarks]
        yield from screen.labelled(told_remarks, look)


def page(report: Report, steps: str = "full") -> Iterator[Block]:
    """*report* as blocks, for Markdown, LaTeX and HTML."""
    if steps == "none":
        yield Paragraph((clean(report.answer),))
        return
    yield Heading(clean(report.title))
    if given := [step for step in report.steps if isinstance(step, State)]:
        yield Grid(("", "value", "meaning"), tuple(map(blocks.given, given)))
    yield from blocks.told(report.steps, full=steps == "full")
    if report.answer:
        yield Paragraph((clean(report.answer),), "Answer")
    for label, words in report.remarks if steps == "full" else ():
        yield Paragraph((clean(words),), label)


def data(report: Report, steps: bool) -> Data:
    """*report* for scripts: what a verb adds of its own stands beside these."""
    told: Data = {"title": report.title, "text": report.answer}
    if report.remarks:
        told["remarks"] = [{"label": label, "text": words} for label, words in report.remarks]
    if steps:
        told["steps"] = [step_data(step) for step in report.steps]
    return told
