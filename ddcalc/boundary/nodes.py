"""The tree that a problem file becomes: scalars stay text, every node knows its place; and ids of
problems and parts in it, names by which formulas and commands call them.

Lines and columns count from 1; 0 means unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Mapped
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any, Final, TypeAlias

from ddcalc.errors import BadSheet, BadValue, DdcalcError, Place
from ddcalc.numbers.number import row_text

ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST_ID: Final = 64


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
    """The text that *node* is, or those of its members; that of a row is one, and of what has names
    each with its name: ``time <= 1 h: done in time``."""
    if isinstance(node, Scalar):
        return [node.text]
    if isinstance(node, Mapping):
        return [f"{key.text}: {x}" for key, one in node.entries.values() for x in texts_in(one)]
    every = node.items if node else []
    rows = ([row_text(texts_in(x))] if isinstance(x, Sequence) else texts_in(x) for x in every)
    return [text for row in rows for text in row]


def texts_by_name(entries: Entries) -> dict[str, str | list[str]]:
    """The texts of values and lists of values by name."""
    texts: dict[str, str | list[str]] = {}
    for key, (_, node) in entries.items():
        if not isinstance(node, Mapping):
            text = node.text if isinstance(node, Scalar) else texts_in(node)
            texts.setdefault(key.replace("-", "_"), text)
    return texts


def node_of(value: Any) -> Node:
    """*value*, a text, a list of texts or such by name, as a file would hold it."""
    if isinstance(value, dict):
        return Mapping(entries_of(value))
    return Sequence([*map(node_of, value)]) if isinstance(value, list) else Scalar(str(value))


def entries_of(values: Mapped[str, Any]) -> Entries:
    """*values* by name, likewise."""
    return {name: (Scalar(name), node_of(value)) for name, value in values.items()}


def id_in(node: Node | None) -> Scalar | None:
    """The id of the problem in *node*, if it has one that can be one."""
    stated = node.entries.get("id") if isinstance(node, Mapping) else None
    if stated is None or not isinstance(stated[1], Scalar) or no_id(stated[1]):
        return None
    return stated[1]


def no_name(text: str, what: str) -> DdcalcError | None:
    """Why formulas cannot speak of *text*, which is a name of *what*; None where they can."""
    if text.isidentifier() and not iskeyword(text) and len(text) <= LONGEST_ID:
        return None
    reason = f"is no {what}: letters, digits and _, a letter first, no word like if, is or in"
    return BadValue(text, reason)


def no_id(node: Node) -> DdcalcError | None:
    """Why *node* is no id; None where it is one."""
    if not isinstance(node, Scalar):
        return BadSheet("an id is one word")
    if len(node.text) > LONGEST_ID:
        return BadValue(node.text, f"is longer than {LONGEST_ID} characters")
    if not ID.fullmatch(node.text):
        reason = "is not an id: letters, digits, dot, dash and underscore, a letter or digit first"
        return BadValue(node.text, reason)
    return None


def named(text: str) -> str:
    """The name of a given in one spelling; of a step, ``name = formula``, its name."""
    return text.partition("=")[0].strip().replace("-", "_")
