"""JSON that scripts rely on: files, errors, nulls, symbols, huge numbers, order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sympy
from running import Ran, ddcalc

TRIP = "download: 1 s, compute: 1 s, upload: 1 s"
STARTS = "starts: [0.15 s, 0.2 s, 0.25 s, 0.5 s], update: 0.2 s, horizon: 0.6 s"
FLAT = "download: 1 s, compute: 4 s, upload: 1 s, aggregate: 0 s"


def _file(folder: Path, name: str, *problems: str) -> Path:
    path = folder / name
    lines = "".join(f"  - {{{problem}}}\n" for problem in problems)
    path.write_text(f"problems:\n{lines}", encoding="utf-8")
    return path


def _solved(*arguments: str | Path) -> tuple[Ran, list[dict[str, Any]]]:
    """The objects of a batch, which both JSON formats tell alike."""
    ran = ddcalc("solve", *arguments, "--format", "json")
    document = json.loads(ran.out, parse_constant=_refuse)
    assert list(document) == ["schema_version", "problems"]
    assert document["schema_version"] == 1
    lines = ddcalc("solve", *arguments, "--format", "ndjson")
    assert lines.code == ran.code
    objects = [json.loads(line, parse_constant=_refuse) for line in lines.out.splitlines()]
    assert objects == document["problems"]
    assert ran.out.isascii()
    return ran, objects


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def test_several_files_in_their_order(tmp_path: Path) -> None:
    files = [
        _file(tmp_path, f"{name}.yaml", *(f"id: {name}{i}, type: sync-step" for i in range(3)))
        for name in "bac"
    ]
    ran, objects = _solved(*files)
    assert ran.code == 2
    assert [item["id"] for item in objects] == [f"{name}{i}" for name in "bac" for i in range(3)]
    assert [item["file"] for item in objects] == [str(file) for file in files for _ in range(3)]


def test_a_folder_and_standard_keys(tmp_path: Path) -> None:
    _file(tmp_path, "a.yaml", "id: one, type: sync-step, title: A title, source: A book, "
          "given: {finish: [1 s], aggregate: 1 s, update: 1 s}")  # fmt: skip
    ran, (document,) = _solved(tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert document["answer"]["exact"] == "3"
    assert (document["id"], document["file"]) == ("one", str(tmp_path / "a.yaml"))
    assert "steps" not in document or document["steps"]


TWO = "finish: [1 s], aggregate: 1 s"


@pytest.mark.parametrize(
    ("problem", "kind", "parameter", "marked"),
    [
        (f"type: sync-step, given: {{{TWO}, update: 1 secnd}}", "unit", "update", "1 secnd"),
        (f"type: sync-step, given: {{{TWO}, update: 9**9**9}}", "number", "update", "9**9"),
        (f"type: sync-step, given: {{{TWO}, updat: 1 s}}", "unknown", "updat", "updat"),
        (f"type: sync-step, given: {{{TWO}}}", "missing", None, None),
        ("type: sync-step, given: {finish: [1 s, -1 s], aggregate: 1 s, update: 1 s}", "value",
         "finish[2]", "-1 s"),
        ("type: sync-stp", "unknown", None, "sync-stp"),
        ("given: {finish: [1 s]}", "missing", None, None),
        (f"type: sync-step, frob: 1, given: {{{TWO}, update: 1 s}}", "unknown", None, "frob"),
    ],
)  # fmt: skip
def test_errors_are_objects(
    tmp_path: Path, problem: str, kind: str, parameter: str | None, marked: str | None
) -> None:
    file = _file(tmp_path, "wrong.yaml", f"id: wrong, {problem}")
    ran, (document,) = _solved(file)
    assert ran.code == 2
    assert (document["status"], document["id"]) == ("error", "wrong")
    assert set(document) >= {"problem", "id", "file", "status", "error"}
    error = document["error"]
    assert list(error) == ["kind", "file", "line", "column", "parameter", "message"]
    assert (error["kind"], error["file"], error["line"]) == (kind, str(file), 2)
    assert error["message"]
    assert parameter is None or error["parameter"] == parameter
    if marked:
        line = file.read_text(encoding="utf-8").splitlines()[1]
        assert error["column"] == line.index(marked) + 1


def test_no_answer_is_solved_and_null(tmp_path: Path) -> None:
    file = _file(
        tmp_path, "never.yaml", f"type: breakeven, given: {{{FLAT}}}, expect: {{workers: null}}"
    )
    ran, (document,) = _solved(file)
    assert ran.code == 0
    assert document["status"] == "solved"
    assert (document["answer"]["value"], document["answer"]["exact"]) == (None, None)
    assert document["answer"]["text"]
    assert document["quantities"]["balance"]["exact"] is None
    assert [check["agrees"] for check in document["checks"]] == [True]


@pytest.mark.parametrize(
    ("more", "exact"),
    [
        ("", "4*Delta*eta"),
        (", compare: same-time", "6*Delta*eta"),
        (", eta: 0.1", "2*Delta/5"),
        (", delta: 3", "12*eta"),
        (", eta: 0.1, delta: 2", "4/5"),
        (", lipschitz: 2, eta: 0.1", "3*Delta/50"),
    ],
)
def test_symbols_stay_exact(tmp_path: Path, more: str, exact: str) -> None:
    file = _file(tmp_path, "async.yaml", f"type: divergence, given: {{{STARTS}{more}}}")
    _, (document,) = _solved(file)
    answer = document["answer"]
    assert sympy.simplify(sympy.sympify(answer["exact"]) - sympy.sympify(exact)) == 0
    if exact.endswith("Delta*eta"):
        assert answer["exact"] == exact
    assert (answer["value"] is None) == ("eta" in exact or "Delta" in exact)
    for free, stated in (("eta", "eta:" in more), ("delta", "delta:" in more)):
        assert (document["quantities"][free]["value"] is None) == (not stated)


@pytest.mark.parametrize("samples", ["1e30", "1e60"])
def test_huge_numbers_keep_every_digit(tmp_path: Path, samples: str) -> None:
    given = f"samples: {samples}, batch: 7, workers: 3, {TRIP}"
    file = _file(tmp_path, "huge.yaml", f"type: epoch-time, given: {{{given}}}")
    _, (document,) = _solved(file)
    total = 10 ** (60 if samples == "1e60" else 30)
    batches = -(-total // 7)
    rounds = -(-batches // 3)
    assert document["quantities"]["batches"]["exact"] == str(batches)
    assert document["answer"]["exact"] == str(3 * rounds)
    assert document["answer"]["value"] == float(3 * rounds)


def test_checks(tmp_path: Path) -> None:
    given = "given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}"
    stated = "expect: {total: 4 s, idle: [1 s, 0 s]}, claimed: {total: 5 s, slowest: 2000 ms}"
    file = _file(tmp_path, "checks.yaml", f"type: sync-step, {given}, {stated}")
    ran, (document,) = _solved(file)
    assert ran.code == 0
    checks = {(item["name"], item["ours"]): item for item in document["checks"]}
    assert all(
        list(item) == ["name", "stated", "derived", "agrees", "ours"] for item in document["checks"]
    )
    assert {key: item["agrees"] for key, item in checks.items()} == {
        ("total", True): True,
        ("idle", True): True,
        ("total", False): False,
        ("slowest", False): True,
    }
    assert checks["total", False]["stated"] == "5 s"
    assert checks["total", False]["derived"] == "4 s"
    wrong = _file(tmp_path, "wrong.yaml", f"type: sync-step, {given}, expect: {{total: 5 s}}")
    ran, (document,) = _solved(wrong)
    assert (ran.code, document["status"]) == (1, "solved")


def test_readings_and_assumptions(tmp_path: Path) -> None:
    given = f"samples: 100, batch: 10, workers: 3, {TRIP}, queue: carry"
    file = _file(tmp_path, "readings.yaml", f"type: epoch-time, given: {{{given}}}")
    _, (document,) = _solved(file)
    assert {item["choice"]: item["value"] for item in document["assumptions"]} == {
        "batch_for": "worker",
        "queue": "carry",
        "last_round": "partial",
        "server_link": "one_each",
    }
    assert [(r["choice"], r["value"], r["answer"]["exact"]) for r in document["readings"]] == [
        ("last_round", "drop", "9"),
        ("server_link", "shared", "24"),
        ("batch_for", "all_workers", "30"),
    ]
