"""The files, folders and standard input that problems are read from, and their checked text.

From bytes to text that holds no character a problem file may not hold, and on to a parser: looked
at from the front, bounded, errors kept for the end.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from ddcalc.boundary import limits
from ddcalc.errors import BadFile, DdcalcError, OverLimit, Place, Repeated

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
    count = text.count("\n")
    if "\r" in text:
        count += text.count("\r") - text.count("\r\n")
    return count


class _Text:
    """Checked text of byte blocks, in pieces; knows the place it has come to.

    No piece ends between CR and LF, so that the breaks of the pieces add up.
    """

    def __init__(self, file: str, most: int | None = None) -> None:
        self._file, self._most = file, most
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
            if self._most is not None and self._size > self._most:
                raise OverLimit(_LARGER, self._place())
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
        if refused := _first_refused(text, block):
            character = refused.group()
            wrong = f"character U+{ord(character):04X} is not allowed{_HINTS.get(character, '')}"
            text = text[: refused.start()]
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


def _opening_together(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The *blocks*, the first of at least four bytes, so that an encoding can be recognised."""
    opening: bytes | None = b""
    for block in blocks:
        if opening is None:
            yield block
        elif len(opening := opening + block) >= 4:
            yield opening
            opening = None
    if opening:
        yield opening


