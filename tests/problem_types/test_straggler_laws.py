"""backup-workers beyond exponential times: quadrature, inclusion and exclusion, every draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import comb, sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, refusals, results

from ddcalc.numbers.irrational import Approximate
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


def close(value: Fraction, witness: Any, digits: int = DIGITS) -> bool:
    return bool(abs(exact(value) - witness) <= mp.mpf(10) ** -digits * max(1, abs(witness)))


# Expected times


def from_minima(n: int, k: int, shortest: Callable[[int], Fraction]) -> Fraction:
    """The k-th smallest of n like times from the expected *shortest* of 1, 2, … of them.

    Inclusion and exclusion: max-min identities, with no law in them.
    """
    return sum(
        (
            (-1) ** (j - n + k - 1) * comb(j - 1, n - k) * comb(n, j) * shortest(j)
            for j in range(n - k + 1, n + 1)
        ),
        Fraction(0),
    )


LAWS: dict[str, tuple[dict[str, Any], Callable[[int], Fraction]]] = {
    "shifted": (
        {"distribution": "shifted-exponential", "shift": "2 s", "means": "5 s"},
        lambda j: 2 + Fraction(3, j),
    ),
    "all shift": (
        {"distribution": "shifted-exponential", "shift": "5 s", "means": "5 s"},
        lambda _: Fraction(5),
    ),
    "uniform": (
        {"distribution": "uniform", "spread": "2 s", "means": "5 s"},
        lambda j: 3 + Fraction(4, j + 1),
    ),
    "uniform from 0": (
        {"distribution": "uniform", "spread": "5 s", "means": "5 s"},
        lambda j: Fraction(10, j + 1),
    ),
    "pareto": (  # the shortest of j has the exponent j·α
        {"distribution": "pareto", "tail": "5/2", "means": "5 s"},
        lambda j: 3 * Fraction(5 * j, 2) / (Fraction(5 * j, 2) - 1),
    ),
    "heavy pareto": (
        {"distribution": "pareto", "tail": "1.01", "means": "101 s"},
        lambda j: 1 * Fraction(101 * j, 100) / (Fraction(101 * j, 100) - 1),
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_exact_laws_by_inclusion_and_exclusion(law: str, n: int) -> None:
    stated, shortest = LAWS[law]
    expected = [from_minima(n, k, shortest) for k in range(1, n + 1)]
    values = solved(**stated, workers=n)
    assert values["waits"] == expected
    assert (values["first"], values["last"]) == (expected[0], expected[-1])


def by_quadrature(n: int, k: int) -> Any:
    """The k-th smallest of n standard normal values, from the chances that it is above x."""

    def chance(x: Any) -> Any:
        below, above = mp.ncdf(x), mp.ncdf(-x)
        return mp.fsum(comb(n, i) * below**i * above ** (n - i) for i in range(k))

    pieces = list(range(-16, 17, 2))
    half = mp.quad(chance, [x for x in pieces if x >= 0])
    return half - mp.quad(lambda x: 1 - chance(x), [x for x in pieces if x <= 0])


@pytest.mark.parametrize(("n", "ks"), [(2, [1]), (3, [1, 3]), (5, [2, 5]), (12, [1, 6]), (40, [3])])
def test_normal_order_statistics_by_quadrature(n: int, ks: list[int]) -> None:
    values = normal.smallest(n)
    for k in ks:
        assert close(Fraction(values[k - 1]), by_quadrature(n, k), 45)


def test_normal_order_statistics_in_closed_form() -> None:
    """1/√π, 3/(2√π), and 6·arctan(√2)/π^(3/2) for two, three and four values."""
    root = mp.sqrt(mp.pi)
    largest = {2: 1 / root, 3: 3 / (2 * root), 4: 6 * mp.atan(mp.sqrt(2)) / (mp.pi * root)}
    for n, witness in largest.items():
        value = normal.smallest(n)[-1]
        assert close(Fraction(value), witness)
        assert type(value) is Approximate


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


@pytest.mark.parametrize("n", [2, 5, 9, 64])
def test_normal_order_statistics_add_up(n: int) -> None:
    """The sum of squares of n values is n: here the expected maximum's share is bounded by it."""
    values = [Fraction(value) for value in normal.smallest(n)]
    assert sum(values) == 0
    assert values == sorted(values)
    assert sum(value**2 for value in values) < n  # by Jensen, E[Z]² < E[Z²]
    first, second = Fraction(values[-1]), Fraction(normal.smallest(n + 1)[-1])
    below = Fraction(normal.smallest(n + 1)[-2])
    assert abs(first - (n * second + below) / (n + 1)) < Fraction(1, 10**55)  # dropping one value


