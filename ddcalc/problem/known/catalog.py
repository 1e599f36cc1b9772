"""Finds the problem types by looking: the sheets in the subjects' folders of ``ddcalc.types``.

There is no list to keep. Names, summaries, groups and terms are read without loading the types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tomllib import loads
from typing import TYPE_CHECKING, NamedTuple

from ddcalc.errors import BadFile, BrokenType, DdcalcError, UnknownName

if TYPE_CHECKING:
    from ddcalc.problem.problem import Problem

SHEET = ".sheet"
_reading = cache(partial(import_module, "ddcalc.problem.sheet.loading"))  # all that types are of
_NAME = re.compile(r"[A-Za-z][\w-]{0,63}", re.ASCII)
_ALSO = re.compile(r"^also: (.*)$", re.MULTILINE)
_READING = re.compile(r"([\w-]+)(?: \((\w+) is (\w+)\))?(?:, |$)")
_TYPES = Path(__file__).parents[2] / "types"

GROUPS: Mapping[str, str] = loads((_TYPES / "subjects.toml").read_text("utf-8"))
OTHER = "other"  # the group of types that name none of these


class Entry(NamedTuple):
    """A problem type called *slug*: the sheet at *path*, of a *group*; by its other name in a
    *reading* (name, choice, option)."""

    slug: str
    path: Path
    group: str
    reading: tuple[str, str, str] | None = None

    def load(self) -> type[Problem]:
        """The type itself; anybody's sheet is read as foreign text."""
        reader = _reading()
        if self.group != OTHER:
            made: type[Problem] = reader.problem_of(self.path, self.reading)
            return made
        if entry_named(self.slug) is not None:
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
    return {one.slug: one for one in map(_ours, sorted(_sheets(), key=lambda path: path.stem))}


def _sheets() -> Iterator[Path]:
    return (path for subject in GROUPS for path in (_TYPES / subject).glob(f"[!_]*{SHEET}"))


@cache
def other_names() -> Mapping[str, Entry]:
    """The further names under which our sheets answer, each with a reading of its own:
    ``also: stale-sum (part is theorems)``."""
    return {
        reading[0]: _ours(path, reading)
        for path in _sheets()
        for names in _ALSO.findall(path.read_text(encoding="utf-8"))
        for reading in _READING.findall(names)
    }


def entry_named(slug: str) -> Entry | None:
    """The type called *slug*, also by another name."""
    return catalog().get(slug) or other_names().get(slug)


def problem_named(name: str, file: str = "") -> type[Problem]:
    """The problem type called *name* (``-`` and ``_`` are the same), or of the sheet at that path.

    In a problem *file* it may be the name of a sheet beside that, or in its folder ``sheets``; a
    type of ours cannot be replaced. Raises UnknownName, or BrokenType for a wrong sheet.
    """
    if (entry := entry_named(name.replace("_", "-"))) is not None:
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


def _ours(path: Path, reading: tuple[str, str, str] | None = None) -> Entry:
    """The type that a sheet of ours declares, by its other name in a *reading*."""
    slug = reading[0] if reading else path.stem.replace("_", "-")
    return Entry(slug, path, GROUPS[path.parent.name], reading)
