"""The files, folders and standard input that problems are read from, and their checked text.

From bytes to text that holds no character a problem file may not hold, its lines ended by a line
feed, and on to a parser: looked at from the front, bounded, an error kept for the end.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Iterable, Iterator
from io import IncrementalNewlineDecoder
from itertools import chain
from typing import Final

from ddcalc.boundary import limits
from ddcalc.errors import BadFile, DdcalcError, OverLimit, Place, Repeated

SUFFIXES: Final = (".yaml", ".yml", ".json", ".ndjson", ".jsonl")
_BLOCK: Final = 1 << 16  # bytes read at once
_KEPT: Final = 1 << 18  # characters kept for diagnostics, at least
# C0 but tab and LF; DEL and C1; line and paragraph separator; inner BOM, non-characters, surrogates
_REFUSED: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)
_NO_BYTE: Final = 0xDC00  # a byte that is not UTF-8 becomes the surrogate of its number above this
_HINTS: Final = {
    **dict.fromkeys("\x85\u2028\u2029", "; end lines with a line feed"),
    "\0": "; save a text of another encoding, such as UTF-16, as UTF-8",
    "\ufeff": " here: a byte order mark may only stand at the very start",
}
_LARGER: Final = "is larger than 1 GiB, the most that is kept of one file"
_QUIET: Final = "more than 1 MiB up to here in one text or comment, the most that is read"
KINDS: Final = {  # by the type in a file's mode
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Source:
    """The text of one file, or of standard input where the name is ``-``; it is read once.

    Raises BadFile at once where it cannot be opened. One that is *streamed*, of which nothing is
    kept, may be as large as it likes.

    ``quiet`` counts the characters of which a parser has made nothing yet; whoever has its events
    sets it to 0.
    """

    def __init__(self, name: str, *, streamed: bool = False) -> None:
        self.name = name
        self.quiet = 0
        self._streamed = streamed
        self._kept, self._first = "", 1  # what was read lately, and the number of its first line
        self._ready: deque[str | BadFile] = deque()  # looked at, but not handed out yet
        self._coming = self._pieces()
        if name == "-":
            if sys.stdin is None or sys.stdin.closed:
                raise BadFile("standard input is closed", Place(name))
        else:
            os.close(_open(name))

    def chunks(self) -> Iterator[str]:
        """The checked text in pieces; BadFile (OverLimit) after the last piece before an error."""
        while chunk := self.read():
            self.quiet = 0
            yield chunk

    def read(self, _size: int = 0) -> str:
        """The next piece, for a parser; "" at the end. Raises BadFile after the last piece before
        an error, and OverLimit after 1 MiB of which the parser could make nothing."""
        chunk = self._ready.popleft() if self._ready else next(self._coming, "")
        if isinstance(chunk, BadFile):
            raise chunk
        self.quiet += len(chunk)
        if self.quiet > limits.QUIET:
            raise OverLimit(_QUIET, Place(self.name, self._end().line))
        return chunk

    def first_line(self) -> str:
        """The first line of the text, which is still to be read; its beginning where it is long."""
        opening = "".join(one for one in self._ready if isinstance(one, str))
        while "\n" not in opening and len(opening) <= limits.LINE:
            if (chunk := next(self._coming, None)) is None:
                break
            self._ready.append(chunk)
            opening += chunk if isinstance(chunk, str) else ""
        return opening.partition("\n")[0]

    def line_text(self, number: int) -> str | None:
        """Line *number* without its line break, uncleaned; None if it was not read lately."""
        return next(iter(self.lines(number, number + 1)), None)

    def lines(self, first: int, behind: int) -> list[str]:
        """The lines from the *first* one, if it was read lately, to before another."""
        if first < self._first:
            return []
        known = self._kept.split("\n")
        known = known if known[-1] else known[:-1]
        return known[first - self._first : behind - self._first]

    def _pieces(self) -> Iterator[str | BadFile]:
        """The checked text of all blocks, and what is wrong where it ends early."""
        utf8 = getincrementaldecoder("utf-8-sig")("surrogateescape")
        decoder = IncrementalNewlineDecoder(utf8, translate=True)
        size = 0
        try:
            for block in chain(self._blocks(), [b""]):
                size += len(block)
                if size > limits.FILE and not self._streamed:
                    raise OverLimit(_LARGER, self._end())
                text = decoder.decode(block, final=not block)
                wrong = _REFUSED.search(text)
                text = text[: wrong.start()] if wrong else text
                self._kept += text
                if len(self._kept) > 2 * _KEPT:
                    cut = self._kept.rfind("\n", 0, -_KEPT) + 1
                    self._first += self._kept.count("\n", 0, cut)
                    self._kept = self._kept[cut or _KEPT :]
                if text:
                    yield text
                if wrong:
                    character = wrong.group()
                    byte, hint = ord(character) - _NO_BYTE, _HINTS.get(character, "")
                    reason = f"character U+{ord(character):04X} is not allowed{hint}"
                    if 0x80 <= byte <= 0xFF:
                        reason = f"byte 0x{byte:02x} is not UTF-8; save the file as UTF-8"
                    raise BadFile(reason, self._end())
        except BadFile as error:
            yield error

    def _end(self) -> Place:
        """Where what has been read ends."""
        line = self._first + self._kept.count("\n")
        return Place(self.name, line, len(self._kept) - self._kept.rfind("\n"))

    def _blocks(self) -> Iterator[bytes]:
        try:
            if self.name == "-":
                buffer = sys.stdin.buffer
                # what has come already, where the stream can tell: a slow sender's are not held up
                read = getattr(buffer, "read1", buffer.read)
                yield from iter(lambda: read(_BLOCK), b"")
                return
            descriptor = _open(self.name)
            try:
                yield from iter(lambda: os.read(descriptor, _BLOCK), b"")
            finally:
                os.close(descriptor)
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            raise BadFile(reason, Place(self.name)) from error


def _open(name: str) -> int:
    """A descriptor of the regular file *name*; never waits for a pipe or device."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise BadFile(f"cannot open the file: {error.strerror or error}", Place(name)) from error
    except ValueError as error:
        raise BadFile("cannot open the file: its name holds a NUL", Place(name)) from error
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    kind = KINDS.get(stat.S_IFMT(mode), "no regular file")
    raise BadFile(f"is {kind}; only regular files are read, and standard input as -", Place(name))


