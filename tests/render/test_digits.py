"""Numbers as text, very many at once: exact where they are exact, fifteen digits where not."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.render import digits
from ddcalc.render.digits import Part

EDGES = [0, 1, 9, 10, 99, 9999, 10_000, 10_001, 99_999_999, 10**8, 10**12, 10**16, 2**62]


def told(parts: list[Part]) -> list[str]:
    """The text of every number."""
    rows = [b"".join(part[i : i + 1].tobytes() for part in parts) for i in range(len(parts[0]))]
    return [row.replace(b"\0", b"").decode() for row in rows]


def whole(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, dtype=np.int64)


@given(st.lists(st.integers(-(2**62), 2**62) | st.sampled_from(EDGES), min_size=1))
def test_whole_numbers(values: list[int]) -> None:
    assert told(digits.whole(whole(values))) == [str(value) for value in values]


@pytest.mark.parametrize("places", range(digits.PLACES + 1))
def test_decimals(places: int) -> None:
    random = Random(places)
    values = [random.randrange(-(10 ** random.randrange(1, 18)), 10**18) for _ in range(300)]
    values += [0, 10**places, -(10**places), 5, 50, 5 * 10**places, *EDGES]
    for value, text in zip(values, told(digits.decimals(whole(values), places)), strict=True):
        assert Fraction(text) == Fraction(value, 10**places)
        assert "." not in text or not text.endswith(("0", "."))
        assert text == "0" or not text.lstrip("-").startswith("00")


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), min_size=1)
)
def test_floats(values: list[float]) -> None:
    for value, text in zip(values, told(digits.floats(np.array(values))), strict=True):
        exact = Fraction(value)
        assert abs(Fraction(text) - exact) <= abs(exact) * Fraction(1, 10**14)
        assert float(text) == json.loads(text)
        assert sum(character.isdigit() for character in text.partition("e")[0]) <= 18


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (595.5, "595.5"),
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333333333333"),
        (200 / 3, "66.6666666666667"),
        (0.015, "0.015"),
        (0.001, "1e-03"),
        (999999999999999.0, "999999999999999"),
        (999999999999999.9, "1000000000000000"),
        (1e15, "1e+15"),
        (9.9999999999999999e22, "1e+23"),
        (-1.5e-300, "-1.5e-300"),
    ],
)
def test_texts_of_floats(value: float, text: str) -> None:
    alone = told(digits.floats(np.array([value])))
    among = told(digits.floats(np.array([value, 7.25, 1e-200, 12345.0])))
    assert (alone, among[0]) == ([text], text)
