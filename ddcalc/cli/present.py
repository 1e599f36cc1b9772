"""A derivation in the format that was asked for."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Final

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.output import Output
from ddcalc.cli.session import width
from ddcalc.numbers.units import Unit
from ddcalc.render.terminal.layout import Look


class Format(StrEnum):
    """What is printed."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    json = "json"
    ndjson = "ndjson"


JSON: Final = (Format.json, Format.ndjson)


class Steps(StrEnum):
    """How much of the derivation is printed."""

    none = "none"
    brief = "brief"
    full = "full"


def presented(
    solved: Derivation, form: Format, steps: Steps, look: Look, unit: Unit | None = None
) -> str:
    """*solved* as a text that ends in a line break; *look* is that of plain text."""
    match form:
        case Format.text:
            from ddcalc.render import pages
            from ddcalc.render.terminal import screen

            return screen.page(pages.derivation(solved, steps.value, unit), look)
        case Format.markdown:
            from ddcalc.render.markup import markdown

            return markdown.section(solved, steps.value, unit)
        case Format.latex:
            from ddcalc.render.markup import latex

            return latex.opening() + latex.section(solved, steps.value, unit) + latex.closing()
        case Format.html:
            from ddcalc.render.markup import html

            return html.page([html.section(solved, steps.value, unit)])
        case Format.json | Format.ndjson:
            from ddcalc.render import json as data

            indent = 2 if form is Format.json else None
            return (
                data.dumped(data.derivation(solved, steps is not Steps.none, unit), indent) + "\n"
            )


def is_told(form: Format, steps: Steps) -> bool:
    """Whether an answer in this format tells what it does not use; else a note has to."""
    return form in JSON or steps is Steps.full


def look(out: Output) -> Look:
    """How a text looks on *out*: its width, whether it has colours, whether it has Unicode."""
    colour = out.interactive and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Look(width(), colour, out.unicode)
