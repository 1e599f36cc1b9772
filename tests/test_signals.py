"""Interrupted batches: finished results stay, no half line, valid JSON, the right exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

GOOD = "- {id: g%d, type: sync-step, given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}}\n"
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    file = tmp_path / "batch.yaml"
    file.write_text("problems:\n" + "".join(GOOD % i for i in range(100)))
    return file


def started(
    *arguments: str | Path, delay: str = "0.2", stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ddcalc", *map(str, arguments)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={
            **os.environ,
            "DDCALC_TEST_DELAY": delay,
            "PYTHONPATH": str(Path(__file__).parent.parent),
        },
    )


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """The rest of what *process* printed; it is killed where it does not end by itself."""
    assert process.stdout is not None
    assert process.stderr is not None
    killer = Timer(5, process.kill)
    killer.start()
    # communicate() would lose what readline() has taken out of the pipe already
    with process:
        out, err = process.stdout.read(), process.stderr.read()
    killer.cancel()
    return out, err


@pytest.mark.parametrize("number", CODES)
def test_whole_lines(number: signal.Signals, batch: Path) -> None:
    process = started("solve", batch, "--format", "ndjson")
    assert process.stdout is not None
    first = [process.stdout.readline() for _ in range(2)]
    began = time.monotonic()
    process.send_signal(number)
    rest, err = ended(process)
    assert process.returncode == CODES[number]
    assert time.monotonic() - began < 1
    out = "".join(first) + rest
    assert out.endswith("\n")
    told = [json.loads(line)["id"] for line in out.splitlines()]
    assert told == [f"g{i}" for i in range(len(told))]
    assert 2 <= len(told) < 20
    assert "Traceback" not in err
    assert "Exception ignored" not in err


@pytest.mark.parametrize("number", CODES)
def test_json_is_closed(number: signal.Signals, batch: Path) -> None:
    process = started("solve", batch, "--format", "json")
    assert process.stdout is not None
    first = process.stdout.readline() + process.stdout.readline()
    process.send_signal(number)
    rest, err = ended(process)
    assert process.returncode == CODES[number]
    told = json.loads(first + rest)
    assert told["schema_version"] == 1
    assert 1 <= len(told["problems"]) < 20
    assert all(each["status"] == "solved" for each in told["problems"])
    assert "Traceback" not in err


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_every_format_ends_with_whole_lines(form: str, number: signal.Signals, batch: Path) -> None:
    process = started("solve", batch, "--format", form, "--steps", "none")
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(0.7)
    process.send_signal(number)
    rest, err = ended(process)
    assert process.returncode == CODES[number]
    assert (first + rest).endswith("\n")
    assert "Traceback" not in err
    if form == "html":
        assert (first + rest).rstrip().endswith("</html>")
    if form == "latex":
        assert (first + rest).rstrip().endswith(r"\end{document}")


@pytest.mark.parametrize("number", CODES)
def test_while_waiting_for_standard_input(number: signal.Signals) -> None:
    process = started("solve", "-", "--format", "ndjson", delay="0", stdin=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(number)
    out, err = ended(process)
    assert process.returncode == CODES[number]
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("wait", [0.05, 0.1, 0.15, 0.2, 0.3])
def test_at_any_moment(number: signal.Signals, wait: float, batch: Path) -> None:
    """Also while Python and our modules are still being loaded."""
    process = started("solve", batch, "--format", "ndjson", delay="0.05")
    time.sleep(wait)
    process.send_signal(number)
    out, _err = ended(process)
    # before our own code runs, the signal is Python's: it ends by it
    assert process.returncode in (CODES[number], -number) or wait < 0.2
    assert out == "" or out.endswith("\n")
    for line in out.splitlines():
        json.loads(line)


def test_twice(batch: Path) -> None:
    process = started("solve", batch, "--format", "json")
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    rest, err = ended(process)
    assert process.returncode == 143
    json.loads(first + rest)
    assert "Traceback" not in err


def test_an_interruption_outweighs_wrong_input(tmp_path: Path) -> None:
    file = tmp_path / "batch.yaml"
    wrong = GOOD.replace("aggregate: 1 s", "aggregate: yes")
    file.write_text("problems:\n" + "".join(wrong % i for i in range(100)))
    process = started("solve", file, "--format", "ndjson")
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    ended(process)
    assert process.returncode == 130


def test_what_comes_slowly_is_solved_at_once() -> None:
    """A problem is answered as soon as it is complete, though the input goes on."""
    process = started("solve", "-", "--format", "ndjson", delay="0", stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    killer = Timer(10, process.kill)
    killer.start()
    process.stdin.write("problems:\n")
    for i in range(4):  # the parser looks ahead
        process.stdin.write(GOOD % i)
        process.stdin.flush()
        time.sleep(0.1)
    assert json.loads(process.stdout.readline() or "null")["id"] == "g0"
    killer.cancel()
    process.stdin.close()
    rest, _ = ended(process)
    assert len(rest.splitlines()) == 3
    assert process.returncode == 0


def test_tests_of_interruption_pass_in_the_background() -> None:
    """A shell without job control starts ``pytest &`` with SIGINT ignored, and so its children."""
    name = f"{__file__}::test_twice"
    ran = subprocess.run(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-m", "pytest", "-q", name],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
