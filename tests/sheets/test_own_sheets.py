"""Sheets: ours, what is said of a mistake in one, and how editors colour them. What sheets answer
stands in ``calls/sheets.txt``."""

import json
import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from running import ddcalc
from tables import rows

from ddcalc import types
from ddcalc.ask import examine
from ddcalc.ask.examine import examined
from ddcalc.cli.verbs.show_command import FIRST
from ddcalc.problem import sheet as reader
from ddcalc.problem.known.explained import topics
from ddcalc.problem.sheet.reading import DECLARED, HEADS, SECTIONS, of_ours, read
from ddcalc.problem.sheet.text import outline

HERE = Path(__file__).parent
MINE = FIRST.read_text("utf-8").replace("{name}", "mine")
SHEETS = sorted(Path(types.__path__[0]).glob("*/[!_]*.sheet"))
of_sheets = pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)


@of_sheets
def test_nothing_is_wrong_with_ours(path, monkeypatch):
    """In some of its shapes; ``ddcalc check`` looks at more."""
    monkeypatch.setattr(examine, "SHAPES", 20)
    assert [f"{error.place}: {error}" for error in examined(path, of_ours)] == []


def test_what_is_no_file_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe.sheet")
    assert ddcalc("check", tmp_path / "pipe.sheet").code == 2


def test_the_sheet_that_is_explained_works(tmp_path):
    [sheet] = re.findall(r"```\n(.*?)```", topics()["sheets"].text, re.DOTALL)
    (tmp_path / "explained.sheet").write_text(sheet, "utf-8")
    ran = ddcalc("check", tmp_path / "explained.sheet")
    assert (ran.code, ran.err) == (0, "")


# One thing wrong: the sheet to start from, with one line changed, and where the mark stands


WRONG = rows("sheets/wrong.tsv")
CAMPAIGN = (HERE / "own" / "campaign.sheet").read_text("utf-8")


@pytest.mark.parametrize(("line", "changed", "mistake", "marked"), WRONG)
def test_one_mistake(tmp_path, line, changed, mistake, marked):
    sheet = MINE if line in MINE else CAMPAIGN
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
    source, caret = next(pair for pair in pairwise(ran.err.split("\n")) if "^" in pair[1])
    assert source[caret.index("^") :].startswith(marked), ran.err


DOUBLED = "\n".join(f"  x{i} = x{i - 1} + x{i - 1}" for i in range(1, 40))
BOUNDS = rows("sheets/bounds.tsv")
BOUNDS += [["let\n", f"let\n  x0 = samples\n{DOUBLED}\n", "has more than 20000 parts"]]


@pytest.mark.parametrize(("line", "changed", "mistake"), BOUNDS)
def test_bounds(tmp_path, line, changed, mistake):
    path = tmp_path / "mine.sheet"
    path.write_text(MINE.replace(line, changed, 1), "utf-8")
    ran = ddcalc("check", path)
    assert ran.code == (2 if mistake else 0), ran.err
    assert mistake in ran.err


# The grammar by which editors colour sheets, on the sheets of the program


GRAMMAR = json.loads(Path(reader.__file__).with_name("sheet.tmLanguage.json").read_text("utf-8"))
PARTS: dict[str, Any] = GRAMMAR["repository"]


def _patterns(part: Any) -> Iterator[str]:
    members = part.items() if isinstance(part, dict) else enumerate(part)
    for key, inner in members if isinstance(part, dict | list) else ():
        if key in ("match", "begin", "end"):
            yield inner
        else:
            yield from _patterns(inner)


def test_it_names_all_heads_and_sections():
    named = [PARTS["head"]["match"], PARTS["declaring"]["begin"], PARTS["saying"]["begin"]]
    words = [tuple(re.findall(r"[a-z]+", one.partition(")")[0])) for one in named]
    assert words == [HEADS, DECLARED, tuple(x for x in SECTIONS if x not in DECLARED)]
    assert len([*map(re.compile, _patterns(GRAMMAR))]) == 22


@of_sheets
def test_it_knows_the_lines_of_a_sheet(path):
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
