"""The verb ``sweep`` as it is called: formats, files, in Python."""

from __future__ import annotations

import csv
import io
import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from running import Ran, ddcalc

import ddcalc as package

GIVEN = "--samples 76800 --epochs 10 --download 1.5s --compute 4s --upload 1.5s --aggregate 15ms"
EXAM = ["sweep", "epoch-time", *GIVEN.split()]
VARY = ["--vary", "workers=1..40", "--vary", "batch=256,512,1536"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def swept(*arguments: str) -> Ran:
    ran = ddcalc(*EXAM, *arguments)
    assert ran.code == 0, ran.err
    return ran


def total(workers: int, batch: int) -> Fraction:
    """The exam's total by another way: round after round."""
    left, time = -(-76800 // batch) * 10, Fraction(0)
    while left > 0:
        time += 7 + Fraction(15, 1000) * min(left, workers)
        left -= workers
    return time


WANTED = {(w, b): total(w, b) for w in range(1, 41) for b in (256, 512, 1536)}
BEST = min(WANTED.values())
AT = next(place for place, value in WANTED.items() if value == BEST)
TIES = sum(value == BEST for value in WANTED.values())


# Formats


def test_csv() -> None:
    ran = swept(*VARY, "--format", "csv")
    header, *rows = csv.reader(io.StringIO(ran.out))
    assert (header, ran.err) == (["workers", "batch", "total [s]"], "")
    points = [(int(workers), int(batch), Fraction(value)) for workers, batch, value in rows]
    assert points == [(*at, value) for at, value in WANTED.items()]


def test_json() -> None:
    data = json.loads(swept(*VARY, "--format", "json").out)
    assert (data["problem"], data["status"], data["points"]) == ("epoch-time", "solved", 120)
    assert [(axis["name"], axis["values"]) for axis in data["varied"]] == [
        ("workers", 40), ("batch", 3)
    ]  # fmt: skip
    assert data["rows"] == [[*at, float(value)] for at, value in WANTED.items()]
    [best] = data["optimum"]
    assert (best["name"], best["sought"], best["points"]) == ("total", "least", TIES)
    assert (Fraction(best["exact"]), *best["at"].values()) == (BEST, *AT)
    assert {"title", "text", "remarks", "steps"} <= data.keys()


def test_a_chart_below_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("plotille")
    call = ["--batch", "1536", "--vary", "workers=1..40", "--chart"]
    out = swept(*call).out
    assert "└──" in out
    assert "o  smallest total = 98.5 s at workers = 39" in out
    monkeypatch.setitem(sys.modules, "plotille", None)
    ran = ddcalc(*EXAM, *call)
    assert (ran.code, "pip install 'ddcalc[plot]'" in ran.err) == (2, True)


# What is asked


def test_what_has_no_value_is_marked_and_counted() -> None:
    vary = ["--vary", "workers=1..2", "--vary", "batch=1536,100k"]
    ran = swept(*vary, "--format", "csv")
    assert [line.split(",")[2] == "" for line in ran.out.splitlines()[1:]] == [False, True] * 2
    assert ran.err.splitlines() == [
        "note: 2 points have no value, first at workers = 1, batch = 100 000:"
        " '100 000' is a batch larger than the data (76 800 samples)"
    ]
    text = swept(*vary).out
    assert (text.count("no value"), "No value" in text) == (2, True)


def test_a_unit_holds_for_all_that_it_measures() -> None:
    """Times in minutes, money in its own; a quantity is named by its letter, too."""
    vary = ["--price", "2USD/h", "--unit", "min", "--batch", "1536", "--vary", "workers=1,2"]
    out = swept(*vary, "--quantity", "total", "--quantity", "cost").out
    assert "≈ 58.46 min" in out
    assert swept(*vary, "--quantity", "T, cost", "--format", "csv").out.startswith(
        "workers,total [min],cost [USD]\n1,58.45833333333333"
    )
    data = json.loads(swept(*vary, "--quantity", "T, cost", "--format", "json").out)
    assert [one["unit"] for one in data["quantities"]] == ["min", "USD"]
    assert data["rows"][0][1] == pytest.approx(3507.5 / 60)


# In Python


def test_sweep_in_python() -> None:
    given = {"samples": 76800, "epochs": 10, "download": "1.5 s", "compute": 4, "upload": 1.5}
    vary = {"workers": range(1, 41), "batch": ["256", "512", "1536"]}
    done = package.sweep("epoch-time", vary=vary, aggregate="15 ms", **given)
    columns = done.columns
    assert (len(columns), list(columns.arrays)) == (120, ["workers", "batch", "total"])
    assert columns.arrays["workers"].dtype.kind == "i"
    assert columns.arrays["total"].tolist() == [float(value) for value in WANTED.values()]
    assert list(columns.exact("total")) == list(WANTED.values())
    assert columns.best == {"total": (BEST, {"workers": AT[0], "batch": AT[1]})}
    assert columns.notes == []
    assert repr(done).startswith("<epoch-time: 120 points of workers, batch; smallest total = ")
    assert "<table>" in done._repr_html_()
    with pytest.raises(package.DdcalcError):
        list(columns.exact("nonsense"))
    with pytest.raises(package.DdcalcError):
        package.sweep("epoch-time", vary={"workers": [True]}, **given)
