"""What a sheet can say that the sheet to start from does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.ask.solve import solve
from ddcalc.errors import BadValue
from ddcalc.problem.sheet.loading import foreign

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
  parts o [each times]: One size, the other three together, and those of both rounds
    if len(sizes) == 4: (*sums(sizes, (1, 3)), *sum(turned(pairs(sizes))))
  products u [each times]: All sizes multiplied, the last one, and those of both columns
    if len(sizes) == 4: (product(sizes), sizes[4], *product(pairs(sizes)))
  same x [each times]: The sizes once more
    if len(sizes) == 4: turned(sums(turned(pairs(sizes)), (1, 1)))
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


def test_lists_with_one_more_and_their_first_member_that_fits(tmp_path: Path) -> None:
    (path := tmp_path / "fit.sheet").write_text(
        "Which box is large enough?\n\nA larger one costs more.\n\n"
        "given\n  size n: size\n  sizes b [count, list box]: sizes of the boxes\n\n"
        "choose\n  kind: what boxes are\n    open: they are open\n    shut: they are shut\n\n"
        "refuse\n  if kind is shut: kind: is not for sale\n\n"
        "steps\n  box x: The box\n    = first((0, *sizes), size <= (0, *sizes))\n"
        "  twice y: How often it doubles\n    = 2 ** box\n",
        "utf-8",
    )
    boxes = foreign(path)
    for size, box in ((0, 0), (2, 3), (4, 5), (6, 5)):
        assert solve(boxes, {"size": str(size), "sizes": ["3", "5"]}).answer.value == 2**box
    with pytest.raises(BadValue, match="is not for sale"):
        solve(boxes, {"size": "1", "sizes": ["3"], "kind": "shut"})


def test_rows_are_added_up_and_compared_by_columns(runs: Path) -> None:
    given = {"sizes": ["1", "2", "3", "4"], "times": ["3 s", "5 s", "7 s", "4 s"], "later": "1 s"}
    values = solve(foreign(runs), given).values
    assert values["sums"] == (4, 7, 8, 6)
    assert values["parts"] == (1, 9, 3, 7)
    assert values["same"] == (1, 2, 3, 4)
    assert values["products"] == (24, 4, 3, 8)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("smaller --sizes 1,2", "1\n"),
        ("ends --sizes 1,2 --times 1s,2s", "missing: --late or --later"),
    ],
)
def test_what_is_missing_is_said(runs: Path, asked: str, said: str) -> None:
    """Formulas that count on a given that is spared are no mistake of the sheet."""
    ran = ddcalc(f"{runs}", "--quantity", *asked.split())
    assert said in ran.out + ran.err


def test_a_text_has_parameters(tmp_path: Path) -> None:
    (path := tmp_path / "turn.sheet").write_text(
        "Whose turn is it?\n\nOne after the other.\n\n"
        "given\n  size n [example 3]: size\n\n"
        'let\n  turn(k) = "turn {k}[if k == 1: , the first]"\n\n'
        "steps\n  double d: Double\n    = 2 * size\n",
        "utf-8",
    )
    problem = foreign(path)
    made = problem(solve(problem, {"size": "3"}).stated.shape)
    assert [made.text("turn", k) for k in (1, 2)] == ["turn 1, the first", "turn 2"]
