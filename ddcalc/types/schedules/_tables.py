"""What happened in a run, and effects of its scheme that only longer runs show, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from ddcalc.formula.expression import Num
from ddcalc.numbers.amounts import amount_text, count_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, quotient
from ddcalc.numbers.units import PERCENT
from ddcalc.problem.steps import Cells, Table
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Gradient, Order, Time
from ddcalc.schedule.scheme import asynchronous, sync
from ddcalc.schedule.tally import Day
from ddcalc.schedule.times import Drawn, Fixed, Times
from ddcalc.types.schedules._workload import Run

LOGGED = 10  # gradients that are listed
EVENTS = 12  # workers that are listed
WAITS = 8  # waits that are listed
AGES = 12  # ages of gradients that are listed
DIGITS = 4  # of what is rounded
BAR = 20  # characters of the longest bar of a histogram
LATE = 6  # gradients thrown away that are listed
WHOM = 3  # workers waited for that are named
LISTED = 4  # workers whose numbers are listed side by side


def events(run: Run) -> Table | None:
    """The first gradients in the order in which the server is done with them, if there are any."""
    first = run.counted.first
    if not first:
        return None
    rows: list[Cells] = [_event(run, gradient) for gradient in first[:LOGGED]]
    why = "in the order of the server"
    more = run.counted.played - sum(len(g.ends) or 1 for g in first[:LOGGED])
    if more > 0:
        rows.append(("…",) * 7)
        why += f"; {count_text(more)} more follow"
    header = ("update", "at", "worker", "gradient", "computed", "reads update", "staleness")
    return Table("Gradients (times in s)", why, header, tuple(rows))


def _event(run: Run, gradient: Gradient) -> Cells:
    used = gradient.update > 0
    fate = {DROPPED: "dropped", INTERRUPTED: "interrupted"}.get(gradient.update)
    clocks = str(gradient.clock)
    if gradient.ends:
        clocks = f"{gradient.clock - len(gradient.ends) + 1}–{gradient.clock}"
    return (
        fate or Num(gradient.update),
        shown(run.seconds(gradient.written)),
        Num(gradient.worker),
        clocks,
        f"{shown(run.seconds(gradient.start))}–{shown(run.seconds(gradient.end))}",
        Num(gradient.seen),
        Num(gradient.staleness) if used else "–",
    )


def is_whole(run: Run) -> bool:
    """Whether all gradients that the run is done with are known one by one."""
    return sum(len(g.ends) or 1 for g in run.counted.first) == run.counted.played


def spacing(run: Run) -> Number | None:
    """The seconds between any two updates, and before the first; None where they differ."""
    if not run.counted.updates or not is_whole(run):
        return None
    made = {g.update: g.written for g in run.counted.first if g.update > 0}
    times = [0, *(made[number] for number in sorted(made))]
    gaps = {after - before for before, after in pairwise(times)}
    return run.seconds(gaps.pop()) if len(gaps) == 1 else None


def thrown_away(run: Run) -> Table | None:
    """The first gradients that were dropped, and why; None where none was."""
    first = run.counted.first
    late = [place for place, gradient in enumerate(first) if gradient.update == DROPPED]
    if not late:
        return None
    rows: list[Cells] = []
    for place in late[:LATE]:
        gradient = first[place]
        newest = max((g.update for g in first[:place]), default=0)
        rows.append(
            (
                Num(gradient.worker),
                f"{shown(run.seconds(gradient.start))}–{shown(run.seconds(gradient.end))}",
                Num(gradient.seen),
                Num(max(newest, gradient.seen)),
            )
        )
    workers = {first[place].worker for place in late}
    if len(late) > LATE:
        rows.append(("…",) * 4)
    else:
        rows += [
            (
                Num(g.worker), f"{shown(run.seconds(g.start))}–", Num(g.seen),
                "not finished by the end",
            )
            for g in run.counted.pending
            if g.data and g.worker in workers and g.start < run.counted.end < g.end
        ]  # fmt: skip
    why = "when they arrive there are newer parameters than those they were taken at"
    header = ("worker", "computed (s)", "taken after update", "newest when it arrives")
    return Table("Gradients thrown away", why, header, tuple(rows))


def waits(run: Run) -> Table | None:
    """Who waits for whom, and when for the first time; None where nobody waits for a worker."""
    pairs = [
        (worker, by, time)
        for worker, day in enumerate(run.counted.days, 1)
        for by, time in day.waits.items()
        if time
    ]
    if not pairs:
        return None
    longest = sorted(pairs, key=lambda pair: -pair[2])[:WAITS]
    rows = tuple(_wait(run, *pair) for pair in sorted(longest))
    why = "the wait ends when the other one's gradient arrives"
    if len(pairs) > WAITS:
        why += f"; {shown(len(pairs) - WAITS)} shorter waits are not listed"
    header = ("worker", "waits for", "in all (s)", "of its time", "first (s)")
    return Table("Who waits for whom", why, header, rows, "waits")


def _wait(run: Run, worker: int, by: int, time: Time) -> Cells:
    """How long *worker* waits for worker number *by*, in all; 0 stands for those at the end."""
    whom, first = (Num(by), _first(run, worker, by)) if by else ("others, at the end", "–")
    return Num(worker), whom, shown(run.seconds(time)), percent(run.share(time)), first


def _first(run: Run, worker: int, by: int) -> str:
    """When *worker* waits for worker number *by* for the first time."""
    for gradient in run.counted.first:
        hold = gradient.hold
        if hold and gradient.worker == worker and hold.by == by:
            return f"{shown(run.seconds(hold.start))}–{shown(run.seconds(hold.end))}"
    return "later"


def days(run: Run) -> Table:
    """What each worker does with its time, whom it waits for, and how stale its gradients are."""
    counted = run.counted.days
    there = [day.computes + day.moves + day.held + day.served for day in counted]
    columns = [
        ("not started", [run.counted.end - time for time in there]),
        ("computes", [day.computes for day in counted]),
        ("sends, gets", [day.moves for day in counted]),
        ("waits", [day.held + day.served for day in counted]),
    ]
    kept = [(title, times) for title, times in columns if any(times) or title == "computes"]
    held = any(day.held + day.served for day in counted)
    stale = ages_by_worker(run)
    rows: list[Cells] = []
    for worker, day in enumerate(counted[:EVENTS], 1):
        cells = [percent(run.share(times[worker - 1])) for _, times in kept]
        if held:
            cells += [brief(run.seconds(day.held + day.served)), _awaited(day)]
        if stale:
            cells.append(_spread(stale[worker - 1]))
        rows.append((Num(worker), Num(day.clocks), *cells))
    titles = [title for title, _ in kept] + ["waits (s)", "for worker"] * held
    header = ("worker", "gradients", *titles, *["staleness"] * bool(stale))
    if len(counted) > EVENTS:
        rows.append(("…",) * len(header))
    why = "shares of the time" + ("; staleness: least to most (mean)" if stale else "")
    return Table("What each worker does", why, header, tuple(rows))


def _awaited(day: Day) -> str:
    """The workers that one waits for, the longest first; the server."""
    waits = sorted((-time, by) for by, time in day.waits.items() if time)
    whom = [str(by) if by else "others" for _, by in waits]
    shown = ", ".join(whom[:WHOM]) + ", …" * (len(whom) > WHOM)
    return " and ".join(filter(None, [shown, "server" if day.served else ""])) or "–"


def ages_by_worker(run: Run) -> list[list[int]]:
    """The staleness of each gradient of each worker that is used; nothing for too long a run, or
    where none is stale."""
    first = run.counted.first
    if not run.stalest or sum(len(g.ends) or 1 for g in first) < run.counted.played:
        return []
    return contributions(run)


def contributions(run: Run) -> list[list[int]]:
    """The staleness of each gradient of each worker that is used, of the first gradients."""
    stale: list[list[int]] = [[] for _ in run.counted.days]
    for gradient in run.counted.first:
        if gradient.update > 0:
            stale[gradient.worker - 1] += [gradient.staleness] * (len(gradient.ends) or 1)
    return stale


def _spread(stale: Sequence[int]) -> str:
    """From the least to the most (the mean)."""
    if not stale:
        return "–"
    least, most = min(stale), max(stale)
    if least == most:
        return str(least)
    return f"{least} to {most} ({brief(quotient(sum(stale), len(stale)))})"


def comparison(runs: Sequence[Run]) -> Table:
    """What happens under several schemes in the same time, side by side."""
    few = runs[0].workload.workers <= LISTED
    rows = []
    for run in runs:
        counted = run.counted
        waits = [day.held + day.served for day in counted.days]
        cells: list[str] = [run.scheme.label, shown(counted.used)]
        if few:
            cells.append(" / ".join(shown(day.clocks) for day in counted.days))
            cells.append(" / ".join(brief(run.seconds(time)) for time in waits))
        works = sum(day.computes for day in counted.days)
        cells.append(percent(run.share(works) / Fraction(len(waits))))
        cells.append("–" if run.staleness is None else f"{brief(run.staleness)} ({run.stalest})")
        rows.append(tuple(cells))
    listed = ("by worker", "waits (s)") if few else ()
    header = ("scheme", "used", *listed, "computing", "staleness")
    why = (
        "the same computations; gradients used"
        + (", finished by each worker; its waiting" if few else "")
        + "; time spent computing; mean staleness (largest)"
    )
    return Table("Other schemes in the same time", why, header, tuple(rows))


def ages(run: Run) -> Table:
    """How stale the gradients in the updates are."""
    staleness = sorted(run.counted.staleness.items())
    most = max(run.counted.staleness.values(), default=1)
    rows: list[Cells] = [
        (
            Num(age),
            Num(count),
            percent(quotient(count, run.counted.used)),
            "█" * -(-count * BAR // most),
        )
        for age, count in staleness[:AGES]
    ]
    if len(staleness) > AGES:
        rows.append(("…",) * 4)
    why = "updates made between the one a gradient is taken at and its own"
    bound, others = run.scheme.bound, run.workload.workers - 1
    if bound is not None and others:
        most = (2 * bound + 1) * others
        why += f"; s bounds a worker's lead, and so this to (2s + 1)(n − 1) = {most}"
    return Table("Staleness", why, ("staleness", "gradients", "share", ""), tuple(rows))


def shown(value: Number) -> str:
    """A number as it stands in a table."""
    return count_text(value)


def percent(value: Number) -> str:
    """A share as it stands in a table, to four digits."""
    near = rounded(value, DIGITS)
    return amount_text(near, PERCENT) if value in (0, 1) or near < 1 else "almost 100 %"


def brief(value: Number) -> str:
    """A number as it stands in a narrow table, to four digits."""
    return shown(rounded(value, DIGITS))


SIDE = 20_000  # computations that are played beside the run itself
TIMES = (1, 2, 4, 8)  # as long as the run


def gains(run: Run) -> Table | None:
    """What a bound on staleness gains over waiting for everybody; None for too long a run."""
    horizons = list(_horizons(run))
    if not horizons or run.workload.workers == 1:
        return None
    rows, gained, reached = [], [], False
    for horizon in horizons:
        waiting, bounded, free = _used(run, horizon)
        gained.append(gain := bounded - waiting)
        reached = bounded != free
        share = percent(quotient(gain, waiting)) if waiting else "–"
        rows.append((*map(shown, (horizon, waiting, bounded, free, gain)), share))
    header = ("until (s)", "synchronous", "this bound", "asynchronous", "gain", "")
    title = "What the bound gains over synchronous (gradients)"
    return Table(title, _why_gains(run, gained, reached), header, tuple(rows), "gains")


def _used(run: Run, horizon: Number) -> tuple[int, int, int]:
    """The gradients until *horizon*: synchronous, with the bound, and asynchronous."""
    longer = run.workload.until(horizon)
    schemes = (sync(run.workload.workers), run.scheme, asynchronous())
    waiting, bounded, free = (longer.run(scheme).counted.used for scheme in schemes)
    return waiting, bounded, free


def _why_gains(run: Run, gained: Sequence[int], reached: bool) -> str:
    """What can be said for certain of gains *gained* at ever longer times.

    *reached* says whether the bound has changed the number by the last of them.
    """
    workload, bound = run.workload, run.scheme.bound
    assert bound is not None
    steady, queue = is_steady(workload.times), workload.queues
    if steady and not queue and not any(workload.starts):
        most = (workload.workers - 1) * (bound + 1)
        return (
            "nobody's count ever exceeds that of the slowest worker by more than"
            f" s + 1 = {bound + 1}, and synchronous workers keep the pace of the slowest too: with"
            f" fixed times the gain is never more than (n − 1)(s + 1) = {shown(most)}, however long"
            " the run"
        )
    if not reached:
        return "the longest of these runs uses as many gradients as it would without a bound"
    if len(gained) < len(TIMES) or not all(2 * b > 3 * a > 0 for a, b in pairwise(gained)):
        return "by the end of this run, and of longer ones"
    alike = len(set(workload.times.means)) == 1
    if isinstance(workload.times, Drawn) and alike and not queue:
        reason = (
            ": whoever is slow now is not the one who is slow next, and meanwhile others work on"
        )
    elif steady and alike and queue and not any(workload.starts):
        reason = ": the gradients of a synchronous round stand in a queue, all at once"
    else:
        reason = ""
    return f"here the gain grows with the time{reason}"


def orders(run: Run) -> Table | None:
    """The mean staleness of asynchronous workers in both orders; None for too long a run.

    None as well where parameters are read behind their download: updates made meanwhile do not
    count, and the mean is smaller.
    """
    workload = run.workload
    horizons = list(_horizons(run))
    behind = workload.down and workload.read == "start"
    if not horizons or workload.workers == 1 or behind:
        return None
    others = workload.workers - 1
    rows = []
    for horizon in horizons:
        both = [_mean(run, horizon, order) for order in ("in_turn", "writes_first")]
        rows.append((shown(horizon), *both))
    whose = "the other worker" if others == 1 else f"each of the {others} others"
    why = (
        f"in turn the mean goes to n − 1 = {others} whatever the speeds: a worker reads again at"
        " the instant its gradient is in, so every update falls between read and write of exactly"
        f" one gradient of {whose}. If all write"
        " before anybody rereads, of two workers that write at one instant only the second is made"
        f" staler: where all always do, the mean is (n − 1)/2 = {shown(quotient(others, 2))}, which"
        " is sometimes printed as if it were general"
    )
    header = ("until (s)", "in turn", "all write first")
    title = "Mean staleness, by what happens at one instant"
    return Table(title, why, header, tuple(rows), "orders")


def _mean(run: Run, horizon: Number, order: Order) -> str:
    longer = replace(run.workload.until(horizon), order=order)
    mean = longer.run(run.scheme).staleness
    if mean is None:
        return "–"
    return count_text(mean)


def _horizons(run: Run) -> Iterator[Number]:
    """The run's time and multiples of it, as far as playing them is quick."""
    for factor in TIMES:
        longer = run.duration * factor
        estimate = run.workload.until(longer).estimate(asynchronous())
        if longer and max(estimate, run.counted.played * factor) <= SIDE:
            yield longer


def workers_of(numbers: Sequence[int]) -> str:
    """worker 1; workers 1, 2 and 3."""
    if len(numbers) == 1:
        return f"worker {numbers[0]}"
    return f"workers {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def is_steady(times: Times) -> bool:
    """Whether a worker computes every gradient in the same time."""
    return isinstance(times, Fixed) and all(len(set(row)) == 1 for row in times.rows)
