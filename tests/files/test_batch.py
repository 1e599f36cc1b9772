"""Problems of a file are solved one after the other; a bad one stops no other."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from sheets import STEP, answers, flow, read_sheet, sheet

from ddcalc.boundary.source import Source
from ddcalc.files.batch import solved


def test_problems_come_as_they_are_solved(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text(sheet(flow("a"), flow("b")) + "- {id: c}\n" * 100_000 + "- [")
    first = list(islice(solved(Source(str(file))), 2))
    assert answers(first) == {"a": "21/20", "b": "21/20"}


def test_checks_are_not_made_where_something_is_wrong(tmp_path: Path) -> None:
    (done,) = read_sheet(tmp_path, STEP + "extra: 1\nexpect: {total: 99 s}\n")
    assert done.checks == []
    assert not done.differs
