"""A question of several parts as one page: what they share stands once, and each of them shows only
what is new in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation
from ddcalc.files.parts import put_in
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import together
from ddcalc.problem.own import FORMULA
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import Define, State, Step
from ddcalc.render import blocks, few_words, pages, story
from ddcalc.render.blocks import Block, Paragraph, Pieces
from ddcalc.render.notation.plain import text as plain_text

if TYPE_CHECKING:
    from ddcalc.files.batch import Solved

FEW: Final = 2  # givens that a part adds in words
AS_STATED: Final = "as the question states it"  # why a given is what its formula says
SIDES: Final = 3  # cases up to which each has its answer in a sentence


@dataclass(slots=True)
class QuestionPage:
    """What the page of the question *done* has shown so far: what is given, by name, and in each
    part; formulas, and by part the lines with their numbers; what happens physically; answers; how
    many steps."""

    done: Solved
    given: dict[str, State] = field(default_factory=dict)
    stated: dict[str, dict[str, State]] = field(default_factory=dict)
    options: dict[str, dict[str, str]] = field(default_factory=dict)
    formulas: set[str] = field(default_factory=set)
    lines: dict[str, set[str]] = field(default_factory=dict)
    sentences: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    said: set[str] = field(default_factory=set)
    symbols: set[str] = field(default_factory=set)
    number: int = 0

    def shared(self) -> list[State]:
        """What several parts state alike, or all of them are given; a letter stands for one."""
        first: dict[str, tuple[State, str]] = {}
        again = {name.replace("-", "_") for name in self.done.question.given}
        for part in self.done.parts:
            for state in part.cases[0].givens if part.cases else ():
                if not (few_words.is_result(state) or few_words.varies(state, part)):
                    before, text = first.setdefault(state.name, (state, few_words.stated(state)))
                    if state is not before and text == few_words.stated(state):
                        again.add(state.name)
        kept: dict[str, State] = {}  # by letter
        for name, (state, _) in first.items():
            if name in again and state.symbol not in kept:
                kept[state.symbol] = self.given[name] = state
        return [*kept.values()]

    def part(self, part: Solved, detail: pages.Detail) -> Iterator[Block]:
        """What is new in *part*, and its answer."""
        if not part.cases or part.question.errors:
            wrong = "; ".join(str(error).partition("; ")[0] for error in part.question.errors)
            yield Paragraph((f"Not solved: {wrong}.",))
            return
        if detail.steps == "full":
            lead = self.changed(part)
            yield from self.added(part)
            at = _answered(part.cases[0])
            mechanism = at.commentary().mechanism if at else ""
            if mechanism and mechanism not in self.said:
                self.said.add(mechanism)
                yield Paragraph((mechanism,))
            if len(part.cases) > 1:
                yield from self.beside(part, lead)
            else:
                yield from self.working(
                    part, few_words.steps_of(part.cases[0], detail.everything), lead
                )
        answers = tuple(map(Paragraph, self.answers(part)))
        yield from answers if detail.steps == "none" else [blocks.Remark(blocks.ANSWER, answers)]
        if detail.steps == "brief":
            displays = (
                b for c in part.cases for s in c.shown_steps() for b in blocks.step_blocks(s)
            )
            yield blocks.Stage(tuple(self.new(displays)))
        if detail.everything:
            yield from pages.others(part.cases[0])

    def answers(self, part: Solved) -> Iterator[Pieces]:
        """First whether what was to be met is; then the answer of *part* in a sentence, or that of
        each of its cases, unless the part that it is like says the same."""
        if len(part.cases) > SIDES:
            yield (few_words.short(part),)
            return
        for i, case in enumerate(part.cases):
            pieces: list[str | story.Sides] = []
            if len(part.cases) > 1:
                pieces.append(f"{few_words.heading(case, part)}: ")
            text = part.question.text
            pieces += (f"{story.met(one, text)} " for one in part.of_case(i, part.limits))
            if not part.limits or story.says(case) not in self.sentences[part.question.like]:
                several = len(part.cases) > 1
                pieces += blocks.said(story.headline(case) if several else story.conclusion(case))
            self.sentences[part.question.id or ""].add(story.says(case))
            yield tuple(pieces)

    def changed(self, part: Solved) -> Pieces:
        """What a part changes of what it is like, or of what stood before it; and whose results it
        uses."""
        case, like = part.cases[0], part.question.like
        known, options = self.stated.get(like, self.given), self.options.get(like, {})
        changes: list[Pieces] = []
        for state in case.givens:
            before = known.get(state.name)
            if (
                before
                and few_words.stated(before) != few_words.stated(state)
                and not few_words.varies(state, part)
            ):
                changes.append((*few_words.worth(state), f" instead of {few_words.stated(before)}"))
            elif self.is_new(state, part) and state.symbol in self.symbols:
                changes.append((*blocks.symbol(state.symbol), f" = {few_words.stated(state)}"))
        if len(new := self.unknown(part)) <= FEW:
            changes += map(few_words.explained, new)
        changes = [("with ", *one) if not i else one for i, one in enumerate(changes)]
        now = self.options[part.question.id or ""] = dict(case.stated.shape.reading)
        for name, option in now.items():
            if options.get(name, option) != option and name in case.problem.choices:
                changes.append((case.problem.choices[name].options[option],))
        taken = [*few_words.results(case)]
        if changes:
            head = f"As in ({like}), but " if like else ""
            first, *more = few_words.series_of([*changes, *taken])
            return (
                head,
                first if head or not isinstance(first, str) else capital(first),
                *more,
                ":",
            )
        if taken:
            return ("With ", *few_words.series_of(taken), ":")
        is_same = like and not isinstance(case, Inversion) and len(part.cases) == 1
        return (f"As in ({like}).",) if is_same else ()

    def unknown(self, part: Solved) -> list[State]:
        """What a part states in letters that nothing has explained."""
        new = [state for state in part.cases[0].givens if self.is_new(state, part)]
        return [state for state in new if state.symbol not in self.symbols]

    def is_new(self, state: State, part: Solved) -> bool:
        """Whether no earlier part states it, or in another letter."""
        before = self.given.get(state.name)
        is_known = before is not None and before.symbol == state.symbol
        return not (is_known or "." in state.name or few_words.varies(state, part))

    def added(self, part: Solved) -> Iterator[Block]:
        """What no earlier part states, if it is more than a few words say."""
        own = [
            one
            for one in part.cases[0].givens
            if not ("." in one.name or few_words.varies(one, part))
        ]
        new = self.unknown(part)
        self.symbols |= {state.symbol for state in part.cases[0].givens}
        self.given |= {state.name: state for state in own}
        self.stated[part.question.id or ""] = {state.name: state for state in own}
        if len(new) > FEW:
            yield blocks.Givens((*map(story.unsourced, new),))

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
            self.symbols.add(getattr(one.step, "symbol", ""))
            if formula in self.formulas and isinstance(one.step, Define):
                body = (blocks.Display((story.again(one.step),)), *blocks.proof(one.proof))
                again += body
                continue
            self.formulas.add(formula)
            if part.question.formula or one.step.why == AS_STATED:
                again += body if part.question.formula else [_beside_title(one.step)]
                continue
            if again:
                yield blocks.Stage(tuple(again))
                again = []
            self.number += 1
            yield blocks.Stage(body, capital(one.step.title), one.step.why, self.number)
        if again:
            yield blocks.Stage(tuple(again))

    def is_known(self, line: str, part: Solved) -> bool:
        """Whether the part that *part* is like, or else any earlier one, has shown that *line*."""
        before = self.lines.get(part.question.like)
        earlier = self.lines.values() if before is None else [before]
        known = any(line in lines for lines in earlier)
        self.lines.setdefault(part.question.id or "", set()).add(line)
        return known

    def new(self, lines: Iterable[Block]) -> Iterator[Block]:
        """The formulas among *lines* that did not stand before."""
        for one in lines:
            if isinstance(one, blocks.Display) and repr(one) not in self.formulas:
                self.formulas.add(repr(one))
                yield one

    def beside(self, part: Solved, lead: Pieces) -> Iterator[Block]:
        """Several cases of one part: what they share, the formulas of the others, and a table."""
        sides = [[*story.numbered(few_words.steps_of(case))] for case in part.cases]
        alike = set.intersection(*({repr(one.step) for one in side} for side in sides))
        rows: list[tuple[Pieces, ...]] = []
        for one in sides[0]:
            step = one.step
            if repr(step) in alike or not isinstance(step, Define):
                yield from self.working(part, [step] if repr(step) in alike else ())
                continue
            alone = [_named(step.name, side) for side in sides]
            formulas = {_formula(other): other for other in alone if other}
            if not formulas.keys() <= self.formulas:
                self.formulas |= formulas.keys()
                self.number += 1
                shown: Block = blocks.Display((story.unworked(step, filter(None, alone)),))
                if len(formulas) > 1:
                    each = [(story.unworked(other, ()),) for other in alone if other]
                    marks = (f"{few_words.heading(case, part)}:" for case in part.cases)
                    shown = blocks.Items(tuple(each), tuple(marks))
                yield blocks.Stage((shown,), capital(step.title), step.why, self.number)
            values = [case.quantities.get(step.name) for case in part.cases]
            numbers = [getattr(value, "value", None) for value in values]
            title = step.title[:1].lower() + step.title[1:]
            rows.append((blocks.symbol(step.symbol), (title,), *_cells(numbers, step)))
        header = ("", "", *(few_words.heading(case, part) for case in part.cases))
        if lead:
            yield Paragraph(lead)
        if rows:
            yield blocks.TextTable(header, tuple(rows))


def problem(done: Solved, detail: pages.Detail = pages.FULL) -> Iterator[Block]:
    """A problem of a file, or a question of parts, in as much *detail* as is wanted."""
    return page(done, detail) if done.parts else pages.problem(done, detail)


def page(done: Solved, detail: pages.Detail) -> Iterator[Block]:
    """The question *done*, in as much *detail* as is wanted."""
    full, shown = detail.steps == "full", QuestionPage(done)
    yield pages.heading(done)
    if full:
        yield from pages.written(done.question)
        if shared := shown.shared():
            yield blocks.Givens((*map(story.unsourced, shared),))
        yield from _assumed(done)
    for part in done.parts:
        words = asked(part)
        body = tuple(shown.part(part, detail))
        yield blocks.Asked(f"({part.question.id})", words if full else "", body)
    if full:
        yield from closing(done)


def closing(done: Solved) -> Iterator[Block]:
    """Every answer in short, the checks, and what they mean."""
    yield blocks.answer(
        (" · ".join(f"({p.question.id}) {few_words.short(p)}" for p in done.parts),)
    )
    firsts = [*_firsts(done)]
    checks = ((*blocks.said(x.words), ": ", story.checked(x, case))
              for case in firsts for x in case.commentary().checks)  # fmt: skip
    yield from blocks.lines("Check", checks)
    meant = [case.commentary().insights for case in firsts]
    found = [said[i] for i in range(pages.MEANINGS) for said in meant if i < len(said)]
    yield from blocks.lines("It means", map(blocks.said, pages.few(found)))


def _named(name: str, side: Iterable[story.Numbered]) -> Define | None:
    steps = (one.step for one in side)
    return next((x for x in steps if isinstance(x, Define) and x.name == name), None)


def _beside_title(step: Step) -> Block:
    """A given that is stated as a formula, and what it is."""
    sides = story.equation(step) if isinstance(step, Define) else ()
    title = f"  {step.title[:1].lower()}{step.title[1:]}"
    return Paragraph((sides, title))


def asked(part: Solved) -> str:
    """What a part asks, in its own words if it has any."""
    if words := " ".join(put_in(part.question.text, part.question).split()):
        return words
    if part.question.formula:
        return capital((part.question.name or "value").replace("_", " "))
    if not part.cases:
        return ""
    case = part.cases[0]
    return case.title if isinstance(case, Inversion) else case.commentary().problem.heading()


def _assumed(done: Solved) -> Iterator[Block]:
    """What is taken for granted in any part, and how what the question leaves open is read."""
    said: list[str] = []
    for case in (case for part in done.parts for case in part.cases[:1]):
        at = _answered(case)
        premises = (premise.says for premise in at.commentary().premises) if at else ()
        for words in (*story.readings(case, stated=False), *premises):
            if not any(words.startswith(one) or one.startswith(words) for one in said):
                said.append(words)
    if said:
        yield blocks.Remark("Assumes", (Paragraph((" · ".join(said),)),))


def _firsts(done: Solved) -> Iterator[Derivation]:
    """The first case of each type that is asked."""
    firsts: dict[str, Derivation] = {}
    for case in (case for part in done.parts for case in part.cases[:1]):
        at = _answered(case)
        if at is not None and at.problem.slug != FORMULA.slug:
            firsts.setdefault(at.problem.slug, at)
    return iter(firsts.values())


def _answered(case: Derivation) -> Derivation | None:
    """The question itself at what was found for it; None where nothing was."""
    return case.at if isinstance(case, Inversion) else case


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
