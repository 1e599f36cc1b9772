"""The verb ``experiment``: real training under every scheme, on a virtual clock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import Page, deliver, report_page
from ddcalc.cli.formats import PLOTTED, Format, Steps, Target
from ddcalc.cli.options import STEPS, delivery, option
from ddcalc.cli.session import Session
from ddcalc.cli.subject import GivenTexts, refusing, stated, with_givens
from ddcalc.errors import BadNumber, BadValue, UnknownName
from ddcalc.numbers.number import Number, parse
from ddcalc.render.terminal.progress import Progress

if TYPE_CHECKING:
    from ddcalc.experiment.runs import Job
    from ddcalc.experiment.samples import Data
    from ddcalc.experiment.setting import Setting
    from ddcalc.experiment.standings import Results, Tuning
    from ddcalc.experiment.training import Run
    from ddcalc.problem.stated import Stated
    from ddcalc.render.whole import Look

PROCESSES: Final = 256  # at most
LAYERS: Final = 20  # at most, and units of one
UNITS: Final = 100_000
SIZES: Final = 8  # of steps, at most

HELP: Final = """\
    ddcalc experiment --workers 8 --schemes sync,drop:6,reuse:6,async --seeds 5

    ddcalc experiment --data FOLDER --layers 800,500 --batch 256 --state runs.ndjson

    ddcalc experiment --data FOLDER --model lenet --batch 256 --tune 0.05,0.1,0.2,0.5

Every gradient is computed on the parameters that the server has sent its worker by that time of the
schedule, so the results are those of real training; the time is the schedule's, not this machine's.

Schemes: sync, drop:K, reuse:K, cancel:K (an update waits for K workers; late gradients are dropped,
used in the next update, or interrupted), async, ssp:S, local:H. With +quantize:BITS or +top:SHARE
messages are smaller, as in async+top:1%. One worker and sync always take part.
"""
# small products take up to ten times as long on threads that wait for each other; --jobs uses cores
THREADS: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def _text(flag: str, metavar: str, says: str) -> Any:
    return option(flag, str | None, says, metavar=metavar)


OPTIONS: Final = (
    _text(
        "--data",
        "digits|FILE|FOLDER",
        "Training data: the digits of scikit-learn; a table (CSV), in each row a label and"
        " then inputs; or a folder with the four IDX files of MNIST. (default: digits)",
    ),
    _text(
        "--model",
        "dense|lenet",
        "Model: layers that are fully connected, or LeNet-5 (extra torch), for images of"
        " at most 32 x 32 pixels. (default: dense)",
    ),
    _text("--layers", "UNITS,…", "Hidden layers. (default: none, softmax regression)"),
    _text("--schemes", "SCHEME,…", "Who takes part, besides one worker and sync."),
    _text("--tune", "SIZE,…", "Choose each scheme's step size among these, on other seeds."),
    _text("--state", "FILE", "Keep finished runs here; they are not made again."),
    _text("--jobs", "COUNT", "Processes that train, each on one core. (default: 1)"),
    option("--chart", bool, "Draw the loss by time (extra plot).", False),
    STEPS,
    *delivery(PLOTTED, "; csv and ndjson: the runs"),
)


def command(session: Session, _words: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer."""
    for name in THREADS:  # read by NumPy's libraries when they are loaded
        os.environ.setdefault(name, "1")
    from ddcalc.experiment.setting import Experiment

    def run(
        given: GivenTexts, format: Format | None, output: str | None, force: bool, **options: Any
    ) -> None:
        target = Target(PLOTTED, format, output, force)
        _ExperimentCall(session, _Request(given=given, target=target, **options)).run()

    return with_givens(run, OPTIONS, Experiment)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """The options of the verb; *given* are those of the machine and the training."""

    given: GivenTexts
    target: Target
    data: str | None
    model: str | None
    layers: str | None
    schemes: str | None
    tune: str | None
    state: str | None
    jobs: str | None
    chart: bool
    steps: Steps

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
            reason = "chooses the step size; leave --step-size away"
            raise BadValue(self.tune, reason).about("--tune")
        sizes = [_parsed(text, "--tune") for text in _listed(self.tune, "--tune")]
        if min(sizes) <= 0 or len({*sizes}) < len(sizes) or len(sizes) > SIZES:
            reason = f"must be different sizes above 0, {SIZES} at most"
            raise BadValue(self.tune, reason).about("--tune")
        return sizes

    @property
    def processes(self) -> int:
        """How many processes train."""
        return 1 if self.jobs is None else _count(self.jobs, "--jobs", PROCESSES)


