"""What students hand in: tables and trees, read with the place of everything that is wrong."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from pathlib import Path

import pytest

from ddcalc.ask.mark.grading import ClassTally, Mark, StudentMarks
from ddcalc.boundary.source import Source
from ddcalc.errors import DdcalcError
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import solved
from ddcalc.files.keys import Keys, keys_of
from ddcalc.files.submissions import papers
from ddcalc.render.marks import counted_in, text

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
SPELLINGS = {
    "a row an answer": ".csv|student,problem,quantity,answer\n"
    "ann,ps,total,588.47 s\nann,step.1,,1.05 s\n",
    "other names": ".csv|Answer;Question;User;Result\n"
    "588.47 s;PS;ann;Total\n1.05 s;step.1;ann;total\n",
    "a column a question": ".csv|student,ps,step.1.total\nann,588.47 s,1.05 s\n",
    "with blanks": ".csv|Name,ps total,step.1: total\nann, 588.47 s ,1.05 s\n",
    "with other columns": ".csv|Name,Email,State,Grade,ps,step.1\n"
    "x,ann,finished,3,588.47 s,1.05 s\n",
    "a BOM, semicolons, quotes": '.csv|\ufeff"student";"ps";"step.1"\n"ann";"588.47 s";"1.05 s"\n',
    "without a name for the student": ".csv|who,ps,step.1\nann,588.47 s,1.05 s\n",
    "YAML": ".yaml|students: {ann: {ps: {total: 588.47 s}, step.1: 1.05 s}}\n",
    "YAML, by other names": ".yaml|students:\n  ann:\n"
    "    ps.total: 588.47 s\n    STEP.1: {total: 1.05 s}\n",
    "JSON lines": '.ndjson|{"students": {"ann":'
    ' {"ps": "588.47 s", "step.1": {"total": "1.05 s"}}}}\n',
}  # fmt: skip


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


WRONG = {
    "an unknown problem": (
        ".csv|student,problem,quantity,answer\nann,pps,total,1 s\nbob,ps,total,1 s\n",
        [("unknown problem 'pps'; did you mean 'ps'?", 2, 5)],
    ),
    "an unknown column": (
        ".csv|student,ps,setp.1\nann,1 s,2\n",
        [("unknown problem 'setp.1'; did you mean 'step.1'?", 1, 12)],
    ),
    "a bad cell": (
        ".csv|student,ps,step.1\nann,\"588,47 s\",1 s\nbob,1 s,1 sek\n",
        [
            ("'588,47 s' has a comma; write 588.47, with a decimal point", 2, 5),
            ("unknown unit 'sek' in '1 sek'; did you mean 's' (second)?", 3, 9),
        ],
    ),
    "an answer twice": (
        ".csv|student,problem,quantity,answer\nann,ps,total,1 s\nann,PS,,2 s\n",
        [("'ann, ps, total' is given more than once", 3, 9)],
    ),
    "a student twice": (
        ".csv|student,ps\nann,1 s\nbob,1 s\nann,2 s\n",
        [("'ann' is given more than once; first in line 2", 4, 1)],
    ),
    "a column twice": (
        ".csv|student,ps,ps.total\nann,1 s,2 s\n",
        [("'ps.total' is given more than once", 1, 12)],
    ),
    "no name": (".csv|student,ps\n,1 s\n", [("missing: student", 2, 1)]),
    "no question": (
        ".csv|student,state\nann,x\n",
        [("missing: a problem as the header of a column", 1, 1)],
    ),
    "a short row": (".csv|student,ps,step.1\nann,1 s\n", []),
    "nothing": (".csv|", [("is empty", 0, 0)]),
    "a tolerance of one's own": (
        ".yaml|students: {ann: {ps: {total: {value: 1 s, within: 100 s}}}}\n",
        [("an answer is a value, or a list of values", 1, 30)],
    ),
    "another shape": (
        ".yaml|ann: {ps: 1 s}\n",
        [("answers are `students:`, each by name, with answers by problem", 1, 1)],
    ),
    "a stray key": (
        ".yaml|students: {ann: {ps: 1 s}}\nclas: 7\n",
        [("unknown key of answers 'clas'; known: students", 2, 1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    content, wanted = WRONG[name]
    suffix, _, content = content.partition("|")
    assert handed(tmp_path, content, keys(tmp_path), suffix)[1] == wanted


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
MARKING = {
    "{digits: 3}": [],
    "{digit: 3}": [("unknown key of marking 'digit'; did you mean 'digits'?", 6, 15)],
    "{digits: 0}": [("'0' is not a number of digits from 1 to 40", 6, 15)],
    "{unit: s}": [("unit goes with one quantity: total: {unit: s}", 6, 15)],
    "{balanc: {digits: 3}}": [("unknown result 'balanc'; did you mean 'balance'?", 6, 15)],
    "{balance: {unit: s}}": [("'s' measures time, not a plain number", 6, 25)],
    "{balance: {digits: 3, within: 1}}": [
        ("an answer is wanted within something or to some digits, not both", 6, 25)
    ],
    "{balance: [1]}": [
        ("digits, within, unit, points and parts of credit are one value each", 6, 15)
    ],
    "{points: 3, balance: {points: 1/2, credit: {slip: by_steps}}}": [],
    "{credit: {unit: 0, follows: 0.5, slip: 25 %}}": [],
    "{points: many}": [("'many' has letters; write digits and + - * / ^ ( ) only", 6, 15)],
    "{credit: 1/2}": [
        ("credit is stated by name: credit: {unit: 1/2, follows: 1, slip: 0}", 6, 15)
    ],
    "{credit: {slip: 2}}": [("'2' is not from 0 to 1", 6, 15)],
    "{credit: {wrong: 1}}": [("unknown key of credit 'wrong'; known: follows, slip, unit", 6, 15)],
}


def only(known: Keys) -> Key:
    """The key to the one problem of a sheet."""
    [key] = known.keys.values()
    assert key is not None
    return key


@pytest.mark.parametrize("block", MARKING)
def test_what_the_sheet_asks(block: str, tmp_path: Path) -> None:
    key = only(keys(tmp_path, ASKED % block))
    wrong = [(str(e), e.place.line, e.place.column) for e in key.requirements.wrong if e.place]
    assert wrong == MARKING[block]


WORTH = """
problems:
  - id: ps
    type: epoch-time
    given: {samples: 76800, batch: 1536, epochs: 10, workers: 6,
            download: 1.5 s, compute: 4 s, upload: 1.5 s, aggregate: 15 ms}
    marking: {points: 2, credit: {unit: 3/4, follows: 0.8, slip: %s}, total: {points: 7}}
