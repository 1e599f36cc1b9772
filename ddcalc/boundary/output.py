"""The only way to standard output and standard error, in characters that the stream carries."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from types import EllipsisType
from typing import Final, TextIO

from ddcalc.boundary.cleaning import GREEK, pairs
from ddcalc.errors import OutputFailed

CLOSED_PIPE: Final = 141


_GLYPHS: Final = "⌈∇₁├≤"  # a stream that carries these carries all we print
_SPELT: Final = """
    ⌈ ceil( ⌉ ) ⌊ floor( ⌋ ) ‖ || · * × x ÷ / ± +- ∓ -+ √ sqrt ∞ inf ≈ ~= ≤ <= ≥ >= ≠ != ≡ == ∝ ~
    ∈ in → -> ← <- ↑ ^ ↓ v ⇒ => ↔ <-> ⇔ <=> ▶ > ◀ < ∂ d ∑ sum ∏ prod µ u … ... — -- ✓ ok ✔ ok
    ✗ wrong ✘ wrong ° deg ⁻ ^- é e ä a
"""
_RAISED: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_ASCII: Final = str.maketrans(
    pairs(_SPELT)
    | {symbol: name for name, symbol in GREEK.items()}
    | {digit: f"^{value}" for value, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
    | dict.fromkeys("─━═╌┄┈–‐‑−", "-")
    | dict.fromkeys("│┃║╎┆┊", "|")
    | dict.fromkeys("├┤┌┐└┘┬┴┼┏┓┗┛┣┫┳┻╋╭╮╯╰╞╡╪┡┩╇╔╗╚╝", "+")
    | dict.fromkeys("█▉▊▋▓▒■▪", "#")
    | dict.fromkeys("▌▍▎▏░□", ".")
    | dict.fromkeys("‘’′", "'")
    | dict.fromkeys("“”″", '"')
    | dict.fromkeys("•∙", "*")
    | {"∇": "grad "}
    | dict.fromkeys("\u00a0\u2009\u202f", " ")
)

_GREEK: Final = "α-ωΓΔΘΛΞΠΣΦΨΩ"
_LOW: Final = re.compile("[₀-₉]+(?:,[₀-₉]+)*")  # the indices of a letter, as in x₁₂ and G₂,₃
_DIGITS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_ROOT: Final = re.compile(r"√([\w.]+)")  # of one letter or number, without brackets
_UNIT: Final = r"(?:[nmµ]?s|min|h|d|[kMGTP]?i?B|[kMGT]?bit|[MGTPE]?FLOP|USD|%)(?:/[a-zB]+)?"
_PRODUCT: Final = re.compile(  # of amounts, which has blanks round its dot as words have
    rf"([0-9⁰¹²³⁴-⁹)⌉⌋]|[0-9] {_UNIT})([\v\f]*) · (?=[0-9(⌈⌊√])"
)
_SEPARATOR: Final = re.compile(r"(?<=\s)·(?=\s)")  # between words, where it is no product
_HIGH: Final = re.compile("[⁻⁰¹²³⁴-⁹]+")  # an exponent
_TOUCHING: Final = re.compile(  # between factors that need no dot, as in 4ηΔ, η(x − y) and η‖x‖
    rf"(?<=[0-9{_GREEK}])(?=[{_GREEK}](?![A-Za-z_0-9₀-₉]))"
    rf"|(?<=[{_GREEK}])(?=[∇(⌈⌊]|‖[^\s)⌉⌋‖·/,^])"
)


class ClosedPipe(Exception):
    """Whoever read our output has gone; no message is due."""


class Output:
    """A text stream to write to: standard output unless *stream* is given; None is a closed one.

    What is to be done *before* anything is written, such as wiping a line of progress, may be set.
    """

    def __init__(
        self, stream: TextIO | EllipsisType | None = ..., target: str = "standard output"
    ) -> None:
        self._stream = sys.stdout if isinstance(stream, EllipsisType) else stream
        self._target = target
        self._broken = False
        self._encoding = getattr(self._stream, "encoding", None) or "utf-8"
        try:
            self.unicode = bool(_GLYPHS.encode(self._encoding))
        except (UnicodeError, LookupError):
            self.unicode = False
        self.interactive = bool(self._open and self._open.isatty())
        self.before: Callable[[], None] | None = None

    @property
    def _open(self) -> TextIO | None:
        return None if self._stream is None or self._stream.closed else self._stream

    @property
    def colour(self) -> bool:
        """Whether what is written may have colours: on a terminal, or by ``FORCE_COLOR`` or
        ``CLICOLOR_FORCE``, and never with ``NO_COLOR``."""
        if os.environ.get("NO_COLOR"):
            return False
        names = ("FORCE_COLOR", "CLICOLOR_FORCE")
        forced = any(os.environ.get(name, "") not in ("", "0") for name in names)
        return forced or (self.interactive and os.environ.get("TERM") != "dumb")

    @property
    def piped(self) -> bool:
        """Whether somebody else reads it and may show it at any time."""
        try:
            return self._open is not None and stat.S_ISFIFO(os.fstat(self._open.fileno()).st_mode)
        except OSError:  # as io.UnsupportedOperation is: it is no file
            return False

    def write(self, text: str) -> None:
        """Write *text* whole, at once; OutputFailed or ClosedPipe where that is impossible."""
        if self.before is not None:
            self.before()
        if (stream := self._open) is None:
            raise OutputFailed(self._target, "it is closed")
        if self._broken:
            raise OutputFailed(self._target, "an earlier write failed")
        if not text.isascii():
            text = text if self.unicode else ascii_only(text)
            text = text.encode(self._encoding, "backslashreplace").decode(self._encoding)
        try:
            stream.write(text)
            stream.flush()
        except OSError as error:
            self._broken = True
            # what the stream still holds would fail once more, noisily, when the interpreter ends
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
                stream.flush()
            if isinstance(error, BrokenPipeError):
                raise ClosedPipe from error
            raise OutputFailed(self._target, error.strerror or str(error)) from error


def ascii_only(text: str) -> str:
    """*text* with the glyphs that ddcalc prints spelt in ASCII; others stay.

    >>> ascii_only("Bound · ⌈b/m⌉ ≤ 5ηΔ")
    'Bound - ceil(b/m) <= 5*eta*Delta'
    """
    text = _HIGH.sub(lambda match: "^" + match[0].translate(_RAISED), text)
    text = _PRODUCT.sub(r"\1\2 * ", text)
    text = _ROOT.sub(r"√(\1)", _TOUCHING.sub("*", _SEPARATOR.sub("-", text)))
    text = _LOW.sub(lambda at: f"_{{{at[0]}}}" if "," in at[0] else f"_{at[0]}", text)
    return text.translate(_DIGITS).translate(_ASCII)
