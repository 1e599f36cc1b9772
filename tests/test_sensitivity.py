"""The verb ``sensitivity`` on the command line."""

from __future__ import annotations

import json

from running import ddcalc

UNSURE = ("sync-step", "--finish", "0.15s,0.5±0.1 s", "--aggregate", "0.3s", "--update", "0.25s")


def test_json_is_exact() -> None:
    ran = ddcalc("sensitivity", *UNSURE, "--format", "json")
    data = json.loads(ran.out)
    assert ran.code == 0
    rows = {row["name"]: row for row in data["sensitivities"]}
    assert rows["finish[2]"]["from_above"] == "1"
    assert rows["finish[1]"]["from_above"] == "0"
    assert data["range"]["low"]["reached"]["exact"] == "19/20"
    assert data["range"]["high"]["exact"]
