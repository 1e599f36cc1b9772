"""One node of a tree from YAML events: limits kept, everything clever refused."""

from __future__ import annotations

from typing import Final, NoReturn, Protocol

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Entries, Mapping, Node, Scalar, Sequence, place
from ddcalc.boundary.source import Feed
from ddcalc.errors import (
    BadFile,
    BadSheet,
    DdcalcError,
    OverLimit,
    Place,
    Repeated,
    quote,
)

_MAPPING: Final = "a problem is a mapping with `type:` and `given:`"


class Parser(Protocol):
    """What the C and the Python parser of PyYAML have in common."""

    def get_event(self) -> Event | None: ...


UNKNOWN: Final = 1 << 60  # a line that there is not


class TooLong(Exception):
    """A problem has more events than a problem may have."""


class Builder:
    """Nodes out of the events of *parser*, the errors in them collected in ``errors``.

    Raises what the parser raises, and OverLimit where a refused problem does not end either.
    """

    def __init__(self, parser: Parser, feed: Feed, file: str, first_line: int = 1) -> None:
        self.file = file
        self.errors: list[DdcalcError] = []
        self._feed = feed
        self._get = parser.get_event
        self.first_line = first_line
        self._most = 0  # the count of events at which the present problem is too long
        self._open = 0  # containers of the present problem that have begun and not ended
        self.line = UNKNOWN  # on which the present problem begins, or the next one may
        self._place = Place(file, first_line, 1)

    def structure(self) -> Event:
        """The next event outside problems, where any number may come."""
        self._feed.count = self._most = self._feed.count + 1
        return self._get() or self._cut_short()

    def line_text(self, number: int) -> str | None:
        """A line that was read lately."""
        return self._feed.line_text(number)

    def leave_out(self, lines: int) -> None:
        """Count *lines* that the parser is not given."""
        self.first_line += lines
        self._feed.line += lines

    def next(self) -> Event:
        """The next event of the present problem; TooLong where it has too many."""
        feed = self._feed
        if feed.count >= self._most:
            raise TooLong
        feed.count += 1
        return self._get() or self._cut_short()

    def _cut_short(self) -> NoReturn:
        raise BadFile("ends in the middle of a document", Place(self.file))

    def begin(self, event: Event, inside: int = 0) -> None:
        """Count events and collect errors anew, from *event* on, *inside* open containers."""
        self.errors = []
        self._open = inside
        self._place = self.at(event)
        self._most = self._feed.count - 1 + limits.EVENTS

    def problem(self, event: Event) -> Node:
        """The problem that begins with *event*, in part where ``errors`` say so."""
        self.begin(event)
        self.line = self._place.line
        made: Node = Scalar("", self._place.line, self._place.column)
        try:
            if isinstance(event, MappingStartEvent):
                made = self.start_mapping(event)
                self.line = self._behind(self._fill(made.entries))
            else:
                self.pass_over(event, BadSheet(_MAPPING, self._place))
                self.line = UNKNOWN
        except TooLong:
            self.too_long()
            self.line = UNKNOWN
        return made

    def _behind(self, end: Event) -> int:
        """The first line on which something may stand behind a problem with that *end*."""
        start, after = end.start_mark, end.end_mark
        if start is None or after is None:
            return UNKNOWN
        bracket = after.column > start.column  # the end of a block has no width
        return after.line + self.first_line + bracket

    def too_long(self) -> None:
        """Refuse the present problem for its length and pass over what is left of it."""
        reason = f"more than {limits.EVENTS} YAML events, the most that one problem may have"
        self.errors.append(OverLimit(reason, self._place))
        self._most += limits.SKIPPED
        try:
            self._leave(0)
        except TooLong:
            reason = f"more than {limits.SKIPPED} further YAML events in a refused problem"
            raise OverLimit(f"{reason}; the rest of the file is not read", self._place) from None

    def node(self, event: Event) -> Node:
        """The node that begins with *event*."""
        if type(event) is ScalarEvent:
            return self.scalar(event)
        if self._open >= limits.NESTING and not isinstance(event, AliasEvent):
            reason = f"nested more than {limits.NESTING} deep, the most that is allowed"
            return self.pass_over(event, OverLimit(reason, self.at(event)))
        if isinstance(event, MappingStartEvent):
            made = self.start_mapping(event)
            self._fill(made.entries)
            return made
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event)
        return self.pass_over(event, self._alias(event))

    def start_mapping(self, event: MappingStartEvent) -> Mapping:
        """The mapping that *event* begins, still empty."""
        self.refuse_marks(event)
        self._open += 1
        return Mapping({}, *self._spot(event))

    def scalar(self, event: ScalarEvent) -> Scalar:
        """The text of *event*, cut where it is over its limit."""
        text = event.value
        if event.anchor is not None or event.tag is not None:
            self.refuse_marks(event)
        if len(text) > limits.SCALAR:
            reason = f"{len(text)} characters in one value; {limits.SCALAR} are allowed"
            self.errors.append(OverLimit(reason, self.at(event)))
            text = text[: limits.SCALAR]
        return Scalar(text, *self._spot(event), not event.style)

    def key(self, event: Event, entries: Entries) -> Scalar | None:
        """The key that *event* is; None where it is refused, and its value then of no use."""
        if type(event) is not ScalarEvent:
            alias = isinstance(event, AliasEvent)
            reason = "a key must be a plain name, not a list or mapping"
            error = self._alias(event) if alias else BadSheet(reason, self.at(event))
            self.pass_over(event, error)
            return None
        key = self.scalar(event)
        if key.text in entries:
            self.errors.append(self.repeated(key, entries[key.text][0]))
            return None
        if key.text == "<<" and key.plain:
            reason = "the merge key << is not allowed; write its entries out"
            self.errors.append(BadSheet(reason, self.at(event)))
            return None
        return key

    def repeated(self, key: Scalar, first: Scalar) -> Repeated:
        """The error that *key* stands where *first* stood before."""
        error = Repeated(key.text, place(self.file, first))
        error.place = place(self.file, key)
        return error

    def pass_over(self, event: Event, error: DdcalcError | None = None) -> Scalar:
        """A stand-in for the node that begins with *event*, left out because of *error*."""
        if error:
            self.errors.append(error)
        if isinstance(event, CollectionStartEvent):
            self._open += 1
            self._leave(self._open - 1)
        return Scalar("", *self._spot(event))

    def refuse_marks(self, event: NodeEvent) -> None:
        """Collect the errors that *event* has an anchor or a tag, if it has."""
        if event.anchor is not None:
            reason = f"the anchor {quote('&' + event.anchor)} is not allowed; remove it"
            self.errors.append(BadSheet(reason, self.at(event)))
        tag = getattr(event, "tag", None)
        if tag is not None:
            reason = f"the tag {quote(tag)} is not allowed; write the value without it"
            self.errors.append(BadSheet(reason, self.at(event)))

    def at(self, event: Event) -> Place:
        """Where *event* begins."""
        return Place(self.file, *self._spot(event))

    def _spot(self, event: Event) -> tuple[int, int]:
        mark = event.start_mark
        assert mark is not None  # only events made by hand have none
        return mark.line + self.first_line, mark.column + 1

    def _fill(self, entries: Entries) -> Event:
        """Read *entries* up to the event that ends them, which is returned."""
        while type(event := self.next()) is not MappingEndEvent:
            key = self._plain(event)
            if key is None or key.text in entries or key.text == "<<":
                key = self.key(event, entries)
            event = self.next()
            if key is None:
                self.pass_over(event)
            else:
                entries[key.text] = (key, self._plain(event) or self.node(event))
        self._open -= 1
        return event

    def _plain(self, event: Event) -> Scalar | None:
        """The text of an *event* with which nothing can be wrong, as nearly all are."""
        if type(event) is not ScalarEvent or event.anchor is not None or event.tag is not None:
            return None
        text, mark = event.value, event.start_mark
        if len(text) > limits.SCALAR or mark is None:
            return None
        return Scalar(text, mark.line + self.first_line, mark.column + 1, not event.style)

    def _sequence(self, event: SequenceStartEvent) -> Sequence:
        self.refuse_marks(event)
        self._open += 1
        made = Sequence([], *self._spot(event))
        items = made.items
        while not isinstance(element := self.next(), SequenceEndEvent):
            if len(items) < limits.LIST:
                items.append(self.node(element))
                continue
            reason = f"more than {limits.LIST} elements in one list, the most that is allowed"
            self.errors.append(OverLimit(reason, self.at(element)))
            self.pass_over(element)
            self._leave(self._open - 1)
            return made
        self._open -= 1
        return made

    def _alias(self, event: Event) -> BadSheet:
        name = quote(f"*{getattr(event, 'anchor', '')}")
        return BadSheet(f"the alias {name} is not allowed; write the value again", self.at(event))

    def _leave(self, still_open: int) -> None:
        """Pass over events until only *still_open* containers are open."""
        while self._open > still_open:
            event = self.next()
            if isinstance(event, CollectionStartEvent):
                self._open += 1
            elif isinstance(event, CollectionEndEvent):
                self._open -= 1
            if self._open > limits.DEPTH:
                reason = f"nested more than {limits.DEPTH} deep; the rest of the file is not read"
                raise OverLimit(reason, self.at(event))
