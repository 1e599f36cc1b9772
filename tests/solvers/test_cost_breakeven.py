"""cost-breakeven against bills that are added up, spot against months of losses at even times."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, refusals, results

AMOUNTS = st.fractions(0, 1000, max_denominator=100)
NAMES = ("first_once", "first_use", "second_once", "second_use")


def bill(once: Fraction, use: Fraction, units: Fraction, per: Fraction) -> Fraction:
    return once + units / per * use


@settings(max_examples=300, deadline=None)
@given(
    amounts=st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS),
    per=st.integers(1, 10**6),
    use=st.fractions(0, 10**6, max_denominator=10),
)
def test_the_bills_cross_there(
    amounts: tuple[Fraction, Fraction, Fraction, Fraction], per: int, use: Fraction
) -> None:
    stated: dict[str, Any] = {n: f"{a} USD" for n, a in zip(NAMES, amounts, strict=True)}
    found: dict[str, Any] = results("cost-breakeven", **stated, per=per, use=use)

    def saved(units: Fraction) -> Fraction:
        first, second = amounts[:2], amounts[2:]
        return bill(*first, units, Fraction(per)) - bill(*second, units, Fraction(per))

    assert found["saved"] == saved(use)
    balance = found["balance"]
    if balance is None:
        assert saved(Fraction(0)) * saved(Fraction(10**12)) > 0 or amounts[1] == amounts[3]
    else:
        assert saved(balance) == 0
        assert (saved(balance + 1) > 0) == (found["beyond"] == 2)
        assert saved(balance + 1) * saved(balance - 1) < 0


HOURS = st.fractions(Fraction(1, 10), 10, max_denominator=20)
PRICES = st.fractions(Fraction(1, 10), 10, max_denominator=10)


def months(
    spot: Fraction, overhead: Fraction, lost: Fraction, apart: Fraction, always: bool
) -> Any:
    """What an hour of work costs, over many losses at even times; None if nothing gets done."""
    paid = worked = Fraction(0)
    for _ in range(12):
        if always:  # a loss at every so many hours, whatever is done in them
            paid, worked = paid + apart, worked + max(apart - lost, 0)
        else:  # so many hours of work, then a loss
            paid, worked = paid + apart + lost, worked + apart
    return paid * spot / worked * (1 + overhead) if worked else None


@settings(max_examples=300, deadline=None)
@given(
    spot=PRICES,
    on_demand=PRICES,
    overhead=st.fractions(0, 1, max_denominator=20),
    lost=HOURS,
    always=st.booleans(),
)
def test_losses_of_months(
    spot: Fraction, on_demand: Fraction, overhead: Fraction, lost: Fraction, always: bool
) -> None:
    stated: dict[str, Any] = {"spot": f"{spot} USD/h", "on_demand": f"{on_demand} USD/h"}
    stated |= {"overhead": overhead, "lost": f"{lost} h"}
    stated["strikes"] = "always" if always else "working"
    found: dict[str, Any] = results("spot", **stated)
    if found["rate"] is None:
        assert spot * (1 + overhead) >= on_demand
        assert found["between"] is None
        return
    apart = Fraction(found["between"]) / 3600
    assert found["rate"] * apart == 1
    assert results("spot", **stated, span="24 h")["rate"] == 24 * found["rate"]
    assert months(spot, overhead, lost, apart, always) == on_demand
    seldom: dict[str, Any] = results("spot", **stated, apart=f"{2 * apart} h")
    hour = months(spot, overhead, lost, 2 * apart, always)
    assert seldom["effective"] * 3600 == hour < on_demand
    assert seldom["saved"] == 1 - hour / on_demand


def test_the_cases_as_published() -> None:
    stated = {"spot": "1.5 USD/h", "on_demand": "4 USD/h", "overhead": "0.05", "lost": "0.5 h"}
    assert results("spot", **stated)["rate"] == Fraction(12125, 10000)
    other = readings("spot", **stated)
    assert other == {("strikes", "working"): (Fraction(4000, 1575) - 1) * 2}
    model = dict(zip(NAMES, ("1e7 USD", "0.001 USD", "1.5e7 USD", "0.0001 USD"), strict=True))
    assert results("cost-breakeven", **model, per="1e6")["balance"] == Fraction(5 * 10**16, 9)


OFFERS = dict(zip(NAMES, ("1 USD", "2 USD", "3 USD", "1 USD"), strict=True))
MACHINE = {"spot": "1 USD/h", "on_demand": "2 USD/h", "lost": "1 h"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "told"),
    [
        ("cost-breakeven", OFFERS | {"first_use": "2"}, "first_use", "needs a unit"),
        ("cost-breakeven", OFFERS | {"first_use": "$2"}, "first_use", "USD"),
        ("cost-breakeven", OFFERS | {"second_once": "-1 USD"}, "second_once", "at least 0"),
        ("cost-breakeven", OFFERS | {"per": "0"}, "per", "at least 1"),
        ("spot", MACHINE | {"spot": "0 USD/h"}, "spot", "more than 0"),
        ("spot", MACHINE | {"spot": "1 USD"}, "spot", "money per time"),
        ("spot", MACHINE | {"lost": "0 h"}, "lost", "more than 0"),
        ("spot", MACHINE | {"apart": "1 h"}, "apart", "nothing gets finished"),
        ("spot", MACHINE | {"overhead": "-0.1"}, "overhead", "at least 0"),
    ],
)
def test_refused(slug: str, given: dict[str, str], parameter: str, told: str) -> None:
    [(name, text)] = refusals(slug, **given)
    assert name == parameter
    assert told in text
