"""The options of a problem type: its givens and choices, and what is written in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import Parameter
from typing import Any, Final

from ddcalc.cli.options import option
from ddcalc.errors import BadValue, DdcalcError, Repeated
from ddcalc.numbers.number import in_rows, split
from ddcalc.numbers.units import DATA, MONEY, ONE, TIME
from ddcalc.problem.known.presets import SLOTS
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given

_METAVARS = {ONE: "NUMBER", TIME: "TIME", DATA: "DATA", MONEY: "MONEY"}
_METAVARS |= {DATA / TIME: "RATE", MONEY / TIME: "PRICE"}

ROOM = 76  # columns of an option's line in the help

_BRACKETED: Final = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)
_SIZED: Final = re.compile(r"\d ?[^\W\de_]")  # in arithmetic, 500ms*99; 1e3 has no unit
_IN_ROWS: Final = re.compile(r"^\s*\[|\]\s*,\s*\[|\]\s*$")  # where rows begin, change and end


def parameters(problem: type[Problem]) -> list[Parameter]:
    """An option for every given and choice of *problem*, and for presets, hidden where it has
    nothing that they could fill; all of them are read as texts."""
    options = [_of_given(given, problem) for given in problem.givens.values()]
    inner = problem.sheet.inner
    options += (_of_choice(one, name in inner) for name, one in problem.choices.items())
    for slot in SLOTS:
        if slot not in {*problem.givens, *problem.choices}:
            fills = ", ".join(problem.givens[name].flag for name in problem.slots.get(slot, ()))
            says, flag = f"Preset of {fills} (ddcalc presets).", slot.replace("_", "-")
            options.append(_stated(slot, flag, "NAME", says, hidden=not fills))
    return options


def _of_choice(choice: Choice, hidden: bool) -> Parameter:
    names = [name.replace("_", "-") for name in choice.options]
    metavar, title = "|".join(names), choice.title
    if len(f"--{choice.flag} {metavar}") > ROOM:
        metavar, title = "OPTION", f"{title}: {', '.join(names)}"
    says = f"{title} (default: {names[0]})"
    return _stated(
        choice.name, choice.flag, metavar, says, autocompletion=lambda: names, hidden=hidden
    )


def _of_given(given: Given, problem: type[Problem]) -> Parameter:
    metavar = "COUNT" if given.whole else _METAVARS.get(given.unit.dimension, "VALUE")
    if given.many != "one":
        metavar += " …; …" if given.rows else ",…"
    metavar = "|".join((metavar, *given.words))
    says = f"{given.letter}: {given.title}"
    if given.name in problem.slots:
        says += ", or the name of a preset"
    if given.required or given.default:
        says += " (required)" if given.required else f" (default: {given.default})"
    return _stated(given.name, given.flag, metavar, says)


def _stated(name: str, flag: str, metavar: str, says: str, **more: Any) -> Parameter:
    # A list, so that an option given twice is noticed instead of the last one winning.
    return option(f"--{flag}", list[str] | None, says, name=name, metavar=metavar, **more)


def texts(
    problem: type[Problem], written: Mapping[str, Sequence[str] | None]
) -> tuple[dict[str, str | list[str]], list[DdcalcError]]:
    """The texts of givens and choices, and what is wrong with the options that state them."""
    from ddcalc.problem.stated_formulas import is_made

    stated: dict[str, str | list[str]] = {}
    errors: list[DdcalcError] = []
    for name, values in written.items():
        if not values:
            continue
        if len(values) > 1:
            errors.append(Repeated(f"--{name.replace('_', '-')}").about(name))
        given = problem.givens.get(name)
        try:
            if given is None or is_made(values[0], problem.quantities, given):
                stated[name] = values[0]
            else:
                stated[name] = listed(given, values[0])
        except DdcalcError as error:
            errors += [single.about(name) for single in error.singles()]
    return stated, errors


def listed(given: Given, text: str) -> str | list[str]:
    """*text* split at its commas where *given* is, or may be, a list; rows are split later.

    A list may stand in brackets, as in files: ``[1, 2]``, and rows as ``[[1, 2], [3, 4]]``.

    Where one value may stand as well, every member needs its unit, so that a decimal comma is not
    read as a list; and nowhere does a unit count for the members before it.
    """
    if given.many != "one" and (bracketed := _BRACKETED.fullmatch(text)):
        text = _IN_ROWS.sub(";", bracketed[1]).lstrip(";")
    if given.rows and in_rows(text):
        return [text]
    if given.many == "one" or "," not in text:
        return text if given.many != "list" else [text]
    members = [member.strip() for member in text.split(",")]
    if given.unit.name and (given.many == "either" or any(split(one)[1] for one in members)):
        for member in members:
            if not member:
                raise BadValue(text, "has nothing between two commas")
            if not (split(member)[1] or _SIZED.search(member)):
                reason = f"is a list in which {member} has no unit; write a unit behind each"
                raise BadValue(text, reason)
    return members
