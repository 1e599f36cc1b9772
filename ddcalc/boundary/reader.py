"""Problems out of a source, one after the other, in memory that does not grow with the file.

They are YAML documents, or ndjson: one JSON object a line, read by the json module. Only a plain
line is built here. One that is long, deep, has a key twice or holds a list of problems is read once
more as YAML, which knows all limits and every column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Final

from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Entries, Item, Mapping, Node, Scalar, Sequence
from ddcalc.boundary.source import Feed, Source, fed, numbered
from ddcalc.boundary.yaml_documents import PROBLEMS, documents
from ddcalc.errors import BadFile, BadSheet, DdcalcError, OverLimit, Place

_Value = str | bool | list["_Value"] | Scalar | Mapping | None
_WORDS: Final = {None: "null", True: "true", False: "false"}
_ESCAPE: Final = r"(?<!\\)((?:\\\\)*)\\u"
_PAIR: Final = re.compile(_ESCAPE + r"([dD][89abAB]..)\\u([dD][c-fC-F]..)")
_LONE: Final = re.compile(_ESCAPE + r"[dD][89a-fA-F]")


def read(source: Source, feed: Feed | None = None) -> Iterator[Item]:
    """The items of *source*: YAML, or ndjson where its first line is a whole JSON object.

    A *feed* of it may have been looked into before. Never raises for what the file holds: an error
    that ends the file is its last item's.
    """
    return read_feed(feed or fed(source), source.name)


def read_feed(feed: Feed, file: str) -> Iterator[Item]:
    """The items of the text of a *file*, as ``read``."""
    try:
        yield from (lines if is_ndjson(feed) else documents)(feed, file)
    except BadFile as error:
        yield Item(None, errors=[error])


def is_ndjson(feed: Feed) -> bool:
    """Whether the first line of a text is a whole JSON object."""
    return _is_object(feed.first_line())


def relocate(item: Item, file: str) -> Item:
    """*item* of a *file* with the columns that the fast way through ndjson leaves out, if its line
    can be read as YAML."""
    if item.positioned or item.text is None or item.node is None:
        return item
    again = next(_as_yaml(item.text, item.node.line, file))
    if again.node is None:
        return item
    again.index = item.index
    return again


def _is_object(line: str) -> bool:
    """Whether *line* is one whole JSON object."""
    try:
        return line.startswith("{") and isinstance(_Tree().node(line, 1), Mapping)
    except (JSONDecodeError, RecursionError):
        return False


def lines(feed: Feed, file: str, first: int = 1) -> Iterator[Item]:
    """The problems in the lines of *feed*, whose *first* has that number; an error in a line does
    not stop the next ones."""
    tree, index = _Tree(), 0
    for number, text in numbered(feed.chunks(), first):
        if text is None:
            reason = f"more than {limits.LINE} characters in one line, the most that is allowed"
            items: Iterable[Item] = [_wrong(OverLimit(reason, Place(file, number)))]
        elif not text or text.isspace():
            continue
        else:
            items = _items(tree, text, number, file)
        base = index
        for item in items:
            item.index += base if item.index else 0
            index = max(index, item.index)
            yield item


class _Tree:
    """JSON texts as nodes, which know their line only."""

    def __init__(self) -> None:
        number = self._number
        self._line = 0
        self.repeats = False  # whether a key stood twice in the last text
        self._decoder = JSONDecoder(
            object_pairs_hook=self._mapping,
            parse_int=number,
            parse_float=number,
            parse_constant=number,
        )

    def node(self, text: str, line: int) -> Node:
        """The tree of *text*; JSONDecodeError where it is no JSON, RecursionError if too deep."""
        self._line, self.repeats = line, False
        return self._node(self._decoder.decode(text))

    def _number(self, text: str) -> Scalar:
        return Scalar(text, self._line, 0, True)

    def _mapping(self, pairs: list[tuple[str, _Value]]) -> Mapping:
        line = self._line
        entries: Entries = {}
        for name, value in pairs:
            made = Scalar(value, line, 0, False) if type(value) is str else self._node(value)
            entries[name] = (Scalar(name, line, 0, False), made)
        if len(entries) < len(pairs):
            self.repeats = True
        return Mapping(entries, line, 0)

    def _node(self, value: _Value) -> Node:
        if isinstance(value, Scalar | Mapping):
            return value
        if isinstance(value, str):
            return Scalar(value, self._line, 0, False)
        if isinstance(value, list):
            return Sequence([self._node(element) for element in value], self._line, 0)
        return Scalar(_WORDS[value], self._line, 0, True)


def _items(tree: _Tree, text: str, number: int, file: str) -> Iterable[Item]:
    try:
        node = tree.node(text, number)
    except JSONDecodeError as error:
        reason = f"is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        return [_wrong(BadFile(reason, Place(file, number, error.colno)))]
    except RecursionError:
        return _as_yaml(text, number, file)
    if not isinstance(node, Mapping):
        reason = "a line must be one JSON object, as the first one is"
        return [_wrong(BadSheet(reason, Place(file, number, 1)))]
    if "\\u" in text and (lone := _LONE.search(_joined(text))):
        reason = "half a surrogate pair is not a character"
        return [_wrong(BadFile(reason, Place(file, number, lone.end(1) + 1)))]
    deep = text.count("[") + text.count("{") > limits.NESTING
    if tree.repeats or PROBLEMS in node.entries or deep or len(text) > limits.SCALAR:
        return _as_yaml(text, number, file)
    return [Item(node, positioned=False, index=1, text=text)]


def _wrong(error: DdcalcError) -> Item:
    return Item(None, errors=[error], index=1)


def _as_yaml(text: str, number: int, file: str) -> Iterator[Item]:
    feed = Feed(iter([_joined(text)]), file)
    try:
        yield from documents(feed, file, number)
    except BadFile as error:
        yield _wrong(error)


def _joined(text: str) -> str:
    """JSON *text* with surrogate pairs written as YAML writes characters beyond U+FFFF."""

    def character(pair: re.Match[str]) -> str:
        high, low = int(pair[2], 16), int(pair[3], 16)
        return f"{pair[1]}\\U{0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF):08X}"

    return _PAIR.sub(character, text) if "\\u" in text else text
