"""The ``defaults`` of a problem file: givens by type, put under those of every problem."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.boundary.nodes import Entries, Mapping, Node, Scalar, place
from ddcalc.errors import BadSheet, DdcalcError, Repeated, UnknownName
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given

_NONE: Entries = {}


def spelt_twice(entries: Entries) -> Iterator[tuple[str, Scalar, Scalar]]:
    """Names that stand in two spellings (``-`` and ``_``): the name, its key, and the first key."""
    seen: dict[str, Scalar] = {}
    for name, (key, _) in entries.items():
        first = seen.setdefault(name.replace("-", "_"), key)
        if first is not key:
            yield name, key, first


class Defaults:
    """What a ``defaults`` block states for each type, and what is wrong with it."""

    def __init__(self, node: Node | None, file: str) -> None:
        self.file = file
        self.errors: list[DdcalcError] = []
        self.wrong: set[str] = set()  # types whose defaults cannot be used
        self._givens: dict[str, tuple[Scalar, Entries]] = {}
        if isinstance(node, Mapping):
            for name, (key, block) in node.entries.items():
                self._add(name, key, block)
        elif node is not None:
            example = "defaults holds givens by type, for example epoch-time: {workers: 6}"
            self._refuse(BadSheet(example), node)

    def under(self, problem: type[Problem], given: Entries, unknown: str | None = None) -> Entries:
        """The entries *given* for a *problem*, over the defaults of its type for all but the
        *unknown*, which is to be found."""
        _, defaults = self._givens.get(problem.slug, (None, _NONE))
        if not defaults:
            return given
        stated = {name.replace("-", "_") for name in (*given, unknown or "")}
        kept = {n: entry for n, entry in defaults.items() if n.replace("-", "_") not in stated}
        return {**kept, **given}

    def _add(self, name: str, key: Scalar, block: Node) -> None:
        slug = name.replace("_", "-")
        try:
            problem = problem_named(name)
        except DdcalcError as error:
            self._refuse(error, key)
            return
        if slug in self._givens:
            first = place(self.file, self._givens[slug][0])
            self._refuse(Repeated(name, first), key, slug)
        elif not isinstance(block, Mapping):
            self._refuse(BadSheet(f"the defaults of {slug} hold names with values"), block, slug)
        else:
            self._givens[slug] = key, block.entries
            known = [*problem.givens, *problem.choices]
            for given, (word, value) in block.entries.items():
                spelling = given.replace("-", "_")
                if spelling not in known:
                    self._refuse(UnknownName("parameter", given, known), word, slug)
                elif spelling in problem.givens and isinstance(value, Scalar):
                    self._read(problem.givens[spelling], value, slug)
            for name, word, earlier in spelt_twice(block.entries):
                self._refuse(Repeated(name, place(self.file, earlier)), word, slug)

    def _read(self, given: Given, value: Scalar, slug: str) -> None:
        """Find out now what is wrong with a default value, rather than at every problem."""
        try:
            if value.text not in given.words:
                given.read(value.text)
        except DdcalcError as error:
            self._refuse(error, value, slug)

    def _refuse(self, error: DdcalcError, node: Node, slug: str = "") -> None:
        self.errors.append(error.about("defaults", place(self.file, node)))
        self.wrong.add(slug)
