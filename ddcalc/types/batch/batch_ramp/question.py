"""The numbers of a ramp, refused where it has too many batches of unlike size."""

from __future__ import annotations

from ddcalc.errors import OverLimit
from ddcalc.problem.play import PlayedGivens, several, whole
from ddcalc.types.batch.batch_ramp.model import Ramp

MOST = 200_000  # batches of unlike size that are gone through


def ramp(given: PlayedGivens, cut: bool) -> Ramp:
    """The ramp of the *given* numbers; OverLimit where it has too many unlike batches."""
    first, last = map(int, several(given, "batches"))
    names = ("increments", "ramp_samples", "samples")
    increments, samples, everything = (int(whole(given, name) or 0) for name in names)
    if min(increments, increments if cut else samples // first) > MOST:
        reason = f"makes more than {MOST} unlike batches; state a larger one"
        raise OverLimit(f"{whole(given, 'increment')} {reason}").about("increment")
    return Ramp(first, last, increments, samples, everything, cut)
