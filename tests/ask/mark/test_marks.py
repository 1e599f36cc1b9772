"""Answers whose numbers were worked out by hand, and their marks: right, rounded, in a wrong unit,
following from an earlier slip, or wrong, and by which slip.

A row of ``marks.tsv`` is a question, and what its sheet asks for in braces; its answers, each to a
quantity or part; what each is credited; and words that are said of them, or ``!`` why one of them
is not read.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tables import rows

import ddcalc as python
from ddcalc.ask.mark.grading import Mark, sentences
from ddcalc.render.marks import text

SHEET = "given: {samples: 76800, batch: 1536, epochs: 10, compute: 4 s, aggregate: 15 ms,\n"
SHEET += "        download: 1.5 s, upload: 1.5 s%s}\n"
QUESTIONS = {
    "exam": "type: epoch-time\n" + SHEET % ", workers: 6",
    "breakeven": "type: breakeven\n"
    "given: {download: 1.5 s, compute: 4 s, upload: 1.5 s, aggregate: 15 ms}\n",
    "federated": "type: federated\ngiven: {samples: 204800, devices: 8, batch: 32,\n"
    "        local_epochs: 10, download: 7 s, compute: 4 s, upload: 7 s}\n",
    "shares": "type: federated\ngiven: {samples: 76800, devices: 3,\n"
    "        shares: [25600, 12800, 38400], batch: 32, local_epochs: 10, download: 7 s,\n"
    "        compute: 4 s, upload: 7 s}\n",
    "uneven": "type: federated\ngiven: {samples: 140000, devices: 8, batch: 32,\n"
    "        local_epochs: 10, download: 7 s, compute: 4 s, upload: 7 s}\n",
    "step": "type: sync-step\n"
    "given: {finish: [0.15 s, 0.2 s, 0.25 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}\n",
    "three": "type: sync-step\n"
    "given: {finish: [0.15 s, 0.2 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}\n",
    "async": "type: divergence\n"
    "given: {starts: [0.15 s, 0.2 s, 0.25 s, 0.5 s], update: 0.2 s, horizon: 0.6 s}\n",
    "two": "type: timeline\ngiven: {periods: [1 s, 2 s], scheme: async, horizon: 2001 s}\n",
    "long": "type: timeline\ngiven: {periods: [1 s], horizon: 10001 s}\n",
    "workers": "type: epoch-time\nfind: workers\n" + SHEET % "" + "where: ",
    "bandwidth": "type: allreduce\nfind: bandwidth\n"
    "given: {size: 100 GB, workers: 16, latency: 0 s}\nwhere: ",
    "law": "type: speedup\nfind: law\ngiven: {serial: 0.25, processors: 9}\nwhere: ",
    "parts": SHEET % ", workers: 6" + """\
marking: {credit: {unit: 1/2, follows: 3/4, slip: 1/4}, ten: {digits: 2}}
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
""",
}  # fmt: skip


def asked(question: str) -> str:
    """The file of a *question*, with what must hold for its unknown and what its sheet asks."""
    name, _, more = question.partition(" ")
    where, brace, marking = more.partition("{")
    sheet = f"id: q\n{QUESTIONS[name]}{where.strip()}\n"
    if marking == "decimal: comma}":
        return "decimal: comma\nproblems:\n- " + sheet.replace("\n", "\n  ")
    return sheet + (f"marking: {brace}{marking}\n" if brace else "")


def said(mark: Mark) -> str:
    """What is said of an answer: the verdict, in brief, and the first slip."""
    slips = [f"{slip.kind}: {text(slip.deed)}" for slip in mark.slips[:1]]
    slips += ["" if mark.sure else f"({text(sentences(mark)).partition(' by')[0]})"] * bool(slips)
    return " ".join(filter(None, (f"{mark.verdict}:", text(mark.brief), *slips)))


@pytest.mark.parametrize(
    ("question", "answers", "credits", "says"), rows(Path(__file__).with_name("marks.tsv"))
)
def test_marks(question: str, answers: str, credits: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text(asked(question), encoding="utf-8")
    sheet, alone = python.load(tmp_path / "q.yaml"), question.partition(" ")[0] != "parts"
    stated = dict(one.strip().split("=", 1) for one in answers.split(";"))
    paper = {f"q.{name}".removesuffix("."): answer for name, answer in stated.items()}
    if says[0] == "!":
        with pytest.raises(python.DdcalcError) as caught:
            sheet.mark(paper if alone else stated)
        assert says[1:] in str(caught.value)
        return
    marks = sheet.mark(paper if alone else stated)
    credited = dict.fromkeys(stated, Fraction(0))
    for problem, mark in zip(marks.problems, marks, strict=True):
        part = problem.removeprefix("q").lstrip(".").partition("_")[0]
        named = [part, f"{part}.{mark.name}".lstrip("."), ""]
        credited[next(name for name in named if name in credited)] += mark.credit
    assert [*credited.values()] == [*map(Fraction, credits.split())]
    assert says in " | ".join(map(said, marks))
