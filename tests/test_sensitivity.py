"""The verb ``sensitivity`` on the command line."""

from __future__ import annotations

import json

from running import ddcalc

STEP = ("sync-step", "--finish", "0.15s,0.5 s", "--aggregate", "0.3s", "--update", "0.25s")


def test_json_is_exact() -> None:
    ran = ddcalc("sensitivity", *STEP, "--format", "json")
    data = json.loads(ran.out)
    assert ran.code == 0
    rows = {row["name"]: row for row in data["sensitivities"]}
    assert rows["finish[2]"]["from_above"] == "1"
    assert rows["finish[1]"]["from_above"] == "0"
    assert data["swings"][0]["above"]["exact"] == "11/10"
