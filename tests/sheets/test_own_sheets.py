"""Sheets: what the language can say, what is said of a mistake, and how editors colour them; and
anybody's own type beside a problem file, behind every verb, and never in place of ours."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import ddcalc
from tables import rows

from ddcalc import types
from ddcalc.ask import examine
from ddcalc.ask.examine import examined
from ddcalc.cli.sheets import first
from ddcalc.problem import sheet as reader
from ddcalc.problem.sheet.reading import DECLARED, HEADS, SECTIONS, of_ours, read
from ddcalc.problem.sheet.text import outline
from ddcalc.problem.topics import topics

HERE = Path(__file__).parent


@pytest.mark.parametrize(("code", "call", "says"), rows(HERE / "asked.tsv"))
def test_what_a_sheet_answers(
    code: str, call: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE / "own")
    ran = ddcalc(*shlex.split(call))
    printed, at = ran.out + ran.err, 0
    assert ran.code == int(code), ran.err
    assert says[:1] != "-" or says[1:] not in printed
    for part in says.split(" … ") if says[:1] != "-" else ():
        at = printed.index(part, at) + len(part)


# Anybody's own type


OURS = sorted((Path(__file__).parents[2] / "ddcalc" / "types").glob("*/[!_]*.sheet"))
GIVEN = {"samples": "1000000", "size": "100 kB"}


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sheet to start from, in which we are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheets").mkdir()
    path = tmp_path / "sheets" / "load_data.sheet"
    path.write_text(first("load_data"), "utf-8")
    lines = ", ".join(f"{name}: {value}" for name, value in GIVEN.items())
    (tmp_path / "q.yaml").write_text(
        f"problems:\n  - {{id: a, type: load-data, given: {{{lines}}}, expect: {{time: 125 s}}}}\n"
        f"  - {{id: b, type: load_data, given: {{{lines}}}, claimed: {{time: 250 s}}}}\n",
        "utf-8",
    )
    return path


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_nothing_is_wrong_with_ours(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In some of its shapes; ``ddcalc check`` looks at more."""
    monkeypatch.setattr(examine, "SHAPES", 30)
    assert [f"{error.place}: {error}" for error in examined(path, of_ours)] == []


def test_every_verb_takes_a_sheet(mine: Path) -> None:
    name, options = "./sheets/load_data.sheet", ["--samples", "1000000", "--size", "100 kB"]
    assert ddcalc(name, *options, "--bare").out == "125\n"
    assert (
        "At least 20 readers"
        in ddcalc(name, *options, "--find", "readers", "--where", "time<=25 s").out
    )
    for call in (
        ["show", name], [name, "-h"], ["new", name], [name, *options, "--as-yaml"],
        [name, *options, "--mine", "125 s"], [name, *options, "--hint"],
        ["sweep", name, *options, "--vary", "readers=1..4"], ["sensitivity", name, *options],
        ["compare", name, *options, "--against", "readers=8"], ["variants", name, *options],
    ):  # fmt: skip
        ran = ddcalc(*call)
        assert (ran.code, ran.err) == (0, ""), call
        assert ran.out


def test_a_choice_may_matter_by_numbers(mine: Path) -> None:
    """Then its other readings are offered: a rate is written /s or 1/s."""
    text = mine.read_text("utf-8").replace("cache: where", "cache [matters if readers > 1]: where")
    text = text.replace("conclude", "  often f [1/s]: Epochs\n    = 1 / time\n\nconclude")
    mine.write_text(text, "utf-8")
    given = [f"--{name}={value}" for name, value in GIVEN.items()]
    said = ddcalc("./sheets/load_data.sheet", *given, "--all")
    assert "half of the samples are in memory already  62.5 s" in said.out
    said = ddcalc("./sheets/load_data.sheet", *given, "--quantity", "often", "--bare")
    assert said.out == "0.008\n"


def test_beside_a_problem_file(mine: Path) -> None:
    solved = ddcalc("solve", "q.yaml", "--format", "ndjson")
    assert solved.code == 0
    assert solved.out == ddcalc("solve", "q.yaml", "--format", "ndjson", "--jobs", "2").out
    assert ddcalc("check", "q.yaml").code == 0
    assert ddcalc("variants", "q.yaml", "--count", "2").code == 0
    other = mine.parent.parent / "other"
    other.mkdir()
    (other / "q.yaml").write_text((mine.parent.parent / "q.yaml").read_text("utf-8"), "utf-8")
    assert "unknown problem type 'load-data'" in ddcalc("solve", "other/q.yaml").err


def test_a_broken_sheet_does_not_stop_the_others(mine: Path) -> None:
    mine.write_text(mine.read_text("utf-8").replace("read * size", "read * sise"), "utf-8")
    with (mine.parent.parent / "q.yaml").open("a", encoding="utf-8") as file:
        file.write("  - {type: transfer, given: {size: 1 GB, bandwidth: 1 GB/s}}\n")  # fmt: skip
    ran = ddcalc("solve", "q.yaml")
    assert ran.code == 2
    assert "line 28: nothing is called sise; did you mean size?" in ran.err
    assert "'ddcalc check sheets/load_data.sheet' tells all" in ran.err
    assert "1 problem solved, 2 not" in ran.err


def test_never_in_place_of_ours(mine: Path) -> None:
    (mine.parent.parent / "transfer.sheet").write_text(first("transfer"), "utf-8")
    (mine.parent.parent / "t.yaml").write_text(
        "{type: transfer, given: {size: 1 GB, bandwidth: 1 GB/s}}", "utf-8"
    )
    assert "takes 1 s" in ddcalc("solve", "t.yaml", "--steps", "none").out
    assert "transfer is a type of ddcalc; rename it" in ddcalc("./transfer.sheet", "-h").err


