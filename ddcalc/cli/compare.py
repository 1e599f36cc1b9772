"""The verb ``compare``: two questions side by side, and what made the difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddcalc.boundary.cleaning import clean
from ddcalc.cli.session import Session
from ddcalc.errors import BadValue, DdcalcError, Repeated, UnknownName

if TYPE_CHECKING:
    from ddcalc.ask.compare import Comparison
    from ddcalc.cli.asked import Asked
    from ddcalc.problem.problem import Problem

WIDE = 60  # characters of what an alternative is called

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="TYPE|FILE ID ID",
        help="A problem type, or a problem file and two ids of it (FILE:ID for other files).",
    ),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        "--against",
        metavar="NAME=VALUE",
        help="What is stated instead, several joined by ';'. Each --against is one alternative.",
        show_default=False,
    ),
]
_HELP = """Two questions side by side: what differs, what follows, and which change did it.

    ddcalc compare epoch-time --samples 76800 … --against "workers=12; batch=768"

    ddcalc compare FILE ID ID
"""


def add(app: typer.Typer, session: Session, arguments: Sequence[str]) -> None:
    """Add the verb to *app*, with the options of the type that *arguments* name."""
    if "compare" not in arguments[:1]:
        app.command("compare", help=_HELP)(_not_called)
        return
    from ddcalc.cli.asked import type_named_in, with_givens
    from ddcalc.cli.delivery import DELIVERY, argument, option

    problem = type_named_in(arguments)

    def run(words: list[str], against: list[str] | None, given: Any, **options: Any) -> None:
        _Run(session, problem).run(words, against or [], given, options)

    own = (argument("words", Words), option("against", Against), *DELIVERY)
    app.command("compare", help=_HELP)(with_givens(run, own, problem))


def _not_called() -> None:
    raise AssertionError("another command was called")


class _Run:
    """One call of the verb."""

    def __init__(self, session: Session, problem: type[Problem] | None) -> None:
        self.session, self.problem = session, problem

    def run(
        self, words: list[str], against: list[str], given: Any, options: dict[str, Any]
    ) -> None:
        """Compare and tell; what is wrong is refused."""
        from ddcalc.ask.compare.side_by_side import report
        from ddcalc.cli.asked import named_as_options
        from ddcalc.cli.delivery import deliver, refuse, wanted
        from ddcalc.render.comparison_data import compared

        form = None
        try:
            form = wanted(options)
            found = self._found(words, against, given)
            if found:
                deliver(report(found), compared(found), form, self.session)
        except DdcalcError as error:
            told = error if self.problem is None else named_as_options(self.problem, error)
            for single in told.each():
                if single.parameter == "against":
                    single.parameter = "--against"
            refuse(told.each(), form, self.session)

    def _found(self, words: list[str], against: list[str], given: Any) -> list[Comparison]:
        """Every comparison with the first question; empty where something has been refused."""
        from ddcalc.ask.compare import Comparison
        from ddcalc.ask.compare import against as other
        from ddcalc.ask.solve import Derivation, solve

        asked = self._asked(words, against, given)
        if self.session.code:
            return []
        base, *others = asked
        first = solve(base.problem, base.texts)
        compared: list[tuple[str, Derivation]] = [
            (each.name, solve(each.problem, each.texts)) for each in others
        ]
        for text in against:
            changed = assignments(base.problem, text)
            try:
                compared.append((clean(text.strip(), WIDE), other(first, changed)))
            except DdcalcError as error:
                for single in error.each():
                    single.parameter = f"--against {single.parameter or ''}".strip()
                raise
        return [Comparison(first, each, (base.name, name)) for name, each in compared]

    def _asked(self, words: list[str], against: list[str], given: Any) -> list[Asked]:
        from ddcalc.cli.asked import from_files, stated

        if self.problem is None:
            asked = from_files(words, self.session)
            if not against and len(asked) < 2 and not self.session.code:
                raise BadValue(words[-1], "is one problem; name two, or change it with --against")
            return asked
        if len(words) > 1:
            raise BadValue(words[1], "stands behind a type; its givens are options (see -h)")
        if not against:
            reason = 'states one question; say what to change, as --against "NAME=VALUE"'
            raise BadValue(words[0], reason)
        return [stated(self.problem, given)]


def assignments(problem: type[Problem], text: str) -> dict[str, str | list[str]]:
    """What *text* (``workers=12; batch=768``) states, by name; raises a DdcalcError."""
    from ddcalc.cli.options import listed

    found: dict[str, str | list[str]] = {}
    for part in text.split(";"):
        name, sign, value = (each.strip() for each in part.partition("="))
        key = name.replace("-", "_")
        if not sign or not name or not value:
            raise BadValue(part, "is no NAME=VALUE, for example workers=12").about("against")
        if key not in {*problem.givens, *problem.choices}:
            known = [*problem.givens, *problem.choices]
            raise UnknownName("parameter", name, known).about("against")
        if key in found:
            raise Repeated(name).about("against")
        given = problem.givens.get(key)
        try:
            found[key] = value if given is None else listed(given, value)
        except DdcalcError as error:
            raise error.about("against") from None
    return found
