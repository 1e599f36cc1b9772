"""One call of ``experiment``: what is asked, the runs, and where their findings go."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.charted import Charted
from ddcalc.cli.session import Session
from ddcalc.cli.sweep_format import SweepFormat
from ddcalc.errors import BadNumber, BadValue, DdcalcError, UnknownName
from ddcalc.numbers.number import Number, parse

if TYPE_CHECKING:
    from ddcalc.experiment.runs import Job
    from ddcalc.experiment.samples import Data
    from ddcalc.experiment.setting import Setting
    from ddcalc.experiment.standings import Results, Tuning
    from ddcalc.experiment.training import Run
    from ddcalc.problem.stated import Stated
    from ddcalc.render.layout import Look

OWN: Final = ("data", "model", "layers", "schemes", "state", "chart")  # parameters of errors
PROCESSES: Final = 256  # at most
LAYERS: Final = 20  # at most, and units of one
UNITS: Final = 100_000
SIZES: Final = 8  # of steps, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Charted):
    """The options of the verb; *given* are those of the machine and the training."""

    given: dict[str, list[str] | None]
    data: str | None
    model: str | None
    layers: str | None
    schemes: str | None
    tune: str | None
    state: str | None
    jobs: str | None

    @property
    def kind(self) -> str:
        """The kind of model: one of MODELS."""
        from ddcalc.experiment.setting import MODELS

        kind = "dense" if self.model is None else self.model.strip().lower()
        if kind not in MODELS:
            raise UnknownName("model", kind, MODELS).about("--model")
        if kind != "dense" and self.layers is not None:
            raise BadValue(self.layers, f"goes with no {kind}, whose layers are known").about(
                "--layers"
            )
        return kind

    @property
    def hidden(self) -> tuple[int, ...]:
        """The units of the hidden layers."""
        texts = _listed(self.layers, "--layers") if self.layers is not None else []
        if len(texts) > LAYERS:
            raise BadValue(f"{len(texts)} layers", f"are more than {LAYERS}").about("--layers")
        return tuple(_count(text, "--layers", UNITS) for text in texts)

    @property
    def named(self) -> list[str] | None:
        """The schemes that are named."""
        return None if self.schemes is None else _listed(self.schemes, "--schemes")

    @property
    def sizes(self) -> list[Number]:
        """The step sizes to choose from; none where one is stated."""
        if self.tune is None:
            return []
        if self.given["step_size"] is not None:
            told = "chooses the step size; leave --step-size away"
            raise BadValue(self.tune, told).about("--tune")
        sizes = [_parsed(text, "--tune") for text in _listed(self.tune, "--tune")]
        if min(sizes) <= 0 or len({*sizes}) < len(sizes) or len(sizes) > SIZES:
            told = f"must be different sizes above 0, {SIZES} at most"
            raise BadValue(self.tune, told).about("--tune")
        return sizes

    @property
    def processes(self) -> int:
        """How many processes train."""
        return 1 if self.jobs is None else _count(self.jobs, "--jobs", PROCESSES)


def _listed(text: str, option: str) -> list[str]:
    texts = [each.strip() for each in text.split(",")]
    if not all(texts):
        raise BadValue(text, "has nothing between two commas, or at all").about(option)
    return texts


def _parsed(text: str, option: str) -> Number:
    try:
        return parse(text)
    except BadNumber as error:
        raise error.about(option) from None


def _count(text: str, option: str, most: int) -> int:
    value = _parsed(text, option)
    if value.denominator != 1 or not 1 <= value <= most:
        raise BadValue(text, f"must be a whole number from 1 to {most}").about(option)
    return int(value)


class Found(NamedTuple):
    """The results, what was stated for them, and how the step sizes were chosen."""

    results: Results
    stated: Stated
    tuning: Tuning | None


class Experimenting:
    """An experiment that is asked for, made, and told."""

    def __init__(self, session: Session, asked: Asked) -> None:
        self.session, self.asked = session, asked

    def run(self) -> None:
        """Make the runs and tell what they have found; what is wrong is refused."""
        from ddcalc.cli.asked import named_as_options
        from ddcalc.experiment.setting import Experiment

        try:
            self.asked.check(self._inputs)
            self._tell(self._found())
        except DdcalcError as error:
            named_as_options(Experiment, error)
            for single in error.each():
                if single.parameter in OWN:
                    single.parameter = f"--{single.parameter}"
            self._refuse(error.each())

    @property
    def _inputs(self) -> list[str]:
        """The files that stay."""
        return [each for each in (self.asked.data, self.asked.state) if each is not None]

    def _refuse(self, errors: Sequence[DdcalcError]) -> None:
        """Tell *errors* on standard error, and as an object where JSON is wanted."""
        self.session.refuse(errors)
        form = self.asked.form
        if self.asked.output is None and form in (SweepFormat.json, SweepFormat.ndjson):
            from ddcalc.render import data

            indent = 2 if form is SweepFormat.json else None
            self.session.out.write(data.dumped(data.failed(errors), indent) + "\n")

    def _found(self) -> Found:
        """The results of all runs; everything that is wrong with the numbers at once."""
        from ddcalc.cli.asked import stated
        from ddcalc.experiment import samples, setting
        from ddcalc.experiment.learner import learner
        from ddcalc.experiment.standings import Results, standings
        from ddcalc.problem.stated import read

        asked = self.asked
        texts = stated(setting.Experiment, asked.given).texts
        numbers = read(setting.Experiment, texts)
        processes, sizes = asked.processes, asked.sizes
        made = setting.setting(numbers, asked.named, asked.hidden, asked.kind)
        learnt = samples.read(samples.BUNDLED if asked.data is None else asked.data)
        made.check(learnt, learner(made, learnt).parameters)
        tuned = None
        if sizes:
            from ddcalc.experiment.standings import trials, tuning

            tried = trials(made, sizes)
            tuned = tuning(tried, learnt, sizes, self._runs(tried, learnt, processes))
            made = replace(made, contenders=tuned.chosen)
        runs = self._runs(made, learnt, processes)
        return Found(Results(made, learnt, standings(made, learnt, runs)), numbers, tuned)

    def _runs(self, setting: Setting, data: Data, processes: int) -> dict[Job, Run]:
        """Every run, by contender and seed: the ones that are kept, and those made now."""
        from ddcalc.cli.progress import Bar
        from ddcalc.experiment.runs import Kept, trained

        kept = Kept(setting, data, self.asked.state)
        jobs = [(each, seed) for seed in setting.seeds for each in setting.contenders]
        runs = {job: run for job in jobs if (run := kept.get(*job)) is not None}
        missing = [job for job in jobs if job not in runs]
        progress = Bar(self.session.err, len(missing), "run")
        made = closing(trained(setting, data, missing, processes, progress.under_way))
        with reraise_signals(), progress, made as finished:
            for job, run in finished:
                runs[job] = run
                kept.add(*job, run)
                progress.finished(job)
        return runs

    def _tell(self, found: Found) -> None:
        from ddcalc.render import experiment_data as rows

        match self.asked.form:
            case SweepFormat.csv:
                self._deliver(rows.table(found.results))
            case SweepFormat.ndjson:
                self._deliver(rows.lines(found.results))
            case SweepFormat.svg:
                from ddcalc.experiment.findings import chart
                from ddcalc.render import chart as drawn

                self._deliver(drawn.picture(chart(found.results)))
            case SweepFormat.html:
                self._deliver(self._page(found))
            case _:
                self._deliver(self._report(found))

    def _deliver(self, told: str) -> None:
        self.asked.deliver(told, self.session, self._inputs)

    def _report(self, found: Found) -> str:
        """The findings in words, with the chart where that is wanted."""
        from ddcalc.cli.present import Format, look
        from ddcalc.cli.report import reported
        from ddcalc.experiment.findings import report
        from ddcalc.render import experiment_data as rows
        from ddcalc.render.layout import Look

        asked = self.asked
        seen = look(self.session.out) if asked.output is None else Look()
        form = Format(asked.form.value)
        extra = rows.data(found.results) if form is Format.json else {}
        told = reported(report(*found), extra, form, asked.steps, seen)
        return f"{told}\n{self._drawn(found.results, seen)}" if asked.chart else told

    def _drawn(self, results: Results, seen: Look) -> str:
        """The chart in the terminal; nothing but a note where it cannot be drawn."""
        from ddcalc.experiment.findings import chart
        from ddcalc.render import plot

        try:
            return "".join(f"{line}\n" for line in plot.lines(chart(results), seen))
        except BadValue as error:
            self.session.tell(f"note: {error}; the table of losses stands for it\n")
            return ""

    def _page(self, found: Found) -> str:
        """The findings as a web page with the chart."""
        from ddcalc.experiment.findings import chart, report
        from ddcalc.render import chart as drawn
        from ddcalc.render import html
        from ddcalc.render import report as rendered

        words = rendered.page(report(*found), self.asked.steps.value)
        return html.page([html.part(words), drawn.section(chart(found.results))])
