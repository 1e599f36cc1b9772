"""The report of a verb in the format that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddcalc.ask.report import Report
from ddcalc.cli.present import Format, Steps
from ddcalc.render.terminal.layout import Look


def reported(
    report: Report, extra: Mapping[str, Any], form: Format, steps: Steps, look: Look
) -> str:
    """*report* as a text that ends in a line break; *extra* is what JSON tells besides."""
    from ddcalc.render import pages

    blocks = pages.report(report, steps.value)
    match form:
        case Format.text:
            from ddcalc.render.terminal import screen

            return screen.page(blocks, look)
        case Format.markdown:
            from ddcalc.render.markup import markdown

            return markdown.page(blocks)
        case Format.latex:
            from ddcalc.render.markup import latex

            return latex.opening() + latex.part(blocks) + latex.closing()
        case Format.html:
            from ddcalc.render.markup import html

            return html.page([html.part(blocks)])
        case Format.json | Format.ndjson:
            from ddcalc.render.json import dumped, verb_data

            told = {**extra, **verb_data.report(report, steps is not Steps.none)}
            return dumped(told, 2 if form is Format.json else None) + "\n"
