"""The runs of an experiment as plain data."""

from __future__ import annotations

from ddcalc.render.json.step_data import Data, fields
from ddcalc_experiment.findings import Results, Standing


def data(results: Results) -> Data:
    """The runs of an experiment with their curves."""
    first = results.standings[0]
    target = {"target": first.wanted / first.tests, "tests": first.tests}
    runs = [_run(results, one, seed) for one in results.standings for seed in one.runs]
    return {"problem": "experiment", "status": "solved"} | target | {"runs": runs}


def _run(results: Results, standing: Standing, seed: int) -> Data:
    run, hit = standing.runs[seed], standing.hit(seed)
    last = run.points[-1]
    points = [
        fields(point, "time updates gradients=used loss")
        | {"accuracy": point.right / standing.tests}
        for point in run.points
    ]
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
        "points": points,
    }
