"""The verb ``variants``: other numbers for a question, as an exam with its key."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import reraise_signals
from ddcalc.boundary.source import Source
from ddcalc.cli.documents import JSON, PAGES, Document, Format, Page, Target, of_suffix
from ddcalc.cli.options import argument, form, listed_names, option, several, stated, switch
from ddcalc.cli.session import Session, Waiting
from ddcalc.cli.subject import Call, answered_in, tell_differing, type_named_in, verb
from ddcalc.errors import BadTarget, BadValue, Missing
from ddcalc.files.batch import Solved
from ddcalc.files.drawn import DrawnQuestion, VariantsWanted, of_stated, varying
from ddcalc.files.submissions import Student, named, students
from ddcalc.files.versions import LONGEST, Version, versions
from ddcalc.problem.stated import read
from ddcalc.render import exam as sheets
from ddcalc.render import quiz
from ddcalc.render.exam import Wording
from ddcalc.render.json import verb_data
from ddcalc.render.problem_file import opening

MOST: Final = 1000
ROOM: Final = 5  # characters for the number of a variant
FORMATS: Final = (Format.yaml, *PAGES, Format.moodle, Format.key)
NEW_PAGE: Final = "\\newpage\n"
TOGETHER: Final = "\\filbreak\n"
HELP: Final = """\
Of FILE every question, or those called ID; or of a TYPE with its givens as options.
Numbers stay within a quarter and four times the question's own and about as round. An answer has
no more digits behind the point than the question's own, nor have results on the way where that
can be. The same cases and ties come up, and quotients are whole where they are in the question.

Variant i of a seed is the same however many are wanted.
"""
OPTIONS: Final = (
    argument("FILE [ID]... | TYPE", list[str], "A problem file and ids, -, or a problem type."),
    option("--count", int, "How many. (default: 10)", 10, min=1, max=MOST),
    option("--seed", int, "Which ones are drawn. (default: 0)", 0, min=0),
    option("--digits", int | None, "Digits behind the point of an answer, at most.", min=0, max=15),
    several("--keep", "A given that stays as it is.", "NAME"),
    several("--vary", "Only these givens change.", "NAME"),
    stated("--names", "FILE", "A class (CSV: name, id): a paper for each."),
    stated(
        "--words", "LANGUAGE", "The paper's words: english, german, or a TOML file.", "language"
    ),
    switch("--decimal-comma", "The numbers on the paper have decimal commas."),
)
WAYS: Final = (
    form(FORMATS),
    stated("--output", "FILE", "Write the exam into FILE, as its suffix says."),
    stated("--key", "FILE", "Write the key, with full working, into FILE."),
    switch("--force", "Let --output and --key replace files."),
)


class _Exam(NamedTuple):
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


@verb(OPTIONS, FORMATS, type_named_in, ways=WAYS)
def command(
    call: Call,
    key: str | None,
    names: str | None,
    language: str | None,
    decimal_comma: bool,
    **drawn: Any,
) -> None:
    """The exam, and its key where one is wanted."""
    session, exam, force = call.session, call.target, call.target.force
    exam.force = force and exam.output is not None
    answers = Target(session, PAGES, None, key, force and key is not None, "--key")
    if force and exam.output is None and key is None:
        raise BadTarget("--force goes with --output FILE or --key FILE").about("--force")
    inputs = [*call.files, *([names] if names else ())]
    exam.check(*inputs)
    answers.check(*inputs)
    if key is not None and key == exam.output:
        raise answers.refusal("is the exam's own file; choose another name")
    listed = students(Source(names)) if names else []
    if call.problem is None:
        questions = _of_file(call.words, session)
    else:
        questions = [(call.problem.slug, of_stated(read(*call.one()[1:3])))]
    for option_name in ("keep", "vary"):  # in either spelling
        named = listed_names(drawn[option_name])
        drawn[option_name] = tuple(name.replace("-", "_") for name in named)
    wanted = VariantsWanted(**drawn)
    said = questions[0][1].question.paper if questions else {}  # a file says its language, too
    paper = Wording.read(said, language, decimal_comma)
    with reraise_signals():
        whole = _Exam(_drawn(questions, wanted, session), wanted.seed, paper, listed)
        papers = [(exam, exam.form is Format.key)]
        papers += [(answers, True)] * (key is not None)
        _write(whole, papers, session)


def _of_file(words: Sequence[str], session: Session) -> list[tuple[str, Solved]]:
    """The questions of a file, or those with the ids after its name; what is wrong is refused.

    Raises UnknownName where there is no such id.
    """
    taken: list[tuple[str, Solved]] = []
    for _, done in answered_in(words, session):
        name = done.question.id or ""
        if not name or len(name) > LONGEST - ROOM:
            name = f"{done.question.kind or 'question'}.{len(taken) + 1}"[-(LONGEST - ROOM) :]
        tell_differing(done, (y for x in (done, *done.parts) for y in x.checks), session)
        taken.append((name, done))
    return taken


def _drawn(
    questions: Sequence[tuple[str, Solved]], wanted: VariantsWanted, session: Session
) -> list[DrawnQuestion]:
    """Each question with its variants; where there are fewer than wanted, that is said.

    Raises DdcalcError where ``keep`` or ``vary`` name what no question states, and where nothing
    of a question varies.
    """
    if not questions:
        raise Missing(["a given to vary"])
    known = {name for _, base in questions for name in varying(base)}
    drawn, wanted = [], replace(wanted, beside=known if len(questions) > 1 else ())
    with Waiting(session, "draw", rows=session.out) as waiting:
        for name, base in questions:
            made = DrawnQuestion(name, base, wanted).drawn(waiting.step)
            if not len(made):
                raise BadValue(name, f"leads to no variant: {made.why}")
            if made.why:
                count = f"{len(made)} of {wanted.count} variants"
                session.say(f"note: {clean(name)}: {count}: {made.why}\n")
            drawn.append(made)
    return drawn


def _write(exam: _Exam, papers: Sequence[tuple[Target, bool]], session: Session) -> None:
    """The exam, and the key if it is wanted: both of them, or none where one cannot be made."""
    printed = session.out if any(target.output is None for target, _ in papers) else None
    total = len(papers) * len(exam)
    with ExitStack() as all_open, Waiting(session, "version", total, rows=printed) as waiting:
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
                if document.form is Format.yaml:
                    document.put(sheets.problems(version, exam.seed))
                elif document.form is Format.moodle:
                    document.put(quiz.moodle(version, exam.seed, exam.paper))
                elif document.form in JSON:
                    having = exam.having(version)
                    data = partial(verb_data.exam_version, version, having, steps=is_key)
                    document.add(Page(data=data))
                elif is_key:
                    for number, item in enumerate(version, 1):
                        document.add(Page(partial(sheets.working, item, number)))
                else:
                    for student in (*exam.having(version),) or (None,):
                        document.add(Page(partial(sheets.sheet, version, exam.paper, student)))
                waiting.step()
