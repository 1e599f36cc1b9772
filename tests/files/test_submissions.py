"""What students hand in: tables and trees, read with the place of everything that is wrong."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from tables import rows

from ddcalc.ask.mark.grading import ClassTally, Mark, StudentMarks
from ddcalc.boundary.source import Source
from ddcalc.errors import DdcalcError
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import solved
from ddcalc.files.keys import Keys, keys_of
from ddcalc.files.submissions import papers
from ddcalc.render.marks import counted_in

HERE = Path(__file__).parent
SHEET = """
problems:
  - id: ps
    type: epoch-time
    given: {samples: 76800, batch: 1536, epochs: 10, workers: 6,
            download: 1.5 s, compute: 4 s, upload: 1.5 s, aggregate: 15 ms}
  - id: step.1
    type: sync-step
    given: {finish: [0.15 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}
  - id: even
    type: breakeven
    given: {download: 1 s, compute: 4 s, upload: 1 s, aggregate: 0 s}
"""


def keys(folder: Path, content: str = SHEET, *unsolved: str) -> Keys:
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


def stated(marks: dict[str, dict[str, Mark]]) -> dict[str, dict[str, str]]:
    """The texts of all answers."""
    return {student: {n: m.stated for n, m in mine.items()} for student, mine in marks.items()}


WANTED = {"ann": {"ps.total": "588.47 s", "step.1.total": "1.05 s"}}
SPELLINGS = dict(rows(HERE / "spellings.tsv"))


@pytest.mark.parametrize("name", SPELLINGS)
def test_all_spellings_of_the_same_answers(name: str, tmp_path: Path) -> None:
    suffix, _, content = SPELLINGS[name].partition("|")
    marks, wrong = handed(tmp_path, content, keys(tmp_path), suffix)
    assert (stated(marks), wrong) == (WANTED, [])


def test_what_is_not_read_earns_nothing_until_somebody_reads_it(tmp_path: Path) -> None:
    content = 'student,ps,step.1\nann,"588,47 s",1.05 s\nbob,1 sek,\n'
    marks, _ = handed(tmp_path, content, keys(tmp_path))
    unread = marks["ann"]["ps.total"]
    assert (unread.stated, unread.credit, unread.points) == ("588,47 s", 0, 1)
    assert unread.brief == ("not read: has a comma; write 588.47, with a decimal point",)
    tally = ClassTally()
    for student, mine in marks.items():
        counted_in(tally, StudentMarks(student, [*mine.items()]))
    assert (tally.whole.answers, tally.whole.of, tally.whole.mean) == (4, 4, Fraction(1, 4))


def test_a_paper_with_decimal_commas_takes_them_in_answers(tmp_path: Path) -> None:
    known = keys(tmp_path, f"decimal: comma{SHEET}")
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
    known = keys(tmp_path, SHEET, "lost", "lost-too")
    marks, wrong = handed(tmp_path, "student,lost,ps\nann,1 s,2 s\n", known)
    assert wrong == [("problem lost is not solved, so it is not marked", 1, 9)]
    assert stated(marks) == {"ann": {"ps.total": "2 s"}}


ASKED = """
problems:
  - id: ps
    type: breakeven
    given: {download: 1.5 s, compute: 4 s, upload: 1.5 s, aggregate: 15 ms}
    marking: %s
"""
MARKING = {block: wrong for block, *wrong in rows(HERE / "marking.tsv")}


def only(known: Keys) -> Key:
    """The key to the one problem of a sheet."""
    [key] = known.keys.values()
    assert key is not None
    return key


@pytest.mark.parametrize("block", MARKING)
def test_what_the_sheet_asks(block: str, tmp_path: Path) -> None:
    key = only(keys(tmp_path, ASKED % block))
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
