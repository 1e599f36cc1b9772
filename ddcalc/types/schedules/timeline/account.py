"""What a question on a timeline comes to, and the steps that say why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from ddcalc.formula.algebra import floor, largest, total
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Mul, Num, Sym
from ddcalc.numbers.amounts import amount_text, per_cent
from ddcalc.numbers.display import counted as counted_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number
from ddcalc.problem.plan import Values
from ddcalc.problem.play import Outcome, Says, defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Lane, Step, Table, Timeline, Value
from ddcalc.schedule.gradient import Order
from ddcalc.schedule.scheme import asynchronous, sync
from ddcalc.schedule.times import Fixed
from ddcalc.types.schedules._lanes import end_name, left_out, picture
from ddcalc.types.schedules._tables import (
    SIDE,
    ages,
    brief,
    comparison,
    days,
    events,
    gains,
    orders,
    percent,
    shown,
    spacing,
    thrown_away,
    waits,
)
from ddcalc.types.schedules._workload import Run
from ddcalc.types.schedules.timeline.model import Average, Study, averages, run_of, runs_of
from ddcalc.types.schedules.timeline.question import Question
from ddcalc.types.schedules.timeline.run_words import RunWords
from ddcalc.types.schedules.timeline.words import AllWords

LOG = "Gradients (times in s)"
BESIDE = "Other schemes in the same time"
LONG = 5_000  # computations, beyond which a run is not played once more for other readings
DRAWN = 4  # workers up to which the schemes are drawn
LISTED = 6  # workers whose times are written out
AGES = 12  # ages of gradients that are written as a sum
BESIDES = (  # what is shown of every scheme if it is asked for
    ("update N at", "nth_time_by_scheme"),
    ("samples per second", "sample_rate_by_scheme"),
    ("sent", "sent_by_scheme"),
)

HORIZON, LOCAL_STEPS, PERIOD = "T", "H", "t_comp"

Declared = Mapping[str, Derived]
Formula = tuple[Expr, Mapping[str, Number], str]  # with the values of its letters, and the reason


def outcome(question: Question, declared: Declared) -> Outcome:
    """The answers to *question*, whose derived quantities are *declared*."""
    account = (OneRun if len(question.schemes) == 1 else SideBySide)(question, declared)
    work = sum(run.counted.played for run in account.runs)
    long = work > LONG
    answer, named, idle = question.answer, question.named, question.idle
    if not long and len(account.runs) == 1 and _is_order_idle(account.runs[0]):
        named = [name for name in named if name != "order"]
    says = account.says
    return Outcome(
        account.values(), account.steps, long, named, answer, idle=idle, says=says,
        asides=account.asides, work=work,
    )  # fmt: skip


def _is_order_idle(run: Run) -> bool:
    """Whether the same happens in another order of workers that are done at one instant."""
    other: Order = "writes_first" if run.workload.order == "in_turn" else "in_turn"
    swapped = replace(run.workload, order=other).run(run.scheme)
    mine, theirs = run.counted, swapped.counted
    return (mine.days, mine.staleness, mine.end) == (theirs.days, theirs.staleness, theirs.end)


class TimelineAccount(ABC):
    """The values of *question*, played as *runs*, and the steps that define what is *declared*."""

    runs: list[Run]
    asides: Collection[str] = ()  # steps that are shown on demand

    def __init__(self, question: Question, declared: Declared) -> None:
        self.question, self.declared = question, declared

    @abstractmethod
    def values(self) -> Values:
        """All derived quantities by name."""

    @abstractmethod
    def steps(self) -> Iterator[Step]:
        """The schedule, what happens in it, and what it comes to."""

    @cached_property
    def study(self) -> tuple[int, list[Average]]:
        """How many runs are averaged over, and the averages, if they are asked for."""
        question = self.question
        if not question.averages:
            return 0, []
        return averages(Study(question.workload, question.schemes, question.runs, question.within))

    @property
    def averages(self) -> list[Average]:
        """The averages over many runs, if they are asked for."""
        return self.study[1]

    def runs_played(self) -> Values:
        """How many runs it took, where that was not stated."""
        return {} if self.question.within is None else {"runs_played": self.study[0]}

    @abstractmethod
    def says(self) -> Says:
        """What is said beside the steps."""

    def optional(self, run: Run) -> dict[str, Number | None]:
        """What *run* comes to besides, if the question states what that takes."""
        question = self.question
        values: dict[str, Number | None] = {}
        if question.nth is not None:
            values["nth_time"] = run.nth_time
        if question.batch is not None:
            values["sample_rate"] = run.rate(run.counted.used * question.batch)
        if question.model is not None:
            values["sent"] = run.transfers * question.model
        return values


class OneRun(TimelineAccount):
    """The workload under one scheme."""

    def __init__(self, question: Question, declared: Declared) -> None:
        super().__init__(question, declared)
        self.run = run_of(question.workload, question.schemes[0])
        self.runs = [self.run]

    @cached_property
    def asides(self) -> Collection[str]:  # type: ignore[override]
        rounds = () if self.run.scheme.rounds else ("updates",)
        stale = () if self.run.stalest else ("mean_staleness",)
        log = (LOG,) if self.run.scheme.rounds and not self.run.stalest else ()
        lesser = ("waits", "gains", "orders", "gradient_rate", "ahead", BESIDE, *log)
        return (*lesser, *rounds, *stale)

    @cached_property
    def compared(self) -> list[Run]:
        """The run between the synchronous and the asynchronous one; none for too long a run."""
        run, workload = self.run, self.run.workload
        if workload.workers == 1 or not run.duration:
            return []
        same = workload.until(run.duration)
        if max(same.estimate(asynchronous()), run.counted.played) > SIDE:
            return []
        waiting, free = same.run(sync(workload.workers)), same.run(asynchronous())
        if run.scheme.is_free:
            return [waiting, run]
        return [run, free] if run.scheme.label == waiting.scheme.label else [waiting, run, free]

    def says(self) -> Says:
        ends = (self.compared[0], self.compared[-1]) if self.compared else (None, None)
        return RunWords(self.question, self.run, *ends).says()

    def values(self) -> Values:
        run, counted = self.run, self.run.counted
        values: dict[str, Value | tuple[Value, ...]] = {
            "clocks": tuple(day.clocks for day in counted.days),
            "updates": counted.updates,
            "unused": run.unused,
            "ended": run.duration,
            "update_rate": run.rate(counted.updates),
            "gradient_rate": run.rate(counted.used),
            "busy": tuple(run.share(day.computes) for day in counted.days),
            "idle": tuple(run.share(day.held + day.served) for day in counted.days),
            "mean_idle": run.waiting,
            "mean_staleness": run.staleness,
            "max_staleness": run.stalest,
            "ahead": counted.ahead,
            **self.optional(run),
        }
        if self.averages:
            values["mean_gradients"] = self.averages[0].gradients
            values |= self.runs_played()
        return {**values, "gradients": counted.used}

    def steps(self) -> Iterator[Step]:
        run = self.run
        yield picture(run, f"Schedule: {run.scheme.label}", run.scheme.says)
        yield from filter(None, (events(run), thrown_away(run), waits(run)))
        yield days(run)
        yield from self._counts()
        yield from self._rates()
        yield from self._staleness()
        if self.compared:
            yield comparison(self.compared)
        if run.scheme.bound is not None and (table := gains(run)):
            yield table
        if self.averages:
            yield averages_table(self.averages, self.study[0])
            yield defined(self.declared["mean_gradients"], self.averages[0].gradients)

    def _counts(self) -> Iterator[Step]:
        run, counted, declared = self.run, self.run.counted, self.declared
        yield defined(declared["updates"], counted.updates, *(updates(run) or ()))
        yield defined(declared["gradients"], counted.used, *gradients(run))
        if run.unused:
            yield defined(declared["unused"], run.unused, *self._unused())
        if self.question.nth is not None:
            why = "" if counted.nth is not None else "the run ends before it"
            formula, numbers = self._nth_formula()
            yield defined(declared["nth_time"], run.nth_time, formula, numbers, why)

    def _nth_formula(self) -> tuple[Expr | None, dict[str, Number]]:
        """The time of an update where all rounds are alike."""
        run, times = self.run, _periods(self.run)
        if times is None or run.scheme.wait_for < run.workload.workers or not run.scheme.rounds:
            return None, {}
        letters = [Sym(letter) for letter in times]
        computing = letters[0] if len(letters) == 1 else largest(*letters)
        steps = run.scheme.local_steps
        length, sent = _with_transfers(
            run, Sym(LOCAL_STEPS) * computing if steps > 1 else computing
        )
        numbers: dict[str, Number] = {**times, **sent, "N": self.question.nth or 0}
        numbers |= {LOCAL_STEPS: steps} if steps > 1 else {}
        formula = Sym("N") * length
        return (formula, numbers) if evaluate(formula, numbers) == run.nth_time else (None, {})

    def _unused(self) -> tuple[Expr, dict[str, Number], str] | tuple[()]:
        """What is thrown away, as what is finished and not used."""
        run = self.run
        finished = sum(day.clocks for day in run.counted.days)
        if run.counted.interrupted or finished - run.counted.used != run.unused:
            return ()
        why = f"of the {shown(finished)} that are finished"
        return Num(finished) - Sym("G"), {"G": run.counted.used}, why

    def _rates(self) -> Iterator[Step]:
        run, counted, declared = self.run, self.run.counted, self.declared
        if not run.duration:
            return
        rate, values = run.rate(counted.used), self.optional(run)
        whole = Sym(HORIZON if self.question.horizon is not None else "t_N")
        numbers: dict[str, Number] = {"G": counted.used, whole.name: run.duration}
        yield defined(declared["gradient_rate"], rate, Sym("G") / whole, numbers)
        if (batch := self.question.batch) is not None:
            formula = Sym("b") * Sym("G") / whole
            samples = {"b": batch, **numbers}
            yield defined(declared["sample_rate"], values["sample_rate"], formula, samples)
        if (model := self.question.model) is not None:
            down = sum(day.downloads for day in counted.days)
            up = sum(day.uploads for day in counted.days)
            formula = (Num(down) + Num(up)) * Sym("M")
            why = f"{counted_text(down, 'download')} and {counted_text(up, 'upload')}"
            yield defined(declared["sent"], values["sent"], formula, {"M": model}, why)

    def _staleness(self) -> Iterator[Step]:
        run = self.run
        if run.staleness is None:
            return
        if run.stalest:
            yield ages(run)
        yield defined(self.declared["mean_staleness"], run.staleness, *mean_staleness(run))
        if not run.scheme.rounds and run.workload.workers > 1:
            yield defined(self.declared["ahead"], run.counted.ahead)
        if run.scheme.is_free and (table := orders(run)):
            yield table


class SideBySide(TimelineAccount):
    """The workload under every scheme."""

    asides = ("gradients",)

    def __init__(self, question: Question, declared: Declared) -> None:
        super().__init__(question, declared)
        self.runs = runs_of(question.workload, question.schemes)
        # the most gradients a second; the first of equals
        self.best = max(self.runs, key=lambda run: run.rate(run.counted.used))
        pairs = zip(self.runs, question.displayed, strict=True)
        self.shown = [run for run, displayed in pairs if displayed]
        top = max(self.shown, key=lambda run: run.rate(run.counted.used))
        if top.rate(top.counted.used) < self.best.rate(self.best.counted.used):
            self.shown.append(self.best)
        else:
            self.best = top

    def values(self) -> Values:
        runs, best = self.runs, self.best
        values: dict[str, Value | tuple[Value, ...]] = {
            "gradients_by_scheme": tuple(run.counted.used for run in runs),
            "updates_by_scheme": tuple(run.counted.updates for run in runs),
            "idle_by_scheme": tuple(run.waiting for run in runs),
            "staleness_by_scheme": tuple(run.staleness for run in runs),
            "ended": best.duration,
            "gradients": best.counted.used,
        }
        besides = [self.optional(run) for run in runs]
        for name in besides[0]:
            values[f"{name}_by_scheme"] = tuple(run[name] for run in besides)
        if self.averages:
            means = tuple(average.gradients for average in self.averages)
            values["mean_gradients_by_scheme"] = means
            values |= self.runs_played()
        return values

    def says(self) -> Says:
        return AllWords(self.question, self.shown, self.best).says()

    def steps(self) -> Iterator[Step]:
        if self.question.workload.workers <= DRAWN:
            yield self.pictures()
        yield self.table()
        if self.waits_listed:
            yield self.waiting()
        if besides := self._besides():
            yield besides
        if self.averages:
            yield averages_table(self.averages, self.study[0])
        best = self.best
        why = f"{best.scheme.label} uses the most per second"
        if best.stalest:
            why += ", but stale gradients may be worth less"
        if not best.counted.used:
            why = "no update is made by the end"
        yield defined(self.declared["gradients"], best.counted.used, why=why)

    def pictures(self) -> Timeline:
        """The lanes of all schemes above one axis."""
        drawn = [picture(run, "", "") for run in self.shown]
        ends = (
            max((bar.end for lane in timeline.lanes for bar in lane.bars), default=0)
            for timeline in drawn
        )
        end = min(ends)
        lanes = [
            [_until(lane, f"{run.scheme.short} {i}", end) for i, lane in enumerate(part.lanes, 1)]
            for run, part in zip(self.shown, drawn, strict=True)
        ]
        missing = sum(map(left_out, self.shown, lanes))
        together = tuple(lane for part in lanes for lane in part)
        why = "the same computations under each scheme"
        end_of, best = end_name(self.best), self.best.duration
        return Timeline("Schedules", why, together, best, missing, end_of)

    def table(self) -> Table:
        """What each scheme comes to."""
        columns = [
            ("scheme", [run.scheme.label for run in self.shown]),
            ("updates", [shown(run.counted.updates) for run in self.shown]),
            ("gradients used", [shown(run.counted.used) for run in self.shown]),
            ("per second", [brief(run.rate(run.counted.used)) for run in self.shown]),
            ("staleness", list(map(_staleness, self.shown))),
        ]
        if not self.waits_listed:
            columns.insert(4, ("waiting", [percent(run.waiting) for run in self.shown]))
        if any(run.unused for run in self.shown):
            columns.append(("wasted", [shown(run.unused) for run in self.shown]))
        rows = tuple(zip(*(cells for _, cells in columns), strict=True))
        why = f"staleness: mean (largest){self.question.stand_ins}"
        return Table("Side by side", why, tuple(title for title, _ in columns), rows)

    @property
    def waits_listed(self) -> bool:
        """Whether the waiting of every worker is written out."""
        return self.question.workload.workers <= DRAWN and any(run.waiting for run in self.shown)

    def waiting(self) -> Table:
        """How long each worker waits under each scheme, and what share of all their time it is."""
        rows = []
        for run in self.shown:
            waits = [run.seconds(day.held + day.served) for day in run.counted.days]
            whole = run.duration * len(waits)
            share = f"{percent(run.waiting)} ({brief(sum(waits))} of {brief(whole)})"
            clocks = " / ".join(shown(day.clocks) for day in run.counted.days)
            waited = " / ".join(map(brief, waits))
            rows.append((run.scheme.label, clocks, waited, share))
        why = "by worker; of the time of all workers together"
        header = ("scheme", "computed", "waits (s)", "share of waiting")
        return Table("Who computes how many gradients and waits how long", why, header, tuple(rows))

    def _besides(self) -> Table | None:
        """What else is asked for, scheme by scheme."""
        values = self.values()
        wanted = [(title, name) for title, name in BESIDES if name in values]
        if not wanted:
            return None
        columns = [self._texts(name, values[name]) for _, name in wanted]
        labels = [run.scheme.label for run in self.runs]
        rows = tuple(zip(labels, *columns, strict=True))
        header = ("scheme", *(title for title, _ in wanted))
        return Table("Besides", "what else is asked for", header, rows)

    def _texts(self, name: str, values: object) -> list[str]:
        """The *values* of the list called *name*, in its unit."""
        unit = self.declared[name].unit
        assert isinstance(values, tuple)
        return ["–" if value is None else amount_text(value, unit) for value in values]


def _staleness(run: Run) -> str:
    return "–" if run.staleness is None else f"{brief(run.staleness)} ({run.stalest})"


def _until(lane: Lane, label: str, end: Number) -> Lane:
    """*lane* under another *label*, with what goes on after the *end* cut off."""
    bars = [replace(bar, end=min(bar.end, end)) for bar in lane.bars if bar.start < end]
    return Lane(label, tuple(bars))


def averages_table(averages: Sequence[Average], runs: int) -> Table:
    """The averages with their standard errors."""
    rows = tuple(
        (
            row.scheme.label,
            f"{brief(row.gradients)} ± {shown(rounded(Fraction(row.error), 2))}",
            str(per_cent(Fraction(row.waiting))),
            f"{row.staleness:.4g}",
        )
        for row in averages
    )
    header = ("scheme", "gradients", "waiting", "mean staleness")
    why = "every run with the next seed, all schemes on the same times; ± is a standard error"
    return Table(f"Averages over {shown(runs)} runs", why, header, rows)


# Formulas, where there are any: with fixed times and a server that takes no time. They are checked
# against the run that was played.


def updates(run: Run) -> Formula | None:
    """The number of updates of a run whose rounds are alike, or whose updates are gradients."""
    times = _periods(run)
    if times is None or run.workload.horizon is None:
        return None
    scheme = run.scheme
    if not scheme.rounds:
        if any(day.held for day in run.counted.days):
            return None
        return _checked(_without_waiting(run, times), run.counted.updates)
    if scheme.wait_for < run.workload.workers:
        return _of_the_first(run, times)
    letters = [Sym(letter) for letter in times]
    computing = letters[0] if len(letters) == 1 else largest(*letters)
    numbers: dict[str, Number] = dict(times)
    if scheme.local_steps > 1:
        computing, numbers[LOCAL_STEPS] = Sym(LOCAL_STEPS) * computing, scheme.local_steps
    length, sent = _with_transfers(run, computing)
    numbers |= {**sent, HORIZON: run.duration}
    reason = "every round takes as long as its slowest worker"
    return _checked((floor(Sym(HORIZON) / length), numbers, reason), run.counted.updates)


def _of_the_first(run: Run, times: Mapping[str, Number]) -> Formula | None:
    """The number of updates, if each waits for one and the same worker."""
    gap, only = spacing(run), len(times) == 1
    for number, letter in enumerate(times, 1):
        length, sent = _with_transfers(run, Sym(letter))
        numbers = {**times, **sent, HORIZON: run.duration}
        if gap is None or evaluate(length, numbers) != gap:
            continue
        whom = "any worker" if only else f"worker {number}"
        first = counted_text(run.scheme.wait_for, "gradient")
        why = f"one whenever {first} of the newest parameters are in: as often as {whom} is done"
        why = why.replace("1 gradient of the newest parameters are", "a gradient of the newest is")
        return _checked((floor(Sym(HORIZON) / length), numbers, why), run.counted.updates)
    return None


def gradients(run: Run) -> Formula:
    """The number of gradients in the updates."""
    scheme, counted = run.scheme, run.counted
    numbers: dict[str, Number] = {"U": counted.updates}
    if not scheme.rounds:
        if (formula := updates(run)) is not None:
            return formula
        clocks = [day.clocks for day in counted.days]
        if len(clocks) <= LISTED and 0 < counted.used == sum(clocks):
            return total(map(Num, clocks)), {}, "every gradient is an update of its own, at once"
        return Num(counted.used), {}, "every gradient is an update of its own, once it is added"
    if not counted.updates:
        return Num(0), {}, "no update is made by the end"
    if scheme.late == "reuse":
        return Num(counted.used), {}, "counted in the schedule: those waited for, and late ones"
    if scheme.wait_for == scheme.local_steps == 1:
        return Sym("U"), numbers, "one in each update"
    factors: tuple[Expr, ...] = (Sym("U"), *[Num(scheme.wait_for)] * (scheme.wait_for > 1))
    if scheme.local_steps > 1:
        numbers[LOCAL_STEPS] = scheme.local_steps
        why = "each worker's local steps, in each update"
        return Mul((*factors, Sym(LOCAL_STEPS))), numbers, why
    return Mul(factors), numbers, f"{scheme.wait_for} in each update"


def mean_staleness(run: Run) -> tuple[Expr, Mapping[str, Number]]:
    """The mean of the staleness of all gradients that are used."""
    counts = sorted(run.counted.staleness.items())
    terms = [Mul((Num(count), Num(age))) for age, count in counts if age]
    if not terms:
        return Num(0), {}
    if len(terms) > AGES:
        assert run.staleness is not None
        return Num(run.staleness), {}
    return total(terms) / Sym("G"), {"G": run.counted.used}


def _without_waiting(run: Run, times: Mapping[str, Number]) -> Formula:
    cycles = [_with_transfers(run, Sym(letter)) for letter in times]
    formula = total(floor(Sym(HORIZON) / cycle) for cycle, _ in cycles)
    numbers = {**times, **cycles[0][1], HORIZON: run.duration}
    workers = run.workload.workers
    if len(times) == 1 and workers > 1:
        return Num(workers) * formula, numbers, "nobody waits: every worker does as many"
    return formula, numbers, "nobody waits: each worker's whole computations, added up"


def _with_transfers(run: Run, computing: Expr) -> tuple[Expr, dict[str, Number]]:
    """The time of a whole cycle, and the values of what is added to *computing*."""
    workload = run.workload
    parts = {"t_down": workload.down, "t_up": workload.up}
    numbers = {letter: time for letter, time in parts.items() if time}
    terms = [computing, *(Sym(letter) for letter in numbers)]
    return (terms[0] if len(terms) == 1 else total(terms)), numbers


def _periods(run: Run) -> dict[str, Number] | None:
    """The fixed time of each worker by letter, if all start at 0 and the server takes no time."""
    workload, times = run.workload, run.workload.times
    if workload.aggregate or workload.update or any(workload.starts):
        return None
    if not isinstance(times, Fixed) or times.listed:
        return None
    periods = [period for (period,) in times.rows]
    if len(set(periods)) == 1:
        return {PERIOD: periods[0]}
    if len(periods) > LISTED:
        return None
    return {f"{PERIOD}_{i}": period for i, period in enumerate(periods, 1)}


def _checked(formula: Formula, value: int) -> Formula | None:
    """The *formula*, if it gives what was played."""
    expr, numbers, _ = formula
    return formula if evaluate(expr, dict(numbers)) == value else None
