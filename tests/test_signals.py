"""Exit codes, of which the gravest wins; interrupted batches keep whole lines and valid JSON."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from threading import Thread, Timer
from typing import Any
from unittest.mock import patch

import pytest
from running import GIVEN, GOOD, ROOT, ddcalc, python, started

from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import StatedAnswers
from ddcalc.cli.main import run
from ddcalc.files.answer_key import Key
from ddcalc.problem.known.catalog import problem_named

DIFFERS = GOOD.replace("good", "differs").replace("4 s", "5 s")
CLAIMED = DIFFERS.replace("differs", "claimed").replace("expect", "claimed")
WRONG = GOOD.replace("good", "wrong").replace("aggregate: 1 s", "aggregate: 1:30")
DDCALC = f"{sys.executable} -m ddcalc"
BREAKEVEN_GIVEN = "type: breakeven, given: {download: 1, compute: 1, upload: 1, aggregate: 1}"
BREAKEVEN = "breakeven --download 1.5s --compute 4s --upload 1.5s --aggregate 15ms"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, problems in {
        "good": GOOD,
        "differs": GOOD + DIFFERS,
        "claimed": GOOD + CLAIMED,
        "wrong": GOOD + WRONG + DIFFERS,
        "many": "".join(GOOD.replace("good", f"g{i}") for i in range(2000)),
    }.items():
        Path(f"{name}.yaml").write_text(f"problems:\n{problems}")


def sh(command: str) -> subprocess.CompletedProcess[str]:
    """*command* in bash, where ``ddcalc`` is this one; its exit code is that of a pipe's first."""
    script = f'ddcalc() {{ {DDCALC} "$@"; }}\n{command}\nexit ${{PIPESTATUS[0]}}'
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False,
                          env=surroundings)  # fmt: skip


PAGES = (
    "--help", "breakeven --help", "list -h", "help sweep", "--version", "list", "list latency",
    "explain", "explain straggler", "ask latency", "presets", "schema", "show epoch-time",
)  # fmt: skip
ANSWERS = (BREAKEVEN, f"{BREAKEVEN} --hint", f"{BREAKEVEN} --as-yaml", "new epoch-time")


def run_into(target: str, command: str) -> tuple[int, str]:
    """Exit code and standard error of a call in this process that prints into *target*: a full
    disk, a closed stream, or a pipe that nobody reads."""
    arguments, err = shlex.split(command), StringIO()
    reader, where = os.pipe()
    os.close(reader)
    if target == "full":
        os.close(where)
    place = "/dev/full" if target == "full" else where
    with suppress(OSError), open(place, "w", encoding="utf-8") as stream:
        with (
            patch("sys.argv", ["ddcalc", *arguments]),
            patch("sys.stdout", None if target == "closed" else stream),
            patch("sys.stderr", err),
        ):
            code = run(arguments)
        stream.close()  # the rest of a page of help fails once more, as at every exit
    return code, err.getvalue()


PRINTING = [
    *PAGES,
    *ANSWERS,
    *(f"{BREAKEVEN} --format {form}" for form in ("json", "markdown", "latex", "html")),
    *(f"solve good.yaml{more}" for more in ("", " --format json", " --format markdown")),
    *(f"solve many.yaml{more}" for more in ("", " --format ndjson")),
    "solve differs.yaml --format json",
]


@pytest.mark.parametrize("command", [*PRINTING, "solve wrong.yaml"])
def test_output_that_cannot_be_written_is_told(command):
    for target in ("closed", "full"):
        code, err = run_into(target, command)
        assert code == 3, err
        assert "cannot write" in err
        assert "Traceback" not in err
    if command in PRINTING:  # a pipe that nobody reads is quiet
        assert run_into("unread", command) == (141, "")


FULL = [f"{one} > /dev/full" for one in ("--help", "list -h", BREAKEVEN)]


@pytest.mark.parametrize("command", [*FULL, f"{BREAKEVEN} >&-"])
def test_a_process_ends_without_an_exception_ignored(command):
    ran = sh(f"ddcalc {command}")
    assert (ran.returncode, "cannot write" in ran.stderr) == (3, True), ran.stderr
    assert not re.search("Traceback|Exception ignored", ran.stderr)


def test_errors_that_cannot_be_told_change_nothing():
    assert sh("ddcalc solve wrong.yaml 2>&-").returncode == 2
    assert sh("ddcalc nonsense 2> /dev/full").returncode == 2
    assert sh("ddcalc solve good.yaml >&- 2>&-").returncode == 3


def broken(*_: object) -> None:
    raise ZeroDivisionError("a \x1b[31msecret\n mistake")


@pytest.mark.parametrize("debug", [(), ("--debug",)])
@pytest.mark.parametrize("call", ["sync-step --finish=1,2,3,4,5,6,7 --aggregate=1 --update=1",
                                  "solve mixed.yaml --format ndjson"])  # fmt: skip
