"""Problems solved by several workers: every byte as one process writes it, whatever happens."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inline import Inline, worked_here
from running import Ran, ddcalc

from ddcalc.boundary import pieces

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
    """Small pieces, worked on in this process where there are jobs."""
    monkeypatch.setattr(pieces, "SIZE", 300)
    return worked_here(monkeypatch)


def same(*call: str | Path) -> Ran:
    """What a call writes, which is the same by several workers."""
    alone = ddcalc("solve", *call)
    shared = ddcalc("solve", *call, "--jobs", "2")
    assert (shared.code, shared.out, shared.err) == (alone.code, alone.out, alone.err)
    return shared


def items(count: int, indent: int = 2) -> list[str]:
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
                text = text.replace("type:", "title: a\n  type:").replace(
                    "update", "other: 3\n    update"
                )
            case 9:
                text += "  expect: {total: 3 s}\n  claimed: {total: 4 s}\n"
            case 11:
                text += "  title: |\n    - text\n      # more\n\n    x\n"
            case 13:
                text += '  title: "first\n    - second"\n\n# a comment\n'
        made.append("".join(" " * indent + line for line in text.splitlines(keepends=True)))
    return made


def plain(count: int = 40, indent: int = 2) -> str:
    return "problems:\n" + "".join(items(count, indent))


def broken(line: str, indent: int = 2) -> str:
    """A list with a *line* in its midst."""
    return "problems:\n" + "".join([*items(25, indent), line, *items(10, indent)])


FILES = {
    "plain": plain(),
    "no indent": plain(indent=0),
    "returns": plain().replace("\n", "\r\n"),
    "lone return": broken("  - id: x\r    type: sync-step\n"),
    "defaults": "# a\n---\ndefaults:\n  sync-step: {policy: ssp}\n" + plain(),
    "wrong defaults": "defaults:\n  sync-step: {nothing: 1}\n  no-type: {}\n" + plain(),
    "unknown key above": "other: 1\n" + plain(),
    "wrong above": "defaults: {a: 1, a: 2}\n" + plain(),
    "key below": plain() + "other: 1\ndefaults: {}\n",
    "documents": f"{plain()}---\n{plain()}---\n" + BLOCK[2:].replace("\n  ", "\n") % "one",
    "list of another": 'x: ["\nproblems:\n- a", "\n- b"]\nproblems:\n' + "".join(items(30, 0)),
    "open quote": broken('  - {id: a, title: "x\n'),
    "wrong bracket": broken("  - [}\n"),
    "flow item": broken(f"  - {{id: f, {STEP}}}\n"),
    "open flow item": broken("  - {id: f,\n"),
    "quote over items": broken('  - {id: a, title: "x\n  - y"}\n'),
    "less indent": broken(f" - {{id: f, {STEP}}}\n"),
    "more indent": broken(f"   - {{id: f, {STEP}}}\n"),
    "tab": broken(f"\t- {{id: f, {STEP}}}\n"),
    "no item": broken("  text\n"),
    "document end": broken("...\n"),
    "anchor": broken("  - &a {id: f}\n"),
    "alias": broken("  - *a\n"),
    "long item": broken(f"  - {{id: f, {STEP.replace('1 s, 2 s', '1 s, ' * 200 + '2 s')}}}\n"),
    "comments only": "problems:\n# a\n# b\n",
    "nothing": "problems:\n",
    "empty": "",
    "one": plain(1),
    "two": plain(2),
    "flow": f"problems: [{{id: a, {STEP}}}, {{id: b, {STEP}}}]\n" + "# \n" * 200,
    "single": BLOCK[2:].replace("\n  ", "\n") % "a",
    "no end": plain().rstrip("\n"),
    "blanks": "\n\n" + plain().replace("  - id", "\n  - id"),
    "json": json.dumps({"problems": [{"id": f"p{i}", "type": "x"} for i in range(30)]}, indent=1),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("form", ["ndjson", "text"])
def test_every_byte_of_a_file_is_the_same(
    inline: Inline, tmp_path: Path, name: str, form: str
) -> None:
    file = tmp_path / "sheet.yaml"
    file.write_bytes(FILES[name].encode())
    same(file, "--format", form)


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


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("wrong", [b"", b"\xff\n", b'{"id": "\x7f"}\n'])
def test_every_byte_of_lines_is_the_same(
    inline: Inline, tmp_path: Path, end: str, wrong: bytes
) -> None:
    file = tmp_path / "sheet.ndjson"
    file.write_bytes(end.join(lines(60)).encode() + wrong + end.join(lines(20)).encode())
    same(file, "--format", "ndjson")


@pytest.mark.parametrize(
    "options",
    [
        "--format json", "--format ndjson --answers", "--format ndjson --steps full",
        "--format html --steps brief", "--format html", "--format markdown --steps full",
        "--format latex --steps brief", "--format junit", "--format github", "--diagnostics short",
        "--steps brief", "--timeout 5",
    ],
)  # fmt: skip
def test_every_format_and_several_files(inline: Inline, tmp_path: Path, options: str) -> None:
    (tmp_path / "a.yaml").write_text(plain())
    (tmp_path / "b.ndjson").write_text("\n".join(lines(20)))
    (tmp_path / "c.yaml").write_text(FILES["open quote"])
    (tmp_path / "d.yaml").write_text(FILES["single"])
    names = [tmp_path / f"{name}" for name in ("a.yaml", "b.ndjson", "no.yaml", "c.yaml", "a.yaml")]
    same(*names, tmp_path, *options.split())
    assert inline.pieces > 20


def test_pieces_of_random_sizes(
    inline: Inline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(3)
    file = tmp_path / "sheet.yaml"
    for _ in range(25):
        text = FILES[chance.choice([*FILES])]
        at = chance.randrange(len(text) + 1)
        file.write_text(
            text[:at] + chance.choice(["", "\n", "- ", '"', "  - x\n", "#"]) + text[at:]
        )
        monkeypatch.setattr(pieces, "SIZE", chance.randrange(1, 2000))
        same(file, "--format", "ndjson")


@pytest.mark.parametrize("suffix", ["yaml", "ndjson"])
def test_a_deadly_problem_costs_no_other(inline: Inline, tmp_path: Path, suffix: str) -> None:
    """Its piece is tried again, then each of its problems by itself; that one is an error."""
    file = tmp_path / f"sheet.{suffix}"
    good = json.dumps({"id": "p%d", "type": "sync-step", "given": {"finish": "1 s, 2 s"}})
    texts = (
        [BLOCK % f"p{i}" for i in range(30)]
        if suffix == "yaml"
        else [good % i + "\n" for i in range(30)]
    )
    texts[12] = texts[12].replace("p12", "poison")
    file.write_text("problems:\n" * (suffix == "yaml") + "".join(texts))
    ran = ddcalc("solve", file, "--format", "ndjson", "--jobs", "2")
    alone = ddcalc("solve", file, "--format", "ndjson")
    got, wanted = ran.out.splitlines(), alone.out.splitlines()
    assert [i for i, pair in enumerate(zip(got, wanted, strict=True)) if len({*pair}) > 1] == [12]
    told = json.loads(got[12])
    assert (told["id"], told["error"]["kind"]) == ("poison", "worker")
    assert ran.code == 2
    assert "ended without an answer" in ran.err


@pytest.mark.parametrize(
    "options",
    ["--jobs 0", "--jobs 1.5", "--jobs x", "--jobs 257", "--address tcp://a", "--timeout 0",
     "--timeout -1", "--timeout x", "--timeout 3 GB", "--timeout 1e9"],
)  # fmt: skip
def test_options_are_checked(tmp_path: Path, options: str) -> None:
    (tmp_path / "a.yaml").write_text(plain(2))
    flag, _, value = options.partition(" ")
    ran = ddcalc("solve", tmp_path / "a.yaml", flag, value)
    assert (ran.code, ran.out) == (2, "")
    assert flag in ran.err


@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_parts_make_up_the_whole(inline: Inline, tmp_path: Path, count: int, jobs: str) -> None:
    """Of files with errors in problems, but none of syntax and no name twice in two parts."""
    (tmp_path / "a.yaml").write_text(FILES["key below"].replace("id: P", "id: other"))
    (tmp_path / "b.ndjson").write_text("\n".join(lines(40)).replace('"P', '"other'))
    (tmp_path / "c.yaml").write_text(FILES["single"])
    names = [tmp_path / name for name in ("a.yaml", "no.yaml", "b.ndjson", "c.yaml", "a.yaml")]
    whole = ddcalc("solve", *names, "--format", "ndjson")
    outs, codes = _parts(count, names, "--jobs", jobs)
    assert ("".join(outs), max(codes)) == (whole.out, whole.code)
    longest = max(out.count("\n") for out in outs)
    assert longest < 3 * whole.out.count("\n") / count + 20


def test_an_error_of_syntax_below_a_lost_problem(
    inline: Inline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It ends the file as it does where no worker is lost."""
    monkeypatch.setattr(pieces, "SIZE", 3_000)
    file, inline.deadly = tmp_path / "a.yaml", "p25p"
    texts = [*items(25), "  - [x\n", *items(4)]
    texts.insert(21, f"  - {{id: p25p, {STEP}}}\n")
    file.write_text("problems:\n" + "".join(texts))
    whole, ran = (
        ddcalc("solve", file, "--format", "ndjson", *more) for more in ((), ("--jobs", "2"))
    )
    theirs, ours = (ran.out.splitlines(keepends=True) for ran in (whole, ran))
    [lost] = [number for number, line in enumerate(theirs) if '"id": "p25p"' in line]
    assert '"kind": "worker"' in ours[lost]
    assert theirs[:lost] + theirs[lost + 1 :] == ours[:lost] + ours[lost + 1 :]
    assert '"kind": "file"' in ours[-1]


def _parts(count: int, names: Sequence[Path], *options: str) -> tuple[list[str], list[int]]:
    """What the parts write, and their exit codes."""
    numbers = range(1, count + 1)
    call = ("solve", *names, "--format", "ndjson", *options, "--part")
    runs = [ddcalc(*call, f"{number}/{count}") for number in numbers]
    return [run.out for run in runs], [run.code for run in runs]


@pytest.mark.parametrize("part", ["0/3", "4/3", "x", "1/0", "1", "1/2/3", "-1/3", "1/9999999"])
def test_parts_are_checked(tmp_path: Path, part: str) -> None:
    (tmp_path / "a.yaml").write_text(plain(2))
    ran = ddcalc("solve", tmp_path / "a.yaml", "--format", "ndjson", f"--part={part}")
    assert (ran.code, ran.out) == (2, "")
    assert "1/16 to 16/16" in ran.err
    ran = ddcalc("solve", tmp_path / "a.yaml", "--part", "1/2")
    assert "goes with --format ndjson" in ran.err
    ran = ddcalc("solve", "-", "--format", "ndjson", "--part", "1/2")
    assert "whose sizes are known" in ran.err
