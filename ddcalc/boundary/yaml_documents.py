"""The problems in a stream of YAML documents, each as soon as it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import yaml
from yaml.events import (
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ddcalc.boundary.builder import Builder, Parser, TooLong
from ddcalc.boundary.nodes import Entries, Item, Node, Scalar, place
from ddcalc.boundary.source import Feed
from ddcalc.errors import BadFile, BadSheet, Place


class SlowParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    """PyYAML's own parser with the face of the C parser: fifty times slower, same events.

    It is used where PyYAML was built without libyaml.
    """

    def __init__(self, stream: Feed) -> None:
        yaml.reader.Reader.__init__(self, stream)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)

    def get_event(self) -> Event | None:
        """The next event; UnicodeEncodeError for half a surrogate pair, as the C parser."""
        event: Event | None = super().get_event()  # type: ignore[no-untyped-call]
        if isinstance(event, ScalarEvent):
            event.value.encode()
        return event


make_parser: Callable[[Feed], Parser]
try:
    from yaml._yaml import CParser

    make_parser = CParser
except ImportError:
    make_parser = SlowParser

PROBLEMS: Final = "problems"
MOST = 2_000  # lines above an error that are looked at
_TOP: Final = "a problem file is a mapping with `problems:`, or one problem"
_LIST: Final = "`problems` must be a list, each element beginning with `- `"
_SPOILT: Final = "not solved, because what stands above `problems` is wrong"
_HINTS: Final = {
    "found character that cannot start any token": "; indent with spaces, quote @ ` and %",
    "found a tab character that violates indentation": "; indent with spaces",
    "mapping values are not allowed in this context": "; a colon in a text needs quotes round it",
}


def documents(
    feed: Feed, file: str, first_line: int = 1, *, rescuing: bool = True, left_out: int = 0
) -> Iterator[Item]:
    """The items of all documents in *feed*; raises BadFile where its text is no YAML.

    Before that, when *rescuing*, the problems above whose end the parser had not reported. Where
    lines are *left out*, they stand below the key ``problems`` and what follows it at once.
    """
    builder = Builder(make_parser(feed), feed, file, first_line)
    reading = _Documents(builder, rescuing, left_out).items()
    while True:
        try:
            item = next(reading, None)
        except yaml.MarkedYAMLError as error:
            raise _syntax(error, file, builder.first_line) from error
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            raise BadFile("is not valid YAML: a wrong escape or tag", Place(file)) from error
        if item is None:
            return
        yield item


def _syntax(error: yaml.MarkedYAMLError, file: str, first_line: int) -> BadFile:
    mark, problem = error.problem_mark or error.context_mark, str(error.problem)
    where = Place(file, mark.line + first_line, mark.column + 1) if mark else Place(file)
    context = f" ({error.context})" if error.context else ""
    return BadFile(f"is not valid YAML: {problem}{context}{_HINTS.get(problem, '')}", where)


class _Documents:
    """The documents that *builder* builds."""

    def __init__(self, builder: Builder, rescuing: bool, left_out: int) -> None:
        self._builder = builder
        self._rescuing = rescuing
        self._left_out = left_out
        self._index = 0

    def items(self) -> Iterator[Item]:
        empty, following = True, self._builder.structure
        while type(event := following()) is not StreamEndEvent:
            if type(event) is not DocumentStartEvent:
                continue
            event = following()
            if type(event) is ScalarEvent and event.value == "" and not event.style:
                continue  # an empty document
            for item in self._document(event):
                empty = False
                yield item
        if empty:
            yield Item(None, errors=[BadSheet("is empty", Place(self._builder.file))])

    def _document(self, event: Event) -> Iterator[Item]:
        builder = self._builder
        if isinstance(event, MappingStartEvent):
            yield from self._mapping(event)
        else:
            builder.begin(event)
            error = BadSheet(_TOP, builder.at(event))
            try:
                builder.pass_over(event, error)
            except TooLong:
                builder.too_long()
            yield self._item(None)

    def _mapping(self, event: MappingStartEvent) -> Iterator[Item]:
        """One problem, or the problems beside a head."""
        builder = self._builder
        builder.begin(event)
        top = builder.start_mapping(event)
        head = top.entries
        key = self._entries(head)
        if key is None:
            yield self._item(top)
            return
        wrong = builder.errors
        if wrong:
            yield Item(None, head, wrong)
        yield from self._problems(key, head, bool(wrong))

    def _problems(self, key: Scalar, head: Entries, wrong: bool) -> Iterator[Item]:
        """The list after *key*, then the end of its document; a *wrong* head spoils them all."""
        builder = self._builder
        before = self._index
        builder.line = key.line + 1 + self._left_out
        builder.leave_out(self._left_out)
        self._left_out = 0
        try:
            while not isinstance(event := builder.structure(), SequenceEndEvent):
                node = builder.problem(event)
                if wrong:
                    builder.errors.append(BadSheet(_SPOILT, place(builder.file, key)))
                yield self._item(node, head)
        except (yaml.MarkedYAMLError, BadFile) as error:
            if self._rescuing and not wrong:
                yield from self._rescued(error, head)
            raise
        builder.begin(event, inside=1)
        if self._index == before:
            builder.errors.append(BadSheet("`problems` is empty", place(builder.file, key)))
        complete = dict(head)
        self._entries(complete, key)
        yield Item(None, complete, builder.errors)

    def _rescued(self, error: yaml.MarkedYAMLError | BadFile, head: Entries) -> Iterator[Item]:
        """The problems that stand whole above *error* and have not been yielded."""
        builder = self._builder
        text = _complete_lines(error, builder.line, builder.first_line, builder.line_text)
        if text is None:
            return
        again = Feed(iter([f"{PROBLEMS}:\n{text}"]), builder.file, builder.line_text)
        with suppress(BadFile):
            for item in list(documents(again, builder.file, builder.line - 1, rescuing=False)):
                if item.index:
                    made = self._item(item.node, head)
                    made.errors = item.errors
                    yield made

    def _entries(self, entries: Entries, before: Scalar | None = None) -> Scalar | None:
        """Read top-level *entries* up to the list of problems, whose key is returned, or the end.

        *before* is the key of a list that came already.
        """
        builder = self._builder
        try:
            while type(event := builder.next()) is not MappingEndEvent:
                key = builder.key(event, entries)
                event = builder.next()
                if key is None:
                    builder.pass_over(event)
                elif key.text != PROBLEMS:
                    entries[key.text] = (key, builder.node(event))
                elif before:
                    builder.pass_over(event, builder.repeated(key, before))
                elif isinstance(event, SequenceStartEvent):
                    builder.refuse_marks(event)
                    return key
                else:
                    builder.pass_over(event, BadSheet(_LIST, builder.at(event)))
        except TooLong:
            builder.too_long()
        return None

    def _item(self, node: Node | None, head: Entries | None = None) -> Item:
        self._index += 1
        return Item(node, head, self._builder.errors, index=self._index)


def _complete_lines(
    error: Exception, first: int, first_line: int, line_text: Callable[[int], str | None]
) -> str | None:
    """The lines from *first* on that hold whole list elements above where *error* is.

    A YAML parser looks ahead: it fails at a wrong line before it has said where that ends (in
    brackets: even where that begins) which stands above. None where there are no such elements, or
    where the wrong line may belong to the last of them.
    """
    wrong, column = _where(error, first_line)
    lines = [line_text(number) for number in range(first, min(wrong, first + MOST))]
    if not lines or None in lines or wrong - first > MOST:
        return None
    known = [line or "" for line in lines]
    while known and not known[0].lstrip().startswith("-"):
        del known[0]
    if not known:
        return None
    dash = _indent(known[0])
    refused = line_text(wrong) or ""
    begins = _indent(refused) + 1 if refused.strip() else column
    last = next(line for line in reversed(known) if line.strip() and _indent(line) == dash)
    in_brackets = last.lstrip("- ").startswith("{")  # then nothing below can belong to it
    if (begins > dash + 1 and not in_brackets) or refused.lstrip().startswith("#"):
        return None
    return "\n" * (len(lines) - len(known)) + "\n".join(known) + "\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _where(error: Exception, first_line: int) -> tuple[int, int]:
    """The line and column (from 1) of a parser's or decoder's *error*."""
    if isinstance(error, BadFile) and error.place:
        return error.place.line, error.place.column
    mark = getattr(error, "problem_mark", None) if isinstance(error, yaml.YAMLError) else None
    return (mark.line + first_line, mark.column + 1) if mark else (0, 0)
