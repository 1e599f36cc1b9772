"""Batches in jobs and parts, and resumed: every byte as one process writes it, whatever happens
and however often a run ended early."""

import json
import os
import pickle
import resource
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from running import BLOCK, GOOD, Ran, ddcalc, started

from ddcalc.boundary import source, workers
from ddcalc.boundary.workers import WorkerEnded


class Inline(Executor):
    """Works at once, on what is left of data that was sent; ends where a text is *deadly*."""

    jobs = 2

    def __init__(self, deadly: str = "poison") -> None:
        self.deadly, self.tasks = deadly, 0

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks += 1
        if self.deadly in str(arguments):
            future.set_exception(WorkerEnded(-9))
        else:
            sent = pickle.loads(pickle.dumps((work, arguments)))
            future.set_result(pickle.loads(pickle.dumps(sent[0](*sent[1]))))
        return future


@pytest.fixture
def inline(monkeypatch):
    """Work is done in this process where there are jobs."""
    executor = Inline()
    monkeypatch.setattr(workers, "open_executor", lambda *_: nullcontext(executor))
    return executor


def same(*call: str | Path) -> Ran:
    """What a call writes, which is the same by several workers."""
    alone = ddcalc("solve", *call)
    shared = ddcalc("solve", *call, "--jobs", "2")
    assert (shared.code, shared.out, shared.err) == (alone.code, alone.out, alone.err)
    return shared


WRONG = {  # of every 17 items
    3: lambda text, number: text.replace("aggregate: 1 s", "aggregate: yes"),
    5: lambda text, number: text.replace(f"p{number}", f"P{number - 2}"),
    7: lambda text, number: text.replace("sync-step", "sink-step"),
    8: lambda text, number: text.replace("type:", "title: a\n    type:").replace("update", "other"),
    9: lambda text, number: text + "    expect: {total: 3 s}\n    claimed: {total: 4 s}\n",
}


def items(count: int) -> str:
    """Items of a list, most of them right."""
    ways = (WRONG.get(i % 17, lambda text, _: text) for i in range(count))
    return "".join(way(BLOCK % f"p{i}", i) for i, way in enumerate(ways))


PLAIN = "problems:\n" + items(40)
FILES = {
    "returns": PLAIN.replace("\n", "\r\n"),
    "wrong defaults": "defaults:\n  sync-step: {nothing: 1}\n  no-type: {}\n" + PLAIN,
    "defaults": "# a\n---\ndefaults:\n  sync-step: {policy: ssp, update: yes}\n" + PLAIN,
    "wrong above": "other: 1\ndefaults: {a: 1, a: 2}\n" + PLAIN,
    "key below": PLAIN + "other: 1\ndefaults: {}\n",
    "documents": f"{PLAIN}---\n{PLAIN}---\n{GOOD[2:]}",
    "open quote": PLAIN + '  - {id: a, title: "x\n' + items(5),
    "anchor": PLAIN + "  - &a {id: f}\n  - *a\n  - text\n" + items(5),
    "nothing": "problems:\n",
    "one": "problems:\n" + items(1),
}


@pytest.mark.parametrize("name", FILES)
def test_every_byte_of_a_file_is_the_same(inline, tmp_path, name):
    file = tmp_path / "sheet.yaml"
    file.write_bytes(FILES[name].encode())
    same(file)


def ndjson(count: int) -> list[str]:
    """Lines of ndjson, most of them right."""
    made = []
    given = {"finish": ["1 s", "2 s"], "aggregate": "1 s", "update": "1 s"}
    for number in range(count):
        other: Any = {3: {"given": given | {"aggregate": "x"}}, 5: {"id": f"P{number - 2}"}}
        other[7] = {"expect": {"total": "3 s"}}
        problem = {"id": f"p{number}", "type": "sync-step", "given": given}
        text = json.dumps(problem := problem | other.get(number % 13, {}))
        several = {"defaults": {"sync-step": {"x": 1}}, "problems": [problem] * 2}
        made.append({4: "", 6: text[:-1], 8: json.dumps(several)}.get(number % 29, text))
    return made


@pytest.mark.parametrize("wrong", [b"", b"\xff\n", b'{"id": "\x7f"}\n'])
def test_every_byte_of_lines_is_the_same(inline, tmp_path, wrong):
    file = tmp_path / "sheet.ndjson"
    file.write_bytes("\r\n".join(ndjson(60)).encode() + wrong + "\n".join(ndjson(20)).encode())
    same(file, "--format", "ndjson")


@pytest.mark.parametrize(
    "options",
    [
        "--format json", "--format ndjson --answers", "--format html --steps brief",
        "--format latex", "--format junit", "--format github --diagnostics short", "--timeout 5",
    ],
)  # fmt: skip
def test_every_format_and_several_files(inline, tmp_path, options):
    (tmp_path / "a.yaml").write_text(PLAIN)
    (tmp_path / "b.ndjson").write_text("\n".join(ndjson(20)))
    (tmp_path / "c.yaml").write_text(FILES["open quote"])
    names = [tmp_path / f"{name}" for name in ("a.yaml", "no.yaml", "c.yaml", "a.yaml")]
    same(*names, tmp_path, *options.split())
    assert inline.tasks > 10


