"""A sheet that uses others: what it does not say of their givens is given for it, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ddcalc.errors import BadFile, DdcalcError
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.quantity import Derived, Given
from ddcalc.problem.sheet.formulas import Formula, unknown
from ddcalc.problem.sheet.modelled import ModelledProblem
from ddcalc.problem.sheet.reading import Sheet, Statement, Use
from ddcalc.problem.sheet.text import Text
from ddcalc.problem.together import Member, add

_OPEN: Final[list[Path]] = []  # the sheets whose used ones are being read
_NAME: Final = re.compile(r"[a-z]\w*(?:\.[a-z]\w*)?")


def used(sheet: Sheet, path: Path) -> tuple[Member, ...]:
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
            called[local] = f"{use.alias}.{local}"
            _add_step(sheet, kind.givens[local], called[local], words)
    return Member(use.alias, kind, called, kind.answer, fixed)


def _add_step(sheet: Sheet, given: Given, name: str, words: Text) -> None:
    """A step of the *sheet* that comes to what is *given* for another one."""
    formula = Formula(words)
    sheet.formulas.append(formula)
    sheet.quantities[name] = Derived(name, given.letter, given.title, given.unit, "")
    sheet.steps = {name: [Statement(words, "formula", {"formula": formula})], **sheet.steps}


def _unlike(sheet: Sheet, use: Use, member: Member) -> Iterator[BadFile]:
    """What stands for a given of another sheet, and measures something else."""
    for local, given in member.kind.givens.items():
        name = member.name_of(local)
        place = use.bound.get(local, use.text)
        if sheet.quantities[name].unit.dimension != given.unit.dimension:
            measures = sheet.quantities[name].unit.dimension
            yield place.wrong(f"{name} is {measures}, not {given.unit.dimension}, as {local} is")
