"""The verb ``variants``: other numbers for a question, as an exam with its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from ddcalc.ask.variants.search import Variants, VariantsWanted, variants
from ddcalc.ask.variants.versions import LONGEST, ExamQuestion, Version, versions
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import Document, Page
from ddcalc.cli.formats import JSON, PAGES, Format, Target, of_suffix
from ddcalc.cli.options import argument, form, listed_names, option, several
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import (
    GivenTexts,
    check_alone,
    from_files,
    refusing,
    stated,
    type_named_in,
    with_givens,
)
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadSheet, BadTarget, BadValue, Missing, UnknownName
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import Solved
from ddcalc.problem.stated import read
from ddcalc.render import exam as sheets
from ddcalc.render import quiz
from ddcalc.render.json import verb_data

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
    option("--choices", int | None, "Multiple choice: so many options from slips.", min=2, max=8),
    form(FORMATS),
    option("--output", str | None, "Write the exam into FILE, as its suffix says.", metavar="FILE"),
    option("--key", str | None, "Write the key, with full working, into FILE.", metavar="FILE"),
    option("--force", bool, "Let --output and --key replace files.", False),
)


class _Exam(NamedTuple):
    """The *questions* with their variants, drawn by a *seed*, each with up to so many *choices*."""

    questions: Sequence[ExamQuestion]
    choices: int
    seed: int

    def versions(self) -> Iterator[Version]:
        """Each version, made anew."""
        return versions(self.questions, self.choices, self.seed)


def command(session: Session, arguments: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer; *arguments* say whether it is about a type or a file."""
    problem = type_named_in(arguments)

    def run(
        words: list[str],
        given: GivenTexts,
        format: Format | None,
        output: str | None,
        key: str | None,
        force: bool,
        choices: int | None,
        keep: list[str],
        vary: list[str],
        **drawn: Any,
    ) -> None:
        exam = Target(FORMATS, format, output, force and output is not None)
        answers = Target(PAGES, None, key, force and key is not None, "--key")
        with refusing(session, exam, problem, ("keep", "vary")):
            if force and output is None and key is None:
                raise BadTarget("--force goes with --output FILE or --key FILE").about("--force")
            inputs = [] if problem else words[:1]
            exam.check(inputs)
            answers.check(inputs)
            if key is not None and key == output:
                raise answers.refusal("is the exam's own file; choose another name")
            wanted = VariantsWanted(keep=_given_names(keep), vary=_given_names(vary), **drawn)
            if problem is None:
                questions = _of_file(words, session)
            else:
                check_alone(words)
                base = read(*stated(problem, given)[1:])
                questions = [ExamQuestion(problem.slug, Variants(base))]
            with reraise_signals():
                made = _drawn(questions, wanted, session)
                papers = [(exam, exam.form is Format.key)]
                papers += [(answers, True)] * (key is not None)
                _write(_Exam(made, choices or 0, wanted.seed), papers, inputs, session)

    return with_givens(run, OPTIONS, problem)


def _given_names(written: Sequence[str]) -> tuple[str, ...]:
    """Names of givens, apart or with commas between them, in either spelling."""
    return tuple(name.replace("-", "_") for name in listed_names(written))


def _of_file(words: Sequence[str], session: Session) -> list[ExamQuestion]:
    """The questions of a file, or those with the ids after its name; what is wrong is refused.

    Raises UnknownName where there is no such id.
    """
    taken: list[ExamQuestion] = []

    def usable(done: Solved) -> bool:
        question, solved = done.question, done.derivation
        if question.find is not None and done.answered:
            reason = "is the unknown of this question; variants are of those that state all givens"
            question.refuse(BadSheet(reason).about("find"), question.find)
            return False
        if not done.answered or solved is None:
            return False
        name = question.id or ""
        if not name or len(name) > LONGEST - ROOM:
            name = f"{question.kind}.{len(taken) + 1}"[-(LONGEST - ROOM) :]
        if done.differs:
            session.happened(DIFFERS)
            session.say(f"note: {clean(name)}: an answer differs from what the file expects\n")
        expects = tuple(key.replace("-", "_") for key in question.expect)
        allowed = Key(question, solved).requirements.allowed
        taken.append(ExamQuestion(name, Variants(solved.stated), expects, allowed))
        return True

    from_files(words, session, usable)
    return taken


def _drawn(
    questions: Sequence[ExamQuestion], wanted: VariantsWanted, session: Session
) -> list[ExamQuestion]:
    """Each question with its variants; where there are fewer than wanted, that is said.

    Raises DdcalcError where ``keep`` or ``vary`` name what no question states, and where nothing
    of a question varies.
    """
    if not questions:
        raise Missing(["a given to vary"])
    known = {name for one in questions for name in one.variants.base.measured}
    for flag, names in (("keep", wanted.keep), ("vary", wanted.vary)):
        for name in names:
            if len(questions) > 1 and name not in known:
                raise UnknownName("given", name, known).about(flag)
    drawn = []
    with Waiting(session, "draw", rows=session.out) as waiting:
        for one in questions:
            base, mine = one.variants.base, replace(wanted, results=one.expects)
            if len(questions) > 1:
                stating = [name for name in base.measured if name in base.said]
                keep, vary = (
                    [n for n in names if n in stating] for names in (mine.keep, mine.vary)
                )
                if (wanted.vary and not vary) or {*stating} <= {*keep}:
                    reason = "has nothing that is to vary; name the ids of the others"
                    raise BadValue(one.name, reason)
                mine = replace(mine, keep=keep, vary=vary)
            made = variants(base, mine, waiting.step)
            if not made.questions:
                raise BadValue(one.name, f"leads to no variant: {made.why}")
            if made.why:
                count = f"{len(made.questions)} of {wanted.count} variants"
                session.say(f"note: {clean(one.name)}: {count}: {made.why}\n")
            drawn.append(replace(one, variants=made))
    return drawn


def _write(
    exam: _Exam, papers: Sequence[tuple[Target, bool]], inputs: Sequence[str], session: Session
) -> None:
    """The exam, and the key if it is wanted: both of them, or none where one cannot be made."""
    printed = session.out if any(target.output is None for target, _ in papers) else None
    total = len(papers) * min(len(one.variants.questions) for one in exam.questions)
    with ExitStack() as all_open, Waiting(session, "version", total, rows=printed) as waiting:
        opened = []
        for target, is_key in papers:
            if target.form is Format.key:
                target = replace(target, format=of_suffix(target.output) or Format.text)
            breaks = NEW_PAGE if len(exam.questions) > 1 and not is_key else TOGETHER
            between = {Format.text: "\n", Format.latex: breaks}
            document = Document(target, session, "versions", between=between, inputs=inputs)
            opened.append((all_open.enter_context(document.opened()), is_key))
        for document, is_key in opened:
            if is_key and document.form not in JSON:
                rows = [row for version in exam.versions() for row in sheets.answer_rows(version)]
                document.add(Page(partial(sheets.answers, rows)))
            for version in exam.versions():
                _write_version(version, document, exam.seed, is_key=is_key)
                waiting.step()


def _write_version(version: Version, document: Document, seed: int, *, is_key: bool) -> None:
    if document.form is Format.yaml:
        document.put(sheets.problems(version, seed))
    elif document.form is Format.moodle:
        document.put(quiz.moodle(version, seed))
    elif document.form in JSON or not is_key:
        data = verb_data.exam_version
        document.add(Page(lambda: sheets.sheet(version), lambda: data(version, steps=is_key)))
    else:
        for number, item in enumerate(version, 1):
            document.add(Page(partial(sheets.working, item, number)))
