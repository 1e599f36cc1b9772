"""Gradient descent with stale gradients on a quadratic: its roots, and its runs with and without
noise, beside a heavy ball, a loss with two slopes, and late gradients.

A heavy ball, w_{t+1} = w_t + β·(w_t − w_{t−1}) − α₀·g_t (Polyak, USSR Comput. Math. Math. Phys. 4,
1964), subtracts in the update after t the gradients α₀·g_t + α₀·β·g_{t−1} + α₀·β²·g_{t−2} + …: that
is staleness with coefficients α₀·β^τ which goes on for ever.

A constant Hessian makes the gradient linear, so that the mean of the error obeys the recursion
without noise. What noise of variance 1 at one update leaves j updates later is its response, and
the variances of independent noise add up. With two slopes, 1 left of 0 and 2 right of it, noise of
+1 or −1, k = 1 and α = 1/2, the mean does not go to the minimum: from the right every step leads to
±1/2, from the left, w, it leads to w/2 ± 1/2. So the run lives on 1/2 and on −1 + 2^−j and
2^−(j+1) for j = 1, 2, …, each with half the probability of what leads there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm, sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final

from ddcalc.errors import BadValue, OverLimit
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import Number, magnitude, plain, quotient
from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.types.schedules._roots import PARTS, Quadratic, quadratic, radius

Column = tuple[Number, ...]
Found = dict[str, Number | Column | None]

RUNS: Final = 400  # with noise, where no other number is stated
PLAYED: Final = 400_000  # updates in all the runs with noise
POINTS: Final = 5  # curvatures at which the roots are shown
BLOCK: Final = 32  # updates that are worked out at once
AGES: Final = 2  # that a heavy ball is followed beyond the stale gradients
BRANCH: Final = 3  # positions on each branch of the loss with two slopes
_GROWN: Final = 20_000  # bits of the largest number of the run
_WRITTEN: Final = 120_000  # bits of the longest one
_LONG: Final = 1024  # bits beyond which a number is shown as rounded
_BITS: Final = 160  # of the largest β


def table(given: PlayedGivens, reading: Mapping[str, str]) -> Found:
    """What the theorems and the quadratic come to, and the runs of the part that is shown."""
    stale, runs, part = stale_run(given), whole(given, "runs"), reading["part"]
    runs, seed = RUNS if runs is None else runs, whole(given, "seed")
    if runs * stale.updates > PLAYED:
        raise OverLimit(f"runs times updates are more than {count_text(PLAYED)}").about("runs")
    results = _known(stale)
    if part in ("conditions", "everything"):
        results |= _run(stale)
    if part in ("momentum", "everything") and stale.fresh:
        results |= _beside_a_ball(stale)
    if part in ("noise", "everything"):
        results |= _noisy(stale, runs, 1 if seed is None else seed)
    if part in ("late", "everything"):
        results |= {"dropped_run": late_run(reused=False), "reused_run": late_run(reused=True)}
    return results


@dataclass(frozen=True)
class StaleRun:
    """Curvatures from *low* to *high*, *coefficients* by age, the fresh one first.

    Where it is stated, they are multiplied by *beta* with each age.
    """

    low: Number
    high: Number
    coefficients: Column
    beta: Number | None
    updates: int

    @property
    def fresh(self) -> Number:
        return self.coefficients[0]

    @property
    def stale(self) -> Column:
        return self.coefficients[1:]

    @property
    def quadratic(self) -> Quadratic:
        """The same on a quadratic."""
        return quadratic(self.coefficients, self.low, self.high)

    @cached_property
    def stale_sum(self) -> Fraction:
        return sum(map(Fraction, self.stale), Fraction(0))

    @cached_property
    def guaranteed(self) -> Fraction:
        """The factor by which the largest of k distances shrinks at least, or grows at most."""
        leaves = 1 - Fraction(self.low) * self.fresh, Fraction(self.high) * self.fresh - 1
        return max(leaves) + self.high * self.stale_sum

    @property
    def momentum(self) -> Fraction:
        """Their own β, else the one with whose powers they have the same sum."""
        if self.beta is not None and self.stale:
            return Fraction(self.beta)
        return self.stale_sum / (self.fresh + self.stale_sum)

    def errors(self, h: Number) -> Column:
        """Those of the run where the curvature is *h*."""
        return errors(self.coefficients, h, self.length)[: self.updates + 1]

    @property
    def length(self) -> int:
        """The updates in whole blocks, so that runs of other lengths share them."""
        return -(-self.updates // BLOCK) * BLOCK


def stale_run(given: PlayedGivens) -> StaleRun:
    """What *given* states."""
    low, high, updates = one(given, "low"), one(given, "high"), whole(given, "updates")
    assert low is not None
    assert high is not None
    assert updates is not None
    alphas, beta, ages = several(given, "alpha"), one(given, "beta"), whole(given, "ages")
    if len(alphas) == 1:
        factor = Fraction(1 if beta is None else beta)
        alphas = tuple(alphas[0] * factor**age for age in range(ages or 1))
    coefficients = _used(alphas)
    _check_length(coefficients, high, updates)
    return StaleRun(low, high, coefficients, beta, updates)


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


def _known(stale: StaleRun) -> Found:
    """What is asked for in all parts."""
    values = stale.quadratic
    low, high = values.radii
    return {
        "used": len(stale.coefficients),
        "smallest": min(stale.coefficients),
        "beta_allowed": beta_allowed(stale),
        "broken": broken_after(stale),
        "radius_low": low,
        "radius_high": high,
        "rate": values.rate,
        "converges": int(values.converges),
        "in_between": int(not values.is_worst_at_an_end),
        "again": int(values.converges_again),
        "curvature_limit": values.curvature_limit,
        "stale_limit": values.stale_limit,
        "error_low": stale.errors(stale.low)[-1],
        "error_high": stale.errors(stale.high)[-1],
        "momentum_gap": beside_a_ball(stale)[-1][2] if stale.fresh else None,
        "variance": variance(stale, stale.low),
        "kinked_mean": KINKED_MEAN,
        "dropped_end": 0,
        "reused_end": 1,
    }


def _run(stale: StaleRun) -> Found:
    """The run at both ends, what is proved of it, and the roots at curvatures in between."""
    ages, low, high = len(stale.coefficients), Fraction(stale.low), Fraction(stale.high)
    results: Found = {"errors_low": tuple(map(magnitude, stale.errors(stale.low)))}
    if stale.guaranteed < 1:
        powers = [stale.guaranteed**n for n in range(-(-stale.updates // ages) + 1)]
        results["proved"] = tuple(powers[-(-t // ages)] for t in range(stale.updates + 1))
    if low < high:
        results["errors_high"] = tuple(map(magnitude, stale.errors(stale.high)))
    if low < high and stale.stale:
        points, sizes = sampled(stale.quadratic)
        results |= {"curvatures": points, "sizes": sizes}
    return results


@remembered
def sampled(values: Quadratic) -> tuple[Column, Column]:
    """A few curvatures, and the size of the largest root at each."""
    low, high = Fraction(values.low), Fraction(values.high)
    points = tuple(low + (high - low) * i / (POINTS - 1) for i in range(POINTS))
    return points, tuple(radius(values.family.at(h), PARTS) for h in points)


def _beside_a_ball(stale: StaleRun) -> Found:
    """What an update takes of a gradient by age, and both runs."""
    ages = range(len(stale.coefficients) + AGES)
    stale_errors, ball, _ = zip(*beside_a_ball(stale), strict=True)
    return {
        "taken": (*stale.coefficients, *[0] * AGES),
        "ball_taken": tuple(stale.fresh * stale.momentum**age for age in ages),
        "stale_errors": stale_errors,
        "ball_errors": ball,
    }


def _noisy(stale: StaleRun, runs: int, seed: int) -> Found:
    """Means over seeds with their standard errors, and where the run on two slopes is."""
    places = sorted(positions(BRANCH), key=lambda pair: -pair[1])
    results: Found = {
        "played": runs,
        "places": tuple(w for w, _ in places),
        "gradients": tuple(w if w < 0 else 2 * w for w, _ in places),
        "shares": tuple(share for _, share in places),
    }
    mean, spread = measured(kinked_end, runs, seed)
    results |= {"kinked_played": mean, "kinked_error": spread}
    if stale.quadratic.converges:
        mean, spread = measured(lambda random: noisy_end(stale, random), runs, seed)
        results |= {"noisy_mean": mean, "noisy_error": spread}
    return results


def measured(
    end: Callable[[Random], float], runs: int, seed: int
) -> tuple[Fraction, Fraction | None]:
    """The mean of that many *end*s and its standard error, to four digits; one has none."""
    ends = [end(Random(seed + run)) for run in range(runs)]  # noqa: S311
    error = Fraction(f"{stdev(ends) / sqrt(runs):.4f}") if runs > 1 else None
    return Fraction(f"{fmean(ends):.4f}"), error


@remembered
def errors(coefficients: tuple[Number, ...], h: Number, updates: int) -> tuple[Number, ...]:
    """w_t − w* after 0, 1, … *updates* where the curvature is *h*, from 1 on.

    Gradients from before the start are none.
    """
    tops, unit = whole_errors(coefficients, h, updates)
    return tuple(short(Fraction(top, unit**t)) for t, top in enumerate(tops))


def whole_errors(coefficients: Sequence[Number], h: Number, updates: int) -> tuple[list[int], int]:
    """Whole numbers and a unit, whose power t is what the number of update t is to be divided by.

    Fractions would be reduced in every update, which takes most of the time.
    """
    moves = [Fraction(h) * alpha for alpha in coefficients]
    unit = lcm(*(move.denominator for move in moves))
    tops = [move.numerator * (unit // move.denominator) * unit**i for i, move in enumerate(moves)]
    errors = [1]
    for _ in range(updates):
        used = zip(tops, reversed(errors), strict=False)
        errors.append(unit * errors[-1] - sum(top * error for top, error in used))
    return errors, unit


def short(value: Fraction) -> Number:
    """*value*, marked as rounded where it is too long to be shown."""
    if value.denominator == 1 and value.numerator.bit_length() <= _LONG:
        return value.numerator
    long = value.numerator.bit_length() + value.denominator.bit_length() > _LONG
    return Approximate(value, 0) if long else value


def beta_allowed(stale: StaleRun) -> Number | None:
    """The largest β for which coefficients α_0·β^τ are allowed; None without stale ones, or
    where α_0 is not."""
    if not stale.stale or Fraction(stale.high) * stale.fresh > 1:
        return None
    return largest_beta(Fraction(stale.low) / (2 * Fraction(stale.high)), len(stale.stale))


@remembered
def largest_beta(share: Fraction, ages: int) -> Number:
    """The largest β whose first powers, as many as there are *ages*, add up to at most *share*."""
    if ages == 1:
        return plain(share)
    low, high = Fraction(0), Fraction(1)
    while high - low > high / 2**_BITS:
        middle = (low + high) / 2
        if sum(middle**age for age in range(1, ages + 1)) <= share:
            low = middle
        else:
            high = middle
    return Approximate(low, 2.0**-_BITS)


def beside_a_ball(stale: StaleRun) -> list[tuple[Fraction, Fraction, Fraction]]:
    """The errors with stale gradients and of a heavy ball at the smallest curvature, after each
    update, and their largest difference so far."""
    return _in_blocks(replace(stale, updates=stale.length))[: stale.updates + 1]


@remembered
def _in_blocks(stale: StaleRun) -> list[tuple[Fraction, Fraction, Fraction]]:
    mine, step, beta = stale.errors(stale.low), Fraction(stale.low) * stale.fresh, stale.momentum
    ball = [Fraction(1), 1 - step]
    while len(ball) < len(mine):
        ball.append(ball[-1] + beta * (ball[-1] - ball[-2]) - step * ball[-1])
    pairs = [(Fraction(a), Fraction(short(b))) for a, b in zip(mine, ball, strict=False)]
    gaps = accumulate((abs(a - b) for a, b in pairs), max)
    return [(a, b, most) for (a, b), most in zip(pairs, gaps, strict=True)]


def variance(stale: StaleRun, h: Number) -> Number:
    """The exact variance of w_T where the curvature is *h* and the noise has variance 1."""
    impulse, unit = whole_errors(stale.coefficients, h, stale.updates)
    common = lcm(*(alpha.denominator for alpha in stale.coefficients))
    tops = [int(alpha * common) * unit**age for age, alpha in enumerate(stale.coefficients)]
    squares = 0  # over unit^(2·after)
    for after in range(stale.updates):
        used = zip(tops, reversed(impulse[: after + 1]), strict=False)
        squares = squares * unit**2 + sum(top * response for top, response in used) ** 2
    last = max(stale.updates - 1, 0)
    return short(Fraction(squares, (common * unit**last) ** 2))


def noisy_end(stale: StaleRun, random: Random) -> float:
    """w_T − w* of one run with noise at the smallest curvature."""
    curvature = stale.low.numerator / stale.low.denominator
    coefficients = [alpha.numerator / alpha.denominator for alpha in stale.coefficients]
    error, gradients = 1.0, [0.0] * len(coefficients)  # the newest first
    for _ in range(stale.updates):
        noise = 1 - 2 * random.getrandbits(1)
        gradients = [curvature * error + noise, *gradients[:-1]]
        error -= sum(alpha * g for alpha, g in zip(coefficients, gradients, strict=True))
    return error


KINKED_MEAN = Fraction(-1, 6)
KINKED_UPDATES = 60  # after which the start is forgotten: it halves in each


def positions(branch: int) -> Iterator[tuple[Fraction, Fraction]]:
    """Where the run is, and how often in the long run, up to the *branch*-th place of each kind."""
    yield Fraction(1, 2), Fraction(1, 4)
    for j in range(1, branch + 1):
        yield Fraction(1, 2 ** (j + 1)), Fraction(1, 2 ** (j + 2))
        yield Fraction(1, 2**j) - 1, Fraction(1, 2 ** (j + 1))


def kinked_end(random: Random) -> float:
    """w of one run on two slopes."""
    w = 0.0
    for _ in range(KINKED_UPDATES):
        noise = 1 - 2 * random.getrandbits(1)
        w -= ((w if w < 0 else 2 * w) + noise) / 2
    return w


TARGETS = (0, 0, 3)  # c in the losses (w − c)²/2 of the workers, the last of which is late
PUNCTUAL = 2
STEP = Fraction(1, 2)
LATE_UPDATES = 20


def late_run(*, reused: bool) -> Column:
    """w after 0, 1, … updates, from 3 on: with the punctual gradients alone, or *reused* late ones
    in the next update; all that are used count the same."""
    places, late = [Fraction(3)], [Fraction(0)] * (len(TARGETS) - PUNCTUAL)
    for _ in range(LATE_UPDATES):
        w = places[-1]
        used = [w - target for target in TARGETS[:PUNCTUAL]] + (late if reused else [])
        places.append(w - STEP * sum(used) / len(used))
        late = [w - target for target in TARGETS[PUNCTUAL:]]
    return tuple(places)


def grown(stale: StaleRun) -> Iterator[Number]:
    """The smallest coefficients by step that the printed condition admits, from k − 1 times the
    smallest one on."""
    ages = len(stale.coefficients)
    factor = 2 * Fraction(stale.high) / stale.low
    last = [Fraction(min(stale.coefficients))] * (ages - 1)
    yield from last
    while True:
        least = factor * sum(last)
        yield quotient(least.numerator, least.denominator)
        last = [*last[1:], least]


def broken_after(stale: StaleRun) -> int | None:
    """The first step whose coefficient is above 1/b as printed; None where nothing is stale, or
    where a coefficient is 0."""
    if not stale.stale or not min(stale.coefficients):
        return None
    most = 1 / Fraction(stale.high)
    return next(step for step, alpha in enumerate(grown(stale)) if alpha > most)
