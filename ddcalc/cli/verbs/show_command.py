"""The verbs about a problem type: ``show``, ``new`` and ``schema``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ddcalc.cli.documents import Page, deliver
from ddcalc.cli.formats import PAGES, Target
from ddcalc.cli.options import argument, delivery
from ddcalc.cli.session import Session
from ddcalc.cli.subject import refusing, with_options
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.problem import Problem
from ddcalc.render.json import dumped
from ddcalc.render.manual import manual
from ddcalc.render.problem_file import example_file
from ddcalc.sheet import schema as problem_files

HELP: Final = ""
NAME: Final = argument("TYPE", str, "A problem type, as in 'list'.", "name")


def command(session: Session, words: Sequence[str]) -> Callable[..., None]:
    """The verb that *words* begin with as a command for Typer."""

    def show(name: str, **delivered: Any) -> None:
        target = Target(PAGES, **delivered)
        with refusing(session, target, None):
            target.check()
            page = _manual(problem_named(name))
            deliver(page, target, session)

    def new(name: str) -> None:
        session.out.write(example_file(problem_named(name)))

    def schema() -> None:
        session.out.write(dumped(problem_files.schema(), 2) + "\n")

    if words[0] == "show":
        return with_options(show, [NAME, *delivery(PAGES)])
    return with_options(new, [NAME]) if words[0] == "new" else schema


def _manual(problem: type[Problem]) -> Page:
    """The manual of *problem*."""

    def data() -> dict[str, Any]:
        results = {n: q for n, q in problem.quantities.items() if n not in problem.givens}
        return {
            "type": problem.slug,
            "question": problem.question(),
            "about": problem.about(),
            "given": problem_files.givens(problem),
            "results": [
                {"name": name, "symbol": one.letter, "unit": one.unit.name, "title": one.title}
                for name, one in results.items()
            ],
            "terms": list(problem.terms),
            "source": problem.source,
        }

    return Page(lambda: manual(problem), data)
