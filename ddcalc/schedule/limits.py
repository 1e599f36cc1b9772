"""How long a schedule may be."""

from __future__ import annotations

from ddcalc.errors import OverLimit
from ddcalc.numbers.display import number_text

EXPLAINED = 100_000  # updates of a run that is kept whole
PLAYED = 2_000_000  # computations of a run that is only counted


def check_length(count: int, parameter: str, most: int = EXPLAINED, what: str = "updates") -> None:
    """Refuse, with OverLimit, to play more than *most*; *parameter* asks for *count*."""
    if count > most:
        asked, limit = number_text(count)[0], number_text(most)[0]
        raise OverLimit(f"{asked} {what} are too many; at most {limit} are played").about(parameter)
