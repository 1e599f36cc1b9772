"""Hostile calls of find, check, compare, sensitivity and variants.

Each ends with a required exit code and a clean message, in bounded time. Tables: what is added to
a call that is all right, the exit code, and words of what is printed (errors; the answer where the
code is 0).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from harness import SECONDS, Ran, assert_clean, call, strict_json, strict_lines

ROOT = Path(__file__).parents[2]
EXAM = ROOT / "problems" / "exam.yaml"
SHEET = ROOT / "tests" / "golden" / "files" / "sheet.yaml"

EPOCH = ("epoch-time", "--samples=76800", "--batch=1536", "--epochs=10", "--download=1.5s",
         "--upload=1.5s", "--aggregate=15ms")  # fmt: skip
OPEN = (*EPOCH, "--compute=4s")
FULL = (*OPEN, "--workers=6")
EVEN = ("breakeven", "--download=1.5s", "--compute=4s", "--upload=1.5s")
STEP = ("sync-step", "--aggregate=0.3s", "--finish=0.15s,0.5s")
DIVERGENCE = ("divergence", "--starts=0.15s,0.2s,0.25s,0.5s", "--update=0.2s")
TIMELINE = ("timeline", "--periods=1s,2s,4s")
RULE = ("update-rule", "--workers=3", "--worker=2", "--staleness=1", "--scheme=ssp")
PARALLEL = ("data-parallel", "--targets=2,2,3", "--inputs=1,2,3", "--eta=0.1")
QUANTIZE = ("quantize", "--bits=4", "--bandwidth=10 Gbit/s", "--dimension=300")
SPLIT = ("split-batch", "--aggregate=15ms")
RING = ("allreduce", "--size=400MB", "--workers=8", "--latency=5us")
STALE = ("staleness", "--low=1", "--high=4", "--alpha=0.2", "--beta=0.1", "--ages=3")
BACKUP = ("backup-workers", "--means=1s", "--workers=4")

Case = tuple[Sequence[str], int, str]


def finding(base: Sequence[str], unknown: str, *where: str) -> tuple[str, ...]:
    """A call that finds *unknown*."""
    return (
        *base,
        "--find",
        unknown,
        *(word for relation in where for word in ("--where", relation)),
    )


def workers(where: str, code: int, says: str) -> Case:
    """A call that finds the workers of the exam's first question."""
    return finding(OPEN, "workers", where), code, says


