"""The loss by virtual time: for a chart, and for a table where no chart can be drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from operator import attrgetter

from ddcalc.ask.sweep.views import LINES
from ddcalc.experiment import standing
from ddcalc.experiment.estimate import plain
from ddcalc.experiment.standing import Results, Standing
from ddcalc.problem.steps import Chart, Curve, Dot, Scale, Table

PLACES = 100  # on the scale of time
TIMES = 5  # in the table
HIGH = 1.2  # times the loss at the start: what is above would press all else to the ground
NONE = "—"
_time = attrgetter("time")


def chart(results: Results) -> Chart:
    """The mean loss of each scheme by time; one worker, who takes longest, is left out first.

    Losses far above the one at the start are left out, too, and the scale says so.
    """
    drawn = [each for each in results.standings if each is not results.alone][:LINES]
    last, most = _last(results), HIGH * _first(results)
    dots = [tuple(_dots(each, last)) for each in drawn]
    low = [tuple(dot if dot is None or dot.y <= most else None for dot in each) for each in dots]
    curves = tuple(Curve(each.contender.name, own) for each, own in zip(drawn, low, strict=True))
    scale = Scale("loss" if low == dots else f"loss (above {plain(most)} not drawn)", "")
    left = len(results.standings) - 1 - len(drawn)
    title = f"Loss by virtual time: {results.data.name}, {len(results.setting.seeds)} seeds"
    return Chart(title, Scale("time", "s"), scale, curves, None, left)


def table(results: Results) -> Table:
    """The mean loss of each scheme at some times."""
    last = _last(results)
    times = [last * i / TIMES for i in range(1, TIMES + 1)]
    header = ("scheme", *(f"{plain(time)} s" for time in times))
    rows = tuple(
        (each.contender.name, *(_told(loss_at(each, time)) for time in times))
        for each in results.standings
    )
    why = "mean over the seeds, at the last look by each time; a run that has ended keeps its last"
    return Table("Loss on training samples by virtual time", why, header, rows)


def loss_at(each: Standing, time: float) -> float | None:
    """The mean loss at the last look before a *time*; None where a run has ended or diverged."""
    losses = []
    for run in each.runs.values():
        at = bisect_right(run.points, time, key=_time) - 1
        if run.points[-1].time < time and run.diverged:
            return None
        losses.append(run.points[at].loss)
    return sum(losses) / len(losses)


def _first(results: Results) -> float:
    """The mean loss at the start, which is the same for all schemes."""
    losses = [run.points[0].loss for run in results.sync.runs.values()]
    return sum(losses) / len(losses)


def _last(results: Results) -> float:
    """Until when losses are told: the mean end of sync."""
    found = results.sync.of(standing.ended)
    assert found is not None
    return found.mean


def _dots(each: Standing, last: float) -> Iterator[Dot | None]:
    ends = max(run.points[-1].time for run in each.runs.values())
    for i in range(PLACES + 1):
        time = last * i / PLACES
        if time > ends and last * (i - 1) / PLACES > ends:
            return
        loss = loss_at(each, time)
        if loss is None:
            yield None
            continue
        words = f"{each.contender.name}, {plain(time)} s: loss {plain(loss)}"
        yield Dot(Fraction(time), Fraction(loss), words)


def _told(loss: float | None) -> str:
    return NONE if loss is None else plain(loss)
