"""Variants as an exam sheet, as its key, and as a problem file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.ask.solve import Derivation
from ddcalc.ask.variants.versions import LETTERS, ExamItem, Option, Version
from ddcalc.formula.expression import Expr, Sym
from ddcalc.problem.steps import State
from ddcalc.render import pages, story
from ddcalc.render.blocks import Block, Heading, Items, Paragraph, Pieces, TextTable, alone, cell
from ddcalc.render.marks import text
from ddcalc.render.problem_file import MODELINE, entry


def sheet(version: Version) -> Iterator[Block]:
    """The questions of a *version*."""
    yield Heading(f"Version {_number(version)}")
    for number, item in enumerate(version, 1):
        question = item.solved.commentary().problem.heading()
        yield Heading(f"{number}. {question}" if len(version) > 1 else question, 2)
        yield from _question(item)


def key(versions: Sequence[Version]) -> Iterator[list[Block]]:
    """All answers in a table, then the full working of each variant."""
    yield [Heading("Key"), _answers(versions)]
    for version in versions:
        for number, item in enumerate(version, 1):
            place = f", question {number}" if len(version) > 1 else ""
            title = f"Version {item.version}{place} ({item.id})"
            yield [*pages.derivation(item.solved, title=title), *_slips(item)]


def problem_file(versions: Sequence[Version], seed: int) -> str:
    """All variants as problems whose answers are expected; options stand in comments."""
    lines = ["problems:"]
    for version in versions:
        for item in version:
            source = f"variant {item.version} of {item.base.name}, seed {seed}"
            lines += entry(item.id, item.solved.problem, item.texts, item.expected, source=source)
            lines += [f"    # {letter}: {words}" for letter, words in _choices(item)]
    return MODELINE + "\n".join([*lines, ""])


def _number(version: Version) -> int:
    return version[0].version


def _question(item: ExamItem) -> Iterator[Block]:
    solved = item.solved
    yield Items(tuple(map(_given, story.givens(solved))))
    if says := [assumption.says for assumption in solved.assumptions]:
        yield Paragraph(("; ".join(says),), "Assume that")
    yield Paragraph(_wanted(solved), "Find")
    if item.options:
        yield Items(tuple(_option(*option) for option in zip(LETTERS, item.options, strict=False)))
        if _is_rounded(item):
            yield Paragraph(("The options are rounded.",))


def _given(step: State) -> Pieces:
    """A sentence for what is stated."""
    letter = alone(Sym(step.symbol))
    title = f"{step.title[:1].upper()}{step.title[1:]}, "
    if step.written is None and not step.word:
        return (title, letter)
    return (title, letter, f": {story.whole_given_text(step)}")


def _wanted(solved: Derivation) -> Pieces:
    answer = solved.answer
    title = solved.problem.quantities[answer.name].called
    unit = f", in {answer.unit.name}" if answer.unit.name else ""
    return (alone(Sym(answer.symbol)), f" ({title}){unit}")


def _option(letter: str, option: Option) -> Pieces:
    value = option.value
    return (f"{letter}) ", *cell(value if isinstance(value, Expr) else option_words(option)))


def option_words(option: Option) -> str:
    """The value of an *option* as text."""
    return story.value_text(option.value, option.unit)


def _is_rounded(item: ExamItem) -> bool:
    answer = item.solved.answer.value
    return any(option.right and option.value != answer for option in item.options)


def _answers(versions: Sequence[Version]) -> TextTable:
    several = any(len(version) > 1 for version in versions)
    ticked = any(item.options for version in versions for item in version)
    header = ("version", *(["question"] * several), "answer", *(["option"] * ticked))
    rows = []
    for version in versions:
        for number, item in enumerate(version, 1):
            place = [(str(number),)] * several
            value = item.solved.answer.value
            answer = cell(value if isinstance(value, Expr) else story.answer_text(item.solved))
            option = [(item.right,)] * ticked
            rows.append(((str(item.version),), *place, answer, *option))
    return TextTable(header, tuple(rows))


def _slips(item: ExamItem) -> Iterator[Block]:
    """Which slip each wrong option is."""
    if not item.options:
        return
    yield Paragraph((item.right,), "Right option")
    rows: list[Pieces] = []
    for letter, option in zip(LETTERS, item.options, strict=False):
        if not option.right:
            rows.append((*_option(letter, option), f": {text(option.deed)}"))
    yield Items(tuple(rows))


def _choices(item: ExamItem) -> Iterator[tuple[str, str]]:
    """The options in words, with what each one is."""
    for letter, option in zip(LETTERS, item.options, strict=False):
        yield letter, f"{option_words(option)}, {'right' if option.right else text(option.deed)}"
