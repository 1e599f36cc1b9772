"""The picture of a sheet: things that pass stations one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddcalc.ask.solve import solve
from ddcalc.problem.sheet.loading import foreign
from ddcalc.problem.steps import Timeline

SHEET = """How long does the laundry take?

Each load is washed, dried and folded.

given
  loads n [number]: loads
  wash w [duration, default 1 s]: washing a load
  dry d [duration, default 3 s]: drying a load

steps
  time T [time]: Its time
    = wash + loads * dry

picture
  The laundry: load -- each load waits for the dryer
    number: loads
    before: wash
    lane washer: wash
    lane dryer: dry, 2 * dry
    lane shelf: wash / 2
"""


@pytest.mark.parametrize(
    ("loads", "wash", "ends"),
    [
        ("3", "1 s", [[2, 3, 4], [5, 8, 14], [5.5, 8.5, 14.5]]),
        ("1", "1 s", [[2], [8], [8.5]]),
        ("2", "0 s", [[0, 0], [3, 9], [3, 9]]),
        ("0", "1 s", None),
        ("1.5", "1 s", None),
        ("10001", "1 s", None),
    ],
)
def test_each_station_takes_one_after_the_other(
    tmp_path: Path, loads: str, wash: str, ends: list[list[float]] | None
) -> None:
    (path := tmp_path / "laundry.sheet").write_text(SHEET, "utf-8")
    solved = solve(foreign(path), {"loads": loads, "wash": wash})
    pictures = [step for step in solved.steps if isinstance(step, Timeline)]
    drawn = [
        [[bar.end for bar in lane.bars if bar.label != "before"] for lane in picture.lanes]
        for picture in pictures
    ]
    assert drawn == ([] if ends is None else [ends])
