"""What a sheet can say that the sheet to start from does not."""

from __future__ import annotations

from pathlib import Path

from ddcalc.ask.solve import solve
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
