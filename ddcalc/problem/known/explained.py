"""What ``ddcalc explain`` explains: the words of the field, which live as data in ``terms.toml``
beside this file, and topics of the manual, what the commands of one subject do, in ``topics/``.

A problem type names its terms (:attr:`ddcalc.problem.problem.Problem.terms`); from a term to the
types leads :func:`ddcalc.problem.known.catalog.types_with`. A topic is a Markdown file: a title,
a line of summary, then paragraphs, tables and fenced blocks, with examples that a test runs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ddcalc.errors import UnknownName, suggestion

_DATA = Path(__file__).with_name("terms.toml")
_FOLDER = Path(__file__).with_name("topics")
_FENCE = "```"


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
    """
    every = ((name, term) for term in terms().values() for name in (term.name, *term.aliases))
    spellings, key = {_key(name): term for name, term in every}, _key(written)
    if (term := spellings.get(key) or spellings.get(key.removesuffix("s"))) is None:
        aliases = {alias for known in terms().values() for alias in known.aliases}
        near = suggestion(written, {*terms(), *aliases, *topics()})
        known, why = ([near], "") if near else ([], "; 'ddcalc ask' finds problem types")
        raise UnknownName("term", written, known, "ddcalc explain", why=why)
    return term


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


# Topics

Rows = tuple[tuple[str, ...], ...]


class Fenced(NamedTuple):
    """Lines between fences: commands, Python, or a file."""

    text: str


Part = str | Rows | Fenced  # a paragraph, a table whose first row is its header, or a fenced block


class Topic(NamedTuple):
    """One subject of the manual, by the *slug* that a command line calls it; *text* is Markdown."""

    slug: str
    title: str
    summary: str
    text: str
    parts: tuple[Part, ...]


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by their slugs."""
    return {path.stem: _topic(path) for path in sorted(_FOLDER.glob("*.md"))}


def _topic(path: Path) -> Topic:
    text = path.read_text(encoding="utf-8")
    title, summary, *rest = _parts(text)
    title, summary = str(title).removeprefix("# "), str(summary).removesuffix(".")
    return Topic(path.stem, title, summary[0].lower() + summary[1:], text, tuple(rest))


def _parts(text: str) -> Iterator[Part]:
    """The paragraphs, tables and fenced blocks of *text*, which a blank line parts."""
    for number, piece in enumerate(text.split(_FENCE)):
        if number % 2:
            yield Fenced(piece.partition("\n")[2].removesuffix("\n"))
        else:
            yield from (_part(lines) for lines in piece.strip().split("\n\n") if lines)


def _part(lines: str) -> str | Rows:
    if not lines.startswith("|"):
        return " ".join(lines.split())
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()]
    return tuple(tuple(row) for row in rows if set(row[0]) != {"-"})
