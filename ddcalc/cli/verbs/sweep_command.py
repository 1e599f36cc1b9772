"""The verb ``sweep``: a question at very many points, and the best of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary.files import shown
from ddcalc.cli import sweep_pages
from ddcalc.cli.documents import LINES, PLOTTED, Format
from ddcalc.cli.options import STEPS, argument, listed_names, several, stated, switch
from ddcalc.cli.subject import Call, type_named_in, verb
from ddcalc.errors import BadTarget, OverLimit, Place
from ddcalc.problem.plan import cases_named
from ddcalc.problem.quantity import named

if TYPE_CHECKING:
    from ddcalc.ask.sweep.points import Sweep

TABLE: Final = 100_000  # points of a table
LONG: Final = 10**11  # points from which on it is refused: half an hour or more
PLAYED: Final = 10**6  # the same, where each is played
LARGE: Final = 10**10  # bytes of a file from which on it is refused
CELL: Final = 8  # bytes that a cell of a file has or more

HELP: Final = """\
    ddcalc sweep epoch-time --samples 76800 … --vary workers=1..128 --vary batch=256,512,1024

Of many points the first, the last and the best (--best time) are shown, with --all every one.
Values are 1..128 (every whole number), 1s..5s:0.5s (in steps), 1..4096:x2 (times a factor), or a
list of those; choices are varied by name. Of several --vary the last varies fastest.
"""


OPTIONS: Final = (
    argument("TYPE|FILE ID", list[str], "A problem type, or a problem file and an id."),
    several("--vary", "What varies, for example workers=1..128.", "NAME=VALUES"),
    several("--quantity", "Quantity to report. (default: the answer)", "NAME", also=["--of"]),
    several("--best", "A cost to be least, a rate greatest. (default: time, money)", "NAME"),
    several("--minimize", "Quantity to minimize.", "NAME"),
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
        sweep_pages.write_lines(sweep, target)
    else:
        sweep_pages.write_page(sweep, target, wanted.steps, everything=wanted.everything)


def _sweep(call: Call, wanted: SimpleNamespace) -> Sweep:
    """What is *wanted* of a question: a problem of a file is without what is varied here. Raises
    what takes very long, or makes a very large file, is refused with."""
    from ddcalc.ask.sweep.axes import written
    from ddcalc.ask.sweep.grid import question
    from ddcalc.ask.sweep.points import ENDS, Sweep, goals

    vary = [written(text) for text in wanted.vary]
    _, problem, texts, relations = call.one(wanted.where)
    if call.problem is None:
        varied = {named(name, problem.givens) for name, _ in vary}
        texts = {n: text for n, text in texts.items() if n.replace("-", "_") not in varied}
    sought = {flag: listed_names(getattr(wanted, flag)) for flag in ("quantity", *ENDS)}
    known = problem.quantities
    sought["quantity"] = [x for n in sought["quantity"] for x in cases_named(known, n) or [n]]
    asked = question(problem, texts, vary, sought, wanted.unit, relations)
    most = TABLE if wanted.everything or call.target.form is Format.json else None
    made = Sweep(asked, goals(asked, sought), most=most)
    if asked.size > (PLAYED if made.is_played else LONG):
        raise OverLimit(f"{asked.extent} take too long; vary fewer in a call").about("vary")
    size, target = asked.size * len(asked.columns) * CELL, call.target
    if target.output is not None and target.form in LINES and size > LARGE:
        reason = f"would become {size // 10**9} GB or more; vary fewer in a call"
        raise BadTarget(reason, Place(shown(target.output)))
    return made