@pytest.mark.parametrize(("count", "jobs"), [(1, "1"), (2, "2"), (7, "1"), (40, "2")])
def test_parts_make_up_the_whole(inline, tmp_path, count, jobs):
    """A file that cannot be read and errors of all kinds are in one part each."""
    (tmp_path / "a.yaml").write_text(FILES["key below"])
    (tmp_path / "b.ndjson").write_text("\n".join(ndjson(40)))
    (tmp_path / "c.yaml").write_text(FILES["open quote"])
    names = [tmp_path / name for name in ("a.yaml", "no.yaml", "b.ndjson", "c.yaml", "a.yaml")]
    whole = ddcalc("solve", *names, "--format", "ndjson")
    call = ("solve", *names, "--format", "ndjson", "--jobs", jobs, "--part")
    runs = [ddcalc(*call, f"{number}/{count}") for number in range(1, count + 1)]
    assert "".join(run.out for run in runs) == whole.out
    assert max(run.code for run in runs) == whole.code
    longest = max(run.out.count("\n") for run in runs)
    assert longest < 3 * whole.out.count("\n") / count + 20


# --resume


CALL = ("solve", "a.yaml", "missing.yaml", "b.ndjson", "--output", "out.ndjson", "--resume")


@pytest.fixture(autouse=True)
def sheets(tmp_path, monkeypatch):
    """Two files with everything that has a line: problems, good and bad, wrong defaults, what
    stands beside problems, ids that come again, and a broken end."""
    monkeypatch.chdir(tmp_path)
    more = "  - text\n  - {id: a-b, type: sync-step, title: 'é ✓', titel: x}\n"
    text = FILES["wrong defaults"].replace(PLAIN, f"problems:\n{items(10)}{more}")
    Path("a.yaml").write_text(f"{text}x: 1\n---\nproblems:\n{items(3)}  - {{id: '", "utf-8")
    Path("b.ndjson").write_text("\n".join(ndjson(15)) + '{"id":\n')


def whole(*more: str) -> tuple[Ran, bytes]:
    """What an uninterrupted run says and writes."""
    ran = ddcalc(*CALL, *more)
    return ran, Path("out.ndjson").read_bytes()


def test_it_writes_what_a_run_without_it_writes():
    ran, content = whole()
    usual = ddcalc(*CALL[:-3], "--output", "usual.ndjson")
    assert content == Path("usual.ndjson").read_bytes()
    assert (ran.code, ran.err) == (usual.code, usual.err.replace("usual.", "out."))
    printed = ddcalc(*CALL[:-3], "--format", "ndjson")
    assert content.decode() == printed.out
    assert sorted(os.listdir()) == ["a.yaml", "b.ndjson", "out.ndjson", "out.ndjson.run",
                                    "usual.ndjson"]  # fmt: skip


@pytest.mark.parametrize("how", [(), ("--jobs", "2"), ("--answers",)])
def test_a_run_that_ended_at_any_line(inline, monkeypatch, how):
    monkeypatch.setattr(source, "_BLOCK", 64)
    ran, content = whole(*how)
    lines = content.splitlines(keepends=True)
    assert len(lines) > 20
    for count, torn in enumerate(lines):
        if count % (1 + 2 * bool(how)):
            continue
        part = torn[: len(torn) * (count % 3) // 2 - 1]
        Path("out.ndjson").write_bytes(b"".join((*lines[:count], part)))
        again = ddcalc(*CALL, *how)
        assert Path("out.ndjson").read_bytes() == content
        assert again.code == ran.code == 2
        assert again.err.splitlines()[-1] == ran.err.splitlines()[-1]
        assert (f"{count} line" in again.err) == bool(count)
        assert again.err.count("error:") <= ran.err.count("error:")


OTHERS = [b"{}\n", b"text\n", b'{"id": "z", "status": "solved"}\n', b"[]\n", b"\0\n"]


@pytest.mark.parametrize(("number", "other"), [*zip((1, 5, 25, 5, 25), OTHERS, strict=True)])
def test_a_line_of_something_else_is_refused(number, other):
    _, content = whole()
    lines = content.splitlines(keepends=True)
    lines[number - 1 : number] = [other]
    Path("out.ndjson").write_bytes(b"".join(lines))
    ran = ddcalc(*CALL)
    assert ran.code == 2
    assert f"line {number} is not of this run" in ran.err
    assert Path("out.ndjson").read_bytes() == b"".join(lines)


@pytest.mark.parametrize("here", ["", "out.ndjson", "out.ndjson.run"])
def test_a_refused_call_leaves_nothing(here):
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


def test_a_full_disk():
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


def test_nobody_who_reads_what_is_said():
    """An overnight run does not end because a window was closed."""
    _, content = whole()
    Path("out.ndjson").write_bytes(b"")
    theirs, ours = os.pipe()
    os.close(theirs)
    assert started(*CALL, stderr=ours, stdout=ours).wait(60) == 2
    os.close(ours)
    assert Path("out.ndjson").read_bytes() == content


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_goes_on(jobs):
    """Lines that were written stay, none comes twice, and no temporary file is left."""
    Path("a.yaml").write_text("problems:\n" + "".join(BLOCK % f"p{i}" for i in range(500)))
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
