"""Calls and what comes of them, in files of ``calls/``: exit codes, words, values in JSON and CSV.

``### NAME`` begins a case in a folder of its own, in which ``problems``, ``files`` (of the golden
screens) and ``own`` (sheets) stand; ``file NAME`` puts the indented lines below it into a file,
``$NAME = WORDS`` names words, and ``$ WORDS`` is a call of ddcalc. Indented below a call stand::

    = 2                  its exit code, if that is not 0
    + words … words      that it prints, one behind the other, however they are wrapped
    - words              that it does not print
    / words              that it does not print in its answer, and behind what is worked out
    3x words             that it prints so often; 3! words: on standard error
    ~ [Ee]xpression      that is found in what it prints
    ! words … words      on standard error, which else is empty where the code is 0
    !! line              all lines on standard error are named so, one after the other
    @ a.0.*.b = [1, 2]   a value in the JSON, the lines of JSON or the rows of CSV that it prints:
                         * is of each, # how many there are
    > NAME               a file into which what it prints is put
    < NAME               a file that is looked at from here on, instead of what is printed
    same WORDS           another call that prints the same

The screen is 1000 columns wide where NAME ends so: (wide). In calls escapes are Python's, and
REPEAT:x:9 stands for nine x. Every call ends soon, and obeys nothing that stands in it; in JSON
the float and the text of every amount are its exact number, and the first search of a case comes
to the same in a file.
"""

import csv
import json
import re
import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from running import ROOT, assert_clean, ddcalc
from tables import TESTS, meant
from test_sheets import VALIDATOR, loaded

PLACES = {"files": TESTS / "golden" / "files", "own": TESTS / "sheets" / "own"}
PLACES["problems"] = ROOT / "problems"
SECONDS = 20  # of the processor; what has no bound takes far more
# all the same, where something is wrong
PRINTING = {"json", "ndjson", "solve", "check", "variants"}
Lines = list[tuple[str, list[str]]]  # each with what is indented below it


SEARCH = re.compile(r"\$ (?!solve).* --find .* --format json$")
NAMED = re.compile(r"(?m)^\$([A-Z]+) = (.*)\n")


def cases() -> Iterator[Any]:
    """Each case with its lines, named words put in."""
    for path in sorted((TESTS / "calls").glob("*.txt")):
        text = path.read_text("utf-8")
        named = dict(NAMED.findall(text))
        for block in re.split("(?m)^### ", NAMED.sub("", text))[1:]:
            name, *rest = block.splitlines()
            lines: Lines = []
            for line in rest:
                line = re.sub(r"\$([A-Z]+)", lambda at: named[at[1]], line)  # noqa: B023
                if line.startswith("    ") or not line:
                    lines[-1][1].append(line[4:])
                else:
                    lines.append((line, []))
            columns = 1000 if name.endswith("(wide)") else 80
            yield pytest.param(lines, columns, id=f"{path.stem}: {name}")


def folded(text: str) -> str:
    return " ".join(re.sub("[\u202f\xa0]", " ", text).split())


def data(call: list[str], text: str) -> Any:
    """What is printed, as data."""
    if "csv" in call:
        return [*csv.DictReader(text.splitlines())]
    return [*map(json.loads, text.splitlines())] if "ndjson" in call else json.loads(text)


def at(value: Any, path: str) -> Any:
    """What stands at a *path* in *value*."""
    name, _, rest = path.partition(".")
    if not name:
        return value
    if name == "#":
        return len(value)
    if name == "*":
        return [at(one, rest) for one in (value.values() if isinstance(value, dict) else value)]
    return at(value[int(name)] if isinstance(value, list) else value[name], rest)


def amounts(data: Any) -> Iterator[dict[str, Any]]:
    """Every amount in *data*, however deep."""
    if isinstance(data, dict):
        if {"value", "exact", "unit", "text"} <= data.keys():
            yield data
        data = list(data.values())
    for one in data if isinstance(data, list) else ():
        yield from amounts(one)


def agree(data: dict[str, Any]) -> None:
    """The float and the text are the exact number, rounded."""
    if data["exact"] is None or data["value"] is None or len(data["exact"]) > 4000:
        return
    exact = Fraction(data["exact"])
    assert data["value"] == float(exact), data
    number = data["text"].removeprefix("about ").removeprefix("≈ ")
    assert number.endswith(data["unit"]), data
    number = number.removesuffix(data["unit"]).replace(" ", "").replace("−", "-")
    shown = Fraction(number.replace("×10^", "e"))
    close = abs(exact) / 10**5
    assert abs(shown - exact) <= (close if data["text"][:1] in "≈a" else 0), data


