"""Answers to the parts of a question: what follows from a student's own results is credited."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

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
# What is answered; then of each answer what is credited, and what is said of it.
STUDENTS = {
    "right": ("a=595.5 s; c=297.75 s; d=13; e=280.5 s", "2 1 1 1", ""),
    "one slip": ("a=588.47 s; c=294.235 s; b=294.38 s, 147.2 s", "1/2 3/4 3/2", "the same slip"),
    "rounded or not": ("a=588.5 s; c=294.2 s; g=9.8078", "1/2 3/4 3/4", "right from your (a): T ="),
    "a chain": ("a=1200 s; c=600 s; d=6; e=595.5 s", "0 3/4 3/4 3/4", "right from your (d): m = 6"),
    "not answered": ("a=1200 s; d=6; e=595.5 s", "0 3/4 3/4", "right from your (d): m = 6"),
    "a slip not handed in": ("c=294.235 s", "1/4", "a slip in (a), which is not answered"),
    "played, with nothing before": ("f=9", "0", ""),
    "an intermediate result": ("a.full_rounds=84; c=297.78 s", "0 3/4", "your (a): R = 84"),
    "what a slip changes besides": ("a=588.03 s; j=70 s", "1/2 3/4", "right from your (a): T ="),
    "what is played": ("a=300 s; f=3", "0 3/4", "right from your (a): T = 300 s"),
    "a member of a list": ("a=700 s; i=702 s", "0 3/4", "right from your (a): T = 700 s"),
    "a wrong unit besides": ("a=700 s; c=350 ms", "0 3/8", "in ms; from your (a): T = 700 s"),
    "a slip besides": ("a=1234.5 s; i=1235.5 s", "0 3/16", "from your (a): T = 1 234.5 s"),
    "nothing": ("a=0 s; c=0 s", "0 0", "from your (a): T = 0 s, but it is trivial then: 0"),
    "the same for all": ("a=5000 s; g=10", "0 0", "(a): T = 5 000 s, but any such result"),
    "out of range": ("a=-7 s; c=-3.5 s", "0 0", "not followed: your (a), −7 s, is out of range"),
    "an error": ("c=1 s; d=9; e=1 s", "0 0 0", "not followed: by your results nothing does it"),
    "not admitted": ("d=13.5; e=270 s", "0 0", "not followed: '13.5' is not a whole number"),
}  # fmt: skip


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
