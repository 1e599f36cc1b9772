"""The way into files: whole or not at all, and never over what must stay.

What is written goes into a temporary file beside the target, is brought to the disk, and takes the
target's name in one move. A temporary file whose process was killed is removed by the next write
into its folder.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final
from zlib import crc32

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import delay_signals
from ddcalc.boundary.source import KINDS
from ddcalc.errors import BadTarget, OutputFailed, Place

_SHOWN: Final = 200  # characters of a file's name in a message
_NAME: Final = ".ddcalc-{node}-{process}-{token}.tmp"
# a folder may be shared: of the processes of other machines nobody here can say whether they live
_NODE: Final = f"{crc32(os.fsencode(os.uname().nodename)):08x}"
_TEMPORARY: Final = re.compile(rf"\.ddcalc-{_NODE}-([0-9]{{1,9}})-[0-9a-f]{{16}}\.tmp")
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
    """Refuse at once what :func:`whole` would refuse after the work.

    Raises BadTarget where *name* is no file's name, a link, a folder, a pipe or a device, one of
    the *inputs*, or (without *force*) a file that exists; OutputFailed where its folder cannot be
    opened.
    """
    with open_folder(name) as folder:
        _check(folder, name, force, inputs)


@contextmanager
def whole(name: str, force: bool, inputs: Iterable[str] = ()) -> Iterator[BinaryIO]:
    """A file that takes its *name* at the end; with *force* it replaces the one there is.

    Raises BadTarget as :func:`check` does, and OutputFailed where the system cannot write. After
    any error inside, Ctrl-C or SIGTERM the target is what it was before.
    """
    with open_folder(name) as folder, _refused(name):
        _check(folder, name, force, inputs)
        _sweep(folder)
        temporary = _NAME.format(node=_NODE, process=os.getpid(), token=os.urandom(8).hex())
        # umask says who may read it
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            descriptor = os.open(temporary, flags, 0o666, dir_fd=folder)
            with open(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(descriptor)
            with delay_signals():
                _place(folder, temporary, name, force)
                with suppress(OSError):
                    os.fsync(folder)
        finally:
            with delay_signals(), suppress(OSError):
                os.unlink(temporary, dir_fd=folder)


def shown(name: str) -> str:
    """The *name* of a file as a message says it."""
    return clean(name, _SHOWN)


@contextmanager
def open_folder(name: str) -> Iterator[int]:
    """A descriptor of the folder of *name*; what the system refuses inside is OutputFailed.

    All goes through the descriptor, so that nothing is written elsewhere if the folder is moved.
    """
    try:
        is_name = b"\0" not in os.fsencode(name) and os.path.basename(name)
    except UnicodeEncodeError:
        is_name = ""
    if not is_name:
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


def _check(folder: int, name: str, force: bool, inputs: Iterable[str]) -> None:
    try:
        status = os.stat(os.path.basename(name), dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise BadTarget(f"is {kind}; choose another name", Place(shown(name)))
    for other in inputs:
        with suppress(OSError, ValueError):
            if os.path.samestat(status, os.stat(other)):
                raise BadTarget("is read in the same call, and would be lost", Place(shown(name)))
    if not force:
        raise _existing(name)


def _existing(name: str) -> BadTarget:
    return BadTarget("already exists; use --force to replace it", Place(shown(name)))


def _sweep(folder: int) -> None:
    """Remove the temporary files of processes of this machine that live no more."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if ours := _TEMPORARY.fullmatch(name):
                try:
                    os.kill(int(ours[1]), 0)
                except ProcessLookupError:
                    with suppress(OSError):
                        os.unlink(name, dir_fd=folder)
                except OSError:  # it is somebody else's, and lives
                    continue


def _place(folder: int, temporary: str, name: str, force: bool) -> None:
    """Give a temporary file its name; another file of that name is lost only by force."""
    base = os.path.basename(name)
    try:
        if not force:
            os.link(temporary, base, src_dir_fd=folder, dst_dir_fd=folder)
            return
    except FileExistsError:
        raise _existing(name) from None
    except OSError:  # a file system without links: take the name by an empty file, and replace that
        try:
            os.close(os.open(base, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder))
        except FileExistsError:
            raise _existing(name) from None
    try:
        os.replace(temporary, base, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        if not force:
            os.unlink(base, dir_fd=folder)
        raise
