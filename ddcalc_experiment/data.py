"""The runs of an experiment as plain data, and as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.boundary import table
from ddcalc.render.json import dumped
from ddcalc.render.json.step_data import Data, fields
from ddcalc_experiment.findings import Results, Standing


def rows(results: Results) -> str:
    """The runs of an experiment as CSV."""
    runs = [_run(results, *job) for job in _jobs(results)]
    cells = [list(runs[0]), *(list(run.values()) for run in runs)]
    return "".join(table.csv_line("" if cell is None else cell for cell in row) for row in cells)


def lines(results: Results) -> str:
    """The runs of an experiment with their curves, an object a line."""
    return "".join(f"{dumped(run)}\n" for run in _with_curves(results))


def data(results: Results) -> Data:
    """The runs of an experiment with their curves."""
    first = results.standings[0]
    target = {"target": first.wanted / first.tests, "tests": first.tests}
    solved = {"problem": "experiment", "status": "solved"}
    return solved | target | {"runs": [*_with_curves(results)]}


def _jobs(results: Results) -> Iterator[tuple[Standing, int]]:
    return ((standing, seed) for standing in results.standings for seed in standing.runs)


def _run(results: Results, standing: Standing, seed: int) -> Data:
    run, hit = standing.runs[seed], standing.hit(seed)
    last = run.points[-1]
    return {
        **fields(standing, "scheme=contender.key name=contender.name"),
        "seed": seed,
        "step_size": float(results.setting.number("step_size")),
        "target_time": None if hit is None else hit.time,
        "target_updates": None if hit is None else hit.updates,
        "target_gradients": None if hit is None else hit.used,
        **fields(last, "end_time=time updates loss"),
        "accuracy": last.right / standing.tests,
        **fields(run, "gradients=used dropped interrupted"),
        "mean_staleness": run.staleness / run.used if run.used else None,
        **fields(run, "max_staleness=stalest diverged"),
    }


def _with_curves(results: Results) -> Iterator[Data]:
    for standing, seed in _jobs(results):
        points = [
            fields(point, "time updates gradients=used loss")
            | {"accuracy": point.right / standing.tests}
            for point in standing.runs[seed].points
        ]
        yield {**_run(results, standing, seed), "points": points}
