"""The Python face: values of Python in, a derivation that notebooks can show out."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

import ddcalc
from ddcalc.problem.steps import Define, State

EXAM = {
    "samples": 76800, "batch": 1536, "epochs": 10, "workers": 6, "download": "1.5 s",
    "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip


def test_the_exam() -> None:
    exam = ddcalc.solve("epoch-time", **EXAM)
    assert exam.answer.value == Fraction(1191, 2)
    assert exam.quantities["full_rounds"].value == 83
    assert [type(step) for step in exam.steps] == [State] * 8 + [Define] * 8
    assert exam.closed_form is not None
    assert sum(share.part for share in exam.shares) == 1
    assert repr(exam) == "<epoch-time: total = 595.5 s>"


@pytest.mark.parametrize(
    "value", ["15 ms", "0.015", 0.015, Fraction(3, 200), Decimal("0.015"), "3/200 s"]
)
def test_values_of_python_are_exact(value: object) -> None:
    assert ddcalc.solve("epoch-time", **{**EXAM, "aggregate": value}).answer.value == Fraction(
        1191, 2
    )


def test_lists_and_choices() -> None:
    solved = ddcalc.solve(
        "sync-step", finish=(0.15, "0.2 s", Fraction(1, 2)), aggregate=0, update=1
    )
    assert solved.answer.value == Fraction(3, 2)
    barrier = ddcalc.solve("epoch-time", **EXAM, queue="per-epoch")
    assert barrier.answer.value == Fraction(1275, 2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"workers": True}, "truth value"),
        ({"workers": float("nan")}, "not a finite number"),
        ({"workers": 2.5}, "not a whole number"),
        ({"workers": [1, 2]}, "one value is wanted"),
        ({"wrkers": 6}, "did you mean 'workers'"),
    ],
)
def test_what_cannot_be_solved(more: dict[str, object], message: str) -> None:
    with pytest.raises(ddcalc.DdcalcError, match=message):
        ddcalc.solve("epoch-time", **{**EXAM, **more})


def test_a_sweep_has_its_chart_and_its_unit() -> None:
    given = {name: value for name, value in EXAM.items() if name != "workers"}
    swept = ddcalc.sweep("epoch-time", vary={"workers": "1..64:x2"}, unit="min", **given)
    assert "smallest total ≈ 1.058 min at workers = 64" in repr(swept)
    assert swept.columns.arrays["total"][0] == 3507.5 / 60
    with pytest.raises(ddcalc.DdcalcError, match="measures data"):
        ddcalc.sweep("epoch-time", vary={"workers": "1..4"}, unit="GB", **given)
    pytest.importorskip("matplotlib")
    assert swept._repr_html_().count("<svg") == 1