"""
POINTS = {  # full rounds and total, and what they are credited
    "84,602.59 s": (0, Fraction(28, 5)),  # 84 is too short to be sure of a slip
    "83,588.47 s": (2, 6),  # six of seven steps are right
    "83,595.5 s": (2, 7),
    "83,595.5 ms": (2, Fraction(21, 4)),
    "83,123.4 s": (2, 0),
    "-,1": (0, 0),
    "84,": (0, 0),
}


@pytest.mark.parametrize("answers", POINTS)
def test_what_answers_are_worth(answers: str, tmp_path: Path) -> None:
    known = keys(tmp_path, WORTH % "by-steps")
    marks, _ = handed(tmp_path, f"student,ps.full_rounds,ps\nann,{answers}\n", known)
    assert tuple(mark.credit for mark in marks["ann"].values()) == POINTS[answers]
    assert [mark.points for mark in marks["ann"].values()] == [2, 7]


WHICH = """
id: q
type: epoch-time
given: {samples: 76800, batch: 1536, epochs: 10,
        download: 1.5 s, compute: 4 s, upload: 1.5 s, aggregate: 15 ms}
find: workers
where: %s
"""
RING = "{id: q, type: allreduce, find: bandwidth, where: %s, given: {size: 100 GB, workers: 16}}"
LAW = "{id: q, type: speedup, find: law, where: %s, given: {serial: 0.25, processors: 9}}"
UNKNOWNS = {  # what is asked, the answer, its verdict, and how the remark on it begins
    "workers": (WHICH, [
    # the smallest that does it is asked, the largest, or any
    ("total <= 300 s", "13", "right", ""),
    ("total <= 300 s", "14", "wrong", "14 does it too, but 13 is the smallest that does"),
    ("total <= 300 s", "12", "wrong", ""),
    ("total >= 300 s", "6", "wrong", "6 does it too, but 12 is the largest that does"),
    ("full_rounds = 83", "6", "right", ""),
    ("total <= 1e9 s", "7", "right", "a solution too"),
    ("total <= 1e9 s", "none", "wrong", "every m ≥ 1"),
    ]),
    "bandwidth": (RING, [
    # 375 GB/s take exactly 0.5 s, 267.857… GB/s exactly 0.7 s
    ("time <= 0.5 s", "375 GB/s", "right", ""),
    ("time <= 0.5 s", "380 GB/s", "wrong", "380 GB/s does it too, but 375 GB/s is the smallest"),
    ("time < 0.5 s", "375 GB/s", "right", "the limit: B must be above it"),
    ("time < 0.5 s", "400 GB/s", "wrong", "400 GB/s does it too; the limit is 375 GB/s"),
    ("time <= 0.7 s", "268 GB/s", "rounded", "right to 3 significant digits"),
    ("time <= 0.7 s", "267.858 GB/s", "rounded", "right to 6 significant digits, so that it does"),
    ("time <= 0.7 s", "267.85 GB/s", "wrong", "truncated; rounded to 5 digits it is 267.86 GB/s"),
    ]),
    "law": (LAW, [
    ("speedup = 3", "amdahl", "right", ""),
    ("speedup = 3", "gustafson", "wrong", ""),
    ("speedup >= 3", "gustafson", "right", ""),
    ("speedup >= 30", "none", "right", ""),
    ]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("unknown", "row"), [(name, row) for name, (_, rows) in UNKNOWNS.items() for row in rows]
)
def test_the_unknown_is_marked(
    unknown: str, row: tuple[str, str, str, str], tmp_path: Path
) -> None:
    """The smallest that does it is asked, the largest, the limit, or any; or an option."""
    where, answer, verdict, brief = row
    known = keys(tmp_path, UNKNOWNS[unknown][0] % where)
    marks, _ = handed(tmp_path, f"student,q\nann,{answer}\n", known)
    [mark] = marks["ann"].values()
    assert (mark.name, mark.verdict) == (unknown, verdict), mark
    assert text(mark.brief).startswith(brief)
    assert text(mark.brief) or not brief


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
