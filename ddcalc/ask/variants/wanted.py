"""What is wanted of the search for variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted: so many variants by a *seed*, answers of at most so many *digits* behind the
    point (None: as the base's); givens to *keep*, or the only ones to *vary* (none: all). Besides
    the answer *asked* are these results: what varies is to change one of them."""

    count: int = 10
    seed: int = 0
    digits: int | None = None
    keep: Sequence[str] = ()
    vary: Sequence[str] = ()
    asked: Sequence[str] = ()
