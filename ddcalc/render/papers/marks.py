"""Marks for people and spreadsheets: student by student, and of the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ddcalc.ask.mark import grading
from ddcalc.ask.mark.grading import ClassTally, Mark, Pieces, Put, StudentMarks, Verdict, sentences
from ddcalc.ask.solve import singles
from ddcalc.boundary import table
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted
from ddcalc.problem.said.steps import Report, Table
from ddcalc.render.blocks import Block, Heading, Items, Paragraph
from ddcalc.render.sides import ShownFormula
from ddcalc.render.story import full_values_text

QUESTIONS: Final = 20  # whose commonest slips are shown
HABITS: Final = 3  # slips of a class that are shown, for one question
LINE: Final = 60  # characters of the last line of the right working


# How a verdict stands beside an answer, and what it is called in a class
LOOKS: Final[dict[Verdict, tuple[str, str]]] = {
    "right": ("✓", "right"),
    "rounded": ("✓", "right"),
    "follows": ("(✓)", "right from an earlier slip"),
    "unit": ("(✓)", "in a wrong unit"),
    "wrong": ("✗", "wrong"),
    "none": ("–", "not answered"),
    "unread": ("?", "not read"),
}


# In words


def text(pieces: Pieces) -> str:
    """*pieces* in Unicode, cleaned."""
    return "".join(clean(_piece(piece)) for piece in pieces)


def _piece(piece: grading.Piece) -> str:
    if isinstance(piece, str):
        return piece
    return str(ShownFormula(*piece) if isinstance(piece, Put) else ShownFormula(piece))


def _verdict(mark: Mark) -> str:
    """The right value where it is not what was answered, and the remark."""
    if mark.verdict == "none":
        return f"no answer ({_right(mark)})"
    beside = f"({right_text(mark)})" if mark.verdict in ("follows", "unit", "wrong") else ""
    return " ".join(part for part in (beside, text(mark.brief)) if part)


def right_text(mark: Mark) -> str:
    """The right value in the unit of the answer, and its last line: ``595.5 s = 83 · 7.09 s``."""
    right = _right(mark)
    words = "" if mark.line is None else _piece(mark.line)
    about = right.removeprefix("≈ ")
    if not 0 < len(words) <= LINE or words == about:
        return right
    return f"{about} {'=' if about == right else '≈'} {words}"


def _right(mark: Mark) -> str:
    right = mark.right if mark.at is None else singles(mark.right)[mark.at - 1 : mark.at]
    return full_values_text(right, mark.unit)


# On a page


def page(one: StudentMarks, title: str = "") -> Iterator[Block]:
    """The marks of a student, each with what explains it, under a name, or a *title*."""
    if one.student or title:
        yield Heading(clean(one.student, 40) or title, optional=not one.student)
    rows, signs = [], []
    for problem, mark in one.marked:
        at = "" if mark.at is None else f" (place {mark.at})"
        head = f"{clean(problem)}, " * bool(problem) + mark.name
        head += f" = {clean(mark.stated, 60)}{at}" if mark.stated else ""
        verdict = _verdict(mark)
        apart = ":" if verdict and not verdict.startswith("(") else ""
        words = (f"{head}{apart}", verdict, text(sentences(mark)))
        rows.append((" ".join(filter(None, words)),))
        signs.append(LOOKS[mark.verdict][0])
    yield Items(tuple(rows), tuple(signs))
    if len(one.marked) > 1:
        credit, of, unread = _totals(one.marks)
        more = f", {unread} not read" if unread else ""
        yield Paragraph((f"credit {_points(credit)} of {_points(of)}{more}",))


# In a table


@dataclass(frozen=True, slots=True)
class Gradebook:
    """A table with a student a row: the points of each of the *problems*, in columns by their
    names; the *version* of each student where some are known."""

    problems: Sequence[str]
    version: bool = False

    def head(self) -> str:
        """The header."""
        names = (clean(name) for name in self.problems)
        more = ["version"] * self.version
        return table.csv_line(["student", *more, *names, "total", "of", "unread"])

    def row(self, one: StudentMarks) -> str:
        """The points of a student; nothing where no answer was wanted."""
        points = Counter[str]()
        for problem, mark in one.questions():
            points[problem] += mark.credit  # type: ignore[assignment]
        version = "" if one.version is None else str(one.version)
        row = [clean(one.student), *[version] * self.version]
        row += [_points(points[name]) if name in points else "" for name in self.problems]
        credit, of, unread = _totals(one.marks)
        return table.csv_line([*row, _points(credit), _points(of), str(unread)])


def _totals(marks: Sequence[Mark]) -> tuple[Number, Number, int]:
    """The points that are credited, those that there are, and how many answers were not read."""
    unread = sum(mark.verdict == "unread" for mark in marks)
    return sum(mark.credit for mark in marks), sum(mark.points for mark in marks), unread


def _points(number: Number) -> str:
    """Points to two decimals."""
    return count_text(Fraction((number * 200 + 1) // 2, 100)).replace(" ", "")


# Of a class


def class_report(tally: ClassTally) -> Report:
    """What became of all answers and, of a class, of each question, with the commonest slips."""
    whole, by_words = tally.whole, Counter[str]()
    for verdict, (_, words) in LOOKS.items():
        by_words[words] += whole.verdicts[verdict]
    students = f"{counted(tally.students, 'student')}, " if tally.students else ""
    says = ", ".join(f"{times} {words}" for words, times in by_words.items() if times)
    title = f"{students}{counted(whole.answers, 'answer')}: {says}"
    is_class = tally.students > 1
    remarks = [*_habits(tally)] if is_class else []
    if unread := whole.verdicts["unread"]:
        words = f"{counted(unread, 'answer')} for a person to read; no credit until then"
        remarks.insert(0, ("not read", f"{words} (see the errors)"))
    return Report(title, (_questions(tally),) if is_class else (), remarks=tuple(remarks))


def _questions(tally: ClassTally) -> Table:
    """What became of each question."""
    unread = ["not read"] if tally.whole.verdicts["unread"] else []
    rows = [
        (
            *key,
            str(count.answers),
            str(count.verdicts["right"] + count.verdicts["rounded"]),
            *(str(count.verdicts["unread"]) for _ in unread),
            _mean(count),
        )
        for key, count in tally.by_question.items()
    ]
    header = ("problem", "quantity", "answers", "right", *unread, "mean credit")
    return Table("Questions", f"mean credit {_mean(tally.whole)}", header, tuple(rows))


def _habits(tally: ClassTally) -> Iterator[tuple[str, str]]:
    """The commonest slips, in all and of each question."""
    slipped = [(f"{p}, {q}", count) for (p, q), count in tally.by_question.items() if count.slips]
    if len(tally.by_question) > 1 and any(times > 1 for times in tally.whole.slips.values()):
        slipped.insert(0, ("all questions", tally.whole))
    for label, count in slipped[: QUESTIONS + 1]:
        common = count.slips.most_common(HABITS)
        said = (f"{times} of {count.answers}: {text(what)}" for what, times in common)
        yield label, "; ".join(said)


def _mean(count: grading.Count) -> str:
    return f"{count_text((count.mean * 200 + 1) // 2)} %"
