"""The verb ``sensitivity`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from questions import TYPES, Kind, command
from running import ddcalc

ROOT = Path(__file__).parents[1]
EXAM = ROOT / "problems" / "exam.yaml"
STEP = ("sync-step", "--finish", "0.15s,0.5s", "--aggregate", "0.3s", "--update", "0.25s")
UNSURE = ("sync-step", "--finish", "0.15s,0.5±0.1 s", "--aggregate", "0.3s", "--update", "0.25s")


def test_a_problem_of_a_file() -> None:
    ran = ddcalc("sensitivity", EXAM, "ps-epochs")
    assert ran.code == 0
    assert "+84 s per s" in ran.out
    assert "+112 s" in ran.out


def test_json_is_exact() -> None:
    ran = ddcalc("sensitivity", *UNSURE, "--seed", "3", "--runs", "50", "--format", "json")
    told = json.loads(ran.out)
    assert ran.code == 0
    rows = {each["name"]: each for each in told["sensitivities"]}
    assert rows["finish[2]"]["from_above"] == "1"
    assert rows["finish[1]"]["from_above"] == "0"
    assert told["range"]["low"]["reached"]["exact"] == "19/20"
    assert told["range"]["high"]["exact"]
    assert told["quantiles"]["runs"] == 50


def test_bars_and_letters_on_paper() -> None:
    """In LaTeX "?" stands for what its fonts do not have."""
    told = ddcalc("sensitivity", *STEP, "--format", "latex").out
    assert "?" not in told
    assert told.count(r"\rule{0.5em}{1.4ex}") > 20
    assert r"f$_{2}$" in told


def test_the_picture(tmp_path: Path) -> None:
    file = tmp_path / "tornado.svg"
    ran = ddcalc("sensitivity", *STEP, "--output", file)
    assert ran.code == 0
    picture = ElementTree.fromstring(file.read_text())
    bars = [each for each in picture.iter() if each.get("class") in ("less", "more")]
    assert len(bars) == 6 + 2  # and those that tell what the colours mean
    told = [each.text for each in picture.iter() if each.text]
    assert {"given less", "given more"} <= {*told}
    assert ddcalc("sensitivity", *STEP, "--output", file).code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--by", "10"], "is no share"),
        (["--by", "x"], "--by"),
        (["--by", "0%"], "is no share"),
        (["--seed", "1"], "needs an uncertain input"),
        (["--seed", "x"], "--seed"),
        (["--runs", "0"], "--runs"),
        (["--nope", "1"], "--nope"),
        (["--force"], "--force goes with"),
        (["--output", "x.yaml"], "suffix says no format"),
    ],
)
def test_wrong_options(arguments: list[str], told: str) -> None:
    ran = ddcalc("sensitivity", *STEP, *arguments)
    assert ran.code == 2
    assert told in ran.err
    assert not ran.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["sync-step", "--update", "1±2 s"], "too small"),
        (["sync-step", "--update", "1 s"], "missing: --finish"),
        (["sync-step", "--updat", "1 s"], "--update"),
        ([EXAM], "name one by its id"),
        ([EXAM, "nope"], "unknown id"),
        ([EXAM, "async-same-time"], "is a formula"),
        (["nowhere.yaml", "x"], "cannot open"),
    ],
)
def test_wrong_questions(arguments: list[str | Path], told: str) -> None:
    ran = ddcalc("sensitivity", *arguments)
    assert ran.code == 2
    assert told in ran.err
    assert not ran.out


def test_a_file_may_state_uncertain_givens(tmp_path: Path) -> None:
    file = tmp_path / "unsure.yaml"
    file.write_text(
        "id: a\ntype: sync-step\n"
        "given: {finish: [0.15 s, 0.4..0.6 s], aggregate: 0.3 s, update: 0.25 s}\n"
    )
    ran = ddcalc("sensitivity", file)
    assert ran.code == 0
    assert "between 0.95 s and 1.15 s, both proved and reached" in ran.out


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "json", "ndjson"])
def test_every_format(form: str) -> None:
    ran = ddcalc("sensitivity", *UNSURE, "--format", form)
    assert ran.code == 0
    assert "1.05" in ran.out


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
@pytest.mark.parametrize("columns", [40, 80])
def test_no_type_is_too_wide(problem: Kind, columns: int) -> None:
    ran = ddcalc("sensitivity", *command(problem), columns=columns)
    assert ran.code in (0, 2)
    assert (ran.code == 0) == bool(ran.out)
    assert ran.code == 0 or "is a formula" in ran.err or "a number" in ran.err
    if columns == 80:
        assert max(map(len, ran.out.splitlines()), default=0) <= columns


def test_a_seed_of_the_type_itself_keeps_its_name() -> None:
    told = ddcalc("sensitivity", "timeline", "-h").out
    assert "--draw-seed" in told
    assert "--seed" in told
