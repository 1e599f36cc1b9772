"""The grammar by which editors colour sheets, on the sheets of the program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddcalc import types
from ddcalc.problem import sheet as reader
from ddcalc.problem.sheet.reading import DECLARED, HEADS, SECTIONS, read
from ddcalc.problem.sheet.text import outline

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
