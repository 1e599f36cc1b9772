"""Problems solved by several workers: every byte as one process writes it, whatever happens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inline import Inline, worked_here
from running import Ran, ddcalc

STEP = "type: sync-step, given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}"
BLOCK = """\
  - id: %s
    type: sync-step
    given:
      finish: [1 s, 2 s]
      aggregate: 1 s
      update: 1 s
"""


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """Work is done in this process where there are jobs."""
    return worked_here(monkeypatch)


def same(*call: str | Path) -> Ran:
    """What a call writes, which is the same by several workers."""
    alone = ddcalc("solve", *call)
    shared = ddcalc("solve", *call, "--jobs", "2")
    assert (shared.code, shared.out, shared.err) == (alone.code, alone.out, alone.err)
    return shared


def items(count: int) -> str:
    """Items of a list, most of them right."""
    made = []
    for number in range(count):
        text = BLOCK % f"p{number}"
        match number % 17:
            case 3:
                text = text.replace("aggregate: 1 s", "aggregate: yes")
            case 5:
                text = text.replace(f"p{number}", f"P{number - 2}")
            case 7:
                text = text.replace("sync-step", "sink-step")
            case 8:
                text = text.replace("type:", "title: a\n    type:").replace("update", "other")
            case 9:
                text += "    expect: {total: 3 s}\n    claimed: {total: 4 s}\n"
        made.append(text)
    return "".join(made)


PLAIN = "problems:\n" + items(40)
FILES = {
    "returns": PLAIN.replace("\n", "\r\n"),
    "wrong defaults": "defaults:\n  sync-step: {nothing: 1}\n  no-type: {}\n" + PLAIN,
    "defaults": "# a\n---\ndefaults:\n  sync-step: {policy: ssp, update: yes}\n" + PLAIN,
    "wrong above": "other: 1\ndefaults: {a: 1, a: 2}\n" + PLAIN,
    "key below": PLAIN + "other: 1\ndefaults: {}\n",
    "documents": f"{PLAIN}---\n{PLAIN}---\n{{id: one, {STEP}}}\n",
    "open quote": PLAIN + '  - {id: a, title: "x\n' + items(5),
    "anchor": PLAIN + "  - &a {id: f}\n  - *a\n  - text\n" + items(5),
    "nothing": "problems:\n",
    "one": "problems:\n" + items(1),
}


@pytest.mark.parametrize("name", FILES)
def test_every_byte_of_a_file_is_the_same(inline: Inline, tmp_path: Path, name: str) -> None:
    file = tmp_path / "sheet.yaml"
    file.write_bytes(FILES[name].encode())
    same(file)


def lines(count: int) -> list[str]:
    """Lines of ndjson, most of them right."""
    made = []
    given = {"finish": ["1 s", "2 s"], "aggregate": "1 s", "update": "1 s"}
    for number in range(count):
        problem: dict[str, Any] = {"id": f"p{number}", "type": "sync-step", "given": dict(given)}
        match number % 13:
            case 3:
                problem["given"]["aggregate"] = "x"
            case 5:
                problem["id"] = f"P{number - 2}"
            case 7:
                problem["expect"] = {"total": "3 s"}
        text = json.dumps(problem)
        match number % 29:
            case 4:
                text = ""
            case 6:
                text = text[:-1]
            case 8:
                text = json.dumps({"defaults": {"sync-step": {"x": 1}}, "problems": [problem] * 2})
        made.append(text)
    return made


@pytest.mark.parametrize("wrong", [b"", b"\xff\n", b'{"id": "\x7f"}\n'])
def test_every_byte_of_lines_is_the_same(inline: Inline, tmp_path: Path, wrong: bytes) -> None:
    file = tmp_path / "sheet.ndjson"
    file.write_bytes("\r\n".join(lines(60)).encode() + wrong + "\n".join(lines(20)).encode())
    same(file, "--format", "ndjson")


@pytest.mark.parametrize(
    "options",
    [
        "--format json", "--format ndjson --answers", "--format html --steps brief",
        "--format latex", "--format junit", "--format github --diagnostics short", "--timeout 5",
    ],
)  # fmt: skip
def test_every_format_and_several_files(inline: Inline, tmp_path: Path, options: str) -> None:
    (tmp_path / "a.yaml").write_text(PLAIN)
    (tmp_path / "b.ndjson").write_text("\n".join(lines(20)))
    (tmp_path / "c.yaml").write_text(FILES["open quote"])
    names = [tmp_path / f"{name}" for name in ("a.yaml", "no.yaml", "c.yaml", "a.yaml")]
    same(*names, tmp_path, *options.split())
    assert inline.tasks > 10


@pytest.mark.parametrize(("count", "jobs"), [(1, "1"), (2, "2"), (7, "1"), (100, "2")])
def test_parts_make_up_the_whole(inline: Inline, tmp_path: Path, count: int, jobs: str) -> None:
    """A file that cannot be read and errors of all kinds are in one part each."""
    (tmp_path / "a.yaml").write_text(FILES["key below"])
    (tmp_path / "b.ndjson").write_text("\n".join(lines(40)))
    (tmp_path / "c.yaml").write_text(FILES["open quote"])
    names = [tmp_path / name for name in ("a.yaml", "no.yaml", "b.ndjson", "c.yaml", "a.yaml")]
    whole = ddcalc("solve", *names, "--format", "ndjson")
    outs, codes = _parts(count, names, "--jobs", jobs)
    assert ("".join(outs), max(codes)) == (whole.out, whole.code)
    longest = max(out.count("\n") for out in outs)
    assert longest < 3 * whole.out.count("\n") / count + 20


def _parts(count: int, names: Sequence[Path], *options: str) -> tuple[list[str], list[int]]:
    """What the parts write, and their exit codes."""
    numbers = range(1, count + 1)
    call = ("solve", *names, "--format", "ndjson", *options, "--part")
    runs = [ddcalc(*call, f"{number}/{count}") for number in numbers]
    return [run.out for run in runs], [run.code for run in runs]
