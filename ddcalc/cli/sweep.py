"""The verb ``sweep``: a question at very many points, and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ddcalc.cli.session import Session
from ddcalc.cli.sweep_format import SweepFormat

_HELP = """A question at very many points: a table, a chart, the best of them.

    ddcalc sweep epoch-time --samples 76800 … --vary workers=1..128 --vary batch=256,512,1024

    ddcalc sweep FILE ID --vary workers=1..128

Values are 1..128 (every whole number), 1s..5s:0.5s (in steps), 1..4096:x2 (times a factor), or a
list of those; choices are varied by name. Of several --vary the last varies fastest.
"""


def _several(flag: str, metavar: str, told: str) -> Any:
    info = typer.Option(flag, metavar=metavar, help=told, show_default=False)
    return Annotated[list[str] | None, info]


_WORDS = Annotated[
    list[str],
    typer.Argument(metavar="TYPE|FILE ID", help="A problem type, or a problem file and an id."),
]
_OWN: dict[str, tuple[Any, Any]] = {
    "vary": (_several("--vary", "NAME=VALUES", "What varies, for example workers=1..128."), None),
    "quantity": (_several("--quantity", "NAME", "What is told. (default: the answer)"), None),
    "minimize": (
        _several("--minimize", "NAME", "What is to be least. (default: a time, or money)"),
        None,
    ),
    "maximize": (_several("--maximize", "NAME", "What is to be largest."), None),
    "everything": (
        Annotated[bool, typer.Option("--all", help="Put all points into the table.")],
        False,
    ),
    "chart": (
        Annotated[bool, typer.Option("--chart", help="Draw a chart, too (extra plot).")],
        False,
    ),
}


def add(app: typer.Typer, session: Session, arguments: Sequence[str]) -> None:
    """Add the verb to *app*, with the options of the type that *arguments* name."""
    if "sweep" not in arguments[:1]:
        app.command("sweep", help=_HELP)(_not_called)
        return
    from ddcalc.cli.asked import type_named_in, with_givens
    from ddcalc.cli.delivery import argument, delivery, option

    problem = type_named_in(arguments)

    def run(words: list[str], given: Any, **options: Any) -> None:
        from ddcalc.cli.sweeping import Sweeping, Wanted

        Sweeping(session, problem, Wanted(**options)).run(words, given)

    own = [option(name, annotation, usual) for name, (annotation, usual) in _OWN.items()]
    options = [argument("words", _WORDS), *own, *delivery(SweepFormat)]
    app.command("sweep", help=_HELP)(with_givens(run, options, problem))


def _not_called() -> None:
    raise AssertionError("another command was called")
