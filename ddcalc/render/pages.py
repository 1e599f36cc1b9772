"""Pages as blocks, one for each thing that is shown: a derivation, a verb's report, a problem of a
file with the answers that it states, and the glossary. Every format writes the same pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from ddcalc.ask.commentary import Commentary
from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Chart, Exchange, Plot, Report, State, Table, Timeline
from ddcalc.problem.topics import Fenced, Topic
from ddcalc.render import blocks, story
from ddcalc.render.blocks import Block, Heading, Paragraph
from ddcalc.render.story import Side
from ddcalc.render.terminal.extent import beside, extent, rows

if TYPE_CHECKING:
    from ddcalc.problem.terms import Term
    from ddcalc.sheet.answers import Check
    from ddcalc.sheet.batch import Solved

STATED = 60  # characters of a stated answer
COLUMNS = 74  # of a command line


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a derivation is shown: all of it, the formulas (``brief``), or only the answer
    (``none``), which is in *unit* if one is given.

    With *everything*, what nobody asked for stands there too; *exact* lists what is rounded.
    """

    steps: str = "full"
    unit: Unit | None = None
    everything: bool = False
    exact: bool = False


FULL: Final = Detail()
ORDINARY: Final = 45  # lines of a page without pictures and tables
OTHERS: Final = (1, 6)  # readings that are shown, as many as there is room for
MOST_ASSUMED: Final = 6  # assumptions that are shown, unless all are wanted
ASSUMED: Final = 4  # assumptions that are shown where there is no room for more
SHORT: Final = 5  # members of a list, up to which all are shown where there is no room for more
TITLED: Final = 2  # lines of the question
SEPARATOR: Final = " · "  # between assumptions
FITTING: Final = 66  # columns of a formula that fits a line beside its label


def derivation(solved: Derivation, detail: Detail = FULL, title: str = "") -> Iterator[Block]:
    """The page of *solved*. Some questions have a report instead."""
    return _derivation(solved, detail, Heading(clean(title, TITLE)))


def problem(done: Solved, steps: str) -> Iterator[Block]:
    """A solved problem of a file under its title, and whether the answers that it states agree."""
    assert done.derivation is not None
    name, title = done.question.id or "", done.question.title or ""
    head = Heading(clean(title or name, TITLE), name=name if title else "")
    yield from _derivation(done.derivation, Detail(steps), head)
    if done.checks:
        wrong = (check for check in done.checks if not check.agrees)
        rows = tuple(f"{stated(check)}  {verdict(check)}" for check in wrong)
        yield blocks.Verdicts(agreeing(done.checks), rows)


def report(made: Report, steps: str = "full", head: Heading | None = None) -> Iterator[Block]:
    """The report of a verb, under *head* if there is one."""
    if steps == "none":
        yield blocks.AnswerAlone(_answer(made), head or Heading(""))
        return
    full = steps == "full"
    title = f"{head.words}: {made.title}" if head and head.words else made.title
    yield Heading(title, name=head.name if head else "", optional=not full)
    if full and (states := tuple(step for step in made.steps if isinstance(step, State))):
        yield blocks.Givens(states)
    if full and made.mechanism:
        yield Paragraph((made.mechanism,))
    several = sum(isinstance(step, Table) for step in made.steps) > 1
    yield from blocks.stages(made.steps, full, titles=several)
    if made.answer:
        yield blocks.Answer(_answer(made))
    for label, group in groupby(made.remarks if full else (), itemgetter(0)):
        yield blocks.Remark(label, tuple(Paragraph((words,)) for _, words in group))


def _answer(made: Report) -> blocks.Pieces:
    return (made.answer,) if isinstance(made.answer, str) else blocks.said(made.answer)


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
    """Who states what: ``expected total = 596 s``."""
    return f"{_who(check)} {check.name} = {clean(check.stated, STATED)}"


def verdict(check: Check) -> str:
    """Whether a stated answer agrees, and what the derived value is where it does not."""
    if check.agrees:
        return f"✓  right {clean(check.allowed)}" if check.allowed else "✓"
    derived = check.derived if isinstance(check.derived, tuple) else (check.derived,)
    right = ", ".join(story.full_value_text(x.value, check.unit or x.unit) for x in derived)
    return f"✗  it is {right}" + (f", {check.allowed} {check.rounded}" if check.rounded else "")


def agreeing(checks: Sequence[Check]) -> str:
    """How many agree: ``expected 7 of 7 ✓ · claimed 4 of 5 ✗``; empty where nothing is stated."""
    counts: dict[str, list[bool]] = {}
    for check in checks:
        counts.setdefault(_who(check), []).append(check.agrees)
    return " · ".join(
        f"{who} {sum(agree)} of {len(agree)} {'✓' if all(agree) else '✗'}"
        for who, agree in counts.items()
    )


def _who(check: Check) -> str:
    return "expected" if check.ours else "claimed"


