"""A folder of files that are called as the modules of the standard library: none of them is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddcalc.boundary.workers import open_executor

SHEET = """\
id: a
type: sync-step
given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}
"""
HANDED = "student,problem,answer\n" + "".join(f"s{n},a,{n} s\n" for n in range(1, 9))
STATED = "--finish 1s,2s --aggregate 1s"
CALLS = {
    "solve": "solve a.yaml b.yaml --format ndjson",
    "processes": "solve a.yaml b.yaml --format ndjson --jobs 2",
    "dask": "solve a.yaml b.yaml --format ndjson --engine dask --jobs 2",
    "sweep": f"sweep sync-step {STATED} --vary update=1s..4000s:1s --format ndjson",
    "check": "check a.yaml handed.csv --format csv",
    "variants": "variants a.yaml --count 3",
}


def planted(folder: Path) -> None:
    """Files of all these names, each of which leaves a mark when it is run."""
    for name in sys.stdlib_module_names:
        (folder / f"{name}.py").write_text(f"open({str(folder / 'ran')!r}, 'a').write({name!r})\n")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """ddcalc as it is installed: a script in a folder of its own, called in *folder*."""
    script = folder.parent / "bin" / "ddcalc"
    script.parent.mkdir(exist_ok=True)
    script.write_text("from ddcalc.cli.main import main\nif __name__ == '__main__':\n    main()\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("who", CALLS)
def test_no_file_of_the_current_folder_is_run(tmp_path: Path, who: str) -> None:
    if who == "dask":
        pytest.importorskip("distributed")
    folder = tmp_path / "here"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.yaml").write_text(SHEET)
    (folder / "handed.csv").write_text(HANDED)
    before = run(folder, *CALLS[who].split())
    planted(folder)
    after = run(folder, *CALLS[who].split())
    assert not (folder / "ran").exists()
    assert (before.returncode, before.stderr) == (0, b"")
    assert (after.returncode, after.stdout, after.stderr) == (0, before.stdout, b"")


def test_the_environment_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "1"):
        if before is None:
            monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
        else:
            monkeypatch.setenv("PYTHONSAFEPATH", before)
        with open_executor(2) as executor:
            assert executor.submit(os.getenv, "PYTHONSAFEPATH").result() == "1"
        assert os.environ.get("PYTHONSAFEPATH") == before
