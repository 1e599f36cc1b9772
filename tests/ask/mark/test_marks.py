"""Answers whose numbers were worked out by hand, and their marks: right, rounded, in a wrong unit,
following from an earlier slip, or wrong, and by which slip.

A row of ``marks.tsv`` is a question of ``marks.yaml``, and what its sheet asks for in braces; its
answers, each to a quantity or part; what each is credited; and words that are said of them, or
``!`` why one of them is not read.
"""

from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from tables import rows

import ddcalc as python
from ddcalc.ask.mark.grading import Mark, sentences
from ddcalc.render.papers.marks import text

QUESTIONS = yaml.safe_load(Path(__file__).with_name("marks.yaml").read_text("utf-8"))


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


@pytest.mark.parametrize(("question", "answers", "credits", "says"), rows("ask/mark/marks.tsv"))
def test_marks(question, answers, credits, says, tmp_path):
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
        named = [f"{part}.{mark.name}".lstrip("."), part, ""]
        credited[next(name for name in named if name in credited)] += mark.credit
    assert [*credited.values()] == [*map(Fraction, credits.split())]
    assert says in " | ".join(map(said, marks))
