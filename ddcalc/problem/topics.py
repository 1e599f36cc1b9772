"""Topics of the manual: what the commands of one subject do, with examples that a test runs.

A topic is a Markdown file in ``topics/`` beside this one: a title, a summary of one line, then
paragraphs, tables and fenced blocks. ``ddcalc explain TOPIC`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).with_name("topics")
_FENCE = "```"

Rows = tuple[tuple[str, ...], ...]


class Fenced(NamedTuple):
    """Lines between fences: commands, Python, or a file."""

    text: str


Part = str | Rows | Fenced  # a paragraph, a table whose first row is its header, or a fenced block


class Topic(NamedTuple):
    """One subject of the manual, by the *slug* that a command line calls it; *text* is Markdown."""

    slug: str
    title: str
    summary: str
    text: str
    parts: tuple[Part, ...]


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by their slugs."""
    return {path.stem: _topic(path) for path in sorted(_FOLDER.glob("*.md"))}


def _topic(path: Path) -> Topic:
    text = path.read_text(encoding="utf-8")
    title, summary, *rest = _parts(text)
    assert isinstance(title, str)
    assert isinstance(summary, str)
    title, summary = title.removeprefix("# "), summary.removesuffix(".")
    return Topic(path.stem, title, summary[0].lower() + summary[1:], text, tuple(rest))


def _parts(text: str) -> Iterator[Part]:
    """The paragraphs, tables and fenced blocks of *text*, which a blank line parts."""
    for number, piece in enumerate(text.split(_FENCE)):
        if number % 2:
            yield Fenced(piece.partition("\n")[2].removesuffix("\n"))
        else:
            yield from (_part(lines) for lines in piece.strip().split("\n\n") if lines)


def _part(lines: str) -> str | Rows:
    if not lines.startswith("|"):
        return " ".join(lines.split())
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()]
    return tuple(tuple(row) for row in rows if set(row[0]) != {"-"})
