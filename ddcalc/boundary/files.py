"""The way into files: whole or not at all, and never over what must stay.

What is written goes into a temporary file beside the target, is brought to the disk, and takes the
target's name in one move. A temporary file whose process was killed is removed by the next write
into its folder.

Two files that belong together are complete on the disk before the first takes its name, and never
stand beside one another unless they do belong together: what the second replaces is put aside
first. A process that is killed in between leaves a note, by which the next write into that folder
gives the second file its name, or the old one where the first has not been replaced.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final
from zlib import crc32

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import Terminated, delay_signals
from ddcalc.boundary.source import KINDS
from ddcalc.errors import BadTarget, DdcalcError, OutputFailed, Place

if TYPE_CHECKING:
    from tempfile import SpooledTemporaryFile

_SHOWN: Final = 200  # characters of a file's name in a message
_NAME: Final = ".ddcalc-{node}-{process}-{token}.tmp"
# a folder may be shared: of the processes of other machines nobody here can say whether they live
_NODE: Final = f"{crc32(os.fsencode(os.uname().nodename)):08x}"
_TEMPORARY: Final = re.compile(rf"\.ddcalc-{_NODE}-([0-9]{{1,9}})-[0-9a-f]{{16}}\.(?:tmp|old)")
_NOTE: Final = re.compile(rf"\.ddcalc-{_NODE}-([0-9]{{1,9}})-[0-9a-f]{{16}}\.next")
_LONGEST: Final = 10_000  # bytes of a note
_HELD: Final = 1 << 20  # bytes of texts that wait in memory
_REASONS: Final = {
    errno.ENOENT: "its folder does not exist; make it first",
    errno.ENOTDIR: "what should be its folder is a file",
    errno.EACCES: "no permission; choose a folder that you may write in",
    errno.EROFS: "this disk can only be read; choose another folder",
    errno.ENOSPC: "the disk is full; make room or choose another folder",
    errno.EDQUOT: "your share of the disk is full; make room or choose another folder",
    errno.ENAMETOOLONG: "its name is too long; choose a shorter one",
}


def check(name: str, *, force: bool = False, inputs: Iterable[str] = ()) -> None:
    """Refuse at once what :func:`write` would refuse after the work.

    Raises BadTarget where *name* is no file's name, a link, a folder, a pipe or a device, one of
    the *inputs*, or (without *force*) a file that exists; OutputFailed where its folder cannot be
    opened.
    """
    with open_folder(name) as folder:
        _check(folder, name, force, inputs)


def write(name: str, text: str, *, force: bool = False, inputs: Iterable[str] = ()) -> None:
    """Write *text* as UTF-8 into the file *name*; with *force* it replaces the one there is.

    Raises BadTarget as :func:`check` does, and OutputFailed where the system cannot write. After
    any error, Ctrl-C or SIGTERM the target is what it was before.
    """
    with whole(name, force, inputs) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


@contextmanager
def opened(name: str, *, force: bool = False, inputs: Iterable[str] = ()) -> Iterator[Growing]:
    """A file that is written piece by piece, as large as it may be; it has its *name* at the end.

    Raises what :func:`write` raises, with the same effect; but after Ctrl-C or SIGTERM the pieces
    that were written stay under the name, whole.
    """
    interruption: BaseException | None = None
    with whole(name, force, inputs) as file:
        growing = Growing(file)
        try:
            yield growing
        except (KeyboardInterrupt, Terminated) as error:
            if not growing.size:
                raise
            interruption = error
    if interruption is not None:
        raise interruption


class Growing:
    """A file that grows by whole pieces; *size* is what it has in bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0

    def write(self, data: bytes) -> None:
        """Add *data*; Ctrl-C and SIGTERM wait until all of it is written."""
        with delay_signals():
            self._file.write(data)
            self.size += len(data)


