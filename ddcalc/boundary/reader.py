"""Problems out of a source, one after the other, in memory that does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.boundary.documents import documents
from ddcalc.boundary.feed import Feed
from ddcalc.boundary.lines import is_object, lines, relocated
from ddcalc.boundary.nodes import Item
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile

__all__ = ["Item", "fed", "read", "relocate"]


def fed(source: Source) -> Feed:
    """The text of *source* on its way to a parser."""
    return Feed(source.chunks(), source.name, source.line_text)


def read(source: Source, feed: Feed | None = None) -> Iterator[Item]:
    """The items of *source*: YAML, or ndjson where its first line is a whole JSON object.

    A *feed* of it may have been looked into before. Never raises for what the file holds: an error
    that ends the file is its last item's.
    """
    feed = feed or fed(source)
    try:
        whole = is_object(feed.first_line())
        yield from (lines if whole else documents)(feed, source.name)
    except BadFile as error:
        yield Item(None, errors=[error])


def relocate(item: Item, source: Source) -> Item:
    """*item* of *source* with the columns that the fast way through ndjson leaves out."""
    return relocated(item, source.name)
