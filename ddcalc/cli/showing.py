"""A problem of a file from its text to what is printed, without anything that happens besides: here
or in another process, the same comes of it. It is data: the text, and what is to be said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ddcalc.boundary.timeout import within
from ddcalc.cli.documents import REPORTS, Format, Page, Steps, shows_unused
from ddcalc.errors import Bug, DdcalcError, OutOfTime
from ddcalc.files.batch import Solved, Unsolved, refused, worked_out
from ddcalc.render.whole import Look
from ddcalc.render.writers import WRITERS

if TYPE_CHECKING:
    from ddcalc.render.blocks import Block


class Manner(NamedTuple):
    """How problems are shown: in a *form*, with *steps* or the *answers* alone, as a *summary* of a
    line each, in a *look*. Each may take so many *seconds* of the processor; 0: as many as it
    takes. With *everything*, what nobody asked for stands there too."""

    form: Format
    steps: Steps
    answers: bool
    summary: bool
    look: Look
    seconds: float
    everything: bool = False


class ShownProblem(NamedTuple):
    """A problem as it is shown, or a part of its file that is wrong."""

    text: str
    errors: list[DdcalcError]
    notes: list[tuple[str, ...]]
    differs: list[str]  # the parts in which an answer is not as the file expects
    wrong: int  # answers that are not as stated


def shown(manner: Manner, one: Unsolved) -> ShownProblem:
    """A problem solved and shown; what goes wrong costs this one only."""
    try:
        return within(manner.seconds, lambda: put(manner, worked_out(one), one))
    except OutOfTime as error:
        return put(manner, refused(one, error), one)


def put(manner: Manner, done: Solved, one: Unsolved) -> ShownProblem:
    """What is shown of a problem that was worked out."""
    question, form = done.question, manner.form
    page = _page(done, manner)
    try:
        text = WRITERS[form].part(page, manner.look)
    except Exception as error:  # our own mistake must not cost the other problems
        wrong = error if isinstance(error, DdcalcError) else Bug(error)
        wrong.problem = question.id
        done.errors.append(wrong)
        text = WRITERS[form].part(page, manner.look)
    notes: list[tuple[str, ...]] = [(question.file, one.note)] if one.note else []
    if done.derivation and done.answered and not shows_unused(form, manner.steps):
        # what it states without effect itself, as opposed to the defaults
        name = question.id or f"line {question.line}"
        for unused in done.derivation.unused:
            if unused.noted and unused.name not in question.usual:
                notes.append((question.file, name, unused.name, unused.says))
    unlike = sum(not check.agrees for one in (done, *done.parts) for check in one.checks)
    return ShownProblem(text, done.errors, notes, done.differs, unlike)


def _page(done: Solved, manner: Manner) -> Page:
    """A problem of a file; what is not solved is for scripts and for the summary. A report for
    continuous integration has its own text."""
    if manner.form in REPORTS:
        from ddcalc.render.reports import test_suite, workflow_commands

        made = test_suite if manner.form is Format.junit else workflow_commands
        return Page(text=lambda: made(done))

    def blocks() -> Iterator[Block]:
        from ddcalc.render import pages, question

        detail = pages.Detail(manner.steps.value, everything=manner.everything)
        return pages.summary(done) if manner.summary else question.problem(done, detail)

    def data() -> Any:
        from ddcalc.render.json import answered_problem, solved_problem

        with_steps = manner.steps is not Steps.none
        return answered_problem(done) if manner.answers else solved_problem(done, with_steps)

    return Page(blocks, data)
