"""The application: one command per problem type, and the verbs.

Only the type or the verb that a call names is imported; of the others the names are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Final

import typer

from ddcalc.cli.session import Session
from ddcalc.problem.catalog import Entry, built_in, catalog, refuse_former

# The verbs in the order of the front page, and in whose file those are that have none of their own.
VERBS: Final = {
    "ask": "Which problem type answers a question in your own words.",
    "list": "The problem types by subject, or those about a word.",
    "show": "The manual of a problem type, with an example.",
    "explain": "A word of the field: what it means, helps and hurts.",
    "solve": "Solve problem files; compare the answers they state.",
    "check": "Mark answers, and name the mistake behind a wrong one.",
    "sweep": "A question at very many points: table, chart, the best.",
    "compare": "Two questions side by side: what differs, and why.",
    "sensitivity": "What moves the answer, and where it tips.",
    "variants": "The same question in other numbers, for exams.",
    "experiment": "Real training: which scheme is first to an accuracy?",
    "presets": "Published values of devices, links, models.",
    "new": "A filled-in problem file to start from.",
    "schema": "The JSON Schema of problem files, for editors.",
}
FILES: Final = {"ask": "list", "new": "show", "schema": "show"}
CONTEXT: Final = {"help_option_names": ["-h", "--help"]}


def application(arguments: Sequence[str], session: Session) -> typer.Typer:
    """The commands that a call with *arguments* may need."""
    app = typer.Typer(
        pretty_exceptions_enable=False,
        context_settings=CONTEXT,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_options(session))
    named = next((word for word in arguments if not word.startswith("-")), "")
    if named in built_in():
        _add_type(app, built_in()[named], session)  # other packages need not be looked through
        return app
    refuse_former(named.replace("_", "-"))
    for entry in catalog().values():
        if entry.slug == named:
            _add_type(app, entry, session)
        else:
            app.command(entry.slug)(_not_called)
    for name, summary in VERBS.items():
        command, more = _not_called, ""
        if name == named:
            module = import_module(f"ddcalc.cli.verbs.{FILES.get(name, name)}_command")
            words = arguments[arguments.index(name) :]
            command, more = module.command(session, words), module.HELP
        app.command(name, help=f"{summary}\n\n{more}")(command)
    return app


def _add_type(app: typer.Typer, entry: Entry, session: Session) -> None:
    from ddcalc.cli.type_command import command

    app.command(entry.slug)(command(entry.load(), session))


def _not_called() -> None:
    raise AssertionError("another command was called")


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
