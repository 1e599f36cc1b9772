"""The verb ``variants``: other numbers for a question, as an exam with its key."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final

from ddcalc.ask.solve import texts_of
from ddcalc.ask.variants.search import Variants, VariantsWanted, most_tries
from ddcalc.ask.variants.versions import LONGEST, ExamQuestion
from ddcalc.ask.working import working
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.files import FileExchange, shown, waiting_texts
from ddcalc.boundary.limits import TITLE
from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import Document, Page
from ddcalc.cli.exam_pieces import (
    ExamPaperData,
    ExamRequest,
    FoundVariants,
    VersionPages,
    exam_pages,
    searched,
)
from ddcalc.cli.formats import PAGES, Format, Target, of_suffix
from ddcalc.cli.jobs import OPTIONS as JOBS
from ddcalc.cli.jobs import jobs
from ddcalc.cli.options import argument, form, option, several
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
from ddcalc.errors import BadSheet, BadTarget, BadValue, DdcalcError, Missing, UnknownName
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import Solved
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.numbers.number import Number
from ddcalc.problem.plan import read_for
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import read
from ddcalc.render import exam as sheets
from ddcalc.render.exam import AnswerRow

MOST: Final = 1000
NAMED: Final = 3  # questions that a message names
EXPECTED: Final = "expected"  # instead of names of results
ROOM: Final = 5  # characters for the number of a variant
FORMATS: Final = (Format.yaml, *PAGES, Format.moodle, Format.gift, Format.key)
# in words or digits, but not that of A100 or ResNet-50
NUMBER: Final = re.compile(r"(?<![\w.-])(?:\d[\d.,]*(?: \d{3})*|[a-z]+)")
NUMBERS: Final = {  # as words, with their digits as of ``_digits``
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "1", "eleven": "11", "twelve": "12",
}  # fmt: skip
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
    *JOBS,
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
            shared = jobs(drawn)
            wanted = VariantsWanted(keep=_names(keep), vary=_names(vary), **drawn)
            _check(exam, answers, inputs, session)
            questions = _of_type(problem, words, given) if problem else _of_file(words, session)
            sought = _seeking(questions, _names(results), points)
            with reraise_signals(), shared.opened() as executor:
                outcomes = _outcomes(sought, wanted, session, executor)
                _check_complete(outcomes, questions, wanted.count)
                papers = [*_papers(exam, answers, outcomes, inputs)]
                looks = [paper.wanted(session) for paper in papers]
                request = ExamRequest.of(outcomes, choices or 0, wanted.seed, looks)
                made = exam_pages(request, [one.chosen for _, one in outcomes], executor)
                _write_files(made, papers, session, max(len(one.chosen) for _, one in outcomes))

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


def _write_files(
    made: Iterator[VersionPages], papers: Sequence[_ExamTarget], session: Session, count: int
) -> None:
    """The exam and its key; where both are files they are exchanged together."""
    names = [paper.target.output for paper in papers if paper.target.output is not None]
    if len(names) < 2:
        _write(made, papers, session, count)
        return
    neither = f"neither {names[0]} nor {names[1]} is written"
    with _saying(neither, names[0], session), FileExchange() as both:
        for paper in papers:
            paper.target = replace(paper.target, exchange=both)
        _write(made, papers, session, count)
    for name in names:
        session.say(f"wrote {shown(name)}\n")


def _write(
    made: Iterator[VersionPages], papers: Sequence[_ExamTarget], session: Session, count: int
) -> None:
    """The exam, and the key if it is wanted, from the pages of the versions as they are *made*;
    *count* versions in all. A key begins with all answers, so that its pages wait."""
    answers: list[AnswerRow] = []
    printed = session.out if any(paper.target.output is None for paper in papers) else None
    with (
        ExitStack() as all_open,
        Waiting(session, "version", rows=printed, total=count) as progress,
    ):
        documents = [all_open.enter_context(paper.document(session)) for paper in papers]
        waiting = [all_open.enter_context(waiting_texts()) for _ in papers]
        for some in made:
            answers += some.answers
            for paper, document, pages, texts in zip(
                papers, documents, waiting, some.pages, strict=True
            ):
                if paper.is_key:
                    pages.add(texts)
                else:
                    for text in texts:
                        document.put(text)
            progress.step(some.versions)
        for paper, document, pages in zip(papers, documents, waiting, strict=True):
            if paper.is_key:
                document.add(Page(lambda: sheets.answers(answers)))
                for text in pages:
                    document.put(text)


@dataclass
class _ExamTarget:
    """The exam or its key, to be written to a *target*, with what goes *between* two pages of it.
    *inputs* are files that stay."""

    target: Target
    is_key: bool
    between: str
    inputs: Sequence[str]

    def wanted(self, session: Session) -> ExamPaperData:
        """What is asked for, as data."""
        look = self.target.look(session.out)
        return self.is_key, self.target.form.value, (look.width, look.colour, look.unicode)

    def document(self, session: Session) -> Document:
        """What is written."""
        between = {Format.text: "\n", Format.latex: self.between, Format.gift: "\n"}
        return Document(self.target, session, "versions", between=between, inputs=self.inputs)


def _papers(
    exam: Target,
    answers: Target,
    outcomes: Sequence[tuple[ExamQuestion, FoundVariants]],
    inputs: Sequence[str],
) -> Iterator[_ExamTarget]:
    """What is to be written of the *outcomes* of a search; a version with several questions begins
    on a page of its own."""
    if exam.form is Format.key:
        exam = replace(exam, format=of_suffix(exam.output) or Format.text)
        yield _ExamTarget(exam, True, TOGETHER, inputs)
    else:
        questions = sum(bool(one.chosen) for _, one in outcomes)
        yield _ExamTarget(exam, False, NEW_PAGE if questions > 1 else TOGETHER, inputs)
    if answers.output is not None:
        yield _ExamTarget(answers, True, TOGETHER, inputs)


# The questions


def _of_type(problem: type[Problem], words: Sequence[str], given: GivenTexts) -> list[ExamQuestion]:
    """The question that the options of a type state."""
    check_alone(words)
    base = read(problem, stated(problem, given).texts)
    return [ExamQuestion(problem.slug, Variants(base))]


def _of_file(words: Sequence[str], session: Session) -> list[ExamQuestion]:
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
        session.say(f"note: {_few(bare)}: without the title, which states numbers that vary\n")
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


def _outcomes(
    questions: Sequence[ExamQuestion],
    wanted: VariantsWanted,
    session: Session,
    executor: Executor | None,
) -> list[tuple[ExamQuestion, FoundVariants]]:
    """The variants of each question; where there are fewer than wanted, that is said.

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
    outcomes = []
    clock = monotonic if executor else None
    with Waiting(session, "draw", most, rows=session.out, clock=clock) as waiting:
        searches = searched(varied, executor, waiting.step)
        for (question, _), one in zip(varied, searches, strict=True):
            if one.why:
                count = f"{len(one.chosen)} of {wanted.count} variants"
                session.say(f"note: {clean(question.name)}: {count}: {one.why}\n")
            for name in one.changing:
                called = question.base.problem.quantities[name].called
                same = "none of the numbers tried changes what is asked"
                session.say(f"note: {clean(question.name)}: {same}; also asked for: {called}\n")
            outcomes.append((question, one))
    return outcomes


