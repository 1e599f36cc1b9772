"""Convergence with stale gradients: every update played, and sums added up age by age."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, exp
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
from asking import Answers, Question, known, witness

MANY = 5000  # terms that are added up
PARTS = 10**6  # in which sizes of roots are told


# Coefficients by age


def coefficients(q: Question) -> list[Fraction]:
    """The coefficient of each age."""
    values = [*map(Fraction, q.alpha if isinstance(q.alpha, tuple) else [q.alpha])]
    while len(values) < (q.ages or 1) and not (isinstance(q.alpha, tuple) and len(q.alpha) > 1):
        values.append(values[-1] * Fraction(1 if q.beta is None else q.beta))
    return values


def theorems(q: Question, fresh: Fraction, stale: Fraction) -> Answers:
    """What theorems 1, 2 and 4 ask for: α ≤ 1/b, and S ≤ a/(2b)·α; and the factor of the proof."""
    low, high = Fraction(q.low), Fraction(q.high)
    allowed = low * fresh / high / 2 if fresh * high <= 1 else None
    worst = max(abs(1 - h * fresh) for h in (low, high))  # of a distance, by the fresh gradient
    answers = known(
        step_allowed=1 / high, step_margin=1 / high - fresh, stale_sum=stale,
        stale_allowed=allowed, stale_margin=None if allowed is None else allowed - stale,
    )  # fmt: skip
    proved = "factor" if q.part == "theorems" else "guaranteed"
    return answers | {proved: worst + high * stale}


# A quadratic


def run(
    alphas: Sequence[Fraction], h: Fraction, updates: int, start: int = 1, noisy: int = -1
) -> list[Fraction]:
    """Errors after 0, 1, … updates, with a noise of 1 on the gradient of the update *noisy*."""
    errors, gradients = [Fraction(start)], list[Fraction]()
    for t in range(updates):
        gradients.insert(0, h * errors[-1] + (t == noisy))
        used = zip(alphas, gradients, strict=False)
        errors.append(errors[-1] - sum(alpha * gradient for alpha, gradient in used))
    return errors


def ball(beta: Fraction, step: Fraction, updates: int) -> list[Fraction]:
    """Errors of a heavy ball: its velocity keeps the part *beta*."""
    errors, velocity = [Fraction(1)], Fraction(0)
    for _ in range(updates):
        velocity = beta * velocity - step * errors[-1]
        errors.append(errors[-1] + velocity)
    return errors


def size(alphas: Sequence[Fraction], h: Fraction) -> Fraction:
    """The largest root of z^k − z^(k−1) + h·(α_0·z^(k−1) + …), to thirty digits."""
    with mpmath.workdps(60):
        text = [mpmath.mpf(item.numerator) / item.denominator for item in (h * a for a in alphas)]
        text[0] -= 1
        roots = mpmath.polyroots([1, *text], maxsteps=500, extraprec=400)
        largest = max(map(abs, roots))
        return Fraction(int(mpmath.nint(largest * 10**30)), 10**30)


def seen_between(alphas: Sequence[Fraction], low: Fraction, high: Fraction) -> float:
    """The largest root at eigenvalues in between, in floats."""
    values = 0.0
    for h in np.linspace(float(low), float(high), 40)[1:-1]:
        text = [h * float(alpha) for alpha in alphas]
        values = max(values, *abs(np.roots([1.0, text[0] - 1, *text[1:]])))
    return values


def told_up(largest: Fraction) -> Fraction:
    return Fraction(ceil(largest * PARTS - Fraction(1, 10**12)), PARTS)


@witness
def staleness(q: Question) -> Answers:
    """Runs with and without noise, update by update, and roots by their polynomial."""
    alphas = coefficients(q)
    while not alphas[-1] and q.part != "theorems":  # an age that is not used
        alphas = alphas[:-1]
    low, high, updates = Fraction(q.low), Fraction(q.high), q.updates
    fresh, stale = alphas[0], sum(alphas[1:], Fraction(0))
    if q.part == "theorems":
        return theorems(q, fresh, stale if q.stale is None else q.stale)
    values = theorems(q, fresh, stale) | {"smallest": min(alphas)}
    if updates <= 40:
        values |= {"error_low": run(alphas, low, updates)[-1]}
        values |= {"error_high": run(alphas, high, updates)[-1]}
        noises = (run(alphas, low, updates, 0, t)[-1] for t in range(updates))
        values["variance"] = sum((end * end for end in noises), Fraction(0))
        values["momentum"] = None
        if fresh:  # the heavy ball that counts gradients as much, and how far the runs are apart
            keeps = stale / (fresh + stale) if q.beta is None or not stale else Fraction(q.beta)
            balls = ball(keeps, low * fresh, updates)
            pairs = zip(run(alphas, low, updates), balls, strict=True)
            values |= {"momentum": keeps, "momentum_gap": max(abs(x - y) for x, y in pairs)}
    ends = size(alphas, low), size(alphas, high)
    if abs(max(ends) - 1) > Fraction(1, 1000):
        inside = seen_between(alphas, low, high) < max(ends) - Fraction(1, 1000)
        if inside:
            values |= {"radius_low": told_up(ends[0]), "radius_high": told_up(ends[1])}
        if inside or low == high:
            values["rate"] = told_up(max(ends))
    return values


# Ridge regression


Matrix = list[list[Fraction]]


def times(matrix: Matrix, vector: Sequence[Fraction]) -> list[Fraction]:
    return [dot(row, vector) for row in matrix]


def dot(one: Sequence[Any], other: Sequence[Any]) -> Fraction:
    return sum((Fraction(x) * y for x, y in zip(one, other, strict=True)), Fraction(0))


def conjugate_gradients(matrix: Matrix, sides: Sequence[Fraction]) -> list[Fraction]:
    """The solution, which in fractions is reached after as many directions as unknowns."""
    values = [Fraction(0)] * len(sides)
    left, direction = list(sides), list(sides)
    while any(left):
        ahead = times(matrix, direction)
        far = dot(left, left) / dot(direction, ahead)
        values = [x + far * d for x, d in zip(values, direction, strict=True)]
        after = [r - far * a for r, a in zip(left, ahead, strict=True)]
        part = dot(after, after) / dot(left, left)
        direction = [r + part * d for r, d in zip(after, direction, strict=True)]
        left = after
    return values


@witness
def ridge(q: Question) -> Answers:
    """The minimum by conjugate gradients, and the bounds of theorem 3 or by the trace."""
    if not q.targets or q.length == "scaled":
        return {}
    targets, eta = q.targets, Fraction(q.eta)
    width = len(q.inputs) // len(targets)
    columns = [q.inputs[i::width] for i in range(width)]
    lengths = [dot(row, row) for row in zip(*columns, strict=True)]
    normal = [[dot(x, y) + eta * (x is y) for y in columns] for x in columns]
    trace = sum(normal[i][i] - eta for i in range(width))
    by_theorem = q.bound == "theorem" and all(item <= 1 for item in lengths)
    low, high = 2 * eta, 2 * eta + 2 * (len(targets) if by_theorem else trace)
    weights = tuple(conjugate_gradients(normal, [dot(x, targets) for x in columns]))
    return known(
        instances=len(targets), weights=weights, longest=max(lengths), lengths=trace, low=low,
        high=high, step=1 / high, share=low / high / 2, stale_allowed=low / high / high / 2,
    )  # fmt: skip


# Smaller steps for stale gradients


@witness
def staleness_penalty(q: Question) -> Answers:
    """Factors one staleness after the other, and the mean of all the gradients there are."""
    a = float(q.strength)
    factors: dict[str, Callable[[Any], float]] = {
        "exponential": lambda tau: exp(-a) ** float(tau),
        "inverse": lambda tau: 1.0 if tau < 1 else 1 / float(tau),
        "polynomial": lambda tau: (1 / (1 + float(tau))) ** a,
        "linear": lambda tau: 1 / (1 + a * float(tau)),
    }
    factor = factors[q.penalty]
    text = factor(q.average if q.staleness is None else q.staleness)
    values = known(factor=text, stale_step=... if q.step is None else float(q.step) * text)
    if q.oldest is not None and q.oldest < MANY and q.penalty != "linear":
        ages = [factor(age) for age in range(q.oldest + 1)]
        values["mean"] = sum(ages) / len(ages)
    if q.counts:
        values["factors"] = tuple(factor(age) for age in range(len(q.counts)))
        if 0 < sum(q.counts) < MANY:
            drawn = [factor(age) for age, number in enumerate(q.counts) for _ in range(number)]
            values["counted_mean"] = sum(drawn) / len(drawn)
    return values
