"""A mark: whether a stated answer is right, in what sense, and what it is worth; the slip, one
wrong turn of a student's, that leads to it if it is not; what is said of it, and of a class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

from ddcalc.ask.solve import Results
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.units import Unit
from ddcalc.problem.said.sentences import capital
from ddcalc.problem.said.steps import PutIn

# The kinds, the simplest first: of slips that come to the same number the first one is named.
Kind = Literal[
    "cut", "coarse", "term", "factor", "result", "rounding", "strict", "reading", "case", "unit",
    "share", "count", "early", "extreme", "power of ten", "sign", "upside down",
]  # fmt: skip
SIMPLE: Mapping[str, int] = {kind: rank for rank, kind in enumerate(get_args(Kind))}


class Put(NamedTuple):
    """A formula with *numbers* put in for its letters."""

    expr: Expr
    numbers: Mapping[str, PutIn]


Instead = Mapping[str, Expr | Number]
Piece = str | Expr | Put
Pieces = tuple[Piece, ...]


def sentence(pieces: Pieces) -> Pieces:
    """*pieces* with a capital letter in front."""
    first, *others = pieces
    return (capital(first) if isinstance(first, str) else first, *others)


@dataclass(frozen=True)
class Slip:
    """What a student may have done: *deed* completes "you get this by".

    The exact *value* that comes of it is in base units; it went wrong in *step* (None: in none of
    them). What the step then says, and what it should say and why, is made by *words* when the slip
    is named.

    The same thing *wrong* is the same slip in another part, where that is known at all; *instead*
    are the formulas and numbers by letter that the student then has.
    """

    kind: Kind
    deed: Pieces
    value: Number = 0
    step: int | None = None
    words: Callable[[], tuple[Pieces, Pieces]] = lambda: ((), ())
    wrong: tuple[Hashable, ...] = ()
    instead: Instead = field(default_factory=dict)


# unread: what could not be read is not marked; somebody has to look at it
Verdict = Literal["right", "rounded", "follows", "unit", "wrong", "none", "unread"]


@dataclass(frozen=True, slots=True)
class Credit:
    """The *points* of an answer, and the parts of them for a wrong *unit*, for what *follows* from
    an earlier slip, and for an answer to which one *slip* surely leads; None there is the share of
    the steps that stay right."""

    points: Number = 1
    unit: Number = Fraction(1, 2)
    follows: Number = 1
    slip: Number | None = 0

    def part(self, mark: Mark, steps: int = 0) -> Number:
        """The part for a *mark* of what comes from step number *steps*."""
        parts: dict[Verdict, Number] = {"unit": self.unit, "follows": self.follows}
        part = parts.get(mark.verdict, int(mark.verdict in ("right", "rounded")))
        if mark.verdict == "wrong" and mark.slips and mark.sure:
            by_steps = Fraction(steps - 1, steps) if steps and mark.slips[0].step else 0
            part = by_steps if self.slip is None else self.slip
        return part * self.follows if mark.follows and mark.verdict != "follows" else part


AS_USUAL = Credit()

TELLING = SIMPLE["reading"]  # up to which a second slip with the same value is worth a sentence
QUOTED = 60  # characters of an answer
VERSION = re.compile(r"(?<=.)-(\d{1,9})(?=$|\.\w+$)")  # at the end of an id
FORM = ("cut", "coarse")  # slips that the brief remark names already


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of the answer *stated* for a quantity, whose *right* value stands beside it.

    *brief* says in what sense it is right, or what is wrong with its form. *slips* lead to it, the
    simplest first; they are *sure* where the answer has digits enough. The verdict ``none`` is that
    nothing was answered, ``unread`` that it could not be read, so that nothing is credited until
    somebody reads it. *points* are what the answer is worth, *part* is the part that is credited.
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
    follows: bool = False  # whether it goes on from wrong results of the student's own
    own: Mapping[str, Amount] = field(default_factory=dict)  # by letter, what is not exactly right

    @property
    def credit(self) -> Number:
        """The points that are credited."""
        return self.points * (AS_USUAL.part(self) if self.part is None else self.part)


@dataclass(slots=True)
class StudentMarks:
    """The marks of a *student* (empty: what a sheet itself claims), each beside the problem's name;
    the *version* of the exam, where it is known."""

    student: str
    marked: list[tuple[str, Mark]]
    version: int | None = None

    @property
    def marks(self) -> list[Mark]:
        """The marks without names."""
        return [mark for _, mark in self.marked]

    def questions(self) -> Iterator[tuple[str, Mark]]:
        """The marks beside the problems' names in all versions."""
        for problem, mark in self.marked:
            yield problem if self.version is None else without_version(problem), mark


def without_version(name: str) -> str:
    """The *name* of a problem, or part, without the number of its version.

    >>> without_version("ps-epochs-2"), without_version("q3-2.a"), without_version("sync-step")
    ('ps-epochs', 'q3.a', 'sync-step')
    """
    return VERSION.sub("", name)


def sentences(mark: Mark) -> Pieces:
    """How the stated answer came about, and why that is wrong; nothing where no slip is known."""
    if not mark.slips or mark.slips[0].kind in FORM:
        return ()
    first, *others = mark.slips
    verb = "get" if mark.sure else "may have got"
    words: Pieces = (f"You {verb} {clean(mark.stated, QUOTED)} by ", *first.deed)
    shown, why = first.words()
    if shown:
        words = (*words, ", so " if first.kind == "reading" else ": ", *shown)
    words = (*words, ".")
    if any(why):
        words = (*words, " ", *sentence(why), ".")
    for other in [slip for slip in others if SIMPLE[slip.kind] <= TELLING][:1]:
        words = (*words, " Or by ", *other.deed, ".")
    return words


# The marks of a class, counted as they come: memory grows with the slips, not the students


@dataclass(slots=True)
class Count:
    """What became of the answers to one quantity of one question: verdicts, credit, and what the
    students did.

    *credit* is in points, out of *of*.
    """

    credit: Number = 0
    of: Number = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    slips: Counter[Pieces] = field(default_factory=Counter)

    @property
    def answers(self) -> int:
        """How many there are."""
        return self.verdicts.total()

    @property
    def mean(self) -> Number:
        """The part of the points that is credited; what could not be read gets none."""
        return Fraction(self.credit) / self.of if self.of else 0


@dataclass(slots=True)
class ClassTally:
    """All marks so far, by problem and quantity, and all together."""

    students: int = 0
    whole: Count = field(default_factory=Count)
    by_question: dict[tuple[str, str], Count] = field(default_factory=dict)

    def add(self, one: StudentMarks) -> None:
        """Count the marks of a student in their questions, and in all."""
        self.students += bool(one.student)
        for problem, mark in one.questions():
            done = [slip.deed for slip in mark.slips[:1]]
            if mark.verdict == "unit":
                done = [("a wrong unit, or none",)]
            for count in (self.whole, self.by_question.setdefault((problem, mark.name), Count())):
                count.credit += mark.credit
                count.of += mark.points
                count.verdicts[mark.verdict] += 1
                count.slips.update(done)
