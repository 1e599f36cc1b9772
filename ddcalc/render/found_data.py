"""What a search found, as plain data beside the answer: all solutions, and the proof of them."""

from __future__ import annotations

from typing import Any

from ddcalc.ask.find import words
from ddcalc.ask.find.found import Found
from ddcalc.ask.find.number_line import Piece
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.numbers.units import Unit
from ddcalc.render.amounts import amount

DIGITS = 20  # of an irrational end, before it becomes a float


def search(found: Found, unit: Unit | None = None) -> dict[str, Any]:
    """What was asked and all solutions; amounts in *unit*, else in the unknown's own.

    ``exact`` is null where a value is irrational. ``complete`` is false where there may be others.
    """
    told_in = unit or found.answer.unit
    outcome = found.outcome
    told: dict[str, Any] = {
        "unknown": found.asked.unknown.name,
        "where": [clean(relation.written) for relation in found.asked.relations],
        "solutions": [_range(piece, told_in) for piece in outcome.solutions],
        "complete": outcome.complete,
        "text": clean(found.says(unit)),
        "proof": clean(outcome.proof),
    }
    return told | {"options": list(outcome.options)} if found.asked.is_choice else told


def _range(piece: Piece, unit: Unit) -> dict[str, Any]:
    return {
        "from": _end(piece.low, unit),
        "to": _end(piece.high, unit),
        "from_included": piece.low is not None and piece.low_in,
        "to_included": piece.high is not None and piece.high_in,
    }


def _end(x: Edge | None, unit: Unit) -> dict[str, Any] | None:
    if x is None:
        return None
    told = {**amount(close_to(x, DIGITS), unit), "text": words.amount(x, unit)}
    return told | {"exact": None} if isinstance(x, Root) else told
