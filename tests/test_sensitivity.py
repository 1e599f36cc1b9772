"""The verb ``sensitivity`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from running import ddcalc

ROOT = Path(__file__).parents[1]
EXAM = ROOT / "problems" / "exam.yaml"
UNSURE = ("sync-step", "--finish", "0.15s,0.5±0.1 s", "--aggregate", "0.3s", "--update", "0.25s")


def test_a_problem_of_a_file() -> None:
    ran = ddcalc("sensitivity", EXAM, "ps-epochs")
    assert ran.code == 0
    assert "+84 s per s" in ran.out
    assert "+112 s" in ran.out


def test_json_is_exact() -> None:
    ran = ddcalc("sensitivity", *UNSURE, "--format", "json")
    data = json.loads(ran.out)
    assert ran.code == 0
    rows = {row["name"]: row for row in data["sensitivities"]}
    assert rows["finish[2]"]["from_above"] == "1"
    assert rows["finish[1]"]["from_above"] == "0"
    assert data["range"]["low"]["reached"]["exact"] == "19/20"
    assert data["range"]["high"]["exact"]
