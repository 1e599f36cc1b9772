"""The verb: what it reads, finds and refuses."""

import gzip
import json
import os
import sys

import numpy as np
import pytest
import tiny
from running import ddcalc, python
from tables import rows

from ddcalc.errors import DdcalcError
from ddcalc_experiment.findings import estimate, plain
from ddcalc_experiment.samples import read

SMALL = ("--workers", "3", "--batch", "6", "--seeds", "2", "--epochs", "4", "--target", "0.7",
         "--step-size", "1")  # fmt: skip


@pytest.fixture
def run(tmp_path):
    """A call of the verb on small data; an option that is given again is the last one."""
    table = tiny.table(tmp_path / "tiny.csv")

    def called(*options, **how):
        said = dict(zip(SMALL[::2], SMALL[1::2], strict=True), **{"--data": table})
        said |= dict(zip(options[::2], options[1::2], strict=True))
        return ddcalc("experiment", *(str(one) for pair in said.items() for one in pair), **how)

    return called


def test_the_runs_agree_with_the_page(run):
    runs = json.loads(run("--format", "json").out)["runs"]
    assert len(runs) == 14
    for made in runs:
        hits = [p for p in made["points"] if p["accuracy"] >= 0.7]
        time, updates = (hits[0]["time"], hits[0]["updates"]) if hits else (None, None)
        assert (made["target_time"], made["target_updates"]) == (time, updates)
        assert made["loss"] == made["points"][-1]["loss"]
    times = {(one["scheme"], one["seed"]): one["target_time"] for one in runs}
    gaps = [times["async", seed] - times["sync", seed] for seed in (1, 2)]
    error = abs(gaps[0] - gaps[1]) / 2
    assert plain(sum(gaps) / 2, error) in run().out


@pytest.mark.parametrize(("module", "extra", "options"), [
    ("sklearn.datasets", "digits", ["--data", "digits"]), ("torch", "torch", ["--model", "lenet"]),
])  # fmt: skip
def test_what_lacks_its_library_says_how_to_install_it(run, monkeypatch, module, extra, options):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "ddcalc_experiment.lenet", raising=False)
    ran = run(*options)
    assert ran.code == 2
    assert f"python3 -m pip install 'ddcalc[{extra}]'" in " ".join(ran.err.split())


def test_digits_are_learnt(run):
    pytest.importorskip("sklearn")
    call = ("--data", "digits", "--batch", "60", "--step-size", "0.5", "--seeds", "1")
    runs = json.loads(run(*call, "--schemes", "async,reuse:2", "--format", "json").out)["runs"]
    assert [one["scheme"] for one in runs] == ["one", "sync", "async", "reuse:2"]
    assert all(one["loss"] < 0.5 * one["points"][0]["loss"] for one in runs)


def test_lenet_finds_the_same_again(run):
    pytest.importorskip("torch")
    call = ("--model", "lenet", "--epochs", "1", "--seeds", "1", "--schemes", "local:2")
    first, again = run(*call), run(*call)
    assert first.out == again.out
    assert "LeNet-5 (PyTorch)" in first.out
    runs = json.loads(run(*call, "--format", "json").out)["runs"]
    assert len({line["loss"] for line in runs}) > 1


def test_nothing_loads_pytorch_unasked():
    code = "from ddcalc.cli.main import main\ntry: main()\nexcept SystemExit: pass\n"
    words = f"import sys; sys.argv = ['ddcalc', 'experiment', '--help']\n{code}"
    assert python(f"{words}assert 'torch' not in sys.modules").returncode == 0


def idx(*shape, head=(0, 0, 8), more=b""):
    """An IDX file whose bytes count up to 2, again and again."""
    sizes = b"".join(size.to_bytes(4, "big") for size in shape)
    content = bytes(i % 3 for i in range(int(np.prod(shape))))
    return bytes((*head, len(shape))) + sizes + content + more


def mnist(folder, **other):
    """A folder with the four files, packed; *other* content by its name."""
    folder.mkdir()
    for part, count in (("train", 10), ("t10k", 5)):
        for kind, usual in (("images", idx(count, 2, 3)), ("labels", idx(count))):
            content = other.get(f"{part}_{kind}", usual)
            (folder / f"{part}-{kind}-ubyte.gz").write_bytes(gzip.compress(content))
    return folder


def test_mnist_is_read_as_it_is_distributed(tmp_path):
    value = read(str(mnist(tmp_path / "mnist")))
    assert (value.name, value.classes) == ("mnist", 3)
    assert (value.inputs.shape, value.test_inputs.shape) == ((10, 6), (5, 6))
    assert value.labels.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "one IDX file that begins with train-images"),
        (idx(10, 2, 3, head=(0, 0, 13)), "has another header"),
        (idx(10, 6), "another header"),
        (idx(10, 2, 3)[:20], "reshape"),
        (idx(10, 2, 3, more=b"!"), "reshape"),
        (idx(0, 2, 3), "another header"),
        (idx(9, 2, 3), "has not a label for each image"),
        (idx(10, 2, 2), "or unlike images"),
    ],
)
def test_wrong_idx_files_are_told(tmp_path, content, says):
    with pytest.raises(DdcalcError, match=says) as caught:
        read(str(mnist(tmp_path / "mnist", train_images=content)))
    assert str(tmp_path) in caught.value.place.file


def test_a_broken_file_and_a_missing_one_are_told_and_a_pipe_is_not_waited_for(tmp_path):
    folder = mnist(tmp_path / "mnist")
    path = folder / "train-images-ubyte.gz"
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(DdcalcError, match="end-of-stream"):
        read(str(folder))
    path.unlink()
    for make in (lambda: None, lambda: os.mkfifo(path)):
        make()
        with pytest.raises(DdcalcError, match=r"begins with train-images.*is missing"):
            read(str(folder))


TABLES = rows("experiment/tables.tsv")


@pytest.mark.parametrize(("text", "line", "column", "says"), TABLES)
def test_wrong_tables_are_told_with_the_place(tmp_path, text, line, column, says):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DdcalcError, match=says) as caught:
        read(str(path))
    assert (caught.value.place.line, caught.value.place.column) == (int(line), int(column))


def test_the_interval_is_that_of_a_textbook():
    """Student's own sleep data (1908): 10 differences, mean 1.58, t = 4.0621."""
    value = estimate([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
    assert (round(value.mean, 9), value.shown) == (1.58, 1)
    assert value.mean / value.error == pytest.approx(4.0621, abs=1e-4)
    assert estimate([]) is None
    assert (estimate([3.0]).error, estimate([3.0]).shown) == (None, 0)
    assert [estimate(x).shown for x in ([-3.0, -2.0, -4.0], [-3.0, 2.0, -4.0])] == [-1, 0]
    assert plain(-1.666, 3.2) == "−1.7 ± 3.2"
