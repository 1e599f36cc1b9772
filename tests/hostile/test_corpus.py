"""The corpus: every case has its required outcome, and the good problems around it are solved."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness import BEFORE, HEAD, Case, Wanted, call, cases, check, judge, solve_lines, strict_lines
from running import BLOCK, GOOD, Ran, assert_clean
from tables import TESTS, rows
from test_processes import MEGABYTES, timed

CORPUS = [*cases()]


pytestmark = pytest.mark.usefixtures("folder")  # where code that ran would leave its trace


def test_corpus(tmp_path):
    """One process is told all cases, and says of each what it must: soon, and in little memory."""
    for number, case in enumerate(CORPUS):
        (tmp_path / f"{number:03}{case.suffix}").write_bytes(case.content)
    code, out, err, seconds, used = timed("solve", ".", "--format", "ndjson", folder=tmp_path)
    assert (code, seconds < 40, used < MEGABYTES) == (2, True, True), (code, seconds, used)
    assert_clean(out + err)
    assert "more errors" in err
    assert not (tmp_path / "hacked").exists()
    told: dict[str, list[dict[str, Any]]] = {}
    for line in strict_lines(out):
        told.setdefault(Path(line["file"]).name, []).append(line)
    for number, case in enumerate(CORPUS):
        lines = told[f"{number:03}{case.suffix}"]
        errors = judge(case, lines)
        checks = [one for line in lines for one in line.get("checks", ())]
        differs = any(one["ours"] and not one["agrees"] for one in checks)
        assert case.exit == (2 if errors else differs), case.name


@pytest.mark.parametrize("case", CORPUS[::20], ids=lambda case: case.name)
def test_one_case_alone(case, tmp_path):
    """The exit code, and its errors as they are printed."""
    check(case, tmp_path)


SORTS = yaml.safe_load((TESTS / "hostile" / "tried.yaml").read_text("utf-8"))
TRIED, OTHERS = SORTS["tried"], SORTS["others"]


def quoted(text: str) -> str:
    """*text* in double quotes for YAML, in ASCII."""
    plain = {*map(chr, range(32, 127))} - {*'"\\'}
    return '"' + "".join(c if c in plain else f"\\U{ord(c):08x}" for c in text) + '"'


def sheet(sort: str, written: str) -> str:
    """A problem of one line, after a good one and before another one."""
    kind, name = TRIED[sort]
    others = [f"{n}: {t}" for n, t in OTHERS[kind].items() if n != name]
    given = ", ".join([*others, f"{name}: {written}"])
    after = BEFORE.replace("before", "after")
    return f"{HEAD}{BEFORE}- {{id: x, type: {kind}, given: {{{given}}}}}\n{after}"


def optional(sort: str, text: str) -> Ran:
    """A call with the *text* as an option."""
    kind, name = TRIED[sort]
    others = [f"--{n}={t}" for n, t in OTHERS[kind].items() if n != name]
    return call(kind, *others, f"--{name}={text}", "--format", "json")


REFUSED = rows("hostile/numbers.tsv")
ACCEPTED = rows("hostile/accepted.tsv")


@pytest.mark.parametrize("i", range(len(REFUSED)), ids=lambda i: repr(REFUSED[i][1]))
def test_refused(i, tmp_path):
    """In a file, or as an option: they take turns; no process can be called with a NUL."""
    way = _in_a_file if i % 2 or "\0" in REFUSED[i][1] else _as_an_option
    way(*REFUSED[i], tmp_path)
    assert not (tmp_path / "hacked").exists()


def _in_a_file(sort: str, text: str, kind: str, says: str, tmp_path: Path) -> None:
    content = sheet(sort, quoted(text))
    column = content.splitlines()[2].rindex('"' + quoted(text)[1:]) + 1
    case = Case("x", content.encode(), (Wanted(kind, 3, column, says),), ("before", "after"))
    check(case, tmp_path)


def _as_an_option(sort: str, text: str, kind: str, says: str, _: Path) -> None:
    given, ran = TRIED[sort][1], optional(sort, text)
    assert ran.code == 2, ran
    error = json.loads(ran.out)["error"]
    assert error["kind"] in kind.split("|")
    assert (error["parameter"], error["file"], error["line"]) == (given, None, None)
    assert f"--{given}" in ran.err
    assert says in error["message"]
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("first", range(0, len(ACCEPTED), 20))
def test_accepted_exactly(first, tmp_path):
    """In files, and as options."""
    some = ACCEPTED[first : first + 20]
    for i, (sort, text, _) in enumerate(some):
        (tmp_path / f"{i:02}.yaml").write_text(sheet(sort, quoted(text)))
    read = strict_lines(solve_lines(tmp_path).out)[1::3]
    for (sort, text, value), filed in zip(some, read, strict=True):
        for problem in (filed, json.loads(optional(sort, text).out)):
            assert problem["status"] == "solved", problem
            exact = problem["quantities"][TRIED[sort][1]]["exact"]
            assert Fraction(exact) == Fraction(value), text


FLOW = GOOD.replace("good", "a")
STARTS = {"flow": HEAD + FLOW, "block": HEAD + BLOCK % "a", "document": f"{FLOW[2:]}---\n"}
ROWS = rows("hostile/ends.tsv")
ENDS = [end.encode("latin-1") for where, end in ROWS if where == "behind"]
INSIDE = [end.encode("latin-1") for where, end in ROWS if where == "inside"]


@pytest.mark.parametrize("end", ENDS, ids=repr)
@pytest.mark.parametrize("start", STARTS)
def test_the_problem_just_before_is_solved(start, end, tmp_path):
    check(Case("x", STARTS[start].encode() + end, (), ("a",), more=True), tmp_path)


@pytest.mark.parametrize("end", INSIDE, ids=repr)
def test_the_problem_that_is_broken_is_not_solved(end, tmp_path):
    file, before = tmp_path / "x.yaml", HEAD + BEFORE.replace("- ", "  - ")
    file.write_bytes((before + BLOCK % "a").encode() + end)
    ran = solve_lines(file)
    solved = [line["id"] for line in strict_lines(ran.out) if line["status"] == "solved"]
    assert (ran.code, solved) == (2, ["before"])
