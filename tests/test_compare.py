"""The verb ``compare`` on the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from questions import TYPES, Kind, command, example, specimen
from running import ddcalc

ROOT = Path(__file__).parents[1]
EXAM = ROOT / "problems" / "exam.yaml"
STEP = ("sync-step", "--finish", "0.15s,0.5s", "--aggregate", "0.3s", "--update", "0.25s")


def test_json_is_exact_and_sums_up() -> None:
    changes = ("--against", "update=0.15 s; finish=0.2s,0.1s", "--against", "aggregate=1 s")
    ran = ddcalc("compare", *STEP, *changes, "--format", "json")
    comparisons = json.loads(ran.out)["comparisons"]
    assert (ran.code, len(comparisons)) == (0, 2)
    for comparison in comparisons:
        parts = comparison["attribution"]["parts"]
        total = sum(Fraction(part["effect"]["exact"]) for part in parts)
        assert total == Fraction(comparison["difference"]["exact"])


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
        assert "aggregate 0.3 s → 0.2 s takes 0.1 s off" in ran.out
    wrong = ddcalc("compare", file, "a", "c")
    assert wrong.code == 2
    assert f"{file}:4" in wrong.err
    assert not wrong.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*STEP, "--against", "update=1s,2s"], "has a comma"),
        ([*STEP, "--against", "update=9**9**9 s"], "--against update"),
        (["sync-step", "x", "--against", "update=1 s"], "givens are options"),
        ([EXAM, "ps-epochs"], "name two"),
    ],
)
def test_wrong_calls(arguments: list[str | Path], says: str) -> None:
    ran = ddcalc("compare", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert not ran.out


@pytest.mark.parametrize("problem", TYPES[::4], ids=lambda problem: problem.slug)
def test_nothing_is_too_wide(problem: Kind) -> None:
    single = [n for n, text in example(problem).items() if isinstance(text, str)]
    changes = [f"{n}={specimen(problem.givens[n], 2)}" for n in single[:3]]
    changes += [f"{n}={list(c.options)[-1]}" for n, c in list(problem.choices.items())[:1]]
    alternatives = [word for text in changes for word in ("--against", text)]
    ran = ddcalc("compare", *command(problem), *alternatives)
    assert ran.code in (0, 2)
    assert (ran.code == 0) == bool(ran.out)
    assert max(map(len, ran.out.splitlines()), default=0) <= 80


def test_what_is_about_is_not_called_equal(tmp_path: Path) -> None:
    """``E_k ≈ 1.083 s``, not ``E_k = ≈ 1.083 s``; and each answer has its own letter."""
    backup = ("backup-workers", "--means", "1s", "--workers", "4", "--wait-for", "3")
    ran = ddcalc("compare", *backup, "--against", "wait_for=4", "--steps", "none")
    assert ran.out == "E_k ≈ 1.083 s → ≈ 2.083 s: 1 s more, × 1.923\n"
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(
        "problems:\n"
        "- {id: a, type: transfer, given: {size: 1 GB, bandwidth: 1 GB/s}}\n"
        "- {id: b, type: backup-workers, given: {means: 1 s, workers: 4, wait_for: 3}}\n"
    )
    ran = ddcalc("compare", sheet, "a", "b", "--steps", "none")
    assert ran.out.startswith("T = 1 s → E_k ≈ 1.083 s: ")


def test_many_bytes_have_a_larger_unit() -> None:
    """As in the explanation of one question; both sides in one unit."""
    given = ("--size", "100MB", "--bandwidth", "100GB/s", "--workers", "16")
    ran = ddcalc("compare", "allreduce", *given, "--against", "algorithm=tree")
    assert "187.5 MB" in ran.out
    assert "800 MB" in ran.out
    assert "000 B" not in ran.out


def test_differences_of_shares_are_points() -> None:
    """8 processors are 58.8 % busy with a tenth serial, 74.1 % with half of that."""
    base = ("compare", "speedup", "--processors", "8", "--serial", "0.1")
    call = (*base, "--against", "serial=0.05")
    text = ddcalc(*call, columns=200).out
    assert "≈ +15.25 points" in text
    assert "+15.25 %" not in text


def test_what_changes_where_the_answer_does_not_is_named() -> None:
    """GPipe keeps all 64 micro-batches, 1F1B one for each of the 8 stages; both wait alike."""
    call = ("compare", "pipeline", "--stages", "8", "--micro-batches", "64", "--schedule", "gpipe")
    ran = ddcalc(*call, "--activations", "600MB", "--against", "schedule=1f1b", columns=200)
    assert "both times; what changes: k (kept) = 64 → 8, A (memory) = 38.4 GB → 4.8 GB" in ran.out
    assert "changes nothing" not in ran.out
