"""IDX files, in which MNIST is distributed: bytes of one array behind a header; with gzip or not.

The header is two zero bytes, the type (8: unsigned bytes), the number of dimensions, and the size
of each in four bytes, the first one first (LeCun, Cortes and Burges, "The MNIST database").
"""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from math import prod
from typing import BinaryIO, Final

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadFile, OverLimit, Place

MOST: Final = 1 << 30  # bytes of an array
_UNSIGNED: Final = 8
_GZIP: Final = b"\x1f\x8b"


def read(name: str, dimensions: int) -> tuple[tuple[int, ...], bytes]:
    """The shape of the array in file *name*, which has so many *dimensions*, and its bytes.

    Raises BadFile, which tells the offset (in bytes, of what is unpacked) of what is wrong.
    """
    where = Place(clean(name, 200))
    try:
        with _opened(name, where) as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            if not packed:
                return _array(raw, dimensions, where)
            with gzip.open(raw) as file:
                return _array(file, dimensions, where)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadFile(f"cannot be read: {reason[:1].lower()}{reason[1:]}", where) from error


def is_one(name: str) -> bool:
    """Whether file *name* begins as IDX files do, or is packed; what cannot be opened does not."""
    try:
        with _opened(name, Place(name)) as raw:
            head = raw.read(3)
    except (OSError, BadFile):
        return False
    return head[:2] == _GZIP or head == bytes((0, 0, _UNSIGNED))


def _opened(name: str, where: Place) -> BinaryIO:
    """The regular file *name*; a pipe or a device is not waited for."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    raise BadFile("is no regular file", where)


def _array(
    file: BinaryIO | gzip.GzipFile, dimensions: int, where: Place
) -> tuple[tuple[int, ...], bytes]:
    head = file.read(4)
    if len(head) < 4 or head[:2] != b"\0\0":
        raise BadFile("offset 0: is no IDX file; it begins with two zero bytes", where)
    if head[2] != _UNSIGNED:
        raise BadFile(f"offset 2: holds type {head[2]:#04x}; 0x08, unsigned bytes, is read", where)
    if head[3] != dimensions:
        raise BadFile(f"offset 3: has {head[3]} dimensions; {dimensions} are expected", where)
    sizes = file.read(4 * dimensions)
    if len(sizes) < 4 * dimensions:
        raise BadFile(f"offset {4 + len(sizes)}: ends within the header", where)
    shape = tuple(int.from_bytes(sizes[at : at + 4], "big") for at in range(0, len(sizes), 4))
    wanted, start = prod(shape), 4 + len(sizes)
    if not wanted:
        raise BadFile(f"offset 4: has a size of 0: {' x '.join(map(str, shape))}", where)
    if wanted > MOST:
        raise OverLimit(f"offset 4: announces {wanted} bytes; at most {MOST} are read", where)
    content = file.read(wanted + 1)
    if len(content) < wanted:
        found = f"ends after {len(content)} of the {wanted} bytes that its header announces"
        raise BadFile(f"offset {start + len(content)}: {found}", where)
    if len(content) > wanted:
        raise BadFile(f"offset {start + wanted}: goes on after what its header announces", where)
    return shape, content
