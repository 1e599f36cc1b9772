"""What a problem in a file means: its names, its type, the texts of its givens, its answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ddcalc.boundary.nodes import Entries, Mapping, Node, Scalar, Sequence, place
from ddcalc.catalog import problem_named
from ddcalc.errors import BadSheet, BadValue, DdcalcError, Missing, Repeated, UnknownName
from ddcalc.problem import Problem

KEYS = ("id", "type", "title", "source", "given", "expect", "claimed")
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST_ID = 64

_EMPTY: Entries = {}


@dataclass(slots=True)
class Question:
    """One problem of a file, as far as it could be understood; *errors* say what could not."""

    file: str
    line: int
    id: str | None = None
    kind: str | None = None
    title: str = ""
    source: str = ""
    problem: type[Problem] | None = None
    given: Entries = field(default_factory=dict)
    expect: Entries = field(default_factory=dict)
    claimed: Entries = field(default_factory=dict)
    errors: list[DdcalcError] = field(default_factory=list)

    @property
    def texts(self) -> dict[str, str | list[str]]:
        """The givens by name; nested values are left out, :func:`understood` has refused them."""
        texts: dict[str, str | list[str]] = {}
        for name, (_, node) in self.given.items():
            if isinstance(node, Scalar):
                texts[name] = node.text
            elif isinstance(node, Sequence):
                texts[name] = [item.text for item in node.items if isinstance(item, Scalar)]
        return texts

    def refuse(self, error: DdcalcError, node: Node | None = None) -> None:
        """Note *error*, found at *node*."""
        error.problem = self.id
        if node is not None and error.place is None:
            error.place = place(self.file, node)
        self.errors.append(error)

    def locate(self, error: DdcalcError) -> None:
        """Note an *error* about one of the givens, at the value or the name it is about."""
        name, _, index = (error.parameter or "").partition("[")
        entry = self.given.get(name) or self.given.get(name.replace("_", "-"))
        if entry is None:
            self.refuse(error, Scalar("", self.line))
            return
        key, node = entry
        if isinstance(error, UnknownName) and error.what == "parameter":
            node = key
        elif index and isinstance(node, Sequence):
            node = node.items[int(index[:-1]) - 1]
        self.refuse(error, node)


def understood(node: Mapping, defaults: Node | None, file: str) -> Question:
    """The question that *node* asks, with the *defaults* of its type put under its givens."""
    question = Question(file, node.line)
    entries = node.entries
    question.id = _id(question, entries)
    for name, (key, _) in entries.items():
        if name not in KEYS:
            question.refuse(UnknownName("key", name, KEYS), key)
    question.title = _word(question, entries, "title")
    question.source = _word(question, entries, "source")
    question.kind = _word(question, entries, "type") or None
    if "type" not in entries:
        question.refuse(Missing(["type"]), node)
    elif question.kind is not None:
        try:
            question.problem = problem_named(question.kind)
        except UnknownName as error:
            question.refuse(error, entries["type"][1])
    question.given = {**_defaults(question, defaults), **_block(question, entries, "given")}
    question.expect = _block(question, entries, "expect")
    question.claimed = _block(question, entries, "claimed")
    _refuse_nested(question)
    return question


def _id(question: Question, entries: Entries) -> str | None:
    if "id" not in entries:
        return None
    node = entries["id"][1]
    if not isinstance(node, Scalar):
        question.refuse(BadSheet("an id is one word"), node)
    elif len(node.text) > LONGEST_ID:
        question.refuse(BadValue(node.text, f"is longer than {LONGEST_ID} characters"), node)
    elif not ID.fullmatch(node.text):
        reason = "is no id: letters, digits, dot, dash and underscore, a letter or digit first"
        question.refuse(BadValue(node.text, reason), node)
    else:
        return node.text
    return None


def _word(question: Question, entries: Entries, name: str) -> str:
    if name not in entries:
        return ""
    node = entries[name][1]
    if isinstance(node, Scalar):
        return node.text
    question.refuse(BadSheet(f"{name} is one text"), node)
    return ""


def _block(question: Question, entries: Entries, name: str) -> Entries:
    if name not in entries:
        return _EMPTY
    node = entries[name][1]
    if isinstance(node, Mapping):
        return node.entries
    if not (isinstance(node, Scalar) and node.plain and node.text in ("", "null", "~")):
        question.refuse(BadSheet(f"{name} holds names with values, for example workers: 6"), node)
    return _EMPTY


def _defaults(question: Question, defaults: Node | None) -> Entries:
    if not isinstance(defaults, Mapping) or question.problem is None:
        return _EMPTY
    found = [n for n in defaults.entries if n.replace("_", "-") == question.problem.slug]
    node = defaults.entries[found[0]][1] if found else None
    return node.entries if isinstance(node, Mapping) else _EMPTY


def _refuse_nested(question: Question) -> None:
    """Givens are values or lists of values; the same name in two spellings is given twice."""
    seen: dict[str, Scalar] = {}
    for name, (key, node) in question.given.items():
        spelling = name.replace("-", "_")
        if spelling in seen:
            first = place(question.file, seen[spelling])
            question.refuse(Repeated(name, first).about(name), key)
        seen[spelling] = key
        if isinstance(node, Mapping):
            error = BadSheet("a given is a value or a list of values, not names with values")
            question.refuse(error.about(name), node)
        elif isinstance(node, Sequence):
            for item in node.items:
                if not isinstance(item, Scalar):
                    error = BadSheet("a list of givens holds plain values only")
                    question.refuse(error.about(name), item)


def refused_defaults(defaults: Node, file: str) -> list[DdcalcError]:
    """What is wrong with a ``defaults`` block itself."""
    errors: list[DdcalcError] = []

    def refuse(error: DdcalcError, node: Node) -> None:
        errors.append(error.about("defaults", place(file, node)))

    if not isinstance(defaults, Mapping):
        refuse(BadSheet("defaults holds givens by type, for example epoch-time: {workers: 6}"), defaults)
        return errors
    for name, (key, node) in defaults.entries.items():
        try:
            problem_named(name)
        except UnknownName as error:
            refuse(error, key)
        if not isinstance(node, Mapping):
            refuse(BadSheet(f"the defaults of {name} hold names with values"), node)
    return errors
