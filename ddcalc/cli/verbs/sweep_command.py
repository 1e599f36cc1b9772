"""The verb ``sweep``: a question at very many points, and the best of them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import LINES, PLOTTED, Document, Format, Steps, Target, report_page
from ddcalc.cli.options import STEPS, argument, listed_names, several, stated, switch
from ddcalc.cli.session import Waiting
from ddcalc.cli.subject import Call, type_named_in, verb
from ddcalc.errors import BadTarget, BadValue, OverLimit, Place
from ddcalc.numbers.amounts import count_text
from ddcalc.problem.quantity import named

if TYPE_CHECKING:
    from ddcalc.ask.sweep.points import Sweep

TABLE: Final = 100_000  # points of a table
LONG: Final = 10**11  # points from which on it is refused: half an hour or more
PLAYED: Final = 10**6  # the same, where each is played
LARGE: Final = 10**10  # bytes of a file from which on it is refused
CELL: Final = 8  # bytes that a cell of a file has or more
ATOMIC: Final = 4096  # bytes that a pipe takes whole or not at all (PIPE_BUF)
NO_BEST: Final = "no best point is sought; --minimize NAME or --maximize NAME says what it is"

HELP: Final = """\
    ddcalc sweep epoch-time --samples 76800 … --vary workers=1..128 --vary batch=256,512,1024

    ddcalc sweep FILE ID --vary workers=1..128

Of many points the first, the last and the best (--minimize time) are shown, with --all every one.
Values are 1..128 (every whole number), 1s..5s:0.5s (in steps), 1..4096:x2 (times a factor), or a
list of those; choices are varied by name. Of several --vary the last varies fastest.
"""


OPTIONS: Final = (
    argument("TYPE|FILE ID", list[str], "A problem type, or a problem file and an id."),
    several("--vary", "What varies, for example workers=1..128.", "NAME=VALUES"),
    several("--quantity", "Quantity to report. (default: the answer)", "NAME", also=["--of"]),
    several("--minimize", "Quantity to minimize. (default: a time, or money)", "NAME"),
    several("--maximize", "Quantity to maximize.", "NAME"),
    several("--where", "Only points at which it holds, for example 'memory <= 80 GB'.", "RELATION"),
    stated("--unit", "UNIT", "Unit of the quantities reported, for example h."),
    switch("--all", "All points in the table, and how the best is worked out.", "everything"),
    STEPS,
)


@verb(OPTIONS, PLOTTED, type_named_in)
def command(call: Call, **options: Any) -> None:
    """All points, in lines or on a page."""
    target, wanted = call.target, SimpleNamespace(**options)
    target.check(*call.files)
    sweep = _sweep(call, wanted)
    if target.form in LINES:
        _write_lines(sweep, target)
    else:
        _write_page(sweep, wanted, target)


def _sweep(call: Call, wanted: SimpleNamespace) -> Sweep:
    """What is *wanted* of a question: a problem of a file is without what is varied here. Raises
    what takes very long, or makes a very large file, is refused with."""
    from ddcalc.ask.sweep.axes import written
    from ddcalc.ask.sweep.grid import question
    from ddcalc.ask.sweep.points import Sweep, goals

    vary = [written(text) for text in wanted.vary]
    _, problem, texts, relations = call.one(wanted.where)
    if call.problem is None:
        varied = {named(name, problem.givens) for name, _ in vary}
        texts = {n: text for n, text in texts.items() if n.replace("-", "_") not in varied}
    derived = problem.quantities.items() - problem.givens.items()
    by_letter = {quantity.letter: name for name, quantity in derived}
    shown, least, largest = (
        [by_letter.get(name, name) for name in listed_names(words)]
        for words in (wanted.quantity, wanted.minimize, wanted.maximize)
    )
    points = question(problem, texts, vary, shown, least, largest, wanted.unit, relations)
    most = TABLE if wanted.everything or call.target.form is Format.json else None
    made = Sweep(points, goals(points, least, largest), most=most)
    if points.size > (PLAYED if made.is_played else LONG):
        raise OverLimit(f"{points.extent} take too long; vary fewer in a call").about("vary")
    size, target = points.size * len(points.columns) * CELL, call.target
    if target.output is not None and target.form in LINES and size > LARGE:
        much = f"{count_text(size // 10**9)} GB or more ({count_text(points.size)} points)"
        reason = f"would become {much}; vary fewer in a call"
        raise BadTarget(reason, Place(files.shown(target.output)))
    return made


def _write_page(sweep: Sweep, wanted: SimpleNamespace, target: Target) -> None:
    """Work out all points, and write a page of the best, or the chart alone."""
    from ddcalc.ask.sweep.account import notes, report
    from ddcalc.ask.sweep.views import curves
    from ddcalc.render import pictures
    from ddcalc.render.json import verb_data

    with reraise_signals(), Waiting(target.session, "point", sweep.question.size) as waiting:
        for results in sweep.blocks():
            waiting.step(len(results.numbers))
    is_json = target.form is Format.json
    words = report(sweep, everything=wanted.everything, working=wanted.everything or is_json)
    if not words.answer and wanted.steps is Steps.none and not is_json:
        words = replace(words, answer=NO_BEST)
    drawn = [*filter(None, [curves(sweep)])] if target.form is Format.html else []
    page = report_page(words, wanted.steps, lambda: verb_data.sweep(sweep), drawn)

    def picture(form: str) -> bytes:
        if (chart := curves(sweep)) is None:
            reason = "makes no curve: vary a number, with a value at two points or more"
            reason = "; no value ".join([reason, *map(str, notes(sweep))])
            raise BadValue(sweep.question.axes[0].name, reason).about("vary")
        return pictures.of(chart, form)

    target.deliver(replace(page, picture=picture))


def _write_lines(sweep: Sweep, target: Target) -> None:
    """Work out all points, and write a line for each as they come."""
    from ddcalc.ask.sweep.account import best_words, notes
    from ddcalc.render.point_lines import PointLines

    session = target.session
    writer = PointLines(sweep.question, csv=target.form is Format.csv)
    document = Document(target, "points", head=writer.head.decode())
    rows = session.out if target.output is None else None
    with (
        Waiting(session, "point", sweep.question.size, rows=rows) as waiting,
        document.opened(),
        reraise_signals(),
    ):
        for results in sweep.blocks():
            waiting.step(len(results.numbers))
            lines, start = writer.lines(results), 0
            while start < len(lines):  # whole ones, as many as a pipe takes: Ctrl-C cuts none
                end = lines.rfind(b"\n", start, start + ATOMIC) + 1
                end = end or lines.index(b"\n", start) + 1  # of one that is longer
                document.put(lines[start:end].decode())
                start = end
    for words in best_words(sweep) if target.output else ():
        session.say(f"{clean(words)}\n")
    for note in notes(sweep):
        session.say(f"note: no value {clean(str(note))}\n")
