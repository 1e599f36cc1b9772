"""Answers that sheets state, exact or within something, and those that students hand in."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from time import process_time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import rows

from ddcalc.ask.mark.grading import ClassTally, Mark, StudentMarks
from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.nodes import Mapping, Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.boundary.source import Source
from ddcalc.errors import BadNumber, DdcalcError
from ddcalc.files.answer_key import Key
from ddcalc.files.answers import checked
from ddcalc.files.batch import solved
from ddcalc.files.keys import Keys, keys_of
from ddcalc.files.submissions import papers
from ddcalc.formula.expression import Expr
from ddcalc.formula.stated_terms import PRIME, is_rule, states
from ddcalc.problem.catalog import problem_named
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text

HERE = Path(__file__).parent
STATED = yaml.load((HERE / "stated.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)

Plain = str | list[str] | dict[str, str | list[str]]


@cache
def question(name: str) -> Derivation:
    slug, stated = STATED[name]
    return solve(problem_named(slug), stated)


def node(plain: Plain) -> Node:
    """*plain* as a file would hold it."""
    if isinstance(plain, dict):
        return Mapping({name: (Scalar(name), node(value)) for name, value in plain.items()})
    if isinstance(plain, list):
        return Listed([Scalar(text) for text in plain])
    return Scalar(plain)


def agreed(name: str, quantity: str, plain: Plain) -> bool:
    return checked(question(name), quantity, node(plain), ours=True).agrees


def refused(name: str, quantity: str, plain: Plain) -> tuple[str, str]:
    """The kind and text of the refusal."""
    with pytest.raises(DdcalcError) as caught:
        checked(question(name), quantity, node(plain), ours=True)
    return caught.value.kind, str(caught.value)


@pytest.mark.parametrize(("asked", "stated", "right"), rows(HERE / "agrees.tsv"))
def test_whether_it_agrees(asked: str, stated: str, right: str) -> None:
    plain = yaml.load(stated, Loader=yaml.BaseLoader)  # which leaves all values as texts
    assert agreed(*asked.split("."), plain) is (right == "yes")


@settings(max_examples=50, deadline=None)
@given(value=st.fractions(Fraction(1, 1000), 10**6, max_denominator=1000), digits=st.integers(1, 8))
def test_digits_as_people_round(value: Fraction, digits: int) -> None:
    """To the nearest; of two that are as near up, or to the even one."""
    step = Fraction(10) ** -digits
    while value >= step * 10**digits:
        step *= 10
    while value < step * 10 ** (digits - 1):
        step /= 10
    below = value // step * step
    nearest = {below + step if value - below >= step / 2 else below}
    if value - below == step / 2:
        nearest |= {one for one in (below, below + step) if one / step % 2 == 0}
    times: dict[str, str | list[str]] = {"finish": f"{value} s", "aggregate": "0", "update": "0"}
    solved = solve(problem_named("sync-step"), times)
    for located in (below, below + step):
        stated = node({"value": f"{located} s", "digits": str(digits)})
        assert checked(solved, "total", stated, ours=False).agrees is (located in nearest)


@pytest.mark.parametrize("plain", [{"value": "7.07"}, "7.0710678118654752440084436"])
def test_a_rounded_value_is_never_exact(plain: Plain) -> None:
    kind, located = refused("rounded", "optimum", plain)
    assert kind == "value"
    assert located.endswith(
        "is stated as exact, but the value is rounded; write {value: …, digits: 3} or within"
    )


# Weights: sums of gradients


def weights(**stated: str) -> Expr:
    value = solve(
        problem_named("update-rule"), {"workers": "3", "clock": "3", **stated}
    ).answer.value
    assert isinstance(value, Expr)
    return value


SYNC = weights(scheme="sync")
LOCAL = weights(scheme="local-sgd", local_steps="2", clock="4")
SSP = weights(staleness="1", clock="4", worker="2")
FORMS = [
    SYNC,
    LOCAL,
    SSP,
    weights(scheme="async"),
    weights(scheme="sync", clock="4"),
    weights(staleness="5", clock="1e9"),
    weights(scheme="k-of-n", wait_for="2"),
    weights(scheme="k-of-n", wait_for="2", late="reuse"),
    weights(scheme="k-of-n", wait_for="2", late="cancel"),
]


@pytest.mark.parametrize("value", FORMS, ids=map(code, FORMS))
def test_what_is_told_can_be_stated(value: Expr) -> None:
    assert is_rule(value)
    assert states(code(value), value)
    if "∑" not in text(value):
        assert states(unbroken(text(value)), value)
    assert not any(states(code(value), other) for other in FORMS if other is not value)


WEIGHTS = {"sync": SYNC, "local": LOCAL, "others": SYNC, "none": SYNC}
WEIGHED = [*rows(HERE / "weights.tsv"), ["", "none"], [f"w_0/{PRIME}", "none"]]


@pytest.mark.parametrize(("stated", "which"), WEIGHED)
def test_weights_in_any_form(stated: str, which: str) -> None:
    began = process_time()
    if which == "none":
        with pytest.raises(BadNumber, match="is not a sum of gradients such as w_0 - eta"):
            states(stated, SYNC)
    else:
        assert states(stated, WEIGHTS[which]) is (which != "others")
    assert process_time() - began < 5  # work without a bound takes far more


EXAMS = (HERE / "handed_in.yaml").read_text("utf-8")


def keys(folder: Path, content: str = EXAMS, *unsolved: str) -> Keys:
    """The problems of a sheet with *content*, before those *unsolved*."""
    file = folder / "sheet.yaml"
    file.write_text(content, encoding="utf-8")
    known: dict[str, Key | None] = {}
    for done in solved(Source(str(file))):
        known |= keys_of(done)
    return Keys({**dict.fromkeys(unsolved), **known}, "answers")


Told = tuple[dict[str, dict[str, Mark]], list[tuple[str, int, int]]]


def handed(folder: Path, content: str, known: Keys, suffix: str = ".csv") -> Told:
    """The marks of a file with *content* by student and ``problem.quantity``, and what is wrong,
    with its line and column."""
    file = folder / f"answers{suffix}"
    file.write_text(content, encoding="utf-8")
    marks: dict[str, dict[str, Mark]] = {}
    wrong = []
    for paper in papers(Source(str(file)), known):
        for one in known.marks(paper):
            if isinstance(one, DdcalcError):
                at = (one.place.line, one.place.column) if one.place else (0, 0)
                wrong.append((str(one), *at))
            else:
                key, mark = one
                marks.setdefault(paper.student, {})[f"{key.name}.{mark.name}"] = mark
    return marks, wrong


def papers_say(marks: dict[str, dict[str, Mark]]) -> dict[str, dict[str, str]]:
    """The texts of all answers."""
    return {student: {n: m.stated for n, m in mine.items()} for student, mine in marks.items()}


WANTED = {"ann": {"ps.total": "588.47 s", "step.1.total": "1.05 s"}}
SPELLINGS = dict(rows(HERE / "spellings.tsv"))


@pytest.mark.parametrize("name", SPELLINGS)
def test_all_spellings_of_the_same_answers(name: str, tmp_path: Path) -> None:
    suffix, _, content = SPELLINGS[name].partition("|")
    marks, wrong = handed(tmp_path, content, keys(tmp_path), suffix)
    assert (papers_say(marks), wrong) == (WANTED, [])


def test_what_is_not_read_earns_nothing_until_somebody_reads_it(tmp_path: Path) -> None:
    content = 'student,ps,step.1\nann,"588,47 s",1.05 s\nbob,1 sek,\n'
    marks, _ = handed(tmp_path, content, keys(tmp_path))
    unread = marks["ann"]["ps.total"]
    assert (unread.stated, unread.credit, unread.points) == ("588,47 s", 0, 1)
    assert unread.brief == ("not read: has a comma; write 588.47, with a decimal point",)
    tally = ClassTally()
    for student, mine in marks.items():
        tally.add(StudentMarks(student, [*mine.items()]))
    assert (tally.whole.answers, tally.whole.of, tally.whole.mean) == (4, 4, Fraction(1, 4))


def test_a_paper_with_decimal_commas_takes_them_in_answers(tmp_path: Path) -> None:
    known = keys(tmp_path, f"decimal: comma\n{EXAMS}")
    marks, wrong = handed(tmp_path, 'student,ps,step.1\nann,"595,5 s","1,05"\n', known)
    assert ([one.verdict for one in marks["ann"].values()], wrong) == (["right", "right"], [])


def told(wrong: Sequence[tuple[str, int, int]]) -> list[str]:
    """Each place with what is wrong there, as the tables have it."""
    return [f"{line}:{column} {words}" for words, line, column in wrong]


WRONG = {name: more for name, *more in rows(HERE / "handed_in_wrong.tsv")}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    file, *wanted = WRONG[name]
    suffix, _, content = file.partition("|")
    assert told(handed(tmp_path, content, keys(tmp_path), suffix)[1]) == wanted


def test_a_problem_that_is_not_solved_is_not_marked(tmp_path: Path) -> None:
    known = keys(tmp_path, EXAMS, "lost", "lost-too")
    marks, wrong = handed(tmp_path, "student,lost,ps\nann,1 s,2 s\n", known)
    assert wrong == [("problem lost is not solved, so it is not marked", 1, 9)]
    assert papers_say(marks) == {"ann": {"ps.total": "2 s"}}


ASKED = """
problems:
  - id: ps
    type: breakeven
    given: {download: 1.5 s, compute: 4 s, upload: 1.5 s, aggregate: 15 ms}
    marking: %s
"""
MARKING = {block: wrong for block, *wrong in rows(HERE / "marking.tsv")}


@pytest.mark.parametrize("block", MARKING)
def test_what_the_sheet_asks(block: str, tmp_path: Path) -> None:
    [key] = filter(None, keys(tmp_path, ASKED % block).keys.values())
    wrong = [(str(e), e.place.line, e.place.column) for e in key.requirements.wrong if e.place]
    assert told(wrong) == MARKING[block]


def test_students_are_read_one_by_one(tmp_path: Path) -> None:
    """So that memory does not grow with them."""
    file = tmp_path / "answers.csv"
    file.write_text("student,ps\n" + "".join(f"s{i},1 s\n" for i in range(300_000)))
    answers = papers(Source(str(file)), keys(tmp_path))
    tracemalloc.start()
    assert next(answers).student == "s0"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < file.stat().st_size / 2
