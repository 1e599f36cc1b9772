"""A training run under one scheme or all, counted and drawn: what workers do, and what comes of it.

The same computations are played whatever the scheme. All times are exact; drawn ones are rounded
before they are played, and the same seed always draws the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, sqrt
from statistics import stdev
from typing import Final

from ddcalc.errors import DdcalcError, OverLimit
from ddcalc.memory import last_remembered
from ddcalc.numbers.amounts import amount, count_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, quotient
from ddcalc.numbers.units import SECOND
from ddcalc.problem.play import LateValues, PlayedGivens, one, whole
from ddcalc.problem.said.steps import Bar, Kind, Lane, Timeline, Value
from ddcalc.schedule.engine import PLAYED
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, PENDING, Gradient, Hold, Order, Time
from ddcalc.schedule.scheme import Scheme, asynchronous, sync
from ddcalc.schedule.tally import BARS, LANES, Tally, until
from ddcalc.schedule.times import Drawn
from ddcalc.schedule.watching import tell
from ddcalc.types.schedules._workload import Run, Workload, schemes, workload

Column = tuple[Value, ...]
Late = dict[str, Callable[[], Value | Column]]

SHARED: Final = 10  # runs that are played for one comparison
LOGGED: Final = 12  # gradients that are listed
NAMED: Final = 6  # workers up to which each is named
SIDE: Final = 20_000  # computations that are played beside the run itself
LONG: Final = 5_000  # computations beyond which it is not played in another order
DRAWN: Final = 4  # workers up to which all schemes are drawn
MOST_RUNS: Final = 1_000_000
ALL_RUNS: Final = 10 * PLAYED  # computations of all runs together
PIECE: Final = 50  # runs that are played between two looks at their average


def table(given: PlayedGivens, reading: Mapping[str, str]) -> LateValues:
    """What the runs come to; what only sentences use is played when it is asked for."""
    work = workload(given, reading)
    runs = played(work, schemes(given, reading, work.workers))
    best = max(runs, key=lambda run: run.counted.used)
    results: dict[str, Value | Column] = {
        "work": sum(run.counted.played for run in runs),
        "crew": work.workers,
        "ended": best.seconds(best.counted.end),
        "gradients": best.counted.used,
    }
    results |= _alone(best) if len(runs) == 1 else _side_by_side(runs, given)
    if "runs" in given or "within" in given:
        results |= _averages(work, [run.scheme for run in runs], given, len(runs) > 1)
    late: Late = {name: lambda value=value: value for name, value in results.items()}  # type: ignore[misc]
    return LateValues(late | (_beside(best) if len(runs) == 1 else {}))


@last_remembered
def played(work: Workload, ways: tuple[Scheme, ...]) -> tuple[Run, ...]:
    """The *work* under each of the *ways* to synchronise."""
    if len(ways) > 1:
        work = replace(work, most=PLAYED // SHARED)
    return tuple(map(work.run, ways))


def _alone(run: Run) -> dict[str, Value | Column]:
    """What happens in one run."""
    counted, days, stale = run.counted, run.counted.days, run.counted.staleness
    waits = [day.held + day.served for day in days]
    results: dict[str, Value | Column] = {
        "clocks": tuple(day.clocks for day in days),
        "updates": counted.updates,
        "unused": counted.dropped + counted.interrupted,
        "busy": tuple(run.share(day.computes) for day in days),
        "idle": tuple(map(run.share, waits)),
        "mean_idle": run.waiting,
        "max_staleness": max(stale, default=None),
        "ahead": counted.ahead,
        "finished": sum(day.clocks for day in days),
        "held": sum(any(day.waits.values()) for day in days),
        "longest": run.seconds(max(waits)),
        "wasted": run.share(counted.wasted) / Fraction(len(days)),
        "transfers": run.transfers,
        "wait_times": tuple(map(run.seconds, waits)),
        "awaited": tuple(max(day.waits, key=day.waits.__getitem__, default=0) for day in days),
        "mean_staleness": run.staleness,
    }
    if run.workload.nth is not None:
        results["nth_time"] = run.nth_time
    causes = {by for day in days for by, time in day.waits.items() if time}
    if len(causes) == 1 and not any(day.served for day in days):
        results["cause"] = causes.pop() or None
    if stale:
        results["by_age"] = tuple(stale.get(age, 0) for age in range(max(stale) + 1))
    if sum(len(g.ends) or 1 for g in counted.first) == counted.played:  # all are known
        made = {g.update: g.written for g in counted.first if g.update > 0}
        gaps = {b - a for a, b in pairwise([0, *(made[i] for i in sorted(made))])}
        if len(gaps) == 1 and counted.updates > 1:
            results["gap"] = run.seconds(gaps.pop())
        used = {g.worker for g in counted.first if g.update > 0}
        never = tuple(i for i in range(1, len(days) + 1) if i not in used)
        if used and 0 < len(never) <= NAMED:
            results["unheard"] = never
    return results | _log(run)


def _log(run: Run) -> dict[str, Column]:
    """The first gradients in the order in which the server is done with them."""
    rows: list[tuple[Number, ...]] = []
    newest = 0
    for g in run.counted.first[:LOGGED]:
        newest = max(newest, g.update, g.seen)
        stale = g.staleness if g.update > 0 else newest - g.seen
        times = map(run.seconds, (g.start, g.end, g.written))
        rows.append((g.worker, *times, g.seen, stale, min(g.update, 1)))
    names = ("worker", "from", "to", "at", "seen", "stale", "fate")
    return {
        f"log_{name}": column for name, column in zip(names, zip(*rows, strict=True), strict=False)
    }


def _beside(run: Run) -> Late:
    """What the same workers would do without waiting, waiting for all, and in another order."""
    work, end = run.workload, run.seconds(run.counted.end)
    same = replace(work, horizon=end or None, nth=None)
    once = cache(same.run)

    def beside(scheme: Scheme, of: Callable[[Tally], int]) -> Value:
        if work.workers == 1 or not end or max(run.counted.played, same.estimate(scheme)) > SIDE:
            return None
        return of(once(scheme).counted)

    def order_counts() -> Value:
        other: Order = "writes_first" if work.order == "in_turn" else "in_turn"
        long = run.counted.played > LONG
        mine, theirs = (
            (one.counted.days, one.counted.staleness, one.counted.end)
            for one in (run, run if long else replace(work, order=other).run(run.scheme))
        )
        return 1 if long or mine != theirs else None

    return {
        "waiting_used": lambda: beside(sync(work.workers), lambda other: other.used),
        "free_used": lambda: beside(asynchronous(), lambda other: other.used),
        "free_stalest": lambda: beside(
            asynchronous(), lambda other: max(other.staleness, default=0)
        ),
        "order_counts": order_counts,
    }


def _side_by_side(runs: Sequence[Run], given: PlayedGivens) -> dict[str, Value | Column]:
    """What each scheme comes to."""
    results: dict[str, Value | Column] = {
        "order_counts": 1,
        "gradients_by_scheme": tuple(run.counted.used for run in runs),
        "updates_by_scheme": tuple(run.counted.updates for run in runs),
        "idle_by_scheme": tuple(run.waiting for run in runs),
        "staleness_by_scheme": tuple(run.staleness for run in runs),
        "stalest_by_scheme": tuple(max(run.counted.staleness, default=0) for run in runs),
        "transfers_by_scheme": tuple(run.transfers for run in runs),
    }
    unused = tuple(run.counted.dropped + run.counted.interrupted for run in runs)
    if any(unused):
        results["unused_by_scheme"] = unused
    if "nth_update" in given:
        results["nth_time_by_scheme"] = tuple(run.nth_time for run in runs)
    return results


def _averages(
    work: Workload, ways: Sequence[Scheme], given: PlayedGivens, by_scheme: bool
) -> dict[str, Value | Column]:
    """The averages over many runs, with one seed after the other, until there are as many as
    stated, or the standard error is small."""
    runs, within = whole(given, "runs"), one(given, "within")
    named, least = ("within", 2) if within is not None else ("runs", runs or 2)
    foreseen = sum(work.estimate(scheme) + work.workers for scheme in ways)
    if least * foreseen > ALL_RUNS:
        reason = f"more than {count_text(ALL_RUNS)} computations would be played in all the runs"
        raise OverLimit(reason).about(named)
    used: list[list[int]] = [[] for _ in ways]
    assert isinstance(work.times, Drawn)
    for done in range(1, (runs or MOST_RUNS) + 1):
        times = replace(work.times, seed=work.times.seed + done - 1)
        for place, scheme in enumerate(ways):
            run = replace(work, times=times).one_of_many(scheme)
            used[place].append(run.counted.used)
        tell("computation", foreseen)
        if within is not None and (not done % PIECE or done == runs):
            if (wanted := max(_wanted(counts, within) for counts in used)) <= done:
                break
            if wanted * foreseen > ALL_RUNS or wanted > (runs or MOST_RUNS):
                raise _out_of_reach(done, wanted)
    errors = (rounded(Fraction(stdev(counts) / sqrt(len(counts))), 2) for counts in used)
    means = (quotient(sum(counts), len(counts)) for counts in used)
    results: dict[str, Value | Column] = {}
    for name, column in (("mean_gradients", tuple(means)), ("mean_error", tuple(errors))):
        results |= {f"{name}_by_scheme": column} if by_scheme else {name: column[0]}
    return results if within is None else {**results, "runs_played": done}


def _wanted(used: Sequence[int], within: Number) -> float:
    """About how many runs it takes until the standard error of the gradients that are *used* is at
    most that part of their average."""
    runs, total = len(used), sum(used)
    if not total:
        return float("inf")
    spread = runs * (runs * sum(count * count for count in used) - total**2)
    return spread / ((runs - 1) * total**2) / float(within) ** 2


def _out_of_reach(runs: int, wanted: float) -> DdcalcError:
    reason = "there is no gradient to average; state a longer horizon"
    if wanted != float("inf"):
        needed = f"about {count_text(ceil(wanted))} would be needed; state a larger share"
        reason = f"the standard error is larger, and {needed}, or a longer horizon"
    return OverLimit(f"after {count_text(runs)} runs {reason}").about("within")


# The beginning of a run as a picture


def steps(
    given: PlayedGivens, reading: Mapping[str, str], text: Callable[..., str]
) -> Iterator[Timeline]:
    """The schedule, in the words of the sheet: a lane for each worker, of several schemes one above
    the other."""
    work = workload(given, reading)
    runs = played(work, schemes(given, reading, work.workers))
    if len(runs) > 1 and work.workers > DRAWN:
        return
    drawn = [[*_lanes(run, text)] for run in runs]
    if len(runs) > 1:
        end = min(max((bar.end for x in lanes for bar in x.bars), default=0) for lanes in drawn)
        drawn = [
            [_until(lane, f"{run.scheme.short} {i}", end) for i, lane in enumerate(lanes, 1)]
            for run, lanes in zip(runs, drawn, strict=True)
        ]
    together = tuple(lane for lanes in drawn for lane in lanes)
    bars = sum(bar.kind == "compute" for lane in together for bar in lane.bars)
    yield Timeline(
        text("schedule"), text("rule"), together,
        max(run.seconds(run.counted.end) for run in runs),
        max(sum(run.counted.begun for run in runs) - bars, 0),
        "end" if work.horizon is None else "horizon",
    )  # fmt: skip


def _until(lane: Lane, label: str, end: Number) -> Lane:
    """*lane* under another *label*, with what goes on after the *end* cut off."""
    bars = [replace(bar, end=min(bar.end, end)) for bar in lane.bars if bar.start < end]
    return Lane(label, tuple(bars))


def _lanes(run: Run, text: Callable[..., str]) -> Iterator[Lane]:
    """The lanes of the first workers, as far as a page can show them."""
    lists = [run.lane(worker) for worker in range(1, min(run.workload.workers, LANES) + 1)]
    end, say = _end(run, lists), _Notes(text)
    for worker, mine in enumerate(lists, 1):
        bars = (bar for g in mine if g.requested < end for bar in _bars(run, g, end, say))
        yield Lane(say("worker", worker), tuple(bars))


def _end(run: Run, lists: Sequence[Sequence[Gradient]]) -> Time:
    """When the picture ends: with the run, or where a lane would be overfull."""
    end = run.counted.end
    for mine in lists:
        times = [time for g in mine if g.data for time in g.ends or (g.end,)]
        done = [time for time in times if time <= run.counted.end]
        end = min(end, done[BARS - 1]) if len(done) > BARS else end
    if end == run.counted.end:
        return end
    seconds = Fraction(run.seconds(end))
    step = Fraction(1)  # so that two digits are left of them
    while step * 100 <= seconds:
        step *= 10
    while step * 10 > seconds:
        step /= 10
    return int(seconds // step * step * run.unit)


class _Notes:
    """Texts of the sheet, each asked for once, with places for what they say."""

    def __init__(self, text: Callable[..., str]) -> None:
        self._text = text
        self._known: dict[str, str] = {}

    def __call__(self, name: str, *args: Number | str) -> str:
        if name not in self._known:
            self._known[name] = self._text(name, *(f"{{{i}}}" for i in range(len(args))))
        return self._known[name].format(*args)


def time_text(seconds: Number) -> str:
    """*seconds* with their unit, as they stand in a sentence."""
    shown = amount(seconds, SECOND)
    return f"{'' if shown.exact else 'about '}{shown}"


def _bars(run: Run, gradient: Gradient, end: Time, say: _Notes) -> Iterator[Bar]:
    """What a worker does for one *gradient*, as far as it is before the *end*."""
    g = until(gradient, end)
    held = g.hold or Hold(g.released, g.released, 0)
    yield from _span(run, g.requested, held.start, "server")
    for bar in _span(run, held.start, held.end, "wait"):
        times = time_text(bar.start), time_text(bar.end)
        yield replace(bar, note=say("waits", g.worker, held.by, *times)) if held.by else bar
    yield from _span(run, held.end, g.released, "server")
    yield from _span(run, g.released, g.start, "down")
    yield from _computations(run, gradient, g, say)
    yield from _span(run, g.end, g.arrived, "up")


def _span(run: Run, start: Time, end: Time, kind: Kind) -> Iterator[Bar]:
    if start < end:
        yield Bar(run.seconds(start), run.seconds(end), "", kind=kind)


def _computations(run: Run, gradient: Gradient, shown: Gradient, say: _Notes) -> Iterator[Bar]:
    """The computations for a *gradient*, of which so much is *shown*."""
    ends, start, update = gradient.ends or (gradient.end,), gradient.start, gradient.update
    for clock, end in enumerate(ends, gradient.clock - len(ends) + 1):
        if start >= shown.end:
            return
        done = update not in (DROPPED, INTERRUPTED) and end <= shown.end
        dropped = "not done" if end > shown.end else "dropped"
        fate = {DROPPED: dropped, INTERRUPTED: "interrupted"}.get(update, "not done")
        times = run.seconds(start), run.seconds(min(end, shown.end))
        parts = (gradient.worker, clock, time_text(times[0]), time_text(times[1]))
        first = start == gradient.start
        note = say("begins", *parts, gradient.seen) if first else say("goes_on", *parts)
        written = time_text(run.seconds(gradient.written))
        after = say("in_none") if update == PENDING else say("in_update", update, written)
        label = str(clock) if done else fate
        yield Bar(*times, label, done, note=f"{note}; {after if done else fate}")
        start = end
