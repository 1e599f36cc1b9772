"""One call of ``experiment``: what is asked, the runs, and where their findings go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ddcalc.cli.charted import Charted
from ddcalc.cli.session import Session
from ddcalc.cli.sweep_format import SweepFormat
from ddcalc.errors import BadNumber, BadValue, DdcalcError
from ddcalc.number import parse

if TYPE_CHECKING:
    from ddcalc.experiment.data import Data
    from ddcalc.experiment.setting import Setting
    from ddcalc.experiment.standing import Results
    from ddcalc.render.layout import Look
    from ddcalc.stated import Stated

OWN: Final = ("data", "layers", "schemes", "state", "chart")  # parameters of errors
PROCESSES: Final = 256  # at most
LAYERS: Final = 20  # at most, and units of one
UNITS: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Charted):
    """The options of the verb; *given* are those of the machine and the training."""

    given: dict[str, list[str] | None]
    data: str | None
    layers: str | None
    schemes: str | None
    state: str | None
    jobs: str | None

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
    def processes(self) -> int:
        """How many processes train."""
        return 1 if self.jobs is None else _count(self.jobs, "--jobs", PROCESSES)


def _listed(text: str, option: str) -> list[str]:
    texts = [each.strip() for each in text.split(",")]
    if not all(texts):
        raise BadValue(text, "has nothing between two commas, or at all").about(option)
    return texts


def _count(text: str, option: str, most: int) -> int:
    try:
        value = parse(text)
    except BadNumber as error:
        raise error.about(option) from None
    if value.denominator != 1 or not 1 <= value <= most:
        raise BadValue(text, f"must be a whole number from 1 to {most}").about(option)
    return int(value)


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
            self._tell(*self._found())
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

    def _found(self) -> tuple[Results, Stated]:
        """The results of all runs; everything that is wrong with the numbers at once."""
        from ddcalc.cli.asked import stated
        from ddcalc.experiment import data, setting
        from ddcalc.experiment.standing import results
        from ddcalc.stated import read

        asked = self.asked
        texts = stated(setting.Experiment, asked.given).texts
        numbers = read(setting.Experiment, texts)
        processes, hidden = asked.processes, asked.hidden
        made = setting.setting(numbers, asked.named, hidden)
        learnt = data.read(data.BUNDLED if asked.data is None else asked.data)
        made.interval(len(learnt.labels))
        return results(made, learnt, self._runs(made, learnt, processes)), numbers

    def _runs(self, setting: Setting, data: Data, processes: int) -> dict[Any, Any]:
        """Every run, by contender and seed: the ones that are kept, and those made now."""
        from ddcalc.cli.progress import Progress
        from ddcalc.experiment.kept import Kept
        from ddcalc.experiment.pool import trained

        kept = Kept(setting, data, self.asked.state)
        jobs = [(each, seed) for seed in setting.seeds for each in setting.contenders]
        runs = {job: kept.get(*job) for job in jobs}
        missing = [job for job, run in runs.items() if run is None]
        with Progress(self.session.err, f"of {len(missing)} runs") as progress:
            for job, run in trained(setting, data, missing, processes):
                runs[job] = run
                kept.add(*job, run)
                progress.step()
        return runs

    def _tell(self, results: Results, stated: Stated) -> None:
        from ddcalc.render import experiment_data as rows

        match self.asked.form:
            case SweepFormat.csv:
                self._deliver(rows.table(results))
            case SweepFormat.ndjson:
                self._deliver(rows.lines(results))
            case SweepFormat.svg:
                from ddcalc.experiment.curves import chart
                from ddcalc.render import chart as drawn

                self._deliver(drawn.picture(chart(results)))
            case SweepFormat.html:
                self._deliver(self._page(results, stated))
            case _:
                self._deliver(self._report(results, stated))

    def _deliver(self, told: str) -> None:
        self.asked.deliver(told, self.session, self._inputs)

    def _report(self, results: Results, stated: Stated) -> str:
        """The findings in words, with the chart where that is wanted."""
        from ddcalc.cli.present import Format, look
        from ddcalc.cli.report import reported
        from ddcalc.experiment.findings import report
        from ddcalc.render import experiment_data as rows
        from ddcalc.render.layout import Look

        asked = self.asked
        seen = look(self.session.out) if asked.output is None else Look()
        form = Format(asked.form.value)
        extra = rows.data(results) if form is Format.json else {}
        told = reported(report(results, stated), extra, form, asked.steps, seen)
        return f"{told}\n{self._drawn(results, seen)}" if asked.chart else told

    def _drawn(self, results: Results, seen: Look) -> str:
        """The chart in the terminal; nothing but a note where it cannot be drawn."""
        from ddcalc.experiment.curves import chart
        from ddcalc.render import plot

        try:
            return "".join(f"{line}\n" for line in plot.lines(chart(results), seen))
        except BadValue as error:
            self.session.tell(f"note: {error}; the table of losses stands for it\n")
            return ""

    def _page(self, results: Results, stated: Stated) -> str:
        """The findings as a web page with the chart."""
        from ddcalc.experiment.curves import chart
        from ddcalc.experiment.findings import report
        from ddcalc.render import chart as drawn
        from ddcalc.render import html
        from ddcalc.render import report as rendered

        words = rendered.page(report(results, stated), self.asked.steps.value)
        return html.page([html.part(words), drawn.section(chart(results))])
