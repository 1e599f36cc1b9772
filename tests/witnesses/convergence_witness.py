"""Convergence with stale gradients: every update played, and sums added up age by age."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, exp
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
from asking import Question, witness

MANY = 5000  # terms that are added up
PARTS = 10**6  # in which sizes of roots are told


# Coefficients by age


def coefficients(question: Question) -> list[Fraction]:
    """The coefficient of each age."""
    text = question["alpha"]
    if isinstance(text, tuple) and len(text) > 1:
        return list(map(Fraction, text))
    values = [Fraction(text[0] if isinstance(text, tuple) else text)]
    while len(values) < question.get("ages", 1):
        values.append(values[-1] * Fraction(question.get("beta", 1)))
    return values


def theorems(question: Question, fresh: Fraction, stale: Fraction) -> dict[str, Any]:
    """What theorems 1, 2 and 4 ask for: α ≤ 1/b, and S ≤ a/(2b)·α; and the factor of the proof."""
    low, high = Fraction(question["low"]), Fraction(question["high"])
    values: dict[str, Any] = {"step_allowed": 1 / high, "step_margin": 1 / high - fresh}
    values["stale_sum"] = stale
    allowed = low * fresh / high / 2 if fresh * high <= 1 else None
    values["stale_allowed"] = allowed
    values["stale_margin"] = None if allowed is None else allowed - stale
    worst = max(abs(1 - h * fresh) for h in (low, high))  # of a distance, by the fresh gradient
    return values | {"proved": worst + high * stale}


def by_theorems(question: Question) -> dict[str, Any]:
    """All ages, one after the other."""
    fresh, *older = coefficients(question)
    values = theorems(question, fresh, question.get("stale", sum(older, Fraction(0))))
    return values | {"factor": values.pop("proved")}


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


def like_a_ball(question: Question, alphas: Sequence[Fraction]) -> dict[str, Any]:
    """The heavy ball that counts gradients as much, and how far the runs are apart."""
    low, updates, stale = Fraction(question["low"]), question["updates"], sum(alphas[1:])
    keeps = stale / Fraction(alphas[0] + stale)
    if stale and "beta" in question:
        keeps = Fraction(question["beta"])
    pairs = zip(run(alphas, low, updates), ball(keeps, low * alphas[0], updates), strict=True)
    return {"momentum": keeps, "momentum_gap": max(abs(x - y) for x, y in pairs)}


@witness("staleness")
def staleness(question: Question) -> dict[str, Any]:
    """Runs with and without noise, update by update, and roots by their polynomial."""
    if question["part"] == "theorems":
        return by_theorems(question)
    alphas = coefficients(question)
    while not alphas[-1]:  # an age that is not used
        alphas = alphas[:-1]
    low, high = Fraction(question["low"]), Fraction(question["high"])
    updates, fresh, stale = question["updates"], alphas[0], sum(alphas[1:], Fraction(0))
    values = theorems(question, fresh, stale)
    values |= {"guaranteed": values.pop("proved"), "smallest": min(alphas)}
    if updates <= 40:
        values |= {"error_low": run(alphas, low, updates)[-1]}
        values |= {"error_high": run(alphas, high, updates)[-1]}
        noises = (run(alphas, low, updates, 0, t)[-1] for t in range(updates))
        values["variance"] = sum((end * end for end in noises), Fraction(0))
        values |= like_a_ball(question, alphas) if fresh else {"momentum": None}
    ends = size(alphas, low), size(alphas, high)
    inside = seen_between(alphas, low, high)
    if inside < max(ends) - Fraction(1, 1000) and abs(max(ends) - 1) > Fraction(1, 1000):
        values |= dict(zip(("radius_low", "radius_high"), map(told_up, ends), strict=True))
        values["rate"] = told_up(max(ends))
    elif low == high and abs(max(ends) - 1) > Fraction(1, 1000):
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


@witness("ridge")
def ridge(question: Question) -> dict[str, Any]:
    """The minimum by conjugate gradients, and the bounds of theorem 3 or by the trace."""
    if "targets" not in question or question["length"] == "scaled":
        return {}
    targets, eta = question["targets"], Fraction(question["eta"])
    width = len(question["inputs"]) // len(targets)
    columns = [question["inputs"][i::width] for i in range(width)]
    lengths = [dot(row, row) for row in zip(*columns, strict=True)]
    normal = [[dot(x, y) + eta * (x is y) for y in columns] for x in columns]
    trace = sum(normal[i][i] - eta for i in range(width))
    by_theorem = question["bound"] == "theorem" and all(item <= 1 for item in lengths)
    low, high = 2 * eta, 2 * eta + 2 * (len(targets) if by_theorem else trace)
    return {
        "instances": len(targets),
        "weights": tuple(conjugate_gradients(normal, [dot(x, targets) for x in columns])),
        "longest": max(lengths),
        "lengths": trace,
        "low": low,
        "high": high,
        "step": 1 / high,
        "share": low / high / 2,
        "stale_allowed": low / high / high / 2,
    }


# Smaller steps for stale gradients


def penalty(question: Question) -> Callable[[Any], float]:
    """The factor at a staleness, by its definition."""
    a = float(question["strength"])
    return {
        "exponential": lambda tau: exp(-a) ** float(tau),
        "inverse": lambda tau: 1.0 if tau < 1 else 1 / float(tau),
        "polynomial": lambda tau: (1 / (1 + float(tau))) ** a,
        "linear": lambda tau: 1 / (1 + a * float(tau)),
    }[question["penalty"]]


@witness("staleness-penalty")
def staleness_penalty(question: Question) -> dict[str, Any]:
    """Factors one staleness after the other, and the mean of all the gradients there are."""
    factor = penalty(question)
    text = factor(question.get("staleness", question.get("average")))
    values: dict[str, Any] = {"factor": text}
    if "step" in question:
        values["stale_step"] = float(question["step"]) * text
    if question.get("oldest", MANY) < MANY and question["penalty"] != "linear":
        ages = [factor(age) for age in range(question["oldest"] + 1)]
        values["mean"] = sum(ages) / len(ages)
    if "counts" in question:
        values["factors"] = tuple(factor(age) for age in range(len(question["counts"])))
        if 0 < sum(question["counts"]) < MANY:
            drawn = [*_gradients(question["counts"])]
            values["counted_mean"] = sum(map(factor, drawn)) / len(drawn)
    return values


def _gradients(counts: Sequence[int]) -> Iterator[int]:
    """The staleness of every gradient that was counted."""
    return (age for age, number in enumerate(counts) for _ in range(number))
