"""Everything that the README shows is run: commands, files, Python, and the example solver."""

from __future__ import annotations

import doctest
import re
import shlex
from fractions import Fraction
from pathlib import Path

import pytest

from ddcalc.ask.solve import solve
from ddcalc.cli.main import run
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import example_texts

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", TEXT, re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Every ``ddcalc`` command of the console blocks, and what stands below it."""
    shown = "".join(block for language, block in BLOCKS if language == "console")
    pieces = re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]
    told = [piece.partition("\n")[::2] for piece in pieces]
    return [(command, output) for command, output in told if command.startswith("ddcalc ")]


@pytest.mark.parametrize(("command", "output"), commands(), ids=[c for c, _ in commands()])
def test_commands_print_what_is_shown(
    command: str,
    output: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    assert run(shlex.split(command)[1:]) == 0
    told = capsys.readouterr()
    assert told.out + told.err == output  # as a screen shows them
    assert all(line.startswith("note: ") for line in told.err.splitlines())


def test_the_file_is_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [sheet] = [block for language, block in BLOCKS if language == "yaml"]
    path = tmp_path / "sheet.yaml"
    path.write_text(sheet, encoding="utf-8")
    assert run(["solve", str(path), "--steps", "none"]) == 0
    assert "67" in capsys.readouterr().out


def test_the_wrong_file_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    [shown] = [block for language, block in BLOCKS if not language]
    monkeypatch.chdir(tmp_path)
    above = "problems:\n  - id: ps-epochs\n    type: epoch-time\n    given:\n"
    given = "      {samples: 6, batch: 2,\n      workers: 2, upload: 1 s,\n      compute: 1 s,\n"
    Path("sheet.yaml").write_text(f"{above}{given}    download: 1.5 secnd\n      }}\n")
    assert run(["solve", "sheet.yaml"]) == 2
    assert shown in capsys.readouterr().err


def test_python_prints_what_is_shown() -> None:
    failed, tried = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def test_the_example_solver_solves() -> None:
    [source] = [block for _, block in BLOCKS if "class RingAllReduce" in block]
    scope: dict[str, object] = {"__name__": "readme"}
    exec(source, scope)
    ring = scope["RingAllReduce"]
    assert isinstance(ring, type)
    assert issubclass(ring, Problem)
    # 2(4 − 1) steps of 1 ms + 2 MB / 2 MB/s
    assert solve(ring, example_texts(ring)).answer.value == 6 * (Fraction(1, 1000) + 1)


def test_the_two_commands_are_one_line_each() -> None:
    lines = [line for line in TEXT.splitlines() if line.startswith("$ python3 -m pip install")]
    assert [line.endswith(end) for line, end in zip(lines, ("full", "pytest"), strict=True)]
