"""What a witness is asked, and who it is: one function a problem type, written from the problem.

A witness gets a question as exact numbers (base units: seconds, bytes, USD), tuples for lists and
names for choices; what is not stated and has no usual value is missing. It answers with the values
of as many derived quantities as it can, by name, from a simulation, an enumeration or first
principles: never from the equations of ``ddcalc``, of which it imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Question = Mapping[str, Any]
Witness = Callable[[Question], Mapping[str, Any]]

WITNESSES: dict[str, Witness] = {}


def witness(slug: str) -> Callable[[Witness], Witness]:
    """Register a function as the witness of the problem type *slug*."""

    def register(function: Witness) -> Witness:
        assert slug not in WITNESSES, slug
        WITNESSES[slug] = function
        return function

    return register
