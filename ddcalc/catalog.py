"""Finds the problem types by looking: the modules of ``ddcalc.solvers`` and the entry points
``ddcalc.problems`` of other packages. There is no list to keep.

Names, summaries and groups are read without importing the solvers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ddcalc.errors import BadEquation, BrokenType, UnknownName
from ddcalc.problem import Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "ddcalc.problems"
_SOLVERS = Path(__file__).parent / "solvers"

GROUPS = (  # the subjects under which types are listed, in this order
    "epoch and step timing",
    "federated learning",
    "schedules and staleness",
    "stragglers",
    "communication",
    "compression",
    "batch size",
    "scaling and cost",
)
OTHER = "other"  # the group of types that name none of these


@dataclass(frozen=True, slots=True)
class Entry:
    """A problem type that was found: its *slug*, how to *load* and *summarise* it, its *group*."""

    slug: str
    load: Callable[[], type[Problem]]
    summary: Callable[[], str]
    group: Callable[[], str]


@cache
def own() -> Mapping[str, Entry]:
    """Our own problem types by slug."""
    entries = [_of_module(path) for path in sorted(_SOLVERS.glob("[!_]*.py"))]
    return {entry.slug: entry for entry in entries}


@cache
def catalog() -> Mapping[str, Entry]:
    """All problem types by slug; a type of ours cannot be replaced."""
    from importlib.metadata import entry_points

    others = {point.name: _of_entry_point(point) for point in entry_points(group=ENTRY_POINTS)}
    return {**others, **own()}


@cache
def problem_named(name: str) -> type[Problem]:
    """The problem type called *name* (``-`` and ``_`` are the same).

    Raises UnknownName, or BrokenType where another package's type cannot be loaded.
    """
    slug = name.replace("_", "-")
    entry = own().get(slug) or catalog().get(slug)
    if entry is None:
        raise UnknownName("problem type", name, catalog(), command="ddcalc list")
    return entry.load()


def grouped(entries: Iterable[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """The groups of *entries* in their order, those with none left out."""
    found: dict[str, list[Entry]] = {name: [] for name in (*GROUPS, OTHER)}
    for entry in entries:
        found[entry.group()].append(entry)
    return ((name, members) for name, members in found.items() if members)


def types_with(term: str) -> Iterator[str]:
    """The slugs of the types that name *term*; what cannot be loaded is left out."""
    for entry in catalog().values():
        with suppress(BrokenType):
            if term in entry.load().terms:
                yield entry.slug


def _of_module(path: Path) -> Entry:
    def load() -> type[Problem]:
        module = import_module(f"ddcalc.solvers.{path.stem}")
        found = [
            member
            for member in vars(module).values()
            if isinstance(member, type)
            and issubclass(member, Problem)
            and member.__module__ == module.__name__
        ]
        if len(found) != 1:
            raise BadEquation(path.name, f"declares {len(found)} problem types instead of one")
        return found[0]

    def summary() -> str:
        with path.open(encoding="utf-8") as lines:
            return lines.readline().strip().strip('"')

    def group() -> str:
        found = re.search(r'^    group = "(.+)"$', path.read_text(encoding="utf-8"), re.M)
        return _known_group(found and found[1])

    return Entry(path.stem.replace("_", "-"), load, summary, group)


def _of_entry_point(point: EntryPoint) -> Entry:
    def load() -> type[Problem]:
        try:
            found = point.load()
            if not (isinstance(found, type) and issubclass(found, Problem)):
                raise BadEquation(point.value, "is no problem type")
        except Exception as error:  # whatever another package does wrong is not our end
            raise BrokenType(point.name, error) from error
        return found

    def summary() -> str:
        try:
            return load().question()
        except BrokenType as error:
            return str(error)

    def group() -> str:
        try:
            return _known_group(load().group)
        except BrokenType:
            return OTHER

    return Entry(point.name, load, summary, group)


def _known_group(name: str | None) -> str:
    return name if name in GROUPS else OTHER
