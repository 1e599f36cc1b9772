"""The verb ``sweep``: a question at very many points, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import Terminated, reraise_signals
from ddcalc.cli.documents import Page, deliver, report_page
from ddcalc.cli.formats import LINES, PICTURES, PLOTTED, Format, Steps, Target
from ddcalc.cli.options import STEPS, argument, delivery, listed_names, option, several
from ddcalc.cli.session import Session
from ddcalc.cli.subject import GivenTexts, Subject, one, refusing, type_named_in, with_givens
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, BadValue, DdcalcError, OverLimit, Place
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.units import unit_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.steps import Plot

if TYPE_CHECKING:
    from ddcalc.ask.sweep.best import Sweep
    from ddcalc.ask.sweep.grid import Block, Patch
    from ddcalc.ask.sweep.views import Curves

TABLE: Final = 100_000  # points of a table
LONG: Final = 10**11  # points from which on it is asked for: half an hour or more
PLAYED: Final = 10**6  # points from which on it is, where each is played
LARGE: Final = 10**10  # bytes of a file from which on it is asked for
ATOMIC: Final = 4096  # bytes that a pipe takes whole or not at all (PIPE_BUF)
NO_BEST: Final = "no best point is sought; --minimize NAME or --maximize NAME says what it is"

HELP: Final = """\
    ddcalc sweep epoch-time --samples 76800 … --vary workers=1..128 --vary batch=256,512,1024

    ddcalc sweep FILE ID --vary workers=1..128

Of many points the first, the last and the best are shown, and with --all every one. Values are
1..128 (every whole number), 1s..5s:0.5s (in steps), 1..4096:x2 (times a factor), or a
list of those; choices are varied by name. Of several --vary the last varies fastest.
"""


OPTIONS: Final = (
    argument("TYPE|FILE ID", list[str], "A problem type, or a problem file and an id."),
    several("--vary", "What varies, for example workers=1..128.", "NAME=VALUES"),
    several("--quantity", "Quantity to report. (default: the answer)", "NAME"),
    several("--minimize", "Quantity to minimize. (default: a time, or money)", "NAME"),
    several("--maximize", "Quantity to maximize.", "NAME"),
    option("--unit", str | None, "Unit of the quantities reported, for example h.", metavar="UNIT"),
    option("--all", bool, "All points in the table, and the formulas.", False, name="everything"),
    option("--chart", bool, "Draw a chart, too (extra plot).", False),
    option(
        "--log",
        str | None,
        "Logarithmic scales of the chart: x, y, x,y or none. (default: as the values go)",
        metavar="AXES",
    ),
    STEPS,
    *delivery(PLOTTED),
    option(
        "--any-size", bool, "Let a sweep have more than 10^11 points, or its file 10 GB.", False
    ),
)


def command(session: Session, arguments: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer, with the options of the type that *arguments* name."""
    problem = type_named_in(arguments)

    def run(
        words: list[str],
        given: GivenTexts,
        format: Format | None,
        output: str | None,
        force: bool,
        **options: Any,
    ) -> None:
        target = Target(PLOTTED, format, output, force)
        inputs = [] if problem else words[:1]
        with refusing(session, target, problem):
            _SweepCall(session, problem, target, inputs, **options).run(words, given)

    return with_givens(run, OPTIONS, problem)


