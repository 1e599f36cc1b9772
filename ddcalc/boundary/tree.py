"""Problems out of a source, one after the other, in memory that does not grow with the file.

They are YAML documents, or ndjson: one JSON object a line, each of which is a YAML document too.
The events of PyYAML's parser become nodes with places and texts, limits kept, everything clever
refused; each problem as soon as it is complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
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
    StreamEndEvent,
)

from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Entries, Item, Mapping, Node, Scalar, Sequence, place
from ddcalc.boundary.source import Source, numbered
from ddcalc.errors import BadFile, BadSheet, DdcalcError, OverLimit, Place, Repeated, quote

PROBLEMS: Final = "problems"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENING: Final = (MappingStartEvent, SequenceStartEvent)
_CLOSING: Final = (MappingEndEvent, SequenceEndEvent)
_TOP: Final = "a problem file is a mapping with `problems:`, or one problem"
_LIST: Final = "`problems` must be a list, each element beginning with `- `"
_MAPPING: Final = "a problem is a mapping with `type:` and `given:`"
_SPOILT: Final = "not solved, because what stands above `problems` is wrong"
_PAIR: Final = re.compile(r"(?<!\\)((?:\\\\)*)(\\u[dD][89abAB]..\\u[dD][c-fC-F]..)")
_HINTS: Final = {
    "found character that cannot start any token": "; indent with spaces, quote @ ` and %",
    "found a tab character that violates indentation": "; indent with spaces",
    "mapping values are not allowed in this context": (
        '; a text with a colon stands in quotes: t = a + b: "sum => in two: {a} and {b}"'
    ),
    "did not find expected ',' or '}'": "; what has braces, brackets or commas needs quotes there",
}


def read(source: Source) -> Iterator[Item]:
    """The items of *source*: YAML, or ndjson where its first line is a whole JSON object.

    Never raises for what the file holds: an error that ends the file is its last item's.
    """
    first = source.first_line()
    is_lines = first.startswith("{") and not _wrong_json(first)
    try:
        yield from _lines(source) if is_lines else documents(source, source.name)
    except BadFile as error:
        yield Item(None, errors=[error])


def _lines(source: Source) -> Iterator[Item]:
    """The problems in the lines of *source*; an error in a line does not stop the next ones."""
    for number, text in numbered(source.chunks()):
        at = Place(source.name, number)
        try:
            if text is None:
                reason = f"more than {limits.LINE} characters in one line, the most that is allowed"
                raise OverLimit(reason, at)
            if not text or text.isspace():
                continue
            if wrong := _wrong_json(text):
                reason = f"is not valid JSON: {wrong.msg[:1].lower()}{wrong.msg[1:]}"
                raise BadFile(reason, replace(at, column=wrong.colno))
            if not text.lstrip().startswith("{"):
                reason = "a line must be one JSON object, as the first one is"
                raise BadSheet(reason, replace(at, column=1))
            if "\\u" in text:  # YAML writes characters beyond U+FFFF in one piece
                text = _PAIR.sub(lambda at: at[1] + json.loads(f'"{at[2]}"'), text)
            yield from documents(text, source.name, number)
        except BadFile as error:
            yield Item(None, errors=[error], is_problem=True)


def _wrong_json(text: str) -> json.JSONDecodeError | None:
    """Why *text* is no JSON; None where it is, or is nested too deep to be read as such."""
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        return error
    except RecursionError:
        pass
    return None


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


class _TooMuch(Exception):
    """The present problem has more events than it may."""


class _Documents:
    """The documents in a *stream*. What is wrong with what is being read collects in ``errors``."""

    def __init__(self, stream: Source | str, file: str, first_line: int) -> None:
        self._event: Callable[[], Event | None] = _LOADER(stream).get_event
        self._source = stream if isinstance(stream, Source) else None
        self._file, self._first_line = file, first_line
        self.errors: list[DdcalcError] = []
        self._start = Place(file, first_line, 1)  # of the present problem
        self._count = 0  # of its events
        self._open = 0  # its mappings and lists that have begun and not ended
        self._last: Event = DocumentStartEvent()  # that was read
        self._line = 0  # on which the present problem begins, or the next one may

    def items(self) -> Iterator[Item]:
        """All items."""
        empty = True
        while not isinstance(event := self._event(), StreamEndEvent):
            if not isinstance(event, DocumentStartEvent):
                continue
            event = self._next()
            if not (isinstance(event, ScalarEvent) and event.value == "" and not event.style):
                empty = False
                yield from self._document(event)
        if empty:
            yield Item(None, errors=[BadSheet("is empty", Place(self._file))])

    def _next(self) -> Event:
        """The next event, of which there must be one; OverLimit where the file is given up."""
        if (event := self._event()) is None:
            raise BadFile("ends in the middle of a document", Place(self._file))
        if self._source is not None:
            self._source.quiet = 0
        self._last = event
        self._count += 1
        if self._count <= limits.EVENTS:
            return event
        if self._count == limits.EVENTS + 1:
            reason = f"more than {limits.EVENTS} YAML events, the most that one problem may have"
            self.errors.append(OverLimit(reason, self._start))
        if self._count > limits.EVENTS + limits.SKIPPED:
            reason = f"more than {limits.SKIPPED} further YAML events in a refused problem"
            raise OverLimit(f"{reason}; the rest of the file is not read", self._start)
        return event

    def _skip(self, event: Event, around: int) -> None:
        """Read on from *event* to where so many mappings and lists are open."""
        self._open += (type(event) in _OPENING) - (type(event) in _CLOSING)
        while self._open > around:
            if self._open > limits.DEPTH:
                reason = f"nested more than {limits.DEPTH} deep; the rest of the file is not read"
                raise OverLimit(reason, self._at(event))
            event = self._next()
            self._open += (type(event) in _OPENING) - (type(event) in _CLOSING)

    def _begin(self, event: Event, count: int) -> None:
        """Collect errors and count events anew, from *event* on, *count* of which are known."""
        self.errors, self._start, self._count = [], self._at(event), count
        self._open = 0

    def _document(self, event: Event) -> Iterator[Item]:
        """One problem, or those in a list beside its head, and then the end, with all of that."""
        self._begin(event, -1)  # its end is not counted
        if not isinstance(event, MappingStartEvent):
            self._refused(BadSheet(_TOP, self._start), event)
            yield Item(None, errors=self.errors, is_problem=True)
            return
        self._refuse_marks(event)
        top, listed, self._open = Mapping({}, *self._spot(event)), None, 1
        while not isinstance(event := self._next(), MappingEndEvent):
            key, event = self._key(event, top.entries), self._next()
            if key is None or key.text != PROBLEMS:
                try:
                    self._entry(key, event, top.entries)
                except _TooMuch:
                    self._skip(self._last, 1)
            elif listed is not None:
                self._refused(self._repeated(key, listed), event)
            elif isinstance(event, SequenceStartEvent):
                listed = key
                self._refuse_marks(event)
                yield from self._problems(key, {**top.entries})
            else:
                self._refused(BadSheet(_LIST, self._at(event)), event)
        if listed is None:
            yield Item(top, errors=self.errors, is_problem=True)
        else:
            yield Item(None, top.entries, self.errors)

    def _problems(self, key: Scalar, head: Entries) -> Iterator[Item]:
        """Those in the list after *key*; a wrong *head* spoils them all."""
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
        self._begin(event, 0)
        self._open = 1
        if empty:
            self.errors.append(BadSheet("`problems` is empty", place(self._file, key)))

    def _problem(self, event: Event) -> Node:
        """The problem that begins with *event*, in part where ``errors`` say so."""
        self._begin(event, 1)
        self._line = self._start.line
        if isinstance(event, MappingStartEvent):
            self._refuse_marks(event)
            node: Node = (made := Mapping({}, *self._spot(event)))
            self._open = 1
            try:
                self._fill(made.entries)
            except _TooMuch:
                self._skip(self._last, 0)
        else:
            node = self._refused(BadSheet(_MAPPING, self._start), event)
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

    def _node(self, event: Event) -> Node:
        """The node that begins with *event*."""
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if isinstance(event, AliasEvent):
            reason = f"the alias {quote(f'*{event.anchor}')} is not allowed; write the value again"
            return self._refused(BadSheet(reason, self._at(event)), event)
        if self._open == limits.NESTING:
            reason = f"nested more than {limits.NESTING} deep, the most that is allowed"
            return self._refused(OverLimit(reason, self._at(event)), event)
        assert isinstance(event, CollectionStartEvent)
        self._refuse_marks(event)
        self._open += 1
        spot = self._spot(event)
        if isinstance(event, MappingStartEvent):
            self._fill((entries := Mapping({}, *spot)).entries)
            return entries
        listed = Sequence([], *spot)
        while not isinstance(event := self._next(), SequenceEndEvent):
            if self._count > limits.EVENTS:
                raise _TooMuch
            if len(listed.items) == limits.LIST:
                reason = f"more than {limits.LIST} elements in one list, the most that is allowed"
                self.errors.append(OverLimit(reason, self._at(event)))
                self._skip(event, self._open - 1)
                return listed
            listed.items.append(self._node(event))
        self._open -= 1
        return listed

    def _scalar(self, event: ScalarEvent) -> Scalar:
        """The value in *event*."""
        if event.anchor is not None or event.tag is not None:
            self._refuse_marks(event)
        text, mark = event.value, event.start_mark
        assert mark is not None  # only events made by hand have none
        if len(text) > limits.SCALAR:
            reason = f"{len(text)} characters in one value; {limits.SCALAR} are allowed"
            self.errors.append(OverLimit(reason, self._at(event)))
            text = text[: limits.SCALAR]
        return Scalar(text, mark.line + self._first_line, mark.column + 1, not event.style)

    def _fill(self, entries: Entries) -> None:
        """Read *entries* up to their end."""
        while not isinstance(event := self._next(), MappingEndEvent):
            self._entry(self._key(event, entries), self._next(), entries)
        self._open -= 1

    def _entry(self, key: Scalar | None, event: Event, entries: Entries) -> None:
        """Read the value of a *key* that begins with *event*; without a key pass over it."""
        if self._count > limits.EVENTS:
            raise _TooMuch
        if key is None:
            self._skip(event, self._open)
        else:
            entries[key.text] = key, self._node(event)

    def _key(self, event: Event, entries: Entries) -> Scalar | None:
        """The key that begins with *event*; None where it is refused, and its value of no use."""
        if not isinstance(event, ScalarEvent):
            if isinstance(event, AliasEvent):
                self._node(event)
                return None
            reason = "a key must be a plain name, not a list or mapping"
            self._refused(BadSheet(reason, self._at(event)), event)
            return None
        key = self._scalar(event)
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
        return Repeated(key.text, place(self._file, first)).about("", place(self._file, key))

    def _refused(self, error: DdcalcError, event: Event) -> Scalar:
        """A stand-in for the node that begins with *event*, left out because of *error*."""
        self.errors.append(error)
        self._skip(event, self._open)
        return Scalar("", *self._spot(event))

    def _refuse_marks(self, event: NodeEvent) -> None:
        """Collect the errors that *event* has an anchor or a tag, if it has."""
        if event.anchor is not None:
            reason = f"the anchor {quote('&' + event.anchor)} is not allowed; remove it"
            self.errors.append(BadSheet(reason, self._at(event)))
        if (tag := getattr(event, "tag", None)) is not None:
            reason = f"the tag {quote(tag)} is not allowed; write the value without it"
            self.errors.append(BadSheet(reason, self._at(event)))

    def _spot(self, event: Event) -> tuple[int, int]:
        """The line and column at which *event* begins."""
        mark = event.start_mark
        assert mark is not None  # as above
        return mark.line + self._first_line, mark.column + 1

    def _at(self, event: Event) -> Place:
        return Place(self._file, *self._spot(event))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