def test_the_rule_is_as_good_with_more_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error bound holds: a finer rule changes nothing that is told."""
    rough = normal.smallest.__wrapped__(9)
    fine_steps = 2 * normal._steps(9) + 3
    monkeypatch.setattr(normal, "_steps", lambda _: fine_steps)
    fine = normal.smallest.__wrapped__(9)
    for one, other in zip(rough, fine, strict=True):
        assert abs(Fraction(one) - Fraction(other)) < Fraction(1, 10**60)


@pytest.mark.parametrize("z", [Fraction(1, 1000), 1, Fraction(-7, 3), 9, -25, 39])
def test_normal_chances(z: Fraction | int) -> None:
    below, above = normal.chances(z)
    for chance, side in ((below, -1), (above, 1)):
        witness = mp.erfc(side * exact(Fraction(z)) / mp.sqrt(2)) / 2
        assert abs(exact(Fraction(chance)) / witness - 1) < mp.mpf(10) ** -DIGITS


def test_normal_times_are_scaled_and_shifted() -> None:
    values = solved(means="3 s", spread="0.2 s", distribution="normal", workers=7)
    standard = normal.smallest(7)
    for wait, z in zip(values["waits"], standard, strict=True):
        assert abs(Fraction(wait) - 3 - Fraction(z) / 5) < Fraction(1, 10**50)
    assert values["waits"][3] == 3  # the median


TIMES = st.lists(st.fractions(Fraction(1, 10), 9, max_denominator=10), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(times=TIMES, n=st.integers(1, 4), data=st.data())
def test_measured_times_by_every_draw(times: list[Fraction], n: int, data: st.DataObject) -> None:
    sampling = data.draw(st.sampled_from(["with", "without"] if n <= len(times) else ["with"]))
    limit = data.draw(st.fractions(0, 10, max_denominator=10))
    k = data.draw(st.integers(1, n))
    draws = list(product(times, repeat=n) if sampling == "with" else permutations(times, n))
    values = solved(times=times, workers=n, wait_for=k, sampling=sampling, longer_than=limit)
    ordered = [sorted(draw) for draw in draws]
    columns = list(zip(*ordered, strict=True))
    assert values["waits"] == [sum(column, Fraction(0)) / len(draws) for column in columns]
    late = sum(wait > limit for wait in columns[k - 1])
    assert values["late_chance"] == Fraction(late, len(draws))


def test_as_many_workers_as_measured_times() -> None:
    values = solved(times=["3 s", "1 s", "2 s"], sampling="without")
    assert values["waits"] == [1, 2, 3]
    text = readings(TYPE, times=["3 s", "1 s", "2 s"], sampling="without")
    assert text == {("sampling", "with"): solved(times=["3 s", "1 s", "2 s"])["wait"]}


# The best k


@pytest.mark.parametrize("law", LAWS)
def test_the_best_k_of_all(law: str) -> None:
    stated, shortest = LAWS[law]
    for fixed in (0, Fraction(1, 2), 30):
        waits = [from_minima(9, k, shortest) for k in range(1, 10)]
        rates = [k / (fixed + wait) for k, wait in enumerate(waits, 1)]
        values = solved(**stated, workers=9, fixed=f"{fixed} s")
        assert values["gradient_rates"] == rates
        assert values["best_wait_for"] == rates.index(max(rates)) + 1


def test_like_times_are_waited_for_all() -> None:
    """Unlike exponential ones: with little spread nobody is worth leaving behind."""
    tight = {"means": "1 s", "distribution": "normal", "spread": "10 ms", "workers": 8}
    assert solved(**tight)["best_wait_for"] == 8
    heavy = {"means": "1 s", "distribution": "pareto", "tail": "1.2", "workers": 8}
    assert solved(**heavy)["best_wait_for"] < 8


# The chance of a long iteration


def by_sets(chances: Sequence[Any], k: int) -> Any:
    """The chance of fewer than *k* done, over every set of workers that may be done."""
    n = len(chances)
    values = mp.mpf(0)
    for size in range(k):
        for done in combinations(range(n), size):
            values += mp.fprod(p if i in done else 1 - p for i, p in enumerate(chances))
    return values


DONE: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "exponential": ({"means": "2 s"}, lambda t: 1 - mp.exp(-t / 2)),
    "shifted": (LAWS["shifted"][0], lambda t: 1 - mp.exp(-max(t - 2, 0) / 3)),
    "uniform": (LAWS["uniform"][0], lambda t: min(max((t - 3) / 4, 0), 1)),
    "pareto": (LAWS["pareto"][0], lambda t: 1 - min(1, 3 / t) ** 2.5),
    "normal": (
        {"distribution": "normal", "means": "5 s", "spread": "2 s"},
        lambda t: mp.ncdf((t - 5) / 2),
    ),
}


@pytest.mark.parametrize("law", DONE)
@pytest.mark.parametrize("time", ["1/2", "5/2", "4", "6", "9"])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_the_chance_of_a_long_iteration(law: str, time: str, k: int) -> None:
    stated, done = DONE[law]
    limit = Fraction(time)
    values = solved(**stated, workers=5, wait_for=k, longer_than=f"{limit + 1} s", fixed="1 s")
    witness = by_sets([done(exact(limit))] * 5, k)
    assert close(Fraction(values["late_chance"]), witness)


@settings(max_examples=30, deadline=None)
@given(
    means=st.lists(st.fractions(Fraction(1, 4), 5, max_denominator=4), min_size=2, max_size=5),
    time=st.fractions(Fraction(1, 10), 6, max_denominator=10),
    data=st.data(),
)
def test_unlike_workers_by_every_set(
    means: list[Fraction], time: Fraction, data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(means)))
    with mp.workdps(DIGITS + 15):
        chances = [1 - mp.exp(-exact(time / mean)) for mean in means]
        values = solved(means=means, wait_for=k, longer_than=time)
        assert close(Fraction(values["late_chance"]), by_sets(chances, k))


def test_no_time_at_all_is_surely_too_short() -> None:
    values = solved(means="1 s", workers=3, fixed="2 s", longer_than="1 s")
    assert values["late_chance"] == 1
    assert "done_chances" not in values
    assert solved(means="1 s", workers=3, fixed="2 s", longer_than="2 s")["late_chance"] == 1


# Drawn rounds


SAMPLERS: dict[str, tuple[dict[str, Any], Callable[[Random], float]]] = {
    "exponential": ({"means": "2 s"}, lambda r: r.expovariate(1 / 2)),
    "shifted": (LAWS["shifted"][0], lambda r: 2 + r.expovariate(1 / 3)),
    "uniform": (LAWS["uniform"][0], lambda r: r.uniform(3, 7)),
    "pareto": (LAWS["pareto"][0], lambda r: 3 * r.paretovariate(2.5)),
    "normal": (DONE["normal"][0], lambda r: r.gauss(5, 2)),
    "measured": ({"times": ["1 s", "2 s", "4 s", "9 s"]}, lambda r: r.choice([1, 2, 4, 9])),
}


@pytest.mark.parametrize("law", SAMPLERS)
def test_rounds_drawn_by_hand_last_as_long(law: str) -> None:
    """Python's own distributions, drawn and sorted here; 4 standard errors off at most."""
    stated, draw = SAMPLERS[law]
    random = Random(5)
    rounds = [sorted(draw(random) for _ in range(6)) for _ in range(8000)]
    values = solved(**stated, workers=6, wait_for=4)
    for k in (1, 4, 6):
        waits = [item[k - 1] for item in rounds]
        error = stdev(waits) / sqrt(len(waits))
        expected = float(values["waits"][k - 1])
        assert abs(fmean(waits) - expected) < 4 * error, k


