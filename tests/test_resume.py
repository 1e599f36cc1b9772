"""``--resume``: a file of lines is the same however often its run ended early, and however."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from inline import worked_here
from running import Ran, ddcalc, started

from ddcalc.boundary import source

CALL = ("solve", "a.yaml", "missing.yaml", "b.ndjson", "--output", "out.ndjson", "--resume")


def problem(name: str, more: str = "", update: str = ", update: 1 s", finish: int = 2) -> str:
    given = f"{{finish: [1 s, {finish} s], aggregate: 1 s{update}}}"
    return f"  - {{id: {name}, type: sync-step, given: {given}{more}}}\n"


@pytest.fixture(autouse=True)
def sheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files with everything that has a line: problems, good and bad, wrong defaults, what
    stands beside problems, ids that come again, and a broken end."""
    monkeypatch.chdir(tmp_path)
    defaults = "defaults: {sync-step: {update: 2 s}, nothing: {a: 1}}\n"
    first = [
        problem("a"),
        problem("b", update=""),
        problem("A"),
        problem("c", ", expect: {total: 3 s}"),
        problem("d", ", claimed: {total: 3 s, totl: 1 s}"),
        "  - text\n",
        problem("e", ", titel: x"),
        problem("a-b", ", title: 'é ✓'"),
    ]
    second = [problem("f", ", expect: {total: 5 s}", finish=3), problem("F"), problem("g")]
    Path("a.yaml").write_text(
        f"{defaults}problems:\n{''.join(first)}x: 1\n---\nproblems:\n{''.join(second)}  - {{id: '",
        encoding="utf-8",
    )
    given = {"finish": ["1 s", "2 s"], "aggregate": 1, "update": 1}
    names = ["a", "b", "b", "c", "wrong!", "e", "wrong", "f", "wrong"]
    kinds = {"wrong": "sync-stp"}
    lines = [{"id": n, "type": kinds.get(n, "sync-step"), "given": given} for n in names]
    Path("b.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"id":\n')


def whole(*more: str) -> tuple[Ran, bytes]:
    """What an uninterrupted run says and writes."""
    ran = ddcalc(*CALL, *more)
    return ran, Path("out.ndjson").read_bytes()


def test_it_writes_what_a_run_without_it_writes() -> None:
    ran, content = whole()
    usual = ddcalc(*CALL[:-3], "--output", "usual.ndjson")
    assert content == Path("usual.ndjson").read_bytes()
    assert (ran.code, ran.err) == (usual.code, usual.err.replace("usual.", "out."))
    printed = ddcalc(*CALL[:-3], "--format", "ndjson")
    assert content.decode() == printed.out
    assert sorted(os.listdir()) == ["a.yaml", "b.ndjson", "out.ndjson", "out.ndjson.run",
                                    "usual.ndjson"]  # fmt: skip


@pytest.mark.parametrize("how", [(), ("--jobs", "2"), ("--answers",)])
def test_a_run_that_ended_at_any_line(
    monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    monkeypatch.setattr(source, "_BLOCK", 64)
    worked_here(monkeypatch)
    ran, content = whole(*how)
    lines = content.splitlines(keepends=True)
    assert len(lines) > 20
    for count, torn in enumerate(lines):
        if count % (1 + 2 * bool(how)):
            continue
        Path("out.ndjson").write_bytes(
            b"".join(lines[:count]) + torn[: len(torn) * (count % 3) // 2 - 1]
        )
        again = ddcalc(*CALL, *how)
        assert Path("out.ndjson").read_bytes() == content
        assert again.code == ran.code == 2
        assert again.err.splitlines()[-1] == ran.err.splitlines()[-1]
        assert (f"{count} line" in again.err) == bool(count)
        assert again.err.count("error:") <= ran.err.count("error:")


def _changed(name: str) -> Callable[[], object]:
    return lambda: Path(name).write_text(Path(name).read_text() + " ")


def _records(text: str) -> Callable[[], object]:
    return lambda: Path("out.ndjson.run").write_text(text)


NO_RECORDS = ("", "{", "[]", "{}", '{"complete": 1}', "\0", "null", "mine")


@pytest.mark.parametrize(
    ("change", "more", "says"),
    [
        (_changed("a.yaml"), (), "was begun with another content of a.yaml;"),
        (_changed("missing.yaml"), (), "was begun with another content of missing.yaml;"),
        (lambda: None, ("--answers",), "was begun with --answers left out"),
        (lambda: None, ("--steps", "brief"), "was begun with --steps left out"),
        (lambda: None, ("--timeout", "20 s"), "was begun with --timeout left out"),
        (lambda: None, ("a.yaml",), "was begun with the files a.yaml, missing.yaml, b.ndjson"),
        (lambda: os.unlink("out.ndjson.run"), (), "out.ndjson.run does not, which says"),
        *((_records(text), (), "out.ndjson.run is no record of a run") for text in NO_RECORDS),
    ],
)
def test_another_run_is_refused(
    change: Callable[[], object], more: tuple[str, ...], says: str
) -> None:
    Path("missing.yaml").write_text("problems: []")
    _, content = whole()
    change()
    ran = ddcalc(*CALL, *more)
    assert ran.code == 2
    assert says in ran.err
    assert "choose another name, or remove " in ran.err
    assert Path("out.ndjson").read_bytes() == content


@pytest.mark.parametrize(
    "other", [b"{}\n", b"text\n", b'{"id": "z", "status": "solved"}\n', b"[]\n", b"\0\n"]
)
@pytest.mark.parametrize("number", [1, 5, 25])
def test_a_line_of_something_else_is_refused(number: int, other: bytes) -> None:
    _, content = whole()
    lines = content.splitlines(keepends=True)
    lines[number - 1 : number] = [other]
    Path("out.ndjson").write_bytes(b"".join(lines))
    ran = ddcalc(*CALL)
    assert ran.code == 2
    assert f"line {number} is not of this run" in ran.err
    assert Path("out.ndjson").read_bytes() == b"".join(lines)


@pytest.mark.parametrize("here", ["", "out.ndjson", "out.ndjson.run"])
def test_a_refused_call_leaves_nothing(here: str) -> None:
    """Nor does it take away what was there before it."""
    before = {"out.ndjson": "", "out.ndjson.run": "{}\n"}
    if here:
        Path(here).write_text(before[here])
    ran = ddcalc(*CALL, "--engine", "dask", "--address", "tcp://127.0.0.1:1")
    assert ran.code == 2
    assert "dask" in ran.err.lower() or here == "out.ndjson.run"
    kept = [name for name in ("out.ndjson", "out.ndjson.run") if Path(name).exists()]
    assert kept == [here] * bool(here)
    assert not here or Path(here).read_text() == before[here]


def test_a_full_disk() -> None:
    """What fits stays, and the same call goes on when there is room."""
    ran, content = whole()
    Path("out.ndjson").write_bytes(b"")

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))

    ended = started(*CALL, preexec_fn=small)
    assert "cannot write out.ndjson: File too large" in ended.communicate()[1]
    assert ended.returncode == 3
    kept = Path("out.ndjson").read_bytes()
    assert 0 < len(kept) <= 8000
    assert kept.endswith(b"\n")
    assert content.startswith(kept)
    assert ddcalc(*CALL).code == ran.code
    assert Path("out.ndjson").read_bytes() == content


def test_nobody_who_reads_what_is_said() -> None:
    """An overnight run does not end because a window was closed."""
    _, content = whole()
    Path("out.ndjson").write_bytes(b"")
    theirs, ours = os.pipe()
    os.close(theirs)
    assert started(*CALL, stderr=ours, stdout=ours).wait(60) == 2
    os.close(ours)
    assert Path("out.ndjson").read_bytes() == content


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_goes_on(jobs: str) -> None:
    """Lines that were written stay, none comes twice, and no temporary file is left."""
    problems = [problem(f"p{i}") for i in range(500)]
    Path("a.yaml").write_text("problems:\n" + "".join(problems))
    printed = ddcalc("solve", "a.yaml", "--format", "ndjson").out.encode()
    call = ["solve", "a.yaml", "--output", "out.ndjson", "--resume", "--jobs", jobs]
    killed = started(*call)
    out, until = Path("out.ndjson"), time.monotonic() + 60
    while not (out.exists() and out.stat().st_size):
        assert time.monotonic() < until
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    kept = out.read_bytes()
    assert printed.startswith(kept[: kept.rfind(b"\n") + 1])
    assert ddcalc(*call).code == 0
    assert out.read_bytes() == printed
    assert sorted(os.listdir()) == ["a.yaml", "b.ndjson", "out.ndjson", "out.ndjson.run"]
