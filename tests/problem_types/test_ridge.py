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
from stating import results

SLUG = "ridge"


@pytest.mark.parametrize("seed", range(4))
def test_curvatures_against_numpy(seed: int) -> None:
    draw = random.Random(seed)
    rows = [[draw.randint(-9, 9) for _ in range(1 + seed)] for _ in range(6)]
    answer: dict[str, Any] = results(
        SLUG, inputs=[x for row in rows for x in row], targets=[*range(6)], eta=2
    )
    squares = np.array(rows).T @ np.array(rows) + 2 * np.eye(1 + seed)
    ends = np.linalg.eigvalsh(2 * squares)[[0, -1]]
    assert [float(answer[end]) for end in ("smallest", "largest")] == pytest.approx(ends, rel=1e-6)
    assert answer["low"] <= answer["smallest"] <= answer["largest"] <= answer["high"]


TABLES = {
    "plain": "1,0,2\n0,2,1\n",
    "named": "a,b,y\n1,0,2\n\n0,2,1\n",
    "arithmetic": "1/2,0,2\n0,2^1,1\n",
}
BAD = {
    "word": ("1,2,3\n4,x,6\n", ":2:3", "has letters"),
    "ragged": ("a,b,y\n1,2,3\n4,5\n", ":3", "2 cells; the first row has 3"),
    "one column": ("1\n2\n", ":1", "one cell in a row; a table of numbers"),
    "comma as point": ("x;y\n0,5;1\n", ":2:1", "0,5"),
    "many": ("1,2\n" * 10_001, ":10001", "more than 10000 inputs"),
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


def test_verbs_take_the_table_too(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text(TABLES["plain"], encoding="utf-8")
    for verb in (["sweep", SLUG, "--vary", "eta=1,2"], ["sensitivity", SLUG, "--eta", "1"]):
        ran = ddcalc(*verb, "--data", file)
        assert (ran.code, ran.err) == (0, "")
    printed = ddcalc(SLUG, "--data", file, "--eta", "1", "--as-yaml").out
    assert "targets: [2, 1]" in printed
