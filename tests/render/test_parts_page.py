"""A question of parts as one page, beside what ``golden/parts.txt`` shows of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import ddcalc

EXAM = Path(__file__).parents[1] / "golden" / "files" / "parts.yaml"


def test_a_web_page_leads_to_the_parts_that_it_names() -> None:
    web = ddcalc("solve", EXAM, "--format", "html").out
    led = {*re.findall(r'href="#([^"]+)"', web)}
    assert led
    assert [web.count(f'id="{place}"') for place in led] == [1] * len(led)


@pytest.mark.parametrize(
    ("says", "kept"),
    [("", True), ("Training takes 15 % more steps then.", False), ("Training is long.", True)],
)
def test_nothing_is_assumed_that_the_question_says_to_be_otherwise(
    tmp_path: Path, says: str, kept: bool
) -> None:
    file = tmp_path / "q.yaml"
    given = "{values: 25M, bits: 8, bandwidth: 10 Gbit/s}"
    text = f"{{id: q, type: quantize, text: A gradient. {says}, given: {given}}}"
    file.write_text(text, encoding="utf-8")
    words = " ".join(ddcalc("solve", file).out.split())
    assert ("training takes no more steps" in words) is kept
    assert "a link of its own" in words


def test_what_is_asked_for_stands_in_the_unit_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "q.yaml"
    asks = "ask: [total in h, half, rest], steps: {half = total/2 in h: half of it,"
    given = "given: {finish: [9 min, 1 h], aggregate: 1 s, update: 1 s}"
    text = f"{{id: q, type: sync-step, {asks} rest = half/total in %: }}, {given}}}"
    file.write_text(text, encoding="utf-8")
    words = " ".join(ddcalc("solve", file).out.split())
    assert re.search("about 1.001 h.*Half of it: about 0.5003 h. Rest: 50 %.", words), words
