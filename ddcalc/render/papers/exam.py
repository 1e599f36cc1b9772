"""Variants as an exam sheet, as its key, and as a problem file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain

from ddcalc.ask.mark.exercise import MET
from ddcalc.ask.mark.grading import AS_USUAL
from ddcalc.ask.solve import Assumption, Derivation, Result, Results, first, singles
from ddcalc.files.answer_key import Key
from ddcalc.files.defaults import words_in
from ddcalc.files.keys import ExamItem, Version
from ddcalc.files.submissions import Student
from ddcalc.formula.expression import SIGNS, Expr, Number
from ddcalc.numbers.amounts import STATED, count_text, in_unit
from ddcalc.numbers.display import SIGNIFICANT
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import BARE, Unit
from ddcalc.problem.earlier import FromPart
from ddcalc.problem.said.sentences import capital
from ddcalc.problem.said.steps import State
from ddcalc.render import blocks, pages, sides, story
from ddcalc.render.blocks import Block, Heading, Paragraph
from ddcalc.render.papers.problem_file import question_entry
from ddcalc.render.parts.assumed import distinct
from ddcalc.render.parts.few_words import headings, to_be_met, varies
from ddcalc.render.parts.few_words import question_of as in_words
from ddcalc.render.parts.question import QuestionPage
from ddcalc.render.parts.question import page as question_page
from ddcalc.render.sides import Pieces, cell, joined, symbol

LINE = "_" * 16  # to write on
DECIMAL = re.compile(r"(?<=[0-9])\.(?=[0-9])")
MEMBERS = re.compile(r"(?:(?<=[0-9])|(?<=[0-9] \w)|(?<=[0-9] \w\w)),(?= [−0-9])")  # between them
Row = tuple[Pieces, ...]  # of the table of all answers
HEADER = ("version", "question", "result", "answer")


@dataclass(frozen=True)
class Wording:
    """How a sheet is written: its *words* by the English ones, and whether numbers have a decimal
    *comma*; as the *heads* of a file say it."""

    words: Mapping[str, str] = field(default_factory=dict)
    comma: bool = False
    heads: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, heads: Mapping[str, str]) -> Wording:
        """The paper as a file's *heads* have it."""
        return cls(words_in(heads.get("words", "english")), heads.get("decimal") == "comma", heads)

    def word(self, english: str) -> str:
        """The word that stands for an *english* one."""
        return self.words.get(english, english)

    def said(self, pieces: Pieces) -> Pieces:
        """*pieces* with the numbers as they are written."""
        if not self.comma:
            return pieces
        return tuple(
            DECIMAL.sub(",", MEMBERS.sub(";", one)) if isinstance(one, str) else one
            for one in pieces
        )

    def labelled(self, label: str, pieces: Pieces) -> Paragraph:
        """A paragraph after a word."""
        return Paragraph(self.said(pieces), self.word(label))

    def worth(self, points: Number | None) -> str:
        """What is stated to be so many *points* worth, in brackets; else nothing."""
        if points is None:
            return ""
        return f" ({count_text(points)} {self.word('point' if points == 1 else 'points')})"


def sheet(version: Version, wording: Wording, student: Student | None = None) -> Iterator[Block]:
    """The questions of a *version*, below lines for name, date and points, or for a *student*."""
    yield Heading(f"{wording.word('Version')} {version[0].version}")
    worth = [item.points for item in version if item.points is not None]
    whole = ""
    if len(worth) == len(version):
        whole = f" ({wording.word('of')} {count_text(sum(worth))})"
    name, number = student or ("", "")
    numbered = f"  {wording.word('Number')} {number}" * bool(number)
    yield Paragraph((f"{wording.word('Name')} {name or LINE}{numbered}",))
    yield Paragraph((f"{wording.word('Date')} {LINE}  {wording.word('Points')}{whole} {LINE}",))
    for place, item in enumerate(version, 1):
        number = f"{place}. " if len(version) > 1 else ""
        yield Heading(f"{number}{heading(item)}{wording.worth(item.points)}", 2)
        yield from question(item, wording)
        for at, keys in enumerate(item.parts):
            yield from part(item, at, wording, *_answers(keys, wording))


def heading(item: ExamItem) -> str:
    """What a question is about: its title where its words say what is asked, else that."""
    written = item.done.question
    if item.done.parts or written.text:
        return written.title or written.id or ""
    is_plain = item.done.is_plain
    return item.parts[0][0].solved.title if is_plain else written.title or in_words(item.done)


