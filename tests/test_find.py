"""``--find`` and ``--where``, ``find:`` and ``where:``, and ``ddcalc.find``: one answer in all."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from questions import TYPES, Kind, Texts, command, example, options
from running import ddcalc

from ddcalc.files.schema import schema

VALIDATOR = Draft202012Validator(schema())
EXAM: Texts = {
    "samples": "76800", "batch": "1536", "epochs": "10", "download": "1.5 s", "compute": "4 s",
    "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip
WORKERS = ["epoch-time", *options(EXAM), "--find", "workers", "--where", "total <= 300 s"]
KEYS = [
    "problem", "id", "file", "status", "answer", "quantities", "assumptions", "readings", "unused",
    "checks", "find",
]  # fmt: skip


def _unknowns(problem: Kind) -> list[str]:
    """The whole numbers of the type's example, else what is one number there."""
    texts = example(problem)
    given = [problem.givens[name] for name, text in texts.items() if isinstance(text, str)]
    single = [unknown for unknown in given if unknown.many != "list"]
    return [unknown.name for unknown in single if unknown.whole or problem.symbolic]


FINDABLE = [(problem, name) for problem in TYPES[::4] for name in _unknowns(problem)[:1]]


def _call(problem: Kind, unknown: str) -> list[str]:
    """The example with one given unknown, so that it keeps its own value."""
    texts = example(problem)
    value = texts.pop(unknown)
    given = f"{unknown} = {value}" if isinstance(value, str) else ""
    return [*command(problem, texts), "--find", unknown, "--where", given]


@pytest.mark.parametrize(("problem", "unknown"), FINDABLE)
def test_a_command_and_its_file_agree(problem: Kind, unknown: str, tmp_path: Path) -> None:
    call = _call(problem, unknown)
    lines = ddcalc(*call).out.splitlines()
    assert lines
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    file = tmp_path / "inverse.yaml"
    file.write_text(ddcalc(*call, "--as-yaml").out, encoding="utf-8")
    direct = json.loads(ddcalc(*call, "--format", "json").out)
    assert list(direct) == [*KEYS, "steps"]
    assert direct["answer"]["name"] == unknown
    assert Fraction(direct["answer"]["exact"]) == Fraction(direct["quantities"][unknown]["exact"])
    ran = ddcalc("solve", file, "--format", "ndjson", "--steps", "full")
    assert (ran.code, ran.err) == (0, "")
    assert {**json.loads(ran.out), "id": None, "file": None} == direct
    assert [*VALIDATOR.iter_errors(_as_data(problem, call))] == []


def _as_data(problem: Kind, call: list[str]) -> dict[str, Any]:
    texts = example(problem)
    unknown = call[call.index("--find") + 1]
    del texts[unknown]
    return {"type": problem.slug, "find": unknown, "where": call[-1], "given": texts}


FROM = {"value": 13.0, "exact": "13", "unit": "", "text": "13"}


def test_the_exam_sheet() -> None:
    data = json.loads(ddcalc(*WORKERS, "--format", "json").out)
    assert data["answer"]["value"] == 13
    assert data["quantities"]["total"]["exact"] == "561/2"
    assert data["find"] == {
        "unknown": "workers",
        "where": ["total <= 300 s"],
        "solutions": [{"from": FROM, "to": None, "from_included": True, "to_included": False}],
        "complete": True,
        "text": data["find"]["text"],
        "proof": data["find"]["proof"],
    }
    assert data["find"]["text"].startswith("At least 13 workers: then the total is 280.5 s;")
    assert [step["kind"] for step in data["steps"]].count("compare") == 2
