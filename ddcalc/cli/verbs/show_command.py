"""The verbs about a problem type: ``show``, ``new`` and ``schema``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from ddcalc.cli.app import VERBS
from ddcalc.cli.documents import Page
from ddcalc.cli.formats import PAGES
from ddcalc.cli.options import argument, option, taking
from ddcalc.cli.session import Session
from ddcalc.cli.sheets import first
from ddcalc.cli.subject import showing
from ddcalc.files import schema as problem_files
from ddcalc.problem.catalog import catalog, grouped, problem_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.topics import topics
from ddcalc.render.blocks import Block, Heading, Paragraph, entry_table
from ddcalc.render.json import dumped
from ddcalc.render.manual import manual
from ddcalc.render.problem_file import example_file

EXAMPLES: Final = {
    "show": ["ddcalc show epoch-time", "ddcalc show --output ddcalc.html"],
    "new": ["ddcalc new epoch-time > exam.yaml", "ddcalc new --sheet my-type > my-type.sheet"],
    "schema": ["ddcalc schema > ddcalc.json"],
}
NAME: Final = argument("TYPE", str, "A problem type, as in 'list'.", "name")
OF_SHEET: Final = option("--sheet", bool, "A problem type of your own, called TYPE.", False)
MANUALS: Final = argument(
    "[TYPE]", str | None, "A problem type, as in 'list'; without one, the manual of ddcalc.", "name"
)
INTENT: Final = (
    "ddcalc TYPE with its givens as options answers a question, and shows how: ddcalc TYPE -h lists"
    " them, ddcalc show TYPE is the manual of the type. A value has its unit, as in 1.5s or"
    ' "100 Gbit/s".'
)
EXITS: Final = {
    "0": "answered, and what files expect agrees",
    "1": "an answer differs from what a file expects",
    "2": "wrong usage or input; all that can be answered was",
    "3": "the output could not be written",
    "70": "a bug in ddcalc",
    "130, 143, 141": "ended by Ctrl-C, by SIGTERM, or because nobody reads the output any more",
}
VARIABLES: Final = {
    "COLUMNS": "the width to print in, from 40 to 100",
    "NO_COLOR": "no colours, if it is not empty",
    "FORCE_COLOR": "colours, also into a pipe",
    "LC_ALL, LANG": "where the character set lacks Greek letters and signs, they are spelt out",
}


def command(session: Session, words: Sequence[str]) -> Callable[..., None]:
    """The verb that *words* begin with as a command for Typer."""

    def new(name: str, sheet: bool) -> None:
        session.out.write(first(name) if sheet else example_file(problem_named(name)))

    def schema() -> None:
        session.out.write(dumped(problem_files.schema(), 2) + "\n")

    made = {
        "show": showing(_shown, MANUALS, session, PAGES),
        "new": taking(new, [NAME, OF_SHEET]),
        "schema": taking(schema, []),
    }[words[0]]
    made.__doc__ = "\n\n".join(EXAMPLES[words[0]])
    return made


def _shown(name: str | None) -> Page:
    return _of_ddcalc() if name is None else _manual(problem_named(name))


def _of_ddcalc() -> Page:
    """The manual of ddcalc itself."""
    groups = [*grouped(catalog().values())]

    def blocks() -> Iterator[Block]:
        yield Heading("cost problems of distributed training, solved exactly and explained")
        yield Paragraph((INTENT,))
        yield Heading("Commands", 2)
        yield entry_table(("command", "what it does"), VERBS.items())
        yield Heading("Problem types", 2)
        for name, members in groups:
            yield Paragraph((), f"{name[:1].upper()}{name[1:]}")
            yield entry_table(("type", "question"), ((one.slug, one.summary()) for one in members))
        yield Heading("Topics", 2)
        listed = ((f"ddcalc explain {one.slug}", one.summary) for one in topics().values())
        yield entry_table(("command", "what it is about"), listed)
        yield Heading("Exit status", 2)
        yield entry_table(("code", "meaning"), EXITS.items())
        yield Heading("Environment", 2)
        yield entry_table(("variable", "meaning"), VARIABLES.items())

    def data() -> dict[str, Any]:
        types = {name: [one.slug for one in members] for name, members in groups}
        return {"commands": dict(VERBS), "types": types, "exit_status": EXITS}

    return Page(blocks, data)


def _manual(problem: type[Problem]) -> Page:
    """The manual of *problem*."""

    def data() -> dict[str, Any]:
        results = {n: q for n, q in problem.quantities.items() if n not in problem.givens}
        return {
            "type": problem.slug,
            "question": problem.question(),
            "about": problem.about,
            "given": problem_files.givens(problem),
            "results": [
                {"name": name, "symbol": one.letter, "unit": one.unit.name, "title": one.title}
                for name, one in results.items()
            ],
            "terms": list(problem.terms),
            "source": problem.source,
        }

    return Page(lambda: manual(problem), data)
