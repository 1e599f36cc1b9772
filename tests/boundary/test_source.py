"""Only regular files and standard input are opened; only clean UTF-8 comes out."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddcalc.boundary import limits
from ddcalc.boundary.source import Source, inputs
from ddcalc.errors import DdcalcError, OverLimit


def test_characters_across_blocks(tmp_path: Path) -> None:
    text = "é\r\n" * 40_000
    file = tmp_path / "a.yaml"
    file.write_bytes(text.encode())
    assert "".join(Source(str(file)).chunks()) == text.replace("\r", "")


def test_a_file_over_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("x" * 11)
    monkeypatch.setattr(limits, "FILE", 11)
    assert list(Source(str(file)).chunks()) == ["x" * 11]
    monkeypatch.setattr(limits, "FILE", 10)
    with pytest.raises(OverLimit):
        list(Source(str(file)).chunks())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 11)))
    with pytest.raises(OverLimit):
        list(Source("-").chunks())


def test_recent_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("".join(f"line {number:99}\r\n" for number in range(1, 50_001)), newline="")
    source = Source(str(file))
    chunks = source.chunks()
    next(chunks)
    assert source.line_text(1) == f"line {1:99}"
    assert source.line_text(0) is None
    for _ in chunks:
        pass
    assert source.line_text(1) is None
    assert source.line_text(50_000) == f"line {50_000:99}"
    assert source.line_text(50_001) is None
    kept = {number: source.line_text(number) for number in range(1, 50_001, 499)}
    assert all(text in (None, f"line {number:99}") for number, text in kept.items())
    assert sum(text is not None for text in kept.values()) > 4


def names(given: list[str], root: Path) -> list[str]:
    """What *given* names mean: paths below *root*, errors by their kind."""
    return [
        source.kind if isinstance(source, DdcalcError) else os.path.relpath(source.name, root)
        for source in inputs(given)
    ]


def test_folders(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for file in ("in/b.yaml", "in/a/z.yml", "in/c.json", "in/.h.yaml", "in/.h/x.yaml", "in/n.txt"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x")
    (outside / "deep").mkdir(parents=True)
    (outside / "o.yaml").write_text("x")
    (inside / "link.yaml").symlink_to(outside / "o.yaml")
    (inside / "near.yaml").symlink_to(inside / "b.yaml")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    os.mkfifo(inside / "d.yaml")
    expected = ["in/a/z.yml", "in/b.yaml", "in/c.json", "file", "in/near.yaml"]
    assert names([str(inside)], tmp_path) == expected


def test_standard_input_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb")))
    source, again = inputs(["-", "-"])
    assert isinstance(source, Source)
    assert isinstance(again, DdcalcError)
    assert "".join(source.chunks()) == "a\nb"
    assert source.line_text(2) == "b"


GIANT = """
import re
from pathlib import Path
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import Source, inputs
found = list(read(Source("-")))
print([item.errors[0].kind for item in found if item.errors])
# the peak since exec: the one of getrusage would be at least that of the process that forked us
status = Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) // 1024)
"""


@pytest.mark.parametrize("opening", ["a: '", '{"a": "'])
def test_a_giant_scalar_costs_little_memory(opening: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", GIANT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(opening)
            for _ in range(100):
                process.stdin.write("x" * 1_000_000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        kinds, megabytes = process.stdout.read().split("\n")[:2]
    assert kinds == "['limit']"
    assert int(megabytes) < 80
