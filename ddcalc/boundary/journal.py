"""Files of lines that grow as they come, and can be gone on with however their run ended.

Beside the file stands its record, ``FILE.run``, which says what the lines were made of: the version
of ddcalc, the options, and the size and digest of each file that is read. It is written before the
first line and stays, so that the same call can tell a whole file from one of another run. Where it
is gone, nobody can: the file is one that exists, and stays as it is.

Lines are held for a moment, written together, and brought to the disk every few seconds: kill -9
costs the work of that moment, which is done again, and a power cut that of a few seconds.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from time import monotonic
from typing import Final

from ddcalc.boundary import files
from ddcalc.boundary.signals import delay_signals
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile, BadTarget, DdcalcError, OutputFailed, Place

RECORD: Final = ".run"  # behind the name of the file
HELD: Final = 1 << 16  # bytes of lines that are written together
PAUSE: Final = 0.2  # seconds between two writes
SYNC: Final = 5.0  # seconds between two times that lines are brought to the disk
_BLOCK: Final = 1 << 20  # bytes read at once


@dataclass(frozen=True, slots=True)
class Origin:
    """What the lines of a file are made of: the same makes the same lines.

    *options* are those that change the lines, *inputs* the names of the files that are read, each
    with its size and digest.
    """

    version: str
    options: Mapping[str, str]
    inputs: Sequence[Sequence[str]]

    @property
    def names(self) -> list[str]:
        """The files that are read."""
        return [name for name, _ in self.inputs]

    def difference(self, other: Origin) -> str:
        """How *other*, which is asked for now, differs from this, which a file began with; "" if
        in nothing."""
        if self.version != other.version:
            return f"was begun by ddcalc {self.version}, and this is {other.version}"
        if self.names != other.names:
            return f"was begun with {', '.join(map(files.shown, self.names)) or 'no file'}"
        for (name, content), (_, now) in zip(self.inputs, other.inputs, strict=True):
            if content != now:
                return f"was begun before {files.shown(name)} changed"
        for name in sorted({*self.options, *other.options}):
            if self.options.get(name) != other.options.get(name):
                begun = self.options.get(name)
                return f"was begun {f'with {name} {begun}' if begun else f'without {name}'}"
        return ""


def contents(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each file in *names* with its size and SHA-256, or with the reason why it cannot be read."""
    return [(name, _content(name)) for name in names]


def _content(name: str) -> str:
    if name == "-":
        raise BadTarget("--resume reads its problems once more; give files instead of -")
    try:
        Source(name)  # which waits for no pipe
        with open(name, "rb") as file:
            digest = file_digest(file, sha256)
            return f"{file.tell()} bytes, SHA-256 {digest.hexdigest()}"
    except BadFile as error:
        return str(error)
    except OSError as error:
        return error.strerror or str(error)


@contextmanager
def resumed(name: str, origin: Origin) -> Iterator[Journal]:
    """The file *name*, to be gone on with: new, or with the whole lines that it has already.

    At the end it is complete; after any error, Ctrl-C or SIGTERM it has all lines that were
    written, and the same call goes on; where the call is refused before there is any, nothing
    stays. Raises BadTarget where it is of another *origin*, or being
    written by another process; OutputFailed where the system cannot write.
    """
    with files.open_folder(name) as folder:
        for written in (name, name + RECORD):
            files.check(written, force=True, inputs=origin.names)
        new = [one for one in (name, name + RECORD) if not os.path.lexists(one)]
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(os.path.basename(name), flags, 0o666, dir_fd=folder)
        try:
            _lock(name, descriptor)
            try:
                yield from _journal(name, descriptor, origin)
            except OutputFailed:
                raise
            except DdcalcError:
                if not os.fstat(descriptor).st_size:
                    _remove(new, folder)
                raise
        finally:
            os.close(descriptor)


def _journal(name: str, descriptor: int, origin: Origin) -> Iterator[Journal]:
    """The journal of the file *name*, which gets all that is written of it however that ends."""
    journal = Journal(name, descriptor, origin)
    try:
        yield journal
    except OutputFailed:
        raise
    except BaseException:
        journal.flush()
        raise
    journal.finish()


def _remove(names: Sequence[str], folder: int) -> None:
    """Take away the files of these *names* in the *folder*."""
    for name in names:
        with suppress(FileNotFoundError):
            os.unlink(os.path.basename(name), dir_fd=folder)