FIND: tuple[Case, ...] = (
    workers("total <= 300 s", 0, "m = 13"),
    workers("total <= 1e60 s", 0, "Any number of workers will do."),
    workers("workers >= 10^30", 0, "At least 1×10³⁰ workers."),
    workers("last_workers = 5", 0, "9 ranges"),
    workers("total <= 9**9**9 s", 2, "power of more than 400 bits"),
    workers("price = 3 USD", 2, "money per time is wanted"),
    workers("total ! 3", 2, "the signs are < <= = >= >"),
    workers("total =< 3 s", 2, "write <="),
    workers("total <= total", 2, "compares a quantity with itself"),
    workers("total <=", 2, "is empty"),
    workers("total", 2, "is not a relation"),
    workers("total<=300s\x1b[31m", 2, r"\x1b[31m"),
    workers("tot\u202eal <= 3 s", 2, r"\u202e"),
    workers("x" * 400, 2, "longer than 300 characters"),
    workers("totl <= 3 s", 2, "did you mean 'total'"),
    workers("Q <= 3 s", 2, "total (T)"),
    (finding(OPEN, "total", "total <= 3 s"), 2, "follows from the givens"),
    (finding(OPEN, "wrkers", "total <= 3 s"), 2, "did you mean 'workers'"),
    (finding(OPEN, "\x1b[2J", "total <= 3 s"), 2, r"\x1b[2J"),
    (finding(OPEN, "x" * 5000, "total <= 3 s"), 2, "unknown given"),
    (finding(OPEN, "queue", "total <= 3 s"), 2, "missing: --workers"),
    (finding(FULL, "workers", "total <= 3 s"), 2, "is given, but"),
    (finding(OPEN, "workers"), 2, "missing: --where"),
    ((*OPEN, "--where", "total <= 3 s"), 2, "missing: --find"),
    ((*finding(OPEN, "workers", "total <= 300 s"), "--find", "batch"), 2, "more than once"),
    ((*finding(OPEN, "workers", "total <= 300 s"), "--unit", "h"), 2, "plain number"),
    (finding(OPEN, "workers", *(f"total <= {300 + i} s" for i in range(40))), 0, "m = 13"),
    (finding(FULL, "queue", "total = 637.5 s"), 0, "Only per-epoch (each epoch"),
    (finding(EVEN, "aggregate", "workers = 67"), 0, "must be more than about 14.93 ms and"),
    (finding(EVEN, "aggregate", "workers > 1e30"), 0, "must be at most 1×10⁻²¹ ns"),
    (finding(STEP, "update", "total <= 1 s"), 0, "must be at most 200 ms"),
    (finding(STEP, "update", "idle <= 1 s"), 2, "is a list here"),
    (finding(("sync-step",), "finish", "total <= 1 s"), 2, "is a list; only a given"),
    (finding(DIVERGENCE, "horizon", "async_updates >= 9"), 0, "nothing is proved of others"),
    (finding(TIMELINE, "horizon", "gradients >= 1e12"), 0, "No value of T that was tried"),
    (
        finding((*TIMELINE, "--horizon=24s"), "workers", "gradients >= 30"),
        0,
        "No number of workers that was tried",
    ),
    (finding((*TIMELINE, "--horizon=24s"), "scheme", "gradients >= 30"), 0, "async"),
    (finding(RULE, "clock", "weights = 3"), 2, "is a formula here"),
    (finding(PARALLEL, "workers", "gap = 0"), 0, "that was tried (from 1 to 3) will do"),
    (finding(BACKUP, "wait_for", "wait <= 1 s"), 0, "At most 2 workers"),
    (finding(QUANTIZE, "values", "gathered < 200 GB"), 0, "from 1 to 200"),
    ((*finding(SPLIT, "compute", "more = 5 s"), "--all"), 0, "all others fail"),
    (finding(RING, "bandwidth", "time < 1 us"), 0, "No value of B makes"),
)

COMPARE: tuple[Case, ...] = (
    ((), 2, "Missing argument"),
    ((str(EXAM),), 2, "cannot be compared"),
    ((str(EXAM), "nope", "ps-epochs"), 2, "unknown id 'nope'"),
    ((str(EXAM), "ps-epochs", "ps-breakeven"), 2, "cannot be compared"),
    ((str(EXAM), "ps-epochs", "ps-epochs"), 0, "both times"),
    ((f"{EXAM}:ps-epochs", f"{EXAM}:sync-step"), 0, "594.45 s less"),
    (("epoch-tme", "--samples=3"), 2, "did you mean 'epoch-time'"),
    (("\x1b[2J", "--samples=3"), 2, r"\x1b[2J"),
    (FULL, 2, "say what to change"),
    ((*FULL, "--against", "workers"), 2, "is not NAME=VALUE"),
    ((*FULL, "--against", "workers=12;workers=13"), 2, "more than once"),
    ((*FULL, "--against", "wrkers=3"), 2, "did you mean 'workers'"),
    ((*FULL, "--against", "queue=x"), 2, "unknown choice"),
    ((*FULL, "--against", "compute=4 GB"), 2, "measures data"),
    ((*FULL, "--against", "workers=\x1b[31m12"), 2, r"\x1b[31m"),
    ((*FULL, "--against", "x" * 5000), 2, "is not NAME=VALUE"),
    ((*FULL, "--against", "workers=10^30"), 0, "581 s less"),
    ((*FULL, *(word for i in range(30) for word in ("--against", f"workers={i + 1}"))), 0, "× "),
    ((*STEP, "--update=1s", "--against", "finish=1s,2s,3s"), 0, "more"),
    ((*DIVERGENCE, "--horizon=0.6s", "--against", "compare=same-time"), 0, "D differs"),
    ((*TIMELINE, "--horizon=24s", "--against", "scheme=async"), 0, "24 more"),
    (
        (*TIMELINE, "--horizon=24s", "--against", "horizon=1e9s"),
        2,
        "a shorter run has the same rates",
    ),
    ((*RULE, "--clock=4", "--against", "clock=5"), 0, "w differs"),
    ((*finding(OPEN, "workers", "total <= 3 s"), "--against", "compute=3s"), 2, "--find"),
)


