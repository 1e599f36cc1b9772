"""Hostile cases read from files, run in this process, and held against their required outcome.

A ``.cases`` file holds cases like this one; ``item-`` files are elements of a list of problems,
put between two good ones, ``file-`` files are whole files, ``ndjson-`` files whole ndjson ones::

    === its name
    = 2                       the exit code (2 where errors are named, else 0)
    + before after            the ids that are solved all the same
    ! kind 3:12 words         an error: its kind, its place, a part of its message
    ! ...                     more errors may follow
    ---
    the text itself

Places count from the text's own first line; ``-`` is no place, ``N:-`` a line without a column.

In ``long.cases`` stands what is too long or too odd for that, as bytes, with escapes and REPEAT as
in tables; ``@ both`` says where it stands: between both good problems, or it costs the second of
them (``first``), is the ``end`` of a file or the file ``alone``, a ``line`` of ndjson or the
``last`` one.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from running import GOOD, Ran, assert_clean, ddcalc
from tables import meant

HERE = Path(__file__).parent
# of the processor: the promised two, on a busy machine, where each of them does a fraction of its
# work; what has no bound takes far more
SECONDS = 8.0

BEFORE = GOOD.replace("good", "before")
AFTER = BEFORE.replace("before", "after")
HEAD = "problems:\n"
GIVEN = {"finish": ["1 s", "2 s"], "aggregate": "1 s", "update": 1}
GOOD_LINE = json.dumps({"id": "before", "type": "sync-step", "given": GIVEN})
AFTER_LINE = GOOD_LINE.replace("before", "after")


@dataclass(frozen=True)
class Wanted:
    """An error that must be reported: its *kind*, its place, and words of its message."""

    kind: str
    line: int | None = None
    column: int | None = None
    says: str = ""


@dataclass(frozen=True)
class Case:
    """An input and its required outcome."""

    name: str
    content: bytes
    wanted: tuple[Wanted, ...] = ()
    solved: tuple[str, ...] = ()
    exit: int = 2
    more: bool = False  # whether further errors may come
    suffix: str = ".yaml"


def call(*arguments: str | Path, encoding: str = "utf-8") -> Ran:
    """A call in this process, on a screen as wide as the environment says."""
    return ddcalc(*arguments, encoding=encoding, columns=os.environ.get("COLUMNS", "80"))


def ends_well(ran: Ran, code: int) -> None:
    """*ran* has this exit code, says why, and is clean."""
    assert ran.code == code, (ran.out[:300], ran.err[:300])
    assert_clean(ran.out + ran.err)
    assert "a bug in ddcalc" not in ran.err
    assert bool(ran.err.strip()) or not code
    assert ran.seconds < SECONDS


def solve_lines(*arguments: str | Path) -> Ran:
    """``solve --format ndjson --diagnostics short``, clean and with lines that can be read."""
    ran = call("solve", *arguments, "--format", "ndjson", "--diagnostics", "short")
    assert_clean(ran.out + ran.err)
    strict_lines(ran.out)
    return ran


def strict_lines(out: str) -> list[dict[str, Any]]:
    """The objects of ndjson *out*: ASCII, one a line, the last one whole, no NaN."""
    assert out.isascii()
    assert out == "" or out.endswith("\n")
    return [strict_json(line) for line in out.split("\n")[:-1]]


def strict_json(text: str) -> Any:
    """*text* as JSON in which NaN and Infinity are no numbers."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in JSON")

    return json.loads(text, parse_constant=refuse)


def check(case: Case, folder: Path) -> None:
    """*case* has its required outcome."""
    file = folder / f"case{case.suffix}"
    file.write_bytes(case.content)
    ran = solve_lines(file)
    errors, reported = judge(case, strict_lines(ran.out)), ran.err.splitlines()
    assert ran.code == case.exit, (ran.code, ran.err[:500])
    assert ran.seconds < SECONDS
    for error in errors[:50]:  # each stands on a line of its own, ``file:line:column: message``
        numbers = [str(error[key]) for key in ("line", "column") if error[key]]
        start = ":".join([error["file"] or "error", *numbers])
        assert any(line.startswith(f"{start}: {error['message']}") for line in reported), error
    if len(errors) > 50:
        assert f"and {len(errors) - 50} more error" in ran.err


def judge(case: Case, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The errors in the *lines* of *case*, which are those that it must have."""
    errors = [error for line in lines for error in line.get("errors", [])]
    keys = ["kind", "file", "line", "column", "parameter", "message"]
    assert all([*error] == keys for error in errors)
    summary = [(e["kind"], e["line"], e["column"], e["message"]) for e in errors]
    solved = [line["id"] for line in lines if line["status"] == "solved"]
    assert {*case.solved} <= {*solved}, (case.name, solved, summary)
    for wanted in case.wanted:
        place, kinds = (wanted.line, wanted.column), wanted.kind.split("|")
        assert any(
            kind in kinds and (line, column) == place and wanted.says in message
            for kind, line, column, message in summary
        ), (case.name, wanted, summary)
    if not case.more:
        assert len(errors) == len(case.wanted), (case.name, summary)
    return errors


AROUND = {  # what stands before and behind, and what of it is solved
    "both": (HEAD + BEFORE, AFTER, ("before", "after")),
    "first": (HEAD + BEFORE, AFTER, ("before",)),
    "end": (HEAD + BEFORE, "", ("before",)),
    "alone": ("", "", ()),
    "line": (f"{GOOD_LINE}\n", f"{AFTER_LINE}\n", ("before", "after")),
    "last": (f"{GOOD_LINE}\n", "", ("before",)),
}
KINDS = {"item": "both", "file": "alone", "ndjson": "line", "long": ""}  # of files


def cases() -> Iterator[Case]:
    """All cases in all files."""
    for kind, where in KINDS.items():
        for path in sorted((HERE / "cases").glob(f"{kind}*.cases")):
            for block in re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))[1:]:
                head, _, body = block.partition("\n---\n")
                yield _case(path.stem, head.splitlines(), body, where)


def _case(stem: str, head: list[str], body: str, where: str) -> Case:
    said = {sign: [line[2:] for line in head[1:] if line[0] == sign] for sign in "!+=@"}
    is_long, errors = bool(said["@"]), said["!"]
    if is_long:
        [where], body = said["@"], meant(body.rstrip("\n"))
    before, behind, good = AROUND[where]
    return Case(
        f"{stem}: {head[0]}",
        f"{before}{body}{behind}".encode("latin-1" if is_long else "utf-8"),
        tuple(_wanted(error, before.count("\n")) for error in errors if error != "..."),
        (*good, *" ".join(said["+"]).split()),
        int(said["="][0]) if said["="] else 2 if errors else 0,
        "..." in errors,
        ".ndjson" if where in ("line", "last") else ".yaml",
    )


def _wanted(text: str, above: int) -> Wanted:
    kind, place, says = [*text.split(" ", 2), ""][:3]
    if place == "-":
        return Wanted(kind, None, None, says)
    line, column = place.split(":")
    return Wanted(kind, int(line) + above, None if column == "-" else int(column), says)
