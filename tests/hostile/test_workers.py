"""Real workers, of our own and of a Dask cluster on this machine: killed at any moment, or their
parent is; nothing is lost and nothing left behind."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from harness import strict_lines
from running import ROOT
from running import started as in_a_process

from ddcalc.boundary.timeout import within
from ddcalc.errors import OutOfTime

TRIES = range(int(os.environ.get("DDCALC_KILLS", "2")))
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
ITEM = """\
  - id: %s
    type: epoch-time
    given: {samples: %d, batch: 100, epochs: 3, workers: 6, download: 1 s, compute: 4 s,
      upload: 1 s, aggregate: 15 ms}
"""


@pytest.fixture(scope="module")
def sheet(tmp_path_factory):
    """A file of many pieces; the last id was there in the first one."""
    return written(tmp_path_factory.mktemp("workers"), 600, last="P7")


@pytest.fixture(scope="module")
def alone(sheet):
    """What one process makes and says of it."""
    return started(sheet, jobs=1).communicate(timeout=120)


def started(
    sheet: Path, *options: str, jobs: int = 2, more: Path = ROOT, verb: str = "solve", **how: Any
) -> subprocess.Popen[bytes]:
    """A call in a session of its own, with what can be imported from *more*."""
    many = ["--jobs", str(jobs)] if verb == "solve" else []
    return in_a_process(
        *(verb, sheet, "--format", "ndjson", *options, *many),
        text=False,
        bufsize=0,  # communicate() knows nothing of what a line read ahead
        start_new_session=True,
        cwd=sheet.parent,
        env={"PYTHONPATH": f"{ROOT}{os.pathsep}{more}"},
        **how,
    )


def processes(leader: int, of: bytes = b"") -> list[int]:
    """The processes of a session that are called so, but for those that have ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            alive = fields[3] == str(leader) and fields[0] != "Z"
            if alive and of in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found


def assert_nothing_is_left(leader: int, folder: Path) -> None:
    until = time.monotonic() + 10
    while processes(leader):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert [path.name for path in folder.iterdir()] == ["sheet.yaml"]


def written(folder: Path, count: int, last: str) -> Path:
    """A file of so many problems, the *last* one with that id."""
    file = folder / "sheet.yaml"
    ids = [*(f"p{i}" for i in range(count - 1)), last]
    items = (ITEM % (name, 1000 + i) for i, name in enumerate(ids))
    file.write_text("problems:\n" + "".join(items))
    return file


@pytest.mark.parametrize("seed", TRIES)
def test_a_killed_worker_is_replaced(sheet, alone, seed):
    chance = random.Random(seed)
    process = started(sheet)
    assert process.stdout is not None
    out = process.stdout.readline()
    time.sleep(chance.uniform(0, 0.3))
    workers = processes(process.pid, b"spawn_main")
    for worker in workers[:1]:  # a second one might be at the same piece
        os.kill(worker, signal.SIGKILL)
    rest, err = process.communicate(timeout=120)
    assert (out + rest, err, process.returncode) == (*alone, 2)
    assert_nothing_is_left(process.pid, sheet.parent)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_class(tmp_path, number):
    """Whole lines, and at the end what is known of the class so far."""
    folder, answers, chance = tmp_path / "sheets", tmp_path / "answers.csv", random.Random(8)
    folder.mkdir()
    rows = (f"s{i},{chance.choice('2468')}.{i} s,{chance.choice(['42 s', 'about', '1', ''])}\n"
            for i in range(8000))  # fmt: skip
    answers.write_text("student,p0,p1\n" + "".join(rows))
    process = started(written(folder, 2, last="p1"), str(answers), verb="check")
    assert process.stdout is not None
    first = process.stdout.readline()
    begun = time.monotonic()
    os.killpg(process.pid, number)
    rest, _ = process.communicate(timeout=60)
    assert time.monotonic() - begun < 10  # one, but on a busy machine
    lines = strict_lines((first + rest).decode())
    assert process.returncode == CODES[number]
    assert [line["student"] for line in lines[:-1]] == [f"s{i}" for i in range(len(lines) - 1)]
    assert lines[-1]["class"]["students"] in (len(lines) - 1, len(lines))
    assert_nothing_is_left(process.pid, folder)


@pytest.mark.parametrize("seed", TRIES)
@pytest.mark.parametrize("number", CODES)
def test_an_interrupted_run(sheet, alone, number, seed):
    """All that was written are whole lines, in order, whenever the signal comes."""
    process = started(sheet)
    time.sleep(random.Random(seed).uniform(0.3, 1.2))
    os.kill(process.pid, number) if number == signal.SIGKILL else os.killpg(process.pid, number)
    begun = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert process.returncode in (CODES[number], 2)
    assert alone[0].startswith(out)
    if number != signal.SIGKILL:
        assert time.monotonic() - begun < 10  # one, but on a busy machine
        assert out[-1:] in (b"\n", b"")
        assert err == (b"" if process.returncode == CODES[number] else alone[1])
    assert_nothing_is_left(process.pid, sheet.parent)


@pytest.mark.parametrize("code", [3, 141])
def test_nobody_takes_it(sheet, code):
    """The disk is full, or whoever read a pipe has gone."""
    with open("/dev/full", "wb") as full:
        process = started(sheet, stdout=full if code == 3 else subprocess.PIPE)
    if process.stdout is not None:
        process.stdout.readline()
        process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    assert process.wait(timeout=60) == code
    assert (b"cannot write standard output" in err) == bool(err) == (code == 3)
    assert_nothing_is_left(process.pid, sheet.parent)


# Problems that take too long


