"""What is learnt: handwritten digits of scikit-learn, MNIST or a table; and its mini-batches."""

from __future__ import annotations

import gzip
import os
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, nan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.boundary.files import shown
from ddcalc.boundary.nodes import place
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import rows
from ddcalc.errors import BadFile, BadNumber, BadSheet, BadValue, DdcalcError, OverLimit, Place
from ddcalc.numbers.display import counted

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

BUNDLED: Final = "digits"
SIDE: Final = 32  # pixels of the squares that LeNet takes, to which smaller ones are made
TESTED: Final = 5  # one in so many samples is for testing, where the data have no part for that
CLASSES: Final = 1000  # at most
MOST: Final = 1 << 30  # bytes of a table's numbers, and of an IDX file, at most
PASSES: Final = 8  # whose order is kept; of older ones it is drawn again


@dataclass(frozen=True, slots=True)
class Data:
    """Inputs (a row a sample, from 0 to 1) with labels from 0 on: to train with, and to test.

    Inputs of images are kept as the bytes they are made of, an eighth of the memory.
    """

    name: str
    inputs: NDArray[Any]
    labels: Whole
    test_inputs: NDArray[Any]
    test_labels: Whole

    @property
    def classes(self) -> int:
        """How many classes there are, from the largest label."""
        return int(max(self.labels.max(), self.test_labels.max())) + 1


def scaled(inputs: NDArray[Any]) -> Floats:
    """*inputs* from 0 to 1."""
    return inputs / 255 if inputs.dtype == np.uint8 else inputs


class Queue:
    """The samples in the order in which they are handed out: pass after pass, each reshuffled.

    Its places are the same whoever takes them, so that every scheme meets the same mini-batches.
    """

    def __init__(self, samples: int, seed: int) -> None:
        def order(number: int) -> Whole:
            return np.random.default_rng((seed, number)).permutation(samples)

        self.samples, self._order = samples, lru_cache(PASSES)(order)

    def take(self, start: int, size: int) -> Whole:
        """The samples at *size* places from *start* (counted from 0) on."""
        passes = range(start // self.samples, (start + size - 1) // self.samples + 1)
        begins = ((number, start - number * self.samples) for number in passes)
        return np.concatenate([self._order(n)[max(at, 0) : at + size] for n, at in begins])


def read(name: str) -> Data:
    """The data called *name*: ``digits``, a table (CSV), or a folder with the four files of MNIST.

    Raises BadFile with the place of what is wrong, BadValue where a library is missing.
    """
    if os.path.isdir(name):
        return _mnist(name)
    name, inputs, labels = _digits() if name == BUNDLED else _table(name)
    order = np.random.default_rng(0).permutation(len(labels))  # drawn once and for all
    test, train = np.split(order, [len(labels) // TESTED])
    return Data(name, inputs[train], labels[train], inputs[test], labels[test])


def _digits() -> tuple[str, Floats, Whole]:
    """1 797 digits of 8 by 8 pixels with 17 shades (Alpaydin and Kaynak 1998, UCI repository)."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        reason = "needs the extra digits: python3 -m pip install 'ddcalc[digits]'; or --data FILE"
        raise BadValue(BUNDLED, reason).about("data") from None
    inputs, labels = load_digits(return_X_y=True)
    return "the digits of scikit-learn", inputs / 16, labels.astype(np.int64)


def _table(name: str) -> tuple[str, Floats, Whole]:
    """A label and the inputs a row; inputs are divided by the largest one."""
    labels, cells = array("q"), array("d")
    for line, (label, *inputs) in _rows(name):
        if not (label.is_integer() and 0 <= label < CLASSES):
            wanted = f"whole numbers from 0 to {CLASSES - 1}, in the first column"
            raise BadFile(
                f"{label:g} is no label; labels are {wanted}", Place(shown(name), line, 1)
            )
        labels.append(int(label))
        cells.extend(inputs)
        if 8 * len(cells) > MOST:
            raise OverLimit(
                f"has more than {MOST // 8} numbers, the most there may be", Place(name)
            )
    if len(labels) < TESTED:
        reason = f"has {len(labels)} rows of numbers; at least {TESTED} are needed"
        raise BadFile(reason, Place(shown(name)))
    numbers = np.array(cells).reshape(len(labels), -1)
    return os.path.basename(name), numbers / (np.abs(numbers).max() or 1), np.array(labels)


def _rows(name: str) -> Iterator[tuple[int, list[float]]]:
    """The rows of the table *name* (``-``: standard input) with their lines, all cells numbers.

    A first row without any number is the header. All rows have one width, two cells at least, and
    none is empty. Raises a DdcalcError for the first that is otherwise.
    """
    width = 0
    for i, row in enumerate(rows(Source(name))):
        if isinstance(row, BadFile):
            raise row
        count = len(row)
        width = width or count
        values: list[float] = []
        wrong: list[DdcalcError] = []
        for cell in row:
            try:
                values.append(_finite(cell.text.strip()))
            except BadNumber as error:
                empty = BadSheet("an empty cell; a number is wanted")
                reason = error if cell.text.strip() else empty
                wrong.append(reason.about("data", place(name, cell)))
        if not i and len(wrong) == count:
            continue
        where = Place(name, row[0].line)
        if width < 2:
            raise BadSheet("one cell in a row; a table of numbers has at least two columns", where)
        if count != width:
            raise BadSheet(f"{counted(count, 'cell')}; the first row has {width}", where)
        if wrong:
            raise wrong[0]
        yield row[0].line, values


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if isfinite(value):
        return value
    raise BadNumber(text, "is not a number")


def _mnist(folder: str) -> Data:
    """MNIST (LeCun et al. 1998) and data of its form, as they are distributed."""
    train, tests = (_idx(folder, f"{part}-images", 3) for part in ("train", "t10k"))
    labels, wanted = (_idx(folder, f"{part}-labels", 1) for part in ("train", "t10k"))
    if (len(train), len(tests), train.shape[1:]) != (len(labels), len(wanted), tests.shape[1:]):
        raise BadFile("has not a label for each image, or unlike images", Place(shown(folder)))
    flat, flat_tests = (images.reshape(len(images), -1) for images in (train, tests))
    known, right = (part.astype(np.int64) for part in (labels, wanted))
    return Data(os.path.basename(os.path.abspath(folder)), flat, known, flat_tests, right)


def _idx(folder: str, start: str, dimensions: int) -> NDArray[np.uint8]:
    """The array in the one IDX file of *folder* whose name begins with *start*, gzip or not: bytes
    behind a header of two zero bytes, the type (8: unsigned bytes), the number of dimensions, and
    the size of each in four bytes (LeCun, Cortes and Burges, "The MNIST database")."""
    try:
        [name] = [file for file in os.listdir(folder) if file.startswith(start)] or [start]
        path = os.path.join(folder, name)
        if not os.path.isfile(path):  # a pipe would be waited for
            raise ValueError("is missing")
        with gzip.open(path) if name.endswith(".gz") else open(path, "rb") as file:
            content = file.read(MOST)
        header, shape = 4 + 4 * dimensions, np.frombuffer(content, ">u4", dimensions, 4)
        if content[:4] != bytes((0, 0, 8, dimensions)) or not shape.all():
            raise ValueError("has another header")
        return np.frombuffer(content, np.uint8, offset=header).reshape(shape)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = f"is to hold one IDX file that begins with {start}, of {dimensions} dimensions"
        raise BadFile(f"{reason}: {error}", Place(shown(folder))) from error
