"""Pages as blocks, one for each thing that is shown: a derivation, a verb's report, a problem of a
file with the answers that it states, and the glossary. Every format writes the same pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Chart, Exchange, Plot, Report, State, Table, Timeline
from ddcalc.problem.topics import Fenced, Topic
from ddcalc.render import blocks, story
from ddcalc.render.blocks import Block, Heading, Paragraph
from ddcalc.render.story import Side

if TYPE_CHECKING:
    from ddcalc.problem.terms import Term
    from ddcalc.sheet.answers import Check
    from ddcalc.sheet.batch import Solved

STATED = 60  # characters of a stated answer
COLUMNS = 74  # of a command line


def derivation(
    solved: Derivation, steps: str = "full", unit: Unit | None = None, title: str = ""
) -> Iterator[Block]:
    """The page of *solved*: everything, the formulas in ``brief``, the answer alone in ``none``.

    The answer is shown in *unit* if one is given. Some questions have a report instead.
    """
    return _derivation(solved, steps, unit, Heading(clean(title, TITLE)))


def problem(done: Solved, steps: str) -> Iterator[Block]:
    """A solved problem of a file under its title, and whether the answers that it states agree."""
    assert done.derivation is not None
    name, title = done.question.id or "", done.question.title or ""
    head = Heading(clean(title or name, TITLE), name=name if title else "")
    yield from _derivation(done.derivation, steps, None, head)
    if done.checks:
        rows = tuple((stated(check), verdict(check), check.agrees) for check in done.checks)
        yield blocks.Verdicts(rows, agreeing(done.checks), brief=steps == "none")


def report(made: Report, steps: str = "full", head: Heading | None = None) -> Iterator[Block]:
    """The report of a verb, under *head* if there is one."""
    if steps == "none":
        yield blocks.AnswerAlone(made.answer, head or Heading(""))
        return
    full = steps == "full"
    title = f"{head.words}: {made.title}" if head and head.words else made.title
    yield Heading(title, name=head.name if head else "", optional=not full)
    if full and (states := tuple(step for step in made.steps if isinstance(step, State))):
        yield blocks.Givens(states)
    several = sum(isinstance(step, Table) for step in made.steps) > 1
    yield from blocks.stages(made.steps, full, titles=several)
    if made.answer:
        yield blocks.Answer(made.answer)
    for label, words in made.remarks if full else ():
        yield blocks.Remark(label, (Paragraph((words,)),))


def chart(drawn: Chart) -> Block:
    """A chart alone, whose numbers stand elsewhere."""
    return blocks.Picture(Plot(drawn.title, "", drawn), None)


def term(entry: Term, types: Sequence[str]) -> Iterator[Block]:
    """What a term of the glossary is, when it helps and hurts, its formula, and what to try.

    *types* are the slugs of the problem types that name it.
    """
    yield Heading(entry.name)
    yield Paragraph((entry.words,))
    yield Paragraph((entry.helps,), "Helps")
    yield Paragraph((entry.hurts,), "Hurts")
    yield Paragraph((), "Formula")
    yield blocks.Code("\n".join(entry.formula))
    yield Paragraph((entry.letters,), "Letters")
    for trial in entry.trials:
        yield Paragraph((f"{trial.shows}:",), "Try")
        command, *options = trial.command.split(" --")
        yield blocks.Code(command_lines(command, [f"--{option}" for option in options]))
    if types:
        yield Paragraph((f"{', '.join(types)} (ddcalc show TYPE)",), "Problem types")
    yield Paragraph((", ".join(entry.see),), "See also")
    yield Paragraph((", ".join(entry.aliases),), "Also found under")
    yield Paragraph((entry.source,), "Source")


def terms(entries: Iterable[Term], topics: Iterable[Topic]) -> Iterator[Block]:
    """A line for each topic of the manual and each term of the glossary."""
    listed = [(topic.slug, topic.summary) for topic in topics]
    yield blocks.entry_table(("topic", "what it is about"), listed)
    listed = [(entry.name, entry.summary) for entry in entries]
    yield blocks.entry_table(("term", "what it is"), listed)
    yield Paragraph(("ddcalc explain TOPIC and ddcalc explain TERM say more about one.",))


def topic(entry: Topic) -> Iterator[Block]:
    """A page of the manual; what is code among words looks like words."""
    yield Heading(entry.title)
    for part in entry.parts:
        if isinstance(part, str):
            yield Paragraph((part.replace("`", ""),))
        elif isinstance(part, Fenced):
            yield blocks.Code(part.text)
        else:
            header, *rows = part
            yield blocks.TextTable(header, tuple(tuple((cell,) for cell in row) for row in rows))


def command_lines(command: str, options: Iterable[str]) -> str:
    """*command* with *options*, on as many lines as a terminal needs."""
    lines = [command]
    for option in options:
        if len(lines[-1]) + len(option) > COLUMNS:
            lines.append(f"  {option}")
        else:
            lines[-1] += f" {option}"
    return " \\\n".join(lines)


def stated(check: Check) -> str:
    """Who states what: ``expected  total = 596 s``, alike in width."""
    who = "expected" if check.ours else "claimed "
    return f"{who}  {check.name} = {clean(check.stated, STATED)}"


def verdict(check: Check) -> str:
    """Whether a stated answer agrees, and what the derived value is where it does not."""
    if check.agrees:
        return f"✓  right {clean(check.allowed)}" if check.allowed else "✓"
    derived = check.derived if isinstance(check.derived, tuple) else (check.derived,)
    right = ", ".join(story.full_value_text(x.value, check.unit or x.unit) for x in derived)
    return f"✗  it is {right}" + (f", {check.allowed} {check.rounded}" if check.rounded else "")


def agreeing(checks: Sequence[Check]) -> str:
    """How many agree: ``5 of 6 agree``; empty where nothing is stated."""
    right = sum(check.agrees for check in checks)
    return f"{right} of {len(checks)} agree" if checks else ""


def _derivation(
    solved: Derivation, steps: str, unit: Unit | None, head: Heading
) -> Iterator[Block]:
    instead = solved.report(unit)
    if instead is not None:
        yield from report(instead, steps, head)
        return
    if steps == "none":
        yield blocks.AnswerAlone(story.answer_text(solved, unit), head)
        return
    full, question = steps == "full", solved.problem.question()
    yield head if head.words else Heading(question, optional=not full)
    if full:
        if head.words:
            yield Paragraph((question,))
        if states := tuple(story.givens(solved)):
            yield blocks.Givens(states)
        yield from blocks.stages(solved.steps)
    else:
        pictures = Exchange | Plot | Table | Timeline
        yield from blocks.stages(
            (x for x in solved.steps if not isinstance(x, pictures)), full=False
        )
    answer = story.answer(solved, unit)
    yield blocks.Answer(answer.sides, answer.second)
    if full:
        yield from _remarks(solved, unit)


def _remarks(solved: Derivation, unit: Unit | None) -> Iterator[blocks.Remark]:
    """How the question was read, the answers to other readings, and where the answer goes."""
    if solved.assumptions:
        says = "; ".join(assumption.remark for assumption in solved.assumptions)
        yield blocks.Remark("Read as", (Paragraph((says,)),))
    if others := story.otherwise(solved, unit):
        rows = tuple(
            ((x.says,), blocks.cell(x.value if x.formula is None else x.formula), (x.difference,))
            for x in others
        )
        yield blocks.Remark(
            "Otherwise", (blocks.TextTable(("reading", "answer", "difference"), rows),)
        )
    if parts := story.shares(solved):
        goes = ", ".join(f"{group} {percent}" for group, percent in parts)
        yield blocks.Remark("Where it goes", (Paragraph((goes,)),))
    if form := story.closed_form(solved):
        sides, cases = form
        where = (Paragraph(tuple(_where(cases))),) if cases else ()
        yield blocks.Remark("In one formula", (blocks.Display((sides,)), *where))


def _where(cases: Sequence[Side]) -> Iterator[blocks.Piece]:
    for i, case in enumerate(cases):
        yield " and " if i else "as long as "
        yield (Side("", case.what),)
        yield f" ({case.reason})" if case.reason else ""
