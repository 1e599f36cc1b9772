"""What a sheet can say that the sheet to start from does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddcalc.ask.solve import solve
from ddcalc.errors import BadValue
from ddcalc.problem.sheet.declared import foreign


def test_steps_come_behind_what_they_need_and_look_values_up(tmp_path: Path) -> None:
    (path := tmp_path / "runs.sheet").write_text(
        "How long does the shorter run take?\n\nRuns take time.\n\nanswer: time\n\n"
        "given\n  sizes n [count, list run]: sizes\n  times t [duration, list run]: times\n\n"
        "steps\n  time T [time]: Its time\n    = lookup(least, sizes, times)\n"
        "  least k: The smaller size\n    = min(sizes)\n",
        "utf-8",
    )
    solved = solve(foreign(path), {"sizes": ["9", "7", "7"], "times": ["3 s", "2 s", "1 s"]})
    assert [*solved.values][-2:] == ["least", "time"]
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
