"""The verb ``sweep`` as it is called: formats, files, limits, interruption, memory."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from running import Ran, ddcalc

import ddcalc as package
from ddcalc.boundary.signals import Terminated, interruptible, reraise_signals
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.catalog import problem_named

ROOT = Path(__file__).parents[1]
GIVEN = "--samples 76800 --epochs 10 --download 1.5s --compute 4s --upload 1.5s --aggregate 15ms"
EXAM = ["sweep", "epoch-time", *GIVEN.split()]
VARY = ["--vary", "workers=1..40", "--vary", "batch=256,512,1536"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def swept(*arguments: str) -> Ran:
    ran = ddcalc(*EXAM, *arguments)
    assert ran.code == 0, ran.err
    return ran


def total(workers: int, batch: int) -> Fraction:
    """The exam's total by another way: round after round."""
    left = -(-76800 // batch) * 10
    time = Fraction(0)
    while left > 0:
        time += 7 + Fraction(15, 1000) * min(left, workers)
        left -= workers
    return time


WANTED = {(w, b): total(w, b) for w in range(1, 41) for b in (256, 512, 1536)}
BEST = min(WANTED.values())
AT = next(place for place, value in WANTED.items() if value == BEST)
TIES = sum(value == BEST for value in WANTED.values())


# Formats


def test_csv() -> None:
    ran = swept(*VARY, "--format", "csv")
    header, *rows = csv.reader(io.StringIO(ran.out))
    assert header == ["workers", "batch", "total [s]"]
    points = [(int(workers), int(batch), Fraction(value)) for workers, batch, value in rows]
    assert points == [(w, b, value) for (w, b), value in WANTED.items()]
    assert ran.err == ""


def test_json() -> None:
    data = json.loads(swept(*VARY, "--format", "json").out)
    assert (data["problem"], data["status"], data["points"]) == ("epoch-time", "solved", 120)
    assert [axis["name"] for axis in data["varied"]] == ["workers", "batch"]
    assert [axis["values"] for axis in data["varied"]] == [40, 3]
    assert data["rows"] == [[w, b, float(value)] for (w, b), value in WANTED.items()]
    [best] = data["optimum"]
    assert Fraction(best["exact"]) == BEST
    assert (best["name"], best["sought"], best["points"]) == ("total", "least", TIES)
    assert (best["at"]["workers"], best["at"]["batch"]) == AT
    assert {"title", "text", "remarks", "steps"} <= data.keys()
    assert "steps" not in json.loads(swept(*VARY, "--format", "json", "--steps", "none").out)


def test_the_text_tells_the_best() -> None:
    ran = swept(*VARY)
    best = quantity_text(BEST, SECOND)
    at = f"workers = {AT[0]}, batch = {quantity_text(AT[1], None)}"
    assert f"Answer     smallest total = {best} at {at}\n" in ran.out
    assert f"all 120 points, exactly; {TIES} points tie for the smallest total" in ran.out
    formula = "T = R·t_full + t_last = "
    assert formula not in ran.out  # unless all is wanted, and then after the points
    assert swept(*VARY, "--all").out.index(formula) > ran.out.index("Given")
    assert len(re.findall(r"^   .* s +smallest total$", ran.out, re.M)) == 1
    for line in ran.out.splitlines():
        assert len(line) <= 80
    assert swept(*VARY, "--steps", "none").out.startswith(f"smallest total = {best} at")


def test_a_long_table_is_cut_unless_all_is_asked() -> None:
    assert "…  " in swept(*VARY).out
    everything = swept(*VARY, "--all").out
    assert "…  " not in everything.partition("The points")[2]
    rows = re.findall(r"^ +\d+ +[\d ]+ +([\d .]+) s", everything, re.M)
    assert len(rows) == 120


@pytest.mark.parametrize("suffix", [".csv", ".ndjson", ".json", ".svg", ".html"])
def test_files_by_their_suffix(suffix: str) -> None:
    if suffix in (".svg", ".html"):
        pytest.importorskip("matplotlib")
    ran = swept(*VARY, "--output", f"out{suffix}")
    assert (ran.out, ran.err.startswith(f"wrote out{suffix}")) == ("", True)
    text = Path(f"out{suffix}").read_text(encoding="utf-8")
    assert os.listdir() == [f"out{suffix}"]
    match suffix:
        case ".svg":
            ET.fromstring(text.encode())
        case ".html":
            assert text.count('<svg class="picture"') == 1
            assert "smallest total = " in text
        case _:
            assert text == swept(*VARY, "--format", suffix[1:]).out
    again = ddcalc(*EXAM, *VARY, "--output", f"out{suffix}")
    assert (again.code, Path(f"out{suffix}").read_text(encoding="utf-8")) == (2, text)


def test_a_front_is_drawn() -> None:
    pytest.importorskip("matplotlib")
    arguments = ["--price", "2.5USD/h", *VARY, "--minimize", "total", "--minimize", "cost"]
    front = json.loads(swept(*arguments, "--format", "json").out)["front"]
    root = ET.fromstring(swept(*arguments, "--format", "svg").out.encode())
    assert (root[0].text or "").endswith("Cost by total")
    page = swept(*arguments, "--format", "html").out
    at = r"workers = \d+, batch = [\d\s]+"
    assert re.search(f">the Pareto front, from {at} to {at}</text>", page)
    assert page.count("<svg ") == 2
    assert len(front) > 2
    one = ["--workers", "6", "--batch", "1536", "--price", "2.5USD/h", "--vary"]
    goals = ["--minimize", "total", "--minimize", "cost", "--format", "svg"]
    ran = ddcalc(*EXAM, *one, "queue=carry,per-epoch", *goals)
    assert (ran.code, "makes no curve" in ran.err) == (2, True)  # one is better in both


def test_a_chart_below_the_text() -> None:
    pytest.importorskip("plotille")
    ran = swept("--batch", "1536", "--vary", "workers=1..40", "--chart")
    assert "└──" in ran.out
    assert "o  smallest total = 98.5 s at workers = 39" in ran.out


def test_a_chart_without_plotille(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotille", None)
    ran = ddcalc(*EXAM, "--batch", "1536", "--vary", "workers=1..4", "--chart")
    assert ran.code == 2
    assert "pip install 'ddcalc[plot]'" in ran.err


# What is asked


def test_a_problem_of_a_file() -> None:
    file = ROOT / "problems" / "exam.yaml"
    ran = ddcalc("sweep", file, "ps-epochs", "--vary", "workers=5..7", "--format", "csv")
    assert (ran.code, ran.err) == (0, "")
    rows = [line.split(",") for line in ran.out.splitlines()[1:]]
    assert [(int(w), Fraction(value)) for w, value in rows] == [
        (w, total(w, 1536)) for w in (5, 6, 7)
    ]
    ran = ddcalc("sweep", file, "--vary", "workers=5..7")
    assert (ran.code, ran.out) == (2, "")
    assert "name one by its id" in ran.err


WRONG = [  # what an axis or a question refuses stands in ask/test_sweeps.py
    ([], "missing: --vary"),
    (["--vary", "workers"], "not written as NAME=VALUES"),
    (["--vary", "workrs=1..3"], "did you mean 'workers'"),
    (["--vary", "workers=5..1"], "ends before it begins(.|\\n)*--> --vary workers"),
    (["--vary", "workers=" + "9" * 100_000], "longer than 200 characters"),
    (["--vary", "workers=" + "1," * 99_999 + "2..9"], "list of more than 100000"),
    (["--vary", "workers=1..200000", "--all"], "at most 100 000 are possible"),
    (["--vary", "workers=1..200000", "--format", "json"], "at most 100 000 are possible"),
    (["--vary", "workers=1..2000000", "--chart"], "at most 1 000 000 are possible"),
    (["--vary", "workers=1..2^60"], "take very long; --any-size(.|\\n)*--> --vary"),
    (["--vary", "workers=1..10^10", "--output", "big.csv"], "[0-9]+ GB or more(.|\\n)*--any-size"),
    (["--vary", "workers=1..9", "--jobs", "2"], "No such option: --jobs"),
    (["--vary", "workers=1..2", "--quantity", "nope"], "unknown quantity"),
    (["--vary", "workers=1..2", "--maximize", "nope"], "unknown quantity(.|\\n)*--> --maximize"),
    (["--vary", "workers=1..2", "--maximize", "cost"], "does not follow(.|\\n)*--> --maximize"),
    (["--vary", "workers=1..2", "--minimize", "total", "--maximize", "total"], "smallest and"),
    (["--vary", "workers=1..2", "--minimize", "total", "--minimize", "total"], "more than once"),
    (["--vary", "workers=1..2", *(f"--minimize={n}" for n in ("total", "cost", "epoch"))], "two"),
    (["--vary", "workers=1..2", "--chart", "--format", "csv"], "--chart goes with text"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG)
def test_wrong_calls(arguments: list[str], reason: str) -> None:
    usual = [] if any("batch" in word for word in arguments) else ["--batch", "1536"]
    started = time.process_time()
    ran = ddcalc(*EXAM, *usual, *arguments)
    assert (ran.code, ran.out) == (2, "") or "json" in arguments
    assert re.search(reason, ran.err), ran.err
    assert ran.err.startswith("error: ")
    assert "\x1b" not in ran.err
    assert time.process_time() - started < 20  # work without a bound takes far more
    assert os.listdir() == []


def test_what_has_no_value_is_marked_and_counted() -> None:
    ran = swept("--vary", "workers=1..2", "--vary", "batch=1536,100k", "--format", "csv")
    assert [line.split(",")[2] == "" for line in ran.out.splitlines()[1:]] == [False, True] * 2
    assert ran.err.splitlines() == [
        "note: 2 points have no value, first at workers = 1, batch = 100 000:"
        " '100 000' is a batch larger than the data (76 800 samples)",
    ]
    text = swept("--vary", "workers=1..2", "--vary", "batch=1536,100k").out
    assert text.count("no value") == 2
    assert "No value" in text
    ran = ddcalc(*EXAM, "--vary", "workers=0..2", "--batch", "1536")
    assert (ran.code, "'0' is too small" in ran.err) == (2, True)


def test_played_types() -> None:
    call = ["timeline", "--horizon", "24s", "--periods", "1s,2s,4s"]
    ran = ddcalc("sweep", *call, "--scheme", "ssp", "--vary", "staleness=0..3", "--format", "csv")
    assert ran.code == 0
    for line in ran.out.splitlines()[1:]:
        bound, gradients = line.split(",")
        alone = ddcalc(*call, "--scheme", "ssp", "--staleness", bound, "--steps", "none")
        said = re.search(r"finish (\d+) gradients", " ".join(alone.out.split()))
        assert said is not None
        assert said[1] == gradients


def test_answers_in_letters() -> None:
    call = ["sweep", "divergence", "--starts", "0.15s,0.2s", "--update", "0.2s"]
    ran = ddcalc(*call, "--vary", "horizon=0.3s,0.6s")
    assert ran.code == 0
    assert "4ηΔ" in ran.out
    lines = ddcalc(*call, "--vary", "horizon=0.3s,0.6s", "--format", "csv").out.splitlines()
    assert lines[2] == "0.6,4*Delta*eta"
    pytest.importorskip("matplotlib")
    ran = ddcalc(*call, "--vary", "horizon=0.6s,0.8s", "--format", "svg")
    assert (ran.code, "has no value that could be drawn" in ran.err) == (2, True)
    assert "<svg" in ddcalc(*call, "--vary", "horizon=0.3s,0.6s", "--format", "svg").out


# Interruption and memory


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ddcalc", *EXAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )


@pytest.mark.parametrize(
    ("suffix", "number", "code"),
    [(".csv", signal.SIGINT, 130), (".ndjson", signal.SIGTERM, 143)],
)
def test_what_is_finished_stays(suffix: str, number: signal.Signals, code: int) -> None:
    name = f"big{suffix}"
    process = started("--vary", "workers=1..10000", "--vary", "batch=1..10000", "--output", name)
    end = time.monotonic() + 30
    while not any(Path(file).stat().st_size > 10**6 for file in os.listdir()):
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert os.listdir() == [name]
    lines = Path(name).read_text().splitlines()
    points = len(lines) - (suffix == ".csv")
    assert err == f"interrupted: {name} has {points} of 100000000 points\n"
    for at in (9_999, points // 2, points - 1):
        workers, batch = at // 10_000 + 1, at % 10_000 + 1
        value = total(workers, batch)
        line = lines[at + (suffix == ".csv")]
        if suffix == ".csv":
            assert [Fraction(cell) for cell in line.split(",")] == [workers, batch, value]
        else:
            wanted = {"workers": workers, "batch": batch, "total": float(value)}
            assert json.loads(line) == wanted


@pytest.mark.parametrize(
    ("number", "ends"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]
)
def test_an_interruption_is_told_as_such(number: signal.Signals, ends: type[BaseException]) -> None:
    """NumPy may make a TypeError of what a signal raises inside."""
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]

    def masking(works: Callable[[], object]) -> None:
        with interruptible(), reraise_signals():
            try:
                works()
            except BaseException:
                raise TypeError("Cannot compare structured arrays") from None

    with pytest.raises(ends):
        masking(lambda: signal.raise_signal(number))
    with pytest.raises(TypeError):
        masking(lambda: 1 / 0)
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.parametrize(
    ("number", "wait", "code"), [(signal.SIGINT, 1, 130), (signal.SIGTERM, 1_500_000, 143)]
)
def test_no_line_is_cut_in_two_in_a_pipe(number: signal.Signals, wait: int, code: int) -> None:
    call = ["--vary", "workers=1..10000", "--vary", "batch=1..10000", "--format", "csv"]
    with started(*call) as process:
        assert process.stdout is not None
        out = process.stdout.read(wait)
        process.send_signal(number)
        out += process.stdout.read()
    assert process.wait(timeout=60) == code
    assert out.endswith("\n")
    last = out.splitlines()[-1].split(",")
    assert len(last) == 3
    assert float(last[2]) > 0


def test_memory_does_not_grow_with_the_points() -> None:
    """Of processes that write 10 000 and a million points."""
    peaks = []
    for size in (100, 1000):
        code = f"""
import os, resource, sys
sys.argv = ["ddcalc", *{EXAM!r}, "--vary", "workers=1..{size}", "--vary", "batch=1..{size}",
            "--format", "csv"]
from ddcalc.cli.main import run
assert run(sys.argv[1:]) == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""
        with open(os.devnull, "w") as nowhere:
            ran = subprocess.run(
                [sys.executable, "-c", code],
                stdout=nowhere,
                stderr=subprocess.PIPE,
                text=True,
                check=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        peaks.append(int(ran.stderr.splitlines()[-1]) / 1024)
    assert peaks[1] < peaks[0] + 25, peaks


# In Python


def test_sweep_in_python() -> None:
    given = {"samples": 76800, "epochs": 10, "download": "1.5 s", "compute": 4, "upload": 1.5}
    done = package.sweep(
        "epoch-time", vary={"workers": range(1, 41), "batch": [256, 512, 1536]},
        aggregate="15 ms", **given,
    )  # fmt: skip
    columns = done.columns
    assert len(columns) == 120
    assert list(columns.arrays) == ["workers", "batch", "total"]
    assert columns.arrays["workers"].dtype.kind == "i"
    assert columns.arrays["total"].tolist() == [float(value) for value in WANTED.values()]
    assert list(columns.exact("total")) == list(WANTED.values())
    assert columns.best == {"total": (BEST, {"workers": AT[0], "batch": AT[1]})}
    assert (columns.front, columns.notes) == (None, [])
    assert repr(done).startswith("<epoch-time: 120 points of workers, batch; smallest total = ")
    assert "<table>" in done._repr_html_()
    with pytest.raises(package.DdcalcError):
        list(columns.exact("nonsense"))
    with pytest.raises(package.DdcalcError):
        package.sweep("epoch-time", vary={"workers": [True]}, **given)


def test_names_and_gaps_in_python() -> None:
    given = {"download": "1.5 s", "compute": 4, "upload": 1.5}
    vary = {"relation": ["exceeds", "reaches"], "aggregate": ["0 s", "20 ms", "15 ms"]}
    columns = package.sweep("breakeven", vary=vary, maximize=["workers"], **given).columns
    assert columns.arrays["relation"].tolist() == ["exceeds"] * 3 + ["reaches"] * 3
    assert columns.arrays["aggregate"].tolist() == [0, 0.02, 0.015] * 2
    values = columns.arrays["workers"].tolist()
    assert [None if value != value else value for value in values] == [None, 51, 67, None, 50, 67]
    assert columns.best["workers"] == (67, {"relation": "exceeds", "aggregate": Fraction(3, 200)})
    assert [note.points for note in columns.notes] == [2]
    assert problem_named("breakeven").answer == "workers"


def test_what_is_best_comes_first() -> None:
    out = swept(*VARY, "--chart").out
    order = ["Answer", "total [s]", "The points", "Given", "Compared"]
    places = [out.index(f"\n{'  ' if word == 'total [s]' else ''}{word}") for word in order]
    assert places == sorted(places)
    pytest.importorskip("matplotlib")
    page = swept(*VARY, "--format", "html").out
    assert page.index("Answer") < page.index("<svg") < page.index("The points")


@pytest.mark.parametrize(
    ("log", "ticks"),
    [
        ([], {"0", "10", "20", "500", "3 500"}),
        (["--log", "x,y"], {"1", "10", "100", "1 000"}),
        (["--log", "y"], {"0", "10", "100", "1 000"}),
        (["--log", "x"], {"1", "10", "500", "3 500"}),
    ],
)
def test_scales_are_logarithmic_where_that_is_wanted(log: list[str], ticks: set[str]) -> None:
    pytest.importorskip("matplotlib")
    vary = ["--batch", "1536", "--vary", "workers=1..40"]
    numbers = re.findall(r">([^<]*)</text>", swept(*vary, *log, "--format", "svg").out)
    assert ticks <= {*numbers}
    assert ("3 500" in numbers) == ("3 500" in ticks)
    assert "smallest total" in swept(*vary, *log, "--chart").out


def test_a_unit_holds_for_all_that_it_measures() -> None:
    """Times in hours, money in its own."""
    words = ["--price", "2USD/h", "--quantity", "total", "--quantity", "cost", "--unit", "min"]
    vary = ["--batch", "1536", "--vary", "workers=1,2"]
    out = swept(*words, *vary).out
    assert "≈ 58.46 min" in out
    assert " USD" in out
    assert swept(*words, *vary, "--format", "csv").out.startswith(
        "workers,total [min],cost [USD]\n1,58.45833333333333"
    )
    shorter = ["--price", "2USD/h", "--quantity", "T, cost", "--unit", "min"]
    csv = ("--format", "csv")
    assert swept(*shorter, *vary, *csv).out == swept(*words, *vary, *csv).out
    data = json.loads(swept(*words, *vary, "--format", "json").out)
    assert [one["unit"] for one in data["quantities"]] == ["min", "USD"]
    assert data["rows"][0][1] == pytest.approx(3507.5 / 60)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--log", "z", "--chart"], "error: 'z' is not x, y, x,y or none\n --> --log\n"),
        (
            ["--log", "y"],
            "error: 'y' goes with a chart: --chart, or --output FILE.svg or FILE.html",
        ),
        (["--unit", "GB"], "error: 'GB' measures data; total is time\n --> --unit\n"),
        (["--unit", "fortnight"], "error: unknown unit 'fortnight'"),
        (
            ["--vary", "compute=0..4:1", "--log", "x", "--chart"],
            "no logarithmic scale shows\n --> --log\n",
        ),
    ],
)
def test_what_cannot_be_drawn_or_measured_is_refused(wrong: list[str], says: str) -> None:
    fixed = [word for i, word in enumerate(EXAM) if "--compute" not in (word, EXAM[i - 1])]
    asked = [*fixed, "--workers", "3"] if "--vary" in wrong else [*EXAM, "--vary", "workers=1..4"]
    ran = ddcalc(*asked, "--batch", "1536", *wrong)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
