"""The verb ``sensitivity``: what moves the answer of a question."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from ddcalc.ask.sensitivity import report, sensitivity
from ddcalc.cli.documents import Steps, report_page
from ddcalc.cli.options import STEPS, argument, option, stated
from ddcalc.cli.session import Waiting
from ddcalc.cli.subject import Call, type_named_in, verb
from ddcalc.errors import BadValue, blaming
from ddcalc.numbers.number import parse, split
from ddcalc.problem.earlier import stands_on
from ddcalc.problem.said.sentences import series
from ddcalc.render.json import verb_data

HELP: Final = """\
    ddcalc sensitivity epoch-time --samples 76800 … --by 25%

    ddcalc sensitivity FILE ID --of c.gain
"""
OPTIONS: Final = (
    argument("TYPE|FILE ID", list[str], "A problem type, or a problem file and an id."),
    option("--by", str, "How far each given is moved. (default: 10%)", "10%", metavar="SHARE"),
    stated("--quantity", "NAME", "Quantity that is moved. (default: the answer)", also=["--of"]),
    STEPS,
)


@verb(OPTIONS, of_type=type_named_in)
def command(call: Call, by: str, quantity: str | None, steps: Steps) -> None:
    """Each given moved *by* a share (``10%``, ``0.1``), which is between 0 and 1, and what that
    does to the answer, or to another *quantity*."""
    call.target.check(*call.files)
    number, unit = split(by.strip())
    with blaming("by"):
        share = Fraction(parse(number)) / (100 if unit == "%" else 1)
    if unit not in ("", "%") or not 0 < share < 1:
        raise BadValue(by, "is not a share; write for example 10%").about("by")
    subject = call.one()
    if results := sorted({*stands_on(subject.problem)}):
        reason = f"moves {series(results)}; the whole question, with --of, moves what these rest on"
        call.session.note(subject.name, reason)
    with Waiting(call.session):
        moved = sensitivity(subject.problem, subject.texts, share, [quantity] if quantity else ())
    page = report_page(report(moved), steps, lambda: verb_data.sensitivity(moved))
    call.target.deliver(page)
