"""A file of lines that grows as they come, one for each problem, and can be gone on with however
its run ended (``--resume``): which line is of which problem is known by their order and their ids.

Beside the file stands its record, ``FILE.run``, which says what the lines are made of. It is
written before the first line and stays; where it is gone, nobody can tell of which run the lines
are: the file is one that exists, and stays as it is.

Each line is written at once, and brought to the disk every few seconds: a power cut costs the work
of those, which is done again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from time import monotonic
from typing import Any, Final, NamedTuple

from ddcalc.boundary import files
from ddcalc.boundary.signals import delay_signals
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile, BadTarget, DdcalcError, OutputFailed, Place

RECORD: Final = ".run"  # behind the name of the file
SYNC: Final = 5.0  # seconds between two times that lines are brought to the disk
FILES: Final = "list of files"
CONTENT: Final = "content of "  # what stands before the name of each of them


class Finished(NamedTuple):
    """What a line of an earlier run says of its problem: its *name*, the *kind* of the error that
    it has instead of an answer, and whether an answer of ours *differs*."""

    name: str | None
    kind: str = ""
    differs: bool = False


def _differs(data: Any) -> bool:
    """Whether an answer of ours in the object of a problem is wrong, or a limit is not met; in
    those of its cases or parts, where it has some."""
    if inner := data.get("cases") or data.get("parts"):
        return any(map(_differs, inner))
    wrong = (check["ours"] for check in data.get("checks", ()) if not check["agrees"])
    return any(wrong) or not all(limit["agrees"] for limit in data.get("limits", ()))


def origin(version: str, options: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """What lines are made of, the same of which makes the same lines: a *version* of ddcalc, the
    *options* that change them, and the files of these *names*."""
    made = {"ddcalc": version, FILES: ", ".join(names := [*names])}
    made |= {option: value for option, value in options.items() if value}
    for name in names:
        if name == "-":
            raise BadTarget("--resume reads its problems once more; give files instead of -")
        try:
            Source(name)  # which waits for no pipe
            with open(name, "rb") as file:
                digest = file_digest(file, sha256)
                content = f"{file.tell()} bytes, SHA-256 {digest.hexdigest()}"
        except BadFile as error:
            content = str(error)
        except OSError as error:
            content = error.strerror or str(error)
        made[f"{CONTENT}{files.shown(name)}"] = content
    return made


@contextmanager
def resumed(name: str, made_of: Mapping[str, str], inputs: Iterable[str]) -> Iterator[Journal]:
    """The file *name*, to be gone on with: new, or with the whole lines that it has already.

    After any error, Ctrl-C or SIGTERM it has all lines that were
    written, and the same call goes on; where the call is refused before there is any, nothing
    stays. Raises BadTarget where it is not *made of* the same, is one of the *inputs*, or is being
    written by another process; OutputFailed where the system cannot write.
    """
    with files.open_folder(name) as folder:
        both = (name, name + RECORD)
        for written in both:
            files.check(written, force=True, inputs=inputs)
        new = [os.path.basename(one) for one in both if not os.path.lexists(one)]
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(os.path.basename(name), flags, 0o666, dir_fd=folder)
        try:
            with suppress(OSError):  # of a file system without locks
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    at = Place(files.shown(name))
                    raise BadTarget("is being written by another call", at) from None
            journal = Journal(name, descriptor, made_of)
            yield journal
            journal.finish()
        except DdcalcError as error:
            if not isinstance(error, OutputFailed) and not os.fstat(descriptor).st_size:
                for one in new:
                    with suppress(FileNotFoundError):
                        os.unlink(one, dir_fd=folder)
            raise
        finally:
            os.close(descriptor)


class Journal:
    """A file of whole lines, *count* of them, of which *kept* are from earlier."""

    def __init__(self, name: str, descriptor: int, made_of: Mapping[str, str]) -> None:
        self.name, self._made_of, self._file = name, made_of, descriptor
        self._synced = monotonic()
        size = os.fstat(descriptor).st_size
        if size or os.path.lexists(name + RECORD):
            self._check(is_begun=bool(size))
        self.count = self._size = 0  # whole lines, and where the last of them ends
        with open(descriptor, "rb", closefd=False) as file:
            for line in file:
                if line.endswith(b"\n"):
                    self.count += 1
                    self._size += len(line)
        self.kept = self.count
        if self._size < size:
            os.ftruncate(descriptor, self._size)
        if not self._size:
            record = json.dumps({"made of": dict(made_of)}, indent=1, allow_nan=False) + "\n"
            with files.whole(name + RECORD, force=True) as file:
                file.write(record.encode())

    def _check(self, is_begun: bool) -> None:
        """Raise BadTarget where the file, if it *is_begun*, is not made of the same, as its record
        says, or where that is none."""
        record = files.shown(self.name + RECORD)
        if not os.path.lexists(self.name + RECORD):
            raise self._refused(f"exists, and {record} does not, which says what it is made of")
        try:
            begun = dict(json.loads("".join(Source(self.name + RECORD).chunks()))["made of"])
        except (BadFile, ValueError, TypeError, KeyError):
            raise self._refused(
                f"cannot be gone on with: {record} is no record of a run", "both files"
            ) from None
        for name in {**begun, **self._made_of} if is_begun else ():
            if begun.get(name) != self._made_of.get(name):
                raise self._refused(f"was begun with another {name}")

    def _refused(self, reason: str, removed: str = "it") -> BadTarget:
        advice = f"choose another name, or remove {removed} to begin anew"
        return BadTarget(f"{reason}; {advice}", Place(files.shown(self.name)))

    def earlier(self) -> Iterator[Finished]:
        """What the lines from earlier say."""
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            for number in range(1, self.kept + 1):
                try:
                    data = json.loads(file.readline())
                    kind = data["error"]["kind"] if data["status"] == "error" else ""
                    yield Finished(data["id"], kind, _differs(data))
                except (ValueError, TypeError, KeyError, AttributeError):
                    raise self.foreign(number) from None

    def foreign(self, number: int) -> BadTarget:
        """That line *number* is not of this run."""
        reason = f"line {number} is not of this run; remove the file to begin anew"
        return BadTarget(reason, Place(files.shown(self.name), number))

    def write(self, line: bytes) -> None:
        """Write a whole *line*, or nothing of it; Ctrl-C and SIGTERM wait until that is done."""
        with delay_signals():
            rest = memoryview(line)
            try:
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(self._file, self._size)
                raise files.failure(self.name, error) from error
            self._size += len(line)
            self.count += line.count(b"\n")
            if monotonic() - self._synced >= SYNC:
                os.fsync(self._file)
                self._synced = monotonic()

    def finish(self) -> None:
        """Bring all lines to the disk; OutputFailed where the file is not there any more."""
        with delay_signals():
            os.fsync(self._file)
            stays = False
            with suppress(FileNotFoundError):
                stays = os.path.samestat(os.stat(self.name), os.fstat(self._file))
            if not stays:
                raise OutputFailed(files.shown(self.name), "it was taken away meanwhile")
