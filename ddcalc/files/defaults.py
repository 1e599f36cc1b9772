"""What stands above the problems of a file, for all of them: ``defaults`` by type, what is
``shared``, how an exam is written, and who has which version of it."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Mapped
from copy import copy
from importlib.resources import files
from tomllib import TOMLDecodeError, loads
from typing import Final

from ddcalc.boundary.nodes import Entries, Mapping, Node, Scalar, place
from ddcalc.boundary.source import Source
from ddcalc.errors import BadSheet, DdcalcError, Place, Repeated, UnknownName
from ddcalc.memory import remembered
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.problem import Problem

DECIMALS: Final = ("comma", "point")
HEADS: Final = {  # what stands above problems, for all of them
    "shared": "holds givens, for example shared: {workers: 6}",
    "decimal": "is comma or point",
    "words": "is a language, or a file of words",
    "names": "holds who has which version, for example names: {Ann: 1}",
    "defaults": "holds givens by type, for example epoch-time: {workers: 6}",
}


def spelt_twice(entries: Entries) -> Iterator[tuple[str, Scalar, Scalar]]:
    """Names that stand in two spellings (``-`` and ``_``): the name, its key, and the first key."""
    if "-" not in "".join(entries):
        return
    seen: dict[str, Scalar] = {}
    for name, (key, _) in entries.items():
        first = seen.setdefault(name.replace("-", "_"), key)
        if first is not key:
            yield name, key, first


class Defaults:
    """What the *heads* of a *file* say: ``defaults`` of each type, ``shared`` of each that has such
    a given, how an exam is written, and who has which version; and what is wrong with these."""

    def __init__(self, file: str, heads: Mapped[str, Node] | None = None) -> None:
        self.file = file
        self.paper: dict[str, str] = {}  # how an exam is written: ``decimal``, ``words``
        self.versions: dict[str, str] = {}  # of an exam, by who has them
        self.shared: Entries = {}
        self.of_parts: Entries = {}  # what a question gives to all its parts
        self.errors: list[DdcalcError] = []
        self.wrong: set[str] = set()  # types whose defaults cannot be used
        self._givens: dict[str, tuple[Scalar, Entries]] = {}
        for name, node in (heads or {}).items():
            if name == "defaults" and isinstance(node, Mapping):
                for slug, (key, block) in node.entries.items():
                    self._add(slug, key, block)
            elif name == "shared" and isinstance(node, Mapping):
                self.shared = node.entries
            elif name == "names" and isinstance(node, Mapping):
                for who, (_, version) in node.entries.items():
                    self.versions[who] = version.text if isinstance(version, Scalar) else ""
            elif isinstance(node, Scalar) and (
                node.text in DECIMALS if name == "decimal" else name == "words" and node.text
            ):
                self.paper[name] = node.text
            else:
                self._refuse(BadSheet(f"{name} {HEADS[name]}"), node)

    def under(self, problem: type[Problem], given: Entries, unknown: str | None = None) -> Entries:
        """The entries *given* for a *problem*, over the defaults of its type for all but the
        *unknown*, which is to be found."""
        _, defaults = self._givens.get(problem.slug, (None, {}))
        if not (defaults or self.shared or self.of_parts):
            return given
        names = {*problem.givens, *problem.choices, *problem.slots}
        for block, is_over in ((self.shared, False), (self.of_parts, True)):
            shared = {n: x for n, x in block.items() if n.replace("-", "_") in names}
            defaults = {**defaults, **shared} if is_over else {**shared, **defaults}
        stated = {name.replace("-", "_") for name in (*given, unknown or "")}
        kept = {n: entry for n, entry in defaults.items() if n.replace("-", "_") not in stated}
        return {**kept, **given}

    def with_shared(self, given: Entries) -> Defaults:
        """These, with what all parts of a question are *given*."""
        made = copy(self)
        made.of_parts = given
        return made

    def _add(self, name: str, key: Scalar, block: Node) -> None:
        slug = name.replace("_", "-")
        try:
            problem = problem_named(name, self.file)
        except DdcalcError as error:
            self._refuse(error, key)
            return
        if slug in self._givens:
            self._refuse(Repeated(name, place(self.file, self._givens[slug][0])), key, slug)
        elif not isinstance(block, Mapping):
            self._refuse(BadSheet(f"the defaults of {slug} hold names with values"), block, slug)
        else:
            self._givens[slug] = key, block.entries
            known = [*problem.givens, *problem.choices, *problem.slots]
            for given, (word, value) in block.entries.items():
                spelling = given.replace("-", "_")
                if spelling not in known:
                    self._refuse(UnknownName("given", given, known), word, slug)
                elif spelling in problem.givens and isinstance(value, Scalar):
                    try:  # what is wrong with it is told now, rather than at every problem
                        if value.text not in problem.givens[spelling].words:
                            problem.givens[spelling].read(value.text)
                    except DdcalcError as error:
                        self._refuse(error, value, slug)
            for name, word, earlier in spelt_twice(block.entries):
                self._refuse(Repeated(name, place(self.file, earlier)), word, slug)

    def _refuse(self, error: DdcalcError, node: Node, slug: str = "") -> None:
        self.errors.append(error.about("defaults", place(self.file, node)))
        self.wrong.add(slug)


@remembered
def words_in(language: str) -> Mapped[str, str]:
    """The words around the questions of an exam, by the English ones, in a *language* or a file.

    Raises BadFile or BadSheet where there are no such words, UnknownName for one that no paper has.
    """
    table = loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
    if language in table:
        return dict(table[language])
    if "." not in language:
        raise UnknownName("language", language, [*table, "FILE.toml"])
    try:
        mine = loads("".join(Source(language).chunks()))
    except TOMLDecodeError as error:
        raise BadSheet(f"is no TOML: {error}", Place(language)) from None
    for name, said in mine.items():
        if name not in table["english"]:
            raise UnknownName("word", name, table["english"]).about("words", Place(language))
        if not isinstance(said, str):
            raise BadSheet(f"{name} is one text", Place(language))
    return mine
