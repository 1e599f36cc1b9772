"""Nothing foreign reaches a terminal or page as anything but visible text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.boundary.cleaning import clean, html, latex, markdown

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 1.5 s", "plain text, 1.5 s"),
        ("naïve ≤ 漢字\u00a0x", "naïve ≤ 漢字\u00a0x"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\tb\nc\r", r"a\x09b\x0ac\x0d"),
        ("\x7f\x85\x9b", r"\x7f\x85\x9b"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("\u2028\u2029\ufeff\u200d", r"\u2028\u2029\ufeff\u200d"),
        ("\ud800\ue000\uffff", r"\ud800\ue000\uffff"),
        ("\U000e0001", r"\U000e0001"),
        ("e" + "\u0301" * 4, "e" + "\u0301" * 4),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + r"\u0301\u0301"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert clean(text) == shown


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1.5 s", "1.5 s"),
        ("*a* _b_ `c`", r"\*a\* \_b\_ \`c\`"),
        ("[x](javascript:1)", r"\[x\](javascript\:1)"),
        ("<script>&amp;", r"\<script\>\&amp;"),
        ("http://x www.y a@b", r"http\://x www\.y a\@b"),
        ("# title", r"\# title"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("a | b\n", r"a \| b\\x0a"),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert markdown(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a 50% & $5 #1 x_y {z}", r"a 50\% \& \$5 \#1 x\_y \{z\}"),
        ("\\~^", r"\textbackslash{}\textasciitilde{}\textasciicircum{}"),
        ("--", "{-}{-}"),
        ("⌈b⌉ ≤ η·é", r"$\lceil$b$\rceil$ $\leq$ $\eta$$\cdot$é"),
        ("✓ ✗ 10⁻⁹", r"$\checkmark$ $\times$ 10\textsuperscript{$-$}\textsuperscript{9}"),
        ("漢\x1b", r"?\textbackslash{}x1b"),
    ],
)
def test_latex(text: str, shown: str) -> None:
    assert latex(text) == shown


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
