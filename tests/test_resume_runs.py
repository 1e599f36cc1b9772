"""``timeline --runs … --resume``: a line for each run, then the answer, however often it ended."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import ddcalc

LAW = ("timeline", "--periods", "1s,2s", "--distribution", "exponential", "--horizon", "60s")
PLAYED = (*LAW, "--scheme", "async", "--steps", "none")
STUDY = (*PLAYED, "--seed", "3")
RESUMED = ("--output", "out.ndjson", "--resume")
CALL = (*STUDY, "--runs", "130", *RESUMED)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def whole(*call: str) -> bytes:
    """What an uninterrupted call writes."""
    assert ddcalc(*call).code == 0
    return Path("out.ndjson").read_bytes()


def unfinished(content: bytes) -> None:
    """Leave what a call leaves that was ended by kill -9 after this *content*."""
    record = json.loads(Path("out.ndjson.run").read_text())
    Path("out.ndjson.run").write_text(json.dumps(record | {"complete": None}))
    Path("out.ndjson").write_bytes(content)


def test_a_line_for_each_run_and_then_the_answer() -> None:
    *runs, answer = whole(*CALL).decode().splitlines(keepends=True)
    assert [json.loads(run)["seed"] for run in runs] == [*range(3, 133)]
    assert answer == ddcalc(*STUDY, "--runs", "130", "--format", "ndjson").out
    for place in (0, 70):
        seeded = ddcalc(*PLAYED, "--seed", str(3 + place), "--format", "ndjson")
        assert json.loads(runs[place])["gradients"] == [json.loads(seeded.out)["answer"]["value"]]


@pytest.mark.parametrize("how", [("--runs", "130"), ("--within", "1 %")])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_call_that_ended_at_any_line(how: tuple[str, str], jobs: str) -> None:
    call = (*STUDY, *how, *RESUMED)
    content = whole(*call)
    lines = content.splitlines(keepends=True)
    assert len(lines) > 100
    step = 23 if jobs == "1" else 70  # each starts processes
    for count in [*range(0, len(lines), step), len(lines) - 1, len(lines)]:
        torn = lines[count][: 20 * (count % 3)] if count < len(lines) else b""
        unfinished(b"".join(lines[:count]) + torn)
        again = ddcalc(*call, "--jobs", jobs)
        assert again.code == 0
        assert Path("out.ndjson").read_bytes() == content
        assert (f"has {count} line" in again.err) == bool(count)


def test_what_is_there_is_not_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from ddcalc.types.schedules.timeline import model

    content = whole(*CALL)
    lines = content.splitlines(keepends=True)
    unfinished(b"".join(lines[:100]))
    played: list[int] = []
    summary = model._summary

    def counting(piece: model.Piece, seed: int) -> model.Summary:
        played.append(seed)
        return summary(piece, seed)

    monkeypatch.setattr(model, "_summary", counting)
    ddcalc(*CALL)
    assert played[:30] == [*range(103, 133)]
    assert Path("out.ndjson").read_bytes() == content
    first = len(played)
    assert "is complete, with 131 lines" in ddcalc(*CALL).err
    assert len(played) == 2 * first - 30  # those of the other readings
    assert Path("out.ndjson").read_bytes() == content


@pytest.mark.parametrize("number", [1, 60, 131])
@pytest.mark.parametrize("other", [b"{}\n", b"text\n", b'{"seed": 2}\n', b"[]\n"])
def test_a_line_of_something_else_is_refused(number: int, other: bytes) -> None:
    lines = whole(*CALL).splitlines(keepends=True)
    lines[number - 1] = other
    unfinished(b"".join(lines))
    ran = ddcalc(*CALL)
    assert ran.code == 2
    assert f"line {number} is not of this run" in ran.err
    assert Path("out.ndjson").read_bytes() == b"".join(lines)


def test_another_question_is_refused() -> None:
    content = whole(*CALL)
    for call, says in (
        ((*PLAYED, "--seed", "4", "--runs", "130"), "was begun with --seed 3"),
        ((*STUDY, "--runs", "131"), "was begun with --runs 130"),
        ((*STUDY, "--runs", "130", "--exact"), "was begun without --exact"),
    ):
        ran = ddcalc(*call, *RESUMED)
        assert ran.code == 2
        assert says in ran.err
        assert Path("out.ndjson").read_bytes() == content


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ((*STUDY, *RESUMED), "--resume goes with --runs or --within"),
        ((*STUDY, "--runs", "9", "--resume"), "--resume goes with --output FILE.ndjson"),
        ((*CALL, "--find", "horizon", "--where", "updates >= 9"), "--resume goes without --find"),
        ((*CALL, "--force"), "leave one away"),
        ((*CALL, "--horizon", "nothing"), "horizon"),
    ],
)
def test_what_does_not_go_with_it(call: tuple[str, ...], says: str) -> None:
    ran = ddcalc(*call)
    assert ran.code == 2
    assert says in ran.err
    assert os.listdir() == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ended_at_random_moments(jobs: str) -> None:
    call = (*STUDY, "--runs", "2000", *RESUMED)
    content = whole(*call)
    os.unlink("out.ndjson")
    os.unlink("out.ndjson.run")
    chance, command = random.Random(jobs), [sys.executable, "-m", "ddcalc", *call, "--jobs", jobs]
    for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 20
        size = os.path.exists("out.ndjson") and os.path.getsize("out.ndjson")
        while chance.random() < 0.9 and time.monotonic() < until and process.poll() is None:
            if os.path.exists("out.ndjson") and os.path.getsize("out.ndjson") > size:
                break
            time.sleep(0.02)
        process.send_signal(number)
        process.wait()
        kept = Path("out.ndjson").read_bytes() if os.path.exists("out.ndjson") else b""
        assert content.startswith(kept[: kept.rfind(b"\n") + 1])
    assert subprocess.run(command, check=False).returncode == 0
    assert Path("out.ndjson").read_bytes() == content
