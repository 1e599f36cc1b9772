"""What names in the formulas of a sheet stand for nothing, or for too much."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from ddcalc.errors import BadFile
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.problem.quantity import Given
from ddcalc.problem.sheet.formulas import CONSTANTS, SHAPED, SPECIAL, Formula, unknown
from ddcalc.problem.sheet.reading import Sheet

LARGE: Final = 20_000  # names in a formula with all that these stand for


def unknown_names(sheet: Sheet) -> Iterator[BadFile]:
    """Every name in a formula of the *sheet* that stands for nothing, and all else wrong there."""
    own = {*sheet.broken, *sheet.quantities, *sheet.lets, *sheet.choices}
    known = {*own, *CONSTANTS, *FUNCTIONS, *SPECIAL, "after"}
    formulas = list(sheet.formulas)
    for phrase in sheet.phrases:
        try:
            formulas += phrase.formulas()
        except BadFile as error:
            yield error
    sizes: dict[Formula, int] = {}
    for formula in formulas:
        try:
            if _size(sheet, formula, (), sizes) > LARGE:
                yield formula.wrong(f"has more than {LARGE} parts when all names are put in")
            for name, at in formula.names():
                if name not in known and name not in formula.parameters:
                    yield formula.wrong(unknown(name, {*known, *formula.parameters}), at)
            for name, option, at in formula.questions():
                yield from _unanswerable(sheet, formula, name, option, at)
        except BadFile as error:
            yield error


def _size(
    sheet: Sheet, formula: Formula, inside: tuple[str, ...], sizes: dict[Formula, int]
) -> int:
    """The parts of *formula* with those of all names that it uses put in; BadFile for a circle."""
    if formula not in sizes:
        size = 0
        for name, at in formula.names():
            if name in inside:
                raise formula.wrong(f"{name} is made from itself", at)
            let = None if name in formula.parameters else sheet.lets.get(name)
            size += 1 + (_size(sheet, let, (*inside, name), sizes) if let else 0)
        sizes[formula] = size
    return sizes[formula]


def _unanswerable(
    sheet: Sheet, formula: Formula, name: str, option: str, at: ast.expr
) -> Iterator[BadFile]:
    """What is wrong with asking whether the choice, or quantity, called *name* is that *option*."""
    given, choice = sheet.quantities.get(name), sheet.choices.get(name)
    options = {*choice.options} if choice else set()
    options |= {*SHAPED, *getattr(given, "words", ())} if given else set()
    if option == "stated" and isinstance(given, Given) and not given.optional:
        yield formula.wrong(f"{name} is always stated, as it is not optional", at)
    if name in {*sheet.broken, *formula.parameters} or option in options:
        return
    if not options:
        yield formula.wrong(unknown(name, {*sheet.choices, *sheet.quantities}), at)
    else:
        near = unknown(option, options).partition("; ")[2]
        known = near or f"it is one of {', '.join(sorted(options))}"
        yield formula.wrong(f"{name} is never {option}; {known}", at)
