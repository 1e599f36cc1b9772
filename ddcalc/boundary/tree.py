"""YAML into places and texts: the events of PyYAML's parser become nodes, limits kept, everything
clever refused; each problem as soon as it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import yaml
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Entries, Item, Mapping, Node, Scalar, Sequence, place
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile, BadSheet, DdcalcError, OverLimit, Place, Repeated, quote

PROBLEMS: Final = "problems"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPER: Final[dict[type, int]] = {
    MappingStartEvent: 1, SequenceStartEvent: 1, MappingEndEvent: -1, SequenceEndEvent: -1,
}  # fmt: skip
_TOP: Final = "a problem file is a mapping with `problems:`, or one problem"
_LIST: Final = "`problems` must be a list, each element beginning with `- `"
_MAPPING: Final = "a problem is a mapping with `type:` and `given:`"
_SPOILT: Final = "not solved, because what stands above `problems` is wrong"
_HINTS: Final = {
    "found character that cannot start any token": "; indent with spaces, quote @ ` and %",
    "found a tab character that violates indentation": "; indent with spaces",
    "mapping values are not allowed in this context": (
        '; a text with a colon stands in quotes: t = a + b: "sum => in two: {a} and {b}"'
    ),
    "did not find expected ',' or '}'": "; what has braces, brackets or commas needs quotes there",
}


def documents(stream: Source | str, file: str, first_line: int = 1) -> Iterator[Item]:
    """The items of all documents of a *file*; raises BadFile where its text is no YAML, after the
    problems above that stand there whole."""
    reading = _Documents(stream, file, first_line)
    try:
        yield from reading.items()
    except yaml.MarkedYAMLError as error:
        mark, problem = error.problem_mark or error.context_mark, str(error.problem)
        where = Place(file, mark.line + first_line, mark.column + 1) if mark else Place(file)
        context = f" ({error.context})" if error.context else ""
        reason = f"is not valid YAML: {problem}{context}{_HINTS.get(problem, '')}"
        raise BadFile(reason, where) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise BadFile("is not valid YAML: a wrong escape or tag", Place(file)) from error


class _Documents:
    """The documents in a *stream*. What is wrong with what is being read collects in ``errors``."""

    def __init__(self, stream: Source | str, file: str, first_line: int) -> None:
        self._events: Iterator[Event] = yaml.parse(stream, Loader=_LOADER)
        self._source = stream if isinstance(stream, Source) else None
        self._file, self._first_line = file, first_line
        self.errors: list[DdcalcError] = []
        self._start = Place(file, first_line, 1)  # of the present problem
        self._count = 0  # of its events
        self._depth = 0  # of the node that is being built
        self._last: Event = DocumentStartEvent()  # of the node that was gathered last
        self._line = 0  # on which the present problem begins, or the next one may

    def items(self) -> Iterator[Item]:
        """All items."""
        empty = True
        for event in self._events:
            if not isinstance(event, DocumentStartEvent):
                continue
            event = self._next()
            if not (isinstance(event, ScalarEvent) and event.value == "" and not event.style):
                empty = False
                yield from self._document(event)
        if empty:
            yield Item(None, errors=[BadSheet("is empty", Place(self._file))])

    def _next(self) -> Event:
        """The next event, of which there must be one."""
        event = next(self._events, None)
        if event is None:
            raise BadFile("ends in the middle of a document", Place(self._file))
        if self._source is not None:
            self._source.quiet = 0
        return event

    def _begin(self, event: Event) -> None:
        """Count events and collect errors anew, from *event* on."""
        self.errors, self._start, self._count = [], self._at(event), 0

    def _document(self, event: Event) -> Iterator[Item]:
        """One problem, or those in a list beside its head."""
        self._begin(event)
        if not isinstance(event, MappingStartEvent):
            self._gathered(event)
            self.errors = [BadSheet(_TOP, self._start), *self.errors]
            yield Item(None, errors=self.errors, is_problem=True)
            return
        self._refuse_marks(event)
        top = Mapping({}, *_spot(event, self._first_line))
        key = self._entries(top.entries)
        if key is None:
            yield Item(top, errors=self.errors, is_problem=True)
        else:
            yield from self._problems(key, top.entries)

    def _entries(self, entries: Entries, before: Scalar | None = None) -> Scalar | None:
        """Read top-level *entries* up to the list of problems, whose key is returned, or the end.

        *before* is the key of a list that came already.
        """
        while not isinstance(event := self._next(), MappingEndEvent):
            known = self._gathered(event)
            key = self._key(known[0], iter(known[1:]), entries) if known else None
            event = self._next()
            if key is not None and key.text == PROBLEMS:
                if before is None and isinstance(event, SequenceStartEvent):
                    self._refuse_marks(event)
                    return key
                wrong = BadSheet(_LIST, self._at(event))
                self.errors.append(self._repeated(key, before) if before else wrong)
            known = self._gathered(event)
            if key is not None and key.text != PROBLEMS and known:
                self._depth = 1
                entries[key.text] = key, self._node(known[0], iter(known[1:]))
        return None

    def _problems(self, key: Scalar, head: Entries) -> Iterator[Item]:
        """The list after *key*, then the end of its document; a wrong *head* spoils them all."""
        empty, wrong = True, self.errors
        self._line = key.line + 1
        if wrong:
            yield Item(None, head, wrong)
        try:
            while not isinstance(event := self._next(), SequenceEndEvent):
                empty = False
                node = self._problem(event)
                if wrong:
                    self.errors.append(BadSheet(_SPOILT, place(self._file, key)))
                yield Item(node, head, self.errors, is_problem=True)
        except (yaml.MarkedYAMLError, BadFile) as error:
            if not wrong:
                yield from self._rescued(error, head)
            raise
        self._begin(event)
        if empty:
            self.errors.append(BadSheet("`problems` is empty", place(self._file, key)))
        complete = dict(head)
        self._entries(complete, key)
        yield Item(None, complete, self.errors)

    def _problem(self, event: Event) -> Node:
        """The problem that begins with *event*, in part where ``errors`` say so."""
        self._begin(event)
        self._line = self._start.line
        known = self._gathered(event)
        if isinstance(event, MappingStartEvent):
            self._depth = 0
            node = self._node(event, iter(known[1:]))
        else:
            self.errors.append(BadSheet(_MAPPING, self._start))
            node = Scalar("", self._start.line, self._start.column)
        start, end = self._last.start_mark, self._last.end_mark
        if start is not None and end is not None:  # the end of a block has no width
            self._line = end.line + self._first_line + (end.column > start.column)
        return node

    def _rescued(self, error: yaml.MarkedYAMLError | BadFile, head: Entries) -> Iterator[Item]:
        """The problems that stand whole above *error* and have not been yielded.

        A parser looks ahead: it fails at a wrong line before it has said where that ends (in
        brackets: even where that begins) which stands above. Nothing is rescued where the wrong
        line may belong to the problem above it.
        """
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        where = Place("", mark.line + self._first_line, mark.column + 1) if mark else Place("")
        where = error.place or where if isinstance(error, BadFile) else where
        if self._source is None or where.line <= self._line:
            return
        lines = self._source.lines(self._line, where.line)
        refused = self._source.line_text(where.line) or ""
        dashes = [line for line in lines if line.lstrip().startswith("-")]
        if not dashes or refused.lstrip().startswith("#"):
            return
        first, indent = lines.index(dashes[0]), _indent(dashes[0])
        last = [line for line in dashes if _indent(line) == indent][-1]
        column = _indent(refused) if refused.strip() else where.column - 1
        in_brackets = last.lstrip("- ").startswith("{")  # then nothing below can belong to it
        if column <= indent or in_brackets:
            text = "\n".join([f"{PROBLEMS}:", *lines[first:], ""])
            with suppress(BadFile):
                for item in [*documents(text, self._file, self._line + first - 1)]:
                    if item.is_problem:
                        item.head = head
                        yield item

    def _gathered(self, event: Event) -> list[Event]:
        """*event* and all that belong to the same node, as many as one problem may have."""
        gathered: list[Event] = []
        depth = 0
        while True:
            depth += _DEEPER.get(type(event), 0)
            self._count += 1
            if self._count <= limits.EVENTS:
                gathered.append(event)
            elif self._count == limits.EVENTS + 1:
                reason = f"more than {limits.EVENTS} YAML events, the most that one problem may"
                self.errors.append(OverLimit(f"{reason} have", self._start))
            elif self._count > limits.EVENTS + limits.SKIPPED:
                reason = f"more than {limits.SKIPPED} further YAML events in a refused problem"
                raise OverLimit(f"{reason}; the rest of the file is not read", self._start)
            if depth > limits.DEPTH:
                reason = f"nested more than {limits.DEPTH} deep; the rest of the file is not read"
                raise OverLimit(reason, self._at(event))
            if depth <= 0:
                self._last = event
                return gathered
            event = self._next()

    def _node(self, event: Event, events: Iterator[Event]) -> Node:
        """The node that begins with *event* and goes on with *events*, perhaps not to its end."""
        line, column = _spot(event, self._first_line)
        if isinstance(event, ScalarEvent):
            text = event.value
            if event.anchor is not None or event.tag is not None:
                self._refuse_marks(event)
            if len(text) > limits.SCALAR:
                reason = f"{len(text)} characters in one value; {limits.SCALAR} are allowed"
                self.errors.append(OverLimit(reason, self._at(event)))
                text = text[: limits.SCALAR]
            return Scalar(text, line, column, not event.style)
        if isinstance(event, AliasEvent):
            reason = f"the alias {quote(f'*{event.anchor}')} is not allowed; write the value again"
            return self._refused(BadSheet(reason, self._at(event)), event, events)
        if self._depth >= limits.NESTING:
            reason = f"nested more than {limits.NESTING} deep, the most that is allowed"
            return self._refused(OverLimit(reason, self._at(event)), event, events)
        assert isinstance(event, CollectionStartEvent)
        self._refuse_marks(event)
        self._depth += 1
        made: Mapping | Sequence
        if isinstance(event, MappingStartEvent):
            made = Mapping({}, line, column)
            self._fill(made.entries, events)
        else:
            made = Sequence([], line, column)
            self._list(made.items, events)
        self._depth -= 1
        return made

    def _fill(self, entries: Entries, events: Iterator[Event]) -> None:
        """Read *entries* up to their end."""
        for event in events:
            if isinstance(event, MappingEndEvent):
                return
            key = self._key(event, events, entries)
            value = next(events, None)
            if value is None:
                return
            if key is None:
                _pass(value, events)
            else:
                entries[key.text] = key, self._node(value, events)

    def _list(self, items: list[Node], events: Iterator[Event]) -> None:
        """Read *items* up to their end."""
        for event in events:
            if isinstance(event, SequenceEndEvent):
                return
            if len(items) < limits.LIST:
                items.append(self._node(event, events))
                continue
            reason = f"more than {limits.LIST} elements in one list, the most that is allowed"
            self._refused(OverLimit(reason, self._at(event)), event, events)
            _pass(event, events, depth=1)
            return

    def _key(self, event: Event, events: Iterator[Event], entries: Entries) -> Scalar | None:
        """The key that begins with *event*; None where it is refused, and its value of no use."""
        if isinstance(event, AliasEvent):
            self._node(event, events)
            return None
        if not isinstance(event, ScalarEvent):
            reason = "a key must be a plain name, not a list or mapping"
            self._refused(BadSheet(reason, self._at(event)), event, events)
            return None
        key = self._node(event, events)
        assert isinstance(key, Scalar)
        if key.text in entries:
            self.errors.append(self._repeated(key, entries[key.text][0]))
            return None
        if key.text == "<<" and key.plain:
            reason = "the merge key << is not allowed; write its entries out"
            self.errors.append(BadSheet(reason, self._at(event)))
            return None
        return key

    def _repeated(self, key: Scalar, first: Scalar) -> DdcalcError:
        """The error that *key* stands where *first* stood before."""
        error = Repeated(key.text, place(self._file, first))
        error.place = place(self._file, key)
        return error

    def _refused(self, error: DdcalcError, event: Event, events: Iterator[Event]) -> Scalar:
        """A stand-in for the node that begins with *event*, left out because of *error*."""
        self.errors.append(error)
        _pass(event, events)
        return Scalar("", *_spot(event, self._first_line))

    def _refuse_marks(self, event: NodeEvent) -> None:
        """Collect the errors that *event* has an anchor or a tag, if it has."""
        if event.anchor is not None:
            reason = f"the anchor {quote('&' + event.anchor)} is not allowed; remove it"
            self.errors.append(BadSheet(reason, self._at(event)))
        if (tag := getattr(event, "tag", None)) is not None:
            reason = f"the tag {quote(tag)} is not allowed; write the value without it"
            self.errors.append(BadSheet(reason, self._at(event)))

    def _at(self, event: Event) -> Place:
        """Where *event* begins."""
        return Place(self._file, *_spot(event, self._first_line))


def _pass(event: Event, events: Iterator[Event], depth: int = 0) -> None:
    """Pass over what begins with *event*, and the end of so many containers that it stands in."""
    depth += _DEEPER.get(type(event), 0)
    while depth > 0 and (following := next(events, None)) is not None:
        depth += _DEEPER.get(type(following), 0)


def _spot(event: Event, first_line: int) -> tuple[int, int]:
    mark = event.start_mark
    assert mark is not None  # only events made by hand have none
    return mark.line + first_line, mark.column + 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
