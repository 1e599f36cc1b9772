"""The application: one command per problem type, and the verbs.

Only the type or the verb that a call names is imported; of the others the names are enough.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from importlib.metadata import version
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperGroup

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import interruptible
from ddcalc.cli.options import TypedCommand, switch, taking
from ddcalc.cli.session import USUAL, Session, width
from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import GROUPS, catalog, entry_named, is_sheet, of_sheet
from ddcalc.render.whole import hung

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

Command = Callable[..., None]

FILES: Final = {"ask": "list", "new": "show", "schema": "show"}  # verbs in files of others
BESIDE: Final = {"experiment": "ddcalc_experiment.command"}  # in packages of their own
CONTEXT: Final = {"help_option_names": ["-h", "--help"]}
SAYS: Final = "Cost problems of distributed training, solved exactly and explained."
VERBS: Final = {
    "ask": "Which problem type answers a question in your own words.",
    "list": "The problem types by subject, or those about a word.",
    "show": "The manual of a problem type, with an example.",
    "explain": "A word of the field: what it means, helps and hurts.",
    "solve": "Solve problem files; compare the answers they state.",
    "check": "Mark answers, and name the mistake behind a wrong one.",
    "sweep": "A question at very many points: table, chart, the best.",
    "compare": "Two questions side by side: what differs, and why.",
    "sensitivity": "What moves the answer, and how much.",
    "variants": "The same question in other numbers, for exams.",
    "experiment": "Real training: which scheme is first to an accuracy?",
    "presets": "Published values of devices, links, models.",
    "new": "A filled-in problem file to start from.",
    "schema": "The JSON Schema of problem files, for editors.",
}
STARTS: Final = {
    'ddcalc ask "time of 10 epochs on 6 machines"': "which problem type that is",
    "ddcalc epoch-time -h": "what it needs",
}
PURPOSES: Final = {  # what begins with a verb, and those after it
    "ask": "find",
    "solve": "answer",
    "sweep": "vary",
    "variants": "teach",
    "experiment": "try",
    "new": "write",
}
MARGIN: Final = 22
LIKE: Final = 0.7  # how like an option a word is that is taken for a misspelling of it


class FrontPage(TyperGroup):
    """All commands, whose help is the front page."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write it."""
        columns = min(width(), USUAL)

        def row(head: str, says: str) -> str:
            return hung(f"{head:<{MARGIN}}", says, columns)

        room = max(map(len, STARTS))
        lines = [hung("", SAYS, columns), ""]
        for command, does in STARTS.items():
            beside = f"{command:<{room}}  {does}"
            lines += [beside] if len(beside) <= columns else [command, f"    {does}"]
        verbs = (row(f"{PURPOSES.get(verb, ''):<7}{verb}", says) for verb, says in VERBS.items())
        subjects = f"{', '.join(GROUPS.values())} (ddcalc list communication)"
        lines += ["", *verbs, "", row("subjects", subjects)]
        lines += [row("options", "-h behind any command; --version")]
        formatter.write("".join(f"{line}\n" for line in lines))


def application(arguments: Sequence[str], session: Session) -> typer.Typer:
    """The commands that a call with *arguments* may need."""
    # Typer's own options before a command cost the import of pydantic, written or not
    before = not arguments or arguments[0].startswith("-") or "_DDCALC_COMPLETE" in os.environ
    app = typer.Typer(
        cls=FrontPage,
        add_completion=before,
        pretty_exceptions_enable=False,
        context_settings=CONTEXT,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True, add_help_option=before)(_options(session))
    named = next((word for word in arguments if not word.startswith("-")), "")
    entry = of_sheet(Path(named)) if is_sheet(named) else entry_named(named)
    if entry is not None:
        from ddcalc.cli.type_options import command as of_type

        app.command(named, cls=TypedCommand)(_interruptible(of_type(entry.load(), session)))
        return app
    for slug in catalog():
        app.command(slug, cls=TypedCommand)(_not_called)
    for name, summary in VERBS.items():
        command, more = _not_called, ""
        if name == named:
            words = arguments[arguments.index(name) :]
            usual = f"ddcalc.cli.verbs.{FILES.get(name, name)}_command"
            module = import_module(BESIDE.get(name, usual))
            command = _interruptible(module.command(session, words))
            more = str(command.__doc__ or getattr(module, "HELP", ""))
        app.command(name, cls=TypedCommand, help=f"{summary}\n\n{more}")(command)
    return app


def _interruptible(command: Command) -> Command:
    @wraps(command)
    def run(**stated: Any) -> None:
        with interruptible():
            command(**stated)

    return run


def _not_called() -> None:
    raise AssertionError("another command was called")


def _options(session: Session) -> Command:
    def options(ctx: typer.Context, shown: bool, debug: bool) -> None:
        """What is said before the command; ``--debug`` has been read before (see main)."""
        if shown:
            session.out.write(f"ddcalc {version('ddcalc')}\n")
            raise typer.Exit
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())

    before = [
        Parameter("ctx", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        switch("--version", "Print the version.", "shown"),
        switch("--debug", "Show the traceback of a bug in ddcalc."),
    ]
    return taking(options, before)


# What a shell offers at the cursor: Typer asks each option, and speaks with the shell


def complete(session: Session) -> int:
    """Print what continues the line that the shell has in its environment, nothing where that makes
    no sense; the exit code is Typer's, which says whether anything does."""
    try:
        app = application(_finished_words(), session)
        app(args=[], standalone_mode=False, prog_name="ddcalc")
    except (DdcalcError, ValueError):  # a shell that numbers its words wrongly
        return 1
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _finished_words() -> list[str]:
    """The words behind ``ddcalc`` and before the one at the cursor; quotes do not matter here."""
    bash = os.environ.get("COMP_WORDS")
    if bash is not None:
        return bash.split()[1 : int(os.environ.get("COMP_CWORD") or 1)]
    line = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = line.split()
    return words[1:] if line.endswith(" ") else words[1:-1]


# Calls that are refused


def misuse(error: typer.TyperException) -> str:
    """The text of *error*, cleaned, since it quotes what was typed."""
    from difflib import get_close_matches

    from ddcalc.problem.index import meanings

    context = getattr(error, "ctx", None)
    command = context.command_path if context else "ddcalc"
    message = clean(error.format_message(), 300).replace("Value error, ", "")
    if context and isinstance(name := getattr(error, "option_name", None), str):
        says = {
            flag.removeprefix("--"): getattr(option, "help", None) or ""
            for option in context.command.params
            for flag in option.opts
        }
        word = name.lstrip("-")
        near = get_close_matches(word, says, 1, LIKE) or meanings(word, says, 1)
        message = f"No such option: {clean(name, 80)}"
        message += f"; did you mean --{near[0]}?" if near else ""
    elif message.startswith("No such command") and "Did you mean" not in message:
        message += " To find one: ddcalc ask 'QUESTION'"
    elif message.startswith("Got unexpected extra argument"):
        message += "; a value with a space needs quotes ('1.5 s'), a list has commas (1s,2s)"
    return f"error: {message}\n --> {clean(command, 80)} (see -h)\n"