@pytest.mark.parametrize("name", ["../load_data", "sheets/load_data", ".", "a" * 70, "a\x1bb"])
def test_no_way_out_of_the_folder(mine: Path, name: str) -> None:
    below = mine.parent / "below"
    below.mkdir()
    (below / "q.json").write_text(json.dumps({"type": name, "given": {}}), "utf-8")
    ran = ddcalc("solve", below / "q.json")
    assert ran.code == 2
    assert "\x1b" not in ran.err + ran.out


def test_what_is_no_file_does_not_hang(mine: Path) -> None:
    os.mkfifo(mine.with_name("pipe.sheet"))
    assert ddcalc("check", mine.with_name("pipe.sheet")).code == 2
    assert ddcalc(mine.with_name("nothere.sheet"), "--samples", "1").code == 2


def test_the_sheet_that_is_explained_works(mine: Path) -> None:
    text = topics()["sheets"].text
    [sheet] = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    (mine.parent / "explained.sheet").write_text(sheet, "utf-8")
    ran = ddcalc("check", mine.parent / "explained.sheet")
    assert (ran.code, ran.err) == (0, "")


# One thing wrong: the sheet to start from, with one line changed, and where the mark stands


WRONG = rows(HERE / "wrong.tsv")
CAMPAIGN = (HERE / "own" / "campaign.sheet").read_text("utf-8")


@pytest.mark.parametrize(("line", "changed", "mistake", "marked"), WRONG)
def test_one_mistake(tmp_path: Path, line: str, changed: str, mistake: str, marked: str) -> None:
    sheet = first("mine") if line in first("mine") else CAMPAIGN
    extra = "let\n  volume_of(x) = volume_of(x) + 1\n" if "volume_of" in changed else "let\n"
    assert line in sheet
    path = tmp_path / ("campaign.sheet" if sheet == CAMPAIGN else "mine.sheet")
    path.write_text(sheet.replace(line, changed, 1).replace("let\n", extra), "utf-8")
    ran = ddcalc("check", path)
    if not mistake:
        assert ran.code == 0
        return
    assert ran.code == 2
    assert mistake in ran.err, ran.err
    source, caret = next(
        pair for pair in zip(ran.err.split("\n"), ran.err.split("\n")[1:], strict=False)
        if "^" in pair[1]
    )  # fmt: skip
    at = caret.index("^")
    assert source[at:].startswith(marked), ran.err


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    sheet = first("mine")
    for line, changed, *_ in (WRONG[3], WRONG[4], WRONG[12], WRONG[25]):
        sheet = sheet.replace(line, changed, 1)
    (tmp_path / "mine.sheet").write_text(sheet, "utf-8")
    ran = ddcalc("check", tmp_path / "mine.sheet")
    assert ran.err.count("error:") == 4


DOUBLED = "\n".join(f"  x{i} = x{i - 1} + x{i - 1}" for i in range(1, 40))
BOUNDS = rows(HERE / "bounds.tsv")
BOUNDS += [["let\n", f"let\n  x0 = samples\n{DOUBLED}\n", "has more than 20000 parts"]]


@pytest.mark.parametrize(("line", "changed", "mistake"), BOUNDS)
def test_bounds(tmp_path: Path, line: str, changed: str, mistake: str) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(first("mine").replace(line, changed, 1), "utf-8")
    ran = ddcalc("check", path)
    assert ran.code == (2 if mistake else 0), ran.err
    assert mistake in ran.err


def test_a_long_sheet_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(first("mine") + "#" * 262_144, "utf-8")
    assert "at most 262144 characters" in ddcalc("check", path).err


# The grammar by which editors colour sheets, on the sheets of the program


GRAMMAR = json.loads(Path(reader.__file__).with_name("sheet.tmLanguage.json").read_text("utf-8"))
PARTS: dict[str, Any] = GRAMMAR["repository"]
SHEETS = sorted(Path(types.__path__[0]).glob("*/[!_]*.sheet"))


def _patterns(part: Any) -> Iterator[str]:
    members = part.items() if isinstance(part, dict) else enumerate(part)
    for key, inner in members if isinstance(part, dict | list) else ():
        if key in ("match", "begin", "end"):
            yield inner
        else:
            yield from _patterns(inner)


def test_it_names_all_heads_and_sections() -> None:
    named = [PARTS["head"]["match"], PARTS["declaring"]["begin"], PARTS["saying"]["begin"]]
    words = [tuple(re.findall(r"[a-z]+", one.partition(")")[0])) for one in named]
    assert words == [HEADS, DECLARED, tuple(x for x in SECTIONS if x not in DECLARED)]
    assert len([*map(re.compile, _patterns(GRAMMAR))]) == 22


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_it_knows_the_lines_of_a_sheet(path: Path) -> None:
    source = path.read_text("utf-8")
    lines = source.split("\n")
    first = outline(source, str(path))[1][0].text.place().line - 1
    begins = [PARTS["remark"]["match"], PARTS["head"]["match"]]
    begins += [PARTS[name]["begin"] for name in ("using", "declaring", "saying")]
    for line in filter(None, lines[first:]):
        assert line[0] == " " or any(re.match(one, line) for one in begins), line
    known = {match[1] for one in ("declaration", "name") for match in _found(one, source)}
    sheet = read(path)
    places = {name: at.place() for name, at in sheet.places.items()}
    own = {name for name, at in places.items() if at.file == str(path)}
    assert own - known <= {name for name in own if ":" not in lines[places[name].line - 1]}


def _found(part: str, source: str) -> Iterator[re.Match[str]]:
    return re.finditer(PARTS[part]["match"], source, re.MULTILINE)
