"""The verb ``variants``: other numbers for a question, as an exam with its key."""

from __future__ import annotations

from typing import Any, Final

from ddcalc.boundary.signals import reraise_signals
from ddcalc.boundary.source import Source
from ddcalc.cli import papers
from ddcalc.cli.documents import PAGES, Format, Target
from ddcalc.cli.options import argument, form, listed_names, option, several, stated, switch
from ddcalc.cli.subject import Call, type_named_in, verb
from ddcalc.files.drawn import VariantsWanted, of_stated
from ddcalc.files.submissions import students
from ddcalc.problem.stated import read
from ddcalc.render.papers.exam import Wording

MOST: Final = 1000
FORMATS: Final = (Format.yaml, *PAGES, Format.moodle, Format.key)
HELP: Final = """\
Of FILE every question, or those called ID; or of a TYPE with its givens as options.
Numbers stay within a quarter and four times the question's own and about as round. An answer has
no more digits behind the point than the question's own, nor have results on the way where that
can be. The same cases and ties come up, and quotients are whole where they are in the question.
Of a question of parts, or cases, versions that are so in all of them go first.

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
)
WAYS: Final = (
    form(FORMATS),
    stated("--output", "FILE", "Write the exam into FILE, as its suffix says."),
    stated("--key", "FILE", "Write the key, with full working, into FILE."),
    switch("--force", "Let --output and --key replace files."),
)


@verb(OPTIONS, FORMATS, type_named_in, ways=WAYS)
def command(call: Call, key: str | None, names: str | None, **wanted: Any) -> None:
    """The exam, and its key where one is wanted."""
    session, exam = call.session, call.target
    answers = Target(session, PAGES, None, key, exam.force and key is not None, "--key")
    exam.force = exam.force and (exam.output is not None or key is None)
    for target in (exam, answers):
        target.check(*call.files, *([names] if names else ()))
    if key is not None and key == exam.output:
        raise answers.refusal("is the exam's own file; choose another name")
    listed = students(Source(names)) if names else []
    if call.problem is None:
        questions = [*papers.of_file(call.words, session)]
    else:
        questions = [(call.problem.slug, of_stated(read(*call.one()[1:3])))]
    for name in ("keep", "vary"):  # in either spelling
        wanted[name] = tuple(one.replace("-", "_") for one in listed_names(wanted[name]))
    paper = Wording.read(questions[0][1].question.paper if questions else {})
    with reraise_signals():
        drawn = papers.drawn(questions, VariantsWanted(**wanted), session)
        made = papers.Exam(drawn, wanted["seed"], paper, listed)
        written = [(exam, exam.form is Format.key), *[(answers, True)] * (key is not None)]
        papers.write(made, written, session)
