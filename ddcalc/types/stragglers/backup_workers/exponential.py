"""Workers with exponential times: who is still computing, and how long until the next is done.

An exponential time of mean m ends at the rate 1/m, however long it has lasted: it has no memory.
The rates of workers who compute at once add up, so the next of them is done after one over this
sum on average, and it is a given one with the chance of its rate over the sum.

For equal means this is Rényi's representation (On the theory of order statistics, Acta Math. Acad.
Sci. Hungar. 4, 1953): the k-th smallest of n such times is on average m/n + … + m/(n−k+1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import lcm

from ddcalc.errors import OverLimit
from ddcalc.numbers.display import number_text
from ddcalc.numbers.number import Number, quotient

DIGITS = 4_000  # of a denominator; Python writes numbers of at most 4300
_LARGEST = 10**DIGITS

Crew = tuple[int, ...]
"""How many workers of each kind (of each of the different means) are still computing."""

Chances = Mapping[Crew, Number]


class ExponentialTimes:
    """Independent exponential times with these *means* (s), all from one instant on.

    *kinds* are the different means, *stages* the crews that may be at work before each finish with
    their chances, *gaps* the expected times from one finish to the next, and *waits* those from the
    start to the first, second, … finish (s). OverLimit where their fractions get too long.
    """

    def __init__(self, means: Sequence[Number]) -> None:
        self.means = tuple(means)
        counted = Counter(self.means)
        self.kinds: tuple[Number, ...] = tuple(counted)
        self._scale = lcm(*(mean.numerator for mean in self.kinds))
        self._rates = [self._scale // m.numerator * m.denominator for m in self.kinds]
        self.stages = tuple(self._stages(tuple(counted.values())))
        self.gaps = tuple(map(self._gap, self.stages))
        self.waits = tuple(map(_bounded, accumulate(self.gaps)))

    def rate(self, crew: Crew) -> Number:
        """How often in a second somebody of *crew* would be done (1/s)."""
        return quotient(self._scaled(crew), self._scale)

    def _scaled(self, crew: Crew) -> int:
        return sum(count * rate for count, rate in zip(crew, self._rates, strict=True))

    def _stages(self, crew: Crew) -> Iterator[Chances]:
        """From all workers, *crew*, down to one."""
        stage: Chances = {crew: 1}
        for _ in self.means[1:]:
            yield stage
            stage = self._following(stage)
        yield stage

    def _following(self, stage: Chances) -> Chances:
        """The crews that are left when one of *stage* is done."""
        shares, bottom = self._shares(stage)
        following: dict[Crew, int] = {}
        for crew, share in shares.items():
            for kind, count in enumerate(crew):
                if count:
                    left = (*crew[:kind], count - 1, *crew[kind + 1 :])
                    chance = share * count * self._rates[kind]
                    following[left] = following.get(left, 0) + chance
        return {crew: quotient(chance, bottom) for crew, chance in following.items()}

    def _gap(self, stage: Chances) -> Number:
        """The expected time until the next of *stage* is done."""
        shares, bottom = self._shares(stage)
        return quotient(sum(shares.values()) * self._scale, bottom)

    def _shares(self, stage: Chances) -> tuple[dict[Crew, int], int]:
        """The chance of each crew over its scaled rate, times a number that makes all whole."""
        each = {crew: Fraction(chance, self._scaled(crew)) for crew, chance in stage.items()}
        bottom = lcm(*(share.denominator for share in each.values()))
        _bounded(Fraction(1, bottom))
        whole = {
            crew: share.numerator * (bottom // share.denominator) for crew, share in each.items()
        }
        return whole, bottom


def inverse(value: Number) -> Number:
    """One over *value*: a rate from a mean, a mean from a rate."""
    return quotient(value.denominator, value.numerator)


def _bounded(value: Number) -> Number:
    if value.denominator >= _LARGEST:
        limit = number_text(DIGITS)[0]
        reason = f"the exact waits would be fractions of more than {limit} digits"
        reason += "; round the means, or state fewer that differ"
        raise OverLimit(reason).about("means")
    return value
