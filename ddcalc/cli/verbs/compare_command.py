"""The verb ``compare``: two questions side by side, and what differs between them."""

from __future__ import annotations

from typing import Final

from ddcalc.ask.compare import Comparison, report
from ddcalc.ask.compare import against as other
from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.cleaning import clean
from ddcalc.cli.documents import Steps, report_page
from ddcalc.cli.options import STEPS, argument, several
from ddcalc.cli.session import Waiting
from ddcalc.cli.subject import Call, stated, type_named_in, verb
from ddcalc.cli.type_options import texts
from ddcalc.errors import BadValue, DdcalcError, raise_all
from ddcalc.render.json.verb_data import compared

WIDE = 60  # characters of what an alternative is called
HELP: Final = """\
    ddcalc compare epoch-time --samples 76800 … --against "workers=12; batch=768"

    ddcalc compare FILE ID ID
"""
OPTIONS: Final = (
    argument("TYPE|FILE ID ID", list[str], "A problem type, or a problem file and two ids."),
    several(
        "--against",
        "What is stated instead, several joined by ';'. Each --against is one alternative.",
        "NAME=VALUE",
    ),
    STEPS,
)


@verb(OPTIONS, of_type=type_named_in)
def command(call: Call, against: list[str], steps: Steps) -> None:
    """Each of the questions beside the first."""
    call.target.check(*call.files)
    base, *others = call.subjects()
    if not (against or others):
        of_type = 'states one question; say what to change, as --against "NAME=VALUE"'
        of_file = "is one problem; name two, or change it with --against"
        raise BadValue(call.words[-1], of_type if call.problem else of_file)
    with Waiting(call.session):
        first = solve(base.problem, base.texts)
        sides = [(subject.name, solve(subject.problem, subject.texts)) for subject in others]
        for text in against:
            try:
                sides.append((clean(text.strip(), WIDE), _changed(call, first, text)))
            except DdcalcError as error:
                for single in error.singles():
                    single.parameter = f"against {single.parameter or ''}".strip()
                raise
    rows = [Comparison(first, second, (base.name, name)) for name, second in sides]
    call.target.deliver(report_page(report(rows), steps, lambda: compared(rows)))


def _changed(call: Call, first: Derivation, text: str) -> Derivation:
    """The *first* question with what *text* (``workers=12; batch=768``) states instead."""
    changed: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not name or not value:
            raise BadValue(part, "is not NAME=VALUE, for example workers=12")
        changed.setdefault(name.replace("-", "_"), []).append(value)
    if call.problem is None:
        read, wrong = texts(first.problem, changed)
        raise_all(wrong)
        return other(first, read)
    # a formula may be stated instead of a number, or the other way round
    instead = stated(call.problem, {**call.given, **changed})
    return solve(instead.problem, instead.texts)
