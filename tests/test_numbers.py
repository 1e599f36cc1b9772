"""Numbers and units as they are written: exactly Python's arithmetic on fractions, bounded; exact
conversions, as pint says; every refusal says what to write instead."""

import re
import time
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import rows

from ddcalc.errors import BadNumber
from ddcalc.numbers import units
from ddcalc.numbers.number import BITS, is_sum, parse, split, typed
from ddcalc.problem import quantity

# Numbers


@pytest.mark.parametrize(("text", "value"), rows("numbers_accepted.tsv"))
def test_accepted(text, value):
    number = Fraction(value)
    assert parse(text) == number
    assert type(parse(text)) is (int if number.denominator == 1 else Fraction)


@pytest.mark.parametrize(("text", "reason"), rows("numbers_refused.tsv"))
def test_numbers_refused(text, reason):
    """Besides those of hostile/numbers.tsv; bounds come before work."""
    begun = time.process_time()
    with pytest.raises(BadNumber) as caught:
        parse(text)
    assert time.process_time() - begun < 5  # work without a bound takes far more
    assert reason in caught.value.reason
    assert caught.value.text == text


LITERALS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.integers(0, 4).map(str),
    st.decimals(0, 1000, places=3).map(str),
    st.tuples(st.integers(0, 99), st.integers(-9, 9)).map(lambda pair: f"{pair[0]}e{pair[1]}"),
)


def joined(parts: tuple[str, str, str]) -> str:
    left, operator, right = parts
    if operator.endswith("-") and right.startswith("-"):  # two signs in a row are refused
        right = f"({right})"
    return f"{left}{operator}{right}"


OPERATORS = st.sampled_from(("*", " * ", "/", " / ", "^", " ** ", "^-", " + ", " - ", " - -"))
EXPRESSIONS = st.recursive(
    LITERALS,
    lambda inner: st.one_of(
        st.tuples(inner, OPERATORS, inner).map(joined),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-({text})"),
    ),
    max_leaves=8,
)


def evaluated(text: str) -> Fraction:
    """The value of *text* by Python's own grammar; only for texts whose powers are bounded."""
    source = re.sub(r"(?<=[0-9]) (?=[0-9]{3})", "", text.strip(" ").replace("^", "**"))
    exact = re.sub(r"[0-9._]+(?:[eE][-+]?[0-9]+)?", r"Fraction('\g<0>')", source)
    value: Fraction = eval(exact, {"Fraction": Fraction})
    return value


def tried(work: Callable[[], Any]) -> Any:
    """What comes of reading a text: a value, or the only kind of error there may be."""
    try:
        return work()
    except BadNumber as error:
        return error


def tight(text: str) -> str:
    return text.replace(" ", "")


BOUNDS = ("bits", "divides by zero", "not a whole number", "longer than", "nested deeper")


@given(EXPRESSIONS)
def test_expressions_are_worth_what_python_says(text):
    value = tried(lambda: parse(text))
    if isinstance(value, BadNumber):
        assert any(bound in value.reason for bound in BOUNDS), value
    else:
        assert value == evaluated(text)
        assert (type(value) is int) == (value.denominator == 1)
        assert max(value.numerator.bit_length(), value.denominator.bit_length()) <= BITS


@given(st.text("0123456789+-*/^() ._e", max_size=12))
def test_what_is_accepted_means_the_same_in_python(text):
    value = tried(lambda: parse(text))
    assert isinstance(value, BadNumber) or value == evaluated(text)


@given(st.one_of(st.text(max_size=30), st.text("0123456789+-*/^() ._eE,:%xs\n", max_size=220)))
def test_nothing_but_bad_number_is_raised(text):
    assert str(tried(lambda: parse(text))).isprintable()
    assert tight("".join(split(text))) in (tight(typed(text)), tight(text))
    assert is_sum(text) in (True, False)


# Units


RATE = units.DATA / units.TIME
PRICE = units.MONEY / units.TIME


MEASURED = {name.lower(): getattr(units, name) for name in ("TIME", "DATA", "WORK", "MONEY", "ONE")}
MEASURED |= {"rate": RATE, "price": PRICE, "mass": units.Dimension(mass=1)}
MEASURED |= {f"{of}/time": MEASURED[of] / units.TIME for of in ("work", "one")}
MEASURED["work/data"] = units.WORK / units.DATA
MEASURED["money/euros"] = units.MONEY / units.Dimension(euros=1)


