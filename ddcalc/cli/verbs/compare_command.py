"""The verb ``compare``: two questions side by side, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ddcalc.ask.compare import Comparison, report
from ddcalc.ask.compare import against as other
from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.cleaning import clean
from ddcalc.cli.documents import deliver, report_page
from ddcalc.cli.formats import PAGES, Steps, Target
from ddcalc.cli.givens import TABLE, listed
from ddcalc.cli.options import STEPS, argument, delivery, several
from ddcalc.cli.session import Session
from ddcalc.cli.subject import (
    GivenTexts,
    Subject,
    check_alone,
    from_files,
    refusing,
    stated,
    type_named_in,
    with_givens,
)
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadValue, DdcalcError, Repeated, UnknownName
from ddcalc.problem.problem import Problem
from ddcalc.render.json.verb_data import compared

WIDE = 60  # characters of what an alternative is called
HELP: Final = """\
    ddcalc compare epoch-time --samples 76800 … --against "workers=12; batch=768"

    ddcalc compare FILE ID ID
"""
OPTIONS: Final = (
    argument(
        "TYPE|FILE ID ID",
        list[str],
        "A problem type, or a problem file and two ids of it (FILE:ID for other files).",
    ),
    several(
        "--against",
        "What is stated instead, several joined by ';'. Each --against is one alternative.",
        "NAME=VALUE",
    ),
    STEPS,
    *delivery(PAGES),
)


def command(session: Session, arguments: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer, with the options of the type that *arguments* name."""
    problem = type_named_in(arguments)

    def run(
        words: list[str],
        against: list[str],
        given: GivenTexts,
        steps: Steps,
        **delivered: Any,
    ) -> None:
        target = Target(PAGES, **delivered)
        with refusing(session, target, problem, ("against",)):
            target.check([] if problem else words[:1])
            subjects = _subjects(session, problem, words, against, given)
            if session.code:
                return
            with Waiting(session, rows=session.out):
                rows = _comparisons(subjects, against, problem, given)
                page = report_page(report(rows), steps, lambda: compared(rows))
                deliver(page, target, session)

    return with_givens(run, OPTIONS, problem)


def _subjects(
    session: Session,
    problem: type[Problem] | None,
    words: list[str],
    against: list[str],
    given: GivenTexts,
) -> list[Subject]:
    """The questions to compare, the first of which may be changed."""
    if problem is None:
        subjects = from_files(words, session)
        if not against and len(subjects) < 2 and not session.code:
            raise BadValue(words[-1], "is one problem; name two, or change it with --against")
        return subjects
    check_alone(words)
    if not against:
        reason = 'states one question; say what to change, as --against "NAME=VALUE"'
        raise BadValue(words[0], reason)
    return [stated(problem, given)]


def _comparisons(
    subjects: list[Subject],
    against: list[str],
    problem: type[Problem] | None,
    given: GivenTexts,
) -> list[Comparison]:
    """Every comparison with the first question, which may be what is *given* of a *problem*."""
    base, *others = subjects
    first = solve(base.problem, base.texts)
    sides: list[tuple[str, Derivation]] = [
        (subject.name, solve(subject.problem, subject.texts)) for subject in others
    ]
    for text in against:
        changed = assignments(problem or base.problem, text)
        try:
            if problem is None or given.get(TABLE):
                second = other(first, changed)
            else:  # a formula may be stated instead of a number, or the other way round
                written = {
                    n: [x if isinstance(x, str) else ",".join(x)] for n, x in changed.items()
                }
                instead = stated(problem, {**given, **written})
                second = solve(instead.problem, instead.texts)
            sides.append((clean(text.strip(), WIDE), second))
        except DdcalcError as error:
            for single in error.singles():
                single.parameter = f"against {single.parameter or ''}".strip()
            raise
    return [Comparison(first, second, (base.name, name)) for name, second in sides]


def assignments(problem: type[Problem], text: str) -> dict[str, str | list[str]]:
    """What *text* (``workers=12; batch=768``) states, by name; raises a DdcalcError."""
    values: dict[str, str | list[str]] = {}
    for part in text.split(";"):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        key = name.replace("-", "_")
        if not sign or not name or not value:
            raise BadValue(part, "is not NAME=VALUE, for example workers=12").about("against")
        known = [*problem.givens, *problem.choices, *problem.slots]
        if key not in known:
            raise UnknownName("parameter", name, known).about("against")
        if key in values:
            raise Repeated(name).about("against")
        given = problem.givens.get(key)
        try:
            values[key] = value if given is None else listed(given, value)
        except DdcalcError as error:
            raise error.about("against") from None
    return values
