"""Foreign text made safe to show: one cleaning for all outputs, then each format's own escape."""

from __future__ import annotations

import re
from html import escape
from typing import Final
from unicodedata import category

from ddcalc.errors import Place
from ddcalc.memory import remembered

_MARKS: Final = 4  # combining marks on one character; more overflow the lines around it
_USUAL: Final = frozenset(  # printable characters that are no marks: those of our own texts
    chr(code)
    for first, behind in ((0x20, 0x180), (0x370, 0x400), (0x2010, 0x20A0), (0x2190, 0x2600))
    for code in range(first, behind)
)
_MARKDOWN: Final = re.compile(r"[\\`*_{}\[\]<>#|~&$!^@]|:(?=\S)")
_MARKDOWN_START: Final = re.compile(r"^\s*(?:(?=[-+=])|\d+(?=[.)](?:\s|$)))")


def pairs(table: str) -> dict[str, str]:
    """A table written as one text: each odd word stands for the word after it."""
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


GREEK: Final = pairs(
    """
    alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ
    nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ
    Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω
    """
)
_MATHS: Final = """
    ε varepsilon φ varphi ς varsigma Υ Upsilon µ mu ∞ infty ∑ sum ∏ prod √ surd ∇ nabla ∂ partial
    ∈ in ≤ leq ≥ geq ≈ approx ≠ neq ≡ equiv ± pm × times ÷ div · cdot ∅ emptyset ∀ forall ∃ exists
    → rightarrow ← leftarrow ↑ uparrow ↓ downarrow ⇒ Rightarrow ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor
    ‖ | ∝ propto ¬ neg ∧ wedge ∨ vee ∩ cap ∪ cup ⊂ subset
"""
# in braces those pairs of which would become other glyphs
_TEXT: Final = r"""
    \ \textbackslash{} { \{ } \} # \# $ \$ % \% & \& _ \_ ^ \textasciicircum{} ~ \textasciitilde{}
    < \textless{} > \textgreater{} | \textbar{} " \textquotedbl{} ` \textasciigrave{} ' {'} - {-}
    , {,} ✓ $\checkmark$ ✗ $\times$ █ \rule{0.5em}{1.4ex} │ \rule[-0.2ex]{0.1em}{1.8ex}
    ┄ \hspace{0.5em} ⁻ \textsuperscript{$-$} − $-$ … \ldots{} – \textendash{} — \textemdash{}
    ‘ \textquoteleft{} ’ \textquoteright{} “ \textquotedblleft{} ” \textquotedblright{}
    „ \quotedblbase{} « \guillemotleft{} » \guillemotright{} € \texteuro{} £ \pounds{} § \S{}
    © \textcopyright{} ° \textdegree{}
"""
_LATEX: Final = {
    **{symbol: rf"$\{name}$" for name, symbol in GREEK.items()},
    **{symbol: rf"$\{name}$" for symbol, name in pairs(_MATHS).items()},
    **pairs(_TEXT),
    **{mark: rf"\textsubscript{{{i}}}" for i, mark in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{mark: rf"\textsuperscript{{{i}}}" for i, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "\u00a0": "~",
}
# the letters that the font encoding T1 has as glyphs of their own
_T1: Final = frozenset(
    "".join(chr(code) for code in range(0xC0, 0x100) if code not in (0xD7, 0xF7))
    + "ĂăĄąĆćČčĎďĐĘęĚěĞğıĹĺĽľŁłŃńŇňŐőŔŕŘřŚśŞşŠšŤťŢţŮůŰűŸŹźŻżŽž"
)


def clean(text: str, width: int | None = None) -> str:
    """*text* with nothing in it that a terminal or page would obey, at most *width* characters.

    Controls, formats, surrogates, private and unassigned characters, line and paragraph separators
    and the fifth and further combining marks on a character become visible.

    >>> print(clean("a\\x1b[31m and more", 12))
    a\\x1b[31m a…
    """
    if width is not None:
        text = text[: width + 1]  # cleaning never shortens, so no more is ever shown
    if not text.isprintable() or not (text.isascii() or _USUAL.issuperset(text)):
        shown, marks = list[str](), 0
        for character in text:
            code, kind = ord(character), "" if character.isascii() else category(character)
            marks = marks + 1 if kind in ("Mn", "Me") else 0
            if marks > _MARKS or not (character.isprintable() or kind == "Zs"):
                wide = f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
                shown.append(f"\\x{code:02x}" if code <= 0xFF else wide)
            else:
                shown.append(character)
        text = "".join(shown)
    return text if width is None or len(text) <= width else f"{text[: max(0, width - 1)]}…"


@remembered
def markdown(text: str) -> str:
    """*text* cleaned, for a paragraph or table cell of Markdown; nothing in it becomes a link."""
    shown = _MARKDOWN.sub(r"\\\g<0>", clean(text)).replace("www.", r"www\.")
    return _MARKDOWN_START.sub(r"\g<0>\\", shown)


@remembered
def latex(text: str) -> str:
    """*text* cleaned, for LaTeX text with T1 and UTF-8; "?" for what the fonts do not have."""
    return "".join(_LATEX.get(x, x if x.isascii() or x in _T1 else "?") for x in clean(text))


@remembered
def html(text: str) -> str:
    """*text* cleaned, for HTML or SVG text and quoted attributes."""
    return escape(clean(text), quote=True)


def located(place: Place) -> str:
    """``file:line:column``, as far as it is known."""
    return ":".join([clean(place.file), *(str(n) for n in (place.line, place.column) if n)])
