"""The application: one command per problem type, and the verbs.

Only the type that a call names is imported; of the others the help needs no more than a summary.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.metadata import version as installed
from typing import Annotated

import typer

from ddcalc.catalog import Entry, catalog
from ddcalc.cli import about, solve
from ddcalc.cli.session import Session
from ddcalc.cli.type_command import command

_HELP = """Distributed-training cost problems, solved exactly and explained step by step.

    ddcalc epoch-time -h     what a problem type asks for

    ddcalc solve problems/   solve problem files in batch
"""
_CONTEXT = {"help_option_names": ["-h", "--help"]}


def application(arguments: Sequence[str], session: Session) -> typer.Typer:
    """The commands that a call with *arguments* may need."""
    app = typer.Typer(
        help=_HELP,
        pretty_exceptions_enable=False,
        context_settings=_CONTEXT,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_options(session))
    named = next((word for word in arguments if not word.startswith("-")), "")
    completing = "_DDCALC_COMPLETE" in os.environ
    for entry in catalog().values():
        _add_type(app, entry, session, whole=completing or entry.slug == named)
    solve.add(app, session)
    about.add(app, session)
    return app


def _add_type(app: typer.Typer, entry: Entry, session: Session, whole: bool) -> None:
    run = command(entry.load(), session) if whole else _not_called
    app.command(
        entry.slug, help=None if whole else entry.summary(), rich_help_panel="Problem types"
    )(run)


def _not_called() -> None:
    raise AssertionError("the command of another type was called")


def _options(session: Session) -> Callable[..., None]:
    def options(
        version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
        debug: Annotated[
            bool, typer.Option("--debug", help="Show the traceback of a bug in ddcalc.")
        ] = False,
    ) -> None:
        """What is said before the command; ``--debug`` has been read before (see main)."""
        if version:
            session.out.write(f"ddcalc {installed('ddcalc')}\n")
            raise typer.Exit

    return options
