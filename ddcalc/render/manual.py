"""The manual page of a problem type, made from its declaration."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ddcalc.errors import quote
from ddcalc.formula.algebra import Boundary, Least
from ddcalc.formula.expression import Sym, letter
from ddcalc.numbers.amounts import count_text
from ddcalc.problem.known.catalog import GROUPS
from ddcalc.problem.plan import plan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Choice, Given, Quantity
from ddcalc.problem.said.arguments import Line
from ddcalc.problem.stated import example_texts, read
from ddcalc.render import blocks
from ddcalc.render.blocks import Block, Heading, Paragraph
from ddcalc.render.pages import command_lines
from ddcalc.render.papers.problem_file import problem_file
from ddcalc.render.sides import ShownFormula, Side, alone, cell
from ddcalc.render.story import premise as premise_text

if TYPE_CHECKING:
    from ddcalc.problem.known.index import Match

_SLOT = re.compile(r"\{(\w+)(?: (\w+))?\}")


def manual(problem: type[Problem]) -> Iterator[Block]:
    """The question, what is given, how it is read, what follows, an example, and the terms."""
    texts = example_texts(problem)
    yield Heading(problem.question())
    for paragraph in filter(None, problem.manual().split("\n\n")):
        yield Paragraph((paragraph,))
    yield from _givens(problem)
    if choices := [x for n, x in problem.choices.items() if n not in problem.sheet.inner]:
        yield Heading("Readings", 2)
        for choice in choices:
            yield from _choice(choice)
    yield from _derived(problem)
    if premises := problem(read(problem, texts).shape).sentences("premises"):
        yield Heading("What is taken for granted", 2)
        yield blocks.Items(tuple((premise_text(premise, problem),) for premise in premises))
    yield Heading("Example", 2)
    yield blocks.Code(command_line(problem))
    yield Paragraph(("The same question in a file:",))
    yield blocks.Code(problem_file(problem, texts))
    if problem.source:
        yield Paragraph((problem.source,), "Source")
    if problem.terms:
        yield Paragraph((), "Terms")
        slugs = (term.replace(" ", "-") for term in problem.terms)
        yield blocks.Code("\n".join(f"ddcalc explain {slug}" for slug in slugs))


def command_line(problem: type[Problem]) -> str:
    """The example of *problem* as a command, broken for a terminal."""
    options = []
    for name, text in example_texts(problem).items():
        value = text if isinstance(text, str) else ",".join(text)
        options.append(f"--{problem.givens[name].flag} {value.replace(' ', '')}")
    return command_lines(f"ddcalc {problem.slug}", options)


def _givens(problem: type[Problem]) -> Iterator[Block]:
    yield Heading("Given", 2)
    groups = [*_required(problem)]
    yield _table(problem.givens.values(), {name for name, *others in groups if not others})
    if several := "; ".join(" or ".join(names) for names in groups if len(names) > 1):
        yield Paragraph((f"Also required, as the question is usually read: {several}.",))
    for slot, fills in problem.slots.items():
        says = f"the name of a preset states {', '.join(fills)} (ddcalc presets)"
        yield Paragraph((says,), f"--{slot.replace('_', '-')}")


def _required(problem: type[Problem]) -> Iterator[list[str]]:
    """The optional givens of which one must be stated, those that spare the others too."""
    usual = Shape(tuple((name, choice.default) for name, choice in problem.choices.items()))
    optional = [name for name, given in problem.givens.items() if given.optional]
    left = {name: problem.unmet(usual._replace(stated=(name,))) for name in optional}
    for group in map(set, problem.unmet(usual)):
        yield [name for name in optional if not any(map(group.issuperset, left[name]))]


def _table(quantities: Iterable[Quantity], required: Collection[str] = ()) -> blocks.TextTable:
    """Names and letters with what they stand for."""
    rows = tuple(((q.name,), cell(Sym(q.letter)), (_meaning(q, required),)) for q in quantities)
    return blocks.TextTable(("name", "", "meaning"), rows)


def _meaning(quantity: Quantity, required: Collection[str]) -> str:
    """What it is, in which unit, within which limits, and whether it must be stated."""
    unit = quantity.unit.name
    meaning = f"{quantity.title}, in {unit}" if unit else quantity.title
    if not isinstance(quantity, Given):
        return meaning
    said = "required" if quantity.name in required else _needed(quantity)
    return f"{'; '.join(filter(None, (meaning, _limits(quantity))))} ({said})"


def _needed(given: Given) -> str:
    """What happens where it is not stated."""
    if given.default is not None:
        return f"usually {given.default}"
    if given.free:
        return "else a symbol"
    return "may be left out" if given.optional else "required"


def _limits(given: Given) -> str:
    """What values are allowed, in words."""
    least = given.least if given.above is None else None
    bounds = (("at least", least), ("more than", given.above), ("at most", given.most))
    limits = ["whole"] if given.whole else []
    limits += [f"{words} {count_text(limit)}" for words, limit in bounds if limit is not None]
    if given.many != "one":
        members = f", one for each {given.of}" if given.of else ""
        limits.append(("a list" if given.many == "list" else "one value or a list") + members)
    if given.rows:
        limits.append(f"or rows, which state {given.rows}")
    limits += [f"or the word {word}" for word in given.words]
    if given.unit.name and not given.bare:
        limits.append("the unit must be written")
    return ", ".join(limits)


def _choice(choice: Choice) -> Iterator[Block]:
    yield Paragraph((choice.title,), f"--{choice.flag}")
    rows = (
        (option.replace("_", "-"), says + (" (usual)" if option == choice.default else ""))
        for option, says in choice.options.items()
    )
    yield blocks.words_table(("option", "the question is read so"), rows)


def _derived(problem: type[Problem]) -> Iterator[Block]:
    yield Heading("What follows", 2)
    derived = [q for name, q in problem.quantities.items() if name not in problem.givens]
    if not problem.symbolic:
        yield _table(derived)
        return
    made = plan(problem, read(problem, example_texts(problem)).shape)
    groups = groupby(made.lines, lambda line: line.quantity.name)
    for number, (_, group) in enumerate(groups, 1):
        lines = list(group)
        quantity = lines[0].quantity
        unit = f" ({quantity.unit.name})" if quantity.unit.name else ""
        many = f"; {len(lines)} of them in the example, one for each" if len(lines) > 1 else ""
        reason = _with_letters(lines[0].why, made.problem) + many
        why = " · ".join(filter(None, (f"{quantity.title}{unit}", reason)))
        yield blocks.Stage((_rule(lines[0]),), quantity.name, why, number)
    usual = {line.quantity.name for line in made.lines}
    if others := [quantity for quantity in derived if quantity.name not in usual]:
        yield Paragraph(("Where the question states more, or is read otherwise:",))
        yield _table(others)


def _rule(line: Line) -> Block:
    """The rule as its author wrote it."""
    symbol = Side("", ShownFormula(Sym(line.symbol)))
    match line.rule:
        case Boundary(Sym() as unknown, relation):
            value, test = alone(unknown), alone(relation)
            return Paragraph(((symbol,), ": the value of ", value, " from which ", test))
        case Boundary(_, relation):
            return Paragraph(((symbol,), " such that ", alone(relation)))
        case Least(relation):
            return Paragraph(("the least ", (symbol,), " with ", alone(relation)))
        case rule:
            return blocks.Display(((symbol, Side("=", ShownFormula(rule))),))


def _with_letters(why: str, problem: Problem) -> str:
    """*why* with letters where a solved question has numbers."""

    def named(match: re.Match[str]) -> str:
        name, noun = match.groups()
        symbol = problem.symbols.get(name)
        shown = letter(symbol.name) if isinstance(symbol, Sym) else name
        return f"{shown} {noun}s" if noun else shown

    return _SLOT.sub(named, why)


# The types that a phrase may be about

REASONS: Final = 2  # that are shown of a type
NAMED: Final = ("question", "name", "subject")  # of which the passage is not quoted
CUT: Final = 70  # characters of a reason's passage


def suggestions(phrase: str, ranked: Sequence[Match]) -> Iterator[Block]:
    """The types *ranked* for a *phrase*, why, and the command to start from with each."""
    if not any(match.reasons for match in ranked):
        nearest = " These have names like it." if ranked else ""
        yield Paragraph((f"No problem type is about {quote(phrase)}.{nearest}",))
    for match in ranked:
        yield Heading(f"{match.entry.slug}: {match.entry.summary()}", 2)
        whys = []  # the words that matched, and what they matched, where most of them do
        for passage, words in [*match.reasons.items()][:REASONS]:
            text = textwrap.shorten(passage.text, CUT, placeholder=" …")
            where = f"in its {passage.where}" if passage.where in NAMED else f"“{text}”"
            whys.append((f"{', '.join(words)}: {where}",))
        if whys:
            yield blocks.Items(tuple(whys))
        yield blocks.Code(command_line(match.entry.load()))
    yield Paragraph((f"Subjects for 'ddcalc list': {', '.join(GROUPS.values())}.",))
