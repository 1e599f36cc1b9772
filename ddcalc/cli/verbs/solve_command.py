"""The verb ``solve``: everything in problem files, shown one by one as it is solved."""

from __future__ import annotations

from typing import Any, Final

from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.documents import PAGES, REPORTS, Format, Steps
from ddcalc.cli.jobs import OPTIONS as JOBS
from ddcalc.cli.jobs import shared
from ddcalc.cli.options import argument, delivery, one_of, option, several, switch
from ddcalc.cli.options import steps as how_much
from ddcalc.cli.showing import Batch, Manner, is_id
from ddcalc.cli.subject import Call, verb
from ddcalc.errors import BadTarget
from ddcalc.problem.quantity import named

SOLVED: Final = (*PAGES, *REPORTS)
READ: Final = (Format.text, Format.markdown, Format.latex, Format.html)  # by people
OPTIONS: Final = (
    argument("FILE|FOLDER|-", list[str], "Problem files; - is standard input. FILE ID …: these."),
    how_much("full for one problem, none for several"),
    switch("--answers", "Only the answer of each problem; in JSON its id, status and answer."),
    switch("--all", "Steps and readings that nobody asked for, too.", "everything"),
    switch(
        "--resume",
        "Write --output FILE.ndjson line by line, and go on where a call that ended early stopped.",
    ),
    option("--find", str | None, "The given of one problem to find, also of all its parts."),
    several("--where", "What must hold for it, as for a type: c.gain >= 3.", "RELATION"),
    *JOBS,
    one_of(("full", "short"), "--diagnostics", "Errors in full or short. (default: full)", "full"),
)


@verb(OPTIONS, SOLVED, ways=delivery(SOLVED, "; junit and github for continuous integration"))
def command(
    call: Call,
    steps: Steps | None,
    answers: bool,
    everything: bool,
    resume: bool,
    find: str | None,
    where: list[str],
    diagnostics: str,
    **sharing: Any,
) -> None:
    """All that files hold, or what is to be found in one problem."""
    session, target, words = call.session, call.target, call.words
    target.resume = resume
    if find is not None:
        _find(call, find, where, steps or Steps.full)
        return
    work = shared(**sharing)
    if answers and steps not in (None, Steps.none):
        reason = f"--answers leaves out how they are found, which --steps {steps} shows"
        raise BadTarget(f"{reason}; leave one of the two away").about("--answers")
    session.short = diagnostics == "short"
    ids = [*filter(is_id, words[1:])]
    known = [*inputs(words := [word for word in words if word not in ids])]
    names = {one.name for one in known if isinstance(one, Source)}
    if work.parts > 1 and target.form is not Format.ndjson:
        reason = "goes with --format ndjson, whose lines of all parts make up the whole"
        raise BadTarget(reason).about("--part")
    if work.parts > 1 and "-" in names:
        raise BadTarget("goes with files, whose problems are counted first").about("--part")
    target.check(*(one for one in (*words, *names) if target.output))
    steps = Steps.none if answers else steps
    manner = Manner(target.form, target.look, steps, answers, everything)
    batch = Batch(target, words, manner, work, headed=len(names) > 1, ids=ids)
    if names or target.output is None or target.form not in READ:
        batch.run()
    else:  # a page of nothing is not written
        session.refuse(errors := [one for one in known if not isinstance(one, Source)])
        batch.failed = len(errors)
    batch.conclude()


def _find(call: Call, unknown: str, where: list[str], steps: Steps) -> None:
    """Find a given of the one problem that a call is about, of all of its parts together."""
    from ddcalc.ask.find.finding import find
    from ddcalc.cli.type_command import derivation_page
    from ddcalc.render.pages import Detail

    call.target.check(*call.words)
    _, problem, texts, relations = call.one(where)
    known = problem.givens
    texts = {n: x for n, x in texts.items() if named(n, known) != named(unknown, known)}
    solved = find(problem, unknown, relations, texts)
    call.target.deliver(derivation_page(solved, Detail(steps.value)))
