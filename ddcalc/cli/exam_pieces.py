"""An exam in pieces, which are shared out: the search for the variants of a question, and the pages
of some versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any, Final, NamedTuple

from ddcalc.ask.mark.slip import Credit
from ddcalc.ask.mark.written import Allowed
from ddcalc.ask.solve import Text, texts_of
from ddcalc.ask.variants.search import QuestionTemplate, Variants, VariantsWanted, variants
from ddcalc.ask.variants.versions import ExamQuestion, Version, Versions
from ddcalc.boundary.processes import Lost, all_in_order, as_done, report
from ddcalc.cli.documents import Page, entry
from ddcalc.cli.formats import JSON, Format
from ddcalc.errors import DdcalcError, WorkerLost
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import unit_named
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.plan import read_for
from ddcalc.render import exam as sheets
from ddcalc.render import quiz
from ddcalc.render.json import verb_data
from ddcalc.render.whole import Look

ITEMS: Final = 24  # questions of a piece

ChosenTexts = Mapping[str, Text]
"""What a variant states otherwise than its base, by given."""


@dataclass(frozen=True)
class QuestionRequest:
    """A question of an exam, as data."""

    name: str
    problem: str
    texts: Mapping[str, Text]
    wanted: Sequence[str]
    expects: Sequence[str]
    sought: Sequence[str]
    allowed: Mapping[str, Sequence[Any]]
    points: Number | None
    title: str

    @classmethod
    def of(cls, question: ExamQuestion) -> QuestionRequest:
        """That of *question*."""
        base = question.base
        allowed = {
            name: (
                one.digits, one.within, one.relative, one.unit and one.unit.name, one.says,
                astuple(one.credit),
            )
            for name, one in question.allowed.items()
        }  # fmt: skip
        return cls(
            question.name,
            base.problem.slug,
            texts_of(base),
            base.shape.wanted,
            tuple(question.expects),
            tuple(question.sought),
            allowed,
            question.points,
            question.title,
        )

    def question(self) -> ExamQuestion:
        """The question, without variants."""
        allowed = {
            name: Allowed(
                digits, within, relative, None if unit is None else unit_named(unit), says,
                Credit(*credit),
            )
            for name, (digits, within, relative, unit, says, credit) in self.allowed.items()
        }  # fmt: skip
        base = read_for(problem_named(self.problem), self.texts, self.wanted)
        return ExamQuestion(
            self.name, Variants(base), self.expects, self.sought, allowed, self.points, self.title
        )


# The search


class FoundVariants(NamedTuple):
    """The texts *chosen* for each variant, *why* there are no more, and the result *changing*; it
    took so many *tries*."""

    chosen: Sequence[ChosenTexts]
    why: str
    changing: tuple[str, ...]
    tries: int


def searched(
    wanted: Sequence[tuple[ExamQuestion, VariantsWanted]],
    executor: Executor | None,
    step: Callable[[int], None],
) -> Iterator[FoundVariants]:
    """The variants that are *wanted* of each question, in order, which the *executor* searches for;
    so many more tries are a *step*.

    Raises what the search raises, and WorkerLost.
    """
    pieces = [
        (place, asdict(QuestionRequest.of(question)), asdict(mine))
        for place, (question, mine) in enumerate(wanted)
    ]
    counted = dict.fromkeys(range(len(pieces)), 0)

    def reported(piece: tuple[int, Any, Any], tries: int) -> None:
        step(tries - counted[piece[0]])
        counted[piece[0]] = tries

    early: dict[int, FoundVariants | DdcalcError] = {}
    turn = 0
    for piece, result in as_done(executor, search, pieces, reported):
        if isinstance(result, Lost):
            raise WorkerLost(result.exit_code)
        early[piece[0]] = result
        while turn in early:
            outcome = early.pop(turn)
            if isinstance(outcome, DdcalcError):
                raise outcome
            step(outcome.tries - counted[turn])
            yield outcome
            turn += 1


def search(piece: tuple[int, Mapping[str, Any], Mapping[str, Any]]) -> FoundVariants | DdcalcError:
    """The variants of a question, from the data of its request and of what is wanted; or why that
    cannot be."""
    _, data, wanted = piece
    tries = 0

    def step() -> None:
        nonlocal tries
        tries += 1
        report(tries)

    base = QuestionRequest(**data).question().base
    try:
        made = variants(base, VariantsWanted(**wanted), step)
    except DdcalcError as error:
        return error
    before = texts_of(base)
    chosen = [
        {name: text for name, text in texts_of(stated).items() if text != before[name]}
        for stated in made.questions
    ]
    return FoundVariants(chosen, made.why, made.changing, tries)


# The pages


ExamPaperData = tuple[bool, str, tuple[int, bool, bool]]
"""Whether it is the key, its form, and how a text looks."""


@dataclass(frozen=True)
class ExamRequest:
    """What is asked of an exam, as data: its *questions*, each with the results that are asked for
    because none of its variants changes the answer; so many *choices*; and its *papers*."""

    questions: Sequence[tuple[Mapping[str, Any], Sequence[str]]]
    choices: int
    seed: int
    papers: Sequence[ExamPaperData]

    @classmethod
    def of(
        cls,
        outcomes: Sequence[tuple[ExamQuestion, FoundVariants]],
        choices: int,
        seed: int,
        papers: Sequence[ExamPaperData],
    ) -> ExamRequest:
        """That of the questions whose search had these *outcomes*."""
        questions = [(asdict(QuestionRequest.of(one)), its.changing) for one, its in outcomes]
        return cls(questions, choices, seed, papers)


class ExamPaper(NamedTuple):
    """The exam or its key: its *form*, and how a text looks."""

    is_key: bool
    form: Format
    look: Look


class VersionPages(NamedTuple):
    """So many *versions*: the texts of their *pages* in each paper, and their *answers*."""

    versions: int
    pages: Sequence[Sequence[str]]
    answers: Sequence[sheets.AnswerRow]


def exam_pages(
    request: ExamRequest, chosen: Sequence[Sequence[ChosenTexts]], executor: Executor | None
) -> Iterator[VersionPages]:
    """The versions with the variants *chosen* of each question of *request*, in order, made by the
    *executor*; raises WorkerLost."""
    data, count = asdict(request), max(map(len, chosen))
    size = max(1, ITEMS // len(chosen))
    pieces = (
        (data, first, [texts[first : first + size] for texts in chosen])
        for first in range(0, count, size)
    )
    yield from all_in_order(executor, work, pieces)


_latest: tuple[Mapping[str, Any], list[tuple[ExamQuestion, QuestionTemplate]]] | None = None


def work(piece: tuple[Mapping[str, Any], int, Sequence[Sequence[ChosenTexts]]]) -> VersionPages:
    """The pages of some versions: the data of a request, how many versions are before these, and
    the texts chosen for each question."""
    global _latest
    data, before, chosen = piece
    request = ExamRequest(**data)
    if _latest is None or _latest[0] != data:
        _latest = data, [*_questions(request)]
    questions = [
        replace(
            question, variants=replace(question.variants, questions=[*map(template.stated, texts)])
        )
        for (question, template), texts in zip(_latest[1], chosen, strict=True)
    ]
    versions = Versions(questions, request.choices, request.seed, before)
    papers = [ExamPaper(is_key, Format(form), Look(*look)) for is_key, form, look in request.papers]
    texts_by_paper: list[list[str]] = [[] for _ in papers]
    answers: list[sheets.AnswerRow] = []
    for version in versions:
        for paper, texts in zip(papers, texts_by_paper, strict=True):
            texts.extend(_texts(paper, version, request.seed))
        if any(paper.is_key for paper in papers):
            answers += sheets.answer_rows(version)
    return VersionPages(len(versions), texts_by_paper, answers)


def _questions(request: ExamRequest) -> Iterator[tuple[ExamQuestion, QuestionTemplate]]:
    for data, changing in request.questions:
        question = QuestionRequest(**data).question()
        question.variants.changing = tuple(changing)
        yield question, QuestionTemplate(question.base)


def _texts(paper: ExamPaper, version: Version, seed: int) -> Iterator[str]:
    """The pages of a *version* in a *paper*."""
    match paper.form:
        case Format.yaml:
            yield sheets.problems(version, seed)
        case Format.moodle:
            yield quiz.moodle(version, seed)
        case Format.gift:
            yield quiz.gift(version, seed)
        case form:
            for page in _pages(paper, version):
                yield entry(page, form, paper.look)


def _pages(paper: ExamPaper, version: Version) -> Iterable[Page]:
    """Of the key the working of each question, for scripts a version at a time; of the exam what
    students get."""
    if not paper.is_key:
        yield Page(
            lambda: sheets.sheet(version), lambda: verb_data.exam_version(version, steps=False)
        )
    elif paper.form in JSON:
        yield Page(data=lambda: verb_data.exam_version(version, steps=True))
    else:
        for blocks in sheets.working(version):
            yield Page(lambda blocks=blocks: blocks)  # type: ignore[misc]
