"""Which gradient is sent how often, and how it is compressed; or why it is refused."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.errors import BadValue
from ddcalc.problem.play import Played, listed, whole
from ddcalc.types.compression._vectors import Vector, largest, only, signs, two_means


@dataclass(frozen=True, slots=True)
class Repeated:
    """A *gradient* that is to be sent in each of the *rounds*.

    Of what is to be sent the *kept* largest values arrive, else (None) signs with their size, by
    the mean of each sign where *two_sided*.
    """

    gradient: Vector
    rounds: int
    kept: int | None
    two_sided: bool

    def compress(self, values: Vector) -> Vector:
        """What arrives of *values*."""
        if self.kept is not None:
            return only(values, largest(values, self.kept))
        return two_means(values) if self.two_sided else signs(values)


def repeated(given: Played, method: str) -> Repeated:
    """What *given* states; BadValue where it does not fit."""
    gradient, rounds = listed(given, "vector"), whole(given, "rounds")
    assert rounds is not None
    kept = whole(given, "kept") if method == "top_k" else None
    if kept is not None and kept > len(gradient):
        reason = f"is more than the {len(gradient)} values there are"
        raise BadValue(str(kept), reason).about("kept")
    return Repeated(gradient, rounds, kept, two_sided=method == "one_bit")
