"""Interrupted batches: finished results stay, no half line, valid JSON, the right exit code."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from threading import Thread, Timer

import pytest
from running import python, started

GOOD = "- {id: g%d, type: sync-step, given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}}\n"
WRONG = GOOD.replace("aggregate: 1 s", "aggregate: yes")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
of_signals = pytest.mark.parametrize("number", CODES)


def fed(*options: str, pause: float | None = 0.05, problem: str = GOOD) -> subprocess.Popen[str]:
    """``ddcalc solve -``, fed with a hundred problems, one after each *pause*; None: with none."""
    process = started("solve", "-", *options, stdin=subprocess.PIPE)
    if pause is not None:
        Thread(target=_feed, args=(process, pause, problem), daemon=True).start()
    return process


def _feed(process: subprocess.Popen[str], pause: float, problem: str) -> None:
    assert process.stdin is not None
    with suppress(OSError, ValueError):  # it has ended
        process.stdin.write("problems:\n")
        for i in range(100):
            process.stdin.write(problem % i)
            process.stdin.flush()
            time.sleep(pause)
        process.stdin.close()


def lines(process: subprocess.Popen[str], count: int) -> str:
    """The first lines that *process* prints."""
    assert process.stdout is not None
    return "".join(process.stdout.readline() for _ in range(count))


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """The rest of what *process* printed; it is killed where it does not end by itself."""
    assert process.stdout is not None
    assert process.stderr is not None
    killer = Timer(10, process.kill)
    killer.start()
    # communicate() would lose what readline() has taken out of the pipe already
    out, err = process.stdout.read(), process.stderr.read()
    process.wait()
    killer.cancel()
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    return out, err


@pytest.mark.parametrize(
    ("form", "problem", "numbers"),
    [
        ("ndjson", WRONG, [signal.SIGINT]),
        ("json", GOOD, [signal.SIGTERM, signal.SIGTERM]),
    ],
)
def test_what_is_finished_stays(form: str, problem: str, numbers: list[signal.Signals]) -> None:
    """Whole lines, or JSON that is closed; wrong input weighs less, a second signal nothing."""
    process = fed("--format", form, problem=problem)
    first = lines(process, 2)
    for number in numbers:
        process.send_signal(number)
    out = first + ended(process)[0]
    assert process.returncode == CODES[numbers[0]]
    assert out.endswith("\n")
    whole = json.loads(out)["problems"] if form == "json" else map(json.loads, out.splitlines())
    ids = [one["id"] for one in whole if (one["status"] == "solved") == (problem == GOOD)]
    assert ids == [f"g{i}" for i in range(len(ids))]
    assert 1 <= len(ids) < 100


def test_while_waiting_for_standard_input() -> None:
    process = fed("--format", "ndjson", pause=None)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert (ended(process)[0], process.returncode) == ("", 130)


BEGUN = """
import sys
from ddcalc.cli import main
first = main._end_by_signals
main._end_by_signals = lambda: (first(), sys.stderr.write("."), sys.stderr.flush())
main.main()
"""
STARTING = (["list"], ["sync-step", "--finish", "1s,2s", "--aggregate", "1s", "--update", "1s"])


@of_signals
@pytest.mark.parametrize("call", STARTING, ids=" ".join)
def test_from_our_first_line_on(number: signal.Signals, call: list[str]) -> None:
    """While modules are being imported, and whatever they are for: quiet, with our exit code."""
    for moment in (0, 20, 90):  # milliseconds
        process = subprocess.Popen(
            [sys.executable, "-c", BEGUN, *call],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        assert process.stderr is not None
        assert process.stderr.read(1) == "."
        time.sleep(moment / 1000)
        process.send_signal(number)
        err = process.stderr.read()
        code = process.wait(10)
        process.stderr.close()
        if code != CODES[number]:  # it had ended before
            assert (code, moment > 0) == (0, True), err
        else:
            assert err == ""


LONG = {
    "sweep": "staleness --low=1 --high=4 --alpha=0.2 --beta=0.1 --ages=8 --part=everything"
    " --quantity momentum_gap --vary updates=1..500",
    "quantize": "--bits 4 --dimension 300 --values 300 --find seed --where error<0.001",
}


@pytest.mark.parametrize("verb", LONG)
def test_long_work_ends_at_once(verb: str) -> None:
    number = [*CODES][[*LONG].index(verb) % 2]
    process = started(verb, *LONG[verb].split())
    time.sleep(2)
    process.send_signal(number)
    out, _ = ended(process)
    assert (process.returncode, out) == (CODES[number], "")


LOST = """
import signal, weakref
from ddcalc.boundary.signals import interruptible

class Thing: pass

with interruptible():
    thing = Thing()
    kept = weakref.ref(thing, lambda _: signal.raise_signal(signal.{name}))
    try:
        del thing  # Python ignores what a callback raises
        while True:
            pass
    except BaseException as error:
        print(type(error).__name__)
"""


@of_signals
def test_an_interruption_that_python_ignores_comes_again(number: signal.Signals) -> None:
    process = python(LOST.format(name=number.name))
    kind = "KeyboardInterrupt" if number == signal.SIGINT else "Terminated"
    assert (process.stdout, process.stderr) == (f"{kind}\n", "")
