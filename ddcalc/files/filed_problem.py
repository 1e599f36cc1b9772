"""What a problem in a file means: its names, its type, the texts of its givens, its answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping as Mapped
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from ddcalc.boundary import nodes
from ddcalc.boundary.nodes import Entries, Mapping, Node, Scalar, Sequence, named, place, texts_in
from ddcalc.boundary.nodes import texts_by_name as by_name
from ddcalc.errors import BadNumber, BadSheet, BadValue, DdcalcError, Missing, Repeated, UnknownName
from ddcalc.files.defaults import Defaults, spelt_twice
from ddcalc.files.problem_keys import KEYS, NOTES, OF_ALL, unused
from ddcalc.numbers.units import Unit
from ddcalc.problem import stated_formulas
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.own import FORMULA, Own, extended, with_numbers
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated_formulas import NAME, WORD, is_made, is_plain, told_in, without_sizes

_EMPTY: Entries = {}
_TEXTS: Final = ("title", "source", "text", "like", "name")
_BLOCKS: Final = ("given", "expect", "claimed", "marking", "steps")
_ASKING: Final = frozenset({"ask", "quantity", "find", "where", "limit"})
_ASKS: Final = re.compile(r"\b(\w+) *(?:is|==|!=) ")  # which word it is
CANDIDATES: Final = 60  # values that what is found may have


@dataclass(slots=True)
class FiledProblem:
    """One problem of a file, as far as it could be understood; *errors* say what could not."""

    file: str
    line: int
    id: str | None = None
    kind: str | None = None
    title: str = ""
    source: str = ""
    text: str = ""  # the question in its author's words
    problem: type[Problem] | None = None
    find: Scalar | None = None  # the name of the given that is the unknown
    where: Node | None = None  # what must hold for it: a text, or a list of texts
    quantity: Node | None = None  # what is asked for: a name, or a list of names
    limit: Node | None = None  # what is to be met: a text, or a list of texts
    claim: Node | None = None  # what a call says that must hold
    steps: Entries = field(default_factory=dict)  # of its own: name = formula, and what it is
    like: str = ""  # the part that it is like
    goes_on: str = ""  # the part with which it goes on
    notes: dict[str, Scalar] = field(default_factory=dict)  # what its author adds, by key
    instead: set[str] = field(default_factory=set)  # the givens that the part before it finds
    formula: Scalar | None = None  # what it asks, instead of a type
    name: str = ""  # of what the formula comes to
    parts: list[FiledProblem] = field(default_factory=list)
    ending: FiledProblem | None = None  # what is said of all parts, which goes on with the last
    shared: Entries = field(default_factory=dict)  # what is given for all parts
    given: Entries = field(default_factory=dict)
    sought: Entries = field(default_factory=dict)  # of the unknown: the values that it may have
    told: Entries = field(default_factory=dict)  # of which its text alone speaks
    made: Entries = field(default_factory=dict)  # of its own, with a formula for each case
    expect: Entries = field(default_factory=dict)
    claimed: Entries = field(default_factory=dict)
    marking: Entries = field(default_factory=dict)
    errors: list[DdcalcError] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)  # givens that are no values
    words: Node | None = None  # its text as it stands
    paper: Mapped[str, str] = field(default_factory=dict)  # how an exam is written
    versions: Mapped[str, str] = field(default_factory=dict)  # of it, by who has them
    usual: set[str] = field(default_factory=set)  # givens that the defaults state
    origin: dict[str, tuple[str, Node]] = field(default_factory=dict)  # of steps: key, and where
    spelt: dict[str, str] = field(default_factory=dict)  # relations as written, by what they become

    @property
    def texts(self) -> dict[str, str | list[str]]:
        """The givens by name; nested values are left out, :func:`understood` has refused them."""
        return by_name(self.given | self.made)

    @property
    def asked(self) -> list[tuple[str, Unit | None]]:
        """The quantities asked for, if the problem names them, each with the unit that it says."""
        return [*map(stated_formulas.asked_in, texts_in(self.quantity))]

    @property
    def wanted(self) -> list[str]:
        """Their names."""
        return [name for name, _ in self.asked]

    @property
    def written(self) -> str:
        """The formulas that it states."""
        nodes = (self.formula, self.where, self.limit, *(x for _, x in self.given.values()))
        return "; ".join((*self.steps, *(text for one in nodes for text in texts_in(one))))

    @property
    def is_silent(self) -> bool:
        """Whether it asks for nothing but what its author concludes."""
        return self.quantity is not None and not self.asked

    def restated(self, instead: Mapped[int, tuple[Scalar, Node]]) -> FiledProblem:
        """The same question, not solved yet and without answers, with other entries *instead* of
        those that are given, by their identity: what parts share stays shared."""
        given, shared, told = (
            {name: instead.get(id(entry), entry) for name, entry in entries.items()}
            for entries in (self.given, self.shared, self.told)
        )
        again = replace(self, given=given, shared=shared, told=told, errors=[], parts=[], origin={})
        again.expect = again.claimed = again.marking = _EMPTY
        again.ending = self.ending and self.ending.restated(instead)
        return again

    def refuse(self, error: DdcalcError, node: Node | None = None) -> None:
        """Note *error*, found at *node*, or at the place in the formula there that it names."""
        error.problem = self.id
        if node is not None and (error.place is None or not error.place.file):
            within, error.place = error.place, place(self.file, node)
            if within and isinstance(node, Scalar):  # it counts from where the formula begins
                start = re.match(r"(?:\s*\w+\s*=(?!=)\s*)?", node.text)
                column = node.column + (not node.plain) + (start.end() if start else 0)
                column += within.column - 1
                error.place = replace(error.place, column=column, length=within.length)
        self.errors.append(error)

    def locate(self, error: DdcalcError) -> None:
        """Note an *error* about one of the givens, at the value or the name it is about.

        A given that is no value or list of values has been refused already. In a call it is told by
        the option.
        """
        if isinstance(error, BadNumber):
            error.text = self.spelt.get(error.text, error.text)
        if not self.file:
            option, _ = self.origin.get(error.parameter or "", ("", None))
            error.parameter = option or error.parameter
            self.errors.append(error)
            return
        name, _, index = (error.parameter or "").rpartition("[")
        if error.parameter in self.given or not name:
            name, index = error.parameter or "", ""
        stated = self.given | self.made
        if name in ("find", "where", "quantity", "limit") and name not in {*self.origin, *stated}:
            self.refuse(error, _member(getattr(self, name), index))
            return
        if isinstance(error, Missing):
            error.names = [name for name in error.names if name not in self.refused]
            if not error.names:
                return
        if name in self.refused:
            return
        entry = stated.get(name) or stated.get(name.replace("_", "-"))
        if entry is None:  # of a step of its own; in a relation, where that stands
            option, at = self.origin.get(name, ("", self.formula))
            error.parameter = option if stated_formulas.is_side(name) else error.parameter
            self.refuse(error, at or Scalar("", self.line))
            return
        key, node = entry
        if isinstance(error, UnknownName) and error.what == "given":
            node = key
            if self.kind == FORMULA.slug:
                error.why = unused(name, self.written)
        else:
            node = _member(node, index)
        self.refuse(error, node)


def stated_here(
    kind: type[Problem], texts: Mapped[str, Any], steps: Iterable[str] = (), **asks: Any
) -> FiledProblem:
    """The question that a call asks, as if a file did: *texts* by name of given, *steps* of its own
    with what they are, and what it *asks* by the keys of a file."""
    asked: Any = {key: nodes.node_of(value) for key, value in asks.items() if value}
    own = steps if isinstance(steps, dict) else dict.fromkeys(steps, "")
    asked["steps"] = nodes.entries_of(own)
    return FiledProblem("", 0, kind=kind.slug, problem=kind, given=nodes.entries_of(texts), **asked)


def _member(node: Node, index: str) -> Node:
    """The member of *node* of which the end of a name speaks (``2]``); itself, if it has none."""
    if index and isinstance(node, Sequence) and int(index[:-1]) <= len(node.items):
        return node.items[int(index[:-1]) - 1]
    return node


def understood(node: Mapping, defaults: Defaults, file: str) -> FiledProblem:
    """The question that *node* asks, with the *defaults* of its type put under its givens."""
    entries = node.entries
    texts = {name: value.text for name, (_, value) in entries.items() if isinstance(value, Scalar)}
    blocks = {n: one.entries for n, (_, one) in entries.items() if isinstance(one, Mapping)}
    read: dict[str, Any] = {name: texts[name] for name in _TEXTS if name in texts}
    read |= {name: blocks.get(name, _EMPTY) for name in _BLOCKS}
    read |= {"paper": defaults.paper, "versions": defaults.versions}
    question = FiledProblem(file, node.line, **read)
    if (known_id := nodes.id_in(node)) is not None:
        question.id = known_id.text
    elif "id" in entries and (wrong := nodes.no_id(entries["id"][1])):
        question.refuse(wrong, entries["id"][1])
    for name, (key, value) in entries.items():
        if name not in KEYS:
            question.refuse(UnknownName("key", name, KEYS), key)
        elif not KEYS[name][0].fits(value):
            question.refuse(BadSheet(f"{name} {KEYS[name][0].says}"), value)
    question.notes = {n: x for n, (_, x) in entries.items() if n in NOTES and isinstance(x, Scalar)}
    question.words = entries["text"][1] if question.text else None
    if "points" in entries and "points" not in question.marking:
        question.marking = {**question.marking, "points": entries["points"]}
    question.kind = texts.get("type") or None
    is_asked = _ASKING.isdisjoint(entries) or _read_wanted(question, entries)
    for name in filter(question.given.__contains__, map(named, question.steps)):
        question.refuse(BadValue(name, "is a step, too").about(name), question.given[name][0])
    _find_type(question, node, defaults)
    if question.problem is not None and question.problem.slug in defaults.wrong:
        question.refuse(BadSheet("is not solved: the defaults of its type are wrong"), node)
        question.problem = None
    elif question.problem is not None:
        stated, find = question.given, question.find
        unknown = None if find is None else find.text
        question.given = defaults.under(question.problem, stated, unknown)
        question.usual = {name.replace("-", "_") for name in question.given.keys() - stated.keys()}
    _refuse_nested(question)
    if not is_asked:
        question.problem = None  # it is not asked as it stands
    return question


def _find_type(question: FiledProblem, node: Mapping, defaults: Defaults) -> None:
    stated, formula = node.entries.get("type"), node.entries.get("formula")
    if "parts" in node.entries:
        for name, (key, _) in node.entries.items():
            if name in KEYS and name not in OF_ALL:
                question.refuse(BadSheet(f"{name} goes with a part, not with all of them"), key)
        return
    words = formula[1] if formula else None
    if isinstance(words, Scalar) or (not stated and {*node.entries} & {"steps", "where", "limit"}):
        question.formula = words if isinstance(words, Scalar) else None
        if "limit" in node.entries and not {*node.entries} & {"steps", "where", "formula"}:
            question.quantity = question.quantity or Sequence([])  # only whether it is met
        question.kind, question.problem = FORMULA.slug, FORMULA
        if question.name and (wrong := nodes.no_name(question.name, "name of a result")):
            question.refuse(wrong, node.entries["name"][1])
            question.problem = None
        if stated is not None:
            question.refuse(BadSheet("is asked by a type or by a formula, not by both"), stated[0])
    elif question.kind is not None and stated is not None:
        try:
            question.problem = problem_named(question.kind, question.file)
        except DdcalcError as error:
            question.refuse(error, stated[1])
    elif stated is None or isinstance(stated[1], Scalar):
        step = "; words alone need a step: steps: {n = 3: ways}, ask: []" * ("then" in node.entries)
        question.refuse(Missing([f"type{step}"]), stated[1] if stated else node)
    if question.problem is not None:
        try:
            question.problem = _with_own_numbers(question.problem, question, node, defaults)
        except DdcalcError as error:
            question.given = {**defaults.shared, **defaults.of_parts, **question.given}
            question.locate(error)
            question.problem = None


def _with_own_numbers(
    kind: type[Problem], question: FiledProblem, node: Mapping, defaults: Defaults
) -> type[Problem]:
    """The type *kind* with the numbers of its own of which a *question* speaks, but in its text."""
    known, steps = {*kind.quantities, *kind.choices, *kind.slots}, {*map(named, question.steps)}
    stated = {**defaults.shared, **defaults.of_parts, **question.given}
    results = stated.keys() & kind.quantities.keys() - kind.givens.keys()
    if not (results or stated.keys() - known or question.text or "find" in node.entries):
        return kind
    said = _said(question, node)
    if kind is FORMULA:  # lists of which nothing speaks tell cases apart, and later parts have them
        said += (name for name, (_, x) in question.given.items() if isinstance(x, Sequence))
    for name in sorted(_spoken(kind, stated, [*said, *question.steps]) & results):
        reason = f"is a result of {kind.slug}, too: call it otherwise"
        raise BadValue(name, reason).about(name)
    own = {n: entry for n, entry in stated.items() if n in known or n not in steps}
    sought = question.find.text if question.find else ""  # whose list are values that it may have
    for name, entry in [*own.items()]:
        if isinstance(entry[1], Sequence) and name not in {*known, sought}:
            made = texts_in(entry[1])
            words = _ASKS.findall(" ".join([*said, *question.steps]))  # none of [m, 8] is a word
            is_any = any(map(is_plain, made)) or {name, *made} <= own.keys() - {*words}
            if any(is_made(x, {*own, *steps}) for x in made if is_any or not WORD.fullmatch(x)):
                said += [name, *made]
                question.made = {**question.made, name: own.pop(name)}
    said += (x for n, (_, one) in own.items() if n in kind.givens for x in texts_in(one))
    by_formula = _made(own, [*said, *question.steps], known)
    question.steps = by_formula | question.steps
    given = {n: entry for n, entry in question.given.items() if n in own}
    candidates = _offered(sought, own, kind)
    if sought and (sought not in kind.givens or len(candidates) > 1):  # its own has it for its unit
        question.sought = {sought: given.pop(sought)} if sought in given else {}
    texts = {name: every for name, (_, one) in own.items() if (every := texts_in(one))}
    kind = with_numbers(kind, chain(said, question.steps), texts)
    told = {*told_in(question.text), *defaults.of_parts.keys() & given.keys()} - known
    question.told = {n: stated[n] for n in told & stated.keys() - {*kind.givens, *kind.choices}}
    question.given = {n: entry for n, entry in given.items() if n not in question.told}
    offered = ((sought, candidates),) * (len(candidates) > 1 and sought in kind.givens)
    numbers = {*map(named, by_formula), *question.made}
    return extended(kind, Own(candidates=offered, given=tuple(sorted(numbers))))


def _said(question: FiledProblem, node: Mapping) -> list[str]:
    """What *question*, which *node* asks, says in formulas, and the names in its own words."""
    asked = map(node.entries.get, ("formula", "find", "where", "limit"))
    said = [text for entry in asked if entry is not None for text in texts_in(entry[1])]
    written = [x for text, (_, one) in question.steps.items() for x in (text, *texts_in(one))]
    notes = (one.text for one in question.notes.values())
    return [*said, *told_in(" ".join((question.text, *written, *notes)))]


def _spoken(kind: type[Problem], stated: Entries, said: list[str]) -> set[str]:
    """The names of which what is *said* speaks, and what is *stated* for givens of *kind*."""
    made = (x for n, (_, one) in stated.items() if n in kind.givens for x in texts_in(one))
    return {*NAME.findall(without_sizes("; ".join((*said, *made))))}


def _offered(sought: str, own: Entries, kind: type[Problem]) -> tuple[str, ...]:
    """The values given for what is *sought*; raises BadValue for too many, for another number of
    the question's *own* with a value for each, or where it is stated nowhere."""
    if sought and named(sought) not in {*own, *kind.quantities, *kind.choices, *kind.slots}:
        reason = "is found: state it among the givens, with any value, as in n: 1 or t: 1 s"
        raise BadValue(sought, reason).about("find")
    offered = tuple(texts_in(own[sought][1])) if sought in own else ()
    for text in (x for x in offered[1:] and offered if is_made(x, {*own} - {sought})):
        reason = "is a formula, not a number: cases tell which is best, without find"
        raise BadValue(text, reason).about(sought)
    if (count := len(offered)) > CANDIDATES:
        raise BadValue(f"{count} values", f"are more than {CANDIDATES}").about(sought)
    for name, (_, one) in own.items() if count > 1 else ():
        if len(texts_in(one)) == count and name not in {sought, *kind.givens}:
            reason = f"has a value for each {sought}: cases tell which is best, without find"
            raise BadValue(f"{name}: {count} values", reason).about(name)
    return offered


