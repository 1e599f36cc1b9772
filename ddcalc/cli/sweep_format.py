"""The formats of sweeps."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class SweepFormat(StrEnum):
    """What is printed."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    json = "json"
    ndjson = "ndjson"
    csv = "csv"
    svg = "svg"


SUFFIXES: Final = {
    ".txt": SweepFormat.text,
    ".md": SweepFormat.markdown,
    ".markdown": SweepFormat.markdown,
    ".tex": SweepFormat.latex,
    ".html": SweepFormat.html,
    ".htm": SweepFormat.html,
    ".json": SweepFormat.json,
    ".ndjson": SweepFormat.ndjson,
    ".csv": SweepFormat.csv,
    ".svg": SweepFormat.svg,
}
LINES: Final = (SweepFormat.csv, SweepFormat.ndjson)  # which are written as the points come
