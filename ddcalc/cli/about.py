"""Verbs that tell about a problem type: ``show``, ``new``, ``schema``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ddcalc.cli.session import Session
from ddcalc.problem.catalog import problem_named

TypeName = Annotated[str, typer.Argument(metavar="TYPE", help="A problem type, as in 'list'.")]


class PageFormat(StrEnum):
    """How a manual page is printed."""

    text = "text"
    markdown = "markdown"


def add(app: typer.Typer, session: Session) -> None:
    """Add the verbs to *app*."""

    @app.command()
    def show(
        name: TypeName,
        format: Annotated[PageFormat, typer.Option("--format")] = PageFormat.text,
    ) -> None:
        """The manual of a problem type, with an example."""
        from ddcalc.cli.present import look
        from ddcalc.render.manual import manual
        from ddcalc.render.markup import markdown
        from ddcalc.render.terminal import screen

        page = manual(problem_named(name))
        if format is PageFormat.markdown:
            session.out.write(markdown.page(page))
        else:
            session.out.write(screen.page(page, look(session.out)))

    @app.command()
    def new(name: TypeName) -> None:
        """A filled-in problem file to start from."""
        from ddcalc.render.problem_file import example_file

        session.out.write(example_file(problem_named(name)))

    @app.command()
    def schema() -> None:
        """The JSON Schema of problem files, for editors."""
        from ddcalc.render.json import dumped
        from ddcalc.sheet.schema import schema as problem_files

        session.out.write(dumped(problem_files(), 2) + "\n")