@pytest.mark.parametrize("law", SAMPLERS)
def test_rounds_drawn_beside_the_expected_time(law: str) -> None:
    stated = {**SAMPLERS[law][0], "workers": 6, "wait_for": 4, "runs": 2000, "seed": 3}
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


def test_usual_runs_and_seed() -> None:
    few = solved(means="1 s", workers=2, runs=50)
    assert few["simulated"] == solved(means="1 s", workers=2, runs=50, seed=1)["simulated"]
    many = solved(means="1 s", workers=2, seed=1)
    assert many["simulated"] == solved(means="1 s", workers=2, runs=10000)["simulated"]
    assert "simulated" not in solved(means="1 s", workers=2)


# Explanations


# Limits and refusals


@pytest.mark.parametrize(
    ("stated", "parameter", "message"),
    [
        ({"means": "1 s", "times": ["1 s"]}, "times", "goes without means"),
        ({"times": ["1 s"], "distribution": "uniform", "spread": "1 s"}, "times", "without a dist"),
        ({"times": ["1 s"], "spread": "1 s"}, "spread", "nothing that measured times take"),
        ({"means": "1 s", "spread": "1 s"}, "spread", "nothing that exponential times take"),
        ({"means": "1 s", "distribution": "uniform"}, None, "missing: spread"),
        ({"means": "1 s", "distribution": "pareto"}, None, "missing: tail"),
        (
            {"means": "1 s", "distribution": "uniform", "spread": "2 s"},
            "spread",
            "longer than the mean",
        ),
        (
            {"means": "1 s", "distribution": "shifted-exponential", "shift": "2 s"},
            "shift",
            "longer than the mean",
        ),
        (
            {"means": "1 s", "distribution": "normal", "spread": "2 s", "workers": 9},
            "spread",
            "so wide that the fastest would be done before it begins",
        ),
        (
            {"means": ["1 s", "2 s"], "distribution": "uniform", "spread": "1 s"},
            "means",
            "one mean for all workers",
        ),
        (
            {"means": "1 s", "distribution": "normal", "spread": "1 ms", "workers": 257},
            "workers",
            "at most 256 are possible",
        ),
        (
            {"times": ["1 s", "2 s"], "sampling": "without", "workers": 3},
            "workers",
            "none of which comes twice",
        ),
        ({"times": ["1 s"], "workers": 1025}, "workers", "at most 1 024 are possible"),
        ({"times": ["1 s"] * 1000, "workers": 1000}, "times", "too many to be exact"),
        ({"means": "1 s", "workers": 1000, "runs": 10000}, "runs", "draw more than 2 000 000"),
        (
            {"means": "1 s", "distribution": "normal", "spread": "10 ms", "longer_than": "2 s"},
            "longer_than",
            "more than 40 standard deviations",
        ),
    ],
)
def test_refused(stated: dict[str, Any], parameter: str | None, message: str) -> None:
    ((values, text),) = refusals(TYPE, **stated)
    assert values == parameter
    assert message in text


def test_as_many_workers_as_are_possible() -> None:
    for law in ("shifted", "uniform", "pareto"):
        waits = solved(**LAWS[law][0], workers=1024)["waits"]
        assert all(one < other for one, other in pairwise(waits))
    values = solved(means="1 s", workers=256, distribution="normal", spread="10 ms", wait_for=250)
    assert values["waits"][127] + values["waits"][128] == 2
    late = solved(means="1 s", workers=1024, wait_for=1000, longer_than="3 s")["late_chance"]
    assert 0 < late < 1
