"""``list``: the problem types by subject, and those that are about something."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final

import typer

from ddcalc.cli.session import Session, width
from ddcalc.errors import BrokenType, UnknownName
from ddcalc.problem.catalog import GROUPS, Entry, catalog, grouped, refuse_former
from ddcalc.problem.problem import Problem
from ddcalc.problem.terms import terms

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="WORD",
        help="List only types about it, for example straggler or latency.",
        show_default=False,
    ),
]


_WORDS: Final[dict[str, Any]] = {"break_on_hyphens": False, "break_long_words": False}


def add(app: typer.Typer, session: Session) -> None:
    """Add the verb to *app*."""

    @app.command("list")
    def list_types(words: Words = None) -> None:
        """The problem types, and the question that each one answers."""
        if not words:
            session.out.write(_listed(catalog().values()))
            return
        refuse_former("-".join(words).replace("_", "-"))
        named, mentioned = _about(words)
        if not named and not mentioned:
            session.refuse([UnknownName("subject", " ".join(words), GROUPS.values())])
            return
        session.out.write(_listed(named or mentioned))
        if named and mentioned:
            others = ", ".join(entry.slug for entry in mentioned)
            told = textwrap.fill(f"Also in the manual of: {others}", width(), **_WORDS)
            session.out.write(f"\n{told}\n")


def _listed(entries: Iterable[Entry]) -> str:
    groups = list(grouped(entries))
    wide = max(len(entry.slug) for _, members in groups for entry in members)
    return "\n".join(
        f"{_headed(name)}\n\n" + "".join(_line(each, wide) for each in members)
        for name, members in groups
    )


def _line(entry: Entry, wide: int) -> str:
    """A type and its question, which goes on below itself where the line is too short."""
    margin = " " * (wide + 2)
    head = f"{entry.slug:<{wide}}  "
    return (
        textwrap.fill(
            entry.summary(), width(), initial_indent=head, subsequent_indent=margin, **_WORDS
        )
        + "\n"
    )


def _headed(name: str) -> str:
    return name[0].upper() + name[1:]


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
    quantities = (f"{name} {each.title}" for name, each in problem.quantities.items())
    choices = (
        f"{name} {each.title} {' '.join(each.options)} {' '.join(each.options.values())}"
        for name, each in problem.choices.items()
    )
    return " ".join((problem.about(), problem.source, *quantities, *choices, *aliases))


def _words(text: str) -> list[str]:
    """The words of *text*, in small letters; ``all-reduce`` is ``allreduce`` and its parts."""
    joined = [word.replace("-", "") for word in re.findall(r"[\w-]+", text.lower())]
    return [*joined, *re.findall(r"\w+", text.lower())] if "-" in text else joined


def _has(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether each of *wanted* begins one of *words*, in the singular or plural."""
    return bool(wanted) and all(
        any(word.startswith(each) or word == each.removesuffix("s") for word in words)
        for each in wanted
    )
