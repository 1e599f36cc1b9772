"""The number grammar: what it accepts is exactly Python's arithmetic on fractions, bounded."""

from __future__ import annotations

import ast
import re
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import rows

from ddcalc.errors import BadNumber
from ddcalc.numbers.number import BITS, Number, is_sum, parse, split, typed

HERE = Path(__file__).parent
REFUSED = rows(HERE / "numbers_refused.tsv")  # besides those of hostile/numbers.tsv

BOUNDED = rows(HERE / "numbers_bounded.tsv")


@pytest.mark.parametrize(("text", "value"), rows(HERE / "numbers_accepted.tsv"))
def test_accepted(text: str, value: str) -> None:
    number = Fraction(value)
    assert parse(text) == number
    assert type(parse(text)) is (int if number.denominator == 1 else Fraction)


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_refused_with_what_to_write(text: str, reason: str) -> None:
    with pytest.raises(BadNumber) as caught:
        parse(text)
    assert caught.value.reason.startswith(reason)
    assert caught.value.text == text


@pytest.mark.parametrize(("text", "reason"), BOUNDED, ids=range(len(BOUNDED)))
def test_bounds_come_before_work(text: str, reason: str) -> None:
    begun = time.process_time()
    with pytest.raises(BadNumber, match=reason):
        parse(text)
    assert time.process_time() - begun < 5  # work without a bound takes far more


def test_what_is_just_within_the_limits() -> None:
    assert parse("9" * 40) == 10**40 - 1
    assert parse("(" * 20 + "1" + ")" * 20) == 1
    assert parse("^".join("1" * 21)) == 1
    assert parse("1".rjust(200)) == 1
    assert parse("2^200") == 2**200
    assert parse("1e-60*1e-60") == Fraction(1, 10**120)


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

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.Constant():
                return Fraction((ast.get_source_segment(source, node) or "").replace("_", ""))
            case ast.UnaryOp(ast.USub(), operand):
                return -value(operand)
            case ast.UnaryOp(ast.UAdd(), operand):
                return value(operand)
            case ast.BinOp(left, ast.Add(), right):
                return value(left) + value(right)
            case ast.BinOp(left, ast.Sub(), right):
                return value(left) - value(right)
            case ast.BinOp(left, ast.Mult(), right):
                return value(left) * value(right)
            case ast.BinOp(left, ast.Div(), right):
                return value(left) / value(right)
            case ast.BinOp(left, ast.Pow(), right):
                return value(left) ** int(value(right))
        raise AssertionError(ast.dump(node))

    return value(ast.parse(source, mode="eval").body)


def attempted(text: str) -> Number | BadNumber:
    """What parsing *text* gives: its value or the only kind of error there may be."""
    try:
        return parse(text)
    except BadNumber as error:
        return error


BOUNDS = ("bits", "divides by zero", "not a whole number", "longer than", "nested deeper")


@given(EXPRESSIONS)
def test_expressions_are_worth_what_python_says(text: str) -> None:
    value = attempted(text)
    if isinstance(value, BadNumber):
        assert any(bound in value.reason for bound in BOUNDS), value
    else:
        assert value == evaluated(text)
        assert (type(value) is int) == (value.denominator == 1)
        assert max(value.numerator.bit_length(), value.denominator.bit_length()) <= BITS


@given(st.text("0123456789+-*/^() ._e", max_size=12))
def test_what_is_accepted_means_the_same_in_python(text: str) -> None:
    value = attempted(text)
    assert isinstance(value, BadNumber) or value == evaluated(text)


@given(st.one_of(st.text(max_size=30), st.text("0123456789+-*/^() ._eE,:%xs\n", max_size=220)))
def test_nothing_but_bad_number_is_raised(text: str) -> None:
    assert str(attempted(text)).isprintable()
    assert "".join(split(text)).replace(" ", "") in (
        typed(text).replace(" ", ""),
        text.replace(" ", ""),
    )
    assert is_sum(text) in (True, False)
