"""Exams made by several workers: every byte as one process writes it, and each draw played once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from inline import Inline, worked_here
from running import Ran, ddcalc

from ddcalc.ask.solve import texts_of
from ddcalc.ask.variants import search
from ddcalc.ask.variants.search import VariantsWanted, variants
from ddcalc.ask.variants.versions import ExamQuestion
from ddcalc.ask.working import Working, working
from ddcalc.cli import exam_pieces
from ddcalc.cli.exam_pieces import QuestionRequest
from ddcalc.problem.catalog import catalog
from ddcalc.problem.stated import Stated, example_texts, read

PROBLEMS = Path(__file__).parent.parent / "problems"
EXAM = PROBLEMS / "exam.yaml"
FORMS = ["yaml", "txt", "md", "tex", "html", "json", "ndjson", "xml", "gift"]
KEYS = ["txt", "md", "tex", "html", "json", "ndjson"]


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """Small pieces, worked on in this process where there are jobs."""
    monkeypatch.setattr(exam_pieces, "ITEMS", 3)
    return worked_here(monkeypatch)


def written(folder: Path, *call: str | Path, exam: str, key: str) -> tuple[Ran, bytes, bytes]:
    """What a call writes: what it says, the exam, and the key."""
    files = [folder / f"exam.{exam}", folder / f"key.{key}"]
    ran = ddcalc("variants", *call, "--output", files[0], "--key", files[1], "--force")
    assert ran.code in (0, 1)
    return (ran, *(file.read_bytes() for file in files))  # type: ignore[return-value]


def assert_same(folder: Path, *call: str | Path, exam: str = "md", key: str = "md") -> None:
    alone = written(folder, *call, exam=exam, key=key)
    shared = written(folder, *call, "--jobs", "2", exam=exam, key=key)
    assert alone[0].err == shared[0].err
    assert alone[1:] == shared[1:]
    assert all(alone[1:])


@pytest.mark.parametrize("exam", FORMS)
def test_every_byte_of_an_exam_is_the_same(inline: Inline, tmp_path: Path, exam: str) -> None:
    assert_same(tmp_path, EXAM, "--count", "5", exam=exam)
    assert inline.pieces > 10


@pytest.mark.parametrize("key", KEYS)
def test_every_byte_of_a_key_is_the_same(inline: Inline, tmp_path: Path, key: str) -> None:
    options = ("--choices", "4", "--points", "5", "--seed", "3", "--count", "3")
    assert_same(tmp_path, EXAM, *options, key=key)
    assert inline.pieces > 6


@pytest.mark.parametrize("form", ["key", "text", "json", "ndjson", "moodle", "gift", "yaml"])
def test_what_is_printed_is_the_same(inline: Inline, form: str) -> None:
    call = ("variants", EXAM, "--count", "4", "--results", "expected", "--format", form)
    alone, shared = ddcalc(*call), ddcalc(*call, "--jobs", "2")
    assert (alone.code, alone.out, alone.err) == (shared.code, shared.out, shared.err)
    assert inline.pieces


@pytest.mark.parametrize("exam", ["yaml", "gift", "tex"])
def test_what_a_sheet_requires_goes_along(inline: Inline, tmp_path: Path, exam: str) -> None:
    assert_same(tmp_path, PROBLEMS / "marking.yaml", "--count", "2", exam=exam)


@pytest.mark.parametrize(
    "call",
    [
        [EXAM, "--keep", "nothing"],
        [EXAM, "--vary", "no-given"],
        [EXAM, "ps-epochs", "--vary", "batch", "--keep", "batch"],
        ["sync-step", "--finish=1s,2s", "--aggregate=1s", "--keep=finish,aggregate"],
        [EXAM, "ps-epochs", "--vary", "batch", "--count", "50"],
        [EXAM, "--jobs", "0"],
        ["ring-trace", "--vectors", "3 1 7 2; 5 0 4 6; 2 2 8 1; 9 3 0 5", "--op", "max"],
    ],
    ids=str,
)
def test_notes_and_errors_are_the_same(inline: Inline, call: list[str | Path]) -> None:
    alone, shared = ddcalc("variants", *call), ddcalc("variants", *call, "--engine=processes")
    assert (alone.code, alone.out, alone.err) == (shared.code, shared.out, shared.err)
    if "--jobs" not in call:
        shared = ddcalc("variants", *call, "--jobs=2")
        assert (alone.code, alone.out, alone.err) == (shared.code, shared.out, shared.err)


@pytest.mark.parametrize("deadly", ["'name': 'fl-local-epochs'", "76800", "'papers':"])
def test_a_worker_that_ends_is_told_and_nothing_is_written(
    inline: Inline, tmp_path: Path, deadly: str
) -> None:
    inline.deadly = deadly
    files = [tmp_path / "exam.md", tmp_path / "key.md"]
    for file in files:
        file.write_text("old")
    names = ("--output", files[0], "--key", files[1], "--force")
    ran = ddcalc("variants", EXAM, "--count", "5", *names, "--jobs", "2")
    assert (ran.code, ran.out) == (2, "")
    assert "ended without an answer, and so did the next one" in " ".join(ran.err.split())
    assert "wrote" not in ran.err
    assert [file.read_text() for file in files] == ["old", "old"]
    assert len([*tmp_path.iterdir()]) == 2


def test_real_workers_write_the_same(tmp_path: Path) -> None:
    assert_same(tmp_path, EXAM, "--count", "8", exam="tex")


@pytest.mark.parametrize("slug", sorted(catalog()))
def test_what_is_sent_of_a_question_states_it(slug: str) -> None:
    problem = catalog()[slug].load()
    base = read(problem, example_texts(problem))
    again = QuestionRequest.of(ExamQuestion(slug, search.Variants(base))).question()
    assert again.base == base
    assert [*again.base.measured] == [*base.measured]


# Each draw is played once, and so many computations at most


def base(**texts: str | list[str]) -> Stated:
    return read(catalog()["timeline"].load(), texts)


def watched(monkeypatch: pytest.MonkeyPatch) -> list[Working]:
    """All that is worked out in searches."""
    every: list[Working] = []

    def noted(stated: Stated) -> Working:
        every.append(working(stated))
        return every[-1]

    monkeypatch.setattr(search, "working", noted)
    return every


def test_no_draw_is_played_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[None] = []
    every = watched(monkeypatch)
    asked = base(periods=["1s", "2s", "4s"], horizon="24s")
    variants(asked, VariantsWanted(), lambda: steps.append(None))
    counts = Counter(str(texts_of(one._stated)) for one in every[1:])
    assert {*counts.values()} == {1}
    assert len(steps) > len(counts)  # some were drawn twice


@pytest.mark.parametrize("most", [10**3, 10**4])
def test_so_many_computations_are_played_at_most(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    every = watched(monkeypatch)
    asked = base(periods=["1s", "2s", "4s"], horizon="2400 s")
    without = variants(asked, VariantsWanted())
    whole = [one.work for one in every[1:]]
    every.clear()
    monkeypatch.setattr(search, "COMPUTED", most)
    made = variants(asked, VariantsWanted())
    played = [one.work for one in every[1:]]
    assert played == whole[: len(played)]
    assert sum(played[:-1]) < most <= sum(played)
    assert made.questions == without.questions[: len(made.questions)]
    assert len(made.questions) < 10
    assert re.search("no more came of playing .* computations; a shorter run has the", made.why)