@pytest.mark.parametrize(("text", "dimension", "value", "unit"), rows("units_accepted.tsv"))
def test_measured(text, dimension, value, unit):
    measured = units.measure(text, MEASURED[dimension], bare_unit=None)
    assert (measured.value, measured.unit.name) == (Fraction(value), unit)
    assert not measured.bare
    assert measured.text == text


def test_a_bare_number_takes_the_bare_unit():
    assert units.measure("90", units.TIME, bare_unit=units.HOUR).value == 324000
    assert units.measure("1/4", units.ONE, bare_unit=units.COUNT).value == Fraction(1, 4)
    measured = units.measure("1.5", units.TIME, bare_unit=units.SECOND)
    assert (measured.value, measured.unit, measured.bare) == (Fraction(3, 2), units.SECOND, True)


@pytest.mark.parametrize(("text", "told"), rows("counts_measured.tsv"))
def test_counts(text, told):
    if told[0].isdigit():
        measured = units.measure(text, units.ONE, bare_unit=units.COUNT, suffixes=True)
        assert (measured.value, measured.unit, measured.bare) == (Fraction(told), units.COUNT, True)
        return
    with pytest.raises(BadNumber) as caught:
        units.measure(text, units.ONE, bare_unit=units.COUNT, suffixes=True)
    assert str(caught.value) == told


def test_results_and_amounts_take_suffixes_as_counts_do():
    assert units.shown_in(units.COUNT, "9.1B").value == 9_100_000_000
    assert units.shown_in(units.COUNT, "50%").value == Fraction(1, 2)
    with pytest.raises(BadNumber, match="measures data"):
        units.shown_in(units.COUNT, "70 GB")
    with pytest.raises(BadNumber, match="unit"):
        units.shown_in(units.SECOND, "2M")
    tokens = quantity.Given("tokens", "D", "tokens", units.COUNT, bare=True, counted=True)
    assert (tokens.read("1.5T").value, tokens.read("1/3").value) == (15 * 10**11, Fraction(1, 3))
    with pytest.raises(BadNumber, match="takes no unit"):
        tokens.read("2 TB")


@pytest.mark.parametrize(("text", "message"), rows("units_refused.tsv"))
def test_units_refused(text, message):
    with pytest.raises(BadNumber) as caught:
        units.measure(text, units.TIME, bare_unit=None)
    assert str(caught.value) == message


@cache
def pints() -> pint.UnitRegistry[Fraction]:
    return pint.UnitRegistry(non_int_type=Fraction)


def by_pint(value: Fraction, unit: units.Unit, base: str) -> Fraction:
    """*value* of *unit* converted to *base* by pint, which knows our units by their long names."""
    title = unit.title.replace(" per ", " / ")
    return Fraction(pints().Quantity(value, title).to(base).magnitude)


def named(dimension: units.Dimension) -> st.SearchStrategy[str]:
    return st.sampled_from([n for n, unit in units.UNITS.items() if unit.dimension == dimension])


@given(st.decimals(0, 10**6, places=4), named(units.DATA), named(units.TIME))
def test_pint_agrees(number, data, time):
    """On sizes, times and rates."""
    for name, base in ((data, "byte"), (time, "second"), (f"{data}/{time}", "byte / second")):
        unit = units.unit_named(name)
        expected = by_pint(Fraction(str(number)), unit, base)
        assert units.measure(f"{number} {name}", unit.dimension, bare_unit=None).value == expected


@given(
    st.one_of(
        st.text(max_size=20),
        st.text("0123456789+-*/^(). smhdBkKGibtUSD%$µ", max_size=30),
        st.tuples(st.integers(), st.text(max_size=5)).map(lambda pair: f"{pair[0]} {pair[1]}"),
    ),
    st.sampled_from([units.ONE, units.TIME, units.DATA, RATE]),
    st.booleans(),
)
def test_nothing_but_our_errors(text, dimension, suffixes):
    measured = tried(lambda: units.measure(text, dimension, bare_unit=None, suffixes=suffixes))
    if isinstance(measured, BadNumber):
        assert str(measured).isprintable()
        assert measured.text == text
    else:
        assert measured.unit.dimension in ((units.ONE, dimension) if suffixes else (dimension,))
