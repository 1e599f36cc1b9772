"""Problems out of a source, one after the other, in memory that does not grow with the file.

They are YAML documents, or ndjson: one JSON object a line, each of which is a YAML document too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Item
from ddcalc.boundary.source import Source, numbered
from ddcalc.boundary.tree import documents
from ddcalc.errors import BadFile, BadSheet, OverLimit, Place

_PAIR: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)")


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
        try:
            if text is None:
                reason = f"more than {limits.LINE} characters in one line, the most that is allowed"
                raise OverLimit(reason, Place(source.name, number))
            if text and not text.isspace():
                yield from _line(text, number, source.name)
        except BadFile as error:
            yield Item(None, errors=[error], is_problem=True)


def _line(text: str, number: int, file: str) -> Iterable[Item]:
    """The items in a line of ndjson."""
    if wrong := _wrong_json(text):
        reason = f"is not valid JSON: {wrong.msg[:1].lower()}{wrong.msg[1:]}"
        raise BadFile(reason, Place(file, number, wrong.colno))
    if not text.lstrip().startswith("{"):
        reason = "a line must be one JSON object, as the first one is"
        raise BadSheet(reason, Place(file, number, 1))
    if "\\u" in text:  # YAML writes characters beyond U+FFFF in one piece
        text = _PAIR.sub(_character, text)
    return documents(text, file, number)


def _wrong_json(text: str) -> json.JSONDecodeError | None:
    """Why *text* is no JSON; None where it is, or is nested too deep to be read as such."""
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        return error
    except RecursionError:
        pass
    return None


def _character(pair: re.Match[str]) -> str:
    high, low = int(pair[2], 16), int(pair[3], 16)
    return f"{pair[1]}\\U{0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF):08X}"
