"""From bytes to text that holds no character a problem file may not hold."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from typing import Final

from ddcalc.boundary import limits
from ddcalc.errors import BadFile, OverLimit, Place

_BOM: Final = "\ufeff"
# C0 but tab, LF, CR; DEL and C1; line and paragraph separator; inner BOM, non-characters
_REFUSED: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)
_ASCII_REFUSED: Final = bytes({*range(32), 127} - {9, 10, 13})
_MARKS: Final = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_HINTS: Final = {
    "\x85": "; end lines with a line feed",
    "\u2028": "; end lines with a line feed",
    "\u2029": "; end lines with a line feed",
    _BOM: " here: a byte order mark may only stand at the very start",
}


def breaks(text: str) -> int:
    """The number of line breaks (LF, CR, CR LF) in *text*."""
    found = text.count("\n")
    if "\r" in text:
        found += text.count("\r") - text.count("\r\n")
    return found


class Text:
    """Checked text of byte blocks, in pieces; knows the place it has come to.

    No piece ends between CR and LF, so that the breaks of the pieces add up.
    """

    __slots__ = ("_begun", "_column", "_decoder", "_file", "_held", "_line", "_size")

    def __init__(self, file: str) -> None:
        self._file = file
        self._decoder = getincrementaldecoder("utf-8")()
        self._line, self._column = 1, 1
        self._held = ""
        self._size = 0
        self._begun = False

    def pieces(self, blocks: Iterable[bytes]) -> Iterator[str]:
        """The text before the first wrong character; then its BadFile, if there is one."""
        for block in _opening_together(blocks):
            if not self._size:
                self._refuse_other_encodings(block[:4])
            self._size += len(block)
            if self._size > limits.FILE:
                raise OverLimit("is larger than 1 GiB, the most that is read", self._place())
            yield from self._checked(block, final=False)
        yield from self._checked(b"", final=True)

    def _refuse_other_encodings(self, head: bytes) -> None:
        name = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
        if name is None and 0 in head and head.strip(b"\0"):
            name = "UTF-32" if head.count(0) == 3 else "UTF-16" if head.count(0) == 2 else None
        if name:
            raise BadFile(f"looks like {name}; save it as UTF-8", self._place())

    def _checked(self, block: bytes, final: bool) -> Iterator[str]:
        wrong = ""
        try:
            text = self._held + self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            text = self._held + error.object[: error.start].decode()
            wrong = f"byte 0x{error.object[error.start]:02x} is not UTF-8; save the file as UTF-8"
        if text and not self._begun:
            text, self._begun = text.removeprefix(_BOM), True
        found = _first_refused(text, block)
        if found:
            text, wrong = text[: found.start()], _says(found.group())
        self._held = "\r" if text.endswith("\r") and not (final or wrong) else ""
        text = text.removesuffix(self._held)
        self._advance(text)
        if text:
            yield text
        if wrong:
            raise BadFile(wrong, self._place())

    def _advance(self, text: str) -> None:
        count = breaks(text)
        last = max(text.rfind("\n"), text.rfind("\r")) if count else -1
        self._line += count
        self._column = len(text) - last if count else self._column + len(text)

    def _place(self) -> Place:
        return Place(self._file, self._line, self._column)


def _first_refused(text: str, block: bytes) -> re.Match[str] | None:
    # deleting bytes is ten times as fast as the search and settles nearly every block
    if text.isascii() and len(block.translate(None, _ASCII_REFUSED)) == len(block):
        return None
    return _REFUSED.search(text)


def _says(character: str) -> str:
    hint = _HINTS.get(character, "")
    return f"character U+{ord(character):04X} is not allowed{hint}"


def _opening_together(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The *blocks*, the first of at least four bytes, so that an encoding can be told."""
    opening: bytes | None = b""
    for block in blocks:
        if opening is None:
            yield block
        elif len(opening := opening + block) >= 4:
            yield opening
            opening = None
    if opening:
        yield opening
