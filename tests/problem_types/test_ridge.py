"""ridge against numpy.linalg, its run played in NumPy, and tables that are wrong."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import ddcalc
from stating import derivation, readings, refusals, results

from ddcalc.problem.steps import Plot, Table
from ddcalc.types.schedules.ridge.model import Regression

SLUG = "ridge"
Rows = list[list[Fraction]]


def drawn(seed: int) -> tuple[Rows, list[Fraction], Fraction]:
    draw = random.Random(seed)
    count, columns = draw.randint(1, 9), draw.randint(1, 5)
    bottom = draw.choice([1, 4, 10])
    rows = [[Fraction(draw.randint(-9, 9), bottom) for _ in range(columns)] for _ in range(count)]
    targets = [Fraction(draw.randint(-9, 9), 2) for _ in range(count)]
    return rows, targets, Fraction(draw.randint(1, 30), 10)


def stated(rows: Rows, targets: list[Fraction], eta: Fraction) -> dict[str, Any]:
    return {"inputs": [x for row in rows for x in row], "targets": targets, "eta": eta}


def floats(rows: Rows) -> Any:
    return np.array([[float(x) for x in row] for row in rows])


@pytest.mark.parametrize("seed", range(25))
def test_against_numpy(seed: int) -> None:
    rows, targets, eta = drawn(seed)
    answer: dict[str, Any] = results(SLUG, **stated(rows, targets, eta))
    assert answer["lengths"] == sum(cell**2 for row in rows for cell in row)
    x, y = floats(rows), np.array([float(t) for t in targets])
    square = x.T @ x + float(eta) * np.eye(x.shape[1])
    assert np.allclose([float(w) for w in answer["weights"]], np.linalg.solve(square, x.T @ y))
    values = np.linalg.eigvalsh(2 * square)
    assert float(answer["smallest"]) == pytest.approx(values[0], rel=1e-6)
    assert float(answer["largest"]) == pytest.approx(values[-1], rel=1e-6)
    assert answer["low"] == 2 * eta <= answer["smallest"] <= answer["largest"] <= answer["high"]
    squares = [sum(cell**2 for cell in row) for row in rows]
    below = max(squares) <= 1
    assert answer["high"] == 2 * eta + 2 * (len(rows) if below else sum(squares))
    assert answer["step"] == 1 / Fraction(answer["high"])
    assert answer["stale_allowed"] == Fraction(answer["low"]) / (2 * answer["high"] ** 2)
    if below:
        assert answer["share"] == eta / (2 * (len(rows) + eta))


@pytest.mark.parametrize("seed", range(5))
def test_the_minimum_is_exact(seed: int) -> None:
    """The gradient 2X'(Xw − y) + 2ηw is nought there, in fractions."""
    rows, targets, eta = drawn(seed)
    weights: Any = results(SLUG, **stated(rows, targets, eta))["weights"]
    residuals = [
        sum(w * x for w, x in zip(weights, row, strict=True)) - y
        for row, y in zip(rows, targets, strict=True)
    ]
    for i, w in enumerate(weights):
        assert sum(r * row[i] for r, row in zip(residuals, rows, strict=True)) + eta * w == 0


def test_eigenvalues_that_are_short_are_exact() -> None:
    one = Fraction(1)
    plain = Regression(((one, 0 * one), (0 * one, 2 * one)), (one, one), Fraction(1, 2))
    assert (plain.smallest, plain.largest) == (3, 9)
    singular = Regression(((one, one), (one, one)), (one, one), Fraction(1, 10))
    assert (singular.smallest, singular.largest) == (Fraction(1, 5), Fraction(41, 5))


def test_scaled_rows_are_at_most_1_long() -> None:
    made = {"rows": 30, "columns": 3, "eta": 1}
    values: dict[str, Any] = results(SLUG, **made, length="scaled")
    assert Fraction(998, 1000) < values["longest"] <= 1
    assert (values["high"], values["share"]) == (62, Fraction(1, 62))
    assert results(SLUG, **made)["longest"] > 1  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(20))
