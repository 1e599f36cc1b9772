"""cost-breakeven and spot: the other reading, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from stating import readings, refusals

NAMES = ("first_once", "first_use", "second_once", "second_use")


def test_strikes_are_read_otherwise() -> None:
    stated = {"spot": "1.5 USD/h", "on_demand": "4 USD/h", "overhead": "0.05", "lost": "0.5 h"}
    other = readings("spot", **stated)
    assert other == {("strikes", "working"): (Fraction(4000, 1575) - 1) * 2}


OFFERS = dict(zip(NAMES, ("1 USD", "2 USD", "3 USD", "1 USD"), strict=True))
MACHINE = {"spot": "1 USD/h", "on_demand": "2 USD/h", "lost": "1 h"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "message"),
    [
        ("cost-breakeven", OFFERS | {"first_use": "€2"}, "first_use", "USD"),
        ("spot", MACHINE | {"spot": "1 USD"}, "spot", "money per time"),
        ("spot", MACHINE | {"apart": "1 h"}, "apart", "nothing gets finished"),
    ],
)
def test_refused(slug: str, given: dict[str, str], parameter: str, message: str) -> None:
    [(name, text)] = refusals(slug, **given)
    assert name == parameter
    assert message in text
