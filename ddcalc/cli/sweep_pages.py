"""The points of a sweep as they are worked out: a page with the best of them, or lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import Document, Format, Steps, Target, report_page
from ddcalc.cli.session import Waiting
from ddcalc.errors import BadValue
from ddcalc.schedule.watching import tell

if TYPE_CHECKING:
    from ddcalc.ask.sweep.points import Sweep

ATOMIC: Final = 4096  # bytes that a pipe takes whole or not at all (PIPE_BUF)


def write_page(sweep: Sweep, target: Target, steps: Steps, *, everything: bool) -> None:
    """Work out all points, and write a page of the best, or the chart alone."""
    from ddcalc.ask.sweep.account import notes, report
    from ddcalc.ask.sweep.views import curves
    from ddcalc.render import pictures
    from ddcalc.render.json import verb_data

    with reraise_signals(), Waiting(target.session):
        for results in sweep.blocks():
            tell("point", len(results.numbers))
    is_json = target.form is Format.json
    words = report(sweep, everything=everything, working=everything or is_json)
    drawn = [*filter(None, [curves(sweep)])] if target.form is Format.html else []
    page = report_page(words, steps, lambda: verb_data.sweep(sweep), drawn)

    def picture(form: str) -> bytes:
        if (chart := curves(sweep)) is None:
            reason = "makes no curve: vary a number, with a value at two points or more"
            reason = "; no value ".join([reason, *map(str, notes(sweep))])
            raise BadValue(sweep.question.axes[0].name, reason).about("vary")
        return pictures.of(chart, form)

    target.deliver(replace(page, picture=picture))


def write_lines(sweep: Sweep, target: Target) -> None:
    """Work out all points, and write a line for each as they come."""
    from ddcalc.ask.sweep.account import best_words, notes
    from ddcalc.render.point_lines import PointLines

    session = target.session
    writer = PointLines(sweep.question, csv=target.form is Format.csv)
    document = Document(target, "points", head=writer.head.decode())
    waiting = Waiting(session, among=target.output is None)
    with waiting, document.opened(), reraise_signals():
        for results in sweep.blocks():
            tell("point", len(results.numbers))
            lines = writer.lines(results)
            some = max(ATOMIC // max(map(len, lines)), 1)  # that a pipe takes: Ctrl-C cuts none
            for i in range(0, len(lines), some):
                document.put("".join(lines[i : i + some]))
    for words in best_words(sweep) if target.output else ():
        session.say(f"{clean(words)}\n")
    for note in notes(sweep):
        session.say(f"note: no value {clean(str(note))}\n")
