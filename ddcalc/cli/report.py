"""The report of a verb in the format that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddcalc.cli.present import Format, Steps
from ddcalc.problem.steps import Report
from ddcalc.render.layout import Look


def reported(
    report: Report, extra: Mapping[str, Any], form: Format, steps: Steps, look: Look
) -> str:
    """*report* as a text that ends in a line break; *extra* is what JSON tells besides."""
    from ddcalc.render import report as rendered

    match form:
        case Format.text:
            return rendered.text(report, steps.value, look)
        case Format.markdown:
            from ddcalc.render import markdown

            return markdown.page(rendered.page(report, steps.value))
        case Format.latex:
            from ddcalc.render import latex

            return latex.document([latex.part(rendered.page(report, steps.value))])
        case Format.html:
            from ddcalc.render import html

            return html.page([html.part(rendered.page(report, steps.value))])
        case Format.json | Format.ndjson:
            from ddcalc.render.data import dumped

            told = {**extra, **rendered.data(report, steps is not Steps.none)}
            return dumped(told, 2 if form is Format.json else None) + "\n"
