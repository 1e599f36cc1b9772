"""Marks for people and spreadsheets: student by student, and of the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from ddcalc.ask.mark.grading import (
    ClassTally,
    Count,
    Mark,
    StudentMarks,
    TallyEntry,
    habit,
    sentences,
)
from ddcalc.ask.mark.slip import MeasuredValue, Pieces, Put, Verdict
from ddcalc.ask.solve import singles
from ddcalc.boundary import table
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.output import Style
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import count_text, in_unit
from ddcalc.numbers.display import counted
from ddcalc.problem.steps import Report, Table
from ddcalc.render.story import ShownFormula, full_values_text
from ddcalc.render.whole import SOLID, Look, loose, whole, wrapped

HANG: Final = "     "
LONGEST: Final = 40  # characters of a student's name


class VerdictLook(NamedTuple):
    """How a verdict stands beside an answer (*sign*, *style*), and what it is called in a class."""

    sign: str
    style: Style | None
    words: str


LOOKS: Final[dict[Verdict, VerdictLook]] = {
    "right": VerdictLook("✓", "green", "right"),
    "rounded": VerdictLook("✓", "green", "right"),
    "follows": VerdictLook("(✓)", "yellow", "right from an earlier slip"),
    "unit": VerdictLook("(✓)", "yellow", "in a wrong unit"),
    "wrong": VerdictLook("✗", "red", "wrong"),
    "none": VerdictLook("–", None, "not answered"),
    "unread": VerdictLook("?", "yellow", "not read"),
}
HEADER: Final = (
    "student", "problem", "quantity", "answer", "verdict", "credit", "of", "right", "remark",
    "slip", "step", "explanation",
)  # fmt: skip
QUESTIONS: Final = 20  # whose commonest slips are shown
SHORT: Final = 16  # characters of a formula that stays on one line
HABITS: Final = 3  # slips of a class that are shown, for one question
LINE: Final = 60  # characters of the last line of the right working
WITH_RIGHT: Final = ("follows", "unit", "wrong")  # verdicts beside which the right value stands

LOOK: Final = Look()

Marked = tuple[str, Mark]  # the problem's name, and a mark


class MarkCells(NamedTuple):
    """A mark on a screen, before anything is aligned: the *problem* and what was *stated*, in
    columns; the sign of its *verdict* and *words* behind them; what explains it below."""

    problem: str
    stated: str
    verdict: Verdict
    words: str
    explanation: str


class StudentCells(NamedTuple):
    """The marks of a *student* on a screen, and what they are worth together."""

    student: str
    marks: tuple[MarkCells, ...]
    credit: str = ""


@dataclass(slots=True)
class Widths:
    """The columns of what stands first in a line; they grow with what is shown."""

    student: int = 0
    problem: int = 0
    answer: int = 0

    def fit(self, cells: StudentCells) -> None:
        """Make room for these marks, up to what leaves room for a remark."""
        self.student = max(self.student, min(len(cells.student), 16))
        for mark in cells.marks:
            self.problem = max(self.problem, min(len(mark.problem), 24))
            self.answer = max(self.answer, min(len(mark.stated), 28))


def text(pieces: Pieces) -> str:
    """*pieces* in Unicode, cleaned."""
    return loose(_solid(pieces))


def _solid(pieces: Pieces) -> str:
    """*pieces* in Unicode, cleaned, with blanks that do not end a line in what belongs together."""
    texts = (clean(_piece(piece)) for piece in pieces)
    return "".join(
        words if isinstance(piece, str) or len(words) > SHORT else words.replace(" ", SOLID)
        for piece, words in zip(pieces, texts, strict=True)
    )


def cells(student: str, marked: Sequence[Marked]) -> StudentCells:
    """The marks of a *student* for a screen."""
    made = tuple(
        MarkCells(
            clean(problem), _stated(mark), mark.verdict, _verdict(mark), _solid(sentences(mark))
        )
        for problem, mark in marked
    )
    return StudentCells(_name(student), made, _credit([mark for _, mark in marked]))


def lines(student: StudentCells, widths: Widths, look: Look) -> str:
    """The marks of a *student* in columns, each with what explains it below."""
    written = []
    for mark in student.marks:
        row = [f"{student.student:<{widths.student}}"] if widths.student else []
        row += [f"{mark.problem:<{widths.problem}}"] if widths.problem else []
        row.append(f"{mark.stated:<{widths.answer}}")
        head, sign = look.spelt("  ".join([*row, ""])), look.spelt(LOOKS[mark.verdict].sign)
        first, *more = _filled(f"{head}{sign}  {look.spelt(mark.words)}".rstrip(), look)
        if (style := LOOKS[mark.verdict].style) and first[len(head) :].startswith(sign):
            first = f"{head}{look.styled(sign, style)}{first[len(head) + len(sign) :]}"
        written += [first, *more]
        if mark.explanation:
            written += _filled(HANG + look.spelt(mark.explanation), look)
    if len(student.marks) > 1:
        written.append(HANG + student.credit)
    return "".join(f"{line}\n" for line in written)


def alone(marks: Sequence[Mark], look: Look = LOOK) -> str:
    """Marks of one question without a name, for a notebook, an interpreter, or a terminal."""
    made = cells("", [("", mark) for mark in marks])
    widths = Widths()
    widths.fit(made)
    singles = (made._replace(marks=(mark,)) for mark in made.marks)
    return "".join(lines(one, widths, look) for one in singles).rstrip()


def row(student: str, problem: str, mark: Mark) -> str:
    """A mark as a line of a table."""
    first = mark.slips[0] if mark.slips else None
    slip = first.kind if first else ""
    cells = (
        clean(student), clean(problem), mark.name, clean(mark.stated), mark.verdict,
        _decimal(mark.credit), _decimal(mark.points), _right(mark), text(mark.brief), slip,
        first.step if first and first.step else "", text(sentences(mark)),
    )  # fmt: skip
    return table.csv_line(cells)


def head() -> str:
    """The header of the table with an answer a row."""
    return table.csv_line(HEADER)


@dataclass(frozen=True, slots=True)
class Gradebook:
    """A table with a student a row: the points of each of the *problems*, in columns by their
    names; the *email* and the *version* of each student where some are known."""

    problems: Sequence[str]
    email: bool = False
    version: bool = False

    def head(self) -> str:
        """The header."""
        more = ["email"] * self.email + ["version"] * self.version
        names = (clean(name) for name in self.problems)
        return table.csv_line(["student", *more, *names, "total", "of", "unread"])

    def row(
        self, student: str, email: str, version: int | None, entries: Sequence[TallyEntry]
    ) -> str:
        """The points of a student; nothing where no answer was wanted."""
        points: dict[str, Number] = {}
        for entry in entries:
            points[entry.problem] = points.get(entry.problem, 0) + entry.credit
        row = [clean(student)]
        row += [clean(email)] * self.email
        row += ["" if version is None else str(version)] * self.version
        row += [_points(points[name]) if name in points else "" for name in self.problems]
        total, of = _totals(entries)
        return table.csv_line([*row, _points(total), _points(of), str(_unread(entries))])


def report(student: str, marked: Sequence[Marked], title: str = "Stated answers") -> Report:
    """The marks of a student as a page, under a *title* where there is no name."""
    rows = tuple(
        (problem, _stated(mark), LOOKS[mark.verdict].sign, loose(_verdict(mark)))
        for problem, mark in marked
    )
    steps = (Table("Marks", _credit([mark for _, mark in marked]), _HEAD, rows),)
    says = [(f"{problem}, {mark.name}", text(sentences(mark))) for problem, mark in marked]
    remarks = tuple((label, words) for label, words in says if words)
    return Report(student or title, steps, remarks=remarks)


_HEAD = ("problem", "answer", "", "")


def tally_entries(handed: StudentMarks) -> list[TallyEntry]:
    """What a class counts of the marks of a student."""
    return [
        TallyEntry(problem, mark.name, mark.verdict, mark.credit, mark.points, text(habit(mark)))
        for problem, mark in handed.questions()
    ]


def class_report(tally: ClassTally) -> Report:
    """What became of all answers and, of a class, of each question, with the commonest slips."""
    verdicts, whole = Counter[str](), tally.whole
    for verdict, times in whole.verdicts.items():
        verdicts[LOOKS[verdict].words] += times
    students = f"{counted(tally.students, 'student')}, " if tally.students else ""
    order = dict.fromkeys(look.words for look in LOOKS.values())
    says = (f"{verdicts[words]} {words}" for words in order if verdicts[words])
    title = f"{students}{counted(whole.answers, 'answer')}: {', '.join(says)}"
    return Report(title, tuple(_questions(tally)), remarks=tuple(_class_remarks(tally)))


def _questions(tally: ClassTally) -> Iterator[Table]:
    """What became of each question, where there is a class."""
    if tally.students < 2:
        return
    unread = ["not read"] if tally.whole.verdicts["unread"] else []
    rows = tuple(
        (
            problem,
            name,
            str(count.answers),
            str(count.verdicts["right"] + count.verdicts["rounded"]),
            *(str(count.verdicts["unread"]) for _ in unread),
            _mean(count),
        )
        for (problem, name), count in tally.by_question.items()
    )
    header = ("problem", "quantity", "answers", "right", *unread, "mean credit")
    yield Table("Questions", f"mean credit {_mean(tally.whole)}", header, rows)


def _class_remarks(tally: ClassTally) -> Iterator[tuple[str, str]]:
    if unread := tally.whole.verdicts["unread"]:
        words = f"{counted(unread, 'answer')} for a person to read; no credit until then"
        yield "not read", f"{words} (see the errors)"
    if tally.students < 2:
        return
    if len(tally.by_question) > 1 and any(times > 1 for times in tally.whole.slips.values()):
        yield "all questions", _habits(tally.whole)
    slipped = [(key, count) for key, count in tally.by_question.items() if count.slips]
    for (problem, name), count in slipped[:QUESTIONS]:
        yield f"{problem}, {name}", _habits(count)


def _piece(piece: str | Expr | Put | MeasuredValue) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, MeasuredValue):
        return in_unit(piece.value, piece.unit).marked
    return str(
        ShownFormula(piece.expr, piece.numbers) if isinstance(piece, Put) else ShownFormula(piece)
    )


def _name(student: str) -> str:
    return clean(student, LONGEST)


def _stated(mark: Mark) -> str:
    at = "" if mark.at is None else f" (place {mark.at})"
    return f"{mark.name} = {clean(mark.stated, 60)}{at}" if mark.stated else mark.name


def _verdict(mark: Mark) -> str:
    """The right value where it is not what was answered, and the remark."""
    if mark.verdict == "none":
        return f"no answer ({_right(mark)})"
    right = f"({right_text(mark)})" if mark.verdict in WITH_RIGHT else ""
    return " ".join(part for part in (right, _solid(mark.brief)) if part)


def right_text(mark: Mark) -> str:
    """The right value, in the unit of the answer, and how it comes about at last: ``595.5 s = 83 ·
    7.09 s + 7.03 s``."""
    right = _right(mark)
    words = "" if mark.line is None else _piece(mark.line)
    about = right.removeprefix("≈ ")
    if not 0 < len(words) <= LINE or words == about:
        return right
    return f"{about} {'=' if about == right else '≈'} {words}"


def _right(mark: Mark) -> str:
    right = mark.right if mark.at is None else singles(mark.right)[mark.at - 1 : mark.at]
    return full_values_text(right, mark.unit)


def _filled(line: str, look: Look) -> list[str]:
    """*line* on as many lines as it needs; blanks between columns stay."""
    line = whole(line)
    if len(line) <= look.width:
        return [loose(line)]
    room = line[: look.width + 1].rfind(" ")
    if room <= len(HANG):
        room = look.width
    rest = line[room:].strip()
    more = wrapped(rest, look.width, initial_indent=HANG, subsequent_indent=HANG)
    return [loose(part.rstrip()) for part in (line[:room], *more)]


def _credit(marks: Sequence[Mark | TallyEntry]) -> str:
    credit, of = _totals(marks)
    unread = _unread(marks)
    return f"credit {_points(credit)} of {_points(of)}" + (f", {unread} not read" if unread else "")


def _totals(marks: Sequence[Mark | TallyEntry]) -> tuple[Number, Number]:
    """The points that are credited, and those that there are."""
    return sum(mark.credit for mark in marks), sum(mark.points for mark in marks)


def _unread(marks: Sequence[Mark | TallyEntry]) -> int:
    return sum(mark.verdict == "unread" for mark in marks)


def _habits(count: Count) -> str:
    common = count.slips.most_common(HABITS)
    return "; ".join(f"{times} of {count.answers}: {what}" for what, times in common)


def _mean(count: Count) -> str:
    """The mean credit: ``25 %``, or ``25 to 100 %`` while there are answers to be read."""
    low, high = _percent(count.mean), _percent(count.most)
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def _percent(part: Number) -> str:
    return f"{count_text((part * 200 + 1) // 2)} %"


def _decimal(number: Number) -> str:
    return count_text(number).replace(" ", "")


def _points(number: Number) -> str:
    """Points to two decimals."""
    return _decimal(Fraction((number * 200 + 1) // 2, 100))
