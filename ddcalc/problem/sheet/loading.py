"""The problem type of a sheet in a file, with those that it uses: what it does not say of their
givens is given for it, too. In a foreign one every name stands for something, not for too much."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from ddcalc.errors import BadFile, DdcalcError
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.problem import Problem, declared_as
from ddcalc.problem.quantity import Derived, Given
from ddcalc.problem.sheet.formulas import CONSTANTS, Formula, unknown
from ddcalc.problem.sheet.functions import LISTS
from ddcalc.problem.sheet.meaning import SHAPED
from ddcalc.problem.sheet.reading import Sheet, Statement, Use, from_outside, of_ours, read
from ddcalc.problem.together import Member, Whole, add

LARGE: Final = 20_000  # names in a formula with all that these stand for
_OPEN: Final[list[Path]] = []  # the sheets whose used ones are being read
_NAME: Final = re.compile(r"[a-z]\w*(?:\.[a-z]\w*)?")


@cache
def problem_of(path: Path, reading: tuple[str, str, str] | None = None) -> type[Problem]:
    """The problem type of a sheet of ours at *path*; a test holds that no name in it is wrong.

    In a *reading* (name, choice, option) it has that name, and that option is the usual one.
    """
    sheet = sheet_at(path)
    if reading is not None:
        sheet.slug, name, option = reading
        choice = sheet.choices[name]
        choice.options = {option: choice.options[option], **choice.options}
    return type_of(sheet, path)


def sheet_at(path: Path, text_of: Callable[[Path], str] = of_ours) -> Sheet:
    """The sheet in the file at *path*, with what it has from those that it uses."""
    sheet = read(path, text_of)
    sheet.members = _used(sheet, path) if sheet.uses else ()
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


# Sheets that are used


def _used(sheet: Sheet, path: Path) -> tuple[Member, ...]:
    """The sheets that *sheet*, at *path*, uses; what these have is added to its names, and what is
    wrong to what is wrong with it."""
    members: list[Member] = []
    here = path.absolute()
    for use in sheet.uses:
        is_round = here in _OPEN
        _OPEN.append(here)
        try:
            if is_round:
                raise use.text.wrong("goes round in a circle: sheets use each other")
            members.append(_member(sheet, use, path))
        except DdcalcError as error:
            wrong = (one if one.place else use.text.wrong(str(one)) for one in error.singles())
            sheet.wrong += wrong
            sheet.broken.add(use.alias)
        finally:
            _OPEN.pop()
    add(members, sheet.quantities, sheet.choices)
    for use, member in zip(sheet.uses, members, strict=False):
        for name in (*sheet.quantities, *sheet.choices):
            sheet.places.setdefault(name, use.text)
        sheet.wrong += _unlike(sheet, use, member)
    return tuple(members)


def _member(sheet: Sheet, use: Use, path: Path) -> Member:
    """The sheet that *use* names, with what its quantities and choices are called here."""
    from ddcalc.problem.sheet.modelled import ModelledProblem  # more than a page of help needs

    kind = problem_named(use.slug, str(path))
    if issubclass(kind, ModelledProblem):
        raise use.text.wrong("is played, so that it has no equations to use")
    called, fixed = {name: name for name in (*kind.givens, *kind.choices)}, dict[str, str]()
    for local, words in use.bound.items():
        if local in kind.choices:
            try:
                fixed[local] = kind.choices[local].read(words.words)
            except DdcalcError as error:
                raise words.wrong(str(error)) from None
        elif local in kind.quantities.keys() - kind.givens.keys() and words.words.isidentifier():
            called[local] = words.words  # a result
        elif local not in kind.givens:
            raise words.wrong(unknown(local, {*kind.quantities, *kind.choices}))
        elif words.words.isidentifier() and words.words not in sheet.quantities:
            raise words.wrong(unknown(words.words, sheet.quantities))
        elif _NAME.fullmatch(words.words):
            called[local] = words.words
        else:
            called[local] = name = f"{use.alias}.{local}"
            given, formula = kind.givens[local], Formula(words)
            sheet.formulas.append(formula)
            sheet.quantities[name] = Derived(name, given.letter, given.title, given.unit, "")
            sheet.steps = {name: [Statement(words, "formula", {"formula": formula})], **sheet.steps}
    return Member(use.alias, kind, called, kind.answer, fixed)


def _unlike(sheet: Sheet, use: Use, member: Member) -> Iterator[BadFile]:
    """What stands for a given of another sheet, and measures something else."""
    for local, given in member.kind.givens.items():
        name = member.name_of(local)
        place = use.bound.get(local, use.text)
        if sheet.quantities[name].unit.dimension != given.unit.dimension:
            measures = sheet.quantities[name].unit.dimension
            yield place.wrong(f"{name} is {measures}, not {given.unit.dimension}, as {local} is")


# Every name stands for something


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


def _size(sheet: Sheet, rule: Formula, inside: tuple[str, ...], sizes: dict[Formula, int]) -> int:
    """The parts of *rule* with those of all names that it uses put in; BadFile for a circle."""
    if rule not in sizes:
        size = 0
        for name, word, at in rule.names():
            if name in inside:
                raise rule.wrong(f"{name} is made from itself", at)
            let = None if word or name in rule.parameters else sheet.lets.get(name)
            size += 1 + (_size(sheet, let, (*inside, name), sizes) if let else 0)
        sizes[rule] = size
    return sizes[rule]


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