def test_a_bug_of_ours(call, debug, monkeypatch):
    monkeypatch.setattr(problem_named("sync-step"), "equations", broken)
    other = f"- {{id: other, {BREAKEVEN_GIVEN}}}\n"
    odd = GOOD.replace("[1 s, 2 s]", "[1 s, 2 s, 1 s, 2 s, 1 s, 2 s]")
    Path("mixed.yaml").write_text(f"problems:\n{other}{odd}{other.replace('other', 'last')}")
    ran = ddcalc(*call.split(), *debug)
    assert ran.code == 70
    assert "ZeroDivisionError" in ran.err
    assert "\x1b" not in ran.err
    assert ("Traceback" in ran.err) == bool(debug)
    assert debug or ran.err.count("a bug in ddcalc") == 1
    if "ndjson" in call:
        lines = [json.loads(line) for line in ran.out.splitlines()]
        assert [line["status"] for line in lines] == ["solved", "error", "solved"]
        assert lines[1]["error"]["kind"] == "bug"


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bug_costs_its_student_only(form, monkeypatch):
    """What was marked before stays."""
    marks = Key.marks

    def failing(key: Key, stated: StatedAnswers, *more: Any) -> Iterator[Mark]:
        yield from marks(key, stated, *more)
        if any(getattr(one, "text", "") == "84" for one, _ in stated.values()):
            broken()

    monkeypatch.setattr(Key, "marks", failing)
    Path("answers.csv").write_text("student,good\nann,4 s\nbob,84\ncid,5 s\n")
    ran = ddcalc("check", "good.yaml", "answers.csv", "--format", form)
    assert ran.code == 70
    assert "a bug in ddcalc, please report it: ZeroDivisionError" in ran.err
    assert "ann" in ran.out
    assert "cid" in ran.out


SURROUNDINGS: list[dict[str, str]] = [
    {"COLUMNS": "9" * 5000}, {"TERM": "", "COLUMNS": "abc"}, {"FORCE_COLOR": "1"},
    {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii:strict"},
    {"PYTHONIOENCODING": "cp437"},
]  # fmt: skip
PLACES = ("list", BREAKEVEN, "solve good.yaml", "solve claimed.yaml --steps full", "--help")


@pytest.mark.parametrize(("call", "env"), [*zip((*PLACES, "list"), SURROUNDINGS, strict=True)])
def test_odd_surroundings(call, env):
    """Of a process, whose commands take turns."""
    process = started(*call.split(), text=False, env=env)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert len(out) > 60
    assert (b"\x1b" in out) == ("FORCE_COLOR" in env)


# Signals


STEP = f"- {{id: g%d, type: sync-step, {GIVEN}}}\n"
NO_STEP = STEP.replace("aggregate: 1 s", "aggregate: yes")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
of_signals = pytest.mark.parametrize("number", CODES)


def fed(*options: str, pause: float | None = 0.05, problem: str = STEP) -> subprocess.Popen[str]:
    """``ddcalc solve -``, fed with a hundred problems, one after each *pause*; None: with none."""
    process = started("solve", "-", *options, stdin=subprocess.PIPE)

    def feed() -> None:
        with suppress(OSError, ValueError), process.stdin as pipe:  # it has ended
            pipe.write("problems:\n")
            for i in range(100):
                pipe.write(problem % i)
                pipe.flush()
                time.sleep(pause)

    if pause is not None:
        Thread(target=feed, daemon=True).start()
    return process


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """The rest of what *process* printed; it is killed where it does not end by itself."""
    killer = Timer(10, process.kill)
    killer.start()
    # communicate() would lose what readline() has taken out of the pipe already
    out, err = process.stdout.read(), process.stderr.read()
    process.wait()
    killer.cancel()
    assert not re.search("Traceback|Exception ignored", err)
    return out, err


@pytest.mark.parametrize("form", ["ndjson", "json"])
def test_what_is_finished_stays(form):
    """Whole lines, or JSON that is closed; wrong input weighs less, a second signal nothing."""
    problem = STEP if form == "json" else NO_STEP
    numbers = [signal.SIGTERM] * 2 if form == "json" else [signal.SIGINT]
    process = fed("--format", form, problem=problem)
    first = process.stdout.readline() + process.stdout.readline()
    for number in numbers:
        process.send_signal(number)
    out = first + ended(process)[0]
    assert process.returncode == CODES[numbers[0]]
    assert out.endswith("\n")
    whole = json.loads(out)["problems"] if form == "json" else map(json.loads, out.splitlines())
    ids = [one["id"] for one in whole if (one["status"] == "solved") == (problem == STEP)]
    assert ids == [f"g{i}" for i in range(len(ids))]
    assert 1 <= len(ids) < 100


def test_while_waiting_for_standard_input():
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


@pytest.mark.parametrize(("number", "call"), [*zip(CODES, STARTING, strict=True)])
def test_from_our_first_line_on(number, call):
    """While modules are being imported, and whatever they are for: quiet, with our exit code."""
    for moment in (0, 20, 90):  # milliseconds
        process = subprocess.Popen(
            [sys.executable, "-c", BEGUN, *call], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        assert process.stderr.read(1) == "."
        time.sleep(moment / 1000)
        process.send_signal(number)
        _, err = process.communicate(timeout=10)
        if process.returncode == CODES[number]:
            assert err == ""
        else:  # it had ended before
            assert (process.returncode, moment > 0) == (0, True), err


LONG = {
    "sweep": "staleness --low=1 --high=4 --alpha=0.2 --beta=0.1 --ages=8 --part=everything"
    " --quantity momentum_gap --vary updates=1..500",
    "quantize": "--bits 4 --dimension 300 --values 300 --find seed --where error<0.001",
}


@pytest.mark.parametrize(("verb", "number"), [*zip(LONG, CODES, strict=True)])
def test_long_work_ends_at_once(verb, number):
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
def test_an_interruption_that_python_ignores_comes_again(number):
    process = python(LOST.format(name=number.name))
    kind = "KeyboardInterrupt" if number == signal.SIGINT else "Terminated"
    assert (process.stdout, process.stderr) == (f"{kind}\n", "")
