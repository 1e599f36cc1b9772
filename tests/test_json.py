"""JSON that scripts rely on, and the Python face: one answer in all."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from questions import EXAM
from running import ROOT, ddcalc

import ddcalc as python

FILES = ROOT / "tests" / "golden" / "files"


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("name", ["sheet", "parts", "wrong"])
def test_both_json_formats_tell_alike(name):
    file = FILES / f"{name}.yaml"
    ran, lines = (ddcalc("solve", file, "--format", form) for form in ("json", "ndjson"))
    document = json.loads(ran.out, parse_constant=_refuse)
    assert list(document) == ["schema_version", "problems"]
    assert [*map(json.loads, lines.out.splitlines())] == document["problems"]
    assert (lines.code, ran.out.isascii()) == (ran.code, True)


# The Python face


SAME = ["15 ms", "0.015", 0.015, Fraction(3, 200), Decimal("0.015"), "3/200 s", np.float32(0.015)]


@pytest.mark.parametrize("value", SAME)
def test_values_of_python_are_exact(value):
    solved = python.solve("epoch-time", **{**EXAM, "aggregate": value})
    assert solved.answer.value == Fraction(1191, 2)


def test_lists_and_choices():
    finish = (np.float32(0.15), "0.2 s", Fraction(1, 2))
    solved = python.solve("sync-step", finish=finish, aggregate=np.int64(0), update=1)
    assert solved.answer.value == Fraction(3, 2)
    assert python.solve("epoch-time", **EXAM, queue="per-epoch").answer.value == Fraction(1275, 2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"workers": True}, "truth value"),
        ({"workers": None}, "leave out"),
        ({"workers": float("nan")}, "not a finite number"),
        ({"workers": 2.5}, "not a whole number"),
        ({"workers": [1, 2]}, "one value is wanted"),
        ({"wrkers": 6}, "did you mean 'workers'"),
    ],
)
def test_what_cannot_be_solved(more, message):
    with pytest.raises(python.DdcalcError, match=message):
        python.solve("epoch-time", **{**EXAM, **more})


def test_a_file_is_solved_into_attributes(tmp_path):
    exam = python.load(FILES / "attributes.yaml").solve()
    assert (list(exam), list(exam.q3)) == (["q3", "no-name", "3"], [*"abcde"])
    assert (exam.q3.a.total.value, exam["q3"]["a"]["total"].value) == (5, 5)
    assert [case.total.value for case in exam.q3.b] == [6, 7]
    assert exam.q3.c.gain.value == Fraction(5, 3)
    assert exam.q3.d.answer.value == exam.q3.d.update.value == 6
    assert [limit.agrees for limit in exam.q3.a.limits] == [False]
    assert exam["no-name"].total.value == exam["3"].total.value - 1 == 3
    assert repr(exam).splitlines()[0].startswith("q3: (a) The whole step is more than 4 s: 5 s")
    for shown in (exam, exam.q3):
        assert 'The whole step: <span class="solid">6 s' in shown._repr_html_()
    [wrong] = exam.errors
    for look in (lambda: exam.q3.e, lambda: exam.q3["e"], lambda: exam.q3.a["totl"]):
        with pytest.raises(python.DdcalcError, match="did you mean"):
            look()
    assert "did you mean 'total'?" in str(wrong)
    for of, name in ((exam, "q4"), (exam.q3.a, "totl"), (exam.q3.a, "_total")):
        assert not hasattr(of, name)
    with pytest.raises(python.DdcalcError, match="cannot open"):
        python.load(tmp_path / "none.yaml").solve()


def test_questions_may_have_formulas_steps_and_limits():
    given = {**EXAM, "workers": "epochs - 4", "steps": {"paid": "workers*total: worker-seconds"}}
    solved = python.solve("epoch-time", **given, limit=["paid <= 1 h", "2*total <= 10 min"])
    assert solved.paid.value == 3573
    assert [limit.agrees for limit in solved.limits] == [True, False]
    assert python.solve("epoch-time", **given, quantity="paid").answer.value == 3573
    del given["epochs"]
    found = python.find("epoch-time", "epochs", where="paid <= 60*full_round + 1 h", **given)
    assert [found.is_solution(epochs) for epochs in (4, 5, 11, 12)] == [False, True, True, False]
    points = {"vary": {"epochs": "5..20"}, "minimize": ["paid"], "where": "paid/10 >= 400 s"}
    assert python.sweep("epoch-time", **points, **given).columns.best["paid"][1] == {"epochs": 12}
    moved = python.sensitivity("epoch-time", **given, epochs=10)
    assert {"epochs", "compute"} <= {swing.lever.name for swing in moved.swings}
    marks = python.mark("epoch-time", answers={"paid": "3573 s"}, **given, epochs=10)
    assert marks.credit == 1
    with pytest.raises(python.DdcalcError, match="did you mean total"):
        python.solve("epoch-time", **EXAM, steps={"paid": "workers*totl"})