class FileExchange:
    """Files, one or several, that take their names together at the end, the one written last as the
    last; or none of them, where anything inside fails or is interrupted."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._complete: list[_Complete] = []

    @contextmanager
    def opened(self, name: str, *, force: bool, inputs: Iterable[str]) -> Iterator[BinaryIO]:
        """A file to be called *name* at the end; raises what :func:`write` raises."""
        folder = self._open.enter_context(open_folder(name))
        with _refused(name):
            _check(folder, name, force, inputs)
            _sweep(folder)
            complete = _Complete(folder, name, _new_name(), force)
            self._complete.append(complete)
            with _made(folder, complete.temporary) as file:
                yield file

    def __enter__(self) -> FileExchange:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._open, delay_signals():
            placed: list[_Complete] = []
            try:
                if kind is None and self._complete:
                    self._place(placed)
            except DdcalcError:
                for one in placed:
                    if not one.force:  # then nothing was there before
                        os.unlink(os.path.basename(one.name), dir_fd=one.folder)
                raise
            finally:
                for one in self._complete:
                    with suppress(OSError):
                        os.unlink(one.temporary, dir_fd=one.folder)

    def _place(self, placed: list[_Complete]) -> None:
        """Give all files their names, with a note of the last one in between."""
        *before, last = self._complete
        with last.put_aside(before[-1], placed) if before else nullcontext():
            for one in self._complete:
                with _refused(one.name):
                    _place(one.folder, one.temporary, one.name, one.force)
                placed.append(one)
        for one in placed:
            with suppress(OSError):
                os.fsync(one.folder)


@dataclass(frozen=True, slots=True)
class _Complete:
    """A *temporary* file in a *folder* that is to be called *name*."""

    folder: int
    name: str
    temporary: str
    force: bool

    @contextmanager
    def put_aside(self, before: _Complete, placed: Sequence[_Complete]) -> Iterator[None]:
        """What this file is to replace has no name inside, and after it only where none was
        *placed*; with a note, on the disk, of what comes after that *before* has its name."""
        base, aside = os.path.basename(self.name), _beside(self.temporary, ".old")
        note = self._noted(before)
        try:
            if self.force:
                with _refused(self.name), suppress(FileNotFoundError):
                    os.rename(base, aside, src_dir_fd=self.folder, dst_dir_fd=self.folder)
            yield
        finally:
            with suppress(FileNotFoundError):
                if placed:
                    os.unlink(aside, dir_fd=self.folder)
                else:
                    os.rename(aside, base, src_dir_fd=self.folder, dst_dir_fd=self.folder)
            os.unlink(note, dir_fd=self.folder)

    def _noted(self, before: _Complete) -> str:
        """The name of a note that this file is to take its name once that *before* it has its."""
        status = os.stat(before.temporary, dir_fd=before.folder)
        entry = {
            "name": os.path.basename(self.name),
            "after": [os.path.realpath(before.name), status.st_dev, status.st_ino],
        }
        note = _beside(self.temporary, ".next")
        with _refused(self.name), _made(self.folder, note) as file:
            file.write(json.dumps(entry, allow_nan=False).encode())
        return note


def _carry_out(folder: int, note: str) -> None:
    """Do what the *note* of a killed process says was next: its second file takes its name, if the
    first one has taken its own, or else what was put aside for it. Only by our own notes are files
    moved, within the *folder* and over nothing."""
    with open(os.open(note, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
        entry = json.loads(file.read(_LONGEST))
        ours = os.fstat(file.fileno()).st_uid == os.geteuid()
    name, (before, *identity) = entry["name"], entry["after"]
    if ours and os.path.basename(name) == name:
        made = _beside(note, ".tmp" if _identity(before) == identity else ".old")
        _place(folder, made, name, force=False)


def _identity(name: str) -> list[int]:
    """Which file is called *name*; empty where none is."""
    with suppress(OSError):
        status = os.stat(name, follow_symlinks=False)
        return [status.st_dev, status.st_ino]
    return []


def _beside(name: str, suffix: str) -> str:
    """The *name* of a temporary file, or of the note of it, with the *suffix* of the other one."""
    return os.path.splitext(name)[0] + suffix


def _new_name() -> str:
    """A name of a temporary file of this process."""
    return _NAME.format(node=_NODE, process=os.getpid(), token=os.urandom(8).hex())


@contextmanager
def whole(name: str, force: bool, inputs: Iterable[str]) -> Iterator[BinaryIO]:
    """A file that takes its *name* at the end, unless there is an error inside: then nothing stays.

    Raises what :func:`write` raises.
    """
    with FileExchange() as alone, alone.opened(name, force=force, inputs=inputs) as file:
        yield file


@contextmanager
def waiting_texts() -> Iterator[WaitingTexts]:
    """Texts that wait until they are written; where there are many, in a temporary file."""
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(max_size=_HELD) as file:
        yield WaitingTexts(file)


class WaitingTexts:
    """Texts that wait in a temporary *file*; OutputFailed where they have no room there."""

    def __init__(self, file: SpooledTemporaryFile[bytes]) -> None:
        self._file = file
        self._sizes: list[int] = []

    def add(self, texts: Iterable[str]) -> None:
        """Let more *texts* wait."""
        with _refused("temporary file"):
            for text in texts:
                self._sizes.append(self._file.write(text.encode("utf-8", "surrogatepass")))

    def __iter__(self) -> Iterator[str]:
        with _refused("temporary file"):
            self._file.seek(0)
        for size in self._sizes:
            yield self._file.read(size).decode("utf-8", "surrogatepass")


def shown(name: str) -> str:
    """The *name* of a file as a message says it."""
    return clean(name, _SHOWN)


@contextmanager
def open_folder(name: str) -> Iterator[int]:
    """A descriptor of the folder of *name*; what the system refuses inside is OutputFailed.

    All goes through the descriptor, so that nothing is written elsewhere if the folder is moved.
    """
    if not _is_name(name):
        raise BadTarget("is not a name for a file", Place(shown(name)))
    with _refused(name):
        folder = os.open(os.path.dirname(name) or os.curdir, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield folder
        finally:
            os.close(folder)


@contextmanager
def _refused(name: str) -> Iterator[None]:
    """What the system refuses inside is OutputFailed, about the file *name*."""
    try:
        yield
    except OSError as error:
        raise failure(name, error) from error


def failure(name: str, error: OSError) -> OutputFailed:
    """That the file *name* cannot be written, for the reason of the system's *error*."""
    reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
    return OutputFailed(shown(name), reason)


