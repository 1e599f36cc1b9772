"""What a problem in a file means: its names, its type, the texts of its givens, its answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ddcalc.boundary.nodes import Entries, Mapping, Node, Scalar, Sequence, place
from ddcalc.errors import BadSheet, BadValue, DdcalcError, Missing, Repeated, UnknownName
from ddcalc.numbers.matrix import row
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.problem import Problem
from ddcalc.sheet.defaults import Defaults, spelt_twice

KEYS = ("id", "type", "title", "source", "find", "where", "given", "expect", "claimed", "marking")
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST_ID = 64

_EMPTY: Entries = {}


@dataclass(slots=True)
class Question:
    """One problem of a file, as far as it could be understood; *errors* say what could not."""

    file: str
    line: int
    id: str | None = None
    id_node: Scalar | None = None
    kind: str | None = None
    title: str = ""
    source: str = ""
    problem: type[Problem] | None = None
    find: Scalar | None = None  # the name of the given that is the unknown
    where: Node | None = None  # what must hold for it: a text, or a list of texts
    given: Entries = field(default_factory=dict)
    expect: Entries = field(default_factory=dict)
    claimed: Entries = field(default_factory=dict)
    marking: Entries = field(default_factory=dict)
    errors: list[DdcalcError] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)  # givens that are no values
    usual: set[str] = field(default_factory=set)  # givens that the defaults state

    @property
    def texts(self) -> dict[str, str | list[str]]:
        """The givens by name; nested values are left out, :func:`understood` has refused them."""
        texts: dict[str, str | list[str]] = {}
        for key, (_, node) in self.given.items():
            name = key.replace("-", "_")
            if isinstance(node, Scalar):
                texts.setdefault(name, node.text)
            elif isinstance(node, Sequence):
                texts.setdefault(name, list(_members(node)))
        return texts

    @property
    def relations(self) -> list[str]:
        """What must hold for the unknown, as texts."""
        nodes = self.where.items if isinstance(self.where, Sequence) else [self.where]
        return [node.text for node in nodes if isinstance(node, Scalar)]

    def refuse(self, error: DdcalcError, node: Node | None = None) -> None:
        """Note *error*, found at *node*."""
        error.problem = self.id
        if node is not None and error.place is None:
            error.place = place(self.file, node)
        self.errors.append(error)

    def locate(self, error: DdcalcError) -> None:
        """Note an *error* about one of the givens, at the value or the name it is about.

        A given that is no value or list of values has been refused already.
        """
        name, _, index = (error.parameter or "").rpartition("[")
        if error.parameter in self.given or not name:
            name, index = error.parameter or "", ""
        if name in ("find", "where"):
            self.refuse(error, self._wanted(name, index))
            return
        if isinstance(error, Missing):
            error.names = [name for name in error.names if name not in self.refused]
            if not error.names:
                return
        if name in self.refused:
            return
        entry = self.given.get(name) or self.given.get(name.replace("_", "-"))
        if entry is None:
            self.refuse(error, Scalar("", self.line))
            return
        key, node = entry
        if isinstance(error, UnknownName) and error.what == "parameter":
            node = key
        elif index and isinstance(node, Sequence) and int(index[:-1]) <= len(node.items):
            node = node.items[int(index[:-1]) - 1]
        self.refuse(error, node)

    def _wanted(self, name: str, index: str) -> Node | None:
        """Where ``find`` or ``where`` stands, or one of the texts there."""
        if name == "find":
            return self.find
        if index and isinstance(self.where, Sequence):
            return self.where.items[int(index[:-1]) - 1]
        return self.where


def understood(node: Mapping, defaults: Defaults, file: str) -> Question:
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
    _find_type(question, node)
    understood_find = _read_wanted(question, entries)
    question.given = _block(question, entries, "given")
    if question.problem is not None and question.problem.slug in defaults.wrong:
        question.refuse(BadSheet("is not solved: the defaults of its type are wrong"), node)
        question.problem = None
    elif question.problem is not None:
        unknown = None if question.find is None else question.find.text
        own = question.given
        question.given = defaults.under(question.problem, own, unknown)
        question.usual = {name.replace("-", "_") for name in question.given.keys() - own.keys()}
    question.expect = _block(question, entries, "expect")
    question.claimed = _block(question, entries, "claimed")
    question.marking = _block(question, entries, "marking")
    _refuse_nested(question)
    if not understood_find:
        question.problem = None  # it is not asked as it stands
    return question


def _find_type(question: Question, node: Mapping) -> None:
    stated = node.entries.get("type")
    if question.kind is not None and stated is not None:
        try:
            question.problem = problem_named(question.kind)
        except DdcalcError as error:
            question.refuse(error, stated[1])
    elif stated is None or isinstance(stated[1], Scalar):
        question.refuse(Missing(["type"]), stated[1] if stated else node)


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
        question.id_node = node
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


def _read_wanted(question: Question, entries: Entries) -> bool:
    """Whether ``find`` and ``where``, which go together, are understood or left out."""
    before = len(question.errors)
    for name, other in (("find", "where"), ("where", "find")):
        if name in entries and other not in entries:
            question.refuse(Missing([other]), entries[name][0])
    if "find" in entries:
        node = entries["find"][1]
        if isinstance(node, Scalar):
            question.find = node
        else:
            question.refuse(BadSheet("find is the name of one given"), node)
    if "where" in entries:
        node = question.where = entries["where"][1]
        listed = node.items if isinstance(node, Sequence) else [node]
        if not listed or not all(isinstance(each, Scalar) for each in listed):
            told = "where is a relation, for example total <= 300 s, or a list of them"
            question.refuse(BadSheet(told), node)
    return len(question.errors) == before


def _block(question: Question, entries: Entries, name: str) -> Entries:
    if name not in entries:
        return _EMPTY
    node = entries[name][1]
    if isinstance(node, Mapping):
        return node.entries
    if not (isinstance(node, Scalar) and node.plain and node.text in ("", "null", "~")):
        question.refuse(BadSheet(f"{name} holds names with values, for example workers: 6"), node)
    return _EMPTY


def _refuse_nested(question: Question) -> None:
    """Givens are values or lists of values; a name in two spellings is given twice."""
    for entries in (question.given, question.expect, question.claimed, question.marking):
        for name, key, first in spelt_twice(entries):
            question.refuse(Repeated(name, place(question.file, first)).about(name), key)
    for name, (_, node) in question.given.items():
        spelling = name.replace("-", "_")
        if isinstance(node, Mapping):
            error = BadSheet("a given is a value or a list of values, not names with values")
            question.refuse(error.about(name), node)
            question.refused.add(spelling)
        elif isinstance(node, Sequence):
            for item in node.items:
                if not (isinstance(item, Scalar) or _is_row(question, spelling, item)):
                    error = BadSheet("a list of givens holds plain values only")
                    question.refuse(error.about(name), item)
                    question.refused.add(spelling)


def _members(node: Sequence) -> Iterator[str]:
    """The texts of a list, those of a row as one."""
    for item in node.items:
        if isinstance(item, Scalar):
            yield item.text
        elif isinstance(item, Sequence):
            yield row(each.text for each in item.items if isinstance(each, Scalar))


def _is_row(question: Question, name: str, item: Node) -> bool:
    """Whether *item* is a list of plain values, and *name* a given that may have rows."""
    given = question.problem.givens.get(name) if question.problem else None
    if given is None or not given.rows or not isinstance(item, Sequence):
        return False
    return all(isinstance(each, Scalar) for each in item.items)
