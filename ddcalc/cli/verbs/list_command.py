"""The verbs ``ask`` and ``list``: which problem types a phrase is about, and all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ddcalc.cli.documents import Page
from ddcalc.cli.options import argument
from ddcalc.cli.session import Session
from ddcalc.cli.subject import showing
from ddcalc.errors import quote
from ddcalc.problem.catalog import GROUPS, Entry, catalog, grouped

if TYPE_CHECKING:
    from ddcalc.problem.index import Match
    from ddcalc.render.blocks import Block

HELP: Final = """\
    ddcalc ask "how many workers until the network takes longer than the gpu?"

    ddcalc list communication

Any words do, in any order, misspelt too. Nothing that fits is no error: it is said, and the
subjects are shown.
"""
REASONS: Final = 2  # that are shown of a type
SUBJECTS: Final = f"Subjects for 'ddcalc list': {', '.join(GROUPS.values())}."
NAMED: Final = ("question", "name", "subject")  # of which the passage is not quoted
CUT: Final = 70  # characters of a reason's passage


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
            return _listing(entries, [])
        from ddcalc.problem.index import matches, subject_named

        subject = None if asks else subject_named(phrase)
        if subject is None:
            return suggestions(phrase, matches(phrase))
        members = [entry for entry in entries if entry.group == subject]
        others = [match.entry for match in matches(phrase) if match.entry not in members]
        return _listing(members, others)

    return page(session, words)


# The types of a subject, or all of them


def _listing(entries: Sequence[Entry], others: Sequence[Entry]) -> Page:
    """The types listed, and *others* that are about the same words."""
    groups = [(name[0].upper() + name[1:], members) for name, members in grouped(entries)]
    also = f"See also: {', '.join(entry.slug for entry in others)}"

    def blocks() -> Iterator[Block]:
        from ddcalc.render.blocks import Heading, Paragraph, words_table

        for name, members in groups:
            yield Heading(name, 2)
            yield words_table(("", ""), ((one.slug, one.summary()) for one in members))
        if others:
            yield Paragraph((also,))

    def data() -> dict[str, Any]:
        listed = [_described(entry) for entry in entries]
        return {"types": listed, "mentioned_by": [entry.slug for entry in others]}

    return Page(blocks, data)


def _described(entry: Entry) -> dict[str, str]:
    return {"type": entry.slug, "group": entry.group, "question": entry.summary()}


# The types that a phrase may be about


def suggestions(phrase: str, ranked: Sequence[Match], opening: str = "") -> Page:
    """The types *ranked* for a *phrase*, why, and the command to start from with each. An *opening*
    stands above them, or that nothing fits."""
    if not any(match.reasons for match in ranked):
        nearest = " These have names like it." if ranked else ""
        opening = f"No problem type is about {quote(phrase)}.{nearest}"

    def blocks() -> Iterator[Block]:
        from ddcalc.render.blocks import Code, Heading, Items, Paragraph
        from ddcalc.render.manual import command_line

        if opening:
            yield Paragraph((opening,))
        for match in ranked:
            yield Heading(f"{match.entry.slug}: {match.entry.summary()}", 2)
            whys = []  # the words that matched, and what they matched, where most of them do
            for passage, words in [*match.reasons.items()][:REASONS]:
                text = textwrap.shorten(passage.text, CUT, placeholder=" …")
                where = f"in its {passage.where}" if passage.where in NAMED else f"“{text}”"
                whys.append((f"{', '.join(words)}: {where}",))
            if whys:
                yield Items(tuple(whys))
            yield Code(command_line(match.entry.load()))
        yield Paragraph((SUBJECTS,))

    def described(match: Match) -> dict[str, Any]:
        reasons = [
            {"words": words, "where": passage.where, "text": passage.text}
            for passage, words in match.reasons.items()
        ]
        from ddcalc.render.manual import command_line

        command = command_line(match.entry.load()).replace(" \\\n ", "")
        return {**_described(match.entry), "reasons": reasons, "command": command}

    def data() -> dict[str, Any]:
        types, subjects = [*map(described, ranked)], [*GROUPS.values()]
        return {"about": phrase, "types": types, "mentioned_by": [], "subjects": subjects}

    return Page(blocks, data)
