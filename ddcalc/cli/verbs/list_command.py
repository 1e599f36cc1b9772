"""The verb ``list``: the problem types by subject, and those that are about something."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from ddcalc.cli.documents import Page, deliver
from ddcalc.cli.formats import PAGES, Target
from ddcalc.cli.options import argument, delivery
from ddcalc.cli.session import Session
from ddcalc.cli.subject import refusing, with_options
from ddcalc.errors import BrokenType, UnknownName
from ddcalc.problem.catalog import GROUPS, Entry, catalog, grouped, refuse_former
from ddcalc.problem.problem import Problem
from ddcalc.problem.terms import terms
from ddcalc.render.blocks import Block, Heading, Paragraph, TextTable
from ddcalc.render.terminal.layout import Look

HELP: Final = ""
OPTIONS: Final = (
    argument(
        "WORD", list[str] | None, "List only types about it, for example straggler or latency."
    ),
    *delivery(PAGES),
)
WORDS: Final[dict[str, Any]] = {"break_on_hyphens": False, "break_long_words": False}


def command(session: Session, _words: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer."""

    def run(words: list[str] | None, **delivered: Any) -> None:
        target = Target(PAGES, **delivered)
        with refusing(session, target, None):
            target.check()
            refuse_former("-".join(words or ()).replace("_", "-"))
            named, mentioned = _about(words) if words else (list(catalog().values()), [])
            if not named and not mentioned:
                raise UnknownName("subject", " ".join(words or ()), GROUPS.values())
            page = _page(named or mentioned, mentioned if named else [])
            deliver(page, target, session)

    return with_options(run, OPTIONS)


def _page(entries: Sequence[Entry], others: Sequence[Entry]) -> Page:
    """The types listed, and *others* whose manuals have the words that are sought."""
    groups = [(name[0].upper() + name[1:], members) for name, members in grouped(entries)]
    also = f"Also in the manual of: {', '.join(entry.slug for entry in others)}"

    def blocks() -> Iterator[Block]:
        for name, members in groups:
            yield Heading(name, 2)
            rows = tuple(((entry.slug,), (entry.summary(),)) for entry in members)
            yield TextTable(("type", "question"), rows)
        if others:
            yield Paragraph((also,))

    def data() -> dict[str, Any]:
        listed = [
            {"type": entry.slug, "group": entry.group(), "question": entry.summary()}
            for entry in entries
        ]
        return {"types": listed, "mentioned_by": [entry.slug for entry in others]}

    def text(look: Look) -> str:
        wide = max(len(entry.slug) for entry in entries)
        screen = "\n".join(
            f"{name}\n\n" + "".join(_line(entry, wide, look.width) for entry in members)
            for name, members in groups
        )
        return f"{screen}\n{textwrap.fill(also, look.width, **WORDS)}\n" if others else screen

    return Page(blocks, data, text)


def _line(entry: Entry, wide: int, width: int) -> str:
    """A type and its question, which goes on below itself where the line is too short."""
    head, margin = f"{entry.slug:<{wide}}  ", " " * (wide + 2)
    line = textwrap.fill(
        entry.summary(), width, initial_indent=head, subsequent_indent=margin, **WORDS
    )
    return f"{line}\n"


def _about(words: Sequence[str]) -> tuple[list[Entry], list[Entry]]:
    """The types whose question, group or terms have all *words*; those whose manual has them."""
    wanted = [word for said in words for word in _words(said)]
    named, mentioned = [], []
    for entry in catalog().values():
        with suppress(BrokenType):
            problem = entry.load()
            heads = _words(" ".join((entry.slug, entry.summary(), entry.group(), *problem.terms)))
            if _has(heads, wanted):
                named.append(entry)
            elif _has([*heads, *_words(_manual(problem))], wanted):
                mentioned.append(entry)
    return named, mentioned


def _manual(problem: type[Problem]) -> str:
    """All that the type says of itself: quantities, choices, source, and its terms' other names."""
    aliases = (alias for name in problem.terms for alias in terms()[name].aliases)
    quantities = (f"{name} {one.title}" for name, one in problem.quantities.items())
    choices = (
        f"{name} {one.title} {' '.join(one.options)} {' '.join(one.options.values())}"
        for name, one in problem.choices.items()
    )
    return " ".join((problem.about(), problem.source, *quantities, *choices, *aliases))


def _words(text: str) -> list[str]:
    """The words of *text*, in small letters; ``all-reduce`` is ``allreduce`` and its parts."""
    joined = [word.replace("-", "") for word in re.findall(r"[\w-]+", text.lower())]
    return [*joined, *re.findall(r"\w+", text.lower())] if "-" in text else joined


def _has(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether each of *wanted* begins one of *words*, in the singular or plural."""
    return bool(wanted) and all(
        any(word.startswith(part) or word == part.removesuffix("s") for word in words)
        for part in wanted
    )
