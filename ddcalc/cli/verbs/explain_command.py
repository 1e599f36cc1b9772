"""The verb ``explain``: words of the field and topics of the manual, with commands to try."""

from __future__ import annotations

from typing import Final

from ddcalc.cli.documents import Page
from ddcalc.cli.options import argument
from ddcalc.cli.subject import showing
from ddcalc.problem.known.catalog import types_with
from ddcalc.problem.known.explained import term_named, terms, topics
from ddcalc.render import pages

WORDS: Final = argument(
    "TERM|TOPIC",
    list[str] | None,
    "A word of the field such as straggler, or a topic such as files; none lists them all.",
)


@showing(WORDS)
def command(words: list[str]) -> Page:
    """The page that *words* name; without words a line for each page. Raises UnknownName."""
    if not words:
        return Page(lambda: pages.terms(terms().values(), topics().values()))
    name = "-".join(words).casefold()
    if topic := topics().get(name) or topics().get(f"{name}s"):
        return Page(lambda: pages.topic(topic))
    term = term_named(" ".join(words))
    return Page(lambda: pages.term(term, [*types_with(term.name)]))
