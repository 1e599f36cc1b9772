"""Ids of problems and parts, and names of results: what formulas and commands call them by."""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import Final

from ddcalc.boundary.nodes import Mapping, Node, Scalar
from ddcalc.errors import BadSheet, BadValue, DdcalcError

ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST_ID: Final = 64


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
    reason = f"is no {what}: letters, digits and _, a letter first, no word of formulas"
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
