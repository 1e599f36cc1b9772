"""Problems of a file are solved one after the other; a bad one stops no other."""

from __future__ import annotations

import io
import json
import sys
from itertools import islice
from pathlib import Path

import pytest
from sheets import STEP, answers, flow, read_sheet, sheet, texts, wrong

from ddcalc.boundary.source import Source
from ddcalc.files.batch import solved

BAD = [
    "{id: bad, type: nothing}",
    "{id: bad, type: sync-step, type: sync-step}",
    "{id: bad, type: sync-step, given: {finish: 9**9**9, aggregate: 1, update: 1}}",
    "{id: bad, type: sync-step, given: {finish: *x, aggregate: 1, update: 1}}",
    "{id: bad, type: !!python/name:os.system sync-step}",
    "{id: bad, type: sync-step, given: {finish: [[[[1]]]], aggregate: 1, update: 1}}",
    "text",
    "",
]
LINE = {"type": "sync-step", "given": {"finish": ["0.15 s", 0.5], "aggregate": 0.3, "update": 0.25}}


def line(identity: str, **more: object) -> str:
    return json.dumps({"id": identity, **LINE, **more}) + "\n"


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_problem_between_good_ones(tmp_path: Path, bad: str) -> None:
    results = read_sheet(tmp_path, sheet(flow("a"), bad, flow("c")))
    assert answers(results) == {"a": "21/20", "c": "21/20"}
    assert len(results) == 3
    assert results[1].errors
    assert all(error.place and error.place.line == 3 for error in results[1].errors)


def test_problems_come_as_they_are_solved(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text(sheet(flow("a"), flow("b")) + "- {id: c}\n" * 100_000 + "- [")
    first = list(islice(solved(Source(str(file))), 2))
    assert answers(first) == {"a": "21/20", "b": "21/20"}


def test_problems_above_an_encoding_error_are_solved(tmp_path: Path) -> None:
    good = sheet(*(flow(f"p{i}") for i in range(2000))).encode()
    results = read_sheet(tmp_path, good + b"# \xff\n")
    assert results[-1].errors[0].kind == "file"
    assert len(answers(results)) > 1000


def test_several_documents(tmp_path: Path) -> None:
    content = f"---\n{STEP}id: a\n---\n{sheet(flow('b'), flow('c'))}---\nid: d\n---\n{flow('e')}\n"
    results = read_sheet(tmp_path, content)
    assert [done.question.id for done in results] == ["a", "b", "c", "d", "e"]
    assert list(answers(results)) == ["a", "b", "c", "e"]


def test_defaults_belong_to_their_document(tmp_path: Path) -> None:
    head = "defaults: {sync-step: {aggregate: 1, update: 1}}\n"
    problem = "{id: %s, type: sync-step, given: {finish: 1}}"
    content = f"{sheet(problem % 'a', head=head)}---\n{sheet(problem % 'b')}"
    results = read_sheet(tmp_path, content)
    assert answers(results) == {"a": "3"}
    assert texts(results) == ["missing: aggregate, update"]


def test_ids_are_unique_in_all_documents_without_regard_to_case(tmp_path: Path) -> None:
    content = f"{sheet(flow('Ab'), flow('b'), flow('aB'))}---\n{flow('B')}\n"
    results = read_sheet(tmp_path, content)
    assert [bool(done.errors) for done in results] == [False, False, True, True]
    assert [(kind, at) for kind, at, _ in wrong(results)] == [("repeated", 4), ("repeated", 6)]
    assert texts(results)[0].startswith("'aB' is given more than once; first in line 2")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", [("sheet", 0, 0)]),
        ("# nothing\n", [("sheet", 0, 0)]),
        ("problems: 3\n", [("sheet", 1, 11)]),
        ("problems: {a: 1}\n", [("sheet", 1, 11)]),
        ("problems: []\n", [("sheet", 1, 1)]),
        ("- type: sync-step\n", [("sheet", 1, 1)]),
        ("just a text\n", [("sheet", 1, 1)]),
    ],
)
def test_files_without_problems(
    tmp_path: Path, content: str, expected: list[tuple[str, int, int]]
) -> None:
    results = read_sheet(tmp_path, content)
    assert wrong(results) == expected
    assert answers(results) == {}


def test_lines_of_json(tmp_path: Path) -> None:
    content = (
        line("a") + "\n" + line("b", titel="x") + '{"id":\n' + line("c", expect={"total": 1.05})
    )
    results = read_sheet(tmp_path, content, "sheet.ndjson")
    assert answers(results) == {"a": "21/20", "c": "21/20"}
    assert [done.question.id for done in results if done.question.id] == ["a", "b", "c"]
    assert [(kind, at) for kind, at, _ in wrong(results)] == [("unknown", 3), ("file", 4)]
    assert [check.agrees for check in results[-1].checks] == [True]


def test_numbers_in_json_are_exact(tmp_path: Path) -> None:
    given = '{"finish": 0.1, "aggregate": 0.2, "update": 1e-30}'
    results = read_sheet(tmp_path, f'{{"id": "a", "type": "sync-step", "given": {given}}}\n')
    (value,) = answers(results).values()
    assert value == f"{3 * 10**29 + 1}/{10**30}"


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
