"""The formats of marks."""

from __future__ import annotations

from enum import StrEnum


class MarkFormat(StrEnum):
    """How marks are printed."""

    text = "text"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    json = "json"
    ndjson = "ndjson"