def _derivation(solved: Derivation, detail: Detail, head: Heading) -> Iterator[Block]:
    instead = solved.report(detail.unit)
    if instead is not None:
        yield from report(instead, detail.steps, head)
        return
    says = solved.commentary(detail.unit)
    conclusion = blocks.said(says.conclusion)
    if detail.steps == "none":
        yield blocks.AnswerAlone(conclusion, head)
        return
    full, question = detail.steps == "full", solved.problem.question()
    yield head if head.words else Heading(question, optional=not full)
    if not full:
        yield blocks.Answer(conclusion)
        pictures = Exchange | Plot | Table | Timeline
        shown = (step for step in story.shown_steps(solved) if not isinstance(step, pictures))
        yield from blocks.stages(shown, full=False)
        return
    yield from _whole(solved, says, detail, question if head.words else "")


def _whole(
    solved: Derivation, says: Commentary, detail: Detail, question: str
) -> Iterator[Block]:  # fmt: skip
    """A page below its heading; what is left out for want of room stands on no page of others."""
    shown = [*story.shown_steps(solved, detail.everything)]
    drawn = any(isinstance(step, Exchange | Table | Timeline) for step in shown)
    begun: list[Block] = [Paragraph((question,))] if question else []
    if states := tuple(story.givens(solved)):
        begun.append(blocks.Givens(states))
    if says.mechanism:
        begun.append(Paragraph((says.mechanism,)))
    ended: list[Block] = [blocks.Answer(blocks.said(says.conclusion)), *_meaning(solved, says)]
    stages = tuple(blocks.stages(shown))
    room = ORDINARY - TITLED - extent([*begun, *stages, *ended])
    is_free = detail.everything or drawn
    if room < 2 * SHORT and not is_free:
        stages = tuple(blocks.stages(shown, most=SHORT))
        room = ORDINARY - TITLED - extent([*begun, *stages, *ended])
    yield from (*begun, *stages, *ended)
    yield from _remarks(solved, says, detail, None if is_free else room)


def _meaning(solved: Derivation, says: Commentary) -> Iterator[blocks.Remark]:
    """Checks, what the answer means, and where it goes."""
    checks = ((*blocks.said(x.words), ": ", story.checked(x, solved)) for x in says.checks)
    yield from _lines("Check", checks)
    yield from _lines("It means", map(blocks.said, says.insights))
    if parts := story.shares(solved):
        goes = ", ".join(f"{group} {percent}" for group, percent in parts)
        yield blocks.Remark("Breakdown", (Paragraph((goes,)),))


def _remarks(
    solved: Derivation, says: Commentary, detail: Detail, room: int | None
) -> Iterator[blocks.Remark]:
    """What the answer rests on, and the answers to other readings, in so many lines if there are
    not more (*room* None)."""
    used_first = sorted(solved.assumptions, key=lambda assumption: bool(assumption.unused))
    choices = [assumption.remark for assumption in used_first]
    premises = [story.premise(premise, solved.problem) for premise in says.premises]
    rest = [*choices, *premises][: None if detail.everything else MOST_ASSUMED]
    others = story.otherwise(solved, detail.unit)
    table = _others(others)
    if room is not None:
        if room < beside(SEPARATOR.join(rest)) + min(len(others), OTHERS[0] + 1):
            rest = [*choices[: max(ASSUMED - len(premises), ASSUMED // 2)], *premises][:ASSUMED]
        room -= beside(SEPARATOR.join(rest))
    if assumed := SEPARATOR.join(rest):
        yield blocks.Remark("Assumes", (Paragraph((assumed,)),))
    if others:
        table = table if detail.everything else _fitted(table, room)
        yield blocks.Remark("Otherwise", (table,))
        room = room if room is None else room - sum(rows(table))
    if (room is None or room > 0) and (form := story.closed_form(solved)):
        sides, cases = form
        if detail.everything or story.fits(sides, cases, FITTING):
            where = (Paragraph(tuple(_where(cases))),) if cases else ()
            yield blocks.Remark("Formula", (blocks.Display((sides,)), *where))
    if detail.exact:
        yield from _lines("Exact", ((line,) for line in story.exactly(solved, detail.unit)))


def _others(others: Sequence[story.Otherwise]) -> blocks.TextTable:
    """The answers to other readings."""
    answers = (blocks.cell(x.value if x.formula is None else x.formula) for x in others)
    said = zip(others, answers, strict=True)
    return blocks.TextTable(
        ("reading", "answer", "difference"),
        tuple(((x.says,), answer, (x.difference,)) for x, answer in said),
    )


def _fitted(table: blocks.TextTable, room: int | None) -> blocks.TextTable:
    """As many rows of *table* as there is *room* for, and how many are left out."""
    least, most = OTHERS
    heights = rows(table)
    kept = min(most, len(heights))
    while room is not None and kept > least and sum(heights[:kept]) + (kept < len(heights)) > room:
        kept -= 1
    left = len(heights) - kept
    more: tuple[blocks.Pieces, ...] = ((f"… {left} more: --all",), ("",), ("",))
    return blocks.TextTable(table.header, (*table.rows[:kept], *[more] * (left > 0)))


def _lines(label: str, lines: Iterable[blocks.Pieces]) -> Iterator[blocks.Remark]:
    """A remark with a paragraph for each of the *lines*, if there are any."""
    if paragraphs := tuple(map(Paragraph, lines)):
        yield blocks.Remark(label, paragraphs)


def _where(cases: Sequence[Side]) -> Iterator[blocks.Piece]:
    for i, case in enumerate(cases):
        yield " and " if i else "as long as "
        yield (Side("", case.what),)
        yield f" ({case.reason})" if case.reason else ""
