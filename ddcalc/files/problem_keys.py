"""The keys of a problem in a file, and what the value of each may be."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from collections.abc import Mapping as Mapped
from pathlib import Path
from typing import Any, Final, NamedTuple

from ddcalc.boundary.nodes import ID, LONGEST_ID, Mapping, Node, Scalar, Sequence
from ddcalc.numbers.units import is_suffix


class KeyShape(NamedTuple):
    """What the value of a key may be: whether a node *fits*, what is said where it does not, and
    how JSON Schema puts it as far as no type decides it."""

    fits: Callable[[Node], bool]
    says: str
    schema: Mapped[str, Any]


def _is_text(node: Node) -> bool:
    return isinstance(node, Scalar)


def _is_texts(node: Node) -> bool:
    return all(map(_is_text, node.items if isinstance(node, Sequence) else [node]))


def _is_entries(node: Node) -> bool:
    is_empty = isinstance(node, Scalar) and node.plain and node.text in ("", "null", "~")
    return is_empty or isinstance(node, Mapping)


_STRING: Final = {"type": "string"}
_STRINGS: Final = {"anyOf": [_STRING, {"type": "array", "items": _STRING}]}
_OBJECT: Final = {"type": "object"}
_ID_SCHEMA: Final = {**_STRING, "pattern": f"^(?:{ID.pattern})$", "maxLength": LONGEST_ID}
_ENTRIES: Final = "holds names with values, for example workers: 6"

SHAPES: Final[dict[str, KeyShape]] = {
    "word": KeyShape(lambda node: True, "", _ID_SCHEMA),  # has a checker of its own
    "text": KeyShape(_is_text, "is one text", _STRING),
    "said": KeyShape(_is_text, "is one text", {}),
    "names": KeyShape(_is_texts, "is a name, or a list of names", _STRINGS),
    "relations": KeyShape(
        _is_texts, "is a relation, for example total <= 300 s, or a list of them", _STRINGS
    ),
    "limits": KeyShape(lambda node: True, "", {}),  # relations, with or without titles
    "steps": KeyShape(_is_entries, "are {paid = workers*wait: what it is}", _OBJECT),
    "named": KeyShape(_is_entries, _ENTRIES, _OBJECT),
    "answers": KeyShape(_is_entries, _ENTRIES, {}),
    "parts": KeyShape(
        lambda node: isinstance(node, Sequence), "is a list, each element beginning with `- `", {}
    ),
}
_AS_DATA: Final = tomllib.loads(Path(__file__).with_name("keys.toml").read_text("utf-8"))
KEYS: Final[dict[str, tuple[KeyShape, str]]] = {
    name: (SHAPES[shape], says) for name, (shape, says) in _AS_DATA.items()
}
"""The keys of a problem, and what they say."""
NOTES: Final = ("then", "assumes", "idea", "check", "means")
"""What an author concludes, takes for granted, begins with, and ends the page with."""
OF_ALL: Final = ("id", "title", "text", "source", "given", "parts", "points", "marking", *NOTES[1:])


def unused(name: str, written: str) -> str:
    """Why the given *name* is none: nothing speaks of it, or *written* words do as of a unit."""
    is_unit = is_suffix(name) and re.search(rf"(?:\d|\w ?/) ?{name}\b", written)
    unit = f"; behind a number it is a unit: write (2*3 s)/{name}" if is_unit else ""
    return f", which no formula, text or conclusion has{unit}"
