"""staleness against companion matrices in NumPy, runs by hand, and all noises enumerated."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from stating import results

from ddcalc.types.schedules._roots import Quadratic
from ddcalc.types.schedules._staleness import (
    KINKED_MEAN,
    StaleRun,
    broken_after,
    grown,
    positions,
    table,
)

SLUG = "staleness"
HALF = Fraction(1, 2)


def drawn(seed: int, ages: int) -> tuple[tuple[Fraction, ...], Fraction, Fraction]:
    draw = random.Random(f"{seed} {ages}")
    alphas = tuple(Fraction(draw.randint(1, 20), draw.choice([20, 50, 100])) for _ in range(ages))
    low = Fraction(draw.randint(1, 10), 4)
    return alphas, low, low + Fraction(draw.randint(0, 20), 4)


def radius(alphas: tuple[Fraction, ...], h: float) -> float:
    """The spectral radius of the companion matrix, in floats."""
    ages = len(alphas)
    matrix = np.zeros((ages, ages))
    matrix[0] = [-h * float(alpha) for alpha in alphas]
    matrix[0, 0] += 1
    matrix[1:, :-1] += np.eye(ages - 1)
    return float(max(abs(np.linalg.eigvals(matrix))))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ages", range(1, 7))
def test_the_quadratic_against_companion_matrices(ages: int, seed: int) -> None:
    alphas, low, high = drawn(seed, ages)
    values = Quadratic(alphas, low, high)
    sizes = [radius(alphas, h) for h in np.linspace(float(low), float(high), 120)]
    assert float(values.radii[0]) == pytest.approx(sizes[0], abs=1e-5)
    assert float(values.radii[1]) == pytest.approx(sizes[-1], abs=1e-5)
    assert max(sizes) <= float(values.rate) + 1e-5
    assert float(values.rate) <= max(sizes) + 1e-2  # the worst may lie between the samples
    assert values.rate >= max(values.radii)
    if abs(max(sizes) - 1) > 1e-3:
        assert values.converges == (max(sizes) < 1)
    limit = float(values.curvature_limit)
    assert all(radius(alphas, limit * x) < 1 + 1e-6 for x in np.linspace(0.001, 0.999, 30))
    assert radius(alphas, limit * 1.001) > 1
    if values.stale_limit is not None:
        times = float(values.stale_limit / sum(alphas[1:]))
        assert _worst(alphas, times * 0.999, low, high) < 1
        assert _worst(alphas, times * 1.001, low, high) > 1


def _worst(alphas: Any, times: float, low: Fraction, high: Fraction) -> float:
    more = (alphas[0], *(float(alpha) * times for alpha in alphas[1:]))
    return max(radius(more, h) for h in np.linspace(float(low), float(high), 60))


@pytest.mark.parametrize("low", ["1e-6", "1/3000", "1e-10"])
def test_a_slow_run_is_not_told_as_none(low: str) -> None:
    """Rounded up to a millionth, the largest root would be 1."""
    values: Any = results(SLUG, low=low, high=1, alpha="0.1")["rate"]
    true = 1 - Fraction(low) / 10
    assert true <= values < 1
    assert values - true <= (1 - true) / 100


@pytest.mark.parametrize("seed", range(6))
def test_what_is_proved_holds_under_any_curvature(seed: int) -> None:
    """The curvature of each gradient is drawn anew, as in theorem 1; k distances shrink by q."""
    draw = random.Random(seed)
    low, high = Fraction(1), Fraction(draw.randint(1, 8))
    fresh = Fraction(draw.randint(1, 10), 10) / high
    alphas = (fresh, *(low / (2 * high) * fresh * share for share in (HALF, HALF)))
    text = results(SLUG, low=low, high=high, alpha=list(alphas))
    factor = text["guaranteed"]
    assert isinstance(factor, int | Fraction)
    assert factor <= 1 - low * fresh / 2
    errors, gradients = [1.0], [0.0, 0.0, 0.0]
    for _ in range(30):
        curvature = draw.choice([float(low), float(high), draw.uniform(float(low), float(high))])
        gradients = [curvature * errors[-1], *gradients[:2]]
        pairs = zip(alphas, gradients, strict=True)
        errors.append(errors[-1] - sum(float(alpha) * g for alpha, g in pairs))
        before = max(map(abs, errors[-4:-1]))
        assert abs(errors[-1]) <= float(factor) * before + 1e-12


def test_two_slopes_leave_a_mean_of_minus_a_sixth() -> None:
    """The long-run shares are those that one step keeps, and the mean is theirs."""
    shares = dict(positions(60))
    after: dict[Fraction, Fraction] = {}
    for w, share in shares.items():
        for noise in (-1, 1):
            new = w - ((w if w < 0 else 2 * w) + noise) / 2
            after[new] = after.get(new, Fraction(0)) + share / 2
    assert sum(shares.values()) == pytest.approx(1)
    assert all(abs(after[w] - share) < Fraction(1, 2**50) for w, share in shares.items())
    mean = sum(w * share for w, share in shares.items())
    assert abs(mean - KINKED_MEAN) < Fraction(1, 10**15)
    assert results(SLUG, low=1, high=1, alpha="0.5")["kinked_mean"] == KINKED_MEAN


@pytest.mark.parametrize("stated", [["0.2", "0.05"], ["0.2"], ["0.1", "0.05", "0.05"]])
def test_means_over_seeds_with_their_standard_errors(stated: list[str]) -> None:
    """The means are near the exact ones, and the errors are those of the exact variances."""
    alphas = tuple(map(Fraction, stated))
    given = {"low": 1, "high": 4, "alpha": alphas, "runs": 900, "updates": 15}
    found: Any = table(given, {"part": "noise"})
    assert float(found["noisy_error"]) == pytest.approx(
        (float(found["variance"]) / 900) ** 0.5, rel=0.1
    )
    assert abs(found["noisy_mean"] - found["error_low"]) < 4 * found["noisy_error"]
    assert abs(found["kinked_played"] - KINKED_MEAN) < 4 * found["kinked_error"]


@pytest.mark.parametrize("ages", [2, 4])
def test_the_steps_as_printed_double(ages: int) -> None:
    stated = StaleRun(1, 4, (Fraction(1, 10**4),) * ages, None, 5)
    least = list(islice(grown(stated), 9))
    for step in range(ages - 1, 9):
        assert least[step] == 8 * sum(map(Fraction, least[step - ages + 1 : step]))
    broken = broken_after(stated)
    assert broken is not None
    assert least[broken - 1] <= Fraction(1, 4) < [*islice(grown(stated), broken + 1)][broken]
