"""Runs with stale gradients: what the theorems allow, and what runs on a quadratic come to.

Theorem 1 is about one dimension with a curvature between a and b, theorem 2 about more with
eigenvalues of the Hessian between them, theorem 4 about noisy gradients. All three ask for
0 < a ≤ b, for c ≤ α ≤ 1/b with some c > 0, and for stale coefficients that add up to at most
a/(2b) times the fresh one (the poster on staleness, whose indices count steps).

A heavy ball, w_{t+1} = w_t + β·(w_t − w_{t−1}) − α₀·g_t (Polyak, USSR Comput. Math. Math. Phys. 4,
1964), subtracts in the update after t the gradients α₀·g_t + α₀·β·g_{t−1} + α₀·β²·g_{t−2} + …: that
is staleness with coefficients α₀·β^τ which goes on for ever.

A constant Hessian makes the gradient linear, so that the mean of the error obeys the recursion
without noise. What noise of variance 1 at one update leaves j updates later is its response, and
the variances of independent noise add up. With two slopes, 1 left of 0 and 2 right of it, noise of
+1 or −1, k = 1 and α = 1/2, the mean does not go to the minimum: from the right every step leads to
±1/2, from the left, w, it leads to w/2 ± 1/2. So the run lives on 1/2 and on −1 + 2^−j and
2^−(j+1) for j = 1, 2, …, each with half the probability of what leads there.

Late gradients: worker i has the loss (w − c_i)^2/2, so its gradient is w − c_i, and all losses
together are least at the mean of the c_i. The server waits for the first few; the others are late
in every update. Dropped, their data never count; reused, they count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from random import Random

from ddcalc.formula.algebra import largest
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Sym
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.numbers.number import Number, quotient
from ddcalc.types.schedules.staleness.question import StaleRun

_LONG = 1024  # bits beyond which a number is shown as rounded


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


_BITS = 160


def exact(value: Number) -> Number:
    """*value* as an int where it is whole."""
    return ratio(value, 1)


A, B, S, FRESH = map(Sym, ("a", "b", "S", "alpha_0"))
STEP_ALLOWED, SHARE = 1 / B, A / (2 * B)
STALE_ALLOWED = SHARE * FRESH
ENDS = 1 - A * FRESH, B * FRESH - 1  # what the fresh gradient leaves at both ends of the curvature


class Conditions:
    """What the theorems allow in *question*, and what there is.

    *known* has the values of the letters in the formulas above.
    """

    def __init__(self, question: StaleRun) -> None:
        self.question = question
        self.stale_sum = exact(sum(map(Fraction, question.stale), Fraction(0)))
        self.known = {f"alpha_{i}": alpha for i, alpha in enumerate(question.coefficients)}
        self.known |= {"a": question.low, "b": question.high, "S": self.stale_sum}
        self.step_allowed = self._value(STEP_ALLOWED)
        self.step_margin = exact(Fraction(self.step_allowed) - question.fresh)
        self.share = self._value(SHARE)  # of the fresh coefficient, for the stale ones together
        self.smallest = min(question.coefficients)
        # the factor by which the largest of k distances shrinks at least, or grows at most
        self.guaranteed = self._value(largest(*ENDS) + B * S)

    def _value(self, formula: Expr) -> Number:
        value = evaluate(formula, self.known)
        assert value is not None
        return exact(value)

    @property
    def stale_allowed(self) -> Number | None:
        """None where the fresh coefficient is too large, so that the theorems allow nothing."""
        return self._value(STALE_ALLOWED) if self.step_margin >= 0 else None

    @property
    def stale_margin(self) -> Number | None:
        """What the stale coefficients leave of what is allowed; None where nothing is."""
        allowed = self.stale_allowed
        return None if allowed is None else exact(Fraction(allowed) - self.stale_sum)

    @property
    def scaled_step_allowed(self) -> Number | None:
        """The largest fresh coefficient that the theorems allow with all others in their ratio.

        No scale changes the ratio of the stale sum; None where that alone is too large.
        """
        fits = self.stale_sum <= self.share * Fraction(self.question.fresh)
        return self.step_allowed if fits else None

    @property
    def hold(self) -> bool:
        """Whether all conditions hold."""
        return self.smallest > 0 and self.stale_margin is not None and self.stale_margin >= 0

    @property
    def beta_allowed(self) -> Number | None:
        """The largest β for which coefficients α_0·β^τ are allowed; None without stale ones, or
        where α_0 is not."""
        ages = len(self.question.stale) if self.step_margin >= 0 else 0
        if ages < 2:
            return exact(self.share) if ages else None
        low, high = Fraction(0), Fraction(1)
        while high - low > high / 2**_BITS:
            middle = (low + high) / 2
            if sum(middle**age for age in range(1, ages + 1)) <= self.share:
                low = middle
            else:
                high = middle
        return Approximate(low, 2.0**-_BITS)


def factor(question: StaleRun) -> Number | None:
    """The momentum that these coefficients act like: their own β, else the one with whose powers
    they have the same sum; None where the current gradient does not count."""
    if not question.fresh:
        return None
    if question.beta is not None and question.stale:
        return question.beta
    stale = Fraction(Conditions(question).stale_sum)
    return exact(stale / (question.fresh + stale))


def gap(question: StaleRun) -> Number | None:
    """The largest difference of the two runs at the smallest curvature, if there are two."""
    if not question.fresh:
        return None
    return max(abs(a - b) for a, b in both_runs(question))


def both_runs(question: StaleRun) -> list[tuple[Fraction, Fraction]]:
    """The errors with stale gradients and of a heavy ball, update by update, at the smallest
    curvature."""
    stale = errors(question.coefficients, question.low, question.updates)
    momentum, step = factor(question), Fraction(question.low) * question.fresh
    assert momentum is not None
    beta = Fraction(momentum)
    ball = [Fraction(1), 1 - step]
    while len(ball) < len(stale):
        ball.append(ball[-1] + beta * (ball[-1] - ball[-2]) - step * ball[-1])
    return [(Fraction(a), Fraction(short(b))) for a, b in zip(stale, ball, strict=False)]


def variance(question: StaleRun, h: Number) -> Number:
    """The exact variance of w_T where the curvature is *h* and the noise has variance 1."""
    impulse, unit = whole_errors(question.coefficients, h, question.updates)
    common = lcm(*(alpha.denominator for alpha in question.coefficients))
    tops = [int(alpha * common) * unit**age for age, alpha in enumerate(question.coefficients)]
    squares = 0  # over unit^(2·after)
    for after in range(question.updates):
        used = zip(tops, reversed(impulse[: after + 1]), strict=False)
        squares = squares * unit**2 + sum(top * response for top, response in used) ** 2
    last = max(question.updates - 1, 0)
    return short(Fraction(squares, (common * unit**last) ** 2))


def noisy_end(question: StaleRun, h: Number, random: Random) -> float:
    """w_T − w* of one run with noise."""
    curvature = h.numerator / h.denominator
    coefficients = [alpha.numerator / alpha.denominator for alpha in question.coefficients]
    error, gradients = 1.0, [0.0] * len(coefficients)  # the newest first
    for _ in range(question.updates):
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


TARGETS = (0, 0, 3)  # the last one's worker is late
PUNCTUAL = 2
STEP = Fraction(1, 2)
LATE_UPDATES = 20


def dropped() -> list[Fraction]:
    """w after 0, 1, … updates with the punctual gradients' mean alone, from 3 on."""
    places = [Fraction(3)]
    for _ in range(LATE_UPDATES):
        gradients = [places[-1] - target for target in TARGETS[:PUNCTUAL]]
        places.append(places[-1] - STEP * sum(gradients) / PUNCTUAL)
    return places