def _check_complete(
    outcomes: Sequence[tuple[ExamQuestion, FoundVariants]],
    questions: Sequence[ExamQuestion],
    count: int,
) -> None:
    """Refuse versions that miss some of the *questions*, and those without any."""
    counts = {question.name: len(one.chosen) for question, one in outcomes}
    if not counts:
        raise Missing(["a given to vary"])
    if idle := [one.name for one in questions if one.name not in counts]:
        raise BadValue(_few(idle), "has nothing that is to vary; name the ids of the others")
    if none := [name for name, variants in counts.items() if not variants]:
        raise BadValue(_few(none), "leads to no variant")
    least, most = min(counts.values()), max(counts.values())
    if lacking := [name for name, variants in counts.items() if variants < most]:
        reason = f"has too few variants for {count} versions; --count {least} is possible"
        raise BadValue(_few(lacking), reason)


def _few(names: Sequence[str]) -> str:
    """The first of these *names*, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _of(question: ExamQuestion, wanted: VariantsWanted) -> VariantsWanted | None:
    """What is *wanted* of one question among several; None where nothing of it is to vary."""
    here = [name for name in question.base.measured if name in question.base.said]
    keep = [name for name in wanted.keep if name in here]
    vary = [name for name in wanted.vary if name in here]
    if (wanted.vary and not vary) or {*here} <= {*keep}:
        return None
    return replace(wanted, keep=keep, vary=vary)
