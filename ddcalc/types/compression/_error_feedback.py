"""The same gradient compressed step after step: what arrives, and what error feedback keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, listed, whole
from ddcalc.types.compression._vectors import Vector, largest, less, only, signs, squared, two_means

CELL = 9  # values of a vector that a table needs, to see that they are more than it shows


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, Number | Vector | None]:
    """What is to be sent, sent and kept in each step, and what has arrived and is kept in the end.

    *seen* and *again* are the first two steps after which the same is kept (0: before the first).
    """
    gradient, rounds = listed(given, "vector"), whole(given, "rounds") or 1
    compress = _compression(given, reading["method"])
    kept: Vector = (0,) * len(gradient)
    arrived: Vector = (Fraction(0),) * len(gradient)
    cells: dict[str, Vector] = dict.fromkeys(("wanted_parts", "sent_parts", "kept_parts"), ())
    longest: Number = 0
    after, repeats = {kept: 0}, tuple[int, ...]()
    for step in range(1, rounds + 1):
        wanted = tuple(v + m for v, m in zip(gradient, kept, strict=True))
        sent = compress(wanted)
        kept = less(wanted, sent)
        arrived = tuple(a + s for a, s in zip(arrived, sent, strict=True))
        for name, values in zip(cells, (wanted, sent, kept), strict=True):
            cells[name] += values[:CELL]
        longest = max(longest, squared(kept))
        repeats = repeats or ((after[kept], step) if kept in after else ())
        after.setdefault(kept, step)
    return {
        **cells,
        "arrived": arrived,
        "memory": kept,
        "largest": longest,
        "lost": less(gradient, compress(gradient)),
        **dict(zip(("seen", "again"), repeats, strict=False)),
    }


def _compression(given: PlayedGivens, method: str) -> Callable[[Vector], Vector]:
    """What arrives of a vector by this *method*."""
    if method == "top_k":
        kept = whole(given, "kept") or 1
        return lambda values: only(values, largest(values, kept))
    return two_means if method == "one_bit" else signs
