"""The files, folders and standard input that problems are read from."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Iterator
from typing import Final

from ddcalc.boundary import limits
from ddcalc.boundary.decoding import Text, breaks
from ddcalc.errors import BadFile, DdcalcError, OverLimit, Place, Repeated

SUFFIXES: Final = (".yaml", ".yml", ".json", ".ndjson", ".jsonl")
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


class Source:
    """The text of one file, or of standard input where the name is ``-``.

    Raises BadFile (OverLimit) at once where it cannot be opened; it is read by ``chunks``, once.
    """

    __slots__ = ("_dropped", "_lines", "_partial", "_recent", "_size", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._recent: deque[str] = deque()
        self._size = 0
        self._dropped = 0
        self._partial = False
        self._lines: list[str] | None = None  # what is kept, split when a line is asked for
        if name == "-":
            if sys.stdin is None or sys.stdin.closed:
                raise BadFile("standard input is closed", Place(name))
        else:
            os.close(_open(name))

    def chunks(self) -> Iterator[str]:
        """The checked text in pieces; BadFile (OverLimit) after the last piece before an error."""
        for piece in Text(self.name).pieces(self._blocks()):
            self._keep(piece)
            yield piece

    def line_text(self, number: int) -> str | None:
        """Line *number* without its line break, uncleaned; None if it was not read lately."""
        if self._lines is None:
            self._lines = "".join(self._recent).splitlines()
        at = number - 1 - self._dropped
        return self._lines[at] if self._partial <= at < len(self._lines) else None

    def _keep(self, piece: str) -> None:
        self._lines = None
        self._recent.append(piece)
        self._size += len(piece)
        while self._size - len(self._recent[0]) >= _KEPT:
            old = self._recent.popleft()
            self._size -= len(old)
            self._dropped += breaks(old)
            self._partial = not old.endswith(("\n", "\r"))

    def _blocks(self) -> Iterator[bytes]:
        try:
            yield from _stdin_blocks() if self.name == "-" else _file_blocks(self.name)
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


def _source(name: str) -> Source | DdcalcError:
    try:
        return Source(name)
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


def _open(name: str) -> int:
    """A descriptor of the regular file *name*; never waits for a pipe or device."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise BadFile(f"cannot open the file: {error.strerror or error}", Place(name)) from error
    except ValueError as error:
        raise BadFile("cannot open the file: its name holds a NUL", Place(name)) from error
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_size <= limits.FILE:
        return descriptor
    os.close(descriptor)
    if stat.S_ISREG(status.st_mode):
        raise OverLimit("is larger than 1 GiB, the most that is read", Place(name))
    kind = KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
    raise BadFile(f"is {kind}; only regular files are read, and standard input as -", Place(name))


def _file_blocks(name: str) -> Iterator[bytes]:
    descriptor = _open(name)
    try:
        while block := os.read(descriptor, _BLOCK):
            yield block
    finally:
        os.close(descriptor)


def _stdin_blocks() -> Iterator[bytes]:
    buffer = sys.stdin.buffer
    # what has come already, where the stream can tell: a slow sender's problems are not held up
    read = getattr(buffer, "read1", buffer.read)
    while block := read(_BLOCK):
        yield block
