"""The verbs ``ask`` and ``list``: which problem types a phrase is about, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ddcalc.cli.documents import Page
from ddcalc.cli.options import argument
from ddcalc.cli.session import Session
from ddcalc.cli.subject import showing
from ddcalc.problem.known.catalog import GROUPS, Entry, catalog, grouped

if TYPE_CHECKING:
    from ddcalc.problem.known.index import Match
    from ddcalc.render.blocks import Block

HELP: Final = """\
    ddcalc ask "how many workers until the network takes longer than the gpu?"

    ddcalc list communication

Any words do, in any order, misspelt too. Nothing that fits is no error: it is said, and the
subjects are shown.
"""


def command(session: Session, words: Sequence[str]) -> Callable[..., None]:
    """The verb that *words* begin with as a command for Typer."""
    asks = words[0] == "ask"
    of_list = argument(
        "WORD", list[str] | None, "A subject such as communication, or any words; none lists all."
    )
    of_ask = argument("QUESTION", list[str], "A question, or some of its words.")

    @showing(of_ask if asks else of_list)
    def page(said: Sequence[str]) -> Page:
        """What is listed for what is *said*: a subject's types, or those that it may be about."""
        phrase, entries = " ".join(said), list(catalog().values())
        if not phrase and not asks:
            return _listing(entries)
        from ddcalc.problem.known.index import matches, subject_named

        subject = None if asks else subject_named(phrase)
        if subject is None:
            return _suggestions(phrase, matches(phrase))
        return _listing([entry for entry in entries if entry.group == subject])

    return page(session, words)


# The types of a subject, or all of them


def _listing(entries: Sequence[Entry]) -> Page:
    """The types listed."""

    def blocks() -> Iterator[Block]:
        from ddcalc.render.blocks import Heading, words_table

        for name, members in grouped(entries):
            yield Heading(name[0].upper() + name[1:], 2)
            yield words_table(("", ""), ((one.slug, one.summary()) for one in members))

    return Page(blocks, lambda: {"types": [*map(_described, entries)]})


def _described(entry: Entry) -> dict[str, str]:
    return {"type": entry.slug, "group": entry.group, "question": entry.summary()}


# The types that a phrase may be about


def _suggestions(phrase: str, ranked: Sequence[Match]) -> Page:
    """The types *ranked* for a *phrase*, why, and the command to start from with each."""

    def described(match: Match) -> dict[str, Any]:
        every = match.reasons.items()
        reasons = [{"words": words, "where": x.where, "text": x.text} for x, words in every]
        from ddcalc.render.manual import command_line

        command = command_line(match.entry.load()).replace(" \\\n ", "")
        return {**_described(match.entry), "reasons": reasons, "command": command}

    def data() -> dict[str, Any]:
        types = [*map(described, ranked)]
        return {"about": phrase, "types": types, "subjects": [*GROUPS.values()]}

    from ddcalc.render.manual import suggestions

    return Page(lambda: suggestions(phrase, ranked), data)
