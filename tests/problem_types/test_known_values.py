"""Types beside NumPy, mpmath, published tables and many draws: what no witness sees."""

import random
from fractions import Fraction
from functools import partial
from itertools import chain, islice, pairwise
from math import exp
from statistics import fmean, stdev
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from questions import asked, results

from ddcalc.types.schedules import _staleness as stale
from ddcalc.types.schedules._staleness import KINKED_MEAN
from ddcalc.types.stragglers import _normal as normal

STALE = "staleness"
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
def test_the_quadratic_against_companion_matrices(ages, seed):
    alphas, low, high = drawn(seed, ages)
    values: Any = results(STALE, low=low, high=high, alpha=list(alphas))
    largest = max(radius(alphas, h) for h in np.linspace(float(low), float(high), 120))
    assert largest <= float(values["rate"]) + 1e-5
    assert float(values["rate"]) <= largest + 1e-2  # the worst may lie between the samples
    limit = float(values["curvature_limit"])
    assert all(radius(alphas, limit * x) < 1 + 1e-6 for x in np.linspace(0.001, 0.999, 30))
    assert radius(alphas, limit * 1.001) > 1
    if values["stale_limit"] is not None:
        times = float(values["stale_limit"] / sum(alphas[1:]))
        assert _worst(alphas, times * 0.999, low, high) < 1
        assert _worst(alphas, times * 1.001, low, high) > 1


def _worst(alphas: Any, times: float, low: Fraction, high: Fraction) -> float:
    more = (alphas[0], *(float(alpha) * times for alpha in alphas[1:]))
    return max(radius(more, h) for h in np.linspace(float(low), float(high), 60))


@pytest.mark.parametrize("low", ["1e-6", "1/3000", "1e-10"])
def test_a_slow_run_is_not_told_as_none(low):
    """Rounded up to a millionth, the largest root would be 1."""
    values: Any = results(STALE, low=low, high=1, alpha="0.1")["rate"]
    true = 1 - Fraction(low) / 10
    assert true <= values < 1
    assert values - true <= (1 - true) / 100


@pytest.mark.parametrize("seed", range(6))
def test_what_is_proved_holds_under_any_curvature(seed):
    """The curvature of each gradient is drawn anew, as in theorem 1; k distances shrink by q."""
    draw = random.Random(seed)
    low, high = Fraction(1), Fraction(draw.randint(1, 8))
    fresh = Fraction(draw.randint(1, 10), 10) / high
    alphas = (fresh, *(low / (2 * high) * fresh * share for share in (HALF, HALF)))
    text = results(STALE, low=low, high=high, alpha=list(alphas))
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


def test_two_slopes_leave_a_mean_of_minus_a_sixth():
    """The long-run shares are those that one step keeps, and the mean is theirs."""
    shares = dict(stale.positions(60))
    after: dict[Fraction, Fraction] = {}
    for w, share in shares.items():
        for noise in (-1, 1):
            new = w - ((w if w < 0 else 2 * w) + noise) / 2
            after[new] = after.get(new, Fraction(0)) + share / 2
    assert sum(shares.values()) == pytest.approx(1)
    assert all(abs(after[w] - share) < Fraction(1, 2**50) for w, share in shares.items())
    mean = sum(w * share for w, share in shares.items())
    assert abs(mean - KINKED_MEAN) < Fraction(1, 10**15)
    assert results(STALE, low=1, high=1, alpha="0.5")["kinked_mean"] == KINKED_MEAN


@pytest.mark.parametrize("stated", [["0.2", "0.05"], ["0.2"], ["0.1", "0.05", "0.05"]])
def test_means_over_seeds_with_their_standard_errors(stated):
    """The means are near the exact ones, and the errors are those of the exact variances."""
    alphas = tuple(map(Fraction, stated))
    given = {"low": 1, "high": 4, "alpha": alphas, "runs": 900, "updates": 15}
    found: Any = stale.table(given, {"part": "noise"})
    error = (float(found["variance"]) / 900) ** 0.5
    assert float(found["noisy_error"]) == pytest.approx(error, rel=0.1)
    assert abs(found["noisy_mean"] - found["error_low"]) < 4 * found["noisy_error"]
    assert abs(found["kinked_played"] - KINKED_MEAN) < 4 * found["kinked_error"]


@pytest.mark.parametrize("ages", [2, 4])
def test_the_steps_as_printed_double(ages):
    stated = stale.StaleRun(1, 4, (Fraction(1, 10**4),) * ages, None, 5)
    least = list(islice(stale.grown(stated), 9))
    for step in range(ages - 1, 9):
        assert least[step] == 8 * sum(map(Fraction, least[step - ages + 1 : step]))
    broken = stale.broken_after(stated)
    assert broken is not None
    assert least[broken - 1] <= Fraction(1, 4) < [*islice(stale.grown(stated), broken + 1)][broken]


DIGITS = 50


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(DIGITS + 15):
        yield


solved = partial(results, "backup-workers")


def real(value: Fraction | int) -> Any:
    return mp.mpf(value.numerator) / value.denominator


LAWS: dict[str, dict[str, Any]] = {
    "exponential": {"means": "2 s"},
    "shifted": {"distribution": "shifted-exponential", "shift": "2 s", "means": "5 s"},
    "uniform": {"distribution": "uniform", "spread": "2 s", "means": "5 s"},
    "pareto": {"distribution": "pareto", "tail": "5/2", "means": "5 s"},
    "normal": {"distribution": "normal", "means": "5 s", "spread": "2 s"},
    "measured": {"times": ["1 s", "2 s", "4 s", "9 s"]},
}