@dataclass
class _SweepCall:
    """One call of the verb."""

    session: Session
    problem: type[Problem] | None
    target: Target
    inputs: list[str]  # the file that is read, if there is one
    vary: list[str]
    quantity: list[str]
    minimize: list[str]
    maximize: list[str]
    unit: str | None
    everything: bool
    chart: bool
    log: str | None
    steps: Steps
    any_size: bool

    def run(self, words: list[str], given: GivenTexts) -> None:
        """Sweep and write; what is wrong is refused."""
        names = ("vary", "quantity", "minimize", "maximize", "unit", "chart", "log")
        with refusing(self.session, self.target, self.problem, names):
            try:
                self.target.check(self.inputs, chart=self.chart)
                self._check_chart()
                subject = one(self.problem, words, given, self.session)
                if subject is not None:
                    self._write(self._sweep(subject))
            except DdcalcError as error:
                for single in error.singles():
                    self._locate(single)
                raise

    @property
    def _log(self) -> Collection[str] | None:
        """Which scales are to be logarithmic; None where nothing is said."""
        return None if self.log is None else {*self.log.split(",")} - {"none"}

    def _check_chart(self) -> None:
        """Raise BadValue, before the work, where the chart cannot be drawn as it is wanted."""
        if self.chart:
            from ddcalc.render.terminal import plot

            plot.check(self.target.look(self.session.out))
        if self.log is None:
            return
        if self.log not in ("x", "y", "x,y", "y,x", "none"):
            raise BadValue(self.log, "is not x, y, x,y or none").about("log")
        if not self.chart and self.target.form not in (Format.html, *PICTURES):
            reason = "goes with a chart: --chart, or --output FILE.svg or FILE.html"
            raise BadValue(self.log, reason).about("log")

    def _locate(self, error: DdcalcError) -> None:
        """Of a quantity that is sought, name the option that asks for it."""
        if error.parameter == "quantity":
            name = getattr(error, "name", getattr(error, "text", None))
            for flag in ("quantity", "minimize", "maximize"):
                if name in [text.replace("-", "_") for text in listed_names(getattr(self, flag))]:
                    error.parameter = flag
                    return

    def _sweep(self, subject: Subject) -> Sweep:
        """What is asked, of a problem of a file without what is varied here."""
        from ddcalc.ask.sweep.axes import written as axis
        from ddcalc.ask.sweep.best import Sweep, goals
        from ddcalc.ask.sweep.grid import question

        texts = subject.texts
        if self.problem is None:
            varied = {text.partition("=")[0].strip().replace("-", "_") for text in self.vary}
            texts = {n: text for n, text in texts.items() if n.replace("-", "_") not in varied}
        derived = subject.problem.quantities.items() - subject.problem.givens.items()
        by_letter = {quantity.letter: name for name, quantity in derived}
        quantity, minimize, maximize = (
            [by_letter.get(name, name) for name in listed_names(texts)]
            for texts in (self.quantity, self.minimize, self.maximize)
        )
        unit = None
        if self.unit is not None:
            try:
                unit = unit_named(self.unit)
            except DdcalcError as error:
                raise error.about("unit") from None
        vary = [axis(text) for text in self.vary]
        points = question(subject.problem, texts, vary, quantity, [*minimize, *maximize], unit)
        sought = goals(points, minimize, maximize)
        return Sweep(points, sought, most=self._most(), turns=self.target.form not in LINES)

    def _most(self) -> int | None:
        """How many points are possible, where that is limited."""
        from ddcalc.ask.sweep.views import DRAWN

        if self.target.form in LINES:
            return None
        if self.target.form in PICTURES or self.chart:
            return DRAWN
        return TABLE if self.everything or self.target.form is Format.json else None

    def _write(self, sweep: Sweep) -> None:
        self._check_length(sweep)
        if self.target.form in LINES:
            _Points(self, sweep).write()
            return
        curves = self._curves(sweep)
        self._work(sweep, curves)
        deliver(self._page(sweep, curves), self.target, self.session, self.inputs)

    def _check_length(self, sweep: Sweep) -> None:
        """OverLimit for a sweep that takes very long, unless any size is wanted."""
        long = PLAYED if sweep.question.equations is None else LONG
        if sweep.size > long and not self.any_size:
            advice = "--any-size works them out"
            raise OverLimit(f"{sweep.extent} take very long; {advice}").about("vary")

    def _curves(self, sweep: Sweep) -> Curves | None:
        """What is kept to be drawn."""
        from ddcalc.ask.sweep.views import Curves

        if self.target.form in PICTURES:
            return Curves(sweep) if Curves.possible(sweep) or not sweep.fronts else None
        if self.target.form is Format.html:
            return Curves(sweep) if Curves.possible(sweep) else None
        return Curves(sweep) if self.chart else None

    def _work(self, sweep: Sweep, curves: Curves | None) -> None:
        """Work out all points, and keep what is to be drawn."""
        with reraise_signals(), Waiting(self.session, "point", total=sweep.size) as waiting:
            for block, patches in worked_out(sweep, waiting):
                if curves is not None:
                    curves.see(block, patches)

    def _page(self, sweep: Sweep, curves: Curves | None) -> Page:
        from ddcalc.ask.sweep.account import report
        from ddcalc.ask.sweep.views import Curves, drawings, trade
        from ddcalc.render.json import verb_data

        formulas = self.everything or self.target.form is Format.json
        words = report(sweep, everything=self.everything, formulas=formulas)
        if not words.answer and self.steps is Steps.none and self.target.form is not Format.json:
            words = replace(words, answer=NO_BEST)
        drawn = drawings(sweep, curves, self._log) if self._shows_charts else []
        page = report_page(words, self.steps, lambda: verb_data.sweep(sweep), drawn)

        def picture(form: str) -> bytes:
            """The chart alone: of two goals the front, if they have one."""
            from ddcalc.render import pictures

            front = trade(sweep, self._log)
            chart = front or (curves or Curves(sweep)).chart(self._log)
            return pictures.of(Plot(chart.title, "", chart), form)

        return replace(page, picture=picture)

    @property
    def _shows_charts(self) -> bool:
        """Whether charts stand among the words."""
        return self.chart or self.target.form is Format.html


