"""What a command takes: options and words as parameters of its function, which Typer reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer
from typer.core import TyperCommand, TyperOption

from ddcalc.cli.documents import Format, Steps
from ddcalc.errors import Repeated
from ddcalc.problem.known.catalog import catalog

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

    from ddcalc.problem.problem import Problem

OWN: Final = "own_steps"  # a keyword that is no given's
MORE: Final = "all options"  # what --help-all shows


class TypedCommand(TyperCommand):
    """A command whose options stand once, but those that take lists; its help leaves out what is
    behind ``--help-all``."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Repeated for an option that is stated twice; Typer would let the last one win."""
        names = [argument.partition("=")[0] for argument in args]
        for one in self.params:
            twice = [name for name in one.opts if names.count(name) > 1]
            if twice and isinstance(one, TyperOption) and not one.multiple:
                raise Repeated(twice[0])
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the options, with those behind ``--help-all`` where all are wanted."""
        names = [one.name for one in self.params]
        if HELP_ALL.name in names and MORE not in ctx.meta:
            for one in self.params[names.index(HELP_ALL.name) + 1 :]:
                one.hidden = True  # type: ignore[attr-defined]
        super().format_options(ctx, formatter)


def _show_all(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        ctx.meta[MORE] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


def option(
    flag: str,
    kind: Any,
    says: str,
    usual: Any = None,
    name: str = "",
    also: Sequence[str] = (),
    **more: Any,
) -> Parameter:
    """An option of a verb, which is *also* written so; the verb is called with the keyword *name*,
    or that of the *flag*."""
    info = typer.Option(flag, *also, help=says, show_default=False, **more)
    keyword = name or flag.removeprefix("--").replace("-", "_")
    kinds = Annotated[kind, info]
    return Parameter(keyword, Parameter.KEYWORD_ONLY, default=usual, annotation=kinds)


def switch(flag: str, says: str, name: str = "", **more: Any) -> Parameter:
    """An option that is there or not."""
    return option(flag, bool, says, False, name, **more)


def stated(flag: str, metavar: str, says: str, name: str = "", **more: Any) -> Parameter:
    """An option with a text, read later; None where it is not there."""
    return option(flag, str | None, says, name=name, metavar=metavar, **more)


def one_of(
    words: Sequence[str] | type[StrEnum], flag: str, says: str, usual: str | None = None
) -> Parameter:
    """An option that is one of *words*, which a shell offers."""
    kind: Any = words if isinstance(words, type) else Literal[tuple(words)]
    offered = [*words]
    metavar = "|".join(offered)
    return option(flag, kind | None, says, usual, metavar=metavar, autocompletion=lambda: offered)


def steps(says: str = "full", usual: Steps | None = None) -> Parameter:
    """How much is explained; what *says* is usual."""
    return one_of(Steps, "--steps", f"How much to explain. (default: {says})", usual)


def several(flag: str, says: str, metavar: str, name: str = "", **more: Any) -> Parameter:
    """An option of a verb that may be given more than once."""
    return option(flag, list[str], says, [], name, metavar=metavar, **more)


def own_steps(problem: type[Problem]) -> Parameter:
    """The option for steps of the caller's own; there are types with a given called step."""
    says = "A step of your own: 'paid = workers*wait: what it is'."
    flag = "--own-step" if "step" in problem.givens else "--step"
    return several(flag, says, "NAME = FORMULA", OWN)


def argument(metavar: str, kind: Any, says: str, name: str = "words") -> Parameter:
    """A word of a verb, or all words; the verb is called with the keyword *name*."""
    offers = _types if "TYPE" in metavar else None
    info = typer.Argument(metavar=metavar, help=says, show_default=False, autocompletion=offers)
    usual = None if kind in (str | None, list[str] | None) else Parameter.empty
    kinds = Annotated[kind, info]
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=usual, annotation=kinds)


def _types(ctx: typer.Context) -> list[tuple[str, str]]:
    """What a shell offers for the first word of a verb: types, with what they answer."""
    known = {} if ctx.params.get("words") else catalog()
    return [(one.slug, one.summary()) for one in known.values()]


STEPS: Final = steps(usual=Steps.full)
OUTPUT: Final = stated("--output", "FILE", "Write into FILE, as its suffix says.")
FORCE: Final = switch("--force", "Let --output replace a file.")
HELP_ALL = switch("--help-all", "Show the other options, too.", callback=_show_all, is_eager=True)


def form(formats: Sequence[Format], note: str = "") -> Parameter:
    """Which of *formats*, of which the first is usual; a *note* says what some of them are."""
    says = f"What to print: {', '.join(formats)}{note}. (default: {formats[0]})"
    return option("--format", Literal[tuple(formats)] | None, says, metavar="FORMAT")


def delivery(formats: Sequence[Format], note: str = "") -> tuple[Parameter, ...]:
    """In which of *formats*, and into which file."""
    return form(formats, note), OUTPUT, FORCE


def listed_names(texts: Sequence[str]) -> list[str]:
    """The names in an option that may come more than once, and lists them with commas."""
    return [name.strip() for text in texts for name in text.split(",")]


def taking(run: Callable[..., None], options: Sequence[Parameter]) -> Callable[..., None]:
    """*run*, which takes keywords, as a command with *options*."""
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in options}
    return run