def _listed(text: str, option: str) -> list[str]:
    texts = [part.strip() for part in text.split(",")]
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


class _Outcome(NamedTuple):
    """The results, what was stated for them, and how the step sizes were chosen."""

    results: Results
    stated: Stated
    tuning: Tuning | None


class _ExperimentCall:
    """One call of the verb."""

    def __init__(self, session: Session, request: _Request) -> None:
        self.session, self.request, self.target = session, request, request.target

    def run(self) -> None:
        """Make the runs and show what comes of them; what is wrong is refused."""
        from ddcalc.experiment.setting import Experiment

        request = self.request
        inputs = [name for name in (request.data, request.state) if name is not None]
        names = ("data", "model", "layers", "schemes", "state")
        with refusing(self.session, self.target, Experiment, names):
            self.target.check(inputs, chart=request.chart)
            page = self._page(self._outcome())
            deliver(page, self.target, self.session, inputs)

    def _outcome(self) -> _Outcome:
        """The results of all runs; everything that is wrong with the numbers at once."""
        from ddcalc.experiment import samples, setting
        from ddcalc.experiment.learner import learner
        from ddcalc.experiment.standings import Results, standings
        from ddcalc.problem.stated import read

        request = self.request
        numbers = read(setting.Experiment, stated(setting.Experiment, request.given).texts)
        processes, sizes = request.processes, request.sizes
        made = setting.setting(numbers, request.named, request.hidden, request.kind)
        learnt = samples.read(samples.BUNDLED if request.data is None else request.data)
        made.check(learnt, learner(made, learnt).parameters)
        tuned = None
        if sizes:
            from ddcalc.experiment.standings import trials, tuning

            tried = trials(made, sizes)
            tuned = tuning(tried, learnt, sizes, self._runs(tried, learnt, processes))
            made = replace(made, contenders=tuned.chosen)
        runs = self._runs(made, learnt, processes)
        return _Outcome(Results(made, learnt, standings(made, learnt, runs)), numbers, tuned)

    def _runs(self, setting: Setting, data: Data, processes: int) -> dict[Job, Run]:
        """Every run, by contender and seed: the ones that are kept, and those made now."""
        from ddcalc.experiment.runs import Kept, trained

        kept = Kept(setting, data, self.request.state)
        jobs = [(contender, seed) for seed in setting.seeds for contender in setting.contenders]
        runs = {job: run for job in jobs if (run := kept.get(*job)) is not None}
        missing = [job for job in jobs if job not in runs]
        progress = Progress(self.session.err, "run", total=len(missing))
        made = closing(trained(setting, data, missing, processes, progress.under_way))
        with reraise_signals(), progress, made as finished:
            for job, run in finished:
                runs[job] = run
                kept.add(*job, run)
                progress.finish(job)
        return runs

    def _page(self, outcome: _Outcome) -> Page:
        from ddcalc.experiment.findings import chart, report
        from ddcalc.render import pages
        from ddcalc.render.json import verb_data
        from ddcalc.render.pictures import line_chart
        from ddcalc.render.terminal import screen

        results = outcome.results
        page = report_page(
            report(*outcome), self.request.steps, lambda: verb_data.experiment(results)
        )

        def text(look: Look) -> str:
            assert page.blocks is not None
            plotted = f"\n{self._plotted(results, look)}" if self.request.chart else ""
            return screen.page(page.blocks(), look) + plotted

        def rows(form: Format) -> str:
            as_csv = form is Format.csv
            table = verb_data.experiment_rows if as_csv else verb_data.experiment_lines
            return table(results)

        return replace(
            page,
            text=text,
            rows=rows,
            charts=lambda: [pages.chart(chart(results))],
            picture=lambda: line_chart.picture(chart(results)),
        )

    def _plotted(self, results: Results, look: Look) -> str:
        """The chart in the terminal; nothing but a note where it cannot be drawn."""
        from ddcalc.experiment.findings import chart
        from ddcalc.render.terminal import plot

        try:
            return "".join(f"{line}\n" for line in plot.lines(chart(results), look))
        except BadValue as error:
            self.session.say(f"note: {error}; the table of losses stands for it\n")
            return ""
