"""Finds the problem types by looking: the sheets in the subjects' folders of ``ddcalc.types``, and
those that other packages name by entry points ``ddcalc.problems``. There is no list to keep.

Names, summaries, groups and terms of our own are read without importing the types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from ddcalc.errors import (
    BadFile,
    BrokenType,
    DdcalcError,
    Renamed,
    UnknownName,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ddcalc.problem.problem import Problem

ENTRY_POINTS = "ddcalc.problems"
SHEET = ".sheet"
_NAME = re.compile(r"[A-Za-z][\w-]{0,63}", re.ASCII)
_ALSO = re.compile(r"^also: (.*)$", re.MULTILINE)
_READING = re.compile(r"([\w-]+)(?: \((\w+) is (\w+)\))?(?:, |$)")
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
FORMER = {  # types of earlier versions, and the question that answers them now
    "batch-throughput": "batch-size --batch …",
    "benchmark-ranks": 'bus-bandwidth --find workers --where "bus_bandwidth = …"',
    "bucket-size": 'transfer --find size --where "share >= …"',
    "compressed-step": "overlap --compression …",
    "federated-traffic": "federated --model …",
    "learners": "crossbow --round-times …",
    "overlap-fraction": 'overlap --find overlapped --where "step = …"',
    "utilization": "training-time --peak …",
}
OTHER = "other"  # the group of types that name none of these


class Entry(NamedTuple):
    """A problem type: its *slug*, how to *load* and *summarise* it, its *group* and *terms*."""

    slug: str
    load: Callable[[], type[Problem]]
    summary: Callable[[], str]
    group: Callable[[], str]
    terms: Callable[[], Sequence[str]]


@cache
def built_in() -> Mapping[str, Entry]:
    """The problem types of this package by slug."""
    entries = [_ours(path) for path in sorted(_sheets(), key=lambda path: path.stem)]
    return {entry.slug: entry for entry in entries}


def _sheets() -> Iterator[Path]:
    return (path for subject in GROUPS for path in (_TYPES / subject).glob(f"[!_]*{SHEET}"))


@cache
def catalog() -> Mapping[str, Entry]:
    """All problem types by slug; a type of ours cannot be replaced."""
    from importlib.metadata import entry_points

    others = {point.name: _of_entry_point(point) for point in entry_points(group=ENTRY_POINTS)}
    return {**others, **built_in()}


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
    """The type called *slug*, also by another name; one of ours before those of other packages."""
    return built_in().get(slug) or other_names().get(slug) or catalog().get(slug)


def problem_named(name: str, file: str = "") -> type[Problem]:
    """The problem type called *name* (``-`` and ``_`` are the same), or of the sheet at that path.

    In a problem *file* it may be the name of a sheet beside that, or in its folder ``sheets``; a
    type of ours cannot be replaced. Raises UnknownName, or BrokenType where the type of another
    package, or of a sheet, cannot be loaded.
    """
    slug = name.replace("_", "-")
    entry = entry_named(slug)
    if entry is not None:
        return _loaded(entry)
    path = Path(name) if is_sheet(name) else sheet_beside(name, file)
    if path is not None:
        return of_sheet(path).load()
    refuse_former(slug)
    raise UnknownName("problem type", name, catalog(), command="ddcalc list")


@cache
def _loaded(entry: Entry) -> type[Problem]:
    return entry.load()


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
    """The type that anybody's sheet declares; it is loaded as foreign text."""
    slug = path.stem.replace("_", "-")

    def load() -> type[Problem]:
        if slug in built_in() or slug in other_names():
            raise BrokenType(slug, BadFile(f"{path.name}: {slug} is a type of ddcalc; rename it"))
        try:
            made: type[Problem] = _reader().foreign(path)
        except DdcalcError as error:
            first, *others = error.singles()
            more = f" and {len(others)} more" if others else ""
            line = f"line {first.place.line}: " if first.place and first.place.line else ""
            refused = BadFile(f"{line}{first}{more}; 'ddcalc check {path}' tells all")
            raise BrokenType(slug, refused) from refused
        return made

    return Entry(slug, load, lambda: load().question(), lambda: OTHER, lambda: load().terms)


def refuse_former(slug: str) -> None:
    """Raise Renamed where *slug* is a type of an earlier version."""
    if slug in FORMER and slug not in catalog():
        raise Renamed(slug, FORMER[slug])


def grouped(entries: Iterable[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """The groups of *entries* in their order, those with none left out."""
    groups: dict[str, list[Entry]] = {name: [] for name in (*GROUPS.values(), OTHER)}
    for entry in entries:
        groups[entry.group()].append(entry)
    return ((name, members) for name, members in groups.items() if members)


def types_with(term: str) -> Iterator[str]:
    """The slugs of the types that name *term*; what cannot be loaded is left out."""
    for entry in catalog().values():
        with suppress(BrokenType):
            if term in entry.terms():
                yield entry.slug


def _ours(path: Path, reading: tuple[str, str, str] | None = None) -> Entry:
    """The type that a sheet of ours declares, by its other name in a *reading*."""

    def load() -> type[Problem]:
        made: type[Problem] = _reader().problem_of(path, reading)
        return made

    def summary() -> str:
        with path.open(encoding="utf-8") as lines:
            return lines.readline().strip()

    def terms() -> list[str]:
        stated = re.search(r"^terms: (.*(?:\n  .*)*)$", path.read_text("utf-8"), re.MULTILINE)
        return re.split(r",\s+", stated[1]) if stated else []

    group = GROUPS.get(path.parent.name, OTHER)
    slug = reading[0] if reading else path.stem.replace("_", "-")
    return Entry(slug, load, summary, lambda: group, terms)


def _reader() -> ModuleType:
    """What makes a type of a sheet: imported like the type itself, when one is loaded, as all that
    a type is made of stands above the list of their names."""
    return import_module("ddcalc.problem.sheet.loading")


def _of_entry_point(point: EntryPoint) -> Entry:
    """The type whose sheet another package names: a path, as it stands in a module."""

    def load() -> type[Problem]:
        try:
            path = Path(point.load())
            made: type[Problem] = _reader().foreign(path)
            if made.slug != point.name:
                raise BadFile(f"{path.name} is the type '{made.slug}'; so must be its entry point")
        except Exception as error:  # whatever another package does wrong does not end us
            raise BrokenType(point.name, error) from error
        made.reference = point.name
        return made

    def summary() -> str:
        try:
            return load().question()
        except BrokenType as error:
            return str(error)

    def group() -> str:
        try:
            stated = load().group
        except BrokenType:
            return OTHER
        return stated if stated in GROUPS.values() else OTHER

    return Entry(point.name, load, summary, group, lambda: load().terms)