def worked_out(sweep: Sweep, waiting: Waiting) -> Iterator[tuple[Block, list[Patch]]]:
    """The blocks of *sweep*, each of whose points, or played point by point, is a step."""
    from ddcalc.ask.sweep.engines import Points

    if isinstance(sweep.engine, Points):
        sweep.engine.step = waiting.step
        yield from sweep.blocks()
        return
    for block, patches in sweep.blocks():
        waiting.step(block.size)
        yield block, patches


@dataclass
class _Points:
    """The points of *sweep* written as they come, a line for each: what is finished stays, however
    it ends."""

    call: _SweepCall
    sweep: Sweep

    def write(self) -> None:
        """Work out all points, and write them."""
        session, output = self.call.session, self.call.target.output
        printed = session.out if output is None else None
        with Waiting(session, "point", rows=printed, total=self.sweep.size) as waiting:
            if output is not None:
                self._write_file(output, waiting)
            else:
                with reraise_signals():
                    for lines, _ in self._results(waiting):
                        for piece in _pieces(lines):
                            session.out.write(piece.decode())
        if output is not None:
            session.say(f"wrote {files.shown(output)}: {self._points}\n")
            from ddcalc.ask.sweep.account import best_of

            for optimum in self.sweep.optima:
                session.say(f"{clean(best_of(self.sweep, optimum))}\n")
        _remark(self.sweep, session)

    @property
    def _points(self) -> str:
        return f"{self.sweep.size} points"

    def _write_file(self, name: str, waiting: Waiting) -> None:
        target = self.call.target
        ends, file, points = {0: 0}, None, 0  # the points that belong to a size of the file
        try:
            with (
                files.opened(name, force=target.force, inputs=self.call.inputs) as file,
                reraise_signals(),
            ):
                for lines, more in self._results(waiting):
                    points += more
                    ends = {file.size: ends[file.size], file.size + len(lines): points}
                    file.write(lines)
        except (KeyboardInterrupt, Terminated):
            if file is not None and file.size:
                kept = f"{files.shown(name)} has {ends[file.size]} of {self._points}"
                self.call.session.say(f"interrupted: {kept}\n")
            raise

    def _results(self, waiting: Waiting) -> Iterator[tuple[bytes, int]]:
        """Lines, and how many points they are; the head stands above the first ones."""
        from ddcalc.render import point_lines

        question, form = self.sweep.question, self.call.target.form
        head = point_lines.csv_head(question) if form is Format.csv else b""
        shape, is_begun = point_lines.FORMS[form](question), False
        for block, patches in worked_out(self.sweep, waiting):
            lines = point_lines.lines(question, shape, block, patches)
            if not is_begun:
                self._check_size(len(lines) / block.size)
                is_begun = True
            yield head + lines, block.size
            head = b""

    def _check_size(self, line: float) -> None:
        """BadTarget for a file that becomes very large, of lines of so many bytes, unless any size
        is wanted."""
        size, name = line * self.sweep.size, self.call.target.output
        if name is not None and size > LARGE and not self.call.any_size:
            much = f"{count_text(round(size / 10**9))} GB ({count_text(self.sweep.size)} points)"
            advice = "--any-size writes it"
            raise BadTarget(f"would become about {much}; {advice}", Place(files.shown(name)))


def _remark(sweep: Sweep, session: Session) -> None:
    """Say what has no value, on standard error."""
    from ddcalc.ask.sweep.account import notes

    for note in notes(sweep):
        points = "point has" if note.points == 1 else "points have"
        says = f"{note.points} {points} no value, first at {note.at}: {note.says}"
        session.say(f"note: {clean(says)}\n")


def _pieces(lines: bytes) -> Iterator[bytes]:
    """Whole lines, as many as a pipe takes at once: none is cut in two by Ctrl-C."""
    start = 0
    while start < len(lines):
        end = lines.rfind(b"\n", start, start + ATOMIC) + 1
        if not end:  # a line that is longer
            end = lines.index(b"\n", start) + 1
        yield lines[start:end]
        start = end
