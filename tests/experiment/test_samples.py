"""Data files: tables and IDX, and what is wrong with them."""

from __future__ import annotations

import gzip
import os

import pytest
import tiny

from ddcalc.errors import DdcalcError
from ddcalc.experiment.samples import read

SIZES = {"train": 10, "t10k": 5}


def idx(*sizes: int, kind: int = 8, content: bytes | None = None) -> bytes:
    """An IDX array of these *sizes*."""
    count = 1
    for size in sizes:
        count *= size
    head = bytes([0, 0, kind, len(sizes)]) + b"".join(size.to_bytes(4, "big") for size in sizes)
    return head + (bytes(i % 3 for i in range(count)) if content is None else content)


def mnist(folder, packed=True, **other):
    """A folder of the form of MNIST; *other* files instead."""
    folder.mkdir(exist_ok=True)
    for part, count in SIZES.items():
        files = (("images-idx3", idx(count, 2, 3)), ("labels-idx1", idx(count)))
        for kind, usual in files:
            name = f"{part}-{kind}-ubyte"
            content = other.get(name.replace("-", "_"), usual)
            if packed:
                content = gzip.compress(content)
            (folder / (f"{name}.gz" if packed else name)).write_bytes(content)
    return folder


@pytest.mark.parametrize("packed", [True, False])
def test_mnist_is_read_as_it_is_distributed(tmp_path, packed):
    value = read(str(mnist(tmp_path / "mnist", packed)))
    assert (value.name, value.features, value.classes) == ("mnist", 6, 3)
    assert value.inputs.shape == (10, 6)
    assert value.test_inputs.shape == (5, 6)
    assert value.taken(slice(1)).tolist() == [[0, 1 / 255, 2 / 255, 0, 1 / 255, 2 / 255]]
    assert value.tests.max() == 2 / 255
    assert value.labels.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "offset 0: is no IDX file"),
        (b"PK\x03\x04", "offset 0: is no IDX file"),
        (idx(10, 2, 3, kind=13), "offset 2: holds type 0x0d"),
        (idx(10, 6), "offset 3: has 2 dimensions; 3 are expected"),
        (idx(10, 2, 3)[:9], "offset 9: ends within the header"),
        (idx(10, 2, 3)[:20], "offset 20: ends after 4 of the 60 bytes"),
        (idx(10, 2, 3) + b"!", "offset 76: goes on after"),
        (idx(0, 2, 3), "offset 4: has a size of 0"),
        (idx(2**31, 2, 3, content=b""), "offset 4: announces"),
        (idx(9, 2, 3), "has 10 labels for 9 images"),
        (idx(10, 2, 2), "have 2 x 3 pixels, those to train with 2 x 2"),
    ],
)
def test_wrong_idx_files_are_told_with_the_offset(tmp_path, content, says):
    folder = mnist(tmp_path / "mnist", packed=False, train_images_idx3_ubyte=content)
    with pytest.raises(DdcalcError, match=says.replace("(", r"\(")) as caught:
        read(str(folder))
    assert str(folder) in caught.value.place.file


def test_a_label_that_is_never_trained_with_is_told(tmp_path):
    folder = mnist(
        tmp_path / "mnist", packed=False, t10k_labels_idx1_ubyte=idx(5, content=b"\0\1\2\7\0")
    )
    with pytest.raises(DdcalcError, match="offset 11: label 7 is none of those to train with"):
        read(str(folder))


@pytest.mark.parametrize("packed", [True, False])
def test_one_file_of_the_four_is_told_apart_from_a_table(tmp_path, packed):
    mnist(tmp_path / "mnist", packed)
    for path in (tmp_path / "mnist").iterdir():
        with pytest.raises(DdcalcError, match="is no table; for IDX files, name the folder"):
            read(str(path))


def test_a_broken_gzip_file_is_told(tmp_path):
    folder = mnist(tmp_path / "mnist")
    path = folder / "train-images-idx3-ubyte.gz"
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(DdcalcError, match="cannot be read"):
        read(str(folder))


def test_a_missing_file_is_named(tmp_path):
    folder = mnist(tmp_path / "mnist")
    (folder / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(DdcalcError, match="holds no files whose name begins with t10k-labels"):
        read(str(folder))


def test_a_pipe_is_not_waited_for(tmp_path):
    folder = mnist(tmp_path / "mnist")
    (folder / "train-labels-idx1-ubyte.gz").unlink()
    os.mkfifo(folder / "train-labels-idx1-ubyte.gz")
    with pytest.raises(DdcalcError, match="is no regular file"):
        read(str(folder))


def test_a_table_has_a_label_and_inputs(tmp_path):
    value = read(str(tiny.table(tmp_path / "t.csv", 50)))
    assert (value.features, value.classes) == (4, 3)
    assert (len(value.labels), len(value.test_labels)) == (40, 10)
    assert value.inputs.max() <= 1
    assert value.mark == read(str(tiny.table(tmp_path / "u.csv", 50))).mark
    assert value.mark != read(str(tiny.table(tmp_path / "u.csv", 51))).mark


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("", 0, 0, "has no row of numbers"),
        ("label,a,b\n", 0, 0, "has no row of numbers"),
        ("0,1,2\n1,x,3\n", 2, 3, "'x' is not a number"),
        ("0,1,2\n1,,3\n", 2, 3, "an empty cell; a number is wanted"),
        ("0,1,2\n1,2,nan\n", 2, 5, "'nan' is not a number"),
        ("0,1,2\n1,2,-inf\n", 2, 5, "'-inf' is not a number"),
        ("0,1,2\n\n1,2,1e999\n", 3, 5, "'1e999' is not a number"),
        ("0,1,2\n1,2\n", 2, 0, "2 cells; the first row has 3"),
        ("0\n1\n", 1, 0, "one cell in a row"),
        ("0,1\n1,1\n", 0, 0, "has 2 samples; at least 5"),
        ("0,1\n-1,1\n" * 3, 2, 1, "-1 is no label"),
        ("0,1\n0,2\n1.5,1\n" * 3, 3, 1, "1.5 is no label"),
        ("a,b\n0,1\n1000,2\n1,1\n" + "1,1\n" * 3, 3, 1, "1000 is no label"),
    ],
)
def test_wrong_tables_are_told_with_the_place(tmp_path, text, line, column, says):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DdcalcError) as caught:
        read(str(path))
    assert says in str(caught.value)
    place = caught.value.place
    assert (place.line, place.column) == (line, column)
    assert place.file in (str(path), "t.csv")
