"""What holds of a problem type whatever the numbers, by physics."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.formula.expression import Rel


@dataclass(frozen=True, slots=True)
class Holds:
    """*relation* between the quantities of one question is true, wherever all have a value.

    With *when* it need be true only where that other relation is.
    """

    relation: Rel
    because: str
    when: Rel | None = None


@dataclass(frozen=True, slots=True)
class Rises:
    """The quantity named *name* never falls as the given named *by* grows, all else unchanged."""

    name: str
    by: str
    because: str


@dataclass(frozen=True, slots=True)
class Falls:
    """The quantity named *name* never rises as the given named *by* grows, all else unchanged."""

    name: str
    by: str
    because: str


Law = Holds | Rises | Falls
