"""A given of a schedule that need not be whole is found by trying, and nothing else is claimed.

The schedules of these questions are worked out by hand: workers of 1, 2 and 4 s that wait for each
other use 3 gradients every 4 s.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from ddcalc.ask.find import find
from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.trials import _simplest
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Number
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import Texts
from ddcalc.problem.steps import Compare

RUN: Texts = {"periods": ["1 s", "2 s", "4 s"]}
CORES: Texts = {"starts": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"]}
LONG = "(tried from 0.0009765625 s to 16 384 s"
SAYS = [
    (["gradients >= 30"], 40, f"T = 40 s  {LONG}: T ≥ 40 s)"),
    (["gradients = 30"], 40, f"T = 40 s  {LONG}: 40 s ≤ T < 44 s)"),
    (["gradients = 31"], None, "no T that was tried satisfies it (from"),
    (["gradients >= 30", "updates <= 12"], 40, f"T = 40 s  {LONG}: 40 s ≤ T < 52 s)"),
]  # fmt: skip


def _find(slug: str, texts: Texts, unknown: str, *where: str) -> Inversion:
    return find(problem_named(slug), unknown, where, texts)


@pytest.mark.parametrize(("where", "value", "says"), SAYS)
def test_a_horizon(where: list[str], value: Number | None, says: str) -> None:
    solved = _find("timeline", RUN, "horizon", *where)
    assert solved.answer.value == value
    assert solved.says().startswith(says)
    assert not solved.outcome.complete
    assert "nothing is proved" in solved.outcome.proof
    pair = [(step.left, step.holds) for step in solved.steps if isinstance(step, Compare)]
    assert where != ["gradients >= 30"] or pair == [(30, True), (27, False)]  # at 39.9 s


def test_an_exact_fraction_is_recovered() -> None:
    """As many updates as one after the other until 0.6 s: floor(0.6 s/u) is 7."""
    solved = _find("divergence", CORES | {"horizon": "0.6 s"}, "update", "async_updates = 7")
    assert solved.answer.value == Fraction(3, 35)
    [piece] = solved.outcome.solutions
    assert (piece.low, piece.low_in, piece.high) == (Fraction(3, 40), False, Fraction(3, 35))
    updates = [Fraction(3, 5) // u for u in (Fraction(3, 40), Fraction(3, 35), Fraction(9, 100))]
    assert updates == [8, 7, 6]


def test_a_number_that_is_not_simple_has_few_digits() -> None:
    texts: Texts = {"low": "1", "high": "4", "beta": "0.1", "ages": "3"}
    solved = _find("staleness", texts, "alpha", "rate <= 0.77")
    value = solved.answer.value
    assert isinstance(value, Fraction)
    assert (value * 10**6).denominator == 1


def test_no_fraction_is_taken_for_the_edge_by_chance() -> None:
    """Of drawn times the simplest fraction in the last gap means nothing."""
    drawn: Texts = {"scheme": "async", "workers": "4", "periods": ["1 s"], "seed": "3"}
    drawn |= {"distribution": "exponential"}
    solved = _find("timeline", drawn, "horizon", "gradients >= 50")
    value = solved.answer.value
    assert isinstance(value, Fraction)
    assert solved.quantities["gradients"].value == 50  # type: ignore[union-attr]
    assert 10**6 % value.denominator == 0


def test_what_no_number_is_admitted_for_is_refused() -> None:
    with pytest.raises(BadValue, match="is a formula here"):
        _find("divergence", CORES | {"update": "0.2 s"}, "horizon", "bound >= 1")


def test_the_simplest_number_between_two() -> None:
    """Against all fractions with a smaller denominator."""
    ends = [Fraction(n, 97) for n in range(-60, 400, 7)]
    for low, high in pairwise(ends):
        simple = _simplest(low, high)
        assert low <= simple <= high
        for bottom in range(1, simple.denominator):
            top = -(-low * bottom // 1)
            assert Fraction(top, bottom) > high
