"""The problem type of a sheet in a file; of a foreign one, where every name in its formulas stands
for something, and not for too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from ddcalc.errors import BadFile
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.problem.problem import Problem, declared_as
from ddcalc.problem.quantity import Given
from ddcalc.problem.sheet.formulas import CONSTANTS, Formula, unknown
from ddcalc.problem.sheet.functions import LISTS
from ddcalc.problem.sheet.meaning import SHAPED
from ddcalc.problem.sheet.reading import Sheet, from_outside, of_ours, read
from ddcalc.problem.together import Whole

LARGE: Final = 20_000  # names in a formula with all that these stand for


@cache
def problem_of(path: Path) -> type[Problem]:
    """The problem type of a sheet of ours at *path*; a test holds that no name in it is wrong."""
    return type_of(sheet_at(path), path)


def sheet_at(path: Path, text_of: Callable[[Path], str] = of_ours) -> Sheet:
    """The sheet in the file at *path*, with what it has from those that it uses."""
    sheet = read(path, text_of)
    if sheet.uses:
        from ddcalc.problem.sheet.using import used  # which needs what a page of help does not

        sheet.members = used(sheet, path)
    return sheet


def type_of(sheet: Sheet, path: Path) -> type[Problem]:
    """The problem type of the *sheet* at *path*, with the sheets that it uses, or the model that it
    names, if it does."""
    if sheet.members:
        return declared_as(sheet, Whole, members=sheet.members)
    if "model" not in sheet.heads:
        return declared_as(sheet, Problem)
    from ddcalc.problem.sheet.modelled import modelled

    return modelled(sheet, path)


def foreign(path: Path) -> type[Problem]:
    """The problem type of anybody's sheet at *path*; raises all that is wrong with it."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        state = None
    return _foreign(path.absolute(), path, state and (state.st_mtime_ns, state.st_size))


@cache
def _foreign(_: Path, path: Path, _state: tuple[int, int] | None) -> type[Problem]:
    """That type, read once for each state of the file."""
    sheet = sheet_at(path, from_outside)
    sheet.wrong += unknown_names(sheet)
    return type_of(sheet, path)


def unknown_names(sheet: Sheet) -> Iterator[BadFile]:
    """Every name in a formula of the *sheet* that stands for nothing, and all else wrong there."""
    for text, is_choice in sheet.names:
        known = {*sheet.quantities, *(sheet.choices if is_choice else ())}
        if text.words not in known | sheet.broken:
            yield text.wrong(unknown(text.words, known))
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
            for name, word, at in formula.names():
                if name.partition(".")[0] not in {*sheet.broken, *formula.parameters}:
                    reason = _unanswerable(sheet, name, word) if word else _unknown(sheet, name)
                    yield from [formula.wrong(reason, at)] if reason else ()
        except BadFile as error:
            yield error


def _size(
    sheet: Sheet, formula: Formula, inside: tuple[str, ...], sizes: dict[Formula, int]
) -> int:
    """The parts of *formula* with those of all names that it uses put in; BadFile for a circle."""
    if formula not in sizes:
        size = 0
        for name, word, at in formula.names():
            if name in inside:
                raise formula.wrong(f"{name} is made from itself", at)
            let = None if word or name in formula.parameters else sheet.lets.get(name)
            size += 1 + (_size(sheet, let, (*inside, name), sizes) if let else 0)
        sizes[formula] = size
    return sizes[formula]


def _unknown(sheet: Sheet, name: str) -> str:
    known = {*sheet.quantities, *sheet.choices, *sheet.lets, *CONSTANTS, *FUNCTIONS, *LISTS}
    return "" if name in {*known, "after"} else unknown(name, known)


def _unanswerable(sheet: Sheet, name: str, word: str) -> str:
    """Why it cannot be asked whether what is called *name* is *word*; empty where it can."""
    given, choice = sheet.quantities.get(name), sheet.choices.get(name)
    if word == "stated" and isinstance(given, Given) and not given.optional:
        return f"{name} is always stated, as it is not optional"
    options = {*choice.options} if choice else set()
    options |= {*SHAPED, *getattr(given, "words", ())} if given else set()
    if not options:
        return unknown(name, {*sheet.choices, *sheet.quantities})
    near = unknown(word, options).partition("; ")[2]
    near = near or f"it is one of {', '.join(sorted(options))}"
    return "" if word in options else f"{name} is never {word}; {near}"
