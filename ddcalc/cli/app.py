"""The application: one command per problem type, and the verbs.

Only the type that a call names is imported; of the others the help needs no more than a summary.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from ddcalc.cli import (
    about,
    check,
    compare,
    experiment,
    explain,
    listing,
    sensitivity,
    solve,
    sweep,
    variants,
)
from ddcalc.cli.session import Session
from ddcalc.problem.catalog import Entry, built_in, catalog, refuse_former

_HELP = """Distributed-training cost problems, solved exactly and explained step by step.

    ddcalc list straggler    the problem types about something

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
    if named in built_in() and not completing:
        _add_type(app, built_in()[named], session)  # other packages need not be looked through
        return app
    refuse_former(named.replace("_", "-"))
    for entry in catalog().values():
        if completing or entry.slug == named:
            _add_type(app, entry, session)
        else:
            app.command(entry.slug, help=entry.summary())(_not_called)
    solve.add(app, session)
    check.add(app, session)
    compare.add(app, session, arguments)
    sensitivity.add(app, session, arguments)
    sweep.add(app, session, arguments)
    experiment.add(app, session, arguments)
    variants.add(app, session, arguments)
    listing.add(app, session)
    about.add(app, session)
    explain.add(app, session)
    return app


def _add_type(app: typer.Typer, entry: Entry, session: Session) -> None:
    from ddcalc.cli.type_command import command

    app.command(entry.slug)(command(entry.load(), session))


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
            from importlib.metadata import version as installed

            session.out.write(f"ddcalc {installed('ddcalc')}\n")
            raise typer.Exit

    return options