def reused() -> list[Fraction]:
    """The same where a late gradient joins the next update; all workers count the same."""
    places = [Fraction(3)]
    late = [Fraction(0)] * (len(TARGETS) - PUNCTUAL)
    for _ in range(LATE_UPDATES):
        w = places[-1]
        gradients = [w - target for target in TARGETS[:PUNCTUAL]]
        places.append(w - STEP * (sum(gradients) + sum(late)) / len(TARGETS))
        late = [w - target for target in TARGETS[PUNCTUAL:]]
    return places


def grown(question: StaleRun) -> Iterator[Number]:
    """The smallest coefficients by step that the printed condition admits, from k − 1 times the
    smallest one on."""
    ages = len(question.coefficients)
    factor = 2 * Fraction(question.high) / question.low
    last = [Fraction(min(question.coefficients))] * (ages - 1)
    yield from last
    while True:
        least = factor * sum(last)
        yield quotient(least.numerator, least.denominator)
        last = [*last[1:], least]


def broken_after(question: StaleRun) -> int | None:
    """The first step whose coefficient is above 1/b as printed; None where nothing is stale, or
    where a coefficient is 0."""
    if not question.stale or not min(question.coefficients):
        return None
    most = 1 / Fraction(question.high)
    return next(step for step, alpha in enumerate(grown(question)) if alpha > most)
