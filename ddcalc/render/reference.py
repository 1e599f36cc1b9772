"""The manual page of a problem type, made from its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from ddcalc.formula.algebra import Boundary, Eq, Least
from ddcalc.formula.expression import Expr, Rel, Sym
from ddcalc.numbers.display import number_text
from ddcalc.problem.plan import EquationPlan, Line, plan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Choice, Given, Quantity
from ddcalc.problem.stated import example_texts, read
from ddcalc.problem.terms import slug
from ddcalc.render import markdown
from ddcalc.render.blocks import Block, Code, Grid, Heading, Paragraph, Pieces, cell
from ddcalc.render.formula import letter
from ddcalc.render.problem_file import problem_file
from ddcalc.render.sides import Formula, Side

COLUMNS = 74  # of a command line

_SLOT = re.compile(r"\{(\w+)(?: (\w+))?\}")


def page(problem: type[Problem]) -> str:
    """The manual page of *problem* in Markdown."""
    return markdown.page(manual(problem))


def manual(problem: type[Problem]) -> Iterator[Block]:
    """The question, what is given, how it is read, what follows, an example, and the terms."""
    texts = example_texts(problem)
    yield Heading(problem.question())
    for paragraph in filter(None, problem.manual().split("\n\n")):
        yield Paragraph((paragraph,))
    yield from _givens(problem)
    if problem.choices:
        yield Heading("Readings", 2)
        for choice in problem.choices.values():
            yield from _choice(choice)
    yield from _derived(problem)
    yield Heading("Example", 2)
    yield Code(command_line(problem))
    yield Paragraph(("The same question in a file:",))
    yield Code(problem_file(problem, texts))
    if problem.source:
        yield Paragraph((problem.source,), "Source")
    if problem.terms:
        yield Paragraph((), "Terms")
        yield Code("\n".join(f"ddcalc explain {slug(term)}" for term in problem.terms))


def command_line(problem: type[Problem]) -> str:
    """The example of *problem* as a command, broken for a terminal."""
    options = []
    for name, text in example_texts(problem).items():
        value = text if isinstance(text, str) else ",".join(text)
        options.append(f"--{problem.givens[name].flag} {value.replace(' ', '')}")
    return broken(f"ddcalc {problem.slug}", options)


def broken(command: str, options: Iterable[str]) -> str:
    """*command* with *options*, on as many lines as a terminal needs."""
    lines = [command]
    for option in options:
        if len(lines[-1]) + len(option) > COLUMNS:
            lines.append(f"  {option}")
        else:
            lines[-1] += f" {option}"
    return " \\\n".join(lines)


def _givens(problem: type[Problem]) -> Iterator[Block]:
    yield Heading("Given", 2)
    header = ("name", "option", "", "unit", "needed", "limits", "meaning")
    yield Grid(header, tuple(map(_given, problem.givens.values())))
    reading = tuple((name, choice.default) for name, choice in problem.choices.items())
    for group in problem(Shape(reading)).needs():
        yield Paragraph((f"At least one of these must be stated: {', '.join(group)}.",))


def _given(given: Given) -> tuple[Pieces, ...]:
    return (
        (given.name,),
        (f"--{given.flag}",),
        cell(Sym(given.letter)),
        (given.unit.name,),
        (_needed(given),),
        (_limits(given),),
        (given.title,),
    )


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
    told = ["whole"] if given.whole else []
    told += [f"{words} {number_text(limit)[0]}" for words, limit in bounds if limit is not None]
    if given.many != "one":
        each = f", one for each {given.of}" if given.of else ""
        told.append(("a list" if given.many == "list" else "one value or a list") + each)
    if given.rows:
        told.append(f"or rows, which state {given.rows}")
    told += [f"or the word {word}" for word in given.words]
    if given.unit.name and not given.bare:
        told.append("the unit must be written")
    return ", ".join(told)


def _choice(choice: Choice) -> Iterator[Block]:
    yield Paragraph((choice.title,), f"--{choice.flag}")
    rows = [
        ((option.replace("_", "-"),), (says + (" (usual)" if option == choice.default else ""),))
        for option, says in choice.options.items()
    ]
    yield Grid(("option", "the question is read so"), tuple(rows))


def _derived(problem: type[Problem]) -> Iterator[Block]:
    yield Heading("What follows", 2)
    if not problem.symbolic:
        found = [q for name, q in problem.quantities.items() if name not in problem.givens]
        yield Grid(("name", "", "unit", "meaning"), tuple(map(_result, found)))
        return
    made = plan(problem, read(problem, example_texts(problem)).shape)
    groups = [list(lines) for _, lines in groupby(made.lines, lambda line: line.quantity.name)]
    rows = tuple(_equation(lines, made) for lines in groups)
    yield Grid(("name", "equation", "unit", "meaning", "why"), rows)
    usual = {line.quantity.name for line in made.lines}
    others = [q for name, q in problem.quantities.items() if name not in usual | {*problem.givens}]
    if others:
        yield Paragraph(("Where the question states more, or is read otherwise:",))
        yield Grid(("name", "", "unit", "meaning"), tuple(map(_result, others)))


def _result(quantity: Quantity) -> tuple[Pieces, ...]:
    return (
        (quantity.name,),
        cell(Sym(quantity.letter)),
        (quantity.unit.name,),
        (quantity.title,),
    )


def _equation(lines: list[Line], made: EquationPlan) -> tuple[Pieces, ...]:
    line = lines[0]
    why = _told(line.why, made.problem)
    if len(lines) > 1:
        why += f"; {len(lines)} of them in the example, one for each"
    return (
        (line.quantity.name,),
        _rule(line),
        (line.quantity.unit.name,),
        (line.quantity.title,),
        (why,),
    )


def _rule(line: Line) -> Pieces:
    """The rule as its author wrote it."""
    symbol = Side("", Formula(Sym(line.symbol)))
    match line.rule:
        case Eq(left, right):
            return ((symbol,), " such that ", (Side("", Formula(Rel("==", left, right))),))
        case Boundary(unknown, relation):
            bound: tuple[Expr, ...] = (unknown, relation)
            value, test = ((Side("", Formula(each)),) for each in bound)
            return ((symbol,), ": the value of ", value, " from which ", test)
        case Least(relation):
            return "the least ", (symbol,), " with ", (Side("", Formula(relation)),)
        case rule:
            return ((symbol, Side("=", Formula(rule))),)


def _told(why: str, problem: Problem) -> str:
    """*why* with letters where a solved question has numbers."""

    def named(match: re.Match[str]) -> str:
        name, noun = match.groups()
        symbol = getattr(problem, name)
        shown = letter(symbol.name) if isinstance(symbol, Sym) else name
        return f"{shown} {noun}s" if noun else shown

    return _SLOT.sub(named, why)
