"""A problem type of another package is known everywhere; a broken one hurts nobody."""

from __future__ import annotations

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from running import shell

SHEET = """How long does a ring all-reduce take?

Every worker sends one part of the vector to its neighbour, first adding, then copying.

source: Patarasuk and Yuan, JPDC 2009
group: communication

given
  workers p [count, example 4]: workers in the ring
  size S [data, group bandwidth, example 8 MB]: the vector of one worker
  speed W [rate, group bandwidth, example 16 Mbit/s]: bandwidth of one link
  latency alpha [duration, default 0 s, group latency, example 1 ms]: latency of one message

choose
  phases: what is done
    all_reduce: every worker ends with the whole sum
    reduce_scatter: every worker ends with its part of the sum

steps
  messages k: Messages one after the other -- p - 1 in each phase
    if phases is all_reduce: 2*(workers - 1)
    else: workers - 1
  part s [B]: One message -- the vector is cut into as many parts as workers
    = size/workers
  total T [s]: Total -- latency and transfer of every message
    = messages*(latency + part/speed)
"""
MODULE = 'from pathlib import Path\nSHEET = Path(__file__).with_name("{}.sheet")\n'
GIVEN = ["--workers", "4", "--size", "8 MB", "--speed", "16 Mbit/s", "--latency", "1 ms"]
TOTAL = Fraction(6, 1000) + 6  # 6 messages of 2 MB at 2 MB/s, and 6 latencies
OWN = ["breakeven", "divergence", "epoch-time", "federated", "sync-step"]

Ran = subprocess.CompletedProcess[str]


def _package(folder: Path, name: str, sheet: str = SHEET, module: str = MODULE) -> dict[str, str]:
    """The environment in which a package is installed that offers a *sheet* called *name*."""
    file = name.replace("-", "_")
    (folder / f"{file}.sheet").write_text(sheet, encoding="utf-8")
    (folder / "pack.py").write_text(module.format(file), encoding="utf-8")
    info = folder / "pack-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[ddcalc.problems]\n{name} = pack:SHEET\n")
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def path(tmp_path: Path) -> dict[str, str]:
    """The environment in which the package of a further type is installed."""
    return _package(tmp_path, "ring-all-reduce")


def _fine(ran: Ran) -> str:
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def test_list_and_help_name_it(path: dict[str, str]) -> None:
    for call in (["list"], ["ask", "time of a ring all-reduce"], ["help", "ring-all-reduce"]):
        output = _fine(shell(*call, env=path))
        assert "ring-all-reduce" in output
        assert "How long does a ring all-reduce take?" in output
    assert all(slug in _fine(shell("list", env=path)) for slug in OWN)


def test_its_command(path: dict[str, str]) -> None:
    output = _fine(shell("ring-all-reduce", *GIVEN, env=path))
    assert "Answer     Total: 6.006 s." in output
    assert "every worker ends with its part of the sum" in output
    assert "bandwidth 99.90 %, latency 0.10 %" in output
    assert "--size" in _fine(shell("ring-all-reduce", "-h", env=path))
    answer = json.loads(_fine(shell("ring-all-reduce", *GIVEN, "--format", "json", env=path)))
    assert Fraction(answer["answer"]["exact"]) == TOTAL


BROKEN = {  # the sheet and the module of a package, and what its type is said to be wrong for
    "syntax-error": (SHEET, "def broken(:\n", "SyntaxError"),
    "no-sheet": (SHEET, "class SHEET: pass\n", "TypeError"),
    "two-letters": (SHEET.replace("part s", "part p"), MODULE, "p is the letter of workers, too"),
    "other-name": (
        SHEET,
        "import shutil\nfrom pathlib import Path\nSHEET = Path(__file__).with_name('other.sheet')\n"
        "shutil.copy(Path(__file__).with_name('{}.sheet'), SHEET)\n",
        "other.sheet is the type 'other'; so must be its entry point",
    ),
    "raises": (SHEET, "raise RuntimeError('no \\x1b[31mluck')\n", "RuntimeError: no "),
}  # fmt: skip
PROBLEMS = """problems:
  - {type: broken-type, given: {workers: 3}}
  - {type: sync-step, given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}}
"""


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_package_takes_nothing_down(how: str, tmp_path: Path) -> None:
    sheet, module, why = BROKEN[how]
    env = _package(tmp_path, "broken-type", sheet, module)
    listed = shell("list", env=env)
    assert listed.returncode == 0, listed.stderr
    assert all(slug in listed.stdout for slug in [*OWN, "broken-type"])
    called = shell("broken-type", "--workers", "3", env=env)
    assert called.returncode in (2, 70)
    assert called.stderr.startswith("error: ")
    assert "broken-type" in called.stderr
    assert why in called.stderr
    assert not any(sign in called.stderr for sign in ("\x1b", "Traceback"))


def test_a_broken_type_costs_its_own_problems_only(tmp_path: Path) -> None:
    env = _package(tmp_path, "broken-type", module=BROKEN["raises"][1])
    file = tmp_path / "file.yaml"
    file.write_text(PROBLEMS, encoding="utf-8")
    first, second = map(
        json.loads, shell("solve", file, "--format", "ndjson", env=env).stdout.splitlines()
    )
    assert (first["status"], second["status"]) == ("error", "solved")
    assert second["answer"]["exact"] == "4"
    for call in (["list"], ["schema"]):
        ran = shell(*call, env=env)
        assert all(slug in _fine(ran) for slug in OWN)
    assert "breakeven: " in _fine(shell("ask", "bottleneck", env=env))
    assert "Traceback" in shell("--debug", "broken-type", "--workers", "3", env=env).stderr


def test_a_package_cannot_take_the_place_of_ours(tmp_path: Path) -> None:
    output = _fine(shell("sync-step", "-h", env=_package(tmp_path, "sync-step")))
    assert "--finish" in output


def test_a_name_of_two_words_and_one_of_a_verb(tmp_path: Path) -> None:
    """A type whose name is that of a verb is refused or hidden; the verb works on."""
    output = _fine(shell("solve", "-h", env=_package(tmp_path, "solve")))
    assert "FILE|FOLDER" in output
