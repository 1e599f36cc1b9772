"""Real processes: their time and memory, and files called as modules of the standard library."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from harness import BEFORE, HEAD
from running import GIVEN, ROOT, ddcalc

from ddcalc.boundary.workers import open_executor

MEGABYTES = 350


def bounded() -> None:
    """Limit the address space of what is run next, to more than may be used."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


# a small process between the tests and what is measured: the memory of the process that forks would
# count as its child's
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
child = resource.getrusage(resource.RUSAGE_CHILDREN)
with open("used", "w") as file:
    print(code, child.ru_utime + child.ru_stime, child.ru_maxrss / 1024, file=file)
"""


def timed(*arguments: str | Path, folder: Path) -> tuple[int, str, str, float, float]:
    """The code, output, errors, seconds and megabytes of a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, sys.executable, "-m", "ddcalc", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        preexec_fn=bounded,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    code, seconds, used = (folder / "used").read_text().split()
    return int(code), ran.stdout, ran.stderr, float(seconds), float(used)


def problems(count: int) -> str:
    """Wrong and right problems by turns."""
    wrong = BEFORE.replace("1 s]", "yes]").replace("2 s]", "yes]")
    return HEAD + "".join((BEFORE, wrong)[i % 2].replace("before", f"p{i}") for i in range(count))


SWEPT = "--samples 76800 --epochs 10 --download 1.5s --compute 4s --upload 1.5s --aggregate 15ms"


@pytest.mark.parametrize("verb", ["solve", "sweep", "check"])
def test_memory_does_not_grow_with_what_is_printed(verb, tmp_path):
    """Of a file of problems eight times as long, a hundred times as many points, many students."""
    peaks = []
    for count, side in ((500, 100), (4_000, 1_000)):
        (tmp_path / "x.yaml").write_text(problems(count))
        axes = ["--vary", f"workers=1..{side}", "--vary", f"batch=1..{side}", "--format", "csv"]
        sweep = ["epoch-time", *SWEPT.split(), *axes]
        (tmp_path / "one.yaml").write_text(HEAD + BEFORE)
        handed = "".join(f"s{i},4 s\n" for i in range(count))
        (tmp_path / "x.csv").write_text(f"student,before\n{handed}")
        call, ended = {
            "solve": (["x.yaml", "--format", "ndjson"], (2, count)),
            "sweep": (sweep, (0, side**2 + 1)),
            "check": (["one.yaml", "x.csv", "--format", "ndjson"], (0, count + 1)),
        }[verb]
        code, out, _, _, used = timed(verb, *call, folder=tmp_path)
        assert (code, out.count("\n")) == ended
        peaks.append(used)
    assert peaks[1] < peaks[0] + 18


# A folder of files that are called as the modules of the standard library: none of them is run


SHEET = f"id: a\ntype: sync-step\n{GIVEN}\n"
HANDED = "student,problem,answer\n" + "".join(f"s{n},a,{n} s\n" for n in range(1, 9))
STATED = "--finish 1s,2s --aggregate 1s"
SOLVE = "solve a.yaml b.yaml --format ndjson"
CALLS = {
    "processes": (SOLVE, "--jobs 2"),
    "dask": (SOLVE, "--engine dask --jobs 2"),
    "sweep": (f"sweep sync-step {STATED} --vary update=1s..4000s:1s --format ndjson", ""),
    "check": ("check a.yaml handed.csv --format csv", ""),
    "variants": ("variants a.yaml --count 3", ""),
}


def run(folder: Path, *arguments: str) -> tuple[int | None, str, str]:
    """ddcalc as it is installed: a script in a folder of its own, called in *folder*."""
    script = folder.parent / "ddcalc"
    script.write_text("from ddcalc.cli.main import main\nif __name__ == '__main__':\n    main()\n")
    ran = subprocess.run([sys.executable, script, *arguments], cwd=folder, timeout=120, check=False,
                         capture_output=True, text=True)  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("who", CALLS)
def test_no_file_of_the_current_folder_is_run(tmp_path, who, monkeypatch):
    """What is printed is what this process prints, which has all its modules."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if who == "dask":
        pytest.importorskip("distributed")
    folder = tmp_path / "here"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.yaml").write_text(SHEET)
    (folder / "handed.csv").write_text(HANDED)
    for name in sys.stdlib_module_names:  # each leaves a mark when it is run
        file, mark = folder / f"{name}.py", str(folder / "ran")
        file.write_text(f"open({mark!r}, 'a').write({name!r})\n")
    monkeypatch.chdir(folder)
    call, how = CALLS[who]
    here = ddcalc(*call.split())
    assert (here.code, here.err) == (0, "")
    assert run(folder, *call.split(), *how.split()) == (0, here.out, "")
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("before", [None, "1"])
def test_the_environment_is_as_before(before, monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if before:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with open_executor(2) as executor:
        assert executor.submit(os.getenv, "PYTHONSAFEPATH").result() == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before
