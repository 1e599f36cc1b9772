"""All that a wrong answer may come from: looked for in floats, then worked out exactly."""

from __future__ import annotations

from collections.abc import Iterable

from ddcalc.ask.mark import early, equations, givens, readings, results, scales
from ddcalc.ask.mark.chain import Base
from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import SIMPLE, Slip, Suspect
from ddcalc.ask.mark.written import Written
from ddcalc.numbers.units import Unit

LOOSE = 1e-9  # by which floats may be off, relative to the answer


def suspects(question: Question, target: Target) -> list[Suspect]:
    """Every single slip that may lead to a wrong value of *target*."""
    key = target.letter
    if key not in question.suspects:
        found = [
            *results.suspects(question, target),
            *readings.suspects(question, target),
            *scales.suspects(question, target),
        ]
        if question.base is not None:
            found += in_equations(question, target, question.base)
        question.suspects[key] = found
    return question.suspects[key]


def in_equations(question: Question, target: Target, base: Base) -> list[Suspect]:
    """Every single slip in what *target* is derived from, on the numbers of *base*."""
    return [
        *equations.suspects(question, target, base),
        *givens.suspects(question, target, base),
        *early.suspects(question, target, base),
    ]


def hits(found: Iterable[Suspect], stated: Written, unit: Unit) -> list[Slip]:
    """The slips that lead to what is *stated* in *unit*, the simplest first."""
    value, room = around(stated, unit)
    close = [suspect for suspect in found if abs(suspect.near - value) <= room]
    close.sort(key=lambda suspect: SIMPLE[suspect.kind])
    slips = (suspect.slip() for suspect in close)
    return [slip for slip in slips if slip is not None and stated.fits(slip.value, unit.worth)]


def around(stated: Written, unit: Unit) -> tuple[float, float]:
    """The float of what is *stated* in *unit*, and how far off a float may be that rounds to it."""
    value = near(stated.number) * near(unit.worth)
    room = abs(value) * LOOSE
    if stated.place is not None:
        room += 0.5 * 10.0**stated.place * near(unit.worth)
    return value, room


def merged(slips: Iterable[Slip]) -> list[Slip]:
    """*slips* without those that say the same as one before them."""
    told: dict[object, Slip] = {}
    for slip in slips:
        told.setdefault(slip.deed, slip)
    return list(told.values())
