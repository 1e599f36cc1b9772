"""Variants as an exam sheet, as its key, and as a problem file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Final, NamedTuple

from ddcalc.ask.mark.slip import AS_USUAL, Credit
from ddcalc.ask.mark.written import needs_unit
from ddcalc.ask.solve import Derivation, Results, Text, first, singles
from ddcalc.ask.variants.versions import ExamItem, Option, Version
from ddcalc.formula.expression import Expr
from ddcalc.numbers.amounts import STATED, count_text, in_unit
from ddcalc.numbers.display import ABOUT, SIGNIFICANT
from ddcalc.numbers.units import Measured
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import State
from ddcalc.render import pages, story
from ddcalc.render.blocks import (
    Blanks,
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

ROUNDED: Final = "The options are rounded."


def sheet(version: Version) -> Iterator[Block]:
    """The questions of a *version*, below lines for a name, the date and the points."""
    yield Heading(f"Version {version[0].version}")
    worth = [item.points for item in version if item.points is not None]
    points = f"Points (of {count_text(sum(worth))})" if len(worth) == len(version) else "Points"
    yield Blanks(("Name", "Date", points))
    for number, item in enumerate(version, 1):
        place = f"{number}. " if len(version) > 1 else ""
        yield from head(item, 2, place, _worth(item))
        yield from question(item)
        yield from (Paragraph(wanted(result, item), "Find") for result in item.results)
        if item.options:
            yield options(item)
        if is_rounded(item):
            yield Paragraph((ROUNDED,))


class AnswerRow(NamedTuple):
    """The *answer* to question *number* of a *version*, and the letter of the *right* option, if
    there are options."""

    version: int
    number: int
    answer: Pieces
    right: str


def answer_rows(version: Version) -> Iterator[AnswerRow]:
    """The answers of a *version*."""
    for number, item in enumerate(version, 1):
        yield AnswerRow(item.version, number, _answer(item), item.right)


def answers(rows: Sequence[AnswerRow]) -> list[Block]:
    """All answers in a table, at the head of the key."""
    several = any(row.number > 1 for row in rows)
    ticked = any(row.right for row in rows)
    header = ("version", *(["question"] * several), "answer", *(["option"] * ticked))
    cells: list[tuple[Pieces, ...]] = [
        (
            (str(row.version),),
            *[(str(row.number),)] * several,
            row.answer,
            *[(row.right,)] * ticked,
        )
        for row in rows
    ]
    return [Heading("Key"), TextTable(header, tuple(cells))]


def working(version: Version) -> Iterator[list[Block]]:
    """The full working of each variant."""
    for number, item in enumerate(version, 1):
        place, titled = f", question {number}" if len(version) > 1 else "", item.base.title
        title = f"Version {item.version}{place} ({item.id}){': ' * bool(titled)}{titled}"
        detail = pages.Detail(everything=_is_hidden(item))
        yield [*pages.derivation(item.solved, detail, title), *_slips(item)]


def _is_hidden(item: ExamItem) -> bool:
    """Whether a result that is asked for is worked out on demand only."""
    names = {first(result).name for result in item.results}
    steps = (step for step in item.solved.steps if getattr(step, "name", None) in names)
    return any(map(item.solved.commentary().is_aside, steps))


def problems(version: Version, seed: int) -> str:
    """A *version* as problems whose answers are expected; options stand in comments."""
    lines = []
    for item in version:
        source = f"variant {item.version} of {item.base.name}, seed {seed}"
        keys: dict[str, Text] = {"title": item.base.title} if item.base.title else {}
        if wanted := item.stated.shape.wanted:
            keys["quantity"] = [*wanted] if len(wanted) > 1 else wanted[0]
        solved = item.solved
        lines += entry(item.id, solved.problem, item.texts, item.expected, **keys, source=source)
        lines += _marking(item)
        lines += [f"    # {letter}: {words}" for letter, words in _choices(item)]
    return "".join(f"{line}\n" for line in lines)


def head(item: ExamItem, level: int, before: str = "", after: str = "") -> Iterator[Block]:
    """The title of the question, or else what it asks, as a heading between two texts."""
    asks, title = item.solved.working.problem.heading(), item.base.title
    yield Heading(f"{before}{title or asks}{after}", level)
    if title:
        yield Paragraph((asks,))


def question(item: ExamItem) -> Iterator[Block]:
    """What is given, and how it is to be read."""
    solved = item.solved
    yield Items(tuple(_given(step, solved) for step in story.givens(solved)))
    if says := [assumption.says for assumption in solved.assumptions]:
        yield Paragraph(("; ".join(says),), "Assume that")


def wanted(result: Results, item: ExamItem) -> Pieces:
    """Which *result* is asked for: its letter, what it is, and the unit."""
    quantity = item.solved.problem.quantities[first(result).name]
    unit = item.unit(result).name
    many = f", {len(result)} values in order" if isinstance(result, tuple) else ""
    return (*symbol(quantity.letter), f" ({quantity.called}){many}{f', in {unit}' * bool(unit)}")


def options(item: ExamItem) -> Items:
    """What may be ticked."""
    marks = tuple(f"{letter})" for letter, _ in item.lettered)
    return Items(tuple(map(option_pieces, item.options)), marks)


def _marking(item: ExamItem) -> Iterator[str]:
    """What is required of answers, as the file of the base has it, or what each is worth."""
    parts = []
    for result in item.expected:
        name, allowed, unit = first(result).name, item.allowed(result), item.unit(result)
        is_bare = result in item.results and needs_unit(unit.dimension)  # its unit is in the text
        said: dict[str, object] = {
            "digits": allowed.digits,
            "within": allowed.says.removeprefix("within ") if allowed.within else "",
            "unit": unit.name if allowed.unit or is_bare else "",
            **_credit(allowed.credit),
        }
        if item.base.points is not None and result in item.results:
            said["points"] = item.worth(result)
        stated = ", ".join(f"{key}: {value}" for key, value in said.items() if value)
        parts += [f"{name}: {{{stated}}}"] * bool(stated)
    if parts:
        yield f"    marking: {{{', '.join(parts)}}}"


def _credit(credit: Credit) -> dict[str, object]:
    """What *credit* says that is not usual."""
    usual = asdict(AS_USUAL)
    parts = {key: value for key, value in asdict(credit).items() if value != usual[key]}
    points = parts.pop("points", 0)
    shares = ", ".join(f"{k}: {'by-steps' if v is None else v}" for k, v in parts.items())
    return {"points": points, "credit": f"{{{shares}}}" if shares else ""}


def _worth(item: ExamItem) -> str:
    """What a right answer is worth, if that is said."""
    points = item.points
    if points is None:
        return ""
    return f" ({count_text(points)} {'point' if points == 1 else 'points'})"


def _given(step: State, solved: Derivation) -> Pieces:
    """A sentence for what is stated."""
    [letter] = symbol(step.symbol)
    title = f"{capital(step.title)}, "
    if step.written is None and not step.word:
        return (title, letter)
    return (title, letter, f": {_stated(step, solved)}")


def _stated(step: State, solved: Derivation) -> str:
    """What is stated, in full: a matrix row after row."""
    given, written = solved.problem.givens[step.name], step.written
    rows = solved.stated.measured.get(given.rows)
    if written is None or not isinstance(rows, Measured) or len(written) % rows.value:
        return story.whole_given_text(step)
    wide = len(written) // int(rows.value)
    parts = (written[at : at + wide] for at in range(0, len(written), wide))
    return "; ".join(story.whole_given_text(replace(step, written=part)) for part in parts)


def option_pieces(option: Option) -> Pieces:
    """The value of an *option*."""
    value = option.value
    return cell(value if isinstance(value, Expr) else option_words(option))


def option_words(option: Option) -> str:
    """The value of an *option* as text."""
    return story.value_text(option.value, option.unit)


def is_rounded(item: ExamItem) -> bool:
    """Whether the right option is not exactly the answer."""
    answer = item.solved.answer.value
    return any(option.right and option.value != answer for option in item.options)


def _answer(item: ExamItem) -> Pieces:
    """What is right; of several results each after its letter."""
    if len(item.results) == 1:
        sign, value = _right(item.results[0], item)
        return (ABOUT, *value) if sign == "≈" else value
    pieces: list[Pieces] = []
    for result in item.results:
        letter = item.solved.problem.quantities[first(result).name].letter
        sign, value = _right(result, item)
        pieces.append((*symbol(letter), f" {sign} ", *value))
    return tuple(chain.from_iterable(_between(pieces, "; ")))


def _right(results: Results, item: ExamItem) -> tuple[str, Pieces]:
    """The values of *results* in the unit in which they are asked for, and whether they are equal
    to that or about it; rounded as in problem files."""
    sign, unit = "=", item.unit(results)
    cells: list[Pieces] = []
    for result in singles(results):
        value = result.value
        if value is None or isinstance(value, Expr):
            cells.append(cell(story.NOTHING if value is None else value))
            continue
        shown = in_unit(value, unit, SIGNIFICANT, STATED)
        sign = sign if shown.exact else "≈"
        cells.append(cell(str(shown)))
    return sign, tuple(chain.from_iterable(_between(cells, ", ")))


def _between(parts: Sequence[Pieces], joint: str) -> Iterator[Pieces]:
    """The *parts* with a *joint* between two."""
    for place, part in enumerate(parts):
        yield (joint, *part) if place else part


def _slips(item: ExamItem) -> Iterator[Block]:
    """Which slip each wrong option is."""
    if not item.options:
        return
    yield Paragraph((item.right,), "Right option")
    rows: list[Pieces] = []
    for letter, option in item.lettered:
        if not option.right:
            rows.append((f"{letter}) ", *option_pieces(option), f": {text(option.deed)}"))
    yield Items(tuple(rows))


def _choices(item: ExamItem) -> Iterator[tuple[str, str]]:
    """The options in words, with what each one is."""
    for letter, option in item.lettered:
        yield letter, f"{option_words(option)}, {'right' if option.right else text(option.deed)}"
