"""Short ways to ask what a text says and to tell what came of it."""

from __future__ import annotations

from pathlib import Path

from ddcalc.boundary.source import Source
from ddcalc.errors import DdcalcError
from ddcalc.files.batch import Solved, solved

STEP = "type: sync-step\ngiven: {finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}\n"

Told = tuple[str, int, int]


def read_sheet(folder: Path, content: str | bytes, name: str = "sheet.yaml") -> list[Solved]:
    """Everything in a file with *content*."""
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(solved(Source(str(file))))


def flow(identity: str, **more: str) -> str:
    """One solvable problem on one line, with *more* entries or others instead."""
    entries = {
        "id": identity,
        "type": "sync-step",
        "given": "{finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}",
        **more,
    }
    return "{" + ", ".join(f"{name}: {value}" for name, value in entries.items()) + "}"


def sheet(*problems: str, head: str = "", tail: str = "") -> str:
    """A file with *problems*, one a line."""
    return f"{head}problems:\n" + "".join(f"- {problem}\n" for problem in problems) + tail


def wrong(results: list[Solved]) -> list[Told]:
    """Kind, line and column of every error in *found*."""
    return [located(error) for done in results for error in done.errors]


def located(error: DdcalcError) -> Told:
    """Kind, line and column."""
    assert error.place is not None
    return error.kind, error.place.line, error.place.column


def texts(results: list[Solved]) -> list[str]:
    """The text of every error in *found*."""
    return [str(error) for done in results for error in done.errors]


def answers(results: list[Solved]) -> dict[str | None, str]:
    """The answers, by id, of the problems without errors."""
    return {
        done.question.id: str(done.derivation.answer.value)
        for done in results
        if done.derivation is not None and not done.errors
    }
