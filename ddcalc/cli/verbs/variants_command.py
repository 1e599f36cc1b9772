"""The verb ``variants``: other numbers for a question, as an exam with its key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from ddcalc.ask.solve import texts_of
from ddcalc.ask.variants.search import Variants, VariantsWanted, most_tries, variants
from ddcalc.ask.variants.versions import ExamQuestion, Version, Versions
from ddcalc.ask.working import working
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.files import FileExchange, shown
from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import Document, Page, entry
from ddcalc.cli.exam_questions import few, of_file, of_type
from ddcalc.cli.formats import JSON, PAGES, Format, Target, of_suffix
from ddcalc.cli.options import argument, form, option, several
from ddcalc.cli.session import Session
from ddcalc.cli.subject import (
    GivenTexts,
    refusing,
    type_named_in,
    with_givens,
)
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, BadValue, DdcalcError, Missing, UnknownName
from ddcalc.numbers.number import Number
from ddcalc.problem.plan import read_for
from ddcalc.render import exam as sheets
from ddcalc.render import quiz
from ddcalc.render.exam import AnswerRow
from ddcalc.render.json import verb_data
from ddcalc.render.whole import Look

MOST: Final = 1000
EXPECTED: Final = "expected"  # instead of names of results
FORMATS: Final = (Format.yaml, *PAGES, Format.moodle, Format.gift, Format.key)
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
    several(
        "--results", "Ask for these results too; expected: for all that the file expects.", "NAME"
    ),
    option("--points", int | None, "What a question is worth.", min=1, max=MOST),
    form(FORMATS),
    option("--output", str | None, "Write the exam into FILE, as its suffix says.", metavar="FILE"),
    option("--key", str | None, "Write the key, with full working, into FILE.", metavar="FILE"),
    option("--force", bool, "Let --output and --key replace files.", False),
)


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
        results: list[str],
        points: int | None,
        **drawn: Any,
    ) -> None:
        exam = Target(FORMATS, format, output, force and output is not None)
        answers = Target(PAGES, None, key, force and key is not None, "--key")
        with refusing(session, exam, problem, ("keep", "vary", "results")):
            inputs = [] if problem else words[:1]
            if force and output is None and key is None:
                raise BadTarget("--force goes with --output FILE or --key FILE").about("--force")
            wanted = VariantsWanted(keep=_names(keep), vary=_names(vary), **drawn)
            _check(exam, answers, inputs, session)
            questions = of_type(problem, words, given) if problem else of_file(words, session)
            sought = _seeking(questions, _names(results), points)
            with reraise_signals():
                made = _drawn(sought, wanted, session)
                _check_complete(made, questions, wanted.count)
                papers = [*_papers(exam, answers, made, inputs)]
                _write_files(Versions(made, choices or 0, wanted.seed), papers, session)

    return with_givens(run, OPTIONS, problem)


def _names(written: Sequence[str]) -> tuple[str, ...]:
    """Names of givens, apart or with commas between them, in either spelling."""
    parts = (part for text in written for part in text.split(","))
    return tuple(part.strip().replace("-", "_") for part in parts)


def _seeking(
    questions: Sequence[ExamQuestion], results: Sequence[str], points: Number | None
) -> list[ExamQuestion]:
    """*questions* that ask for these *results* too, worth so many *points* if that is said.

    Raises UnknownName for a result that none has.
    """
    known = {one.name: {*working(one.base).values} if results else set() for one in questions}
    every = {name for names in known.values() for name in names}
    for name in results:
        if name != EXPECTED and name not in every:
            raise UnknownName("result", name, [*sorted(every), EXPECTED]).about("results")
    seeking = []
    for one in questions:
        names = [*results, *(one.expects if EXPECTED in results else ())]
        sought = tuple(name for name in names if name in known[one.name])
        asking = one.variants
        if wanted := one.base.shape.wanted:  # so that what is sought is worked out too
            both = [*dict.fromkeys((*wanted, *sought))]
            asking = Variants(read_for(one.base.problem, texts_of(one.base), both))
        seeking.append(replace(one, variants=asking, sought=sought, points=points))
    return seeking


# The files


def _check(exam: Target, answers: Target, inputs: Sequence[str], session: Session) -> None:
    """Refuse now what could not be written after the work."""
    both = exam.output and answers.output
    with _saying(f"neither {exam.output} nor {answers.output} is written", both, session):
        exam.check(inputs)
        answers.check(inputs)
        if both and _place(exam.output or "") == _place(answers.output or ""):
            raise answers.refusal("is the exam's own file; choose another name")


@contextmanager
def _saying(note: str, wanted: str | None, session: Session) -> Iterator[None]:
    """Where inside one of the two files cannot be written, say what became of both, if *wanted*."""
    try:
        yield
    except (DdcalcError, OSError):
        if wanted:
            session.say(f"note: {clean(note)}\n")
        raise


def _place(name: str) -> str:
    return os.path.realpath(name) if "\0" not in name else name


def _write_files(versions: Versions, papers: Sequence[_ExamPaper], session: Session) -> None:
    """The exam and its key; where both are files they are exchanged together."""
    names = [paper.target.output for paper in papers if paper.target.output is not None]
    if len(names) < 2:
        _write(versions, papers, session)
        return
    neither = f"neither {names[0]} nor {names[1]} is written"
    with _saying(neither, names[0], session), FileExchange() as both:
        for paper in papers:
            paper.target = replace(paper.target, exchange=both)
        _write(versions, papers, session)
    for name in names:
        session.say(f"wrote {shown(name)}\n")


def _write(versions: Versions, papers: Sequence[_ExamPaper], session: Session) -> None:
    """The exam, and the key if it is wanted, version by version. A key begins with all answers, so
    that its pages wait."""
    answers: list[AnswerRow] = []
    printed = session.out if any(paper.target.output is None for paper in papers) else None
    with (
        ExitStack() as all_open,
        Waiting(session, "version", rows=printed, total=len(versions)) as progress,
    ):
        documents = [all_open.enter_context(paper.document(session)) for paper in papers]
        waiting: list[list[str]] = [[] for _ in papers]
        for version in versions:
            for paper, document, later in zip(papers, documents, waiting, strict=True):
                form, look = paper.target.form, document.look
                texts = _pages(version, form, look, versions.seed, is_key=paper.is_key)
                if paper.is_key:
                    later.extend(texts)
                else:
                    for text in texts:
                        document.put(text)
            if any(paper.is_key for paper in papers):
                answers += sheets.answer_rows(version)
            progress.step()
        for paper, document, later in zip(papers, documents, waiting, strict=True):
            if paper.is_key:
                document.add(Page(lambda: sheets.answers(answers)))
                for text in later:
                    document.put(text)


def _pages(version: Version, form: Format, look: Look, seed: int, *, is_key: bool) -> Iterator[str]:
    """The texts of the pages of a *version*, drawn by a *seed*."""
    match form:
        case Format.yaml:
            yield sheets.problems(version, seed)
        case Format.moodle:
            yield quiz.moodle(version, seed)
        case Format.gift:
            yield quiz.gift(version, seed)
        case _:
            for page in _of_key(version, form) if is_key else _of_exam(version):
                yield entry(page, form, look)


def _of_exam(version: Version) -> Iterable[Page]:
    """What students get."""
    yield Page(lambda: sheets.sheet(version), lambda: verb_data.exam_version(version, steps=False))


def _of_key(version: Version, form: Format) -> Iterable[Page]:
    """The working of each question; for scripts a version at a time."""
    if form in JSON:
        yield Page(data=lambda: verb_data.exam_version(version, steps=True))
        return
    for blocks in sheets.working(version):
        yield Page(lambda blocks=blocks: blocks)  # type: ignore[misc]


@dataclass
class _ExamPaper:
    """The exam or its key, to be written to a *target*, with what goes *between* two pages of it.
    *inputs* are files that stay."""

    target: Target
    is_key: bool
    between: str
    inputs: Sequence[str]

    def document(self, session: Session) -> Document:
        """What is written."""
        between = {Format.text: "\n", Format.latex: self.between, Format.gift: "\n"}
        return Document(self.target, session, "versions", between=between, inputs=self.inputs)


def _papers(
    exam: Target,
    answers: Target,
    questions: Sequence[ExamQuestion],
    inputs: Sequence[str],
) -> Iterator[_ExamPaper]:
    """What is to be written of the *questions*; a version with several of them begins on a page of
    its own."""
    if exam.form is Format.key:
        exam = replace(exam, format=of_suffix(exam.output) or Format.text)
        yield _ExamPaper(exam, True, TOGETHER, inputs)
    else:
        yield _ExamPaper(exam, False, NEW_PAGE if len(questions) > 1 else TOGETHER, inputs)
    if answers.output is not None:
        yield _ExamPaper(answers, True, TOGETHER, inputs)


# The variants


def _drawn(
    questions: Sequence[ExamQuestion], wanted: VariantsWanted, session: Session
) -> list[ExamQuestion]:
    """Each question of which something varies, with its variants; where there are fewer than
    wanted, that is said.

    Raises DdcalcError where ``keep`` or ``vary`` name what no question states.
    """
    if len(questions) > 1:
        known = {name for question in questions for name in question.base.measured}
        for flag, names in (("keep", wanted.keep), ("vary", wanted.vary)):
            for name in names:
                if name not in known:
                    raise UnknownName("given", name, known).about(flag)
    varied = [
        (question, replace(mine, results=question.expects))
        for question in questions
        if (mine := wanted if len(questions) == 1 else _of(question, wanted)) is not None
    ]
    most = sum(most_tries(question.base) for question in questions)
    drawn = []
    with Waiting(session, "draw", most, rows=session.out) as waiting:
        for question, mine in varied:
            made = variants(question.base, mine, waiting.step)
            if made.why:
                count = f"{len(made.questions)} of {wanted.count} variants"
                session.say(f"note: {clean(question.name)}: {count}: {made.why}\n")
            for name in made.changing:
                called = question.base.problem.quantities[name].called
                same = "none of the numbers tried changes what is asked"
                session.say(f"note: {clean(question.name)}: {same}; also asked for: {called}\n")
            drawn.append(replace(question, variants=made))
    return drawn


def _check_complete(
    drawn: Sequence[ExamQuestion], questions: Sequence[ExamQuestion], count: int
) -> None:
    """Refuse versions that miss some of the *questions*, and those without any."""
    counts = {question.name: len(question.variants.questions) for question in drawn}
    if not counts:
        raise Missing(["a given to vary"])
    if idle := [one.name for one in questions if one.name not in counts]:
        raise BadValue(few(idle), "has nothing that is to vary; name the ids of the others")
    if none := [name for name, variants in counts.items() if not variants]:
        raise BadValue(few(none), "leads to no variant")
    least, most = min(counts.values()), max(counts.values())
    if lacking := [name for name, variants in counts.items() if variants < most]:
        reason = f"has too few variants for {count} versions; --count {least} is possible"
        raise BadValue(few(lacking), reason)


def _of(question: ExamQuestion, wanted: VariantsWanted) -> VariantsWanted | None:
    """What is *wanted* of one question among several; None where nothing of it is to vary."""
    here = [name for name in question.base.measured if name in question.base.said]
    keep = [name for name in wanted.keep if name in here]
    vary = [name for name in wanted.vary if name in here]
    if (wanted.vary and not vary) or {*here} <= {*keep}:
        return None
    return replace(wanted, keep=keep, vary=vary)