def question(item: ExamItem, wording: Wording) -> Iterator[Block]:
    """The words of a question, what is given for all its parts, and how it is to be read."""
    yield from (Paragraph(wording.said(one.pieces)) for one in pages.written(item.done))
    yield from _listed(_givens(item)[0], item.parts[0][0], wording)
    assumed = (one for key, *_ in item.parts for one in key.solved.assumptions)
    yield from _assumed((one for one in assumed if len(item.ways[one.choice]) == 1), wording)


def _assumed(assumptions: Iterable[Assumption], wording: Wording) -> Iterator[Block]:
    """How a question, or a part, is to be read."""
    if said := distinct(one.says for one in assumptions):
        yield wording.labelled("Assume that", ("; ".join(said),))


def part(item: ExamItem, number: int, wording: Wording, *below: Block) -> Iterator[Block]:
    """The part at *number* of an *item*, under its letter if it has one: its words, what it states
    alone, and how it alone is to be read, which its cases say themselves; and what is *below*."""
    key, *others = item.parts[number]
    body: list[Block] = [*_listed(_givens(item)[1][number], key, wording)]
    if not others:
        own = (x for x in key.solved.assumptions if len(item.ways[x.choice]) > 1)
        body += _assumed(own, wording)
    if key.head is None:
        yield from (*body, *below)
        return
    words = f"{in_words(key.part)}{wording.worth(item.points and sum(key.worth))}".strip()
    said = "".join(map(str, wording.said((words,))))
    yield blocks.Asked(f"({key.source.id})", said, (*body, *below))


def _givens(item: ExamItem) -> tuple[list[State], list[list[State]]]:
    """What is given: for several parts or all of them, and for each alone."""
    if item.done.is_plain:
        return [*item.done.cases[0].givens], [[]]
    shared, own = QuestionPage(item.done).shared(), list[list[State]]()
    now = {state.name: story.given_text(state) for state in shared}
    for one in item.done.each:
        mine = [x for x in one.cases[0].givens if now.get(x.name) != story.given_text(x)]
        own.append([state for state in mine if not varies(state, one)])
        now |= {state.name: story.given_text(state) for state in own[-1]}
    return shared, own


def _listed(states: Sequence[State], key: Key, wording: Wording) -> Iterator[blocks.Items]:
    """Sentences for what a part states itself, not for what it has from another one."""
    givens = key.solved.problem.givens
    own = (x for x in states if not story.is_result(x))
    mine = (x for x in own if not isinstance(givens.get(x.name), FromPart))
    rows = [_given(one, key.solved) for one in mine]
    if rows:
        yield blocks.Items(tuple(map(wording.said, rows)))


def _given(step: State, solved: Derivation) -> Pieces:
    """A sentence for what is stated, in full: a matrix row after row."""
    [letter], written = symbol(step.symbol), step.written
    head = (f"{capital(step.title)}, " * (step.title != step.symbol), letter)
    if written is None:
        return (*head, f": {step.word}") if step.word else head
    given = solved.problem.givens.get(step.name)
    rows = solved.stated.alone(given.rows) if given else None
    wide = len(written)
    if rows and wide % rows.value == 0:
        wide //= int(rows.value)
    lines = (replace(step, written=written[i : i + wide]) for i in range(0, len(written), wide))
    return (*head, f": {'; '.join(story.given_text(line, whole=True) for line in lines)}")


def _answers(keys: Iterable[Key], wording: Wording) -> Iterator[Block]:
    """What is to be found in each case, with a line for the answer."""
    for key in keys:
        for result in key.asked:
            yield wording.labelled("Find", wanted(result, key, wording))
            yield Paragraph((LINE,), wording.word("Answer"))


def _of_case(key: Key, word: str = "for") -> str:
    """Which of several cases is asked for, behind a *word*."""
    return f" {word} {headings(key.part)[key.case]}" if len(key.part.cases) > 1 else ""


def wanted(result: Results, key: Key, wording: Wording) -> Pieces:
    """Which *result* is asked for: its letter, what it is, in which case, and the unit."""
    of = _of_case(key, wording.word("for"))
    if first(result).name == MET:
        every = to_be_met(key.part, key.case)
        limits = ((*left, f" {SIGNS[op]} ", *right) for left, op, right in every)
        either = f"{of}, {wording.word('yes')} {wording.word('or')} {wording.word('no')}"
        return (*joined(limits, f" {wording.word('and')} "), either)
    if choice := key.solved.problem.choices.get(first(result).name):  # a word
        either = f" {wording.word('or')} ".join(map(choice.written, choice.options))
        return (f"{choice.title}{of}, {either}",)
    quantity = key.solved.problem.quantities[first(result).name]
    unit = key.unit(result).name
    many = f", {len(result)} {wording.word('values in order')}" if isinstance(result, tuple) else ""
    called = f" ({quantity.called})" if quantity.called != quantity.letter else ""
    ending = f", {wording.word('in')} {unit}" if unit else ""
    return (*symbol(quantity.letter), f"{called}{of}{many}{ending}")


