"""The question of a run with stale gradients: its coefficients by age, and its curvatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from ddcalc.errors import BadValue, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.types.schedules._roots import MOST, Quadratic, quadratic

RUNS = 400  # with noise, where no other number is stated
PLAYED = 400_000  # updates in all the runs with noise
_GROWN = 20_000  # bits of the largest number of the run
_WRITTEN = 120_000  # bits of the longest one


@dataclass(frozen=True, slots=True)
class StaleRun:
    """Curvatures from *low* to *high*, *coefficients* by age, the fresh one first.

    They are *step*·*beta*^age where the question says so (then *beta* is not None).
    """

    low: Number
    high: Number
    coefficients: tuple[Number, ...]
    beta: Number | None
    updates: int

    @property
    def fresh(self) -> Number:
        return self.coefficients[0]

    @property
    def stale(self) -> tuple[Number, ...]:
        return self.coefficients[1:]

    @property
    def quadratic(self) -> Quadratic:
        """The same on a quadratic."""
        return quadratic(self.coefficients, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Noise:
    """So many *runs*, with noise of ±1 on every gradient, drawn from *seed* on."""

    runs: int
    seed: int

    def check(self, question: StaleRun) -> None:
        """OverLimit where there are too many updates."""
        if self.runs * question.updates > PLAYED:
            most = count_text(PLAYED)
            raise OverLimit(f"runs times updates are more than {most}").about("runs")


def stale_run(given: PlayedGivens) -> StaleRun:
    """What *given* states; BadValue where it does not fit together."""
    low, high = one(given, "low"), one(given, "high")
    assert low is not None
    assert high is not None
    if low > high:
        reason = f"is more than the largest curvature, {count_text(high)}"
        raise BadValue(count_text(low), reason).about("low")
    alphas, beta, ages = several(given, "alpha"), one(given, "beta"), whole(given, "ages")
    listed = isinstance(given["alpha"], tuple) and len(alphas) > 1
    coefficients = _used(_listed(alphas, beta, ages) if listed else _made(alphas[0], beta, ages))
    updates = whole(given, "updates")
    assert updates is not None
    _check_length(coefficients, high, updates)
    return StaleRun(low, high, coefficients, None if listed else beta, updates)


def _used(coefficients: tuple[Number, ...]) -> tuple[Number, ...]:
    """Those up to the last that is not 0: older gradients are in no update."""
    ages = max((age for age, alpha in enumerate(coefficients, 1) if alpha), default=0)
    if not ages:
        reason = "leaves updates that change nothing; some coefficient has to be more than 0"
        raise BadValue(", ".join("0" for _ in coefficients), reason).about("alpha")
    return coefficients[:ages]


def _check_length(coefficients: Sequence[Number], high: Number, updates: int) -> None:
    """OverLimit where the exact numbers of the run would get too long."""
    moves = [Fraction(high) * alpha for alpha in coefficients]
    grown = int(1 + sum(moves)).bit_length() * updates
    written = lcm(*(move.denominator for move in moves)).bit_length() * updates
    if grown > _GROWN or written > _WRITTEN:
        reason = "is too many; the numbers of the run get too long"
        raise OverLimit(f"{updates} {reason}").about("updates")


def _listed(alphas: Sequence[Number], beta: Number | None, ages: int | None) -> tuple[Number, ...]:
    if beta is not None:
        reason = "goes with one alpha, which it multiplies with age"
        raise BadValue(count_text(beta), reason).about("beta")
    if ages is not None and ages != len(alphas):
        reason = f"does not fit the {len(alphas)} values in alpha; one is wanted for each age"
        raise BadValue(str(ages), reason).about("ages")
    if len(alphas) > MOST:
        raise BadValue(f"a list of {len(alphas)}", f"is too long; at most {MOST} ages").about(
            "alpha"
        )
    return tuple(alphas)


def _made(alpha: Number, beta: Number | None, ages: int | None) -> tuple[Number, ...]:
    if ages is None and beta is not None:
        raise BadValue(count_text(beta), "goes with a number of ages").about("beta")
    factor = Fraction(1 if beta is None else beta)
    return tuple(alpha * factor**age for age in range(ages or 1))


def noise_of(given: PlayedGivens) -> Noise:
    """The runs with noise that *given* asks for."""
    runs, seed = whole(given, "runs"), whole(given, "seed")
    return Noise(RUNS if runs is None else runs, 1 if seed is None else seed)
