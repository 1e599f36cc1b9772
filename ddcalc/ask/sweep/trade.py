"""What one goal of a sweep costs in the other: its Pareto front as a curve."""

from __future__ import annotations

from ddcalc.ask.sweep.account import spot
from ddcalc.ask.sweep.curves import BENDS, quotient_of, spread
from ddcalc.ask.sweep.front import Chosen
from ddcalc.ask.sweep.sweep import Sweep
from ddcalc.chart import Chart, Curve, Dot, Scale
from ddcalc.display import ABOUT, quantity_text
from ddcalc.quantity import Quantity


def trade(sweep: Sweep) -> Chart | None:
    """The front of the finished *sweep*, the second goal over the first, thinned where it is long.

    None where there is no front of two points or more.
    """
    points = sweep.fronts[0].points if sweep.fronts else None
    if points is None or len(points) < 2:
        return None
    problem = sweep.question.problem
    first, second = (problem.quantities[goal.name] for goal in sweep.goals)
    dots = [_dot(sweep, points[i], (first, second)) for i in spread(len(points), 2 * BENDS)]
    name = first.name
    title = f"{problem.question()} {second.name[:1].upper()}{second.name[1:]} by {name}"
    scales = Scale(name, first.unit.name), Scale(second.name, second.unit.name)
    ends = " to ".join(spot(sweep, sweep.question.grid.place(points[i].number)) for i in (0, -1))
    curve = Curve(f"the Pareto front, from {ends}", tuple(dots))
    return Chart(title, *scales, (curve,), None, 0)


def _dot(sweep: Sweep, point: Chosen, quantities: tuple[Quantity, Quantity]) -> Dot:
    told = []
    for quantity, value in zip(quantities, point.values, strict=True):
        words = quantity_text(value, quantity.unit)
        told.append(f"{quantity.name} {'' if words.startswith(ABOUT) else '= '}{words}")
    x, y = (quotient_of(v, q.unit.worth) for v, q in zip(point.values, quantities, strict=True))
    place = sweep.question.grid.place(point.number)
    return Dot(x, y, f"{spot(sweep, place)}: {', '.join(told)}")