def _made(own: Entries, said: list[str], known: set[str]) -> Entries:
    """The numbers of the question's *own* that are formulas, as steps, no longer among these: those
    of which the formulas *said* speak, and they themselves, and that the type has not *known*."""
    steps, every, asked = dict[str, tuple[Scalar, Node]](), {*own}, _ASKS.findall(" ".join(said))
    while said:
        for name in NAME.findall(without_sizes(said.pop())):
            _, one = own.get(name, (None, None))
            if name in known or not isinstance(one, Scalar):
                continue
            if WORD.fullmatch(one.text) and (one.text not in every or name in asked):
                continue
            if is_made(one.text, every):
                del own[name]
                words = f"{name} = {one.text}"
                at = replace(one, text=words, column=one.column - len(words) + len(one.text))
                steps = {words: (at, Scalar("null")), **steps}
                said.append(one.text)
    return steps


def _read_wanted(question: FiledProblem, entries: Entries) -> bool:
    """Whether ``find`` and ``where``, which go together, and ``quantity`` ask for something."""
    before = len(question.errors)
    if "ask" in entries:
        if "quantity" in entries:
            question.refuse(BadSheet("ask and quantity are the same"), entries["ask"][0])
        entries = {**entries, "quantity": entries["ask"]}
    for name, other in (("find", "where"), ("where", "find")):
        if name in entries and not texts_in(entries.get(other, (0, None))[1]):
            question.refuse(Missing([other]), entries[name][0])
    stated = {name: entries[name][1] for name in ("find", "where", "quantity") if name in entries}
    find, question.where = stated.get("find"), stated.get("where")
    question.find = find if isinstance(find, Scalar) else None
    question.quantity, question.limit = stated.get("quantity"), entries.get("limit", (0, None))[1]
    fit = all(KEYS[name][0].fits(value) for name, value in stated.items())
    return fit and len(question.errors) == before


def _refuse_nested(question: FiledProblem) -> None:
    """Givens are values or lists of values; a name in two spellings is given twice."""
    blocks = (question.given, question.expect, question.claimed, question.marking)
    for entries in filter(None, blocks):
        for name, key, first in spelt_twice(entries):
            question.refuse(Repeated(name, place(question.file, first)).about(name), key)
    nested = ((n, one) for n, (_, one) in question.given.items() if not isinstance(one, Scalar))
    for name, node in nested:
        spelling, reason = named(name), "a list of givens holds plain values only"
        given = question.problem.givens.get(spelling) if question.problem else None
        has_rows = given is not None and given.rows
        if isinstance(node, Mapping):
            beside = "names of cases are a list of words beside it: racks: [one rack, 2 racks]"
            reason = f"a given is a value or a list, not names with values; {beside}"
        for item in node.items if isinstance(node, Sequence) else [node]:
            cells = item.items if has_rows and isinstance(item, Sequence) else [item]
            if not all(isinstance(cell, Scalar) for cell in cells):
                question.refuse(BadSheet(reason).about(name), item)
                question.refused.add(spelling)