def _is_name(name: str) -> bool:
    try:
        return b"\0" not in os.fsencode(name) and bool(os.path.basename(name))
    except UnicodeEncodeError:
        return False


def _check(folder: int, name: str, force: bool, inputs: Iterable[str]) -> None:
    try:
        status = os.stat(os.path.basename(name), dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise BadTarget(f"is {kind}; choose another name", Place(shown(name)))
    if any(_is_same(status, other) for other in inputs):
        raise BadTarget("is read in the same call, and would be lost", Place(shown(name)))
    if not force:
        raise _existing(name)


def _is_same(status: os.stat_result, other: str) -> bool:
    try:
        return os.path.samestat(status, os.stat(other))
    except (OSError, ValueError):
        return False


def _existing(name: str) -> BadTarget:
    return BadTarget("already exists; use --force to replace it", Place(shown(name)))


def _sweep(folder: int) -> None:
    """Remove the temporary files of processes that live no more, after what their notes say."""
    with suppress(OSError):
        names = os.listdir(folder)
        for kind in (_NOTE, _TEMPORARY):
            for name in names:
                ours = kind.fullmatch(name)
                if ours and not _lives(int(ours[1])):
                    with suppress(OSError, ValueError, KeyError, TypeError, BadTarget):
                        if kind is _NOTE:
                            _carry_out(folder, name)
                    with suppress(OSError):
                        os.unlink(name, dir_fd=folder)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


@contextmanager
def _made(folder: int, name: str) -> Iterator[BinaryIO]:
    """A new file, brought to the disk at the end; umask says who may read it."""
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
    with open(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(descriptor)


def _place(folder: int, temporary: str, name: str, force: bool) -> None:
    """Give the *temporary* file its *name*; another file of that name is lost only by *force*."""
    base = os.path.basename(name)
    if force:
        os.replace(temporary, base, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        os.link(temporary, base, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise _existing(name) from None
    except OSError:  # a file system without links
        _claim(folder, temporary, name)


def _claim(folder: int, temporary: str, name: str) -> None:
    """Take *name* by an empty file, which nobody else can then, and replace that one."""
    base = os.path.basename(name)
    try:
        os.close(os.open(base, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder))
    except FileExistsError:
        raise _existing(name) from None
    try:
        os.replace(temporary, base, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(base, dir_fd=folder)
        raise
