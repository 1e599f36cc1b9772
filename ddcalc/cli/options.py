"""Command-line options made from declarations, and what was written in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter
from typing import Annotated, Any

import typer

from ddcalc.errors import BadNumber, BadValue, DdcalcError, Repeated
from ddcalc.numbers.matrix import in_rows
from ddcalc.numbers.number import split
from ddcalc.numbers.units import DATA, MONEY, ONE, TIME
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given

_METAVARS = {
    ONE: "NUMBER",
    TIME: "TIME",
    DATA: "DATA",
    MONEY: "MONEY",
    DATA / TIME: "RATE",
    MONEY / TIME: "PRICE",
}

TABLE = "data"  # the option of a file that states lists
ROOM = 76  # columns of an option's line in the help

Written = Mapping[str, Sequence[str] | None]


def parameters(problem: type[Problem]) -> list[Parameter]:
    """An option for every given and choice of *problem*; all of them are read as texts."""
    givens = [_of_given(given) for given in problem.givens.values()]
    if problem.table:
        told = "table of numbers; the last column is the target"
        givens.insert(0, _option(TABLE, TABLE, "FILE", told, ""))
    return [*givens, *(_of_choice(choice) for choice in problem.choices.values())]


def _of_given(given: Given) -> Parameter:
    metavar = "COUNT" if given.whole else _METAVARS.get(given.unit.dimension, "VALUE")
    if given.many != "one":
        metavar += " …; …" if given.rows else ",…"
    for word in given.words:
        metavar += f"|{word}"
    note = "required" if given.required else f"default: {given.default}" if given.default else ""
    return _option(given.name, given.flag, metavar, f"{given.letter}: {given.title}", note)


def _of_choice(choice: Choice) -> Parameter:
    names = [name.replace("_", "-") for name in choice.options]
    metavar, title = "|".join(names), choice.title
    if len(f"--{choice.flag} {metavar}") > ROOM:
        metavar, title = "OPTION", f"{title}: {', '.join(names)}"
    return _option(choice.name, choice.flag, metavar, title, f"default: {names[0]}")


def _option(name: str, flag: str, metavar: str, title: str, note: str) -> Parameter:
    told = f"{title} ({note})" if note else title
    info = typer.Option(f"--{flag}", help=told, metavar=metavar, show_default=False)
    # A list, so that an option given twice is noticed instead of the last one winning.
    annotation: Any = Annotated[list[str] | None, info]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def texts(
    problem: type[Problem], written: Written
) -> tuple[dict[str, str | list[str]], list[DdcalcError]]:
    """The texts of givens and choices, and what is wrong with the options that state them."""
    found: dict[str, str | list[str]] = {}
    errors: list[DdcalcError] = []
    for name, values in written.items():
        if not values:
            continue
        if len(values) > 1:
            errors.append(Repeated(f"--{name.replace('_', '-')}").about(name))
        given = problem.givens.get(name)
        try:
            if name == TABLE and problem.table:
                found.update(_of_table(problem, values[0], written))
                continue
            found[name] = values[0] if given is None else listed(given, values[0])
        except DdcalcError as error:
            errors += [single.about(name) for single in error.each()]
    return found, errors


def _of_table(problem: type[Problem], file: str, written: Written) -> dict[str, list[str]]:
    """The lists that *file* states, which no option states as well."""
    from ddcalc.sheet.numbers import lists

    for name in problem.table:
        if written.get(name):
            raise BadValue(file, f"states {name} already; leave the option away").about(name)
    return lists(problem, file)


def listed(given: Given, text: str) -> str | list[str]:
    """*text* split at its commas where *given* is, or may be, a list; rows are split later.

    Where one value may stand as well, every member needs its unit, so that a decimal comma is not
    read as a list; and nowhere does a unit count for the members before it.
    """
    if given.rows and in_rows(text):
        return [text]
    if given.many == "one" or "," not in text:
        return text if given.many != "list" else [text]
    members = [member.strip() for member in text.split(",")]
    if given.unit.name and (given.many == "either" or _some_units(members)):
        for member in members:
            if not member:
                raise BadValue(text, "has nothing between two commas")
            if not _has_unit(member):
                raise BadValue(
                    text, f"is a list in which {member} has no unit; write a unit behind each"
                )
    return members


def _some_units(members: Iterable[str]) -> bool:
    return any(map(_has_unit, members))


def _has_unit(member: str) -> bool:
    try:
        return bool(split(member)[1])
    except BadNumber:
        return False
