"""Numbers as shown: exact where it says so, half up where it is rounded, readable again."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import rows

from ddcalc.numbers.amounts import count_text, in_sentence
from ddcalc.numbers.display import number_text, rounded
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT

HERE = Path(__file__).parent


def whole_or_not(text: str) -> Number:
    """The number that a *text* states, an int where it is whole."""
    number = Fraction(text)
    return number.numerator if number.denominator == 1 else number


def read(text: str) -> Fraction:
    """The number that a displayed *text* states."""
    plain = text.replace(" ", "").replace("−", "-")
    mantissa, power, exponent = plain.partition("×10^")
    return Fraction(mantissa) * Fraction(10) ** int(exponent if power else 0)


@pytest.mark.parametrize(("value", "text", "exact"), rows(HERE / "numbers_shown.tsv"))
def test_number_text(value: str, text: str, exact: str) -> None:
    assert number_text(whole_or_not(value)) == (text, exact == "yes")


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


@pytest.mark.parametrize(("value", "formula", "sentence"), rows(HERE / "counts_shown.tsv"))
def test_large_counts_are_written_as_people_do(value: str, formula: str, sentence: str) -> None:
    """Millions, billions and trillions in powers that say so; beyond them in scientific notation,
    not in powers of a thousand that nobody has a word for."""
    number = whole_or_not(value)
    assert (count_text(number), in_sentence(number, COUNT).number) == (formula, sentence)
