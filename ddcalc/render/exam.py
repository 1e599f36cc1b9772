"""Variants as an exam sheet, as its key, and as a problem file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from ddcalc.ask.mark.slip import AS_USUAL
from ddcalc.ask.mark.written import needs_unit
from ddcalc.ask.solve import Derivation, Result, Results, Text, first, singles
from ddcalc.ask.variants.distractors import Option
from ddcalc.ask.variants.versions import ExamItem, Version
from ddcalc.formula.expression import Expr
from ddcalc.numbers.amounts import STATED, count_text, in_unit
from ddcalc.numbers.display import SIGNIFICANT
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import State
from ddcalc.render import pages, story
from ddcalc.render.blocks import (
    Block,
    Heading,
    Items,
    Paragraph,
    Pieces,
    TextTable,
    cell,
    symbol,
)
from ddcalc.render.marks import text
from ddcalc.render.problem_file import entry

LINE = "_" * 16  # to write on
ROUNDED = Paragraph(("The options are rounded.",))
Row = tuple[Pieces, ...]  # of the table of all answers
HEADER = ("version", "question", "result", "answer", "option")


def sheet(version: Version) -> Iterator[Block]:
    """The questions of a *version*, below lines for a name, the date and the points."""
    yield Heading(f"Version {version[0].version}")
    worth = [item.points for item in version if item.points is not None]
    points = f"Points (of {count_text(sum(worth))})" if len(worth) == len(version) else "Points"
    yield Paragraph(("  ".join(f"{label} {LINE}" for label in ("Name", "Date", points)),))
    for number, item in enumerate(version, 1):
        of = ""
        if item.points is not None:
            of = f" ({count_text(item.points)} point{'' if item.points == 1 else 's'})"
        place = f"{number}. " if len(version) > 1 else ""
        yield Heading(f"{place}{item.solved.working.problem.heading()}{of}", 2)
        yield from question(item)
        yield from (Paragraph(wanted(result, item), "Find") for result in item.results)
        if item.lettered:
            options = tuple(option_pieces(option) for _, option in item.lettered)
            yield Items(options, tuple(f"{letter})" for letter, _ in item.lettered))
        if is_rounded(item):
            yield ROUNDED


def question(item: ExamItem) -> Iterator[Block]:
    """What is given, and how it is to be read."""
    solved = item.solved
    yield Items(tuple(_given(step, solved) for step in solved.givens))
    if says := [assumption.says for assumption in solved.assumptions]:
        yield Paragraph(("; ".join(says),), "Assume that")


def _given(step: State, solved: Derivation) -> Pieces:
    """A sentence for what is stated, in full: a matrix row after row."""
    [letter], written = symbol(step.symbol), step.written
    head = (f"{capital(step.title)}, ", letter)
    if written is None:
        return (*head, f": {step.word}") if step.word else head
    rows = solved.stated.measured.get(solved.problem.givens[step.name].rows)
    wide = len(written)
    if isinstance(rows, Measured) and wide % rows.value == 0:
        wide //= int(rows.value)
    lines = (replace(step, written=written[i : i + wide]) for i in range(0, len(written), wide))
    return (*head, f": {'; '.join(map(story.whole_given_text, lines))}")


def wanted(result: Results, item: ExamItem) -> Pieces:
    """Which *result* is asked for: its letter, what it is, and the unit."""
    quantity = item.solved.problem.quantities[first(result).name]
    unit = item.unit(result).name
    many = f", {len(result)} values in order" if isinstance(result, tuple) else ""
    return (*symbol(quantity.letter), f" ({quantity.called}){many}{f', in {unit}' * bool(unit)}")


def option_pieces(option: Option) -> Pieces:
    """The value of an *option*."""
    value = option.value
    return cell(value if isinstance(value, Expr) else story.value_text(value, option.unit))


def is_rounded(item: ExamItem) -> bool:
    """Whether the right option is not exactly the answer."""
    answer = item.solved.answer.value
    return any(option.right and option.value != answer for _, option in item.lettered)


# The key


def answer_rows(version: Version) -> Iterator[Row]:
    """The answers of a *version*, in the units in which they are asked for."""
    for number, item in enumerate(version, 1):
        for result in item.results:
            letter = symbol(item.solved.problem.quantities[first(result).name].letter)
            values = [_right(one, item.unit(result)) for one in singles(result)]
            listed = [piece for value in values for piece in (", ", *value)]
            yield (str(item.version),), (str(number),), letter, tuple(listed[1:]), (item.right,)


def _right(result: Result, unit: Unit) -> Pieces:
    """A value in *unit*, rounded as in problem files."""
    if result.value is None or isinstance(result.value, Expr):
        return cell(str(story.NO_VALUE) if result.value is None else result.value)
    return cell(in_unit(result.value, unit, SIGNIFICANT, STATED).marked)


def answers(rows: Sequence[Row]) -> list[Block]:
    """All answers in a table, at the head of the key."""
    return [Heading("Key"), TextTable(HEADER, tuple(rows))]


def working(item: ExamItem, number: int) -> Iterator[Block]:
    """The full working of question *number*, and which slip each wrong option is."""
    names = {first(result).name for result in item.results}
    sought = (step for step in item.solved.steps if getattr(step, "name", None) in names)
    detail = pages.Detail(everything=any(map(item.solved.commentary().is_aside, sought)))
    title = f"Version {item.version}, question {number} ({item.id})"
    yield from pages.derivation(item.solved, detail, title)
    if item.lettered:
        yield Paragraph((item.right,), "Right option")
        wrong = ((letter, option) for letter, option in item.lettered if not option.right)
        rows = ((f"{letter}) ", *option_pieces(x), f": {text(x.deed)}") for letter, x in wrong)
        yield Items(tuple(rows))


# The problem file


def problems(version: Version, seed: int) -> str:
    """A *version* as problems whose answers are expected; options stand in comments."""
    lines = []
    for item in version:
        keys: dict[str, Text] = {}
        if named := item.stated.shape.wanted:
            keys["quantity"] = [*named] if len(named) > 1 else named[0]
        keys["source"] = f"variant {item.version} of {item.base.name}, seed {seed}"
        lines += entry(item.id, item.solved.problem, item.texts, item.expected, **keys)
        if marking := ", ".join(_marking(item)):
            lines.append(f"    marking: {{{marking}}}")
        for letter, option in item.lettered:
            value = story.value_text(option.value, option.unit)
            says = "right" if option.right else text(option.deed)
            lines.append(f"    # {letter}: {value}, {says}")
    return "".join(f"{line}\n" for line in lines)


def _marking(item: ExamItem) -> Iterator[str]:
    """What is required of answers as the file of the base has it, and in which unit they are asked
    for where a number without one would say nothing."""
    for result in item.expected:
        allowed, unit = item.allowed(result), item.unit(result)
        names_unit = result in item.results and needs_unit(unit.dimension)
        said: dict[str, object] = {
            "digits": allowed.digits,
            "within": allowed.says.removeprefix("within ") if allowed.within else None,
            "unit": unit.name if allowed.unit or names_unit else None,
        }
        usual, credit = asdict(AS_USUAL), asdict(allowed.credit)
        differs = {key: value for key, value in credit.items() if value != usual[key]}
        said["points"] = differs.pop("points", None)
        if differs:
            parts = (f"{k}: {'by-steps' if v is None else v}" for k, v in differs.items())
            said["credit"] = f"{{{', '.join(parts)}}}"
        if stated := ", ".join(f"{key}: {value}" for key, value in said.items() if value):
            yield f"{first(result).name}: {{{stated}}}"
