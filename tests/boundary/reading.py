"""Short ways to read a text and to say what came of it."""

from __future__ import annotations

from pathlib import Path

from ddcalc.boundary.nodes import Item, Mapping, Node, Scalar, Sequence
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import Source

Plain = str | list["Plain"] | dict[str, "Plain"] | None


def items(folder: Path, content: str | bytes) -> list[Item]:
    """The items of a file with *content*."""
    file = folder / "problems.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read(Source(str(file))))


def plain(node: Node | None) -> Plain:
    """*node* as texts, lists and dicts."""
    match node:
        case Scalar(text):
            return text
        case Sequence(elements):
            return [plain(element) for element in elements]
        case Mapping(entries):
            return {name: plain(value) for name, (_, value) in entries.items()}
        case None:
            return None


def ids(parsed: list[Item]) -> list[str]:
    """The ids of the problems *parsed* that have no error."""
    good = [plain(item.node) for item in parsed if item.node and not item.errors]
    return [str(problem["id"]) for problem in good if isinstance(problem, dict)]


def errors(parsed: list[Item]) -> list[tuple[str, int, int]]:
    """Kind, line and column of every error in what is *parsed*."""
    return [
        (error.kind, error.place.line, error.place.column)
        for item in parsed
        for error in item.errors
        if error.place
    ]