SWEEP: tuple[Case, ...] = tuple(
    ((*STALE, f"--part={part}", "--vary=updates=1..1000"), 2, "at most 500 is possible")
    for part in ("momentum", "conditions")
)


SENSITIVITY: tuple[Case, ...] = (
    ((), 2, "Missing argument"),
    ((str(EXAM),), 2, "name one by its id"),
    ((str(EXAM), "async-same-time"), 2, "is a formula here"),
    (OPEN, 2, "missing: --workers"),
    ((*OPEN, "--workers=5±0.5"), 2, "is not a number"),
    ((*EPOCH, "--workers=6", "--compute=4±0.5 s"), 2, "--compute"),
    ((*EPOCH, "--workers=6", "--compute=3..5 s"), 2, "is a range"),
    ((*FULL, "--by=200%"), 2, "is not a share"),
    ((*FULL, "--queue=per-epoch..carry"), 2, "unknown choice"),
    (("sync-step", "--finish=0s", "--aggregate=0s", "--update=0s"), 0, "T = 0 s"),
    (("sync-step", f"--finish={','.join(f'{i} s' for i in range(1, 400))}", "--aggregate=1",
      "--update=1"), 0, "T = 401 s"),
    ((*DIVERGENCE, "--horizon=0.6s"), 2, "is a formula here"),
    ((*RULE, "--clock=4"), 2, "is a formula here"),
    ((*PARALLEL, "--workers=2"), 0, "D = 0"),
    ((*EVEN, "--aggregate=0"), 2, "has no value here"),
)  # fmt: skip

VARIANTS: tuple[Case, ...] = (
    ((), 2, "Missing argument"),
    ((str(EXAM), "ps-epochs", "--count=1001"), 2, "--count"),
    ((str(EXAM), "ps-epochs", "--seed=-1"), 2, "--seed"),
    ((str(EXAM), "ps-epochs", "--choices=1"), 2, "--choices"),
    ((str(EXAM), "ps-epochs", "--keep=nope"), 2, "unknown given"),
    ((str(EXAM), "ps-epochs", "--vary=queue"), 2, "unknown given"),
    ((str(EXAM), "ps-epochs", "--vary=workers", "--keep=workers"), 2, "both kept and varied"),
    ((str(EXAM), "ps-epochs", "--key=k.md", "--output=k.md"), 2, "exam's own file"),
    ((str(EXAM), "ps-epochs", "--output=x.doc"), 2, "suffix"),
    ((str(EXAM), "ps-epochs", f"--output={EXAM}"), 2, "would be lost"),
    ((str(EXAM), "ps-epochs", "--output=/nope/x.md"), 3, "folder does not exist"),
    ((str(EXAM), "ps-epochs", "--choices=8", "--count=2"), 0, "epoch-time"),
    ((*FULL, "--count=2", f"--seed={'9' * 30}"), 0, "epoch-time"),
    ((*TIMELINE, "--horizon=24s", "--count=2"), 0, "timeline"),
    ((*RULE, "--clock=4", "--count=2"), 0, "update-rule"),
    ((*PARALLEL, "--workers=2", "--count=2"), 0, "data-parallel"),
    ((*DIVERGENCE, "--horizon=0.6s", "--count=2"), 0, "divergence"),
    (("sync-step", "--finish=0s", "--aggregate=0s", "--update=0s", "--count=2"), 2, ""),
    (("epoch-time", "--samples=10^30", "--batch=1", "--epochs=1", "--workers=10^29", "--download=0",
      "--compute=1", "--upload=0", "--aggregate=0", "--count=2"), 0, "epoch-time"),
    ((*finding(OPEN, "workers", "total <= 3 s"), "--count=2"), 2, "--find"),
)  # fmt: skip


