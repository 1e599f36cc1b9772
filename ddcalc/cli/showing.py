"""Problems of a file from their text to what is printed, without anything that happens besides:
whoever has a piece of a file makes the same of it, here or in another process.

What comes back of a problem is data: its text, and what is to be said and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ddcalc.boundary.nodes import Item
from ddcalc.boundary.pieces import FileReading, LineText, PieceForm, TextPiece, reading
from ddcalc.boundary.timeout import end_worker_after, within
from ddcalc.cli.documents import Page, entry
from ddcalc.cli.formats import REPORTS, Format, Steps, shows_unused
from ddcalc.cli.session import Wording, note
from ddcalc.errors import Bug, DdcalcError, OutOfTime, Place
from ddcalc.files.batch import Earlier, Finished, ProblemFile, Solved
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.ids import Ids
from ddcalc.render.whole import Look

if TYPE_CHECKING:
    from ddcalc.render.blocks import Block
    from ddcalc.render.reports import TestCase


class Manner(NamedTuple):
    """How problems are shown, one or *several*: in a *form*, with *steps* or the *answers* alone,
    as a *summary* of a line each, in a *look*; errors *short*, or with what *debug* adds. Solving
    and showing one may take so many *seconds* of the processor each; 0: as many as it takes."""

    form: str
    steps: str
    answers: bool
    several: bool
    summary: bool
    look: tuple[int, bool, bool]
    short: bool
    debug: bool
    seconds: float


Part = TextPiece | FileReading | DdcalcError  # some of a file, all of it, or why it cannot be read


class ShownProblem(NamedTuple):
    """A problem of a *file* as it is shown, or a part of the file that is wrong."""

    file: str
    text: str
    remarks: list[tuple[int | None, str]]  # errors with their exit code, and notes
    is_solved: bool = True
    differs: bool = False  # whether an answer is not as the file expects
    wrong: int = 0  # answers that are not as stated
    title: str | None = None  # in the contents of a long page; None where it is not listed
    case: TestCase | None = None  # for a report on all problems
    id: tuple[str, int, int] | None = None  # with its line and column
    finished: Finished | None = None  # by an earlier run, and not shown


def shown(
    done: Solved, manner: Manner, line_text: LineText, wording: Wording | None = None
) -> ShownProblem:
    """A problem as it is shown, its errors in the *wording* of those before; a mistake of ours in
    showing it costs this one only."""
    question, at = done.question, done.question.id_node
    identity = None if question.id is None or at is None else (question.id, at.line, at.column)
    notes = [(None, note(question.file, done.note))] if done.note else []
    one = ShownProblem(
        question.file,
        "",
        [*notes],
        id=identity,
        finished=done.finished,
    )
    return one if done.finished else _worked_out(one, done, manner, line_text, wording)


def _worked_out(
    one: ShownProblem,
    done: Solved,
    manner: Manner,
    line_text: LineText,
    wording: Wording | None,
) -> ShownProblem:
    """The problem as it is shown from what was worked out."""
    form, steps, look = Format(manner.form), Steps(manner.steps), Look(*manner.look)
    question, says = done.question, wording or new_wording(manner)

    def refusals(errors: Iterable[DdcalcError]) -> list[tuple[int | None, str]]:
        return [says.refusal(error, line_text) for error in errors]

    remarks = refusals(done.errors) + one.remarks
    page = _reported(done, form) if form in REPORTS else _page(done, manner)
    is_listed = steps is not Steps.none and done.answered
    try:
        text = within(manner.seconds if done.answered else 0, entry, page, form, look)
        if not shows_unused(form, steps):
            remarks += [(None, note(*words)) for words in _unused(done)]
    except Exception as error:
        wrong = error if isinstance(error, DdcalcError) else Bug(error)
        wrong.problem = question.id
        if isinstance(wrong, OutOfTime):
            wrong.place = Place(question.file, question.line)
        done.errors.append(wrong)
        remarks += refusals([wrong])
        text = entry(page, form, look)
    return one._replace(
        text=text,
        remarks=remarks,
        is_solved=not done.errors,
        differs=done.differs,
        wrong=sum(not check.agrees for check in done.checks),
        title=question.title or question.id or "" if is_listed else None,
        case=_case(done) if form is Format.junit else None,
    )


def new_wording(manner: Manner) -> Wording:
    """How the errors of problems are put into words that are shown one after the other."""
    return Wording(manner.short, manner.debug)


def unread(error: DdcalcError) -> Solved:
    """What comes of a file that cannot be read because of an *error*."""
    file = error.place.file if error.place else ""
    return Solved(FiledProblem(file, 0), errors=[error])


def no_line(_number: int) -> None:
    """No line of such a file is known."""


def piece_shown(
    manner: Manner, piece: TextPiece, ids: Ids | None = None, earlier: Earlier | None = None
) -> list[ShownProblem] | None:
    """What comes of a *piece* by itself, whose names must not be among the *ids* so far; None where
    it does not stand for itself. What is known from *earlier* is not worked out."""
    made: list[ShownProblem] = []
    read, ids = reading(piece), ids or Ids(piece.file)
    is_list, wording = piece.form == PieceForm.list, new_wording(manner)
    for item, done in solved_items(read, ids, manner.seconds, earlier, made):
        if is_list and (item.head is None or not (item.index or made)):
            return None
        if item.index or piece.last or not is_list:  # else it is said at the end of the list
            made += [shown(one, manner, read.line_text, wording) for one in done]
    return made


def solved_items(
    read: FileReading,
    ids: Ids,
    seconds: float,
    earlier: Earlier | None = None,
    ahead: Sequence[ShownProblem] = (),
) -> Iterator[tuple[Item, list[Solved]]]:
    """Each item with what comes of it, its problem last; that may take so many *seconds*. What is
    known from *earlier* is not worked out; those *ahead* have not been taken from it."""
    sheet = ProblemFile(read.file, seconds, earlier)
    sheet.ids = ids
    continued = read.continued
    for item in read.items:
        end_worker_after(2 * seconds)
        done = sheet.solved(item, len(ahead))
        if continued:
            done, continued = done[-1:], False  # what is wrong above the list was said before
        yield item, done
    end_worker_after(0)


def _reported(done: Solved, form: Format) -> Page:
    """What a report for continuous integration says of a problem as it comes."""
    from ddcalc.render.reports import workflow_commands

    return Page(text=lambda look: workflow_commands(done)) if form is Format.github else Page()


def _case(done: Solved) -> TestCase:
    from ddcalc.render.reports import case

    return case(done)


def _unused(done: Solved) -> Iterator[tuple[str, ...]]:
    """What a problem itself states without effect, as opposed to the defaults."""
    question = done.question
    if done.derivation is None or not done.answered:
        return
    name = question.id or f"line {question.line}"
    for unused in done.derivation.unused:
        if unused.noted and unused.name not in question.usual:
            yield question.file, name, unused.name, unused.says


def _page(done: Solved, manner: Manner) -> Page:
    """A problem of a file; what is not solved is for scripts and for the summary."""
    steps = Steps(manner.steps)

    def text(look: Look) -> str:
        from ddcalc.render.terminal import screen

        return screen.summary(done, look)

    def blocks() -> Iterator[Block]:
        from ddcalc.render import pages

        return iter(pages.problem(done, steps.value)) if done.answered else iter(())

    def data() -> Any:
        from ddcalc.render.json import answered_problem, solved_problem

        with_steps = steps is not Steps.none
        return answered_problem(done) if manner.answers else solved_problem(done, with_steps)

    return Page(blocks, data, text if manner.summary else None)


def texts(parts: Iterable[Part]) -> Iterator[str]:
    """All text of *parts* of which nothing was taken."""
    for part in parts:
        if isinstance(part, TextPiece):
            yield part.text
        elif isinstance(part, FileReading):
            yield from part.text
