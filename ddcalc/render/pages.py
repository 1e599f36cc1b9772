"""Pages as blocks, one for each thing that is shown: a derivation, a verb's report, a problem of a
file with the answers that it states, and the glossary. Every format writes the same pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from ddcalc.ask.commentary import SHOWN
from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import ELSEWHERE, Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.numbers.display import equal
from ddcalc.numbers.units import PERCENT, Unit
from ddcalc.problem.known.explained import Fenced, Topic
from ddcalc.problem.own import FORMULA
from ddcalc.problem.said.sentences import inside
from ddcalc.problem.said.speaker import Filled
from ddcalc.problem.said.steps import Chart, Define, Exchange, Report, State, Step, Table, Timeline
from ddcalc.render import blocks, sides, stages, story
from ddcalc.render.blocks import Block, Heading, Paragraph
from ddcalc.render.notation import Notation
from ddcalc.render.parts import assumed, cases, few_words

if TYPE_CHECKING:
    from ddcalc.files.answers import Check
    from ddcalc.files.solved import Solved
    from ddcalc.problem.known.explained import Term

STATED = 60  # characters of a stated answer
STATED_BY: Final = {True: "expected", False: "claimed"}  # by us, or by somebody else
COLUMNS = 74  # of a command line
NAME = 20  # characters of a problem's name in a list


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
LISTED: Final = 6  # members of a list up to which all are shown, unless all are wanted


def problem(done: Solved, detail: Detail = FULL) -> Iterator[Block]:
    """A problem of a file under its title, if solved, and whether answers that it states agree."""
    if done.answered and done.derivation is not None:
        title = heading(done).words
        own: list[Block] = [*assumed_by(done), *ideas(done)]
        yield from derivation(done.derivation, detail, title, done.limits, [*written(done)], own)
    yield from compared(done, detail)


def derivation(
    solved: Derivation,
    detail: Detail = FULL,
    title: str = "",
    limits: Sequence[Check] = (),
    text: Sequence[Paragraph] = (),
    own: Sequence[Block] = (),
) -> Iterator[Block]:
    """The page of what is *solved*, or found, under a *title* and a *text* of its author if it has
    some, and what that assumes of its *own*; the answer says whether the *limits* are met."""
    head = Heading(clean(title, TITLE))
    full, is_found = detail.steps == "full", isinstance(solved, Inversion)
    met = [story.met(one, solved.problem) for one in limits] + [*cases.concluded([solved])]
    answer = sides.sentence(_concluded(solved, detail))
    conclusion = (*answer, " " * bool(answer and met), " ".join(met))
    if detail.steps == "none":
        yield from [head] if title else []
        yield Paragraph(conclusion)
        return
    yield head if title else Heading(solved.title, optional=not full)
    if full and (text or title):
        is_asked = title.endswith("?") or solved.problem.slug == FORMULA.slug  # by the title alone
        yield from text or [Paragraph((solved.title,))] * (not is_asked)
    yield blocks.Remark(blocks.ANSWER, (Paragraph(conclusion),))
    shown = [*solved.shown_steps(detail.everything, names := [limit.name for limit in limits])]
    if not full:
        needed = shown if is_found else solved.needed_steps(names)
        brief = (x for x in needed if is_found or not isinstance(x, Exchange | Table | Timeline))
        yield from (blocks.Stage(x) for x in [(*stages.bare(stages.stages(brief)),)] if x)
        return
    elsewhere = [x for x in shown if isinstance(x, Define) and x.why.startswith(ELSEWHERE)]
    shown = [step for step in shown if step not in elsewhere]
    yield from _given(solved, shown, elsewhere, detail)
    yield from own
    is_told = any(isinstance(one, Paragraph) for one in own)
    if solved.at and not is_told and (says := solved.at.commentary().mechanism):
        yield Paragraph((says,))
    most = Notation.longest if detail.everything else LISTED
    yield from stages.stages(shown, most=most, apart=detail.everything)
    yield from _remarks(solved, detail, text, detail.everything or len(own) == is_told)


def _concluded(solved: Derivation, detail: Detail) -> Filled:
    """The answer in a sentence; of what is found nothing that the author tells."""
    then = "".join(cases.concluded([solved]))
    filled = None if detail.everything else few_words.beside_found(solved, (), then)
    return story.conclusion(solved, detail.unit) if filled is None else filled


def _given(
    solved: Derivation, shown: Sequence[Step], elsewhere: Iterable[Define], detail: Detail
) -> Iterator[Block]:
    """What is stated, as far as the steps that are *shown* need it, and comes from *elsewhere*."""
    is_all, every = detail.everything, [x for x in shown if isinstance(x, State)]
    if stated := every if isinstance(solved, Inversion) or is_all else [*used(solved, shown)]:
        read = ((one.remark,) for one in solved.assumptions if one.choice in solved.stated.said)
        yield givens(stated, is_all, (*read, *told_by_types(elsewhere)))


def assumed_by(done: Solved) -> Iterator[blocks.Remark]:
    """What the author of a question, or of its parts, takes for granted."""
    every = (done.ending or done, *done.parts)
    said = (words for one in every for words in cases.concluded(one.cases, "assumes"))
    yield from blocks.lines("Assumes", ((words,) for words in said))


def ideas(done: Solved) -> Iterator[Paragraph]:
    """How the author of a question, or of a part, goes about it."""
    done = done.ending or done
    return (Paragraph((words,)) for words in cases.concluded(done.cases, "idea"))


def told_by_types(steps: Iterable[Define]) -> Iterator[sides.Pieces]:
    """What other types come to, by type: ``see ddcalc transformer: parameters N ≈ 70×10⁹``."""
    for why, its in groupby(sorted(steps, key=lambda x: x.why), key=lambda x: x.why):
        told = ((f"{inside(x.title)} ", sides.equation(x)) for x in its)
        yield (f"{why}: ", *sides.joined(told))


def summary(done: Solved) -> Iterator[Block]:
    """What a problem is called beside its answer in a sentence, how many stated answers agree, and
    those that do not: an entry of a list."""
    question = done.question
    where = f"{question.file}:{question.line}" if question.line else question.file
    lines = ["not solved"]
    if done.answered or any(part.answered for part in done.parts):
        checks = [check for one in (done, *done.parts) for check in one.checks]
        wrong = (f"{stated(one)}  {verdict(one)}" for one in checks if not one.agrees)
        lines = [*few_words.says(done), agreeing(checks), *wrong]
    name = clean(question.id or question.title or where, NAME)
    yield blocks.Remark(f"{name:<{NAME}}", tuple(Paragraph((line,)) for line in lines if line))


def written(done: Solved) -> Iterator[Paragraph]:
    """The words of the author of a question, with what is given put in."""
    for words in story.text_of(done).split("\n\n"):
        if words.strip():
            yield Paragraph((" ".join(words.split()),))


def heading(done: Solved) -> Heading:
    """The title of a problem, else its id."""
    return Heading(clean(done.question.title or done.question.id or "", TITLE))


def compared(done: Solved, detail: Detail) -> Iterator[Block]:
    """Whether answers that a question, or its parts, state agree, unless all is as expected."""
    ids = {id(part): f"({part.question.id}) " for part in done.parts if len(done.parts) > 1}
    made = [(ids.get(id(x), ""), one) for x in (done, *done.parts) for one in x.checks]
    is_plain = detail.steps == "full" and not detail.everything
    if not (is_plain and all(x.ours and x.agrees and not x.says for _, x in made)):
        yield from checks(made)


def checks(made: Sequence[tuple[str, Check]]) -> Iterator[Block]:
    """Whether stated answers agree, each behind its part: those that do not, and bounds with how
    far off they are."""
    told = ((at, one) for at, one in made if one.says or not one.agrees)
    wrong = (f"{at}{stated(one)}  {verdict(one)}" for at, one in told)
    lines = (agreeing([one for _, one in made]), *wrong)
    yield from blocks.lines("Stated", ((line,) for line in lines if line))


def report(made: Report, steps: str = "full", charts: Iterable[Chart] = ()) -> Iterator[Block]:
    """The report of a verb, with *charts* below its answer."""
    drawn, full = (blocks.Picture(chart) for chart in charts), steps == "full"
    answer = sides.sentence((made.answer,) if isinstance(made.answer, str) else made.answer)
    if steps == "none":
        yield Paragraph(answer)
        yield from drawn
        return
    yield Heading(made.title, optional=not full)
    if made.answer:
        yield blocks.Remark(blocks.ANSWER, (Paragraph(answer),))
    if made.results:
        yield from drawn
        for one in made.results:
            title = one.title if full or len(made.results) > 1 else ""
            yield blocks.Stage(tuple(stages.step_blocks(one)), title, one.why if full else "")
    if full and (states := [step for step in made.steps if isinstance(step, State)]):
        yield givens(states)
    if full and made.mechanism:
        yield Paragraph((made.mechanism,))
    every = stages.stages(made.steps)
    yield from every if full else (replace(one, why="", number=None) for one in every)
    for label, group in groupby(made.remarks if full else (), itemgetter(0)):
        yield blocks.Remark(label, tuple(Paragraph((words,)) for _, words in group))


def term(entry: Term, types: Sequence[str]) -> Iterator[Block]:
    """What a term of the glossary is, when it helps and hurts, its formula, and what to try.

    *types* are the slugs of the problem types that name it.
    """
    yield Heading(entry.name)
    for label, words in (("", entry.words), ("Helps", entry.helps), ("Hurts", entry.hurts)):
        yield Paragraph((words,), label)
    yield Paragraph((), "Formula")
    yield blocks.Code("\n".join(entry.formula), read=True)
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
    abouts = ((one.slug, one.summary) for one in topics)
    yield blocks.words_table(("topic", "what it is about"), abouts)
    whats = ((one.name, one.summary) for one in entries)
    yield blocks.words_table(("term", "what it is"), whats)
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
            yield blocks.words_table(header, rows)


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
    words = clean(check.stated, STATED)
    return f"{STATED_BY[check.ours]} {check.name} {words if check.says else f'= {words}'}"


def verdict(check: Check) -> str:
    """Whether a stated answer agrees, and what the derived value is where it does not."""
    if check.says:
        return f"{'✓' if check.agrees else '✗'}  {clean(check.says)}"
    if check.agrees:
        return f"✓  right {clean(check.allowed)}" if check.allowed else "✓"
    right = story.full_values_text(check.derived, check.unit)
    is_more = check.rounded and check.rounded != right.removeprefix("≈ ")
    return f"✗  it is {right}" + (f", {check.allowed} {check.rounded}" if is_more else "")


def agreeing(checks: Sequence[Check]) -> str:
    """How many agree: ``expected 7 of 7 ✓ · claimed 4 of 5 ✗``; empty where nothing is stated."""
    each = ((who, [x.agrees for x in checks if x.ours is ours]) for ours, who in STATED_BY.items())
    signed = ((who, its, "✓" if all(its) else "✗") for who, its in each if its)
    return " · ".join(f"{who} {sum(its)} of {len(its)} {sign}" for who, its, sign in signed)


def givens(states: Iterable[State], full: bool = False, read: Iterable[sides.Pieces] = ()) -> Block:
    """What is stated, and how it is *read*; unless wanted in *full*, a source stands once."""
    plain, several = ([*states], []) if full else story.unsourced(states)
    lettered = ((one, few_words.series_of([*map(sides.symbol, two)])) for one, two in several)
    sources = ((f"{one}: ", *letters) for one, letters in lettered)
    if not (several or read or any(one.title or one.preset or one.unused for one in plain)):
        said = ((equal("", story.given_text(x)), story.note(x)) for x in plain)
        texts = (f"{text} ({note})" if note else text for text, note in said)
        each = ((*sides.symbol(x.symbol), text) for x, text in zip(plain, texts, strict=True))
        return blocks.Remark(blocks.GIVEN, (Paragraph(sides.joined(each)),))
    return blocks.Givens(plain, [*sources, *read])


def used(solved: Derivation, steps: Iterable[Step]) -> Iterator[State]:
    """What *solved* states, but for usual numbers that no formula of *steps* has: 0 and 1, and any
    that only other types count, to which it leaves their steps."""
    has, said, says = few_words.letters(steps), solved.stated.said, solved.commentary()
    for state in solved.givens:
        is_needed = state.name in said or state.symbol in has or solved.working.plan is None
        is_told = not says.looked_up or state.name in says.essential
        if is_needed or (is_told and [x.value for x in state.written or ()] not in ([0], [1])):
            yield state


def _remarks(
    solved: Derivation, detail: Detail, words: Iterable[Paragraph], rests: bool = True
) -> Iterator[blocks.Remark]:
    """Checks and what the answer means, or how it was found; where the author's *words* do not say
    it, what it *rests* on; on demand what else there is."""
    text = " ".join(str(piece) for one in words for piece in one.pieces)
    ends = [*_ends([solved])]
    if isinstance(solved, Inversion):
        if detail.everything or not solved.outcome.complete:
            label = "Proved" if solved.outcome.complete else "Tried"
            yield from blocks.lines(label, [(solved.outcome.proof,)])
        yield from assumed.remark([solved], detail.everything, text) if rests else ()
        yield from ends
        return
    says = solved.commentary(detail.unit)
    every = detail.everything  # else the first equation, and comparisons: all of these prove
    first = (x for i, x in enumerate(says.checks) if every or not i or x.relation.op != "==")
    checks = ((*sides.sentence(x.words), ": ", story.checked(x, solved)) for x in first)
    yield from blocks.lines("Check", checks)
    insights = says.insights if detail.everything else says.insights[:SHOWN]
    yield from ends or blocks.lines("It means", map(sides.sentence, insights))
    told = "" if every else says.mechanism
    yield from assumed.remark([solved], every, text, told) if rests else ()
    if detail.everything:
        yield from others(solved, detail.unit)
    if detail.exact:
        yield from blocks.lines("Exact", ((line,) for line in story.exactly(solved, detail.unit)))


def _ends(*parts: Sequence[Derivation]) -> Iterator[blocks.Remark]:
    """How the author of *parts* checks what they come to, and what is learnt from it."""
    for key, label in (("check", "Check"), ("means", "It means")):
        every = (words for cases_of in parts for words in cases.concluded(cases_of, key))
        yield from blocks.lines(label, ((words,) for words in every))


def closing(done: Solved) -> Iterator[Block]:
    """What it means, each of its part, unless the author concludes something there."""
    every = (*done.each, *((done.ending,) if done.ending else ()))
    yield from (ends := [*_ends(*(one.cases for one in every))])
    if not (ends or any(x for part in done.each for x in cases.concluded(part.cases))):
        meant = ((x, case.commentary().insights) for x, case in few_words.firsts(done).items())
        found = ((f"({part}) " * (len(done.each) > 1), *said[0]) for part, said in meant if said)
        yield from blocks.lines("It means", map(sides.sentence, islice(found, SHOWN)))


def others(solved: Derivation, unit: Unit | None = None) -> Iterator[blocks.Remark]:
    """What is shown on demand: where a time goes, and the answers to other readings."""
    if solved.problem.sequential and solved.shares:
        parts = (f"{one.group} {story.value_text(one.part, PERCENT)}" for one in solved.shares)
        yield blocks.Remark("Breakdown", (Paragraph((", ".join(parts),)),))
    if others := story.otherwise(solved, unit):
        rows = tuple(((says,), sides.cell(answer), (apart,)) for says, answer, apart in others)
        table = blocks.TextTable(("reading", "answer", "difference"), rows)
        yield blocks.Remark("Otherwise", (table,))
