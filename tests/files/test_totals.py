"""What stands around the problems of several files: headings, totals, contents; in every format."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.cli.formats import PAGES, Format

GOOD = """problems:
  - {id: a, type: breakeven, given: &g {download: 1 s, compute: 4 s, upload: 1 s, aggregate: 15 ms},
     expect: {workers: 134}, claimed: {workers: 133}}
  - {id: b, title: "<b> & \\"B\\"", type: breakeven,
     given: {download: 1 s, compute: 4 s, upload: 2 s, aggregate: 15 ms}}
""".replace("&g ", "")
BAD = """problems:
  - {id: c, type: sync-step, given: {finish: [1 s]}}
  - {id: d, type: sync-step, given: {finish: [1 s], aggregate: 1 s, update: 1 s},
     expect: {total: 4 s}}
"""
TOTALS = "3 problems solved, 2 stated answers differ, 1 not solved"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sheets").mkdir()
    (tmp_path / "sheets" / "bad.yaml").write_text(BAD)
    (tmp_path / "sheets" / "good.yaml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)


def solved(form: str, *more: str) -> str:
    ran = ddcalc("solve", "sheets", "--format", form, *more)
    assert ran.code == 2
    assert "Traceback" not in ran.err
    return ran.out


@pytest.mark.parametrize("steps", ["none", "full"])
@pytest.mark.parametrize("form", [form for form in PAGES if form not in ("json", "ndjson")])
def test_each_file_has_a_heading_and_all_have_totals(form: Format, steps: str) -> None:
    page = solved(form, "--steps", steps).replace("{,}", ",")
    bad, good = (re.search(rf"sheets/{name}\\?.yaml", page) for name in ("bad", "good"))
    assert bad
    assert good
    assert bad.start() < page.index("4 s") < good.start()
    assert page.count(TOTALS) == 1
    assert page.index(TOTALS) > good.start()
    assert "expected" in page
    assert "claimed" in page


def test_one_problem_has_neither() -> None:
    Path("one.yaml").write_text(BAD.replace("\n  - {id: c", "\n  # {id: c"))
    ran = ddcalc("solve", "one.yaml", "--format", "markdown")
    assert ran.code == 1
    assert "solved" not in ran.out


def test_scripts_read_what_they_did() -> None:
    data = json.loads(solved("json"))
    assert [*data] == ["schema_version", "problems"]
    assert [one["id"] for one in data["problems"]] == ["c", "d", "a", "b"]
    lines = [json.loads(line) for line in solved("ndjson").splitlines()]
    assert [one["id"] for one in lines] == ["c", "d", "a", "b"]


class _Links(HTMLParser):
    """The links of a page, with their words, and the places that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.places: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "a":
            self.links.append((known["href"] or "", ""))
        if known.get("id"):
            self.places.append(known["id"] or "")

    def handle_data(self, data: str) -> None:
        if self.links and not self.links[-1][1]:
            self.links[-1] = (self.links[-1][0], data)


def test_contents_of_a_long_page() -> None:
    reader = _Links()
    reader.feed(solved("html", "--steps", "full"))
    assert [words for _, words in reader.links] == ["d", "a", '<b> & "B"']
    assert [href.removeprefix("#") for href, _ in reader.links] == reader.places


def test_a_short_list_needs_no_contents() -> None:
    assert "<nav" not in solved("html", "--steps", "none")


def test_whole_or_not_at_all() -> None:
    """A file is written when everything is solved, and holds what is printed."""
    for name in ("a.html", "a.md", "a.tex", "a.json", "a.txt"):
        ran = ddcalc("solve", "sheets", "--output", name)
        assert (ran.code, ran.out) == (2, "")
        form = {"md": "markdown", "tex": "latex", "txt": "text"}.get(name[2:], name[2:])
        assert Path(name).read_text(encoding="utf-8") == solved(form)
    ran = ddcalc("solve", "sheets", "--output", "sheets/good.yaml")
    assert ran.code == 2
    assert Path("sheets/good.yaml").read_text() == GOOD
