"""Numbers as shown: exact where they say so, rounded half up, and read again as the same."""

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tables import rows

from ddcalc.boundary.output import ascii_only
from ddcalc.cli.type_options import listed
from ddcalc.numbers import amounts, units
from ddcalc.numbers.display import exact_text, fraction_text, number_text, quantity_text, rounded
from ddcalc.numbers.number import Number, parse
from ddcalc.problem.quantity import Given

HERE = Path(__file__).parent


def whole_or_not(text: str) -> Number:
    """The number that a *text* states, an int where it is whole."""
    number = Fraction(text)
    return number.numerator if number.denominator == 1 else number


@pytest.mark.parametrize(("value", "text", "exact"), rows("numbers_shown.tsv"))
def test_number_text(value, text, exact):
    assert number_text(whole_or_not(value)) == (text, exact == "yes")


def scaled(number: Number, power: int) -> Fraction:
    return number * Fraction(10) ** power


NUMBERS = st.one_of(
    st.integers(),
    st.fractions(),
    st.decimals(-(10**20), 10**20, allow_nan=False).map(Fraction),
    st.builds(scaled, st.integers(-(10**20), 10**20), st.integers(-40, 40)),
)


@given(NUMBERS, st.integers(1, 20))
def test_rounded_is_half_up(value, significant):
    context = Context(prec=significant, rounding=ROUND_HALF_UP, Emin=-(10**6), Emax=10**6)
    near = rounded(value, significant)
    precise = Context(prec=400)
    quotient = precise.divide(Decimal(value.numerator), Decimal(value.denominator))
    assert near == Fraction(context.plus(quotient))
    assert rounded(near, significant) == near
    assert rounded(-value, significant) == -near


@pytest.mark.parametrize(("value", "formula", "sentence"), rows("counts_shown.tsv"))
def test_large_counts_are_written_as_people_do(value, formula, sentence):
    """Millions, billions and trillions in powers that say so; beyond them in scientific notation,
    not in powers of a thousand that nobody has a word for."""
    number = whole_or_not(value)
    assert amounts.count_text(number) == formula
    assert amounts.in_sentence(number, units.COUNT).number == sentence


# What is printed is read


NAMES = [name for name in units.UNITS if name not in ("token", "tokens")]
RATES = [
    f"{unit.name}/s" for unit in units.UNITS.values() if unit.dimension.data or unit.dimension.work
]
LADDERS: list[units.Unit] = [
    *map(units.UNITS.__getitem__, NAMES),
    *map(units.unit_named, (*RATES, "/min", "/h", "/d", "s/B", "ms/GB", "us/GB", "USD/d")),
    *(units.COUNT, units.SHARE, units.PER_SECOND, units.USD_PER_HOUR, units.FLOP_PER_BYTE),
]
SIZES = st.integers(-(10**7), 10**7) | st.fractions(-1000, 1000, max_denominator=999)
VALUES = st.builds(scaled, SIZES, st.integers(-12, 24))
ROUGH = Fraction(1, 180)  # of a time of two numbers in a sentence: 3 h 5 min


def spellings(text: str) -> Iterator[str]:
    """*text* as it is printed: in Unicode, in ASCII, with blanks that do not break, in brackets."""
    yield text
    yield ascii_only(text)
    yield text.replace(" ", "\u202f")
    yield text.replace(" ", "\u00a0")
    if text[-1].isalpha():
        yield f"({text})"


def says(made: amounts.Amount, unit: units.Unit, value: Fraction) -> None:
    """What *made* prints of *value* reads as the same, or as the rounded number that it says."""
    for text in {*spellings(str(made)), *spellings(made.marked)}:
        number = units.shown_in(unit, text).value
        assert number == made.near, text
        assert not isinstance(number, float)
    assert made.near == value if made.exact else abs(made.near - value) <= ROUGH * abs(value)


@given(VALUES, st.sampled_from(LADDERS))
def test_amounts(value, unit):
    says(amounts.amount(value, unit), unit, value)
    says(amounts.amount(value, unit, stated=True), unit, value)
    says(amounts.in_unit(value, unit), unit, value)
    says(amounts.in_sentence(value, unit), unit, value)
    [alone, _] = amounts.together([value, value * 3], unit)
    says(alone, unit, value)


@given(VALUES, st.sampled_from(LADDERS))
def test_other_texts(value, unit):
    assume(abs(Fraction(value) / unit.worth).numerator < 10**40)  # no number has more digits
    assert units.shown_in(unit, exact_text(value, unit)).value == value
    for text in (fraction_text(value), quantity_text(value, None)):
        if not text.startswith("≈"):
            assert parse(text) == value
    difference = units.shown_in(unit, amounts.signed(value, unit).replace(" points", " %")).value
    assert abs(difference - value) <= ROUGH * abs(value)
    share = units.shown_in(units.PERCENT, str(amounts.per_cent(value))).value
    assert abs(share - value) <= Fraction(1, 180) * max(abs(value), Fraction(1, 10))


@given(st.lists(VALUES.map(abs), min_size=2, max_size=8))
def test_lists(values):
    """A printed list, in one unit or in several, is an option's list."""
    times = Given("times", "t", "times", units.SECOND, bare=True, many="list")
    shown = amounts.together(values, units.SECOND)
    texts = listed(times, ", ".join(map(str, shown)))
    assert [times.measured(text).value for text in texts] == [one.near for one in shown]


# Pages


def test_amounts_on_every_page():
    """Whatever looks like an amount with a unit on a page is read, and its ASCII as the same."""
    longest = sorted({unit.name for unit in LADDERS if unit.name[:1].isalpha()}, key=len)[::-1]
    names = "|".join(longest)
    number = r"(?:≈ )?−?(?:[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:×10[⁻⁰¹²³⁴-⁹]+)?"
    amounts = re.compile(rf"(?<![0-9.,/·×^] )(?<![\w.,/·×^-]){number} (?:{names})(?![\w/^])")
    pages = [path.read_text("utf-8") for path in (HERE / "golden" / "types").iterdir()]
    seen = {" ".join(match[0].split()) for page in pages for match in amounts.finditer(page)}
    assert len(seen) > 200
    for text in seen:
        unit = units.unit_named(re.split(r" (?=[^0-9])", text)[-1])
        value = units.measure(text, unit.dimension, bare_unit=None).value
        assert units.measure(ascii_only(text), unit.dimension, bare_unit=None).value == value
