"""Numbers as shown: exact where it says so, half up where it is rounded, readable again."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.numbers.amounts import count_text, in_sentence
from ddcalc.numbers.display import number_text, rounded
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT


def read(text: str) -> Fraction:
    """The number that a displayed *text* states."""
    plain = text.replace(" ", "").replace("−", "-")
    mantissa, power, exponent = plain.partition("×10^")
    return Fraction(mantissa) * Fraction(10) ** int(exponent if power else 0)


@pytest.mark.parametrize(
    ("value", "text", "exact"),
    [
        (0, "0", True),
        (-5, "−5", True),
        (999, "999", True),
        (1536, "1 536", True),
        (76800, "76 800", True),
        (10**15 - 1, "999 999 999 999 999", True),
        (10**15, "1×10^15", True),
        (15 * 10**20, "1.5×10^21", True),
        (-(10**30), "−1×10^30", True),
        (1234567890123456, "1.23457×10^15", False),
        (Fraction(1191, 2), "595.5", True),
        (Fraction(1, 8), "0.125", True),
        (Fraction(200, 3), "66.6667", False),
        (Fraction(-20000, 3), "−6 666.67", False),
        (Fraction(3703703, 3), "1 234 568", False),
        (Fraction(1, 10**6), "0.000001", True),
        (Fraction(25, 10**10), "2.5×10^−9", True),
        (Fraction(1, 3 * 10**9), "3.33333×10^−10", False),
        (Fraction(9999999, 10**7), "0.9999999", True),
        (1 - Fraction(1, 3 * 10**9), "1", False),
        (10**15 - Fraction(1, 3), "1×10^15", False),
    ],
)
def test_number_text(value: Number, text: str, exact: bool) -> None:
    assert number_text(value) == (text, exact)


NUMBERS = st.one_of(
    st.integers(),
    st.fractions(),
    st.decimals(-(10**20), 10**20, allow_nan=False).map(Fraction),
    st.tuples(st.integers(-(10**20), 10**20), st.integers(-40, 40)).map(
        lambda pair: pair[0] * Fraction(10) ** pair[1]
    ),
)


@given(NUMBERS)
def test_exact_texts_read_back_and_others_are_near(value: Number) -> None:
    text, exact = number_text(value)
    assert (read(text) == value) == exact
    assert abs(Fraction(read(text) - value)) * 2 * 10**5 <= abs(Fraction(value))


@given(NUMBERS, st.integers(1, 20))
def test_rounded_is_half_up(value: Number, significant: int) -> None:
    context = Context(prec=significant, rounding=ROUND_HALF_UP, Emin=-(10**6), Emax=10**6)
    near = rounded(value, significant)
    precise = Context(prec=400)
    quotient = precise.divide(Decimal(value.numerator), Decimal(value.denominator))
    assert near == Fraction(context.plus(quotient))
    assert rounded(near, significant) == near
    assert rounded(-value, significant) == -near


@pytest.mark.parametrize(
    ("value", "formula", "sentence"),
    [
        (9_999_999, "9 999 999", "9 999 999"),
        (25 * 10**6, "25×10⁶", "25 million"),
        (50 * 10**9, "50×10⁹", "50 billion"),
        (10**12, "1×10¹²", "1 trillion"),
        (Fraction(5 * 10**12, 3), "1.667×10¹²", "1.667 trillion"),
        (-(25 * 10**6), "−25×10⁶", "−25 million"),
        (10**15, "1×10¹⁵", "1×10¹⁵"),
        (3 * 10**23, "3×10²³", "3×10²³"),
        (Fraction(3, 10**8), "3×10⁻⁸", "3×10⁻⁸"),
    ],
)
def test_large_counts_are_written_as_people_do(value: Number, formula: str, sentence: str) -> None:
    """Millions, billions and trillions in powers that say so; beyond them in scientific notation,
    not in powers of a thousand that nobody has a word for."""
    assert (count_text(value), in_sentence(value, COUNT).number) == (formula, sentence)
