"""Noisy gradients on a quadratic: what theorem 4 says of the mean, and what of the spread.

A constant Hessian makes the gradient linear, so that the mean of the error obeys the recursion
without noise. What noise of variance 1 at one update leaves j updates later is its response, and
the variances of independent noise add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import lcm, sqrt
from random import Random
from statistics import fmean, stdev

from ddcalc.formula.expression import Num
from ddcalc.numbers.display import number_text, rounded
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Step, Table
from ddcalc.types.schedules._convergence.conditions import Conditions
from ddcalc.types.schedules._convergence.question import Noise, Question
from ddcalc.types.schedules._convergence.run import errors, told, whole_errors


def variance(asked: Question, h: Number) -> Number:
    """The exact variance of w_T where the curvature is *h* and the noise has variance 1."""
    impulse, unit = whole_errors(asked.coefficients, h, asked.updates)
    common = lcm(*(alpha.denominator for alpha in asked.coefficients))
    tops = [int(alpha * common) * unit**age for age, alpha in enumerate(asked.coefficients)]
    squares = 0  # over unit^(2·after)
    for after in range(asked.updates):
        used = zip(tops, reversed(impulse[: after + 1]), strict=False)
        squares = squares * unit**2 + sum(top * response for top, response in used) ** 2
    last = max(asked.updates - 1, 0)
    return told(Fraction(squares, (common * unit**last) ** 2))


def steps(asked: Question, noise: Noise, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The exact mean and variance, and the means over seeds beside them."""
    mean = errors(asked.coefficients, asked.low, asked.updates)[-1]
    why = "the gradient is linear in w, so the mean obeys the recursion without noise"
    yield defined(declared["error_low"], mean, why=why)
    converges = asked.quadratic.converges
    end = "this does not go to 0"
    if not converges:
        end = "no means over seeds follow, as it does not converge for every eigenvalue in [a, b]"
    why = f"every noise leaves its response, and variances add up; {end}"
    yield defined(declared["variance"], variance(asked, asked.low), why=why)
    if converges:
        yield _means(asked, noise)


def _means(asked: Question, noise: Noise) -> Table:
    rows = []
    for h in dict.fromkeys((asked.low, asked.high)):
        ends = [_end(asked, h, Random(noise.seed + run)) for run in range(noise.runs)]  # noqa: S311
        exact = errors(asked.coefficients, h, asked.updates)[-1]
        cells = (Num(h), *measured(ends), Num(rounded(exact, 4)))
        rows.append((*cells, Num(rounded(variance(asked, h), 4))))
    says = "as theorem 4 says" if Conditions(asked).hold else "though theorem 4 does not say so"
    why = (
        f"of w_T − w* over {number_text(noise.runs)[0]} runs with noise of ±1 on each gradient;"
        f" the mean goes to 0, {says}, w itself does not"
    )
    header = ("h", "mean", "standard error", "exact mean", "exact variance")
    return Table("Means over seeds", why, header, tuple(rows))


def measured(ends: list[float]) -> tuple[str, str]:
    """The mean of *ends* and its standard error, as texts; a single one has none."""
    error = f"{stdev(ends) / sqrt(len(ends)):.4f}" if len(ends) > 1 else "–"
    return f"{fmean(ends):.4f}".replace("-", "−"), error


def _end(asked: Question, h: Number, random: Random) -> float:
    """w_T − w* of one run with noise."""
    curvature = h.numerator / h.denominator
    coefficients = [each.numerator / each.denominator for each in asked.coefficients]
    error, gradients = 1.0, [0.0] * len(coefficients)  # the newest first
    for _ in range(asked.updates):
        noise = 1 - 2 * random.getrandbits(1)
        gradients = [curvature * error + noise, *gradients[:-1]]
        error -= sum(alpha * g for alpha, g in zip(coefficients, gradients, strict=True))
    return error
