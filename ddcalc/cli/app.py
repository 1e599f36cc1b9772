"""The application: one command per problem type, and the verbs.

Only the type or the verb that a call names is imported; of the others the names are enough.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import interruptible
from ddcalc.cli.documents import DRAWN, Format, Target, of_suffix
from ddcalc.cli.options import (
    FORCE,
    HELP_ALL,
    TypedCommand,
    form,
    option,
    own_steps,
    several,
    stated,
    steps,
    switch,
    taking,
)
from ddcalc.cli.session import Session
from ddcalc.errors import DdcalcError
from ddcalc.problem.known.catalog import GROUPS, catalog, entry_named, is_sheet, of_sheet
from ddcalc.render.whole import hung

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

    from ddcalc.problem.problem import Problem

Command = Callable[..., None]

FILES: Final = {"ask": "list", "new": "show", "schema": "show"}  # verbs in files of others
BESIDE: Final = {"experiment": "ddcalc_experiment.command"}  # in packages of their own
CONTEXT: Final = {"help_option_names": ["-h", "--help"]}
SAYS: Final = "Cost problems of distributed training, solved exactly and explained."
_PAGE: Final = tomllib.loads(Path(__file__).with_name("verbs.toml").read_text("utf-8"))
STARTS, VERBS = _PAGE["starts"], _PAGE["verbs"]
LAST: Final = {
    "subjects": f"{', '.join(GROUPS.values())} (ddcalc list communication)",
    "options": "-h behind any command; --version",
}
TELLS: Final = 34  # columns for what stands behind a head
DEBUG: Final = "Show the traceback of a bug in ddcalc."
LIKE: Final = 0.7  # how like an option a word is that is taken for a misspelling of it
RESULTS: Final = 3  # that the help of --where names

FIND: Final = stated("--find", "NAME", "The given to find, by name or letter.")
USUAL: Final = (
    steps(),
    form(DRAWN),
    stated("--output", "FILE", "Write into FILE: .svg, .png, .pdf a picture, .yaml the question."),
    HELP_ALL,
)
HINT: Final = "Only the next step (or N): the idea and its formula."
OTHERS: Final = (
    switch("--as-yaml", "Print this command as a problem file."),
    option("--hint", int | None, HINT, min=1, metavar="[N]"),
    stated("--unit", "UNIT", "Unit of the answer, for example h."),
    stated("--mine", "[NAME=]ANSWER", "Mark your answer: 595.5s, or total=595.5s."),
    switch("--all", "Steps and readings that nobody asked for, too.", "everything"),
    switch("--exact", "The exact values of what is rounded, too."),
    several("--quantity", "What is asked for: plain values, unless with --steps.", "NAME[,NAME]"),
    switch("--bare", "Only the value, without its unit, for scripts."),
    several("--limit", "What is to be met, as the answer says; else exit 1.", "RELATION", "limits"),
    several("--assert", "What must hold, else exit 1; as for --where.", "RELATION", "claims"),
    FORCE,
)


class FrontPage(TyperGroup):
    """All commands, whose help is the front page."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write how to begin, the verbs, and of which subjects the types are."""
        formatter.write(f"{hung('', SAYS, formatter.width)}\n")
        for rows in (STARTS, VERBS, LAST):
            formatter.write_paragraph()
            formatter.write_dl([*rows.items()], col_max=formatter.width - TELLS)


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
        app.command(named, cls=TypedCommand)(_interruptible(_of_type(entry.load(), session)))
        return app
    for slug in () if named in VERBS else catalog():
        app.command(slug, cls=TypedCommand)(_not_called)
    for name in [named] if named in VERBS else VERBS:
        command, more = _not_called, ""
        if name == named:
            words = arguments[arguments.index(name) :]
            usual = f"ddcalc.cli.verbs.{FILES.get(name, name)}_command"
            module = import_module(BESIDE.get(name, usual))
            command = _interruptible(module.command(session, words))
            more = str(command.__doc__ or getattr(module, "HELP", ""))
        app.command(name, cls=TypedCommand, help=f"{VERBS[name]}\n\n{more}")(command)
    return app


