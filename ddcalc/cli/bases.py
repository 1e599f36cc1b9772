"""The questions of which variants are wanted: from a problem file, or from options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ddcalc.ask.variants.search import VariantsWanted, variants
from ddcalc.ask.variants.versions import LONGEST, ExamQuestion
from ddcalc.boundary.cleaning import clean
from ddcalc.cli.asked import from_files, named_as_options, stated
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.errors import BadSheet, DdcalcError, UnknownName
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Stated, read
from ddcalc.sheet.batch import Solved

ROOM = 5  # characters for the number of a variant


@dataclass(frozen=True, slots=True)
class Question:
    """A question called *name*, and the results that its file *expects*."""

    name: str
    stated: Stated
    expected: tuple[str, ...] = ()


def of_type(problem: type[Problem], given: dict[str, list[str] | None]) -> list[Question]:
    """The question that options ask; raises DdcalcError, whose parameters are options."""
    try:
        return [Question(problem.slug, read(problem, stated(problem, given).texts))]
    except DdcalcError as error:
        raise named_as_options(problem, error) from None


def of_file(words: Sequence[str], session: Session) -> list[Question]:
    """The questions of a file, or only those with the ids behind its name; what is wrong is told.

    Raises UnknownName where there is no such id.
    """
    taken: list[Solved] = []

    def usable(done: Solved) -> bool:
        if not done.answered or _finds(done):
            return False
        taken.append(done)
        return True

    found = from_files(words, session, usable)
    for done in taken:
        if done.differs:
            session.happened(DIFFERS)
            name = clean(done.question.id or done.question.title, LONGEST)
            session.tell(f"note: {name}: an answer differs from what the file expects\n")
    return [
        Question(_name(each.name, number, done), done.derivation.stated, _expected(done))
        for number, (each, done) in enumerate(zip(found, taken, strict=True), 1)
        if done.derivation is not None
    ]


def _finds(done: Solved) -> bool:
    """Whether a given is the unknown, which is noted as wrong."""
    if done.question.find is None:
        return False
    told = "is found in this question; variants are made of those that state all givens"
    done.question.refuse(BadSheet(told).about("find"), done.question.find)
    return True


def _expected(done: Solved) -> tuple[str, ...]:
    return tuple(key.replace("-", "_") for key in done.question.expect)


def _name(name: str, number: int, done: Solved) -> str:
    """The question's id; where it has none, or one too long to go on, its type and *number*."""
    if done.question.id == name and len(name) <= LONGEST - ROOM:
        return name
    return f"{done.question.kind}.{number}"[-(LONGEST - ROOM) :]


def bases(
    asked: Sequence[Question], wanted: VariantsWanted, session: Session
) -> Iterator[ExamQuestion]:
    """The variants of each question; where there are fewer than wanted, that is told.

    Raises DdcalcError where ``keep`` or ``vary`` name what no question states.
    """
    if len(asked) > 1:
        _check_names(asked, wanted)
    for each in asked:
        mine = wanted if len(asked) == 1 else _of(each, wanted)
        if mine is None:
            continue
        done = variants(each.stated, replace(mine, results=each.expected))
        if done.why:
            found = f"{len(done.questions)} of {wanted.count} variants"
            session.tell(f"note: {clean(each.name)}: {found}: {done.why}\n")
        yield ExamQuestion(each.name, done, each.expected)


def _check_names(asked: Sequence[Question], wanted: VariantsWanted) -> None:
    known = {name for each in asked for name in each.stated.measured}
    for option, names in (("keep", wanted.keep), ("vary", wanted.vary)):
        for name in names:
            if name not in known:
                raise UnknownName("given", name, known).about(option)


def _of(asked: Question, wanted: VariantsWanted) -> VariantsWanted | None:
    """What is *wanted* of one question among several; None where nothing of it is to vary."""
    here = [name for name in asked.stated.measured if name in asked.stated.said]
    keep = [name for name in wanted.keep if name in here]
    vary = [name for name in wanted.vary if name in here]
    if (wanted.vary and not vary) or {*here} <= {*keep}:
        return None
    return replace(wanted, keep=keep, vary=vary)
