"""What happened in a run, as tables."""

from __future__ import annotations

from ddcalc.formula.expression import Num
from ddcalc.numbers.display import number_text, quantity_text, rounded
from ddcalc.numbers.number import Number, quotient
from ddcalc.numbers.units import PERCENT
from ddcalc.problem.steps import Cells, Table
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Gradient, Time
from ddcalc.types.schedules.timeline.workload import Run

EVENTS = 12  # gradients that are listed
WAITS = 8  # waits that are listed
AGES = 12  # ages of gradients that are listed
DIGITS = 4  # of what is rounded
BAR = 20  # characters of the longest bar of a histogram


def events(run: Run) -> Table | None:
    """The first gradients in the order in which the server is done with them, if there are any."""
    first = run.counted.first
    if not first:
        return None
    rows: list[Cells] = [_event(run, gradient) for gradient in first[:EVENTS]]
    why = "in the order in which the server is done with them"
    more = run.counted.played - sum(len(g.ends) or 1 for g in first[:EVENTS])
    if more > 0:
        rows.append(("…",) * 7)
        why += f"; {number_text(more)[0]} more follow"
    header = ("update", "at", "worker", "gradient", "computed", "taken after update", "staleness")
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
    return Table("Who waits for whom", why, header, rows)


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
    """What each worker does with its time."""
    counted = run.counted.days
    there = [day.computes + day.moves + day.held + day.served for day in counted]
    columns = [
        ("not started", [run.counted.end - time for time in there]),
        ("computes", [day.computes for day in counted]),
        ("of it in vain", [day.wasted for day in counted]),
        ("sends and gets", [day.moves for day in counted]),
        ("waits for others", [day.held for day in counted]),
        ("waits for the server", [day.served for day in counted]),
    ]
    told = [(title, times) for title, times in columns if any(times) or title == "computes"]
    rows: list[Cells] = []
    for worker, day in enumerate(counted[:EVENTS], 1):
        shares = (percent(run.share(times[worker - 1])) for _, times in told)
        rows.append((Num(worker), Num(day.clocks), *shares))
    if len(counted) > EVENTS:
        rows.append(("…",) * (2 + len(told)))
    header = ("worker", "computations", *(title for title, _ in told))
    return Table("What each worker does", "shares of the whole time", header, tuple(rows))


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
    why = "updates that were made between the one a gradient is taken at and its own"
    bound, others = run.scheme.bound, run.workload.workers - 1
    if bound is not None and others:
        most = (2 * bound + 1) * others
        why += f"; the bound s is on a worker's own gradients, so this is (2s + 1)(n − 1) = {most}"
        why += " at most"
    return Table("Staleness", why, ("staleness", "gradients", "share", ""), tuple(rows))


def shown(value: Number) -> str:
    """A number as it stands in a table."""
    return number_text(value)[0]


def percent(value: Number) -> str:
    """A share as it stands in a table, to four digits."""
    told = rounded(value, DIGITS)
    return quantity_text(told, PERCENT) if value in (0, 1) or told < 1 else "almost 100 %"


def brief(value: Number) -> str:
    """A number as it stands in a narrow table, to four digits."""
    return shown(rounded(value, DIGITS))
