"""Handwritten digits to learn: scikit-learn's bundled ones, or the user's own file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from ddcalc.boundary.files import shown
from ddcalc.boundary.numbers import Cells, table
from ddcalc.errors import BadFile, BadValue, Place
from ddcalc.experiment import idx
from ddcalc.experiment.drawing import SPLIT, Bytes, Floats, Whole, permutation

TESTED = 5  # every so manieth sample is for testing, where the data have no part for that
LOSS = 2000  # training samples at most by which the loss is told
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
        found = 0
        for part in parts:
            found = crc32(np.ascontiguousarray(part).data, crc32(repr(part.shape).encode(), found))
        return f"{found:08x}"


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
    if idx.is_one(name):
        raise BadFile("is no table; of IDX files name the folder", Place(shown(name)))
    return _table(name)


def _digits() -> Data:
    """1 797 digits of 8 by 8 pixels with 17 shades (Alpaydin and Kaynak 1998, UCI repository)."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        told = "needs the extra digits: python3 -m pip install 'ddcalc[digits]'; or --data FILE"
        raise BadValue(BUNDLED, told).about("data") from None
    found = load_digits()
    return _split("the digits of scikit-learn", found.data / 16, found.target.astype(np.int64))


def _folder(name: str) -> Data:
    """MNIST (LeCun et al. 1998) and data of its form, as they are distributed."""
    (image, train), labels = _images(name, TRAIN[0]), _labels(name, TRAIN[1])
    (test_image, test), test_labels = _images(name, TEST[0]), _labels(name, TEST[1])
    _alike(name, TRAIN, train, labels)
    _alike(name, TEST, test, test_labels)
    _known(name, labels, test_labels)
    if image != test_image:
        sizes = (f"{rows} x {columns} pixels" for rows, columns in (test_image, image))
        told = "its images have {}, those to train with {}".format(*sizes)
        raise BadFile(told, Place(shown(_file(name, TEST[0]))))
    called = os.path.basename(os.path.abspath(name))
    return Data(called, train, labels, test, test_labels, image)


def _images(folder: str, start: str) -> tuple[tuple[int, int], Bytes]:
    """Rows and columns of an image, and all images, a row each."""
    (count, rows, columns), content = idx.read(_file(folder, start), dimensions=3)
    return (rows, columns), np.frombuffer(content, np.uint8).reshape(count, -1)


def _labels(folder: str, start: str) -> Whole:
    _, content = idx.read(_file(folder, start), dimensions=1)
    return np.frombuffer(content, np.uint8).astype(np.int64)


def _file(folder: str, start: str) -> str:
    """The file of *folder* whose name begins with *start*; BadFile where there is none, or more."""
    try:
        names = sorted(each for each in os.listdir(folder) if each.startswith(start))
    except OSError as error:
        raise BadFile(f"cannot be listed: {error.strerror}", Place(shown(folder))) from error
    if len(names) != 1:
        told = f"holds {len(names) or 'no'} files whose name begins with {start}; one is wanted"
        wanted = f"{told} (the four files of MNIST, .gz or not)"
        raise BadFile(wanted, Place(shown(folder)))
    return os.path.join(folder, names[0])


def _alike(folder: str, starts: tuple[str, str], images: Bytes, labels: Whole) -> None:
    if len(images) != len(labels):
        told = f"has {len(labels)} labels for {len(images)} images"
        raise BadFile(told, Place(shown(_file(folder, starts[1]))))


def _known(folder: str, labels: Whole, tests: Whole) -> None:
    """Refuse a label to test with that nothing to train with has."""
    new = ~np.isin(tests, labels)
    if new.any():
        at = int(new.argmax())
        told = f"offset {8 + at}: label {tests[at]} is none of those to train with"
        raise BadFile(told, Place(shown(_file(folder, TEST[1]))))


def _table(name: str) -> Data:
    """A label and the inputs a row; inputs are divided by the largest one."""
    cells: Cells = table(name)
    columns = len(cells.rows[0])
    numbers: Floats = np.frombuffer(b"".join(cells.rows), np.float64).reshape(-1, columns // 8)
    labels = numbers[:, 0]
    wrong = (labels != np.rint(labels)) | (labels < 0) | (labels >= CLASSES)
    if wrong.any():
        line = cells.lines[int(wrong.argmax())]
        told = f"is no label; labels are whole numbers from 0 to {CLASSES - 1}, in the first column"
        raise BadFile(f"{labels[wrong.argmax()]:g} {told}", Place(shown(name), line, 1))
    largest = np.abs(numbers[:, 1:]).max() or 1
    inputs = np.ascontiguousarray(numbers[:, 1:]) / largest
    return _split(os.path.basename(name), inputs, labels.astype(np.int64))


def _split(name: str, inputs: Floats, labels: Whole) -> Data:
    """A fifth, drawn once and for all, is to test."""
    if len(labels) < TESTED:
        told = f"has {len(labels)} samples; at least {TESTED} are needed"
        raise BadFile(told, Place(shown(name)))
    order = permutation(len(labels), 0, SPLIT)
    test, train = np.split(order, [len(labels) // TESTED])
    return Data(name, inputs[train], labels[train], inputs[test], labels[test])
