"""The tree that a problem file becomes: scalars stay text, every node knows its place.

Lines and columns count from 1; 0 means unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ddcalc.errors import DdcalcError, Place
from ddcalc.numbers.number import row_text


@dataclass(slots=True)
class Scalar:
    """One value as it was written; *plain* is false for quoted and block texts."""

    text: str
    line: int = 0
    column: int = 0
    plain: bool = True


@dataclass(slots=True)
class Sequence:
    """A list of nodes."""

    items: list[Node]
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Mapping:
    """Named nodes in the order of the file; each entry keeps its key for diagnostics."""

    entries: Entries
    line: int = 0
    column: int = 0


Node: TypeAlias = Scalar | Sequence | Mapping
Entries: TypeAlias = dict[str, tuple[Scalar, Node]]


@dataclass(slots=True)
class Item:
    """What the reader found next in a source.

    A problem: *node* is a ``Mapping`` whenever *errors* is empty, else what could be read (perhaps
    only a part, for naming it; never to be solved) or None; *head* are the entries that stood
    beside ``problems`` so far, None where the document itself is the problem.

    No problem (node None): the end of a ``problems`` document, *head* complete; or what is wrong
    with the head, the document or the file.
    """

    node: Node | None
    head: Entries | None = None
    errors: list[DdcalcError] = field(default_factory=list)
    is_problem: bool = False


def place(file: str, node: Node) -> Place:
    """Where *node* stands in *file*."""
    length = len(node.text) if isinstance(node, Scalar) else 1
    return Place(file, node.line, node.column, max(1, length))


def texts_in(node: Node | None) -> list[str]:
    """The text that *node* is, or those of its members; that of a row is one."""
    nodes = node.items if isinstance(node, Sequence) else [node]
    stated = (one for one in nodes if isinstance(one, Scalar | Sequence))
    return [one.text if isinstance(one, Scalar) else row_text(texts_in(one)) for one in stated]


def texts_by_name(entries: Entries) -> dict[str, str | list[str]]:
    """The texts of values and lists of values by name."""
    texts: dict[str, str | list[str]] = {}
    for key, (_, node) in entries.items():
        name = key.replace("-", "_")
        if isinstance(node, Scalar):
            texts.setdefault(name, node.text)
        elif isinstance(node, Sequence):
            texts.setdefault(name, texts_in(node))
    return texts
