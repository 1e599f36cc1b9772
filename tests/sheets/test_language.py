"""What a sheet can say that the sheet to start from does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.ask.solve import solve
from ddcalc.problem.sheet.declared import foreign

RUNS = """\
How long does the shorter run take?

Runs take time.

answer: time

given
  sizes n [count, list run]: sizes
  times t [duration, list run]: times
  late l [duration, optional]: what is added
  later m [duration, optional]: or this

let
  pairs(xs) = rows(xs, 2)

need
  late or later

steps
  time T [time]: Its time
    = lookup(smaller, sizes, times)
  smaller k: The smaller size
    = min(sizes)
  sums c [s, each times]: Time until then, in each of two rounds
    if len(sizes) == 4: pairs(times) - min(pairs(times)) + sum(pairs(sizes)) * later
  added a [s]: What is added
    if late is stated: late
    if later is stated: later
  ends e [s]: The end
    = time + added
"""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (path := tmp_path / "runs.sheet").write_text(RUNS, "utf-8")
    return path


def test_steps_come_behind_what_they_need_and_look_values_up(runs: Path) -> None:
    given = {"sizes": ["9", "7", "7"], "times": ["3 s", "2 s", "1 s"], "late": "1 s"}
    solved = solve(foreign(runs), given)
    assert [*solved.values][-4:] == ["smaller", "time", "added", "ends"]
    assert solved.answer.value == 2


def test_rows_are_added_up_and_compared_by_columns(runs: Path) -> None:
    given = {"sizes": ["1", "2", "3", "4"], "times": ["3 s", "5 s", "7 s", "4 s"], "later": "1 s"}
    assert solve(foreign(runs), given).values["sums"] == (4, 7, 8, 6)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("smaller --sizes 1,2", "missing: --times"),
        ("ends --sizes 1,2 --times 1s,2s", "missing: --late or --later"),
    ],
)
def test_what_is_missing_is_said(runs: Path, asked: str, said: str) -> None:
    """Formulas that count on a given that is spared are no mistake of the sheet."""
    ran = ddcalc(f"{runs}", "--quantity", *asked.split())
    assert said in ran.out + ran.err
