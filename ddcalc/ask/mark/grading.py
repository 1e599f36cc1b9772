"""A mark: whether a stated answer is right, in what sense, and which slip leads to it if not; what
the mark says, and the marks of a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from ddcalc.ask.mark.slip import SIMPLE, USUAL, Credit, Pieces, Put, Slip, Verdict, sentence
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Results
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Value

TELLING = SIMPLE["reading"]  # up to which a second slip with the same value is worth a sentence
QUOTED = 60  # characters of an answer
FORM = ("cut", "coarse")  # slips that the brief remark names already


@dataclass(frozen=True, slots=True)
class Spelt:
    """An answer that is not a number: *agrees* says whether a value is what *text* says."""

    text: str
    agrees: Callable[[Value], bool]


Answer: TypeAlias = Written | Spelt | tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of the answer *stated* for a quantity, whose *right* value stands beside it.

    *brief* says in what sense it is right, or what is wrong with its form. *slips* lead to it, the
    simplest first; they are *sure* where the answer has digits enough. The verdict ``none`` is that
    nothing was answered, ``unread`` that it could not be read, so that nothing is credited until
    somebody reads it. *points* are what the answer is worth, *part* is the part of them that is
    credited, if that is not as usual.
    """

    name: str
    stated: str
    right: Results
    verdict: Verdict
    brief: Pieces = ()
    slips: tuple[Slip, ...] = ()
    sure: bool = True
    at: int | None = None  # the member of a list that the mark is about
    unit: Unit | None = None  # in which it was stated, if that measures the same
    line: Put | None = None  # what the right value comes to at last, beside a wrong answer
    points: Number = 1
    part: Number | None = None

    @property
    def credit(self) -> Number:
        """The points that are credited."""
        return self.points * (USUAL[self.verdict] if self.part is None else self.part)

    def credited(self, credit: Credit, steps: int | None) -> Mark:
        """This mark as the sheet credits it; the quantity comes from step number *steps*."""
        slip = self.slips[0] if self.slips and self.sure else None
        part = credit.part(self.verdict, slip, steps)
        return replace(self, points=credit.points, part=part)


@dataclass(slots=True)
class StudentMarks:
    """The marks of a *student* (empty: what a sheet itself claims), each beside the problem's name;
    the *email* and the *version* of the exam, where they are known."""

    student: str
    marked: list[tuple[str, Mark]]
    email: str = ""
    version: int | None = None

    @property
    def marks(self) -> list[Mark]:
        """The marks without names."""
        return [mark for _, mark in self.marked]

    def questions(self) -> Iterator[tuple[str, Mark]]:
        """The marks beside the problems' names in all versions."""
        end = "" if self.version is None else f"-{self.version}"
        yield from ((problem.removesuffix(end), mark) for problem, mark in self.marked)


# What a mark says, in the words of the declaration


def sentences(mark: Mark) -> Pieces:
    """How the stated answer came about, and why that is wrong; nothing where no slip is known."""
    verb = "get" if mark.sure else "may have got"
    got = f"You {verb} {clean(mark.stated, QUOTED)} by "
    if not mark.slips or mark.slips[0].kind in FORM:
        return ()
    first, *others = mark.slips
    others = [slip for slip in others if SIMPLE[slip.kind] <= TELLING]
    words: Pieces = (got, *first.deed)
    if first.shown:
        words = (*words, ", so " if first.kind == "reading" else ": ", *first.shown)
    words = (*words, ".", *_why(first))
    if others:
        words = (*words, " Or by ", *others[0].deed, ".")
    return words


def habit(mark: Mark) -> Pieces:
    """What the student did, for counting it in a class; nothing where no slip is known."""
    if mark.verdict == "unit":
        return ("a wrong unit, or none",)
    return mark.slips[0].deed if mark.slips else ()


def _why(slip: Slip) -> Pieces:
    if not slip.why or slip.why == ("",):
        return ()
    return (" ", *sentence(slip.why), ".")


# The marks of a class, counted as they come: memory grows with the slips, not the students


class TallyEntry(NamedTuple):
    """What a class counts of a mark: of which *problem* and *quantity*, its *verdict*, the points
    that are *credited* out of so many, and what the student did, in words."""

    problem: str
    quantity: str
    verdict: Verdict
    credit: Number
    points: Number
    habit: str = ""


@dataclass(slots=True)
class Count:
    """What became of the *answers* to one quantity of one question: verdicts, credit, slips.

    *credit* is in points, out of *of*; *unread* are those of answers that could not be read, which
    are credited to nobody yet.
    """

    answers: int = 0
    credit: Number = 0
    of: Number = 0
    unread: Number = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    slips: Counter[str] = field(default_factory=Counter)

    def add(self, entry: TallyEntry) -> None:
        """Count *entry* too."""
        self.answers += 1
        self.credit += entry.credit
        self.of += entry.points
        self.unread += entry.points if entry.verdict == "unread" else 0
        self.verdicts[entry.verdict] += 1
        if entry.habit:
            self.slips[entry.habit] += 1

    @property
    def mean(self) -> Number:
        """The part of the points that is credited, while answers that could not be read get
        none."""
        return Fraction(self.credit) / self.of if self.of else 0

    @property
    def most(self) -> Number:
        """The part that it would be if all answers that could not be read are right."""
        return Fraction(self.credit + self.unread) / self.of if self.of else 0


@dataclass(slots=True)
class ClassTally:
    """All marks so far, by problem and quantity, and all together."""

    students: int = 0
    whole: Count = field(default_factory=Count)
    by_question: dict[tuple[str, str], Count] = field(default_factory=dict)

    def add(self, entry: TallyEntry) -> None:
        """Count *entry* in its question, and in all."""
        self.whole.add(entry)
        self.by_question.setdefault((entry.problem, entry.quantity), Count()).add(entry)