def _of_type(problem: type[Problem], session: Session) -> Callable[..., None]:
    """A typer command whose options are the givens and choices of *problem*. What ``--where``
    compares by name or letter is a result, such as the answer, or a given."""
    from ddcalc.cli.type_options import parameters
    from ddcalc.problem.quantity import Derived, letters

    results = [q for q in problem.quantities.values() if isinstance(q, Derived)]
    results.sort(key=lambda quantity: quantity.name != problem.answer)
    shown = [f"{name} ({letter})" for name, letter in letters(results[:RESULTS]).items()]
    more = f", … (ddcalc show {problem.slug})" if len(results) > RESULTS else ""
    says = f"What must hold, as 'NAME <= VALUE'; results: {', '.join(shown)}{more}"
    where = several("--where", says, "RELATION")
    of_type = parameters(problem)
    options = (FIND, where, *USUAL, own_steps(problem), *OTHERS)

    def run(format: Format | None, output: str | None, force: bool, **written: Any) -> None:
        from ddcalc.cli.type_command import TypeCall

        given = {one.name: written.pop(one.name) for one in of_type}
        wanted = SimpleNamespace(**written)
        wanted.as_yaml = wanted.as_yaml or of_suffix(output) is Format.yaml
        formats = (Format.yaml,) if wanted.as_yaml else DRAWN
        target = Target(session, formats, format, output, force)
        TypeCall(session, problem, target, wanted).run(given)

    run.__doc__ = "\n\n".join(problem.about.split("\n\n")[:2])  # the rest is in its manual
    return taking(run, [*of_type, *options])


def _interruptible(command: Command) -> Command:
    @wraps(command)
    def run(**stated: Any) -> None:
        with interruptible():
            command(**stated)

    return run


def _not_called() -> None:
    raise AssertionError("another command was called")


def _options(session: Session) -> Command:
    def options(
        ctx: typer.Context,
        shown: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
        debug: Annotated[bool, typer.Option("--debug", help=DEBUG)] = False,
    ) -> None:
        """What is said before the command; ``--debug`` has been read before (see main)."""
        if shown:
            session.out.write(f"ddcalc {version('ddcalc')}\n")
            raise typer.Exit
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())

    return options


# What a shell offers at the cursor: Typer asks each option, and speaks with the shell


def complete(session: Session) -> int:
    """Print what continues the line that the shell has in its environment, nothing where that makes
    no sense; the exit code is Typer's, which says whether anything does."""
    bash, line = os.environ.get("COMP_WORDS"), os.environ.get("_TYPER_COMPLETE_ARGS", "")
    try:  # the words behind ``ddcalc`` and before the one at the cursor; quotes do not matter here
        if bash is None:
            words = line.split()[1:] if line.endswith(" ") else line.split()[1:-1]
        else:
            words = bash.split()[1 : int(os.environ.get("COMP_CWORD") or 1)]
        application(words, session)(args=[], standalone_mode=False, prog_name="ddcalc")
    except (DdcalcError, ValueError):  # a shell that numbers its words wrongly
        return 1
    except SystemExit as end:
        return int(end.code or 0)
    return 0


# Calls that are refused


def misuse(error: typer.TyperException) -> str:
    """The text of *error*, cleaned, since it quotes what was typed."""
    from difflib import get_close_matches

    from ddcalc.problem.known.index import meanings

    context = getattr(error, "ctx", None)
    command = context.command_path if context else "ddcalc"
    message = clean(error.format_message(), 300).replace("Value error, ", "")
    if context and isinstance(name := getattr(error, "option_name", None), str):
        every = ((flag, option) for option in context.command.params for flag in option.opts)
        says = {flag.removeprefix("--"): getattr(x, "help", None) or "" for flag, x in every}
        word = name.lstrip("-")
        near = get_close_matches(word, says, 1, LIKE) or meanings(word, says, 1)
        message = f"No such option: {clean(name, 80)}"
        message += f"; did you mean --{near[0]}?" if near else ""
    elif message.startswith("No such command") and "Did you mean" not in message:
        message += " To find one: ddcalc ask 'QUESTION'"
    elif message.startswith("Got unexpected extra argument"):
        message += "; a value with a space needs quotes ('1.5 s'), a list has commas (1s,2s)"
    return f"error: {message}\n --> {clean(command, 80)} (see -h)\n"