SUFFIXES: Final = (".yaml", ".yml", ".json", ".ndjson", ".jsonl")
_LARGER: Final = "is larger than 1 GiB, the most that is kept of one file"
_BLOCK: Final = 1 << 16  # bytes read at once
_KEPT: Final = 1 << 17  # characters kept for diagnostics
KINDS: Final = {  # by the type in a file's mode
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class RecentLines:
    """The lines that were read lately, for diagnostics; the *first* one has that number."""

    def __init__(self, first: int = 1) -> None:
        self._chunks: deque[str] = deque()
        self._size = 0
        self._dropped = first - 1
        self._partial = False
        self._lines: list[str] | None = None  # what is kept, split when a line is asked for

    def passing(self, chunks: Iterable[str]) -> Iterator[str]:
        """The *chunks*, kept as they are handed on."""
        for chunk in chunks:
            self._keep(chunk)
            yield chunk

    def text(self, number: int) -> str | None:
        """Line *number* without its line break; None if it was not read lately."""
        if self._lines is None:
            self._lines = "".join(self._chunks).splitlines()
        at = number - 1 - self._dropped
        return self._lines[at] if self._partial <= at < len(self._lines) else None

    def _keep(self, chunk: str) -> None:
        self._lines = None
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= _KEPT:
            old = self._chunks.popleft()
            self._size -= len(old)
            self._dropped += breaks(old)
            self._partial = not old.endswith(("\n", "\r"))


class Source:
    """The text of one file, or of standard input where the name is ``-``.

    Raises BadFile (OverLimit) at once where it cannot be opened; it is read by ``chunks``, once.
    One that is *streamed*, of which nothing is kept, may be as large as it likes.

    ``size`` is what the file has in bytes, None where nobody knows; ``done`` of them were read.
    """

    def __init__(self, name: str, *, streamed: bool = False) -> None:
        self.name = name
        self.most = None if streamed else limits.FILE
        self.size: int | None = None
        self.done = 0
        self._recent = RecentLines()
        if name == "-":
            if sys.stdin is None or sys.stdin.closed:
                raise BadFile("standard input is closed", Place(name))
        else:
            descriptor = _open(name, self.most)
            self.size = os.fstat(descriptor).st_size
            os.close(descriptor)

    def chunks(self) -> Iterator[str]:
        """The checked text in pieces; BadFile (OverLimit) after the last piece before an error."""
        return self._recent.passing(_Text(self.name, self.most).pieces(self._counted()))

    def line_text(self, number: int) -> str | None:
        """Line *number* without its line break, uncleaned; None if it was not read lately."""
        return self._recent.text(number)

    def _counted(self) -> Iterator[bytes]:
        for block in self._blocks():
            self.done += len(block)
            yield block

    def _blocks(self) -> Iterator[bytes]:
        try:
            if self.name != "-":
                # a file object would warn where reading is given up
                descriptor = _open(self.name, self.most)
                try:
                    yield from iter(lambda: os.read(descriptor, _BLOCK), b"")
                finally:
                    os.close(descriptor)
                return
            buffer = sys.stdin.buffer
            # what has come already, where the stream can tell: a slow sender's are not held up
            read = getattr(buffer, "read1", buffer.read)
            yield from iter(lambda: read(_BLOCK), b"")
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            raise BadFile(reason, Place(self.name)) from error


def inputs(names: list[str]) -> Iterator[Source | DdcalcError]:
    """The sources that *names* mean, in order: files, ``-``, and the problem files of folders.

    What cannot be opened is yielded as its error, and the others follow.
    """
    stdin_given = False
    for name in names:
        if name == "-" and stdin_given:
            error = Repeated("-")
            error.place = Place(name)
            yield error
            continue
        stdin_given = stdin_given or name == "-"
        if name != "-" and os.path.isdir(name):
            yield from _folder(name)
        else:
            yield _source(name)


class FileShare:
    """How much has been read of some *sources*, when they are read once more as they are
    *watched*."""

    def __init__(self, sources: Iterable[Source | DdcalcError]) -> None:
        sizes = [source.size for source in sources if isinstance(source, Source)]
        known = [size for size in sizes if size is not None]
        self._size = sum(known) if len(known) == len(sizes) else 0
        self._before = 0  # bytes of the sources before
        self._source: Source | None = None

    def watched(self, sources: Iterable[Source | DdcalcError]) -> Iterator[Source | DdcalcError]:
        """The *sources*, each read before the next one is taken."""
        for source in sources:
            self._source = source if isinstance(source, Source) else None
            yield source
            self._before, self._source = self._read, None

    def __call__(self) -> float | None:
        """A share from 0 to 1; None where nobody knows how much is to come."""
        return min(1.0, self._read / self._size) if self._size else None

    @property
    def _read(self) -> int:
        return self._before + (self._source.done if self._source else 0)


def _source(name: str) -> Source | DdcalcError:
    try:
        return Source(name, streamed=True)
    except BadFile as error:
        return error


def _folder(root: str) -> Iterator[Source | DdcalcError]:
    inside = os.path.realpath(root)
    waiting, empty = [root], True
    while waiting:
        name = waiting.pop()
        try:
            if name == root or (os.path.isdir(name) and not os.path.islink(name)):
                waiting += _visible(name)
                continue
        except OSError as error:
            yield BadFile(f"cannot be listed: {error.strerror or error}", Place(name))
            empty = False
            continue
        if name.endswith(SUFFIXES) and _stays(name, inside) and not os.path.isdir(name):
            empty = False
            yield _source(name)
    if empty:
        suffixes = ", ".join(SUFFIXES)
        yield BadFile(f"contains no problem files ({suffixes})", Place(root))


def _visible(folder: str) -> list[str]:
    """The paths in *folder* that are not hidden, the first in order last."""
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    return [os.path.join(folder, name) for name in sorted(names, reverse=True)]


def _stays(name: str, inside: str) -> bool:
    if not os.path.islink(name):
        return True
    return os.path.realpath(name).startswith(os.path.join(inside, ""))


def _open(name: str, most: int | None) -> int:
    """A descriptor of the regular file *name*; never waits for a pipe or device."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise BadFile(f"cannot open the file: {error.strerror or error}", Place(name)) from error
    except ValueError as error:
        raise BadFile("cannot open the file: its name holds a NUL", Place(name)) from error
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and (most is None or status.st_size <= most):
        return descriptor
    os.close(descriptor)
    if stat.S_ISREG(status.st_mode):
        raise OverLimit(_LARGER, Place(name))
    kind = KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
    raise BadFile(f"is {kind}; only regular files are read, and standard input as -", Place(name))


_QUIET: Final = "more than 1 MiB up to here in one text or comment, the most that is read"


class Feed:
    """The stream that the YAML parser reads from.

    ``failure`` is what ended the source early. The text before it is handed out first; then
    ``read`` raises it, since an end of input would make the last scalar look complete.
    """

    def __init__(
        self,
        chunks: Iterator[str],
        file: str,
        line_text: Callable[[int], str | None] = lambda _: None,
    ) -> None:
        self._chunks = chunks
        self._file = file
        self.line_text = line_text  # a line that was read lately, by its number
        self._ready: deque[str] = deque()
        self.line = 1  # that has been read up to
        self._quiet, self._since = 0, -1  # characters read since that count of events
        self.count = 0  # events so far, kept by the builder
        self.failure: BadFile | None = None

    def first_line(self) -> str:
        """The first line that is not blank, "" where it is longer than a line may be."""
        parts: list[str] = []
        size = 0
        while size <= limits.LINE and (chunk := self._pull()):
            self._ready.append(chunk)
            size += len(chunk)
            fresh = chunk if parts else chunk.lstrip(" \t\r\n")
            parts += [fresh] if fresh else []
            if "\n" in fresh or "\r" in fresh:
                return "".join(parts).splitlines()[0]
        return "" if size > limits.LINE or self.failure else "".join(parts)

    def chunks(self) -> Iterator[str]:
        """All the text, from the very start; raises ``failure`` at its end."""
        while chunk := self._ready.popleft() if self._ready else self._pull():
            yield chunk
        if self.failure:
            raise self.failure

    def read(self, _size: int = 0, /) -> str:
        """The next piece for the parser; raises ``failure``, or OverLimit after 1 MiB in vain."""
        chunk = self._ready.popleft() if self._ready else self._pull()
        if not chunk and self.failure:
            raise self.failure
        if self.count != self._since:
            self._quiet, self._since = 0, self.count
        self._quiet += len(chunk)
        if self._quiet > limits.QUIET:
            raise OverLimit(_QUIET, Place(self._file, self.line))
        self.line += breaks(chunk)
        return chunk

    def _pull(self) -> str:
        try:
            return "" if self.failure else next(self._chunks, "")
        except BadFile as error:
            self.failure = error
            return ""


def fed(source: Source) -> Feed:
    """The text of *source* on its way to a parser."""
    return Feed(source.chunks(), source.name, source.line_text)


def numbered(chunks: Iterable[str], first: int = 1) -> Iterator[tuple[int, str | None]]:
    """The lines in *chunks* with their numbers from *first* on, None for one that is too long."""
    number, size = first - 1, 0
    parts: list[str] = []
    for chunk in chunks:
        *whole, rest = (chunk + "\0").splitlines()
        for line in whole:
            number += 1
            size += len(line)
            yield number, None if size > limits.LINE else "".join([*parts, line])
            parts, size = [], 0
        rest = rest[:-1]
        size += len(rest)
        if size > limits.LINE:
            parts = []
        else:
            parts.append(rest)
    if size:
        yield number + 1, None if size > limits.LINE else "".join(parts)
