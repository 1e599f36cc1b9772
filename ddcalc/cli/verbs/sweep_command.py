"""The verb ``sweep``: a question at very many points, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import Terminated, reraise_signals
from ddcalc.cli.documents import Page, deliver, report_page
from ddcalc.cli.formats import LINES, PLOTTED, Format, Steps, Target
from ddcalc.cli.jobs import OPTIONS as JOBS
from ddcalc.cli.jobs import Jobs, jobs, share
from ddcalc.cli.options import RESUME, STEPS, argument, delivery, listed_names, option, several
from ddcalc.cli.session import Session
from ddcalc.cli.subject import GivenTexts, Subject, one, refusing, type_named_in, with_givens
from ddcalc.cli.sweep_pieces import SweepRequest, Yield, results
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, BadValue, DdcalcError, OverLimit, Place
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted
from ddcalc.problem.problem import Problem

if TYPE_CHECKING:
    from ddcalc.ask.sweep.best import Sweep
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
    RESUME,
    option(
        "--any-size", bool, "Let a sweep have more than 10^11 points, or its file 10 GB.", False
    ),
    *JOBS,
)
PART: Final = option(
    "--part",
    str | None,
    "Part K of N only: points in a row, so that the files of all parts follow one another.",
    metavar="K/N",
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
        resume: bool,
        **options: Any,
    ) -> None:
        target = Target(PLOTTED, format, output, force, resume=resume)
        inputs = [] if problem else words[:1]
        with refusing(session, target, problem):
            shared = jobs(options)
            _SweepCall(session, problem, target, inputs, shared, **options).run(words, given)

    has_part = problem is not None and PART.name in problem.choices  # which is its own then
    return with_givens(run, OPTIONS if has_part else (*OPTIONS, PART), problem)


@dataclass
class _SweepCall:
    """One call of the verb."""

    session: Session
    problem: type[Problem] | None
    target: Target
    inputs: list[str]  # the file that is read, if there is one
    jobs: Jobs
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
    part: str | None = None

    def run(self, words: list[str], given: GivenTexts) -> None:
        """Sweep and write; what is wrong is refused."""
        names = ("vary", "quantity", "minimize", "maximize", "unit", "chart", "log", "part")
        with refusing(self.session, self.target, self.problem, names):
            try:
                self.target.check(self.inputs, chart=self.chart)
                self._check_chart()
                subject = one(self.problem, words, given, self.session)
                if subject is not None:
                    self._write(self._request(subject))
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
        if not self.chart and self.target.form not in (Format.html, Format.svg):
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

    def _request(self, subject: Subject) -> SweepRequest:
        """What is asked, of a problem of a file without what is varied here."""
        from ddcalc.ask.sweep.axes import written as axis

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
        form = self.target.form
        return SweepRequest(
            subject.problem.reference,
            dict(texts),
            [axis(text) for text in self.vary],
            quantity,
            minimize,
            maximize,
            self.unit,
            form.value if form in LINES else "",
            turns=form not in LINES,
            part=(1, 1) if self.part is None else share(self.part),
        )

    def _most(self) -> int | None:
        """How many points are possible, where that is limited."""
        from ddcalc.ask.sweep.views import DRAWN

        if self.target.form in LINES:
            return None
        if self.target.form is Format.svg or self.chart:
            return DRAWN
        return TABLE if self.everything or self.target.form is Format.json else None

    def _write(self, request: SweepRequest) -> None:
        sweep = request.sweep(self._most())
        self._check_length(sweep)
        if request.form:
            _Points(self, sweep, request).write()
            return
        if not sweep.size:
            points, pieces = count_text(sweep.question.grid.size), counted(sweep.pieces, "piece")
            reason = f"has none of the {points} points, which are shared out in {pieces}"
            raise BadValue(self.part or "", reason).about("part")
        curves = self._curves(sweep)
        self._work(sweep, request, curves)
        deliver(self._page(sweep, curves), self.target, self.session, self.inputs)

    def _check_length(self, sweep: Sweep) -> None:
        """OverLimit for a sweep that takes very long, unless any size is wanted."""
        long = PLAYED if sweep.question.equations is None else LONG
        if sweep.size > long and not self.any_size:
            advice = "--any-size works them out, and --part 1/16 a part of them"
            raise OverLimit(f"{sweep.extent} take very long; {advice}").about("vary")

    def _curves(self, sweep: Sweep) -> Curves | None:
        """What is kept to be drawn."""
        from ddcalc.ask.sweep.views import Curves

        if self.target.form is Format.svg:
            return Curves(sweep) if Curves.possible(sweep) or not sweep.fronts else None
        if self.target.form is Format.html:
            return Curves(sweep) if Curves.possible(sweep) else None
        return Curves(sweep) if self.chart else None

    def _work(self, sweep: Sweep, request: SweepRequest, curves: Curves | None) -> None:
        """Work out all points, and keep what is to be drawn."""
        at, _ = sweep.span
        with (
            reraise_signals(),
            Waiting(self.session, "point", total=sweep.size) as waiting,
            self.jobs.opened() as executor,
        ):
            drawn = curves is not None
            for result in results(sweep, request, executor, waiting.step, drawn=drawn):
                if curves is not None:
                    curves.keep(at, result.drawn)
                at += result.points

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

        def picture() -> str:
            """The chart alone: of two goals the front, if they have one."""
            from ddcalc.render.pictures import line_chart

            front = trade(sweep, self._log)
            return line_chart.picture(front or (curves or Curves(sweep)).chart(self._log))

        return replace(page, picture=picture)

    @property
    def _shows_charts(self) -> bool:
        """Whether charts stand among the words."""
        return self.chart or self.target.form is Format.html


@dataclass
class _Points:
    """The points of *sweep*, that of *request*, written as they come, a line for each: what is
    finished stays, however it ends."""

    call: _SweepCall
    sweep: Sweep
    request: SweepRequest

    def write(self) -> None:
        """Work out all points, and write them."""
        session = self.call.session
        if self.call.target.output is None:
            with reraise_signals(), self._results() as made:
                for lines, _ in made:
                    for piece in _pieces(lines):
                        session.out.write(piece.decode())
        elif not self._is_written(self.call.target.output):
            return
        else:
            session.say(f"wrote {files.shown(self.call.target.output)}: {self._points}\n")
            from ddcalc.ask.sweep.account import best_of

            for optimum in self.sweep.optima if self.sweep.size else ():
                session.say(f"{clean(best_of(self.sweep, optimum))}\n")
        _remark(self.sweep, session)

    @property
    def _points(self) -> str:
        return f"{self.sweep.size} points"

    def _is_written(self, name: str) -> bool:
        """Write the file; whether there was anything to be written."""
        if self.call.target.resume:
            return self._is_gone_on_with()
        self._write_file(name)
        return True

    def _is_gone_on_with(self) -> bool:
        """Write what the file lacks; whether there is any."""
        from ddcalc.cli.resuming import foreign, resuming

        call, command = self.call, f"sweep {self.request.problem}"
        options = self._options()
        with (
            resuming(call.session, call.target, command, options, call.inputs) as journal,
            reraise_signals(),
        ):
            if journal.finished:
                return False
            if journal.kept > self.sweep.size:
                raise foreign(journal, self.sweep.size + 1)
            first, skipped = self.sweep.after(journal.kept)
            with self._results(first) as made:
                for lines, _ in made:
                    if lines:
                        journal.write(lines.split(b"\n", skipped)[-1])
                        skipped = 0
            if journal.kept and self.sweep.question.equations is None:
                call.session.note("the best below is that of the points worked out now")
            return True

    def _options(self) -> dict[str, str]:
        """The options that change the lines, as an earlier call may have had others."""
        texts = self.request.texts.items()
        stated = {f"--{name.replace('_', '-')}": text for name, text in texts}
        options = {flag: t if isinstance(t, str) else ",".join(t) for flag, t in stated.items()}
        options["--vary"] = " ".join(f"{name}={values}" for name, values in self.request.vary)
        for name in ("quantity", "minimize", "maximize", "unit", "part"):
            value = getattr(self.call, name)
            options[f"--{name}"] = value if isinstance(value, str) else ",".join(value or ())
        return options

    def _write_file(self, name: str) -> None:
        target = self.call.target
        ends, file = {0: 0}, None  # the points that belong to a size of the file, in bytes
        try:
            with (
                files.opened(name, force=target.force, inputs=self.call.inputs) as file,
                reraise_signals(),
                self._results() as made,
            ):
                points = 0
                for lines, more in made:
                    points += more
                    ends = {file.size: ends[file.size], file.size + len(lines): points}
                    file.write(lines)
        except (KeyboardInterrupt, Terminated):
            if file is not None and file.size:
                kept = f"{files.shown(name)} has {ends[file.size]} of {self._points}"
                self.call.session.say(f"interrupted: {kept}\n")
            raise

    @contextmanager
    def _results(self, behind: int = 0) -> Iterator[Iterator[tuple[bytes, int]]]:
        """Lines, from block number *behind* on, and how many points they are; of a part without
        points the head alone, if any."""
        session = self.call.session
        printed = session.out if self.call.target.output is None else None
        with (
            Waiting(session, "point", rows=printed, total=self.sweep.size) as waiting,
            self.call.jobs.opened() as executor,
        ):
            made = results(self.sweep, self.request, executor, waiting.step, behind=behind)
            yield self._lines(made)

    def _lines(self, made: Iterator[Yield]) -> Iterator[tuple[bytes, int]]:
        from ddcalc.render import point_lines

        is_first = self.call.target.form is Format.csv and self.sweep.part[0] == 1
        head = point_lines.csv_head(self.sweep.question) if is_first else b""
        is_begun = False
        for result in made:
            if result.lines and not is_begun:
                self._check_size(len(result.lines) / result.points)
                is_begun = True
            yield head + result.lines, result.points
            head = b""
        if head:
            yield head, 0

    def _check_size(self, line: float) -> None:
        """BadTarget for a file that becomes very large, of lines of so many bytes, unless any size
        is wanted."""
        size, name = line * self.sweep.size, self.call.target.output
        if name is not None and size > LARGE and not self.call.any_size:
            much = f"{count_text(round(size / 10**9))} GB ({count_text(self.sweep.size)} points)"
            advice = "--any-size writes it, and --part 1/16 a part of it"
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
