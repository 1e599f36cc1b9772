"""Lines of JSON that are written at once are what working out each question by itself gives."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from questions import SYMBOLIC, Kind, random_question
from running import ddcalc

from ddcalc.boundary.source import Source
from ddcalc.files.batch import solved
from ddcalc.render.json import answered_problem, dumped, json_lines, solved_problem
from ddcalc.render.json.json_lines import Lines

QUESTIONS = 8  # of a type
GIVEN = {
    "samples": "52 445", "batch": "1957", "epochs": "10", "workers": "51", "download": "0.4 s",
    "compute": "1 s", "upload": "3.5s", "aggregate": "13 ms",
}  # fmt: skip


def both_ways(path: Path, answers: bool) -> tuple[int, int]:
    """How many problems of a file have a line, which is as it has to be, and how many others are
    solved."""
    at_once = others = 0
    quick = solved(Source(str(path)), Lines(answers))
    for usual, done in zip(solved(Source(str(path))), quick, strict=True):
        data = answered_problem(usual) if answers else solved_problem(usual, steps=False)
        if done.line:
            assert [str(error) for error in done.errors] == [str(error) for error in usual.errors]
            assert usual.errors or done.line == dumped(data) + "\n"
            at_once += 1
        else:
            mine = answered_problem(done) if answers else solved_problem(done, steps=False)
            assert mine == data
            others += usual.answered
    return at_once, others


def written(folder: Path, problems: Iterable[dict[str, Any]]) -> Path:
    path = folder / "batch.ndjson"
    path.write_text("".join(json.dumps(problem) + "\n" for problem in problems))
    return path


def stated(i: int, **more: Any) -> dict[str, Any]:
    return {"id": f"p{i}", "type": "epoch-time", "given": GIVEN | more}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The very first question is written at once."""
    monkeypatch.setattr(json_lines, "FEW", 0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
def test_random_questions_of_every_type(problem: Kind, tmp_path: Path) -> None:
    chance = Random(problem.slug)
    drawn = [random_question(problem, chance) for _ in range(QUESTIONS)]
    file = written(tmp_path, ({"type": problem.slug, "given": given} for given in drawn))
    for answers in (True, False):
        both_ways(file, answers)


TEXTS = [
    "7", "7.0", "07", "1e3", "2^3", "1/3", "3 k", "1,000", "70B", "≈ 7", "6 workers", "−3", "0",
    "", "many", "1 2", "9" * 41, "10^60", "1e-60", "123456.789", "0.00001", "99999999",
]  # fmt: skip
TIMES = [
    "0", "0 s", "1 min", "1 h 3 min", "90 s", "1ms", "33 µs", "1/7 s", "1.5", "2 GB", "1e9 s",
    "1e-12 s", "(1 + 2) s", "1 s (1000 ms)", "1 s, 2 s", "about 3 s", "99999.99 ms", "1e59 s",
]  # fmt: skip


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("answers", [True, False])
def test_odd_spellings_edges_and_errors(answers: bool, tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [{"workers": text} for text in TEXTS]
    cases += [{"samples": text, "batch": "1 000"} for text in TEXTS]
    cases += [{"compute": text} for text in TIMES]
    cases += [{"compute": text, "aggregate": other} for text in TIMES for other in TIMES[:6]]
    cases += [{"queue": word} for word in ("carry", "per-epoch", "per_epoch", "none")]
    cases += [{"last-round": "pad"}, {"last_round": "drop", "last-round": "pad"}, {"wokers": "3"}]
    cases += [{"compute": ["1 s"]}, {"compute": {"a": "1"}}, {"workers": 6}, {"workers": True}]
    cases += [{"price": "2 USD/h"}, {"price": "2.5 USD/d"}, {"server_link": "shared"}]
    cases += [{"download": "0", "compute": "0", "upload": "0", "aggregate": "0"}]
    file = written(tmp_path, (stated(i, **more) for i, more in enumerate(cases)))
    many, _ = both_ways(file, answers)
    assert many > len(cases) / 2


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("answers", [True, False])
def test_what_else_a_problem_may_say(answers: bool, tmp_path: Path) -> None:
    problems = [stated(i) for i in range(14)]
    problems[1]["id"] = "P0"  # as another one
    problems[2] |= {"title": "Straggler ∂ \u202e", "source": "a \\ b"}
    problems[3]["expect"] = {"total": "32.91 s"}
    problems[4]["claimed"] = {"total": "33 s"}
    problems[5]["given"] = {name: text for name, text in GIVEN.items() if name != "workers"}
    problems[5] |= {"find": "workers", "where": "total <= 30 s"}
    problems[6]["quantity"] = "full_round"
    problems[7]["id"] = "not an id"
    problems[8]["wrong"] = 1
    problems[9].pop("id")
    problems[10]["type"] = "epoch_time"
    problems[11]["marking"] = {"points": 3}
    problems[12]["marking"] = {"totl": {"digits": 3}}
    problems[13]["marking"] = {"total": {"digit": 3}}
    many, others = both_ways(written(tmp_path, problems), answers)
    assert (many, others) == (5, 5)  # what marking says is held against the results


@pytest.mark.usefixtures("at_once")
def test_defaults_and_presets(tmp_path: Path) -> None:
    file = tmp_path / "batch.yaml"
    numbers = ", ".join(f"{name}: {text}" for name, text in list(GIVEN.items())[1:])
    file.write_text(f"""\
defaults: {{epoch-time: {{{numbers}}}, transfer: {{link: NDR400}}}}
problems:
  - {{type: epoch-time, given: {{samples: 10000}}}}
  - {{type: epoch-time, given: {{samples: 20000, workers: 3}}}}
  - {{type: epoch-time, given: {{samples: 20000, workers: all}}}}
  - {{type: transfer, given: {{size: 3 GB}}}}
  - {{type: transfer, given: {{size: 3 GB, link: none-such}}}}
  - {{type: transfer, given: {{size: 3 GB, bandwidth: 8 Gbit/s}}}}
""")
    assert both_ways(file, answers=False)[0] >= 2


def test_only_what_comes_often_is_compiled(tmp_path: Path) -> None:
    file = written(tmp_path, (stated(i, samples=str(52000 + i)) for i in range(20)))
    assert both_ways(file, answers=False) == (20 - json_lines.FEW, json_lines.FEW)


def test_kinds_of_questions_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "FEW", 0)
    monkeypatch.setattr(json_lines, "KINDS", 2)
    monkeypatch.setattr(json_lines, "TEXTS", 2)
    options = ("carry", "per_epoch")
    file = written(
        tmp_path,
        (stated(i, samples=str(52000 + i % 5), queue=options[i % 2]) for i in range(12)),
    )
    assert both_ways(file, answers=False) == (12, 0)


def test_the_command(tmp_path: Path) -> None:
    problems = [stated(i, samples=str(52000 + i)) for i in range(12)]
    problems[10] |= {"expect": {"total": "1 s"}}
    problems[11] |= {"given": {}}
    file = written(tmp_path, problems)
    done = ddcalc("solve", file, "--answers", "--format", "ndjson")
    assert done.code == 2
    objects = [json.loads(line) for line in done.out.splitlines()]
    assert [*objects[0]] == [*objects[9]] == ["id", "status", "answer"]
    assert [*objects[10]] == ["id", "status", "answer", "checks"]
    assert objects[11]["error"]["kind"]
    whole = ddcalc("solve", file, "--answers", "--format", "json")
    assert json.loads(whole.out)["problems"] == objects
    usual = ddcalc("solve", file, "--format", "ndjson")
    answers = [json.loads(line).get("answer") for line in usual.out.splitlines()]
    assert answers == [one.get("answer") for one in objects]
    refused = ddcalc("solve", file, "--answers", "--steps", "full")
    assert refused.code == 2
    assert "leave one of the two away" in refused.err
