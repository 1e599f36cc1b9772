"""The verb ``sensitivity``: what moves the answer of a question, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddcalc.cli.session import Session
from ddcalc.errors import BadValue, DdcalcError

if TYPE_CHECKING:
    from ddcalc.ask.sensitivity import Sensitivity
    from ddcalc.cli.asked import Asked
    from ddcalc.problem.problem import Problem
    from ddcalc.sheet.batch import Solved

_HELP = """What moves the answer: derivatives, what decides, a tornado chart, cheapest gains.

    ddcalc sensitivity epoch-time --samples 76800 … --compute "4±0.5 s" --workers 5..8

    ddcalc sensitivity FILE ID

Givens may be uncertain: 4±0.5 s, 4 s ± 10 %, 3..5 s. Then the answer's range is shown.
"""
Words = Annotated[
    list[str],
    typer.Argument(metavar="TYPE|FILE ID", help="A problem type, or a problem file and an id."),
]


def add(app: typer.Typer, session: Session, arguments: Sequence[str]) -> None:
    """Add the verb to *app*, with the options of the type that *arguments* name."""
    if "sensitivity" not in arguments[:1]:
        app.command("sensitivity", help=_HELP)(_not_called)
        return
    from ddcalc.cli.asked import type_named_in, with_givens
    from ddcalc.cli.delivery import DELIVERY, argument, option

    problem = type_named_in(arguments)

    def run(words: list[str], given: Any, **options: Any) -> None:
        _Run(session, problem).run(words, given, options)

    by = typer.Option("--by", metavar="SHARE", help="Swing of the tornado chart, such as 10%.")
    parameters = (argument("words", Words), option("by", Annotated[str, by], "10%"), *DELIVERY)
    app.command("sensitivity", help=_HELP)(with_givens(run, parameters, problem))


def _not_called() -> None:
    raise AssertionError("another command was called")


class _Run:
    """One call of the verb."""

    def __init__(self, session: Session, problem: type[Problem] | None) -> None:
        self.session, self.problem = session, problem

    def run(self, words: list[str], given: Any, options: dict[str, Any]) -> None:
        """Find out and tell; what is wrong is refused."""
        from ddcalc.ask.sensitivity.summary import report, tornado
        from ddcalc.cli.asked import named_as_options
        from ddcalc.cli.delivery import deliver, refuse, wanted
        from ddcalc.render.sensitivity_data import told
        from ddcalc.render.tornado import picture

        form = None
        try:
            form = wanted(options)
            found = self._found(words, given, options)
            if found is not None:
                extra = told(found)
                drawn = partial(picture, tornado(found))
                deliver(report(found), extra, form, self.session, drawn)
        except DdcalcError as error:
            if self.problem is not None:
                named_as_options(self.problem, error)
            refuse(error.each(), form, self.session)

    def _found(self, words: list[str], given: Any, options: dict[str, Any]) -> Sensitivity | None:
        from ddcalc.ask.sensitivity import sensitivity

        by = _share(options["by"])
        asked = self._asked(words, given)
        if asked is None:
            return None
        return sensitivity(asked.problem, asked.texts, by)

    def _asked(self, words: list[str], given: Any) -> Asked | None:
        from ddcalc.cli.asked import from_files, stated

        if self.problem is not None:
            if len(words) > 1:
                raise BadValue(words[1], "stands behind a type; its givens are options (see -h)")
            return stated(self.problem, given)
        asked = from_files(words, self.session, _usable)
        if self.session.code:
            return None
        if len(asked) != 1:
            raise BadValue(words[0], f"holds {len(asked)} problems; name one by its id")
        return asked[0]


def _usable(done: Solved) -> bool:
    """Whether a problem of a file can be asked about: solved, or uncertain."""
    from ddcalc.ask.sensitivity.uncertainty import certain

    if done.answered or done.question.problem is None:
        return done.answered
    try:
        return bool(certain(done.question.problem, done.question.texts)[1])
    except DdcalcError:
        return True  # which is told when it is read once more


def _share(text: str) -> Any:
    """The share that *text* (``10%``, ``0.1``) says; BadValue unless it is between 0 and 1."""
    from fractions import Fraction

    from ddcalc.errors import BadNumber
    from ddcalc.numbers.number import parse, split

    number, unit = split(text.strip())
    try:
        value = Fraction(parse(number)) / (100 if unit == "%" else 1)
    except BadNumber as error:
        raise error.about("--by") from None
    if unit not in ("", "%") or not 0 < value < 1:
        raise BadValue(text, "is no share; write for example 10%").about("--by")
    return value
