"""The keys of a problem in a file, and what the value of each may be."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Mapped
from typing import Any, Final, NamedTuple

from ddcalc.boundary.nodes import ID, LONGEST_ID, Mapping, Node, Scalar, Sequence


class KeyShape(NamedTuple):
    """What the value of a key may be: whether a node *fits*, what is said where it does not, and
    how JSON Schema puts it as far as no type decides it."""

    fits: Callable[[Node], bool]
    says: str
    schema: Mapped[str, Any]


def _is_text(node: Node) -> bool:
    return isinstance(node, Scalar)


def _is_texts(node: Node) -> bool:
    members = node.items if isinstance(node, Sequence) else [node]
    return bool(members) and all(map(_is_text, members))


def _is_entries(node: Node) -> bool:
    is_empty = isinstance(node, Scalar) and node.plain and node.text in ("", "null", "~")
    return is_empty or isinstance(node, Mapping)


_STRING: Final = {"type": "string"}
_STRINGS: Final = {"anyOf": [_STRING, {"type": "array", "items": _STRING, "minItems": 1}]}
_OBJECT: Final = {"type": "object"}
_ID_SCHEMA: Final = {**_STRING, "pattern": f"^(?:{ID.pattern})$", "maxLength": LONGEST_ID}
_ENTRIES: Final = "holds names with values, for example workers: 6"

_WORD: Final = KeyShape(lambda node: True, "", _ID_SCHEMA)  # has a checker of its own
_TEXT: Final = KeyShape(_is_text, "is one text", _STRING)
_SAID: Final = KeyShape(_is_text, "is one text", {})
_GIVEN: Final = KeyShape(_is_text, "is one given (to find two: ddcalc explain parts)", _STRING)
_NAMES: Final = KeyShape(_is_texts, "is a name, or a list of names", _STRINGS)
_RELATIONS: Final = KeyShape(
    _is_texts, "is a relation, for example total <= 300 s, or a list of them", _STRINGS
)
_LIMITS: Final = _WORD._replace(schema={})  # relations, with or without titles
_NAMED: Final = KeyShape(_is_entries, _ENTRIES, _OBJECT)
_ANSWERS: Final = KeyShape(_is_entries, _ENTRIES, {})
_PARTS: Final = KeyShape(
    lambda node: isinstance(node, Sequence), "is a list, each element beginning with `- `", {}
)
# The keys of a problem, and what they say.
KEYS: Final[dict[str, tuple[KeyShape, str]]] = {
    "id": (_WORD, "a name, once in a file, by which commands and answers refer to the problem"),
    "type": (_SAID, "the problem type: what is asked"),
    "title": (_TEXT, "the heading of the answer"),
    "text": (_TEXT, "the question in your own words; {names} are put in"),
    "like": (_TEXT, "the part that it is like, but for what follows"),
    "formula": (_TEXT, "what is asked, if no type: a.total/b.total"),
    "name": (_TEXT, "what the formula comes to is called"),
    "source": (_TEXT, "where the question comes from"),
    "find": (_GIVEN, "the given to find, left out below"),
    "where": (_RELATIONS, "what must hold for it, for example total <= 300 s"),
    "quantity": (_NAMES, "what is asked for, instead of what the type answers"),
    "ask": (_NAMES, "the same as quantity"),
    "steps": (_NAMED, "own steps: {paid = workers*wait: what it is}"),
    "limit": (_LIMITS, "what is to be met, for example total <= 10 min"),
    "points": (_SAID, "what a right answer is worth"),
    "given": (_NAMED, "what the question states, by name, with units"),
    "expect": (_ANSWERS, "our answers; a difference is a failure"),
    "claimed": (_ANSWERS, "somebody else's answers, to be marked"),
    "marking": (_ANSWERS, "what is asked of answers that are marked: of all, or of one by name"),
    "parts": (_PARTS, "questions that may stand on each other"),
}
OF_ALL: Final = ("id", "title", "text", "source", "given", "parts", "points", "marking")
