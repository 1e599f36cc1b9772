"""Means, and what differences of a few seeds can show."""

from __future__ import annotations

import pytest

from ddcalc.experiment.standings import estimate


def test_of_nothing_there_is_no_mean():
    assert estimate([]) is None


def test_one_value_has_no_spread():
    value = estimate([3.0])
    assert (value.mean, value.deviation, value.error, value.shown) == (3, None, None, 0)
    assert value.with_deviation == "3.00"


def test_the_interval_is_that_of_a_textbook():
    """Student's own sleep data (1908): 10 differences, mean 1.58, t = 4.0621, interval by R's
    ``t.test(paired = TRUE)`` 0.7001 to 2.4599."""
    value = estimate([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
    assert value.mean == pytest.approx(1.58)
    assert value.mean / value.error == pytest.approx(4.0621, abs=1e-4)
    assert value.mean - value.margin == pytest.approx(0.7001, abs=1e-3)
    assert value.mean + value.margin == pytest.approx(2.4599, abs=1e-3)
    assert value.shown == 1


@pytest.mark.parametrize(
    ("values", "shown", "says"),
    [
        ([-3.0, -2.0, -4.0], -1, "−3.0 ± 1.0"),
        ([-3.0, 2.0, -4.0], 0, "−1.7 ± 3.2"),
        ([-0.01, 0.5, -0.5], 0, "0.00 ± 0.50"),
        ([2.0, 2.0], 1, "2.00"),
        ([0.0, 0.0], 0, "0"),
        ([12345.0, 12355.0], 1, "12 350.0 ± 7.1"),
    ],
)
def test_what_is_shown_and_told(values, shown, says):
    value = estimate(values)
    assert (value.shown, value.with_deviation) == (shown, says)
