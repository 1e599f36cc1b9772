"""The options by which a verb's report is told and written, and its delivery."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddcalc.cli.output import Wanted
from ddcalc.cli.present import Format, Steps, look
from ddcalc.cli.session import Session
from ddcalc.errors import BadTarget, DdcalcError, Several

if TYPE_CHECKING:
    from ddcalc.problem.steps import Report


def option(name: str, annotation: Any, default: Any = None) -> Parameter:
    """An option of a verb, called with the keyword *name*."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def argument(name: str, annotation: Any) -> Parameter:
    """The words of a verb, called with the keyword *name*."""
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)


INTO = "Write into FILE, as its suffix says."
REPLACE = "Let --output replace a file."


def amount(usual: str = "full") -> Any:
    """How much is told; *usual* is what the help calls the default."""
    told = f"How much to explain. (default: {usual})"
    return typer.Option("--steps", metavar="|".join(Steps), help=told, show_default=False)


def form(formats: type[StrEnum], usual: str = "text") -> Any:
    """One of *formats*; *usual* is what the help calls the default."""
    told = f"What to print: {', '.join(formats)}. (default: {usual})"
    return typer.Option("--format", metavar="FORMAT", help=told, show_default=False)


def file(told: str = INTO) -> Any:
    """What is written instead of standard output."""
    return typer.Option("--output", metavar="FILE", help=told)


def replace(told: str = REPLACE) -> Any:
    """Whether a file that is there is replaced."""
    return typer.Option("--force", help=told)


def delivery(formats: type[StrEnum] = Format, into: str = INTO) -> tuple[Parameter, ...]:
    """How much is told, in which of *formats*, and *into* which file."""
    return (
        option("steps", Annotated[Steps, amount()], Steps.full),
        option("format", Annotated[formats | None, form(formats)]),
        option("output", Annotated[str | None, file(into)]),
        option("force", Annotated[bool, replace()], False),
    )


DELIVERY = delivery()


def wanted(options: dict[str, Any]) -> Wanted:
    """What *options* say about delivery; they are taken out. Raises what is wrong with them."""
    told = {each.name: options.pop(each.name) for each in DELIVERY}
    found = Wanted(find=None, where=None, as_yaml=False, hint=None, unit=None, **told)
    if errors := found.errors():
        raise Several(errors) if len(errors) > 1 else errors[0]
    return found


def deliver(
    report: Report,
    extra: Mapping[str, Any],
    wanted: Wanted,
    session: Session,
    picture: Callable[[], str] | None = None,
) -> None:
    """Write *report*, or its *picture* where one is wanted; BadTarget where there is none."""
    from ddcalc.cli.report import reported
    from ddcalc.render.layout import Look

    if wanted.picture:
        if picture is None:
            told = "there is no picture of it; write .html, .md, .tex or .txt instead"
            raise BadTarget(told).about("output")
        wanted.deliver(picture(), session)
        return
    seen = look(session.out) if wanted.output is None else Look()
    wanted.deliver(reported(report, extra, wanted.form, wanted.steps, seen), session)


def refuse(errors: Iterable[DdcalcError], wanted: Wanted | None, session: Session) -> None:
    """Tell *errors* on standard error, and as an object where JSON is wanted."""
    told = list(errors)
    session.refuse(told)
    if wanted is not None and wanted.output is None and wanted.form in (Format.json, Format.ndjson):
        from ddcalc.render import data

        indent = 2 if wanted.form is Format.json else None
        session.out.write(data.dumped(data.failed(told), indent) + "\n")
