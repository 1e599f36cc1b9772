"""Markdown pages: complete, and safe for what users write."""

from __future__ import annotations

import re

from pages import QUESTIONS, section, solved

from ddcalc.boundary.cleaning import markdown as escaped
from ddcalc.render import story
from ddcalc.render.markup import markdown

HOSTILE = "| a | <script>x</script> [l](http://x) `c` $\\alpha$ **b** \x1b[31m\u202e\n# x"


def test_tables_have_one_width() -> None:
    for name in QUESTIONS:
        page = section(markdown, solved(name))
        for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
            assert len(widths) == 1, (name, table)


def test_a_page_in_words() -> None:
    page = section(markdown, solved("epoch-time-0"))
    assert page.startswith(f"# {solved('epoch-time-0').problem.question()}\n\n**Given**\n\n")
    assert r"| $t_{\mathrm{agg}}$ | 15 ms | aggregation of one gradient |" in page
    assert (
        "**7. Total** · rounds follow one another\n\n$$\n"
        r"T = R \cdot t_{\mathrm{full}} + t_{\mathrm{last}} = 83 \cdot 7.09\,\text{s}"
        r" + 7.03\,\text{s} = 588.47\,\text{s} + 7.03\,\text{s} = 595.5\,\text{s}"
        "\n$$\n"
    ) in page
    assert f"**Answer** · {story.says(solved('epoch-time-0'))}" in page
    assert "computation 56.4 %, transfer 42.3 %, aggregation 1.3 %" in page


def test_hostile_titles_are_escaped() -> None:
    page = section(markdown, solved("epoch-time-0"), title=HOSTILE)
    first = page.splitlines()[0]
    assert first == f"# {escaped(HOSTILE)}"
    assert "<script>" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
