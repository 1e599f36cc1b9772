"""Ranges of the unknown as a table."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.words import amount
from ddcalc.formula.algebraic import Edge
from ddcalc.formula.letters import letter
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import Table

ROWS = 20  # up to which a table tells all of them


def ranges(pieces: Sequence[Piece], given: Given) -> Table:
    """All *pieces* of the values of *given*; of very many the first ones and the last."""
    rows = [_row(piece, given) for piece in pieces]
    if len(rows) > ROWS:
        rows = [*rows[: ROWS - 2], ("…", "…"), rows[-1]]
    return Table(
        "All solutions",
        f"{len(pieces)} ranges of {letter(given.letter)}",
        ("from", "to"),
        tuple(rows),
    )


def _row(piece: Piece, given: Given) -> tuple[str, str]:
    return (
        _end(piece.low, "" if piece.low_in else "more than ", given),
        _end(piece.high, "" if piece.high_in else "less than ", given),
    )


def _end(x: Edge | None, before: str, given: Given) -> str:
    return "no end" if x is None else f"{before}{amount(x, given.unit)}"
