"""The runs of an experiment as data: CSV and JSON, a row or an object a run."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.boundary.table import csv_line
from ddcalc.experiment.standings import Results, Standing
from ddcalc.render.data import Data, dumped


def table(results: Results) -> str:
    """The runs as CSV."""
    rows = list(_runs(results))
    cells = [list(rows[0]), *(list(row.values()) for row in rows)]
    return "".join(csv_line("" if cell is None else cell for cell in row) for row in cells)


def lines(results: Results) -> str:
    """The runs with their curves, an object a line."""
    return "".join(f"{dumped(each)}\n" for each in _with_curves(results))


def data(results: Results) -> Data:
    """The runs with their curves, for JSON."""
    return {
        "problem": "experiment",
        "status": "solved",
        "target": results.standings[0].wanted / results.standings[0].tests,
        "tests": results.standings[0].tests,
        "runs": list(_with_curves(results)),
    }


def _runs(results: Results) -> Iterator[Data]:
    for each in results.standings:
        for seed in each.runs:
            yield _run(results, each, seed)


def _run(results: Results, each: Standing, seed: int) -> Data:
    step = results.setting.step(each.contender)
    run, hit, last = each.runs[seed], each.hit(seed), each.runs[seed].points[-1]
    return {
        "scheme": each.contender.key,
        "name": each.contender.name,
        "seed": seed,
        "step_size": step.numerator / step.denominator,
        "target_time": None if hit is None else hit.time,
        "target_updates": None if hit is None else hit.updates,
        "target_gradients": None if hit is None else hit.used,
        "end_time": last.time,
        "updates": last.updates,
        "loss": last.loss,
        "accuracy": last.right / each.tests,
        "gradients": run.used,
        "dropped": run.dropped,
        "interrupted": run.interrupted,
        "mean_staleness": run.staleness / run.used if run.used else None,
        "max_staleness": run.stalest,
        "diverged": run.diverged,
    }


def _with_curves(results: Results) -> Iterator[Data]:
    for each in results.standings:
        for seed, run in each.runs.items():
            points = [
                {
                    "time": point.time,
                    "updates": point.updates,
                    "gradients": point.used,
                    "loss": point.loss,
                    "accuracy": point.right / each.tests,
                }
                for point in run.points
            ]
            yield {**_run(results, each, seed), "points": points}
