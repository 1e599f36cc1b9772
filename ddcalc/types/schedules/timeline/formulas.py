"""Formulas for what a run comes to, where there are any: with fixed times and a server that takes
no time. They are checked against the run that was played."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.formula.algebra import floor, largest, total
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Mul, Num, Sym
from ddcalc.numbers.number import Number
from ddcalc.schedule.times import Fixed
from ddcalc.types.schedules.timeline.workload import Run

Formula = tuple[Expr, Mapping[str, Number], str]  # with the values of its letters, and the reason

LISTED = 6  # workers whose times are written out
AGES = 12  # ages of gradients that are written as a sum

HORIZON, LOCAL_STEPS, PERIOD = "T", "H", "t_comp"


def updates(run: Run) -> Formula | None:
    """The number of updates of a run whose rounds are alike, or whose updates are gradients."""
    times = _periods(run)
    if times is None:
        return None
    scheme = run.scheme
    if not scheme.rounds:
        if any(day.held for day in run.counted.days):
            return None
        return _checked(_gradients_each(run, times), run.counted.updates)
    if scheme.wait_for < run.workload.workers:
        return None
    each, reason = _slowest(times), "every round takes as long as its slowest worker"
    numbers: dict[str, Number] = dict(times)
    if scheme.local_steps > 1:
        each, numbers[LOCAL_STEPS] = Sym(LOCAL_STEPS) * each, scheme.local_steps
    length, sent = _with_transfers(run, each)
    formula = floor(Sym(HORIZON) / length)
    return _checked((formula, {**numbers, **sent, **_horizon(run)}, reason), run.counted.updates)


def gradients(run: Run) -> Formula:
    """The number of gradients in the updates."""
    scheme, counted = run.scheme, run.counted
    numbers: dict[str, Number] = {"U": counted.updates}
    if not scheme.rounds:
        return Sym("U"), numbers, "every gradient is an update of its own"
    if not counted.updates:
        return Num(0), {}, "no update is made by the end"
    if scheme.late == "reuse":
        return Num(counted.used), {}, "counted in the schedule: those waited for, and late ones"
    each: tuple[Expr, ...] = (Sym("U"), Num(scheme.wait_for))
    if scheme.local_steps > 1:
        numbers[LOCAL_STEPS] = scheme.local_steps
        return Mul((*each, Sym(LOCAL_STEPS))), numbers, "each worker's local steps, in each update"
    return Mul(each), numbers, f"{scheme.wait_for} in each update"


def mean_staleness(run: Run) -> tuple[Expr, Mapping[str, Number]]:
    """The mean of the staleness of all gradients that are used."""
    told = sorted(run.counted.staleness.items())
    terms = [Mul((Num(count), Num(age))) for age, count in told if age]
    if not terms:
        return Num(0), {}
    if len(terms) > AGES:
        assert run.staleness is not None
        return Num(run.staleness), {}
    return total(terms) / Sym("G"), {"G": run.counted.used}


def _gradients_each(run: Run, times: Mapping[str, Number]) -> Formula:
    cycles = [_with_transfers(run, Sym(letter)) for letter in times]
    formula = total(floor(Sym(HORIZON) / cycle) for cycle, _ in cycles)
    numbers = {**times, **cycles[0][1], **_horizon(run)}
    workers = run.workload.workers
    if len(times) == 1 and workers > 1:
        return Num(workers) * formula, numbers, "nobody waits: every worker does as many"
    return formula, numbers, "nobody waits: each worker's whole computations, added up"


def _slowest(times: Mapping[str, Number]) -> Expr:
    letters = [Sym(letter) for letter in times]
    return letters[0] if len(letters) == 1 else largest(*letters)


def _with_transfers(run: Run, computing: Expr) -> tuple[Expr, dict[str, Number]]:
    """The time of a whole cycle, and the values of what is added to *computing*."""
    workload = run.workload
    parts = {"t_down": workload.down, "t_up": workload.up}
    numbers = {letter: time for letter, time in parts.items() if time}
    terms = [computing, *(Sym(letter) for letter in numbers)]
    return (terms[0] if len(terms) == 1 else total(terms)), numbers


def _periods(run: Run) -> dict[str, Number] | None:
    """The fixed time of each worker by letter, if all start at 0 and the server takes no time."""
    workload = run.workload
    fixed = isinstance(workload.times, Fixed)
    if not fixed or workload.aggregate or workload.update or any(workload.starts):
        return None
    assert isinstance(workload.times, Fixed)
    rows = workload.times.rows
    if workload.horizon is None or workload.times.listed:
        return None
    periods = [period for (period,) in rows]
    if len(set(periods)) == 1:
        return {PERIOD: periods[0]}
    if len(periods) > LISTED:
        return None
    return {f"{PERIOD}_{i}": period for i, period in enumerate(periods, 1)}


def _horizon(run: Run) -> dict[str, Number]:
    return {} if run.workload.horizon is None else {HORIZON: run.workload.horizon}


def _checked(formula: Formula, value: int) -> Formula | None:
    """The *formula*, if it gives what was played."""
    expr, numbers, _ = formula
    return formula if evaluate(expr, dict(numbers)) == value else None
