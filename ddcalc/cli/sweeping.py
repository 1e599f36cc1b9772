"""One call of ``sweep``: what is asked, and where the points go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.charted import Charted
from ddcalc.cli.progress import Progress
from ddcalc.cli.session import Session
from ddcalc.cli.sweep_format import LINES, SweepFormat
from ddcalc.cli.sweep_lines import Lines
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.problem.problem import Problem

if TYPE_CHECKING:
    from ddcalc.ask.sweep.best import Sweep
    from ddcalc.ask.sweep.views import Curves
    from ddcalc.cli.asked import Asked

SHOWN: Final = 10_000_000  # points of a sweep that is told in words
TABLE: Final = 100_000  # points of a table
NO_BEST: Final = "no best point is sought; --minimize NAME or --maximize NAME says what it is"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Charted):
    """The options of the verb."""

    vary: list[str] | None
    quantity: list[str] | None
    minimize: list[str] | None
    maximize: list[str] | None
    everything: bool

    @property
    def most(self) -> int:
        """How many points are possible."""
        from ddcalc.ask.sweep.best import MOST
        from ddcalc.ask.sweep.views import DRAWN

        if self.form in LINES:
            return MOST
        if self.form is SweepFormat.svg or self.chart:
            return DRAWN
        return TABLE if self.everything or self.form is SweepFormat.json else SHOWN


class Sweeping:
    """A sweep that is asked for, worked out, and told."""

    def __init__(self, session: Session, problem: type[Problem] | None, wanted: Wanted) -> None:
        self.session, self.problem, self.wanted = session, problem, wanted
        self.inputs: list[str] = []

    def run(self, words: list[str], given: Any) -> None:
        """Sweep and tell; what is wrong is refused."""
        from ddcalc.cli.asked import named_as_options

        try:
            if self.problem is None:
                self.inputs = words[:1]
            self.wanted.check(self.inputs)
            asked = self._asked(words, given)
            if asked is not None:
                self.problem = asked.problem
                self._tell(self._sweep(asked))
        except DdcalcError as error:
            if self.problem is not None:
                named_as_options(self.problem, error)
            for single in error.each():
                single.parameter = self._option(single)
            self._refuse(error.each())

    def _option(self, error: DdcalcError) -> str | None:
        """The option that *error* is about; of a quantity that is sought the one that names it."""
        about = error.parameter or ""
        if about.partition(" ")[0] not in ("vary", "quantity", "minimize", "maximize", "chart"):
            return error.parameter
        for flag in ("quantity", "minimize", "maximize") if about == "quantity" else ():
            told = [name.replace("-", "_") for name in getattr(self.wanted, flag) or ()]
            if getattr(error, "name", getattr(error, "text", None)) in told:
                return f"--{flag}"
        return f"--{about}"

    def _refuse(self, errors: Sequence[DdcalcError]) -> None:
        """Tell *errors* on standard error, and as an object where JSON is wanted."""
        self.session.refuse(errors)
        form = self.wanted.form
        if self.wanted.output is None and form in (SweepFormat.json, SweepFormat.ndjson):
            from ddcalc.render import data

            slug = None if self.problem is None else self.problem.slug
            indent = 2 if form is SweepFormat.json else None
            self.session.out.write(data.dumped(data.failed(errors, slug), indent) + "\n")

    def _asked(self, words: list[str], given: Any) -> Asked | None:
        """What is stated, and a problem of a file without what is varied here."""
        from ddcalc.cli.asked import from_files, stated

        if self.problem is not None:
            if len(words) > 1:
                raise BadValue(words[1], "stands behind a type; its givens are options (see -h)")
            return stated(self.problem, given)
        asked = from_files(words, self.session)
        if self.session.code:
            return None
        if len(asked) != 1:
            raise BadValue(words[0], f"holds {len(asked)} problems; name one by its id")
        varied = {
            each.partition("=")[0].strip().replace("-", "_") for each in self.wanted.vary or ()
        }
        texts = {n: t for n, t in asked[0].texts.items() if n.replace("-", "_") not in varied}
        return type(asked[0])(asked[0].name, asked[0].problem, texts)

    def _sweep(self, asked: Asked) -> Sweep:
        """The sweep; everything that is wrong with it at once."""
        from ddcalc.ask.sweep.axes import written
        from ddcalc.ask.sweep.best import Sweep, goals
        from ddcalc.ask.sweep.grid import question

        wanted = self.wanted
        least, largest = wanted.minimize or [], wanted.maximize or []
        vary = [written(text) for text in wanted.vary or ()]
        told = wanted.quantity or []
        made = question(asked.problem, asked.texts, vary, told, [*least, *largest])
        turns = wanted.form not in LINES
        return Sweep(made, goals(made, least, largest), most=wanted.most, turns=turns)

    def _tell(self, sweep: Sweep) -> None:
        match self.wanted.form:
            case SweepFormat.csv | SweepFormat.ndjson:
                lines = Lines(self.session, self.wanted.form is SweepFormat.csv)
                lines.write(sweep, self.wanted.output, self.wanted.force, self.inputs)
            case SweepFormat.svg:
                self._deliver(self._picture(sweep))
            case SweepFormat.html:
                self._deliver(self._page(sweep))
            case _:
                self._deliver(self._report(sweep))

    def _deliver(self, told: str) -> None:
        self.wanted.deliver(told, self.session, self.inputs)

    def _work(self, sweep: Sweep, curves: Curves | None = None) -> None:
        """Work out all points, and keep what is to be drawn."""
        with reraise_signals(), Progress(self.session.err, "point") as progress:
            for block, pieces in sweep.blocks():
                if curves is not None:
                    curves.see(block, pieces)
                progress.step(block.size)

    def _picture(self, sweep: Sweep) -> str:
        """The chart alone: of two goals the front, if they have one."""
        from ddcalc.ask.sweep.views import Curves, trade
        from ddcalc.render import chart

        curves = Curves(sweep) if Curves.possible(sweep) or not sweep.fronts else None
        self._work(sweep, curves)
        return chart.picture(trade(sweep) or (curves or Curves(sweep)).chart())

    def _report(self, sweep: Sweep) -> str:
        """The sweep in words, with its chart where that is wanted."""
        from ddcalc.ask.sweep.account import report
        from ddcalc.ask.sweep.views import Curves
        from ddcalc.cli.present import Format, Steps, look
        from ddcalc.cli.report import reported
        from ddcalc.render import sweep_data
        from ddcalc.render.layout import Look

        curves = Curves(sweep) if self.wanted.chart else None
        self._work(sweep, curves)
        seen = look(self.session.out) if self.wanted.output is None else Look()
        form = Format(self.wanted.form.value)
        extra = sweep_data.told(sweep) if form is Format.json else {}
        words = report(sweep, everything=self.wanted.everything)
        if not words.answer and self.wanted.steps is Steps.none and form is not Format.json:
            words = replace(words, answer=NO_BEST)
        told = reported(words, extra, form, self.wanted.steps, seen)
        if curves is not None:
            from ddcalc.ask.sweep.views import trade
            from ddcalc.render import plot

            for drawn in (curves.chart(), trade(sweep)):
                if drawn is not None:
                    told += "\n" + "".join(f"{line}\n" for line in plot.lines(drawn, seen))
        return told

    def _page(self, sweep: Sweep) -> str:
        """The sweep as a web page, with the charts that it has."""
        from ddcalc.ask.sweep.account import report
        from ddcalc.ask.sweep.views import Curves, trade
        from ddcalc.render import chart, html
        from ddcalc.render import report as rendered

        curves = Curves(sweep) if Curves.possible(sweep) else None
        self._work(sweep, curves)
        words = report(sweep, everything=self.wanted.everything)
        parts = [html.part(rendered.page(words, self.wanted.steps.value))]
        if curves is not None and curves.known:
            parts.append(chart.section(curves.chart()))
        if (front := trade(sweep)) is not None:
            parts.append(chart.section(front))
        return html.page(parts)