class Journal:
    """A file of whole lines, *count* of them, of which *kept* are from earlier; where it is
    *finished* no more are to come."""

    def __init__(self, name: str, descriptor: int, origin: Origin) -> None:
        self.name, self.origin = name, origin
        self._file = descriptor
        self.finished = self._begun()
        self.kept, self._size = _whole_lines(descriptor)
        self.count = self.kept
        if self._size < os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, self._size)
        self._held: list[bytes] = []
        self._waiting = 0  # bytes that are held
        self._written = self._synced = monotonic()
        if not self._size:
            self._record(finished=False)

    def _begun(self) -> bool:
        """Whether the file is complete; BadTarget where it is not of this origin."""
        size = os.fstat(self._file).st_size
        if not size and not os.path.lexists(self.name + RECORD):
            return False
        begun, complete = _recorded(self.name)
        if not size:
            return False
        if reason := begun.difference(self.origin):
            raise _refused(self.name, reason)
        if complete is not None and complete != size:
            raise _refused(self.name, "has changed since it was complete")
        return complete is not None

    def lines(self) -> Iterator[bytes]:
        """The lines from earlier, with their ends."""
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            for _ in range(self.kept):
                yield file.readline()

    def write(self, lines: bytes) -> None:
        """Add whole *lines*."""
        self._held.append(lines)
        self._waiting += len(lines)
        if self._waiting >= HELD or monotonic() - self._written >= PAUSE:
            self.flush()

    def flush(self) -> None:
        """Write what is held; Ctrl-C and SIGTERM wait until all of it is written."""
        with delay_signals():
            data = b"".join(self._held)
            self._held.clear()
            self._waiting = 0
            try:
                self._append(data)
            except OSError as error:
                raise files.failure(self.name, error) from error
            self._written = monotonic()
            if self._written - self._synced >= SYNC:
                os.fsync(self._file)
                self._synced = self._written

    def finish(self) -> None:
        """Bring all lines to the disk, and record that the file is complete."""
        if self.finished:
            return
        self.flush()
        with delay_signals():
            os.fsync(self._file)
            if not self._stays:
                raise OutputFailed(files.shown(self.name), "it was taken away meanwhile")
            self._record(finished=True)
            self.finished = True

    def _append(self, data: bytes) -> None:
        """Write *data*, or as many of its lines as there is room for."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            data = data[: data.rfind(b"\n", 0, len(data) - len(rest)) + 1]
            with suppress(OSError):
                os.ftruncate(self._file, self._size + len(data))
            raise
        finally:
            self._size += len(data)
            self.count += data.count(b"\n")

    @property
    def _stays(self) -> bool:
        """Whether the file still has its name."""
        try:
            return os.path.samestat(os.stat(self.name), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _record(self, *, finished: bool) -> None:
        made = {**asdict(self.origin), "complete": self._size if finished else None}
        text = json.dumps(made, indent=1, allow_nan=False) + "\n"
        files.write(self.name + RECORD, text, force=True)


def _lock(name: str, descriptor: int) -> None:
    """Keep other processes from the file for as long as it is open here."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadTarget("is being written by another call", Place(files.shown(name))) from None
    except OSError:  # a file system without locks
        return


def _recorded(name: str) -> tuple[Origin, int | None]:
    """What the record beside the file *name* says: its origin, and its size where it is
    complete."""
    record = files.shown(name + RECORD)
    if not os.path.lexists(name + RECORD):
        raise _refused(name, f"exists, and {record} does not, which says what it is made of")
    try:
        said = json.loads("".join(Source(name + RECORD).chunks()))
        complete = said.pop("complete")
        origin = Origin(**said)
        if isinstance(origin.options, dict) and all(map(str, origin.names)):
            return origin, complete
    except (BadFile, ValueError, TypeError, KeyError, AttributeError):
        pass
    raise _refused(name, f"cannot be gone on with: {record} is no record of a run", "both files")


def _refused(name: str, reason: str, removed: str = "it") -> BadTarget:
    advice = f"choose another name, or remove {removed} to begin anew"
    return BadTarget(f"{reason}; {advice}", Place(files.shown(name)))


def _whole_lines(descriptor: int) -> tuple[int, int]:
    """How many whole lines a file has, and where the last of them ends."""
    count = end = start = 0
    while block := os.pread(descriptor, _BLOCK, start):
        if breaks := block.count(b"\n"):
            count += breaks
            end = start + block.rfind(b"\n") + 1
        start += len(block)
    return count, end
