"""Finds the problem types by looking: the sheets in the subjects' folders of ``ddcalc.types``.

There is no list to keep. Names, summaries, groups and terms are read without loading the types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ddcalc.errors import BadFile, BrokenType, DdcalcError, UnknownName

if TYPE_CHECKING:
    from ddcalc.problem.problem import Problem

SHEET = ".sheet"
_NAME = re.compile(r"[A-Za-z][\w-]{0,63}", re.ASCII)
_TYPES = Path(__file__).parent.parent / "types"

GROUPS = {  # the folders of types, and the subjects under which these are listed, in this order
    "epochs": "epoch and step timing",
    "federated": "federated learning",
    "schedules": "schedules and staleness",
    "stragglers": "stragglers",
    "communication": "communication",
    "compression": "compression",
    "batch": "batch size",
    "scale": "scaling and cost",
}
OTHER = "other"  # the group of types that name none of these


class Entry(NamedTuple):
    """A problem type called *slug*: the sheet at *path*, of a *group*."""

    slug: str
    path: Path
    group: str

    def load(self) -> type[Problem]:
        """The type itself; anybody's sheet is read as foreign text."""
        reader = import_module("ddcalc.problem.sheet.loading")  # with all that a type is made of
        if self.group != OTHER:
            made: type[Problem] = reader.problem_of(self.path)
            return made
        if self.slug in catalog():
            wrong = f"{self.path.name}: {self.slug} is a type of ddcalc; rename it"
            raise BrokenType(self.slug, BadFile(wrong))
        try:
            made = reader.foreign(self.path)
        except DdcalcError as error:
            first, *others = error.singles()
            more = f" and {len(others)} more" if others else ""
            line = f"line {first.place.line}: " if first.place and first.place.line else ""
            refused = BadFile(f"{line}{first}{more}; 'ddcalc check {self.path}' tells all")
            raise BrokenType(self.slug, refused) from refused
        return made

    def summary(self) -> str:
        """Its question, of a type of ours."""
        with self.path.open(encoding="utf-8") as lines:
            return lines.readline().strip()

    def terms(self) -> Sequence[str]:
        """The terms that it names, likewise."""
        text = self.path.read_text("utf-8")
        stated = re.search(r"^terms: (.*(?:\n  .*)*)$", text, re.MULTILINE)
        return re.split(r",\s+", stated[1]) if stated else []


@cache
def catalog() -> Mapping[str, Entry]:
    """All problem types by slug."""
    every = (path for subject in GROUPS for path in (_TYPES / subject).glob(f"[!_]*{SHEET}"))
    sheets = {path.stem.replace("_", "-"): path for path in sorted(every, key=lambda x: x.stem)}
    return {slug: Entry(slug, path, GROUPS[path.parent.name]) for slug, path in sheets.items()}


def problem_named(name: str, file: str = "") -> type[Problem]:
    """The problem type called *name* (``-`` and ``_`` are the same), or of the sheet at that path.

    In a problem *file* it may be the name of a sheet beside that, or in its folder ``sheets``; a
    type of ours cannot be replaced. Raises UnknownName, or BrokenType for a wrong sheet.
    """
    if (entry := catalog().get(name.replace("_", "-"))) is not None:
        return entry.load()
    path = Path(name) if is_sheet(name) else sheet_beside(name, file)
    if path is not None:
        return of_sheet(path).load()
    raise UnknownName("problem type", name, catalog(), command="ddcalc list")


def is_sheet(name: str) -> bool:
    """Whether *name* is that of a file with a problem type."""
    return name.endswith(SHEET)


def sheet_beside(name: str, file: str) -> Path | None:
    """The sheet called *name* that stands beside a problem *file*, or in ``sheets`` below it."""
    if not file or not _NAME.fullmatch(name):
        return None
    folder = Path(file).parent
    spelt = dict.fromkeys((name, name.replace("-", "_"), name.replace("_", "-")))
    paths = (place / f"{one}{SHEET}" for place in (folder, folder / "sheets") for one in spelt)
    return next((path for path in paths if path.is_file()), None)


def of_sheet(path: Path) -> Entry:
    """The type that anybody's sheet declares."""
    return Entry(path.stem.replace("_", "-"), path, OTHER)


def grouped(entries: Iterable[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """The groups of *entries* in their order, those with none left out."""
    groups: dict[str, list[Entry]] = {name: [] for name in GROUPS.values()}
    for entry in entries:
        groups[entry.group].append(entry)
    return ((name, members) for name, members in groups.items() if members)


def types_with(term: str) -> Iterator[str]:
    """The slugs of the types that name *term*."""
    return (entry.slug for entry in catalog().values() if term in entry.terms())