# The key


def answer_rows(version: Version, wording: Wording) -> Iterator[Row]:
    """The answers of a *version*, in the units in which they are asked for, as the paper has it."""
    between = "; " if wording.comma else ", "
    for number, item in enumerate(version, 1):
        for key in chain.from_iterable(item.parts):
            place = f"{item.base.name}.{key.source.id}" if key.head else str(number)
            for result in key.asked:
                values = [_right(one, key.unit(result), wording) for one in singles(result)]
                both = map(wording.said, (_result(result, key), joined(values, between)))
                yield (str(item.version),), (place,), *both


def _result(result: Results, key: Key) -> Pieces:
    """The letter of a *result*; in a part its name too, and which case it is of."""
    name = first(result).name
    quantity = key.solved.problem.quantities.get(name)
    called = f" {name}" if key.head and quantity and name != quantity.letter else ""
    return (*(symbol(quantity.letter) if quantity else (name,)), f"{called}{_of_case(key)}")


def _right(result: Result, unit: Unit, wording: Wording) -> Pieces:
    """A value in *unit*, rounded as in problem files."""
    if result.name == MET:
        return cell(wording.word(str(result)))
    if result.value is None or isinstance(result.value, Expr):
        return cell(str(sides.NO_VALUE) if result.value is None else result.value)
    return cell(in_unit(result.value, unit, SIGNIFICANT, STATED).marked)


def answers(rows: Sequence[Row], papers: Sequence[tuple[Student, int]] = ()) -> list[Block]:
    """All answers in a table, at the head of the key, below who has which version."""
    listed = ((one.name, one.number, str(version)) for one, version in papers)
    names = blocks.words_table(("name", "number", "version"), listed)
    return [Heading("Key"), *[names] * bool(papers), blocks.TextTable(HEADER, tuple(rows))]


def working(item: ExamItem, number: int) -> Iterator[Block]:
    """The full working of question *number*."""
    yield from solution(item, f"Version {item.version}, question {number} ({item.id})")


def solution(item: ExamItem, title: str = "") -> Iterator[Block]:
    """The page of a question, under a *title* if there is one."""
    if not item.done.is_plain:
        head, *body = question_page(item.done, pages.FULL)
        yield from (Heading(title) if title else head, *body)
        return
    [[key]] = item.parts
    names = {first(result).name for result in key.asked}
    sought = (step for step in key.solved.steps if getattr(step, "name", None) in names)
    asides = bool(title and (at := key.solved.at) and any(map(at.commentary().is_aside, sought)))
    detail = pages.Detail(everything=asides)
    yield from pages.derivation(key.solved, detail, title, key.limits)


# The problem file


def problems(version: Version, seed: int) -> str:
    """A *version* as problems whose answers are expected."""
    lines = list[str]()
    for item in version:
        source = f"variant {item.version} of {item.base.name}, seed {seed}"
        cases = ([[*key.expected] for key in keys] for keys in item.parts)
        marking = (f"{{{said}}}" * bool(said) for said in (_marking(key) for key, *_ in item.parts))
        lines += question_entry(item.id, item.done, [*zip(cases, marking, strict=True)], source)
    return "".join(f"{line}\n" for line in lines)


def _marking(key: Key) -> str:
    """What is required of answers as the file of the base has it, and in which unit they are asked
    for where a number without one would say nothing."""
    every = []
    verdict = [one for one in key.asked if first(one).name == MET]
    for result in (*key.expected, *verdict):
        allowed, unit = key.allowed(result), key.unit(result)
        is_rough = not allowed.within and isinstance(first(result).value, Approximate)
        names_unit = result in key.asked and unit.dimension not in BARE
        said: dict[str, object] = {
            "digits": allowed.digits or (allowed.fewest if is_rough else None),
            "within": allowed.says.removeprefix("within ") if allowed.within else None,
            "unit": unit.name if allowed.unit or names_unit else None,
        }
        usual, credit = asdict(AS_USUAL), asdict(allowed.credit)
        differs = {name: value for name, value in credit.items() if value != usual[name]}
        said["points"] = differs.pop("points", None)
        if differs:
            parts = (f"{k}: {'by-steps' if v is None else v}" for k, v in differs.items())
            said["credit"] = f"{{{', '.join(parts)}}}"
        if stated := ", ".join(f"{name}: {value}" for name, value in said.items() if value):
            every.append(f"{first(result).name}: {{{stated}}}")
    return ", ".join(every)