def spin() -> None:
    while True:
        with suppress(Exception):
            sum(range(1000))


def test_what_takes_too_long_is_interrupted_in_any_thread():
    from concurrent.futures import ThreadPoolExecutor

    with pytest.raises(OutOfTime, match=r"more than 0\.1 s"):
        within(0.1, spin)
    with ThreadPoolExecutor(2) as threads:
        futures = [threads.submit(within, 0.1, spin) for _ in range(2)]
        others = [threads.submit(within, 5, sum, [i]) for i in range(50)]
    assert all(isinstance(future.exception(), OutOfTime) for future in futures)
    assert [future.result() for future in others] == [*range(50)]
    assert all(within(60, sum, [i]) == i for i in range(1000))


TRAP = '''"""An interpreter in which reading a number does not always end."""

import os
import re
import signal

from ddcalc.problem.quantity import Given

usual = Given.check


def check(self, text, value):
    while value == 10001:
        pass
    if value == 10002:
        re.fullmatch("(a*)*b", "a" * 60)
    if value == 10003:
        os.kill(os.getpid(), signal.SIGKILL)
    usual(self, text, value)


Given.check = check
'''
NUMBERS = {"endless": 10001, "stuck": 10002, "deadly": 10003}


def test_a_machine_that_cannot_start_so_many(sheet):
    few = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (12, 12))
    process = started(sheet, jobs=12, preexec_fn=few)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.count(b"no process can be started: Too many open files") == 1
    assert b"Traceback" not in err


@pytest.mark.parametrize(("how", "jobs"), [("endless", 1), *((how, 2) for how in NUMBERS)])
def test_a_bad_type_costs_no_other_problem(tmp_path, how, jobs):
    kind = "worker" if how == "deadly" else "time"
    (tmp_path / "sitecustomize.py").write_text(TRAP)
    shutil.copy(Path(__file__).with_name("trap.sheet"), tmp_path)
    items = [f"  - {{id: p{i}, type: trap, given: {{number: {i + 1}}}}}\n" for i in range(400)]
    items[100] = items[100].replace("101", str(NUMBERS[how]))
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text("problems:\n" + "".join(items))
    process = started(sheet, "--timeout", "0.3 s", jobs=jobs, more=tmp_path)
    out, err = process.communicate(timeout=120)
    lines = strict_lines(out.decode())
    assert [line["id"] for line in lines] == [f"p{i}" for i in range(400)]
    assert [line["id"] for line in lines if line["status"] == "error"] == ["p100"]
    assert lines[100]["error"]["kind"] == kind
    assert process.returncode == 2
    says = "the process that worked on it ended" if kind == "worker" else "more than 0.3 s"
    assert says in err.decode()


# A Dask cluster


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler, and its two workers; all end with the test."""
    pytest.importorskip("distributed")
    state = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    env = {**os.environ, "PYTHONPATH": f"{tmp_path / 'theirs'}{os.pathsep}{ROOT}"}

    def dask(kind: str, *more: str) -> subprocess.Popen[bytes]:
        call = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard"]
        call += ["--scheduler-file", str(state), *more]
        return subprocess.Popen(call, start_new_session=True, env=env, **quiet)

    dask("scheduler", "--port", "0", "--host", "127.0.0.1")
    until = time.monotonic() + 60
    while not state.exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    alike = ("--no-nanny", "--local-directory", str(tmp_path / "space"))
    workers = [dask("worker", "--nthreads", threads, *alike) for threads in "12"]
    return json.loads(state.read_text())["address"], workers


def test_a_worker_is_killed_and_then_all_are_of_another_version(sheet, alone, tmp_path, cluster):
    """Every byte is that of one process; workers with another ddcalc are not used."""
    address, workers = cluster
    shared = started(sheet, "--engine", "dask", "--address", address)
    assert shared.stdout is not None
    first = shared.stdout.readline()
    os.kill(workers[0].pid, signal.SIGKILL)
    rest, said = shared.communicate(timeout=120)
    assert (first + rest, said) == alone
    assert_nothing_is_left(shared.pid, sheet.parent)
    info = tmp_path / "theirs" / "ddcalc-0.0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ddcalc\nVersion: 0.0.1\n")
    shared = started(sheet, "--engine", "dask", "--address", address)
    out, err = shared.communicate(timeout=60)
    assert (shared.returncode, out) == (2, b"")
    assert b"that has ddcalc 0.0.1; here is" in err


def test_a_cluster_of_our_own(sheet, alone):
    pytest.importorskip("distributed")
    shared = started(sheet, "--engine", "dask", jobs=2)
    assert shared.communicate(timeout=120) == alone
    assert_nothing_is_left(shared.pid, sheet.parent)


def test_an_interrupted_cluster(sheet):
    pytest.importorskip("distributed")
    shared = started(sheet, "--engine", "dask", jobs=2)
    assert shared.stdout is not None
    shared.stdout.readline()
    begun = time.monotonic()
    shared.send_signal(signal.SIGTERM)
    _, err = shared.communicate(timeout=60)
    assert (shared.returncode, err) == (143, b"")
    assert time.monotonic() - begun < 10  # one, but on a busy machine
    assert_nothing_is_left(shared.pid, sheet.parent)


def test_nobody_at_an_address(sheet):
    pytest.importorskip("distributed")
    shared = started(sheet, "--engine", "dask", "--address", "tcp://127.0.0.1:1")
    out, err = shared.communicate(timeout=60)
    assert (shared.returncode, out) == (2, b"")
    assert b"is not the address of a Dask scheduler with workers" in err
    assert err.count(b"\n") < 4
