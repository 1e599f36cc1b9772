"""Problems of a file are solved one after the other; a bad one stops no other."""

from __future__ import annotations

import io
import json
import sys
from itertools import islice
from pathlib import Path

import pytest
from sheets import STEP, answers, flow, read_sheet, sheet

from ddcalc.boundary.source import Source
from ddcalc.files.batch import solved

LINE = {"type": "sync-step", "given": {"finish": ["0.15 s", 0.5], "aggregate": 0.3, "update": 0.25}}


def line(identity: str) -> str:
    return json.dumps({"id": identity, **LINE}) + "\n"


def test_problems_come_as_they_are_solved(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text(sheet(flow("a"), flow("b")) + "- {id: c}\n" * 100_000 + "- [")
    first = list(islice(solved(Source(str(file))), 2))
    assert answers(first) == {"a": "21/20", "b": "21/20"}


@pytest.mark.parametrize("content", [sheet(flow("a"), flow("b")), line("a") + line("b")])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(content.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    results = list(solved(Source("-")))
    assert answers(results) == {"a": "21/20", "b": "21/20"}
    assert {done.question.file for done in results} == {"-"}


def test_checks_are_not_made_where_something_is_wrong(tmp_path: Path) -> None:
    (done,) = read_sheet(tmp_path, STEP + "extra: 1\nexpect: {total: 99 s}\n")
    assert done.checks == []
    assert not done.differs
