"""A question of parts as one page: nothing stands there twice, nothing that is asked is missing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from running import ddcalc

EXAM = """
problems:
  - id: q
    title: A server
    text: "{workers} machines, {samples} samples"
    given: {samples: 76800, batch: 1536, epochs: 10, workers: 6, download: 1.5 s, upload: 1.5 s,
            compute: 4 s, aggregate: 15 ms}
    parts:
      - {id: a, type: epoch-time, text: "How long do {epochs} epochs take?"}
      - {id: b, like: a, given: {workers: [12, 24]}, text: With more?}
      - {id: c, like: a, given: {workers: 12}, limit: total <= 5 min}
      - {id: d, formula: a.total/c.total, name: gain, text: How much faster?}
      - {id: e, like: a, given: {upload: 1 x}, text: With a slower link?}
      - {id: f, like: a, text: Again?, limit: total <= 10 min}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file: Path = tmp_path_factory.mktemp("parts") / "exam.yaml"
    file.write_text(EXAM, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def page(file: Path) -> str:
    return ddcalc("solve", str(file)).out


def test_a_web_page_leads_to_the_parts_that_it_names(file: Path) -> None:
    web = ddcalc("solve", str(file), "--format", "html").out
    assert {*re.findall(r'href="#([^"]+)"', web)} == {"A-server-a", "A-server-c"}
    assert web.count('id="A-server-a"') == 1


def test_each_part_stands_under_its_letter_with_its_answer(page: str) -> None:
    head, *parts = page.split("\n\n(")
    assert head.count("training samples") == head.count("6 machines, 76800 samples") == 1
    parts[-1], closing = parts[-1].split("\n\n", 1)
    assert "Answer" not in closing
    assert [part[0] for part in parts] == [*"abcdef"]
    assert all("Answer " in part or "Not solved: " in part for part in parts)


def test_what_an_earlier_part_shows_is_not_shown_again(page: str) -> None:
    lines = Counter(line.strip() for line in page.splitlines() if " = " in line)
    assert all(count == 1 for count in lines.values())
    assert "As in (a), but with 12 workers instead of 6: R = 41;" in page
    assert "As in (a)." in page
    assert all(page.count(x) == 1 for x in ("R = ⌊K/m⌋", "side by side, so", "Assumes"))


def test_limits_and_formulas_say_what_they_come_to(page: str) -> None:
    assert "Not met: total 5.025 min > 5 min" in page
    assert "Met: total 9.925 min ≤ 10 min" in page
    assert "gain = T_a/T_c = 595.5 s/(301.5 s) ≈ 1.975" in page


@pytest.mark.parametrize(
    ("says", "kept"),
    [("", True), ("Training takes 15 % more steps then.", False), ("Training is long.", True)],
)
def test_nothing_is_assumed_that_the_question_says_to_be_otherwise(
    tmp_path: Path, says: str, kept: bool
) -> None:
    file = tmp_path / "q.yaml"
    given = "{values: 25M, bits: 8, bandwidth: 10 Gbit/s}"
    text = f"problems:\n- id: q\n  type: quantize\n  text: A gradient. {says}\n  given: {given}\n"
    file.write_text(text, encoding="utf-8")
    words = " ".join(ddcalc("solve", str(file)).out.split())
    assert ("training takes no more steps" in words) is kept
    assert "a link of its own" in words


def test_what_is_asked_for_stands_in_the_unit_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "q.yaml"
    asks = "{steps: {half = total/2 in h: half of it, rest = half/total in %}, ask: [total in h,"
    file.write_text(EXAM.replace("{id: a,", f"{asks} half, rest], id: a,"), encoding="utf-8")
    words = " ".join(ddcalc("solve", str(file)).out.split())
    assert re.search("take about 0.1654 h:.*Half of it: about 0.08271 h. Rest: 50 %.", words)
