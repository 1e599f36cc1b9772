"""The verb ``experiment``: real training under every scheme, on a virtual clock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import Page, deliver, report_page
from ddcalc.cli.formats import PLOTTED, Format, Steps, Target
from ddcalc.cli.options import STEPS, delivery, option
from ddcalc.cli.session import Session
from ddcalc.cli.subject import GivenTexts, refusing, stated, with_givens
from ddcalc.errors import BadValue, UnknownName
from ddcalc.render.terminal.progress import Progress

if TYPE_CHECKING:
    from ddcalc.experiment.findings import Results
    from ddcalc.problem.stated import Stated

UNITS: Final = 100_000  # of a layer, at most

HELP: Final = """\
    ddcalc experiment --workers 8 --schemes sync,drop:6,reuse:6,async --seeds 5

    ddcalc experiment --data FOLDER --layers 800,500 --batch 256 --output runs.csv

    ddcalc experiment --data FOLDER --model lenet --batch 256 --step-size 0.2

Every gradient is computed on the parameters that the server has sent its worker by that time of the
schedule, so the results are those of real training; the time is the schedule's, not this machine's.

Schemes: sync, drop:K, reuse:K, cancel:K (an update waits for K workers; late gradients are dropped,
used in the next update, or interrupted), async, ssp:S, local:H. One worker and sync always take
part.
"""
# small products take up to ten times as long on threads that wait for each other
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
        inputs = [options["data"]] if options["data"] is not None else []
        with refusing(session, target, Experiment, ("data", "model", "layers", "schemes")):
            target.check(inputs)
            outcome, said = _outcome(session, given, options)
            deliver(_page(outcome, said, options["steps"]), target, session, inputs)

    return with_givens(run, OPTIONS, Experiment)


def _outcome(
    session: Session, given: GivenTexts, options: dict[str, Any]
) -> tuple[Results, Stated]:
    """What comes of all runs, and what was stated for them."""
    from ddcalc.experiment import findings, samples, setting
    from ddcalc.experiment.learner import learner
    from ddcalc.experiment.training import Training
    from ddcalc.problem.stated import read

    model = options["model"] or "dense"
    if model not in setting.MODELS:
        raise UnknownName("model", model, setting.MODELS).about("--model")
    layers = [] if options["layers"] is None else _layers(options["layers"])
    if layers and model != "dense":
        raise BadValue(options["layers"], f"goes with no {model}").about("--layers")
    numbers = read(setting.Experiment, stated(setting.Experiment, given).texts)
    written = options["schemes"]
    named = None if written is None else _listed(written, "--schemes")
    made = setting.setting(numbers, named, layers, model)
    data = samples.read(options["data"] or samples.BUNDLED)
    learnt = learner(model, layers, data)
    made.check(data, learnt.parameters)
    jobs = [(one, seed) for seed in made.seeds for one in made.contenders]
    runs = {}
    progress = Progress(session.err, "run", total=len(jobs))
    with reraise_signals(), progress:
        for job in jobs:
            training = Training(made, data, learnt, *job)
            runs[job] = training.train(partial(progress.under_way, job))
            progress.finish(job)
    return findings.results(made, data, runs), numbers


def _listed(text: str, option: str) -> list[str]:
    texts = [part.strip() for part in text.split(",")]
    if not all(texts):
        raise BadValue(text, "has nothing between two commas, or at all").about(option)
    return texts


def _layers(text: str) -> list[int]:
    texts = _listed(text, "--layers")
    if not all(one.isdecimal() and 1 <= int(one[:7]) <= UNITS for one in texts):
        raise BadValue(text, f"must be whole numbers from 1 to {UNITS}").about("--layers")
    return [*map(int, texts)]


def _page(outcome: Results, said: Stated, steps: Steps) -> Page:
    from ddcalc.experiment.findings import chart, report
    from ddcalc.render import pages
    from ddcalc.render.json import verb_data
    from ddcalc.render.pictures import line_chart

    def rows(form: Format) -> str:
        as_csv = form is Format.csv
        return (verb_data.experiment_rows if as_csv else verb_data.experiment_lines)(outcome)

    return replace(
        report_page(report(outcome, said), steps, lambda: verb_data.experiment(outcome)),
        rows=rows,
        charts=lambda: [pages.chart(chart(outcome))],
        picture=lambda: line_chart.picture(chart(outcome)),
    )
