"""A question of several parts as one page: what they share stands once, and each of them shows only
what is new in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation
from ddcalc.files.parts import put_in
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import together
from ddcalc.numbers.units import COUNT
from ddcalc.problem.own import FORMULA, FromPart
from ddcalc.problem.speaker import Filled
from ddcalc.problem.steps import Define, State, Step
from ddcalc.render import blocks, pages, story
from ddcalc.render.blocks import Block, Paragraph, Pieces
from ddcalc.render.notation.plain import text as plain_text

if TYPE_CHECKING:
    from ddcalc.ask.commentary import Commentary
    from ddcalc.files.batch import Solved

MEANINGS: Final = 3  # sentences on what the answers mean, at most
SIDES: Final = 3  # cases up to which each has its answer in a sentence


@dataclass(slots=True)
class QuestionPage:
    """What the page of the question *done* has shown so far: what is given, by name, and in each
    part; formulas, and by part the lines with their numbers; what happens physically; answers; how
    many steps."""

    done: Solved
    given: dict[str, State] = field(default_factory=dict)
    stated: dict[str, dict[str, State]] = field(default_factory=dict)
    formulas: set[str] = field(default_factory=set)
    lines: dict[str, set[str]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    number: int = 0

    def shared(self) -> list[State]:
        """What several parts state alike, or all of them are given; a letter stands for one."""
        alike: dict[tuple[str, str], list[State]] = {}
        for part in self.done.parts:
            for state in part.cases[0].givens if part.cases else ():
                alike.setdefault((state.name, _stated(state)), []).append(state)
        stated = {name.replace("-", "_") for name in self.done.question.given}
        kept: dict[str, State] = {}  # by letter
        for (name, _), (one, *others) in alike.items():
            if (others or name in stated) and name not in self.given and one.symbol not in kept:
                kept[one.symbol] = self.given[name] = one
        return [*kept.values()]

    def part(self, part: Solved, detail: pages.Detail) -> Iterator[Block]:
        """What is new in *part*, and its answer."""
        if not part.cases or part.question.errors:
            wrong = "; ".join(str(error).partition("; ")[0] for error in part.question.errors)
            yield Paragraph((f"Not solved: {wrong}.",))
            return
        lead = self.changed(part)
        if detail.steps == "full":
            yield from self.added(part)
            mechanism = _commented(part.cases[0]).mechanism
            if mechanism and mechanism not in self.said:
                self.said.add(mechanism)
                yield Paragraph((mechanism,))
            if len(part.cases) > 1:
                yield from self.beside(part, lead)
            else:
                yield from self.working(part, part.cases[0].shown_steps(detail.everything), lead)
        answers = tuple(map(Paragraph, self.answers(part, lead)))
        yield from answers if detail.steps == "none" else [blocks.Remark(blocks.ANSWER, answers)]
        if detail.steps == "brief":
            displays = (
                b for c in part.cases for s in c.shown_steps() for b in blocks.step_blocks(s)
            )
            yield blocks.Stage(tuple(self.new(displays)))
        if detail.everything:
            yield from pages.others(part.cases[0])

    def answers(self, part: Solved, lead: Pieces) -> Iterator[Pieces]:
        """First whether what was to be met is; then the answer of *part* in a sentence, or that of
        each of its cases, unless *lead* says that it stands elsewhere."""
        if len(part.cases) > SIDES:
            yield (short(part),)
            return
        for i, case in enumerate(part.cases):
            pieces: list[str | story.Sides] = []
            if len(part.cases) > 1:
                pieces.append(f"{heading(case, part)}: ")
            pieces += (f"{story.met(one)} " for one in part.of_case(i, part.limits))
            if not (part.limits and "As in" in lead[:1]):
                pieces += blocks.said(story.conclusion(case))
            yield tuple(pieces)

    def changed(self, part: Solved) -> Pieces:
        """What a part changes of what it is like, or of what stood before it; and whose results it
        uses."""
        case, known = part.cases[0], self.stated.get(part.question.like, self.given)
        changes: list[Pieces] = []
        for state in case.givens:
            before = known.get(state.name)
            if isinstance(case.problem.givens.get(state.name), FromPart) and "." in state.name:
                changes.append((*blocks.symbol(state.symbol), f" {state.preset}"))
            elif before and _stated(before) != _stated(state) and not _varies(state, part):
                changes.append((*_worth(state), f" instead of {story.given_text(before)}"))
        if changes:
            joined = (piece for one in changes for piece in (" and ", *one))
            return ("With ", *[*joined][1:], ":")
        is_like = part.question.like and not isinstance(case, Inversion) and len(part.cases) == 1
        return ("As in", f" ({part.question.like}).") if is_like else ()

    def added(self, part: Solved) -> Iterator[Block]:
        """What no earlier part states, or in another letter."""
        new: list[State] = []
        for state in part.cases[0].givens:
            before = self.given.get(state.name)
            if "." in state.name or _varies(state, part):
                continue
            if before is None or before.symbol != state.symbol:
                new.append(state)
            self.given[state.name] = state
        known = {one.name: one for one in part.cases[0].givens if not _varies(one, part)}
        self.stated[part.question.id or ""] = known
        if new:
            yield blocks.Givens(tuple(new))

    def working(
        self, part: Solved, steps: Iterable[Step], lead: Pieces = ()
    ) -> Iterator[blocks.Stage]:
        """The *steps* that are new, after the words that *lead* to them; of a formula that stood
        before only its numbers."""
        again: list[Block] = [Paragraph(lead)] if lead else []
        for one in story.numbered(steps):
            body = (*blocks.step_blocks(one.step), *blocks.proof(one.proof))
            if self.is_known(repr(body), part):
                continue
            formula = _formula(one.step)
            if formula in self.formulas and isinstance(one.step, Define):
                body = (blocks.Display((story.again(one.step),)), *blocks.proof(one.proof))
                again += body
                continue
            if part.question.formula:
                again += body
                continue
            if again:
                yield blocks.Stage(tuple(again))
                again = []
            self.formulas.add(formula)
            self.number += 1
            yield blocks.Stage(body, one.step.title, one.step.why, self.number)
        if again:
            yield blocks.Stage(tuple(again))

    def new(self, lines: Iterable[Block]) -> Iterator[Block]:
        """The formulas among *lines* that did not stand before."""
        for one in lines:
            if isinstance(one, blocks.Display) and repr(one) not in self.formulas:
                self.formulas.add(repr(one))
                yield one

    def is_known(self, line: str, part: Solved) -> bool:
        """Whether the part that *part* is like, or else any earlier one, has shown that *line*."""
        before = self.lines.get(part.question.like)
        earlier = self.lines.values() if before is None else [before]
        known = any(line in lines for lines in earlier)
        self.lines.setdefault(part.question.id or "", set()).add(line)
        return known

    def beside(self, part: Solved, lead: Pieces) -> Iterator[Block]:
        """Several cases of one part: what they share, the formulas of the others, and a table."""
        sides = [[*story.numbered(case.shown_steps())] for case in part.cases]
        alike = set.intersection(*({repr(one.step) for one in side} for side in sides))
        rows: list[tuple[Pieces, ...]] = []
        for one in sides[0]:
            step = one.step
            if repr(step) in alike or not isinstance(step, Define):
                yield from self.working(part, [step] if repr(step) in alike else ())
                continue
            if (formula := _formula(step)) not in self.formulas:
                self.formulas.add(formula)
                self.number += 1
                others = [x.step for side in sides[1:] for x in side]
                shown = blocks.Display((story.unworked(step, others),))
                yield blocks.Stage((shown,), step.title, step.why, self.number)
            values = [case.quantities.get(step.name) for case in part.cases]
            numbers = [getattr(value, "value", None) for value in values]
            title = step.title[:1].lower() + step.title[1:]
            rows.append((blocks.symbol(step.symbol), (title,), *_cells(numbers, step)))
        header = ("", "", *(heading(case, part) for case in part.cases))
        if lead:
            yield Paragraph(lead)
        yield blocks.TextTable(header, tuple(rows))


def page(done: Solved, detail: pages.Detail) -> Iterator[Block]:
    """The question *done*, in as much *detail* as is wanted."""
    full, shown = detail.steps == "full", QuestionPage(done)
    yield pages.heading(done)
    if full:
        yield from pages.written(done.question)
        if shared := shown.shared():
            yield blocks.Givens(tuple(shared))
        yield from _assumed(done)
    for part in done.parts:
        words = asked(part)
        body = tuple(shown.part(part, detail))
        yield blocks.Asked(f"({part.question.id})", words if full else "", body)
    if full:
        yield from closing(done)


def closing(done: Solved) -> Iterator[Block]:
    """Every answer in short, the checks, and what they mean."""
    yield blocks.answer((" · ".join(f"({p.question.id}) {short(p)}" for p in done.parts),))
    firsts = [*_firsts(done)]
    checks = ((*blocks.said(x.words), ": ", story.checked(x, case))
              for case in firsts for x in _commented(case).checks)  # fmt: skip
    yield from blocks.lines("Check", checks)
    meant = [_commented(case).insights for case in firsts]
    found = [said[i] for i in range(MEANINGS) for said in meant if i < len(said)]
    chosen: list[Filled] = []
    for said in found:
        if sum(story.spoken(one).count(". ") + 1 for one in chosen) < MEANINGS:
            chosen.append(said)
    yield from blocks.lines("It means", map(blocks.said, chosen))


def short(part: Solved) -> str:
    """The values that *part* asks for, alone."""
    if not part.cases or part.question.errors:
        return "not solved"
    values = ", ".join(map(_value, part.cases))
    if not part.limits:
        return values
    return f"{values} ({'met' if all(x.agrees for x in part.limits) else 'not met'})"


def heading(case: Derivation, part: Solved) -> str:
    """What is different in one *case* of *part*: ``12 workers``, ``S = 4 MB``."""
    varied = [state for state in case.givens if _varies(state, part)]
    words = [_words(_worth(state)) for state in varied]
    return ", ".join(words) or _option(case, part)


def _option(case: Derivation, part: Solved) -> str:
    """The choices of *case* that others of *part* make otherwise."""
    others = [dict(one.stated.shape.reading) for one in part.cases]
    mine = dict(case.stated.shape.reading)
    differ = [name for name in mine if len({one.get(name) for one in others}) > 1]
    return ", ".join(mine[name].replace("_", "-") for name in differ)


def _value(case: Derivation) -> str:
    names = case.stated.shape.wanted
    if isinstance(case, Inversion) or not names:
        return story.answer_text(case)
    return ", ".join(story.full_values_text(case.quantities[name]) for name in names)


def asked(part: Solved) -> str:
    """What a part asks, in its own words if it has any."""
    if words := " ".join(put_in(part.question.text, part.question).split()):
        return words
    case = part.cases[0]
    if isinstance(case, Inversion):
        return case.title
    return "" if part.question.formula else case.commentary().problem.heading()


def _assumed(done: Solved) -> Iterator[Block]:
    """What is taken for granted in any part, and how what the question leaves open is read."""
    said: list[str] = []
    for case in (case for part in done.parts for case in part.cases[:1]):
        premises = (premise.says for premise in _commented(case).premises)
        for words in (*story.readings(case, stated=False), *premises):
            if not any(words.startswith(one) or one.startswith(words) for one in said):
                said.append(words)
    if said:
        yield blocks.Remark("Assumes", (Paragraph((" · ".join(said),)),))


def _firsts(done: Solved) -> Iterator[Derivation]:
    """The first case of each type that is asked."""
    seen: set[str] = set()
    for part in done.parts:
        for case in part.cases[:1]:
            if case.problem.slug not in seen and case.problem.slug != FORMULA.slug:
                seen.add(case.problem.slug)
                yield case


def _commented(case: Derivation) -> Commentary:
    at = case.at if isinstance(case, Inversion) and case.at else case
    return at.commentary()


def _stated(state: State) -> str:
    return story.given_text(state)


def _varies(state: State, part: Solved) -> bool:
    """Whether the cases of *part* state it with several values."""
    if len(part.cases) == 1:
        return False
    texts = [_stated(one) for case in part.cases for one in case.givens if one.name == state.name]
    return len(set(texts)) > 1


def _worth(state: State) -> Pieces:
    """A given with its value, by what is counted or by its letter."""
    value = story.given_text(state)
    if state.unit == COUNT and state.title.partition(" ")[0].endswith("s"):
        return (f"{value} {state.title}",)
    return (*blocks.symbol(state.symbol), f" = {value}")


def _words(pieces: Pieces) -> str:
    return "".join(
        piece if isinstance(piece, str) else "".join(str(side.what) for side in piece)
        for piece in pieces
    )


def _formula(step: Step) -> str:
    """What a step defines, without numbers."""
    if isinstance(step, Define):
        return f"{step.symbol} = {plain_text(step.applied, {})}"
    return repr(step)


def _cells(numbers: Sequence[object], step: Define) -> Iterator[Pieces]:
    """The values of a step in each case, in one unit."""
    known = [value for value in numbers if isinstance(value, Number)]
    shown = iter(together(known, step.unit))
    for value in numbers:
        yield (next(shown).marked if isinstance(value, Number) else "",)
