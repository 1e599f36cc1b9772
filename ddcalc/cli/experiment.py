"""The verb ``experiment``: real training under every scheme, on a virtual clock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ddcalc.cli.present import Steps
from ddcalc.cli.session import Session
from ddcalc.cli.sweep_format import SweepFormat

_HELP = """Real training on handwritten digits: which scheme comes first to an accuracy?

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
_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def _one(flag: str, metavar: str, told: str) -> Any:
    info = typer.Option(flag, metavar=metavar, help=told, show_default=False)
    return Annotated[str | None, info]


_OWN: dict[str, tuple[Any, Any]] = {
    "data": (
        _one(
            "--data",
            "digits|FILE|FOLDER",
            "What is learnt: the digits of scikit-learn; a table (CSV), in each row a label and"
            " then inputs; or a folder with the four IDX files of MNIST. (default: digits)",
        ),
        None,
    ),
    "model": (
        _one(
            "--model",
            "dense|lenet",
            "What learns: layers that are fully connected, or LeNet-5 (extra torch), for images of"
            " at most 32 x 32 pixels. (default: dense)",
        ),
        None,
    ),
    "layers": (
        _one("--layers", "UNITS,…", "Hidden layers. (default: none, softmax regression)"),
        None,
    ),
    "schemes": (
        _one("--schemes", "SCHEME,…", "Who takes part, besides one worker and sync."),
        None,
    ),
    "tune": (
        _one("--tune", "SIZE,…", "Choose each scheme's step size among these, on other seeds."),
        None,
    ),
    "state": (
        _one("--state", "FILE", "Keep finished runs here; they are not made again."),
        None,
    ),
    "jobs": (_one("--jobs", "COUNT", "Processes that train, each on one core. (default: 1)"), None),
    "chart": (
        Annotated[bool, typer.Option("--chart", help="Draw the loss by time (extra plot).")],
        False,
    ),
    "steps": (
        Annotated[
            Steps,
            typer.Option(
                "--steps",
                metavar="|".join(Steps),
                help="How much to explain. (default: full)",
                show_default=False,
            ),
        ],
        Steps.full,
    ),
    "format": (
        Annotated[
            SweepFormat | None,
            typer.Option(
                "--format",
                metavar="FORMAT",
                help=f"What to print: {', '.join(SweepFormat)}; csv and ndjson: the runs. "
                "(default: text)",
                show_default=False,
            ),
        ],
        None,
    ),
    "output": (
        Annotated[
            str | None,
            typer.Option("--output", metavar="FILE", help="Write into FILE, as its suffix says."),
        ],
        None,
    ),
    "force": (
        Annotated[bool, typer.Option("--force", help="Let --output replace a file.")],
        False,
    ),
}


def add(app: typer.Typer, session: Session, arguments: Sequence[str]) -> None:
    """Add the verb to *app*."""
    if "experiment" not in arguments[:1]:
        app.command("experiment", help=_HELP)(_not_called)
        return
    for name in _THREADS:  # read by NumPy's libraries when they are loaded
        os.environ.setdefault(name, "1")
    from ddcalc.cli.asked import with_givens
    from ddcalc.cli.delivery import option
    from ddcalc.experiment.setting import Experiment

    def run(given: Any, **options: Any) -> None:
        from ddcalc.cli.experimenting import Asked, Experimenting

        Experimenting(session, Asked(given=given, **options)).run()

    own = [option(name, annotation, usual) for name, (annotation, usual) in _OWN.items()]
    app.command("experiment", help=_HELP)(with_givens(run, own, Experiment))


def _not_called() -> None:
    raise AssertionError("another command was called")