def _all() -> list[tuple[tuple[str, ...], int, str]]:
    verbs = {
        "": FIND, "compare": COMPARE, "sensitivity": SENSITIVITY, "sweep": SWEEP,
        "variants": VARIANTS,
    }  # fmt: skip
    return [
        ((*verb.split(), *arguments), code, says)
        for verb, cases in verbs.items()
        for arguments, code, says in cases
    ]


def _name(value: object) -> str:
    return ascii(" ".join(value)[-60:]) if isinstance(value, tuple) else ""


def ends_well(ran: Ran, code: int, seconds: float = SECONDS) -> None:
    """*ran* has this exit code, says why, and is clean."""
    assert ran.code == code, (ran.out[:300], ran.err[:300])
    assert_clean(ran.out + ran.err)
    assert "a bug in ddcalc" not in ran.err
    assert bool(ran.err.strip()) or not code
    assert ran.seconds < seconds


@pytest.mark.parametrize(("arguments", "code", "says"), _all(), ids=_name)
def test_calls(
    arguments: tuple[str, ...],
    code: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    ran = call(*arguments)
    ends_well(ran, code)
    printed = " ".join((ran.err if code else ran.out).split())
    assert says in printed, printed[:500]
    assert not code or ran.out == ""
    assert not list(tmp_path.iterdir())


TABLE = "student,ps-epochs\n"
ANSWERS: dict[str, tuple[str | bytes, int, str]] = {  # a file, the exit code, and words of errors
    "empty": ("", 2, "is empty"),
    "a header alone": (TABLE, 0, ""),
    "no question": ("student\nann\n", 2, "missing: a problem"),
    "a NUL": (b"student,ps-epochs\nann\x00,596 s\n", 2, "U+0000"),
    "Latin-1": ("student,ps-epochs\nJos\xe9,596 s\n".encode("latin-1"), 2, "UTF-8"),
    "an open quote": (TABLE + '"ann,596 s\nbob,596 s\n', 2, "not valid CSV"),
    "CR LF, semicolons": ("student;ps-epochs\r\nann;596 s\r\n", 0, ""),
    "a declared separator": ("sep=;\nstudent;ps-epochs\nann;596 s\n", 0, ""),
    "ragged": (TABLE + "ann,596 s,7,8,9\nbob\n", 0, ""),
    "a column twice": ("student,ps-epochs,ps-epochs\nann,1,2\n", 2, "more than once"),
    "a student twice": (TABLE + "ann,1\nann,2\n", 2, "more than once"),
    "a long cell": (TABLE + "ann," + "9" * 100_000 + "\n", 2, "4096 are allowed"),
    "many columns": (
        "student," + ",".join(f"c{i}" for i in range(11_000)) + "\n", 2, "10000 are allowed",
    ),
    "many unknown columns": (
        "student," + ",".join(f"c{i}" for i in range(9_000)) + "\n", 2, "and 8950 more",
    ),
    "control characters": (TABLE + "bo\x1b[31mb,596 s\n", 2, "U+001B"),
    "other scripts": (TABLE + "👩\u200d👩,596 s\nÅsa Öberg-O'Neil,596 s\n李\u202e,5 s\n", 0, ""),
    "unlike units": ("student,ps-epochs,fl-epochs.updates\nann,5 GB,8000 USD\n", 0, ""),
    "an unknown problem": ("student,nope\nann,1\n", 2, "unknown problem 'nope'"),
    "rows that name nothing": (
        "student,problem,quantity,answer\nann,nope,total,1\nann,ps-epochs,nope,1\nann,,,\n,,,\n",
        2, "unknown result 'nope'",
    ),
    "numbers without end": (TABLE + "ann,9**9**9\nbob,1e999999999\n", 2, "400 bits"),
    "a spreadsheet's formula": (TABLE + "=cmd|' /C calc'!A0,=1+1\n", 2, "is not a number"),
    "many that are none": (
        TABLE + "".join(f"s{i},x{i}\n" for i in range(500)), 2, "and 450 more",
    ),
    "YAML: a list": ("students: [1, 2]\n", 2, "answers are `students:`"),
    "YAML: an anchor": ("students: &x {ann: {ps-epochs: 1}}\n", 2, "anchor"),
    "YAML: nested": ("students: {ann: {ps-epochs: {total: {a: 1}}}}\n", 2, "an answer is a value"),
    "YAML: braces": ("{" * 50, 2, "not valid YAML"),
    "YAML: a stray key": ("students: {ann: {ps-epochs: 1}}\nbob: 3\n", 2, "unknown key"),
}  # fmt: skip


def written(folder: Path, content: str | bytes, name: str) -> Path:
    """A file with *content*."""
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


@pytest.mark.parametrize("name", ANSWERS)
def test_files_of_answers(name: str, tmp_path: Path) -> None:
    content, code, says = ANSWERS[name]
    suffix = ".yaml" if name.startswith("YAML") else ".csv"
    ran = call("check", SHEET, written(tmp_path, content, f"answers{suffix}"))
    ends_well(ran, code)
    assert says in ran.err, ran.err[:500]


FORMULAS = ("4*eta*Delta", "4ηΔ", "4", "Delta", "sin(x)", "4*eta*Delta*" * 50, "__import__('os')",
            "eta**9**9", "4*eta*Delta s", "")  # fmt: skip
PLAYED = ("18", "-1", "18 s", "10^30", "1/3", "18, 18", "none")


@pytest.mark.parametrize(
    ("question", "answers"),
    [("{id: a, type: divergence, given: {starts: [0.15 s, 0.2 s], update: 0.2 s, horizon: 1 s}}",
      FORMULAS),
     ("{id: a, type: timeline, given: {periods: [1 s, 2 s, 4 s], horizon: 24 s}}", PLAYED),
     ("{id: a, type: sync-step, find: update, where: total <= 1 s,"
      " given: {finish: [0.5 s], aggregate: 0.3 s}}", ("0.2 s", "0.1 s", "-1 s", "1e60 s", "x"))],
    ids=["formulas", "played", "unknown"],
)  # fmt: skip
def test_answers_to_other_kinds(question: str, answers: Sequence[str], tmp_path: Path) -> None:
    sheet = written(tmp_path, question, "sheet.yaml")
    table = StringIO()
    csv.writer(table).writerows([("student", "a"), *enumerate(answers)])
    handed = written(tmp_path, table.getvalue(), "answers.csv")
    ran = call("check", sheet, handed, "--format=csv", "--rows=answers")
    ends_well(ran, 2 if "error" in ran.err else 0)
    rows = list(csv.DictReader(StringIO(ran.out)))
    assert [row["student"] for row in rows] == [str(i) for i in range(len(answers))]
    assert rows[0]["verdict"] in ("right", "wrong")
    assert {row["credit"] for row in rows} <= {"0", "0.5", "1"}


NUMBERS = (
    "1e999999999", "9**9**9", "1/0", "nan", "inf", "-0", "0x10", "017", "1:30", "\uff11\uff12",
    "595.5 GB", "595.5 s s", "595.5 secnd", "1e-60 s", "1e60 s", "=595.5", '"595,5"', "'595.5",
    "ca. 596", "∞", "+595.5", "-595.5", "1_000", "595 500 ms", "yes", "{}", "[1]", "4*eta*Delta",
    "595.50000000000000000000000000000000000001 s",
)  # fmt: skip


@pytest.mark.parametrize("form", ["text", "csv", "json", "ndjson"])
def test_no_answer_gets_lost(form: str, tmp_path: Path) -> None:
    """Every student stands in the marks, read or not; nothing is obeyed."""
    lines = "".join(f"student{i},{text}\n" for i, text in enumerate(NUMBERS))
    rows = ["--rows=answers"] if form == "csv" else []
    handed = written(tmp_path, TABLE + lines, "answers.csv")
    ran = call("check", SHEET, handed, "--format", form, *rows)
    ends_well(ran, 2)
    for i in range(len(NUMBERS)):
        assert f"student{i}" in ran.out
    if form == "json":
        students = strict_json(ran.out)["students"]
        assert {mark["verdict"] for one in students for mark in one["marks"]} >= {"unread", "wrong"}
    if form == "ndjson":
        assert len(strict_lines(ran.out)) == len(NUMBERS) + 1
    if form == "csv":
        cells = [cell for row in csv.reader(StringIO(ran.out)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