@pytest.mark.parametrize("z", [Fraction(1, 1000), 1, Fraction(-7, 3), 9, -25, 39])
def test_normal_chances(z):
    """z² has a gamma distribution."""
    tail = mp.gammainc(mp.mpf(1) / 2, real(Fraction(z) ** 2) / 2, regularized=True) / 2
    for chance, witness in zip(normal.chances(abs(z)), (1 - tail, tail), strict=True):
        assert abs(real(Fraction(chance)) / witness - 1) < mp.mpf(10) ** -DIGITS
    assert normal.chances(-z) == normal.chances(z)[::-1]


@pytest.mark.parametrize("law", LAWS)
def test_rounds_drawn_beside_the_expected_time(law):
    stated = {**LAWS[law], "workers": 6, "wait_for": 4, "runs": 2000, "seed": 3}
    values = solved(**stated)
    assert values == solved(**stated)
    assert abs(values["distance"]) < 4
    gap = Fraction(values["simulated"]) - Fraction(values["wait"])
    off = Fraction(values["distance"]) - gap / Fraction(values["standard_error"])
    assert abs(off) < Fraction(1, 10**40)
    assert solved(**{**stated, "seed": 4})["simulated"] != values["simulated"]
    longer = solved(**{**stated, "runs": 8000})
    assert 1.5 < float(values["standard_error"] / longer["standard_error"]) < 2.7  # about 2


def test_as_many_workers_as_are_possible():
    waits = solved(**LAWS["pareto"], workers=1024)["waits"]
    assert all(one < other for one, other in pairwise(waits))
    values = solved(means="1 s", workers=256, distribution="normal", spread="10 ms", wait_for=250)
    assert values["waits"][127] + values["waits"][128] == 2
    late = solved(means="1 s", workers=1024, wait_for=1000, longer_than="3 s")["late_chance"]
    assert 0 < late < 1


@pytest.mark.parametrize("seed", range(4))
def test_curvatures_against_numpy(seed):
    draw = random.Random(seed)
    rows = [[draw.randint(-9, 9) for _ in range(1 + seed)] for _ in range(6)]
    answer = results("ridge", inputs=[*chain(*rows)], targets=[*range(6)], eta=2)
    squares = np.array(rows).T @ np.array(rows) + 2 * np.eye(1 + seed)
    ends = np.linalg.eigvalsh(2 * squares)[[0, -1]]
    assert [float(answer[end]) for end in ("smallest", "largest")] == pytest.approx(ends, rel=1e-6)
    assert answer["low"] <= answer["smallest"] <= answer["largest"] <= answer["high"]


# Bounds and draws


DRAWS: Any = [("quantize", "quantized", {"bits": 2}, 5)]
DRAWS += [("sparsify", "sparse", {"kept": 2, "method": "unbiased"}, 6)]


@pytest.mark.parametrize(("slug", "arrives", "how", "kinds"), DRAWS)
def test_many_seeds_come_near_the_expectation(slug, arrives, how, kinds):
    """The mean error of many draws is within four standard errors of what is expected."""
    vector = ["0.3", "-0.4", "1.1", "0.7"]
    values: list[Any] = [results(slug, vector=vector, seed=seed, **how) for seed in range(200)]
    errors = [float(item["error"]) for item in values]
    off = abs(fmean(errors) - float(values[0]["expected_error"]))
    assert off <= 4 * stdev(errors) / 200**0.5
    assert len({tuple(item[arrives]) for item in values}) >= kinds


@pytest.mark.parametrize(
    ("write", "failures"), [(1, 600), (60, 10**4), (900, 10**4), (5000, 600), (60, 10**6)]
)
def test_the_exact_interval_is_best_and_its_minimum_as_flat_as_is_said(write, failures):
    losses = {}
    for formula in ("exact", "young", "daly"):
        stated = {"write": f"{write} s", "failures": f"{failures} s", "formula": formula}
        found: dict[str, Any] = results("checkpoint-interval", **stated)
        losses[formula] = found["loss"]

        def wall(tau: float) -> float:
            return failures * (exp((tau + write) / failures) - 1) / tau

        tau = float(found["interval"])
        beside = max(wall(tau / 2), wall(2 * tau)) / wall(tau)
        words = asked("checkpoint-interval", **stated).commentary().insights
        said = " ".join("".join(map(str, one)) for one in words)
        assert ("is flat" in said) == (beside <= 1.05 and wall(tau / 2) >= wall(tau))
    assert losses["exact"] == min(losses.values())


CREW: dict[str, Any] = {"overhead": "30 ms", "per_sample": "0.1 ms", "least_steps": 3000}
CREW |= {"critical_batch": 8192, "most_workers": 128}


def test_the_best_is_near_the_optimum_in_parts():
    answers: dict[str, Any] = results("batch-workers", **CREW, per_worker="0.5 ms")
    z = answers["balance"]
    assert float(z**3) == pytest.approx(float(Fraction(8192, 2 * 10**7) * (z + Fraction("0.03"))))
    assert abs(answers["best_workers"] - z * 2000) < 1
    assert abs(answers["batch"] - z * 10000) < 1
    prices = {"price": "2 USD/h", "waiting": "50 USD/h", "goal": "cost"}
    answers = results("batch-workers", **CREW, **prices)
    assert abs(answers["best_workers"] - answers["cheapest"]) < 1
