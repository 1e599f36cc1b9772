"""Handwritten digits to learn: read from scikit-learn or the user's files, split, and handed out.

Random numbers are such that any version of NumPy draws alike: the raw 64 bits of PCG64 (O'Neill
2014) started by a SeedSequence, whose streams NumPy keeps for ever (NEP 19); those of its
distributions may change. One seed of a run feeds several streams: of the parameters, and of the
order of every pass over the data.
"""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from array import array
from dataclasses import dataclass
from math import isfinite, nan, prod
from typing import BinaryIO, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.files import shown
from ddcalc.boundary.table import number_rows
from ddcalc.errors import BadFile, BadNumber, BadValue, DdcalcError, OverLimit, Place

Floats = NDArray[np.float64]
Single = NDArray[np.float32]
Whole = NDArray[np.int64]
Bytes = NDArray[np.uint8]

PARAMETERS, ORDER, SPLIT = 1, 2, 3  # streams of one seed
KEPT = 8  # passes whose order is kept; of older ones it is drawn again


def uniform(size: int, *stream: int) -> Floats:
    """*size* numbers from 0 up to 1, multiples of 2^-53."""
    return (_raw(size, *stream) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def permutation(size: int, *stream: int) -> Whole:
    """The numbers below *size* in a random order."""
    return np.argsort(_raw(size, *stream), kind="stable")


def _raw(size: int, *stream: int) -> NDArray[np.uint64]:
    drawn: NDArray[np.uint64] = np.random.PCG64(np.random.SeedSequence(stream)).random_raw(size)
    return drawn


class Queue:
    """The samples in the order in which they are handed out: pass after pass, each reshuffled.

    Its places are the same whoever takes them, so that every scheme meets the same mini-batches.
    """

    def __init__(self, samples: int, seed: int) -> None:
        self.samples, self.seed = samples, seed
        self._orders: dict[int, Whole] = {}

    def take(self, start: int, size: int) -> Whole:
        """The samples at *size* places from *start* (counted from 0) on."""
        parts = []
        while size:
            number, at = divmod(start, self.samples)
            part = self._order(number)[at : at + size]
            parts.append(part)
            start, size = start + len(part), size - len(part)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _order(self, number: int) -> Whole:
        if number not in self._orders:
            if len(self._orders) == KEPT:
                del self._orders[min(self._orders)]
            self._orders[number] = permutation(self.samples, self.seed, ORDER, number)
        return self._orders[number]


TESTED = 5  # one in so many samples is for testing, where the data have no part for that
LOSS = 2000  # training samples at most from which the loss is measured
CLASSES = 1000  # at most
TRAIN = ("train-images", "train-labels")
TEST = ("t10k-images", "t10k-labels")
BUNDLED = "digits"


@dataclass(frozen=True, slots=True)
class Data:
    """Inputs (a row a sample, from 0 to 1) with labels from 0 on: to train with, and to test.

    The inputs of images are kept as the bytes they are made of, an eighth of the memory.
    """

    name: str
    inputs: Floats | Bytes
    labels: Whole
    test_inputs: Floats | Bytes
    test_labels: Whole
    image: tuple[int, int] | None = None  # its rows and columns, where a sample is known to be one

    def taken(self, samples: Whole | slice) -> Floats:
        """The inputs of some *samples* to train with."""
        return _whole(self.inputs[samples])

    @property
    def tests(self) -> Floats:
        """The inputs to test with."""
        return _whole(self.test_inputs)

    @property
    def classes(self) -> int:
        """How many classes there are, from the largest label."""
        return int(max(self.labels.max(), self.test_labels.max())) + 1

    @property
    def features(self) -> int:
        """How many inputs a sample has."""
        return int(self.inputs.shape[1])

    @property
    def mark(self) -> str:
        """A check sum, by which the same data are known again."""
        parts = (self.inputs, self.labels, self.test_inputs, self.test_labels)
        mark = 0
        for part in parts:
            mark = crc32(np.ascontiguousarray(part).data, crc32(repr(part.shape).encode(), mark))
        return f"{mark:08x}"


def _whole(inputs: Floats | Bytes) -> Floats:
    """*inputs* from 0 to 1."""
    return inputs / 255 if inputs.dtype == np.uint8 else inputs.astype(np.float64, copy=False)


def read(name: str) -> Data:
    """The data called *name*: ``digits``, a table (CSV), or a folder with the four files of MNIST.

    Raises BadFile with the place of what is wrong, Missing where a library is missing.
    """
    if name == BUNDLED:
        return _digits()
    if os.path.isdir(name):
        return _folder(name)
    if _is_idx(name):
        raise BadFile("is no table; for IDX files, name the folder", Place(shown(name)))
    return _table(name)


def _digits() -> Data:
    """1 797 digits of 8 by 8 pixels with 17 shades (Alpaydin and Kaynak 1998, UCI repository)."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        reason = "needs the extra digits: python3 -m pip install 'ddcalc[digits]'; or --data FILE"
        raise BadValue(BUNDLED, reason).about("data") from None
    bunch = load_digits()
    return _split("the digits of scikit-learn", bunch.data / 16, bunch.target.astype(np.int64))


def _folder(name: str) -> Data:
    """MNIST (LeCun et al. 1998) and data of its form, as they are distributed."""
    (image, train), labels = _images(name, TRAIN[0]), _labels(name, TRAIN[1])
    (test_image, test), test_labels = _images(name, TEST[0]), _labels(name, TEST[1])
    _alike(name, TRAIN, train, labels)
    _alike(name, TEST, test, test_labels)
    _known(name, labels, test_labels)
    if image != test_image:
        sizes = (f"{rows} x {columns} pixels" for rows, columns in (test_image, image))
        reason = "its images have {}, those to train with {}".format(*sizes)
        raise BadFile(reason, Place(shown(_file(name, TEST[0]))))
    called = os.path.basename(os.path.abspath(name))
    return Data(called, train, labels, test, test_labels, image)


def _images(folder: str, start: str) -> tuple[tuple[int, int], Bytes]:
    """Rows and columns of an image, and all images, a row each."""
    (count, rows, columns), content = _idx_array(_file(folder, start), dimensions=3)
    return (rows, columns), np.frombuffer(content, np.uint8).reshape(count, -1)


def _labels(folder: str, start: str) -> Whole:
    _, content = _idx_array(_file(folder, start), dimensions=1)
    return np.frombuffer(content, np.uint8).astype(np.int64)


def _file(folder: str, start: str) -> str:
    """The file of *folder* whose name begins with *start*; BadFile where there is none, or more."""
    try:
        names = sorted(file for file in os.listdir(folder) if file.startswith(start))
    except OSError as error:
        raise BadFile(f"cannot be listed: {error.strerror}", Place(shown(folder))) from error
    if len(names) != 1:
        reason = f"holds {len(names) or 'no'} files whose name begins with {start}; one is wanted"
        wanted = f"{reason} (the four files of MNIST, .gz or not)"
        raise BadFile(wanted, Place(shown(folder)))
    return os.path.join(folder, names[0])


def _alike(folder: str, starts: tuple[str, str], images: Bytes, labels: Whole) -> None:
    if len(images) != len(labels):
        reason = f"has {len(labels)} labels for {len(images)} images"
        raise BadFile(reason, Place(shown(_file(folder, starts[1]))))


def _known(folder: str, labels: Whole, tests: Whole) -> None:
    """Refuse a label to test with that nothing to train with has."""
    new = ~np.isin(tests, labels)
    if new.any():
        at = int(new.argmax())
        reason = f"offset {8 + at}: label {tests[at]} is none of those to train with"
        raise BadFile(reason, Place(shown(_file(folder, TEST[1]))))


def _table(name: str) -> Data:
    """A label and the inputs a row; inputs are divided by the largest one."""
    lines: list[int] = []
    cells = array("d")
    for row in number_rows(name, _finite):
        if isinstance(row, DdcalcError):
            raise row
        lines.append(row[0])
        cells.extend(row[1])
        if len(cells) > CELLS:
            raise OverLimit(f"has more than {CELLS} numbers, the most that are read", Place(name))
    if not lines:
        raise BadFile("has no row of numbers", Place(shown(name)))
    numbers: Floats = np.frombuffer(cells, np.float64).reshape(len(lines), -1)
    labels = numbers[:, 0]
    wrong = (labels != np.rint(labels)) | (labels < 0) | (labels >= CLASSES)
    if wrong.any():
        line = lines[int(wrong.argmax())]
        reason = (
            f"is no label; labels are whole numbers from 0 to {CLASSES - 1}, in the first column"
        )
        raise BadFile(f"{labels[wrong.argmax()]:g} {reason}", Place(shown(name), line, 1))
    largest = np.abs(numbers[:, 1:]).max() or 1
    inputs = np.ascontiguousarray(numbers[:, 1:]) / largest
    return _split(os.path.basename(name), inputs, labels.astype(np.int64))


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise BadNumber(text, "is not a number")
    return value


def _split(name: str, inputs: Floats, labels: Whole) -> Data:
    """A fifth, drawn once and for all, is to test."""
    if len(labels) < TESTED:
        reason = f"has {len(labels)} samples; at least {TESTED} are needed"
        raise BadFile(reason, Place(shown(name)))
    order = permutation(len(labels), 0, SPLIT)
    test, train = np.split(order, [len(labels) // TESTED])
    return Data(name, inputs[train], labels[train], inputs[test], labels[test])


MOST: Final = 1 << 30  # bytes of an IDX array
CELLS: Final = 1 << 27  # numbers of a table
_UNSIGNED: Final = 8
_GZIP: Final = b"\x1f\x8b"


def _idx_array(name: str, dimensions: int) -> tuple[tuple[int, ...], bytes]:
    """The shape of the array with *dimensions* in the IDX file *name*, packed by gzip or not, and
    its bytes.

    IDX files, in which MNIST is distributed, hold bytes of one array behind a header: two zero
    bytes, the type (8: unsigned bytes), the number of dimensions, and the size of each in four
    bytes, the first one first (LeCun, Cortes and Burges, "The MNIST database"). Raises BadFile with
    the offset (in bytes, of what is unpacked) of what is wrong.
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


def _is_idx(name: str) -> bool:
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
        short = f"ends after {len(content)} of the {wanted} bytes that its header announces"
        raise BadFile(f"offset {start + len(content)}: {short}", where)
    if len(content) > wanted:
        raise BadFile(f"offset {start + wanted}: goes on after what its header announces", where)
    return shape, content
