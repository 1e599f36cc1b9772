"""Nothing foreign reaches a terminal or page as anything but visible text."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import rows

from ddcalc.boundary.cleaning import clean, html, latex, markdown

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


SHOWN = {"terminal": clean, "markdown": markdown, "latex": latex}


@pytest.mark.parametrize(
    ("reader", "text", "shown"), rows(Path(__file__).with_name("cleaning.tsv"))
)
def test_what_is_shown(reader: str, text: str, shown: str) -> None:
    assert SHOWN[reader](text) == shown


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("abcd", 4, "abcd"), ("abcde", 4, "abc…"), ("\x00\x00", 4, r"\x0…"), ("ab", 1, "…")],
)
def test_width(text: str, width: int, shown: str) -> None:
    assert clean(text, width) == shown


@given(st.text(st.characters()), st.integers(1, 30))
def test_only_visible_characters_remain(text: str, width: int) -> None:
    shown = clean(text)
    assert not {unicodedata.category(character) for character in shown} & HIDDEN
    assert clean(shown) == shown
    cut = clean(text, width)
    assert cut == shown if len(shown) <= width else cut == f"{shown[: width - 1]}…"


@given(st.text(st.characters()))
def test_latex_has_no_bare_special(text: str) -> None:
    assert "\\input" not in latex(text)
    assert latex(text).count("{") - latex(text).count(r"\{") == latex(text).count("}") - latex(
        text
    ).count(r"\}")


def test_html() -> None:
    assert html("<a href=\"x\" title='y'>&\x00") == (
        "&lt;a href=&quot;x&quot; title=&#x27;y&#x27;&gt;&amp;\\x00"
    )
