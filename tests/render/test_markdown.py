"""Markdown pages: complete, and safe for what users write."""

from __future__ import annotations

import re

from pages import section, solved

from ddcalc.boundary.cleaning import markdown as escaped
from ddcalc.problem.catalog import catalog
from ddcalc.render.markup import markdown

HOSTILE = "| a | <script>x</script> [l](http://x) `c` $\\alpha$ **b** \x1b[31m\u202e\n# x"


def test_tables_have_one_width() -> None:
    for slug in catalog():
        page = section(markdown, solved(slug))
        for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
            assert len(widths) == 1, (slug, table)


def test_hostile_titles_are_escaped() -> None:
    page = section(markdown, solved("epoch-time"), title=HOSTILE)
    first = page.splitlines()[0]
    assert first == f"# {escaped(HOSTILE)}"
    assert "<script>" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
