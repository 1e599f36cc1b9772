"""The words of the field, explained; they live as data in ``terms.toml`` beside this file.

A problem type names its terms (:attr:`ddcalc.problem.problem.Problem.terms`); from a term to the
types leads :func:`ddcalc.problem.catalog.types_with`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ddcalc.errors import UnknownName, suggestion
from ddcalc.problem.topics import topics

_DATA = Path(__file__).with_name("terms.toml")


class Trial(NamedTuple):
    """A *command* to try, and what it *shows*."""

    command: str
    shows: str


class Term(NamedTuple):
    """A word of the field: what it is in a line and in a paragraph, when it *helps* and *hurts*.

    The *formula* is plain Unicode, a line each; *letters* says what stands in it. *see* names
    other terms.
    """

    name: str
    aliases: tuple[str, ...]
    summary: str
    words: str
    helps: str
    hurts: str
    formula: tuple[str, ...]
    letters: str
    source: str
    trials: tuple[Trial, ...]
    see: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The name as one word of a command line."""
        return self.name.replace(" ", "-")


@cache
def terms() -> Mapping[str, Term]:
    """All terms by name, in the order in which they are best read."""
    entries = tomllib.loads(_DATA.read_text(encoding="utf-8"))["term"]
    return {entry["name"]: _term(entry) for entry in entries}


def term_named(written: str) -> Term:
    """The term that somebody calls *written*; UnknownName if there is none.

    Case, blanks, hyphens and a plural's s do not matter.

    >>> term_named("SSP").name, term_named("back-up Workers").name
    ('stale-synchronous', 'backup worker')
    """
    spellings = _spellings()
    key = _key(written)
    term = spellings.get(key) or spellings.get(key.removesuffix("s"))
    if term is None:
        aliases = {alias for known in terms().values() for alias in known.aliases}
        near = suggestion(written, {*terms(), *aliases, *topics()})
        raise UnknownName("term", written, [near] if near else [*topics(), *terms()])
    return term


@cache
def _spellings() -> Mapping[str, Term]:
    return {_key(name): term for term in terms().values() for name in (term.name, *term.aliases)}


def _key(written: str) -> str:
    return "".join(filter(str.isalnum, written.casefold()))


def _term(entry: Mapping[str, Any]) -> Term:
    paragraphs = ("words", "helps", "hurts", "letters", "source")
    return Term(
        name=entry["name"],
        aliases=tuple(entry["aliases"]),
        summary=entry["summary"],
        formula=tuple(entry["formula"].splitlines()),
        trials=tuple(Trial(**trial) for trial in entry["try"]),
        see=tuple(entry["see"]),
        **{name: " ".join(entry[name].split()) for name in paragraphs},
    )
