"""A question of parts as one page: what they share stands once, in each only what is new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.files.answers import asks_whether
from ddcalc.formula.evaluation import is_decided
from ddcalc.formula.expression import Num, Sym, letter
from ddcalc.numbers.display import equal
from ddcalc.problem.said.sentences import capital, inside
from ddcalc.problem.said.steps import HERE, Define, State, Step, Table
from ddcalc.problem.stated_formulas import AS_STATED, told_later
from ddcalc.render import blocks, pages, stages, story
from ddcalc.render.blocks import Block, Paragraph
from ddcalc.render.parts import assumed, by_hand, cases, few_words
from ddcalc.render.sides import Pieces, Sides, equation, symbol, unworked
from ddcalc.render.sides import again as said_again

if TYPE_CHECKING:
    from ddcalc.files.solved import Solved

ONE_LINE: Final = 74  # letters of the words of a part; of a question twice as many
FEW: Final = 3  # givens that a part adds in words
MANY: Final = 12  # cases, of more of which a table has but what is asked


@dataclass(slots=True)
class QuestionPage:
    """What the page of the question *done* has shown: what is given, in *common*, at last and in
    each part; formulas, and by part lines with numbers; what happens physically, what earlier parts
    come to, and the types that they ask for; letters, each with its part; how many steps."""

    done: Solved
    common: dict[str, State] = field(default_factory=dict)
    given: dict[str, State] = field(default_factory=dict)
    stated: dict[str, dict[str, State]] = field(default_factory=dict)
    options: dict[str, dict[str, str]] = field(default_factory=dict)
    formulas: set[str] = field(default_factory=set)
    lines: dict[str, set[str]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    symbols: dict[str, str] = field(default_factory=dict)
    number: int = 0
    letters: set[str] = field(default_factory=set)  # that the page needs
    owned: dict[int, list[State]] = field(default_factory=dict)  # what each part states, once made

    def shared(self) -> list[State]:
        """What all parts are given, or several state alike, the first of those that can state it
        among them; a letter stands for one."""
        first: dict[str, State | None] = {}
        again = {name.replace("-", "_") for name in self.done.question.given}
        solved = [part for part in self.done.each if part.cases]
        for part in solved:
            mine = {one.name: one for one in self.own(part) if not story.is_result(one)}
            problem = part.cases[0].problem
            rests = problem.following()
            again -= rests
            for name in problem.givens:
                before, now = first.setdefault(name, mine.get(name)), mine.get(name)
                if name in rests or not before or not now or before is now:
                    continue
                if story.given_text(before) == story.given_text(now):
                    again.add(name)
                    first[name] = now if before.unused else before
        cases = (case for part in solved for case in part.cases)
        found = {case.answer.name for case in cases if isinstance(case, Inversion)}
        again -= found - self.done.question.shared.keys()
        kept: dict[str, State] = {}  # by letter
        for name, state in first.items():
            if state is not None and name in again and state.symbol not in kept:
                kept[state.symbol] = self.given[name] = state
        self.symbols |= dict.fromkeys(kept, "")
        self.common = dict(self.given)
        return [*kept.values()]

    def part(self, part: Solved, detail: pages.Detail) -> Iterator[Block]:
        """The answer of *part*, and what is new in it."""
        if not part.cases or part.question.errors:
            wrong = dict.fromkeys(str(one).partition("; ")[0] for one in part.question.errors)
            yield Paragraph((f"Not solved: {'; '.join(wrong)}.",))
            return
        lead, new = Pieces(), list[Block]()
        if detail.steps == "full":
            lead = self.changed(part)
            new += [*self.added(part), *self.mechanism(part, detail.everything)]
        if detail.steps != "none":
            new += self.solution(part, detail.everything, lead)
        head = f"{part.question.id}."
        on = (x.cases[0] for x in self.done.parts if x.cases and f"{x.question.goes_on}." == head)
        told = (name for one in on for name in told_later(one.problem.own_steps))
        later = {name.removeprefix(head) for name in told if head in name}
        said = (*map(Paragraph, few_words.answers(part, detail.everything, later)),)
        yield from said if detail.steps == "none" else [blocks.Remark(blocks.ANSWER, said)]
        yield from new if detail.steps != "brief" else [blocks.Stage((*stages.bare(new),))]
        if detail.everything:
            yield from pages.others(part.cases[0])

    def mechanism(self, part: Solved, everything: bool) -> Iterator[Block]:
        """What happens physically, if no earlier part asks for a question of that type, and this
        one for more than steps of its own, or whether a limit is met."""
        own = [] if part is self.done else [*pages.ideas(part)]
        if own or any(pages.ideas(self.done)):  # which stands above all parts
            yield from own
            return
        asked = [case.at for case in part.cases if case.at]
        slugs = {one.problem.sheet.slug for one in asked} - self.said
        is_verdict = asks_whether(part.cases[0], part.limits)
        if not slugs or ((is_verdict or few_words.is_own(part)) and not everything):
            return
        self.said |= slugs
        first, *others = [assumed.mechanism(one, everything) for one in asked]
        if shared := [says for says in first if all(says in other for other in others)]:
            yield Paragraph((" ".join(shared),))

    def changed(self, part: Solved) -> Pieces:
        """What a part changes of what it is like, or stood before it, and whose results it uses."""
        case, like = part.cases[0], part.question.like
        known = self.common | self.stated[like] if like in self.stated else self.given
        options = self.options.get(like, {})
        changes, new = list[Pieces](), self.unknown(part)
        for state in self.own(part):
            before = known.get(state.name)
            if state.name in part.question.instead:
                continue  # its title tells it
            if before and story.given_text(before) != story.given_text(state):
                worth, new = few_words.worth(state, state in new), [x for x in new if x != state]
                changes.append((*worth, f" instead of {story.given_text(before)}"))
            elif state.name not in self.given and state.symbol in self.symbols:
                changes.append((*symbol(state.symbol), equal("", story.given_text(state))))
        if len(new) <= FEW:
            rest = case.problem.following()
            every = ((one, one.name in rest, known.get(one.name)) for one in new)
            changes += (few_words.explained(*one) for one in every)
        changes = [("with ", *one) if not i else one for i, one in enumerate(changes)]
        now = self.options[part.question.id or ""] = dict(case.stated.shape.reading)
        apart = few_words.apart(part)
        for name, option in now.items():
            if options.get(name, option) != option and name not in apart:
                changes.append((case.problem.choices[name].options[option],))
        on = {f"from ({x.question.id})": f"from ({x.question.goes_on})" for x in self.done.parts
              if x.question.goes_on}  # fmt: skip
        taken = [*few_words.results(part, self.symbols, self.said, on)]
        if changes:
            head = f"As in ({like}), but " if like and len(changes) > len(new) else ""
            first, *more = few_words.series_of([*changes, *taken])
            first = first if head or not isinstance(first, str) else capital(first)
            return (head, first, *more, ":")
        return ("With ", *few_words.series_of(taken), ":") if taken else ()

    def unknown(self, part: Solved) -> list[State]:
        """What a part states in letters that nothing has explained."""
        return [state for state in self.own(part) if state.symbol not in self.symbols]

    def own(self, part: Solved) -> list[State]:
        """What *part* states alike in its cases, and no formula leaves out, nor a search."""
        if (at := id(part)) in self.owned:
            return self.owned[at]
        sought = (x for x in part.cases if isinstance(x, Inversion))
        bounds = {x.other.letter for one in sought for x in one.question.relations if x.other}
        steps = (step for case in part.cases for step in by_hand.steps_of(case, part))
        used = few_words.letters(steps) | bounds
        first = part.cases[0] if part.cases else None
        by_plan = isinstance(first, Inversion) and first.at and first.at.working.plan
        said = () if first is None or by_plan else first.stated.said
        every = [state for case in part.cases[::-1] for state in case.givens[::-1]]
        counted = {state.name for state in every if not state.unused}  # in one of the cases
        self.owned[at] = [
            replace(one, unused="") if one.symbol in bounds or one.name in counted else one
            for one in [*{state.name: state for state in every}.values()][::-1]
            if (one.written is None or one.name in said or one.symbol in used)
            and not ("." in one.name or few_words.varies(one, part))
        ]
        return self.owned[at]

    def added(self, part: Solved) -> Iterator[Block]:
        """What no earlier part states, if it is more than a few words say."""
        own, new = self.own(part), self.unknown(part)
        self.symbols |= {state.symbol: "" for state in own}
        self.given |= {state.name: state for state in own}
        self.stated[part.question.id or ""] = {state.name: state for state in own}
        if len(new) > FEW:
            yield pages.givens(new)

    def working(
        self, part: Solved, steps: Iterable[Step], lead: Pieces, of_case: bool = False
    ) -> Iterator[blocks.Stage]:
        """The *steps* that are new, those *of a case* in its part, behind the *lead*; of a formula
        that stood only its numbers."""
        again: list[Block] = [blocks.Display((), True, lead)] if lead else []
        asked, listed, alone = few_words.asked(part), set[str](), again
        own = {name for name, _, _ in part.cases[0].problem.own_steps}
        for step, proof in self.fresh(part, steps, of_case):
            formula = _formula(step)
            whole = _formula(replace(step, open=True)) if isinstance(step, Define) else formula
            said, of = f"{step.title.partition(HERE)[0]} · {step.why}", getattr(step, "symbol", "")
            is_new = (proof or getattr(step, "name", "") in own) and said not in self.formulas
            is_known = not (is_new or self.formulas.isdisjoint({formula, whole}))
            is_short = {said, of} <= self.formulas and not getattr(step, "argument", ())
            if is_known and isinstance(step, Define) and letter(step.symbol) in listed:
                continue  # the table says it
            if isinstance(step, Table):
                listed, argued = {*step.header}, repr(step.argument)
                step = replace(step, argument=()) if argued in self.formulas else step
                self.formulas.add(argued)
            self.formulas |= {formula, said, of}
            if isinstance(step, Define) and (is_known or is_short or story.is_named(step)):
                is_last = of_case or step.name in asked
                sides = said_again(step, is_last) if is_known else equation(step)
                again = [*_flowing(again, sides), *proof]
            elif step.why == AS_STATED:
                assert isinstance(step, Define)  # stated as a formula
                words = "" if step.title == step.symbol else f"  {inside(step.title)}"
                again = [*again, Paragraph((equation(step), words))]
            else:
                yield from [blocks.Stage(tuple(again), number=0)] if again else []
                again, self.number = [], self.number + 1
                shown = stages.step_blocks(by_hand.without_letter(step, self.letters))
                body = stages.proved(step, [*shown], proof)
                yield blocks.Stage(body, *stages.headed(step), self.number)
        if again and again is not alone:
            yield blocks.Stage(tuple(again), number=0)

    def fresh(
        self, part: Solved, steps: Iterable[Step], of_case: bool
    ) -> Iterator[tuple[Step, list[Block]]]:
        """The *steps* that are new, each with its proof and all letters for what it comes to."""
        before = self.lines.get(part.question.like)
        mine = self.lines.setdefault(part.question.id or "", set())
        earlier = [*self.lines.values()] if before is None else [before]
        earlier = [mine] if of_case else earlier
        every = [*story.numbered(steps)]
        new = [one for one in every if not any(_line(one.step) in lines for lines in earlier)]
        mine |= {_line(one.step) for one in every}.union(before or ())
        for one in story.joined(new):
            step = one.step
            symbols = (getattr(step, "symbol", ""), *getattr(step, "also", ()))
            self.symbols |= dict.fromkeys(symbols, part.question.id or "")
            if isinstance(step, Define) and step.open:
                told = {_formula(step), f"{step.symbol} = {equation(step)[-1].what}"}  # as a sum
                if told <= self.formulas:
                    continue
                self.formulas |= told - {_formula(step)}
            yield step, [*stages.proof(one.proof)]

    def solution(self, part: Solved, everything: bool, lead: Pieces) -> Iterator[Block]:
        """What is worked out in *part*, behind the *lead*: first what is alike in all its cases,
        then each of them as if it were a part like the first; of many one for each set of
        formulas, if these are new, and in a table what all of them come to."""
        heads, stated = few_words.headings(part), [*few_words.worked(part)]
        sides = [[*by_hand.steps_of(case, part, everything)] for case in part.cases]
        alike = set.intersection(*({*map(repr, side)} for side in sides))
        shared = [*self.working(part, [x for x in sides[0] if repr(x) in alike], lead)]
        yield from shared
        yield from [Paragraph(lead)] if lead and not shared else []
        lines = (_formula(x) for side in sides for x in side if not isinstance(x, State))
        is_known = len(sides) > 1 and self.formulas.issuperset(lines)
        every = () if is_known else cases.worked(part, sides)  # the table says it
        for i in every:
            told = [*filter(None, heads[i].split(", "))]
            also = [(*sign, equal("", "".join(map(str, row[i])))) for sign, _, *row in stated]
            also = [x for x in also if "".join(map(str, x)) not in told]
            head = (*few_words.series_of([*[(heads[i],)] * bool(told), *also]),)
            own = (x for x in sides[i] if cases.stated(x) not in told)
            own = (replace(x, title=x.title.partition(HERE)[0]) for x in own)  # each finds its own
            yield from self.working(part, own, ("With ", *head, ":") if head else (), True)
        if len(every) < len(sides):
            rows = [*cases.found(part.cases), *stated, *self.rows(part, sides, heads)]
            yield from [cases.table(part, heads, rows)] if rows else []

    def rows(
        self, part: Solved, sides: Sequence[Sequence[Step]], heads: Sequence[str]
    ) -> Iterator[cases.Row]:
        """What is different in the cases of *part*, and more than another name; of very many cases
        what is asked, which stands last."""
        asked = few_words.asked(part)
        found = {case.answer.name for case in part.cases if isinstance(case, Inversion)}
        each = [{x.name: x for x in side if isinstance(x, Define)} for side in sides]
        steps = {x.name: x for side in sides[::-1] for x in side[::-1] if isinstance(x, Define)}
        left = (x for name, x in [*steps.items()][::-1] if name not in found)
        for step in sorted(left, key=lambda x: x.name in asked):
            values = cases.worth(part.cases, each, step.name)
            is_new = len(heads) <= MANY and not isinstance(step.applied, Sym)
            if len({*map(repr, values)}) > 1 and (step.name in asked or is_new):
                said = f"{step.title} · {step.why}"
                yield cases.row(step, values, said not in self.formulas)


def problem(done: Solved, detail: pages.Detail = pages.FULL) -> Iterator[Block]:
    """A problem of a file, or a question of parts, in as much *detail* as is wanted."""
    return (pages.problem if done.is_plain and not done.question.is_silent else page)(done, detail)


def page(done: Solved, detail: pages.Detail) -> Iterator[Block]:
    """The question *done*, in as much *detail* as is wanted."""
    full = detail.steps == "full"
    shown = QuestionPage(done, letters=few_words.letters_of(done, full))
    yield pages.heading(done)
    if full:
        is_short = len(story.text_of(done)) <= 2 * ONE_LINE
        yield from pages.written(done) if detail.everything or is_short else ()
        if shared := shown.shared():
            yield pages.givens(shared)
        parts = (x for x in done.each if detail.everything or not few_words.is_own(x))
        cases = [case for part in parts for case in part.cases]
        said = map(story.text_of, (done, *done.parts))
        yield from (own := [*pages.assumed_by(done)])
        if detail.everything or not own:
            yield from assumed.remark(cases, detail.everything, " ".join(said))
        yield from pages.ideas(done)
    asked: list[blocks.Asked] = []
    solved = {one.question.id for one in done.parts if one.cases and not one.question.errors}
    for part in done.each:
        words = few_words.question_of(part) if full else ""
        if not detail.everything and len(words) > ONE_LINE:  # what it asks at last
            words = assumed.SENTENCE.split(words)[-1]
        is_told = detail.everything or (part.question.text and len(words) <= ONE_LINE)
        body = tuple(shown.part(part, detail))
        one = blocks.Asked(f"({part.question.id})", words * bool(is_told), body)
        goes_on = part.question.goes_on in solved and asked[-1].name == f"({part.question.goes_on})"
        asked.append(blocks.joined(asked.pop(), one) if goes_on else one)
    if len(asked) > 1:
        yield from asked
    else:
        yield from [Paragraph((asked[0].words,))] if done.parts and asked[0].words else []
        for block in asked[0].body:  # where the text of a step begins
            yield block if isinstance(block, blocks.Meant) else blocks.Stage((block,), number=0)
    if full:
        yield from pages.closing(done)
    yield from pages.compared(done, detail)


def _flowing(before: list[Block], sides: Sides) -> list[Block]:
    """*before*, and an equation that may stand beside the last one."""
    match before:
        case [*others, blocks.Display(equations, True, lead)]:
            return [*others, blocks.Display((*equations, sides), True, lead)]
    return [*before, blocks.Display((sides,), flows=True)]


def _line(step: Step) -> str:
    """What a step shows: of a formula the values put in, of a number that is found its reason."""
    if not isinstance(step, Define):
        return repr(step)
    values = {name: getattr(put, "value", put) for name, put in step.numbers.items()}
    return repr((_formula(step), step.value, values, step.why * isinstance(step.applied, Num)))


def _formula(step: Step) -> str:
    """What a step defines, without numbers; of an open one with all its distinctions."""
    if isinstance(step, Define):
        is_alike = step.open and not is_decided(step.formula)
        shown = unworked(replace(step, applied=step.formula) if is_alike else step)
        return f"{step.symbol} = {shown[1].what}"
    return repr(step)
