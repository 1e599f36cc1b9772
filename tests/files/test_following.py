"""Answers to the parts of a question: what follows from a student's own results is credited."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tables import rows

import ddcalc as python
from ddcalc.render.marks import text

EXAM = """
id: q
given: {samples: 76800, batch: 1536, epochs: 10, compute: 4 s, aggregate: 15 ms,
        download: 1.5 s, upload: 1.5 s, workers: 6}
marking: {credit: {unit: 1/2, follows: 3/4, slip: 1/4}}
parts:
  - {id: a, type: epoch-time, points: 2}
  - {id: b, like: a, given: {workers: [12, 24]}, points: 2}
  - {id: c, formula: a.total/2, name: half}
  - {id: d, like: a, find: workers, where: total <= c.half}
  - {id: e, like: a, given: {workers: d.workers}}
  - {id: f, type: divergence, ask: async_updates, given: {starts: [0.15 s, 0.2 s, 0.25 s, 0.5 s],
     update: 0.2 s, horizon: a.total/1000 + 0.2 s, compare: same-time}}
  - {id: g, formula: "min(a.total, 600 s)/60 s", name: minutes}
  - {id: h, formula: 1 - c.half/a.total, name: left}
  - {id: i, type: sync-step, given: {finish: [a.total, 0.2 s], aggregate: 1 s, update: 1 s}}
  - {id: j, formula: 10*a.full_round, name: ten}
"""
STUDENTS = {name: row for name, *row in rows(Path(__file__).with_name("following.tsv"))}


@pytest.fixture
def exam(tmp_path: Path) -> python.api.Loaded:
    file = tmp_path / "exam.yaml"
    file.write_text(EXAM)
    return python.load(file)


@pytest.mark.parametrize("name", STUDENTS)
def test_what_follows_is_credited(name: str, exam: python.api.Loaded) -> None:
    answers, credits, says = STUDENTS[name]
    stated = dict(one.strip().split("=") for one in answers.split(";"))
    marks = exam.mark(stated)
    credited = dict.fromkeys(stated, Fraction(0))
    for problem, mark in zip(marks.problems, marks, strict=True):
        part = problem.removeprefix("q.").partition("_")[0]
        credited[part if part in credited else f"{part}.{mark.name}"] += mark.credit
    assert list(credited.values()) == [*map(Fraction, credits.split())]
    assert says in " | ".join(text(mark.brief) for mark in marks)
