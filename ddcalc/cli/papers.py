"""Exams as they are drawn and written: papers in versions, and their key, both or none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from ddcalc.boundary.cleaning import clean
from ddcalc.cli.documents import JSON, Document, Format, Page, Target, of_suffix
from ddcalc.cli.session import Session, Waiting
from ddcalc.cli.subject import answered_in, tell_differing
from ddcalc.errors import BadValue, Missing, Several
from ddcalc.files.drawn import DrawnQuestion, VariantsWanted, varying
from ddcalc.files.keys import LONGEST, Version, versions
from ddcalc.files.solved import Solved
from ddcalc.files.submissions import Student, named
from ddcalc.render.json import verb_data
from ddcalc.render.papers import exam as sheets
from ddcalc.render.papers import quiz
from ddcalc.render.papers.exam import Wording
from ddcalc.render.papers.problem_file import opening
from ddcalc.schedule.watching import tell

ROOM: Final = 5  # characters for the number of a variant
NEW_PAGE: Final = "\\newpage\n"
TOGETHER: Final = "\\filbreak\n"


class Exam(NamedTuple):
    """The *questions* with their variants, drawn by a *seed*, the *paper* on which they are asked,
    and the *students* who have them, each a version."""

    questions: Sequence[DrawnQuestion]
    seed: int
    paper: Wording
    students: Sequence[Student]

    def __len__(self) -> int:
        return min(map(len, self.questions))

    def having(self, version: Version) -> Sequence[Student]:
        """Who of the class has a *version*."""
        return self.students[version[0].version - 1 :: len(self)]


def of_file(words: Sequence[str], session: Session) -> Iterator[tuple[str, Solved]]:
    """The questions of a file, or those with the ids after its name; what is wrong is refused.

    Raises UnknownName where there is no such id.
    """
    for number, (_, done) in enumerate(answered_in(words, session), 1):
        name = done.question.id or ""
        if not name or len(name) > LONGEST - ROOM:
            name = f"{done.question.kind or 'question'}.{number}"[-(LONGEST - ROOM) :]
        tell_differing(done, session)
        yield name, done


def drawn(
    questions: Sequence[tuple[str, Solved]], wanted: VariantsWanted, session: Session
) -> list[DrawnQuestion]:
    """Each question with its variants; where there are fewer than wanted, that is said.

    Raises DdcalcError where ``keep`` or ``vary`` name what no question states, and where nothing
    of a question varies.
    """
    if not questions:
        raise Several([]) if session.code else Missing(["a given to vary"])
    known = {name for _, base in questions for name in varying(base)}
    every, wanted = [], replace(wanted, beside=known if len(questions) > 1 else ())
    with Waiting(session):
        for name, base in questions:
            made = DrawnQuestion(name, base, wanted).drawn()
            if not len(made):
                raise BadValue(name, f"leads to no variant: {made.why}")
            if made.why:
                count = f"{len(made)} of {wanted.count} variants"
                session.say(f"note: {clean(name)}: {count}: {made.why}\n")
            every.append(made)
    return every


def write(exam: Exam, papers: Sequence[tuple[Target, bool]], session: Session) -> None:
    """Write the *exam* on *papers*, each of which is its key or not; none where one cannot be
    made."""
    is_printed = any(target.output is None for target, _ in papers)
    with ExitStack() as all_open, Waiting(session, among=is_printed):
        opened, mine = [], [(one, i % len(exam) + 1) for i, one in enumerate(exam.students)]
        for target, is_key in papers:
            if target.form is Format.key:
                target = replace(target, format=of_suffix(target.output) or Format.text)
            is_long = len(exam.questions) > 1 or exam.questions[0].base.parts or exam.students
            breaks = NEW_PAGE if is_long and not is_key else TOGETHER
            head = opening(exam.paper.heads, named(mine)) if target.form is Format.yaml else ""
            document = Document(target, "versions", head=head, between={Format.latex: breaks})
            opened.append((all_open.enter_context(document.opened()), is_key))
        for document, is_key in opened:
            if is_key and document.form not in JSON:
                every = (sheets.answer_rows(x, exam.paper) for x in versions(exam.questions))
                rows = [row for version in every for row in version]
                document.add(Page(partial(sheets.answers, rows, mine)))
            for version in versions(exam.questions):
                _add(document, version, exam, is_key=is_key)
                tell("version")


def _add(document: Document, version: Version, exam: Exam, *, is_key: bool) -> None:
    """Write a *version*, as the form of the *document* has it."""
    having = exam.having(version)
    if document.form is Format.yaml:
        document.put(sheets.problems(version, exam.seed))
    elif document.form is Format.moodle:
        document.put(quiz.moodle(version, exam.seed, exam.paper))
    elif document.form in JSON:
        data = partial(verb_data.exam_version, version, having, steps=is_key)
        document.add(Page(data=data))
    elif is_key:
        for number, item in enumerate(version, 1):
            document.add(Page(partial(sheets.working, item, number)))
    else:
        for student in having or (None,):
            document.add(Page(partial(sheets.sheet, version, exam.paper, student)))
