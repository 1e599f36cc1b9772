"""A source cut into pieces that others can read by themselves, each with its place in the file.

A small file is one piece, whatever is in it. A larger one is cut between the lines of ndjson, or
between the items of a list ``problems`` that is written plainly: each item begins with a dash in
one and the same column, and all else stands to the right of it. Such a piece is read together with
what stands above the list. That a cut was right is known when the piece above it has been read
without an error: nothing that ends there can go on below.

From where a file is written otherwise, it is read in one go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import chain
from typing import Final, NamedTuple

from ddcalc.boundary.nodes import Item
from ddcalc.boundary.reader import is_ndjson, lines, read_feed
from ddcalc.boundary.source import Feed, RecentLines, Source, breaks, fed
from ddcalc.boundary.yaml_documents import documents
from ddcalc.errors import BadFile

SIZE: Final = 1 << 16  # characters of a piece, about
FIRST: Final = 1 << 12  # of the first one
LONGEST_HEAD: Final = 1 << 13  # characters above a list, which are read with each of its pieces
LONGEST: Final = 1 << 20  # characters without a place to cut

# the key of the list, and all that comes before its first item
_KEY: Final = re.compile(r"^problems:[ ]*(?:#.*)?\r?\n(?:[ ]*(?:#.*)?\r?\n)*", re.MULTILINE)
_OPENING: Final = re.compile(r"(?:[ ]*(?:#.*)?\r?\n)*(?:---[ ]*(?:#.*)?\r?\n)?")
_OTHER_DOCUMENT: Final = re.compile(r"^(?:---|\.\.\.|%)", re.MULTILINE)
_DASH: Final = re.compile(r"([ ]*)-[ \r\n]")
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")


class PieceForm(StrEnum):
    """What a piece is: a whole file, some items of a list of problems, or some lines of ndjson."""

    file = "file"
    list = "list"
    lines = "lines"


class TextPiece(NamedTuple):
    """Some of the checked *text* of a *file*, which begins on *line*, and whether it is the *last*;
    in a list it is read below its *head*: what stands above the list, its key included."""

    file: str
    form: PieceForm
    head: str
    line: int
    text: str
    last: bool

    @property
    def left_out(self) -> int:
        """Lines between the head and the text."""
        return self.line - 1 - breaks(self.head)


LineText = Callable[[int], str | None]


class FileReading(NamedTuple):
    """A *file* that is read in one go, or what is left of it: its *items*, and its lines by their
    numbers, as far as they were read lately. *Continued*, its first document began before. As long
    as no item was taken, all of its *text* is there, too."""

    file: str
    items: Iterator[Item]
    line_text: LineText
    continued: bool = False
    text: Iterator[str] = iter(())


def pieces(source: Source, size: int = 0) -> Iterator[TextPiece | FileReading]:
    """All of *source*, in order, in pieces of about *size* characters if that is stated."""
    size = size or SIZE
    feed = fed(source)
    is_lines = is_ndjson(feed)
    text = _Cutter(source.name, feed.chunks())
    while not text.ended and len(text.held) <= size:
        if source.name == "-" and (is_lines or _head(text.held)):
            break  # whoever sends it may take his time
        text.pull()
    if text.ended and not text.failure and size == SIZE:
        yield TextPiece(source.name, PieceForm.file, "", 1, text.held, True)
    else:
        yield from _cut(text, is_lines, size)


def _cut(text: _Cutter, is_lines: bool, size: int) -> Iterator[TextPiece | FileReading]:
    """All of a *text*, whatever is in it."""
    head = _head(text.held)
    if is_lines:
        yield from text.cut(PieceForm.lines, "", "\n", None, size)
    elif head:
        text.take(len(head))
        dash = _DASH.match(text.held)
        assert dash is not None
        indent = dash[1]
        yield from text.cut(PieceForm.list, head, f"\n{indent}-", _foreign(len(indent)), size)
    else:
        yield text.rest(PieceForm.file)


def _head(text: str) -> str:
    """What stands above the items of a list in *text*; nothing where that is not written plainly,
    or not there yet."""
    key = _KEY.search(text)
    if key is None or key.end() > LONGEST_HEAD or not _DASH.match(text, key.end()):
        return ""
    head = text[: key.end()]
    opening = _OPENING.match(head)
    begun = opening.end() if opening else 0
    if _OTHER_DOCUMENT.search(head, begun) or _LONE_RETURN.search(head):
        return ""
    return head


def _foreign(indent: int) -> re.Pattern[str]:
    """What does not stand in a list whose dashes have that *indent*."""
    item = rf"[ ]{{{indent}}}-(?:[ \r]|$)"
    return re.compile(rf"^(?!{item}|[ ]{{{indent + 1}}}|[ ]*(?:#|\r?$))|\r(?!\n)", re.MULTILINE)


def reading(piece: TextPiece, more: Iterable[str] = ()) -> FileReading:
    """A *piece*, and what comes after it, read in one go; what cannot be read is the last item's
    error."""
    above, here = RecentLines(), RecentLines(piece.line)
    text = chain([piece.text], more)
    whole = filter(None, chain(above.passing([piece.head]), here.passing(text)))

    def line_text(number: int) -> str | None:
        return (here if number >= piece.line else above).text(number)

    feed = Feed(whole, piece.file, line_text)
    continued = piece.form == PieceForm.list and piece.left_out > 0
    return FileReading(piece.file, _read(piece, feed), line_text, continued, text)


def _read(piece: TextPiece, feed: Feed) -> Iterator[Item]:
    try:
        match piece.form:
            case PieceForm.file:
                yield from read_feed(feed, piece.file)
            case PieceForm.lines:
                yield from lines(feed, piece.file, piece.line)
            case PieceForm.list:
                yield from documents(feed, piece.file, left_out=piece.left_out)
    except BadFile as error:
        yield Item(None, errors=[error])


def singles(piece: TextPiece) -> list[TextPiece]:
    """The *piece* cut as small as can be."""
    whole = piece.head + piece.text
    text = _Cutter(piece.file, iter(()), whole, piece.line - breaks(piece.head))
    text.ended = True
    is_lines = is_ndjson(Feed(iter([whole]), piece.file))
    parts = [*_cut(text, is_lines, 1)]
    cut = [part for part in parts if isinstance(part, TextPiece)]
    if len(cut) < len(parts):
        return [piece]
    *others, last = cut
    return [*others, last._replace(last=piece.last)]


class _Cutter:
    """The text of a *file* on its way: what is *held* begins on *line*."""

    def __init__(self, file: str, chunks: Iterator[str], held: str = "", line: int = 1) -> None:
        self.file, self._chunks, self.held, self.line = file, chunks, held, line
        self._about = FIRST  # characters of the next piece; the first results come soon
        self.ended = False
        self.failure: BadFile | None = None

    def pull(self) -> None:
        """Take more, if there is more."""
        chunk = ""
        try:
            chunk = next(self._chunks, "")
        except BadFile as error:
            self.failure = error
        self.held += chunk
        self.ended = self.ended or not chunk

    def take(self, end: int) -> str:
        """What is held up to *end*, which is held no more."""
        taken, self.held = self.held[:end], self.held[end:]
        self.line += breaks(taken)
        return taken

    def cut(
        self, form: PieceForm, head: str, border: str, foreign: re.Pattern[str] | None, size: int
    ) -> Iterator[TextPiece | FileReading]:
        """All of it in pieces that begin behind the line break of a *border*, up to the one in
        which something *foreign* stands, or the end cannot be read."""
        while True:
            known = self.held if self.ended else self.held[: self.held.rfind("\n") + 1]
            wrong = foreign.search(known) if foreign else None
            whole = self.ended and wrong is None and self.failure is None
            end = len(known)
            if not whole:
                end = self.held.rfind(border, 0, wrong.start() if wrong else end) + 1
            yield from self._portions(end, form, head, border, size)
            if whole:
                return
            if wrong or self.ended or len(self.held) > LONGEST:
                yield self.rest(form, head)
                return
            self.pull()

    def _portions(
        self, end: int, form: PieceForm, head: str, border: str, size: int
    ) -> Iterator[TextPiece]:
        """What is held up to *end*, in pieces of about *size*."""
        while end > 0:
            about = min(size, self._about)
            self._about *= 2
            at = end
            if end > about + about // 4:
                at = self.held.rfind(border, 0, about) + 1 or self.held.find(border, about) + 1
                at = at if 0 < at < end else end
            end -= at
            line, text = self.line, self.take(at)
            yield TextPiece(self.file, form, head, line, text, self.ended and not self.held)

    def rest(self, form: PieceForm, head: str = "") -> FileReading:
        """All that is left."""
        piece = TextPiece(self.file, form, head, self.line, self.held, True)
        return reading(piece, self._more())

    def _more(self) -> Iterator[str]:
        yield from self._chunks
        if self.failure:
            raise self.failure
