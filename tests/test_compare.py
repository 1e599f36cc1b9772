"""The verb ``compare`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from running import ddcalc

STEP = ("sync-step", "--finish", "0.15s,0.5s", "--aggregate", "0.3s", "--update", "0.25s")


def test_json_is_exact() -> None:
    changes = ("--against", "update=0.15 s; finish=0.2s,0.1s", "--against", "aggregate=1 s")
    ran = ddcalc("compare", *STEP, *changes, "--format", "json")
    comparisons = json.loads(ran.out)["comparisons"]
    assert (ran.code, len(comparisons)) == (0, 2)
    assert [one["difference"]["exact"] for one in comparisons] == ["-2/5", "7/10"]
    assert [[*one["changes"][0].values()] for one in comparisons] == [
        [["finish"], "0.15 s, 0.5 s", "0.2 s, 0.1 s"],
        [["aggregate"], "0.3 s", "1 s"],
    ]


def test_two_problems_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    given = "{finish: [0.15 s, 0.5 s], aggregate: %s, update: 0.25 s}"
    file.write_text(
        "problems:\n"
        f"  - {{id: a, type: sync-step, given: {given % '0.3 s'}}}\n"
        f"  - {{id: b, type: sync-step, given: {given % '0.2 s'}}}\n"
        f"  - {{id: c, type: sync-step, given: {given % '200 GB'}}}\n"
    )
    for words in ([file, "a", "b"], [f"{file}:a", f"{file}:b"]):
        ran = ddcalc("compare", *words)
        assert ran.code == 0
        assert "T = 1.05 s → 0.95 s: 0.1 s less" in " ".join(ran.out.split())
    wrong = ddcalc("compare", file, "a", "c")
    assert wrong.code == 2
    assert f"{file}:4" in wrong.err
    assert not wrong.out
