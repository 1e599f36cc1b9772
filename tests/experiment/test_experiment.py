"""The verb: what it finds, keeps, refuses; killed and resumed."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
from io import StringIO
from multiprocessing import active_children
from time import monotonic, sleep

import pytest
import tiny
from running import ddcalc, shell

from ddcalc.experiment import runs

SMALL = {
    "--workers": "3", "--batch": "6", "--seeds": "2", "--epochs": "4", "--target": "0.7",
    "--step-size": "1",
}  # fmt: skip


@pytest.fixture
def samples(tmp_path):
    return tiny.table(tmp_path / "tiny.csv")


def words(samples, *more):
    """A call with *more* options, each with its value, instead of the small ones."""
    options = {"--data": samples, **SMALL, **dict(zip(more[::2], more[1::2], strict=True))}
    return ["experiment", *(str(one) for pair in options.items() for one in pair)]


def run(samples, *more, flags=(), **how):
    return ddcalc(*words(samples, *more), *flags, **how)


def test_the_findings(samples):
    ran = run(samples)
    assert (ran.code, ran.err) == (0, "")
    assert "Which of 7 schemes comes first to 70 % accuracy on tiny.csv?" in ran.out
    for words in ("one worker ", "sync ", "2 of 3, drop", "2 of 3, reuse", "async ", "Answer  "):
        assert words in ran.out
    assert "2 of 3, reuse against 2 of 3, drop" in ran.out
    assert "48 samples to train with, 12 to test" in ran.out


def test_the_same_seed_finds_the_same_in_other_processes(samples):
    here = run(samples, "--format", "json", "--schemes", "async,reuse:2+top:20%")
    call = words(samples, "--format", "json", "--schemes", "async,reuse:2+top:20%")
    alone, pool = shell(*call), shell(*call, "--jobs", "2")
    assert (alone.returncode, alone.stderr, pool.stderr) == (0, "", "")
    assert here.out == alone.stdout == pool.stdout
    other = run(samples, "--format", "json", "--schemes", "async,reuse:2+top:20%", "--seed", "9")
    assert other.out != here.out


def test_the_runs_as_a_table_agree_with_json(samples):
    rows = list(csv.DictReader(StringIO(run(samples, "--format", "csv").out)))
    runs = json.loads(run(samples, "--format", "json").out)["runs"]
    lines = run(samples, "--format", "ndjson").out.splitlines()
    assert [json.loads(line) for line in lines] == runs
    assert len(rows) == len(runs) == 14
    for row, made in zip(rows, runs, strict=True):
        assert (row["scheme"], int(row["seed"])) == (made["scheme"], made["seed"])
        hits = [p for p in made["points"] if p["accuracy"] >= 0.7]
        time, updates = (hits[0]["time"], hits[0]["updates"]) if hits else (None, None)
        assert (made["target_time"], made["target_updates"]) == (time, updates)
        assert row["target_time"] == ("" if time is None else str(time))
        assert float(row["loss"]) == made["points"][-1]["loss"]


def test_speed_ups_are_the_mean_of_ratios_of_the_same_seeds(samples):
    runs = json.loads(run(samples, "--format", "json").out)["runs"]
    times = {(one["scheme"], one["seed"]): one["target_time"] for one in runs}
    ratios = [times["sync", seed] / times["async", seed] for seed in (1, 2)]
    text = run(samples).out.partition("How many times faster")[2]
    row = next(line for line in text.splitlines() if line.startswith("   async"))
    value = float(re.split(r"  +", row.strip())[2].split(" ")[0])
    assert value == pytest.approx(sum(ratios) / 2, rel=0.05)


@pytest.mark.parametrize("suffix", ["csv", "svg", "html", "md", "tex", "json", "ndjson", "txt"])
def test_every_format_is_written(samples, tmp_path, suffix):
    target = tmp_path / f"found.{suffix}"
    ran = run(samples, "--schemes", "async", "--output", target)
    assert (ran.code, ran.out, ran.err) == (0, "", f"wrote {target}\n")
    assert "async" in target.read_text()


def test_one_seed_shows_nothing(samples):
    ran = run(samples, "--seeds", "1")
    assert ran.code == 0
    assert "one seed has no spread" in ran.out
    assert "with the only seed, which can show no difference" in " ".join(ran.out.split())
    assert "too few runs reached the target with both to tell" in " ".join(ran.out.split())


def test_each_scheme_gets_the_step_size_that_serves_it_best(samples, tmp_path):
    state = tmp_path / "runs.ndjson"
    call = [one for one in words(samples, "--state", state) if one not in ("--step-size", "1")]
    call += ["--tune", "0.01,2,1e-9", "--schemes", "async"]
    ran = ddcalc(*call)
    assert ran.code == 0
    assert "0.01, 2, " in ran.out
    runs = json.loads(ddcalc(*call, "--format", "json").out)["runs"]
    assert {one["step_size"] for one in runs} == {2}
    assert {one["seed"] for one in runs} == {1, 2}
    lines = [json.loads(line) for line in state.read_text().splitlines()]
    tried = sorted(line["seed"] for line in lines if line["step"] == "1/100")
    assert tried == [3, 3, 3, 4, 4, 4, 5, 5, 5]
    assert "so others may be better still: one worker (η = 2)" in " ".join(ran.out.split())


@pytest.mark.parametrize("sizes", ["0,1", "1,1", "-1", "1,2,3,4,5,6,7,8,9", "x"])
def test_step_sizes_are_checked(samples, sizes):
    ran = ddcalc("experiment", "--data", samples, "--tune", sizes)
    assert (ran.code, ran.out) == (2, "")
    assert "--tune" in ran.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_keeps_what_is_finished(samples, tmp_path, number, code):
    state = tmp_path / "runs.ndjson"
    call = words(samples, "--seeds", "40", "--epochs", "90", "--state", state, "--jobs", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "ddcalc", *call], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    until = monotonic() + 60
    while not state.exists():
        assert monotonic() < until
        assert process.poll() is None
        sleep(0.005)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, b"", b"")
    assert all("points" in json.loads(line) for line in state.read_text().splitlines())


def killing(monkeypatch, often):
    """Let all processes be killed when a run is kept, *often* times."""
    kept, times = runs.Kept.add, iter(range(often))

    def kill(*arguments):
        kept(*arguments)
        if next(times, None) is not None:
            for process in active_children():
                process.kill()

    monkeypatch.setattr(runs.Kept, "add", kill)


def test_a_process_that_is_killed_is_replaced(samples, monkeypatch):
    usual = run(samples, "--format", "csv")
    killing(monkeypatch, 1)
    ran = run(samples, "--jobs", "2", "--format", "csv")
    assert (ran.code, ran.out, ran.err) == (0, usual.out, usual.err)
    assert not active_children()


def test_processes_that_are_killed_again_are_told(samples, monkeypatch):
    monkeypatch.setattr(runs, "_trained", kill_this_process)
    ran = run(samples, "--jobs", "2")
    assert (ran.code, ran.out) == (2, "")
    assert "a process that trains was ended from outside" in ran.err
    assert not active_children()


def kill_this_process(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_target_out_of_reach_is_told(samples):
    ran = run(samples, "--target", "1", "--epochs", "1")
    assert ran.code == 0
    assert "no scheme reached 100 % accuracy with every seed" in ran.out
    assert "did not reach 100 % accuracy: 2 of 2 (one worker)" in " ".join(ran.out.split())


def test_finished_runs_are_not_made_again(samples, tmp_path):
    state = tmp_path / "runs.ndjson"
    first = run(samples, "--state", state, "--schemes", "async", "--format", "csv")
    lines = [json.loads(line) for line in state.read_text().splitlines()]
    assert len(lines) == 6
    for line in lines:
        line["points"][-1][3] = 77.0  # a loss that no run has
    state.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    again = run(samples, "--state", state, "--schemes", "async,ssp:1", "--format", "csv")
    losses = [row["loss"] for row in csv.DictReader(StringIO(again.out))]
    assert losses.count("77.0") == 6
    assert len(losses) == 8
    assert len(state.read_text().splitlines()) == 8
    other = run(samples, "--state", state, "--schemes", "async", "--step-size", "2",
                "--format", "csv")  # fmt: skip
    assert "77.0" not in other.out
    assert len(state.read_text().splitlines()) == 14
    assert "77.0" not in first.out


def test_a_killed_run_is_resumed(samples, tmp_path):
    state, plain = tmp_path / "runs.ndjson", tmp_path / "plain.ndjson"
    call = words(samples, "--seeds", "2", "--epochs", "20", "--format", "csv")
    process = subprocess.Popen(
        [sys.executable, "-m", "ddcalc", *call, "--state", str(state)], stdout=subprocess.PIPE
    )
    until = monotonic() + 60
    while not (state.exists() and len(state.read_text().splitlines()) > 3):
        assert monotonic() < until
        assert process.poll() is None
        sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    kept = state.read_text().splitlines()
    assert 3 < len(kept) < 14
    resumed = ddcalc(*call, "--state", state)
    assert resumed.code == 0
    assert state.read_text().splitlines()[: len(kept)] == kept
    assert resumed.out == ddcalc(*call, "--state", plain).out
    assert not [one for one in os.listdir(tmp_path) if one.endswith(".tmp")]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--schemes", "drop:4"], "'drop:4' waits for more than the 3 workers there are"),
        (["--schemes", "drop"], "'drop' needs its k, as in drop:2"),
        (["--schemes", "sync:2"], "'sync:2' takes no number"),
        (["--schemes", "ssp:-1"], "'ssp:-1' must be from 0"),
        (["--schemes", "ssp:1/2"], "has no whole number after the colon"),
        (["--schemes", "asinc"], "did you mean 'async'"),
        (["--schemes", "async,async"], "'async' is given more than once"),
        (["--schemes", "async,,sync"], "has nothing between two commas"),
        (["--schemes", "async+top:0%"], "must be more than 0 %"),
        (["--schemes", "async+quantize:0"], "must be from 1 to 16"),
        (["--schemes", "async+zip:3"], "unknown way to send 'zip:3'"),
        (["--batch", "7"], "'7' cannot be split evenly over 3 workers"),
        (["--layers", "3,x"], "'x' has letters"),
        (["--tune", "1,2"], "leave --step-size away"),
        (["--layers", "100000,100000"], "parameters; at most 50000000 are trained"),
        (
            ["--layers", "10000,3000", "--workers", "24", "--batch", "24"],
            "'24' are too many for 30",
        ),
        (["--batch", "51"], "'51' is more than the 48 samples to train with"),
        (["--epochs", "10000", "--interval", "1"], "a run is looked at 10000 times at most"),
        (["--periods", "1s,2s"], "does not fit periods, which lists 2"),
        (["--spread", "1 s"], "goes with a distribution of times that takes it"),
        (["--output", "x.png"], "its suffix names no format"),
    ],
)
def test_what_is_wrong_is_refused(samples, options, says):
    ran = run(samples, *options)
    assert ran.code in (2, 3)
    assert ran.out == ""
    assert says in ran.err.replace("\n", " ")


def test_a_file_that_is_no_state_is_left_alone(samples, tmp_path):
    for text in ("notes\n", "{}\n", '{"form": 1}\n', "[1]\n", "\n"):
        (tmp_path / "notes").write_text(text)
        ran = run(samples, "--state", tmp_path / "notes")
        assert ran.code == 2
        assert "is no finished run" in ran.err
        assert "notes:1" in ran.err
        assert (tmp_path / "notes").read_text() == text


def test_the_bundled_digits_need_their_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    ran = ddcalc("experiment")
    assert ran.code == 2
    assert "python3 -m pip install 'ddcalc[digits]'" in ran.err


def test_bundled_digits_are_learnt():
    pytest.importorskip("sklearn")
    call = ["experiment", "--seeds", "1", "--epochs", "8", "--format", "json"]
    ran = ddcalc(*call, "--schemes", "async,drop:6,reuse:6")
    assert ran.code == 0
    text = json.loads(ran.out)
    assert text["tests"] == 359
    assert all(one["accuracy"] > 0.85 for one in text["runs"])


def test_messages_that_take_no_time_are_told(samples):
    text = " ".join(run(samples, "--schemes", "async+top:50%").out.split())
    assert "async + top 50%: smaller messages save no time where sending takes none" in text
    text = run(samples, "--schemes", "async+top:50%", "--upload", "1 s").out
    assert "smaller messages" not in text


def test_a_loss_that_shoots_up_does_not_flatten_the_chart(samples, tmp_path):
    for size, wide in (("1", False), ("200", True)):
        target = tmp_path / f"{size}.svg"
        assert run(samples, "--step-size", size, "--output", target).code == 0
        text = target.read_text()
        assert ("not drawn)" in text) == wide
        assert text.count("<g>") >= 6


def test_runs_that_end_with_an_average_are_told(samples):
    """48 samples in batches of 6 make 8 steps; averages after 3 come to 9."""
    call = ["--epochs", "1", "--schemes", "local:3,local:2"]
    text = " ".join(run(samples, *call).out.split())
    assert "local, H = 3: a run ends with an average, so after 9 steps of each worker" in text
    assert "local, H = 2: a run ends" not in text


def test_what_was_sent_is_told_where_sending_takes_time(samples, tmp_path):
    state = tmp_path / "runs.ndjson"
    text = " ".join(run(samples, "--download", "1 s", "--state", state).out.split())
    assert "parameters as they are when the server sends them" in text
    assert all('"read": "arrival"' in line for line in state.read_text().splitlines())
    assert "when the server sends" not in " ".join(run(samples).out.split())
