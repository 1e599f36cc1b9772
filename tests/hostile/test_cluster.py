"""A real Dask cluster on this machine: a scheduler and two workers, one of which is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from running import ROOT
from test_workers import ITEM, assert_nothing_is_left, started

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of many pieces."""
    file = tmp_path_factory.mktemp("sheets") / "sheet.yaml"
    items = [ITEM % (i, 1000 + i) for i in range(600)]
    items[300] = items[300].replace("p300", "P7")  # given already, in another piece
    file.write_text("problems:\n" + "".join(items))
    return file


@pytest.fixture(scope="module")
def alone(sheet: Path) -> tuple[bytes, bytes]:
    """What one process says of it."""
    return started(sheet, jobs=1).communicate(timeout=120)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its two workers."""
    state = tmp_path / "scheduler.json"
    with ExitStack() as stack:

        def dask(*call: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + call[0], *call[1:]],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=tmp_path,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": f"{tmp_path / 'theirs'}{os.pathsep}{ROOT}"},
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        dask(
            "scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard",
            "--scheduler-file", str(state),
        )  # fmt: skip
        until = time.monotonic() + 60
        while not state.exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        workers = [
            dask("worker", "--scheduler-file", str(state), "--no-nanny", "--nthreads", str(threads),
                 "--no-dashboard", "--local-directory", str(tmp_path / "space"))
            for threads in (1, 2)
        ]  # fmt: skip
        yield json.loads(state.read_text())["address"], workers


def test_a_worker_is_killed_and_the_others_are_of_another_version_then(
    sheet: Path,
    alone: tuple[bytes, bytes],
    tmp_path: Path,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
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


def test_a_cluster_of_our_own(sheet: Path, alone: tuple[bytes, bytes]) -> None:
    shared = started(sheet, "--engine", "dask", jobs=2)
    assert shared.communicate(timeout=120) == alone
    assert_nothing_is_left(shared.pid, sheet.parent)


def test_an_interrupted_cluster(sheet: Path) -> None:
    shared = started(sheet, "--engine", "dask", jobs=2)
    assert shared.stdout is not None
    shared.stdout.readline()
    begun = time.monotonic()
    shared.send_signal(signal.SIGTERM)
    _, err = shared.communicate(timeout=60)
    assert (shared.returncode, err) == (143, b"")
    assert time.monotonic() - begun < 10  # one, but on a busy machine
    assert_nothing_is_left(shared.pid, sheet.parent)


def test_nobody_at_an_address(sheet: Path) -> None:
    shared = started(sheet, "--engine", "dask", "--address", "tcp://127.0.0.1:1")
    out, err = shared.communicate(timeout=60)
    assert (shared.returncode, out) == (2, b"")
    assert b"is not the address of a Dask scheduler with workers" in err
    assert err.count(b"\n") < 4