def test_scaled_rows_stay_short_decimals(seed: int) -> None:
    """Divided by unlike lengths, hundreds of rows would have a common denominator without end."""
    draw = random.Random(seed)
    size = Fraction(10) ** draw.randint(-6, 6)
    row = [size * draw.randint(-99, 99) for _ in range(draw.randint(1, 5))]
    targets = [Fraction(1)]
    given: dict[str, Any] = {"inputs": row, "targets": targets, "eta": 1, "length": "scaled"}
    values = results(SLUG, **given)["longest"]
    assert isinstance(values, int | Fraction)
    assert Fraction(998, 1000) < values <= 1 or not any(row)
    assert 10**30 % values.denominator == 0


@pytest.mark.parametrize(
    "question",
    [
        {"targets": [1, 2], "inputs": [3, 4], "eta": "0.5"},
        {"targets": [1, 2], "inputs": [1, 1, 2, 2], "eta": "0.5"},  # by cancelling of two weights
    ],
)
def test_what_is_zero_is_exactly_zero(question: dict[str, Any]) -> None:
    """The first step leads to the minimum; then only what is stale leads away from it."""
    [plot] = [step for step in derivation(SLUG, **question).steps if isinstance(step, Plot)]
    assert [dot is None for dot in plot.chart.curves[0].dots] == [False, True] * 20 + [False]


def test_a_long_run_is_refused_before_it_begins() -> None:
    [(where, text)] = refusals(SLUG, rows=400, columns=20, eta="1/3", updates=2000)
    assert where == "updates"
    assert "get too long" in text


def test_both_bounds_are_offered() -> None:
    question: dict[str, Any] = {"inputs": [1, 1, "0.5"], "targets": [1, 2, 3], "eta": 1}
    values = results(SLUG, **question)
    assert (values["lengths"], values["high"]) == (Fraction(9, 4), 8)
    assert results(SLUG, **question, bound="trace")["high"] == Fraction(13, 2)
    assert ("bound", "trace") in readings(SLUG, **question)


def test_the_run_in_numpy() -> None:
    rows, targets, eta = drawn(7)
    solved = derivation(SLUG, **stated(rows, targets, eta), updates=30)
    [plot] = [step for step in solved.steps if isinstance(step, Plot)]
    shown = [float(dot.y) for dot in plot.chart.curves[0].dots if dot is not None]
    x, y = floats(rows), np.array([float(t) for t in targets])
    step, stale = (float(solved.values[n]) for n in ("step", "stale_allowed"))  # type: ignore[arg-type]
    best = np.linalg.solve(x.T @ x + float(eta) * np.eye(x.shape[1]), x.T @ y)
    w, before = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    lengths = [np.linalg.norm(w - best)]
    for _ in range(30):
        gradient = 2 * x.T @ (x @ w - y) + 2 * float(eta) * w
        w, before = w - step * gradient - stale * before, gradient
        lengths.append(np.linalg.norm(w - best))
    assert shown == pytest.approx(lengths, rel=1e-4, abs=1e-9)
    assert lengths[-1] < lengths[0]


@pytest.mark.parametrize("seed", range(6))
def test_what_eigenvalues_allow_beside_their_bounds(seed: int) -> None:
    rows, targets, eta = drawn(seed)
    solved = derivation(SLUG, **stated(rows, targets, eta), updates=2)
    tables = {step.title: step for step in solved.steps if isinstance(step, Table)}
    x = floats(rows)
    values = np.linalg.eigvalsh(2 * (x.T @ x + float(eta) * np.eye(x.shape[1])))
    step, share = 1 / values[-1], values[0] / (2 * values[-1])
    text = [_number(row[2]) for row in tables["What closer bounds would allow"].rows]
    assert text == pytest.approx([step, share, share * step], rel=1e-5)
    bounds = [_number(row[1]) for row in tables["What closer bounds would allow"].rows]
    assert all(bound <= value * (1 + 1e-5) for bound, value in zip(bounds, text, strict=True))


def _number(cell: Any) -> float:
    return float(cell.replace("×10^", "e").replace("−", "-").replace(" ", ""))


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"eta": 1}, "", "missing: rows or targets or inputs"),
    ({"targets": [1], "eta": 1}, "inputs", "go together"),
    ({"inputs": [1], "eta": 1}, "targets", "go together"),
    ({"inputs": [1, 2, 3], "targets": [1, 2], "eta": 1}, "inputs", "does not fit 2 targets"),
    ({"inputs": [1], "targets": [1], "rows": 3, "eta": 1}, "rows", "is for made data"),
    ({"inputs": [1] * 21, "targets": [1], "eta": 1}, "inputs", "rows may have 20"),
    ({"rows": 9000, "columns": 2, "eta": 1}, "rows", "more than 10000"),
]


