"""Short ways to ask what a text says and where it is wrong."""

from __future__ import annotations

from pathlib import Path

from ddcalc.boundary.source import Source
from ddcalc.errors import DdcalcError
from ddcalc.files.batch import Solved, solved


def read_sheet(folder: Path, content: str | bytes, name: str = "sheet.yaml") -> list[Solved]:
    """Everything in a file with *content*."""
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(solved(Source(str(file))))


def located(error: DdcalcError) -> tuple[str, int, int]:
    """Kind, line and column."""
    assert error.place is not None
    return error.kind, error.place.line, error.place.column