def numbered(chunks: Iterable[str]) -> Iterator[tuple[int, str | None]]:
    """The lines in *chunks* with their numbers from 1 on, None for one that is too long; the last
    one may be empty."""
    number, size = 1, 0
    parts: list[str] = []  # of the line that has begun
    for chunk in chain(chunks, ["\n"]):
        *whole, rest = chunk.split("\n")
        for line in whole:
            size += len(line)
            yield number, None if size > limits.LINE else "".join([*parts, line])
            number, size = number + 1, 0
            parts.clear()
        size += len(rest)
        if size <= limits.LINE:
            parts.append(rest)


def inputs(names: Iterable[str]) -> Iterator[Source | DdcalcError]:
    """The sources that *names* mean, in order: files, ``-``, and the problem files below folders,
    which links do not lead out of, without hidden ones.

    What cannot be opened is yielded as its error, and the others follow.
    """
    stdin_given = False
    for name in names:
        if name == "-" and stdin_given:
            yield Repeated("-").about("", Place(name))
            continue
        stdin_given, found = stdin_given or name == "-", [name]
        if name != "-" and os.path.isdir(name):
            inside, found, wrong = os.path.join(os.path.realpath(name), ""), [], list[OSError]()
            for folder, folders, files in os.walk(name, onerror=wrong.append):
                folders[:] = [one for one in folders if not one.startswith(".")]
                there = (one for one in files if one.endswith(SUFFIXES) and one[0] != ".")
                found += [os.path.join(folder, one) for one in there]
            found = sorted(one for one in found if os.path.realpath(one).startswith(inside))
            for error in wrong:
                reason = f"cannot be listed: {error.strerror or error}"
                yield BadFile(reason, Place(str(error.filename)))
            if not found and not wrong:
                yield BadFile(f"contains no problem files ({', '.join(SUFFIXES)})", Place(name))
        for one in found:
            try:
                source: Source | DdcalcError = Source(one, streamed=True)
            except BadFile as refused:
                source = refused
            yield source
