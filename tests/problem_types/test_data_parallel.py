"""data-parallel: its explanation, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from running import ddcalc
from stating import derivation, refusals

from ddcalc.formula.expression import Num, Sym
from ddcalc.problem.steps import Define, DefineEach, Step

EXAMPLE: dict[str, Any] = {
    "targets": [2, 2, 3, 5, 6],
    "inputs": [1, 2, 3, 4, 5],
    "workers": 2,
    "eta": "0.1",
}
TYPE = "data-parallel"


# The explanation

TWO_INPUTS: dict[str, Any] = {
    "targets": [2, 2, 3, 5, 6],
    "inputs": [1, 1, 1, 2, 1, 3, 1, 4, 1, 5],
    "shards": [4, 1],
    "eta": "1/10",
    "weights": ["1/3", 1],
}


def _steps(kind: type[Step], **stated: Any) -> list[Any]:
    return [step for step in derivation(TYPE, **stated).steps if isinstance(step, kind)]


def _lines(**stated: Any) -> list[Define]:
    text = [step.rows for step in _steps(DefineEach, **stated)]
    return [line for rows in text for line in rows]


def test_letters_of_one_and_of_several_inputs() -> None:
    assert [line.symbol for line in _lines(**EXAMPLE)[5:]] == [
        *("G_1", "G_2", "g", "w_new", "g_one", "w_one"),
    ]
    assert [line.symbol for line in _lines(**TWO_INPUTS)[4:10]] == [
        *("r_5", "G_1", "G_2", "G_3", "G_4", "g_1"),
    ]


def test_what_counts_in_an_average() -> None:
    formulas = {
        (average, line.symbol): line.formula
        for average in ("plain", "by_rows")
        for line in _lines(**TWO_INPUTS, average=average)
    }
    for k in (1, 2):
        first, second = Sym(f"G_{k}"), Sym(f"G_{k + 2}")
        assert formulas["plain", f"g_{k}"] == (first + second) / Num(2)
        assert formulas["by_rows", f"g_{k}"] == (4 * first + second) / Num(5)


@pytest.mark.parametrize(
    ("more", "average", "gap"),
    [
        ({}, "a mean times its rows is their sum", "both took the same step"),
        ({"average": "plain"}, "however few rows it has", "is not the gradient of all rows"),
        ({"workers": 5}, "all shards are equal", "both took the same step"),
        ({"workers": 5, "average": "plain"}, "all shards are equal", "both took the same step"),
        ({"workers": 1}, "the only worker has all rows", "does what one machine does"),
        (
            {"targets": [1, 2, 3, 4, 5], "weights": [1], "average": "plain"},
            "however few rows it has",
            "the same only by chance",
        ),
    ],
)
def test_reasons(more: dict[str, Any], average: str, gap: str) -> None:
    steps = _steps(DefineEach, **EXAMPLE | more) + _steps(Define, **EXAMPLE | more)
    text = {step.name: step.why for step in steps}
    assert average in text["gradient"]
    assert gap in text["gap"]


def test_long_data_stay_readable() -> None:
    rows = ",".join(str(i % 7) for i in range(1000))
    call = [TYPE, "--targets", rows, "--inputs", rows, "--workers", "30", "--eta", "0.01"]
    ran = ddcalc(*call)
    assert ran.code == 0
    assert ran.out.count("\n") < 90
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\n       30          968      1 000       33\n" in ran.out


# Refusals


@pytest.mark.parametrize(
    ("more", "parameter", "message"),
    [
        ({"inputs": [1, 2, 3]}, "inputs", "does not fit 5 rows"),
        ({"inputs": [1] * 9}, "inputs", "with equally many inputs each"),
        ({"weights": [1, 2]}, "weights", "does not fit rows of 1 input;"),
        ({"workers": 6}, "workers", "is more than the 5 rows"),
        ({"shards": [2, 3], "workers": 3}, "workers", "does not fit the 2 shards"),
        ({"shards": [2, 2]}, "shards", "adds up to 4 rows, but there are 5"),
        ({"shards": []}, "shards", "empty list"),
        (
            {"targets": [f"1/{i}" for i in range(1, 800)], "inputs": [1] * 799},
            "targets",
            "common denominator has more than 300 digits",
        ),
    ],
)
def test_refusals(more: dict[str, Any], parameter: str, message: str) -> None:
    ((about, text),) = refusals(TYPE, **EXAMPLE | more)
    assert about == parameter
    assert message in text


def test_somehow_the_rows_are_split() -> None:
    stated = {name: value for name, value in EXAMPLE.items() if name != "workers"}
    assert refusals(TYPE, **stated) == [(None, "missing: workers or shards")]