@pytest.mark.parametrize(("given", "parameter", "texts"), WRONG)
def test_wrong_questions(given: dict[str, Any], parameter: str, texts: str) -> None:
    [(where, text)] = refusals(SLUG, **given)
    assert (where or "") == parameter
    assert texts in text


TABLES = {
    "plain": "1,0,2\n0,2,1\n",
    "named": "a,b,y\n1,0,2\n\n0,2,1\n",
    "arithmetic": "1/2,0,2\n0,2^1,1\n",
}
BAD = {
    "word": ("1,2,3\n4,x,6\n", ":2:3", "has letters"),
    "nan": ("1,2\nnan,4\n", ":2:1", "is not a finite number"),
    "ragged": ("a,b,y\n1,2,3\n4,5\n", ":3", "2 cells; the first row has 3"),
    "empty cell": ("1,2\n,4\n", ":2:1", "an empty cell"),
    "empty": ("", "", "has no row of numbers"),
    "header alone": ("a,b\n", "", "has no row of numbers"),
    "one column": ("1\n2\n", ":1", "one cell in a row; a table of numbers"),
    "comma as point": ("x;y\n0,5;1\n", ":2:1", "0,5"),
    "quote": ('1,"2\n', ":1", "CSV"),
    "many": ("1,2\n" * 10_001, ":10001", "more than 10000 inputs"),
    "infinite": ("1,2\n1e999,4\n", ":2:1", "1e999"),
}


@pytest.mark.parametrize("name", ["plain", "named", "arithmetic"])
def test_tables(name: str, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text(TABLES[name], encoding="utf-8")
    ran = ddcalc(SLUG, "--data", file, "--eta", "1", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    first = "1/4" if name == "arithmetic" else "1"
    text = json.loads(ran.out)["quantities"]
    assert text["instances"]["value"] == 2
    x = Fraction(1, 2) if first == "1/4" else Fraction(1)
    assert Fraction(text["weights"][0]["exact"]) == 2 * x / (x**2 + 1)
    assert Fraction(text["weights"][1]["exact"]) == Fraction(2, 5)


@pytest.mark.parametrize("name", BAD)
def test_wrong_tables(name: str, tmp_path: Path) -> None:
    text, place, texts = BAD[name]
    file = tmp_path / "data.csv"
    file.write_text(text, encoding="utf-8")
    ran = ddcalc(SLUG, "--data", file, "--eta", "1")
    assert (ran.code, ran.out) == (2, "")
    assert f"data.csv{place}" in ran.err
    assert texts in ran.err
    assert "missing" not in ran.err


def test_a_table_and_lists_contradict_each_other(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text(TABLES["plain"], encoding="utf-8")
    ran = ddcalc(SLUG, "--data", file, "--inputs", "1,2", "--eta", "1")
    assert ran.code == 2
    assert "states inputs already" in ran.err


def test_verbs_take_the_table_too(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text(TABLES["plain"], encoding="utf-8")
    for verb in (["sweep", SLUG, "--vary", "eta=1,2"], ["sensitivity", SLUG, "--eta", "1"]):
        ran = ddcalc(*verb, "--data", file)
        assert (ran.code, ran.err) == (0, "")
    printed = ddcalc(SLUG, "--data", file, "--eta", "1", "--as-yaml").out
    assert "targets: [2, 1]" in printed


@pytest.mark.parametrize(
    ("inputs", "text"), [(["1", "1"], "just as closely"), (["1", "1/2"], "more closely")]
)
def test_the_trace_is_no_closer_a_bound_where_all_rows_have_length_1(
    inputs: list[str], text: str
) -> None:
    ran = ddcalc(
        SLUG, "--targets", "1,2", "--inputs", ",".join(inputs), "--eta", "1", "--bound", "trace"
    )
    assert f"bounds them {text}" in " ".join(ran.out.split())
