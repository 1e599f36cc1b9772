"""The verb ``experiment``: real training under every scheme, on a virtual clock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ddcalc.boundary.signals import reraise_signals
from ddcalc.cli.documents import Steps, report_page
from ddcalc.cli.options import STEPS, option
from ddcalc.cli.session import Waiting
from ddcalc.cli.subject import Call, verb
from ddcalc.errors import BadValue, UnknownName
from ddcalc.schedule.watching import tell

if TYPE_CHECKING:
    from ddcalc.problem.problem import Problem
    from ddcalc.problem.stated import Stated
    from ddcalc_experiment.findings import Results

UNITS: Final = 100_000  # of a layer, at most

HELP: Final = """\
    ddcalc experiment --workers 8 --schemes sync,drop:6,reuse:6,async --seeds 5

    ddcalc experiment --data FOLDER --layers 800,500 --batch 256 --output runs.json

    ddcalc experiment --data FOLDER --model lenet --batch 256 --step-size 0.2

Every gradient is computed on the parameters that the server has sent its worker by that time of the
schedule, so the results are those of real training; the time is the schedule's, not this machine's.

Schemes: sync, drop:K, reuse:K, cancel:K (an update waits for K workers; late gradients are dropped,
used in the next update, or interrupted), async, ssp:S, local:H. One worker and sync always take
part.
"""
# small products take up to ten times as long on threads that wait for each other
THREADS: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


_TEXTS: Final = (
    ("--data", "digits|FILE|FOLDER", "Training data: the digits of scikit-learn; a table (CSV), in"
     " each row a label and then inputs; or a folder with the four IDX files of MNIST."
     " (default: digits)"),
    ("--model", "dense|lenet", "Model: layers that are fully connected, or LeNet-5 (extra torch),"
     " for squares of at most 32 x 32 pixels. (default: dense)"),
    ("--layers", "UNITS,…", "Hidden layers. (default: none, softmax regression)"),
    ("--schemes", "SCHEME,…", "Who takes part, besides one worker and sync."),
)  # fmt: skip
OPTIONS: Final = (
    *(option(flag, str | None, says, metavar=metavar) for flag, metavar, says in _TEXTS),
    STEPS,
)


def _experiment(_words: Sequence[str]) -> type[Problem]:
    """What is stated for an experiment, as the givens of a type."""
    for name in THREADS:  # read by NumPy's libraries when they are loaded
        os.environ.setdefault(name, "1")
    from ddcalc_experiment.setting import Experiment

    return Experiment


@verb(OPTIONS, of_type=_experiment)
def command(call: Call, steps: Steps, **options: str | None) -> None:
    """What comes of training under each scheme."""
    call.target.check(*filter(None, [options["data"]]))
    outcome, said = _outcome(call, **options)
    from ddcalc_experiment import data, findings

    page = report_page(findings.report(outcome, said), steps, lambda: data.data(outcome))
    call.target.deliver(page)


def _outcome(
    call: Call, data: str | None, model: str | None, layers: str | None, schemes: str | None
) -> tuple[Results, Stated]:
    """What comes of all runs, and what was stated for them."""
    from ddcalc.problem.stated import read
    from ddcalc_experiment import findings, samples, setting
    from ddcalc_experiment.learner import learner
    from ddcalc_experiment.training import Training

    model = model or "dense"
    if model not in setting.MODELS:
        raise UnknownName("model", model, setting.MODELS).about("--model")
    units = _listed(layers, "--layers") or []
    if not all(one.isdecimal() and 1 <= int(one[:7]) <= UNITS for one in units):
        reason = f"must be whole numbers from 1 to {UNITS}"
        raise BadValue(str(layers), reason).about("--layers")
    if units and model != "dense":
        raise BadValue(str(layers), f"goes with no {model}").about("--layers")
    numbers = read(setting.Experiment, call.one().texts)
    named = _listed(schemes, "--schemes")
    made = setting.setting(numbers, named, [*map(int, units)], model)
    samples_of = samples.read(data or samples.BUNDLED)
    learnt = learner(model, made.hidden, samples_of)
    made.check(samples_of, learnt.parameters)
    jobs = [(one, seed) for seed in made.seeds for one in made.contenders]
    runs = {}
    with reraise_signals(), Waiting(call.session):
        for job in jobs:
            training = Training(made, samples_of, learnt, *job)
            runs[job] = training.train(lambda share: tell("run", 0))
            tell("run")
    return findings.results(made, samples_of, runs), numbers


def _listed(text: str | None, option: str) -> list[str] | None:
    texts = None if text is None else [part.strip() for part in text.split(",")]
    if texts and not all(texts):
        raise BadValue(text or "", "has nothing between two commas, or at all").about(option)
    return texts
