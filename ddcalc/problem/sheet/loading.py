"""The problem type of a sheet in a file; of a foreign one, where every name in its formulas stands
for something, and not for too much."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from ddcalc.errors import BadFile
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.problem.quantity import Given
from ddcalc.problem.sheet.declared import SHAPED, SheetProblem, declared
from ddcalc.problem.sheet.formulas import CONSTANTS, LISTS, Formula, unknown
from ddcalc.problem.sheet.reading import Sheet, from_outside, read

LARGE: Final = 20_000  # names in a formula with all that these stand for


@cache
def problem_of(path: Path) -> type[SheetProblem]:
    """The problem type of a sheet of ours at *path*; a test holds that no name in it is wrong."""
    return type_of(read(path), path)


def type_of(sheet: Sheet, path: Path) -> type[SheetProblem]:
    """The problem type of the *sheet* at *path*, with the model that it names, if it does."""
    if "model" not in sheet.heads:
        return declared(sheet)
    from ddcalc.problem.sheet.modelled import modelled

    return modelled(sheet, path)


def foreign(path: Path) -> type[SheetProblem]:
    """The problem type of anybody's sheet at *path*; raises all that is wrong with it."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        state = None
    return _foreign(path.absolute(), path, state and (state.st_mtime_ns, state.st_size))


@cache
def _foreign(_: Path, path: Path, _state: tuple[int, int] | None) -> type[SheetProblem]:
    """That type, read once for each state of the file."""
    sheet = read(path, from_outside)
    sheet.wrong += unknown_names(sheet)
    made = declared(sheet)
    made.reference = str(path)
    return made


def unknown_names(sheet: Sheet) -> Iterator[BadFile]:
    """Every name in a formula of the *sheet* that stands for nothing, and all else wrong there."""
    for text, is_choice in sheet.names:
        known = {*sheet.broken, *sheet.quantities, *(sheet.choices if is_choice else ())}
        if text.words not in known:
            yield text.wrong(unknown(text.words, known - sheet.broken))
    formulas, sizes = list(sheet.formulas), dict[Formula, int]()
    for phrase in sheet.phrases:
        try:
            formulas += phrase.formulas
        except BadFile as error:
            yield error
    for formula in formulas:
        try:
            if _size(sheet, formula, (), sizes) > LARGE:
                yield formula.wrong(f"has more than {LARGE} parts when all names are put in")
            yield from _unknown(sheet, formula)
        except BadFile as error:
            yield error


def _size(
    sheet: Sheet, formula: Formula, inside: tuple[str, ...], sizes: dict[Formula, int]
) -> int:
    """The parts of *formula* with those of all names that it uses put in; BadFile for a circle."""
    if formula not in sizes:
        size = 0
        for name, asked, at in formula.names():
            let = None if asked or name in formula.parameters else sheet.lets.get(name)
            if name in inside:
                raise formula.wrong(f"{name} is made from itself", at)
            size += 1 + (_size(sheet, let, (*inside, name), sizes) if let else 0)
        sizes[formula] = size
    return sizes[formula]


def _unknown(sheet: Sheet, formula: Formula) -> Iterator[BadFile]:
    """Names in *formula* that stand for nothing, and choices that are asked whether they are what
    they cannot be."""
    own = {*sheet.broken, *formula.parameters}
    declared = {*sheet.quantities, *sheet.choices}
    known = {*own, *declared, *sheet.lets, *CONSTANTS, *FUNCTIONS, *LISTS, "after"}
    for name, word, at in formula.names():
        given, choice = sheet.quantities.get(name), sheet.choices.get(name)
        options = {*choice.options} if choice else set()
        options |= {*SHAPED, *getattr(given, "words", ())} if given else set()
        if not word and name not in known:
            yield formula.wrong(unknown(name, known), at)
        elif word == "stated" and isinstance(given, Given) and not given.optional:
            yield formula.wrong(f"{name} is always stated, as it is not optional", at)
        elif word and name not in own and name not in declared:
            yield formula.wrong(unknown(name, declared), at)
        elif word and name not in own and word not in options:
            near = unknown(word, options).partition("; ")[2]
            one_of = near or f"it is one of {', '.join(sorted(options))}"
            yield formula.wrong(f"{name} is never {word}; {one_of}", at)