def in_a_file(call: list[str]) -> Any:
    """What a question comes to as a file, which is valid by its schema."""
    file = Path("asked.yaml")
    file.write_text(ddcalc(*call, "--as-yaml").out, "utf-8")
    assert [*VALIDATOR.iter_errors(loaded(file.read_text("utf-8")))] == []
    line = json.loads(ddcalc("solve", file, "--format", "ndjson", "--steps", "full").out)
    file.unlink()
    return {**line, "id": None, "file": None}


def check(call: list[str], out: str, err: str, sign: str, words: str) -> None:
    """What a line below a call says is so."""
    match sign:
        case "+" | "!":
            said, place = folded(out if sign == "+" else err), 0
            for part in map(folded, words.split("…")):
                assert part in said[place:], (part, said)
                place = said.index(part, place) + len(part)
        case "/":
            before, _, behind = folded(out).partition("Answer ")[2].partition(" Given ")
            said = re.split(r" (?=Check |It means |Assumes )", behind)[1:]
            assert words not in " ".join((before, *said))
        case "-":
            assert folded(words) not in folded(out)
        case "~":
            assert re.search(words, out, re.MULTILINE), (words, out)
        case "@":
            path, _, wanted = words.partition(" = ")
            value = json.loads(wanted)
            near = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
            assert at(data(call, out), path) == near
        case "same":
            assert ddcalc(*shlex.split(words)).out == out
        case _:
            text = err if sign.endswith("!") else out
            assert text.count(words) == int(sign[:-1]), (words, text)


def called(line: str, below: list[str], columns: int, *, filed: bool) -> None:
    """A call ends soon, is clean, and comes to what stands below it; also in a file where that is
    looked at."""
    call = [*map(meant, shlex.split(line.removeprefix("$ ")))]
    signed = [one.partition(" ")[::2] for one in below if one]
    ran = ddcalc(*call, columns=columns)
    assert ran.seconds < SECONDS
    code = next((int(words) for sign, words in signed if sign == "="), 0)
    assert ran.code == code, ran.err
    assert bool(ran.err) == bool(code > 1 or {"!"} & dict(signed).keys()) or code == 1, ran.err
    assert code != 2 or not ran.out or PRINTING & {*call}
    assert_clean(ran.out + ran.err)
    assert max(map(len, (ran.err or " ").splitlines())) < 700 + max(map(len, (*call, "")))
    if ran.out and {"json", "ndjson"} & {*call}:
        for one in amounts(data(call, ran.out)):
            agree(one)
    if filed and ran.out:
        assert json.loads(ran.out) == in_a_file(call[:-2])
    told = [words for sign, words in signed if sign == "!!"]
    lines = [one.strip() for one in ran.err.splitlines() if not one.startswith("an example")]
    assert not told or lines == told
    out = ran.out
    for sign, words in signed:
        if sign == ">":
            (made := Path(words)).parent.mkdir(exist_ok=True)
            made.write_text(out, encoding="utf-8")
        elif sign == "<":
            out = Path(words).read_text("utf-8")
        elif sign not in ("=", "!!"):
            check(call, out, ran.err, sign, words)


@pytest.mark.parametrize(("lines", "columns"), [*cases()])
def test_what_comes_of_calls(lines, columns, tmp_path, monkeypatch):
    """What is wrong with one call does not hide the others; none leaves anything unnamed behind."""
    monkeypatch.chdir(tmp_path)
    for name, place in PLACES.items():
        Path(name).symlink_to(place)
    wrong = []
    searches = [line for line, _ in lines if SEARCH.match(line)]
    for line, below in lines:
        if name := line.removeprefix("file ") * line.startswith("file "):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text("\n".join((*below, "")), encoding="utf-8")
            continue
        try:
            called(line, below, columns, filed=line in searches[:1])
        except (AssertionError, LookupError, ValueError) as error:
            wrong.append(f"{line}\n{error}")
    assert not wrong, "\n\n".join(wrong)
    said = " ".join(one for line, below in lines for one in (line, *below))
    assert [path.name for path in tmp_path.iterdir() if path.name not in {*PLACES} | {*said.split()}
            and path.name.removesuffix(".run") not in said] == []  # fmt: skip
