"""Finds the problem types by looking: a sheet, a module or a folder in one of the subjects' folders
of ``ddcalc.types``, and the entry points ``ddcalc.problems`` of other packages. There is no list
to keep.

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
    BadEquation,
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
_STATED_TERMS = re.compile(r"^    terms = \((.*?)\)$", re.MULTILINE | re.DOTALL)
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
    paths = [path for subject in GROUPS for path in (_TYPES / subject).glob("[!_]*")]
    entries = [_of_path(path) for path in sorted(paths, key=lambda path: path.stem)]
    return {entry.slug: entry for entry in entries}


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
    sheets = (path for subject in GROUPS for path in (_TYPES / subject).glob(f"[!_]*{SHEET}"))
    return {
        reading[0]: _ours(path, reading)
        for path in sheets
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


def _of_path(path: Path) -> Entry:
    """The type that a module declares, or a folder that stands for one."""
    subject, declaration = path.parent.name, path / "__init__.py" if path.is_dir() else path

    if path.suffix == SHEET:
        return _ours(path)

    def load() -> type[Problem]:
        from ddcalc.problem.problem import Problem

        module = import_module(f"ddcalc.types.{subject}.{path.stem}")
        types = [
            member
            for member in vars(module).values()
            if isinstance(member, type)
            and issubclass(member, Problem)
            and member.__module__ == module.__name__
        ]
        if len(types) != 1:
            raise BadEquation(path.name, f"declares {len(types)} problem types instead of one")
        return types[0]

    def summary() -> str:
        with declaration.open(encoding="utf-8") as lines:
            return lines.readline().strip().strip('"')

    def terms() -> list[str]:
        stated = _STATED_TERMS.search(declaration.read_text(encoding="utf-8"))
        return re.findall('"(.*?)"', stated[1]) if stated else []

    return Entry(path.stem.replace("_", "-"), load, summary, lambda: GROUPS[subject], terms)


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
    def load() -> type[Problem]:
        from ddcalc.problem.problem import Problem

        try:
            loaded = point.load()
            if not (isinstance(loaded, type) and issubclass(loaded, Problem)):
                raise BadEquation(point.value, "is not a problem type")
            if loaded.slug != point.name:
                wanted = f"is the type '{loaded.slug}', by the name of its class; so must its entry"
                raise BadEquation(point.value, f"{wanted} point be called, not '{point.name}'")
        except Exception as error:  # whatever another package does wrong does not end us
            raise BrokenType(point.name, error) from error
        return loaded

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
