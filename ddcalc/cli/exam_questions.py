"""The questions of an exam: those of a file, or the one that the options of a type state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ddcalc.ask.variants.search import Variants
from ddcalc.ask.variants.versions import LONGEST, ExamQuestion
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import GivenTexts, check_alone, from_files, stated
from ddcalc.errors import BadSheet
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import Solved
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import read

NAMED: Final = 3  # questions that a message names
ROOM: Final = 5  # characters for the number of a variant
# in words or digits, but not that of A100 or ResNet-50
NUMBER: Final = re.compile(r"(?<![\w.-])(?:\d[\d.,]*(?: \d{3})*|[a-z]+)")
NUMBERS: Final = {  # as words, with their digits as of ``_digits``
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "1", "eleven": "11", "twelve": "12",
}  # fmt: skip


def of_type(problem: type[Problem], words: Sequence[str], given: GivenTexts) -> list[ExamQuestion]:
    """The question that the options of a type state."""
    check_alone(words)
    base = read(problem, stated(problem, given).texts)
    return [ExamQuestion(problem.slug, Variants(base))]


def of_file(words: Sequence[str], session: Session) -> list[ExamQuestion]:
    """The questions of a file, or those with the ids after its name; what is wrong is refused.

    Raises UnknownName where there is no such id.
    """
    taken: list[Solved] = []

    def usable(done: Solved) -> bool:
        if not done.answered or _finds(done):
            return False
        taken.append(done)
        return True

    subjects = from_files(words, session, usable)
    for done in taken:
        if done.differs:
            session.happened(DIFFERS)
            name = clean(done.question.id or done.question.title, LONGEST)
            session.say(f"note: {name}: an answer differs from what the file expects\n")
    questions = [
        ExamQuestion(
            _name(subject.name, number, done),
            Variants(done.derivation.stated),
            tuple(key.replace("-", "_") for key in done.question.expect),
            allowed=Key(done.question, done.derivation).requirements.allowed,
            title=_title(done.question),
        )
        for number, (subject, done) in enumerate(zip(subjects, taken, strict=True), 1)
        if done.derivation is not None
    ]
    pairs = zip(questions, taken, strict=True)
    if bare := [one.name for one, done in pairs if done.question.title and not one.title]:
        session.say(f"note: {few(bare)}: without the title, which states numbers that vary\n")
    return questions


def _finds(done: Solved) -> bool:
    """Whether a given is the unknown, which is noted as wrong."""
    if done.question.find is None:
        return False
    reason = "is the unknown of this question; variants are made of those that state all givens"
    done.question.refuse(BadSheet(reason).about("find"), done.question.find)
    return True


def _title(question: FiledProblem) -> str:
    """The title of a *question*; none where it states a number of it, which variants change."""
    title = clean(question.title, TITLE)
    listed = ((text,) if isinstance(text, str) else text for text in question.texts.values())
    stated = {_digits(text) for texts in listed for text in texts} - {""}
    said = {NUMBERS.get(one) or _digits(one) for one in NUMBER.findall(title.lower())}
    return "" if stated & said else title


def _digits(text: str) -> str:
    """The digits of a number, without zeros at its ends: in ``1.5 s`` and ``1500 ms`` the same."""
    return re.sub(r"\D", "", text).strip("0")


def _name(name: str, number: int, done: Solved) -> str:
    """The question's id; where it has none, or one too long to go on, its type and *number*."""
    if done.question.id == name and len(name) <= LONGEST - ROOM:
        return name
    return f"{done.question.kind}.{number}"[-(LONGEST - ROOM) :]


def few(names: Sequence[str]) -> str:
    """The first of these *names*, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"
