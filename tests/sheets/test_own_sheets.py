"""Anybody's own type: beside a problem file, behind every verb, and never in place of ours."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.ask import examine
from ddcalc.ask.examine import examined
from ddcalc.cli.sheets import first
from ddcalc.problem.sheet.reading import of_ours
from ddcalc.problem.topics import topics

OURS = sorted((Path(__file__).parents[2] / "ddcalc" / "types").glob("*/[!_]*.sheet"))
GIVEN = {"samples": "1000000", "size": "100 kB"}


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sheet to start from, in which we are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheets").mkdir()
    path = tmp_path / "sheets" / "load_data.sheet"
    path.write_text(first("load_data"), "utf-8")
    lines = ", ".join(f"{name}: {value}" for name, value in GIVEN.items())
    (tmp_path / "q.yaml").write_text(
        f"problems:\n  - {{id: a, type: load-data, given: {{{lines}}}, expect: {{time: 125 s}}}}\n"
        f"  - {{id: b, type: load_data, given: {{{lines}}}, claimed: {{time: 250 s}}}}\n",
        "utf-8",
    )
    return path


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_nothing_is_wrong_with_ours(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In some of its shapes; ``ddcalc check`` looks at more."""
    monkeypatch.setattr(examine, "SHAPES", 30)
    assert [f"{error.place}: {error}" for error in examined(path, of_ours)] == []


def test_a_distinction_is_made_for_each_member(mine: Path) -> None:
    """3 stays, 1/2 becomes the first; with 10 more that is 16."""
    mine.with_name("parts.sheet").write_text(
        "How much is it?\n\ngiven\n  xs x [number, list part]: parts\n\nsteps\n"
        "  kept k [each xs]: Kept\n    = xs if xs > 1 else xs[1]\n"
        "  total T: All\n    = sum((10, *kept))\n\nconclude\n  It is {total}.\n",
        "utf-8",
    )
    assert ddcalc("./sheets/parts.sheet", "--xs", "3,1/2", "--bare").out == "16\n"
    assert ddcalc("./sheets/parts.sheet", "--xs", "3", "--bare").out == "13\n"


def test_every_verb_takes_a_sheet(mine: Path) -> None:
    name, options = "./sheets/load_data.sheet", ["--samples", "1000000", "--size", "100 kB"]
    assert ddcalc(name, *options, "--bare").out == "125\n"
    assert (
        "At least 20 readers"
        in ddcalc(name, *options, "--find", "readers", "--where", "time<=25 s").out
    )
    for call in (
        ["show", name], [name, "-h"], ["new", name], [name, *options, "--as-yaml"],
        [name, *options, "--mine", "125 s"], [name, *options, "--hint"],
        ["sweep", name, *options, "--vary", "readers=1..4"], ["sensitivity", name, *options],
        ["compare", name, *options, "--against", "readers=8"], ["variants", name, *options],
    ):  # fmt: skip
        ran = ddcalc(*call)
        assert (ran.code, ran.err) == (0, ""), call
        assert ran.out


def test_a_choice_may_matter_by_numbers(mine: Path) -> None:
    """Then its other readings are offered: a rate is written /s or 1/s."""
    text = mine.read_text("utf-8").replace("cache: where", "cache [matters if readers > 1]: where")
    text = text.replace("conclude", "  often f [1/s]: Epochs\n    = 1 / time\n\nconclude")
    mine.write_text(text, "utf-8")
    given = [f"--{name}={value}" for name, value in GIVEN.items()]
    said = ddcalc("./sheets/load_data.sheet", *given, "--all")
    assert "half of the samples are in memory already  62.5 s" in said.out
    said = ddcalc("./sheets/load_data.sheet", *given, "--quantity", "often", "--bare")
    assert said.out == "0.008\n"


def test_beside_a_problem_file(mine: Path) -> None:
    solved = ddcalc("solve", "q.yaml", "--format", "ndjson")
    assert solved.code == 0
    assert solved.out == ddcalc("solve", "q.yaml", "--format", "ndjson", "--jobs", "2").out
    assert ddcalc("check", "q.yaml").code == 0
    assert ddcalc("variants", "q.yaml", "--count", "2").code == 0
    other = mine.parent.parent / "other"
    other.mkdir()
    (other / "q.yaml").write_text((mine.parent.parent / "q.yaml").read_text("utf-8"), "utf-8")
    assert "unknown problem type 'load-data'" in ddcalc("solve", "other/q.yaml").err


def test_a_broken_sheet_does_not_stop_the_others(mine: Path) -> None:
    mine.write_text(mine.read_text("utf-8").replace("read * size", "read * sise"), "utf-8")
    with (mine.parent.parent / "q.yaml").open("a", encoding="utf-8") as file:
        file.write("  - {type: transfer, given: {size: 1 GB, bandwidth: 1 GB/s}}\n")  # fmt: skip
    ran = ddcalc("solve", "q.yaml")
    assert ran.code == 2
    assert "line 28: nothing is called sise; did you mean size?" in ran.err
    assert "'ddcalc check sheets/load_data.sheet' tells all" in ran.err
    assert "1 problem solved, 2 not" in ran.err


def test_never_in_place_of_ours(mine: Path) -> None:
    (mine.parent.parent / "transfer.sheet").write_text(first("transfer"), "utf-8")
    (mine.parent.parent / "t.yaml").write_text(
        "{type: transfer, given: {size: 1 GB, bandwidth: 1 GB/s}}", "utf-8"
    )
    assert "takes 1 s" in ddcalc("solve", "t.yaml", "--steps", "none").out
    assert "transfer is a type of ddcalc; rename it" in ddcalc("./transfer.sheet", "-h").err


@pytest.mark.parametrize("name", ["../load_data", "sheets/load_data", ".", "a" * 70, "a\x1bb"])
def test_no_way_out_of_the_folder(mine: Path, name: str) -> None:
    below = mine.parent / "below"
    below.mkdir()
    (below / "q.json").write_text(json.dumps({"type": name, "given": {}}), "utf-8")
    ran = ddcalc("solve", below / "q.json")
    assert ran.code == 2
    assert "\x1b" not in ran.err + ran.out


def test_what_is_no_file_does_not_hang(mine: Path) -> None:
    os.mkfifo(mine.with_name("pipe.sheet"))
    assert ddcalc("check", mine.with_name("pipe.sheet")).code == 2
    assert ddcalc(mine.with_name("nothere.sheet"), "--samples", "1").code == 2


def test_the_sheet_that_is_explained_works(mine: Path) -> None:
    text = topics()["sheets"].text
    [sheet] = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    (mine.parent / "explained.sheet").write_text(sheet, "utf-8")
    ran = ddcalc("check", mine.parent / "explained.sheet")
    assert (ran.code, ran.err) == (0, "")
