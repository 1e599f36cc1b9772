"""backup-workers beyond exponential times: sixty digits of normal ones, drawn rounds, limits."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath as mp
import pytest
from stating import results

from ddcalc.types.stragglers import _normal as normal

TYPE = "backup-workers"
DIGITS = 50


@pytest.fixture(autouse=True)
def fifty_digits() -> Any:
    with mp.workdps(DIGITS + 15):
        yield


def solved(**stated: Any) -> dict[str, Any]:
    return results(TYPE, **stated)


def exact(value: Fraction | int) -> Any:
    return mp.mpf(value.numerator) / value.denominator


LAWS: dict[str, dict[str, Any]] = {
    "exponential": {"means": "2 s"},
    "shifted": {"distribution": "shifted-exponential", "shift": "2 s", "means": "5 s"},
    "uniform": {"distribution": "uniform", "spread": "2 s", "means": "5 s"},
    "pareto": {"distribution": "pareto", "tail": "5/2", "means": "5 s"},
    "normal": {"distribution": "normal", "means": "5 s", "spread": "2 s"},
    "measured": {"times": ["1 s", "2 s", "4 s", "9 s"]},
}


@pytest.mark.parametrize(
    ("n", "printed"),
    [  # Harter, Expected values of normal order statistics, Biometrika 48, 1961, to five decimals
        (5, ["1.16296", "0.49502", "0"]),
        (10, ["1.53875", "1.00136", "0.65606", "0.37576", "0.12267"]),
        (20, ["1.86748", "1.40760", "1.13095"]),
        (100, ["2.50759", "2.14814"]),
    ],
)
def test_normal_order_statistics_as_printed(n: int, printed: list[str]) -> None:
    values = normal.smallest(n)
    for i, text in enumerate(printed, 1):
        assert abs(Fraction(values[-i]) - Fraction(text)) <= Fraction(1, 2 * 10**5)
        assert values[i - 1] == -values[-i]


@pytest.mark.parametrize("z", [Fraction(1, 1000), 1, Fraction(-7, 3), 9, -25, 39])
def test_normal_chances(z: Fraction | int) -> None:
    """z² has a gamma distribution."""
    tail = mp.gammainc(mp.mpf(1) / 2, exact(Fraction(z) ** 2) / 2, regularized=True) / 2
    for chance, witness in zip(normal.chances(abs(z)), (1 - tail, tail), strict=True):
        assert abs(exact(Fraction(chance)) / witness - 1) < mp.mpf(10) ** -DIGITS
    assert normal.chances(-z) == normal.chances(z)[::-1]


@pytest.mark.parametrize("law", LAWS)
def test_rounds_drawn_beside_the_expected_time(law: str) -> None:
    stated = {**LAWS[law], "workers": 6, "wait_for": 4, "runs": 2000, "seed": 3}
    values, again = solved(**stated), solved(**stated)
    assert values == again
    assert abs(values["distance"]) < 4
    gap = Fraction(values["simulated"]) - Fraction(values["wait"])
    assert abs(Fraction(values["distance"]) - gap / Fraction(values["standard_error"])) < Fraction(
        1, 10**40
    )
    other = solved(**{**stated, "seed": 4})
    assert other["simulated"] != values["simulated"]
    longer = solved(**{**stated, "runs": 8000})
    assert 1.5 < float(values["standard_error"] / longer["standard_error"]) < 2.7  # about 2


def test_as_many_workers_as_are_possible() -> None:
    for law in ("shifted", "uniform", "pareto"):
        waits = solved(**LAWS[law], workers=1024)["waits"]
        assert all(one < other for one, other in pairwise(waits))
    values = solved(means="1 s", workers=256, distribution="normal", spread="10 ms", wait_for=250)
    assert values["waits"][127] + values["waits"][128] == 2
    late = solved(means="1 s", workers=1024, wait_for=1000, longer_than="3 s")["late_chance"]
    assert 0 < late < 1
