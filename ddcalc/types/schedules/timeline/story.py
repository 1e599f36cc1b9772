"""What a question on a timeline comes to, and the steps that tell why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property

from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.numbers.display import counted as counted_text
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived, Quantity
from ddcalc.problem.steps import Define, Step, Table
from ddcalc.types.schedules.timeline import formulas
from ddcalc.types.schedules.timeline.averages import Average, averages, averages_table
from ddcalc.types.schedules.timeline.comparison import Comparison
from ddcalc.types.schedules.timeline.effects import gains, orders
from ddcalc.types.schedules.timeline.lanes import picture
from ddcalc.types.schedules.timeline.question import Question
from ddcalc.types.schedules.timeline.tables import ages, days, events, waits

Results = dict[str, Number | Expr | tuple[Number | Expr | None, ...] | None]

LONG = 5_000  # computations
BESIDES = (  # what is told of every scheme if it is asked for
    ("update N at", "nth_time_by_scheme"),
    ("samples a second", "sample_rate_by_scheme"),
    ("sent", "sent_by_scheme"),
)


def story(question: Question, declared: Mapping[str, Quantity]) -> Story:
    """The answers to *question*, whose derived quantities are *declared*."""
    return (OneRun if len(question.schemes) == 1 else SideBySide)(question, declared)


class Story(ABC):
    """The answers to a question, and how they come about."""

    def __init__(self, question: Question, declared: Mapping[str, Quantity]) -> None:
        self.question, self.declared = question, declared

    @property
    @abstractmethod
    def played(self) -> int:
        """How many computations it took to find the answers."""

    @property
    def is_long(self) -> bool:
        """Whether playing it once more for every other reading takes more than a moment."""
        return self.played > LONG

    @abstractmethod
    def values(self) -> Results:
        """All derived quantities by name."""

    @abstractmethod
    def steps(self) -> Iterator[Step]:
        """The schedule, what happens in it, and what it comes to."""

    @cached_property
    def averages(self) -> list[Average]:
        """The averages over many runs, if they are asked for."""
        runs = self.question.runs
        return averages(self.question.workload, self.question.schemes, runs) if runs else []

    def define(
        self,
        name: str,
        value: Number | None,
        formula: Expr | None = None,
        numbers: Mapping[str, Number] | None = None,
        why: str = "",
    ) -> Define:
        """The step that defines the quantity called *name*."""
        quantity = self.declared[name]
        assert isinstance(quantity, Derived)
        return defined(quantity, value, formula, numbers, why)


class OneRun(Story):
    """The workload under one scheme."""

    def __init__(self, question: Question, declared: Mapping[str, Quantity]) -> None:
        super().__init__(question, declared)
        self.run = question.workload.run(question.schemes[0])

    @property
    def played(self) -> int:
        return self.run.counted.played

    def values(self) -> Results:
        run, counted = self.run, self.run.counted
        found: Results = {
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
            "ahead": max(counted.ahead, default=0),
        }
        if self.question.nth is not None:
            found["nth_time"] = self.run.nth_time
        if self.question.batch is not None:
            found["sample_rate"] = run.rate(counted.used * self.question.batch)
        if self.question.model is not None:
            found["sent"] = run.transfers * self.question.model
        if self.averages:
            found["mean_gradients"] = self.averages[0].gradients
        found["gradients"] = counted.used
        return found

    def steps(self) -> Iterator[Step]:
        run = self.run
        yield picture(run, f"Schedule: {run.scheme.label}", run.scheme.says)
        if happened := events(run):
            yield happened
        if who := waits(run):
            yield who
        yield days(run)
        yield from self._counts()
        yield from self._rates()
        yield from self._staleness()
        if run.scheme.bound is not None and (table := gains(run)):
            yield table
        if self.question.runs:
            yield averages_table(self.averages, self.question.runs)
            yield self.define("mean_gradients", self.averages[0].gradients)

    def _counts(self) -> Iterator[Step]:
        run, counted = self.run, self.run.counted
        formula, numbers, why = formulas.updates(run) or (None, {}, "")
        yield self.define("updates", counted.updates, formula, numbers, why)
        formula, numbers, why = formulas.gradients(run)
        yield self.define("gradients", counted.used, formula, numbers, why)
        if run.unused:
            yield self.define("unused", run.unused)
        if self.question.nth is not None:
            why = "" if counted.nth is not None else "the run ends before it"
            yield self.define("nth_time", self.run.nth_time, why=why)

    def _rates(self) -> Iterator[Step]:
        run, counted = self.run, self.run.counted
        if not run.duration:
            return
        rate = run.rate(counted.used)
        numbers: dict[str, Number] = {"G": counted.used, "D": run.duration}
        yield self.define("gradient_rate", rate, Sym("G") / Sym("D"), numbers)
        batch, model = self.question.batch, self.question.model
        if batch is not None:
            formula = Sym("b") * Sym("G") / Sym("D")
            yield self.define("sample_rate", batch * rate, formula, {"b": batch, **numbers})
        if model is not None:
            down = sum(day.downloads for day in counted.days)
            up = sum(day.uploads for day in counted.days)
            formula = (Num(down) + Num(up)) * Sym("M")
            why = f"{counted_text(down, 'download')} and {counted_text(up, 'upload')}"
            yield self.define("sent", run.transfers * model, formula, {"M": model}, why)

    def _staleness(self) -> Iterator[Step]:
        run = self.run
        if run.staleness is None:
            return
        if run.stalest:
            yield ages(run)
        formula, numbers = formulas.mean_staleness(run)
        yield self.define("mean_staleness", run.staleness, formula, numbers)
        if not run.scheme.rounds and run.workload.workers > 1:
            yield self.define("ahead", max(run.counted.ahead))
        if run.scheme.is_free and (table := orders(run)):
            yield table


class SideBySide(Story):
    """The workload under every scheme."""

    def __init__(self, question: Question, declared: Mapping[str, Quantity]) -> None:
        super().__init__(question, declared)
        self.comparison = Comparison(question.workload, question.schemes, question.stand_ins)

    @property
    def played(self) -> int:
        return sum(run.counted.played for run in self.comparison.runs)

    def values(self) -> Results:
        runs = self.comparison.runs
        found: Results = {
            "gradients_by_scheme": tuple(run.counted.used for run in runs),
            "updates_by_scheme": tuple(run.counted.updates for run in runs),
            "idle_by_scheme": tuple(run.waiting for run in runs),
            "staleness_by_scheme": tuple(run.staleness for run in runs),
            "ended": self.comparison.best.duration,
            "gradients": self.comparison.best.counted.used,
        }
        if self.question.nth is not None:
            found["nth_time_by_scheme"] = tuple(run.nth_time for run in runs)
        if (batch := self.question.batch) is not None:
            found["sample_rate_by_scheme"] = tuple(
                run.rate(run.counted.used * batch) for run in runs
            )
        if (model := self.question.model) is not None:
            found["sent_by_scheme"] = tuple(run.transfers * model for run in runs)
        if self.averages:
            found["mean_gradients_by_scheme"] = tuple(each.gradients for each in self.averages)
        return found

    def steps(self) -> Iterator[Step]:
        if pictures := self.comparison.pictures():
            yield pictures
        yield self.comparison.table()
        if besides := self._besides():
            yield besides
        if self.question.runs:
            yield averages_table(self.averages, self.question.runs)
        best = self.comparison.best
        why = f"the most a second: {best.scheme.label}; what they are worth depends on staleness"
        if not best.counted.used:
            why = "no update is made by the end"
        yield self.define("gradients", best.counted.used, why=why)

    def _besides(self) -> Table | None:
        """What else is asked for, scheme by scheme."""
        values = self.values()
        asked = [(title, name) for title, name in BESIDES if name in values]
        if not asked:
            return None
        columns = [self._texts(name, values[name]) for _, name in asked]
        labels = [run.scheme.label for run in self.comparison.runs]
        rows = tuple(zip(labels, *columns, strict=True))
        return Table("Besides", "what else is asked for", ("scheme", *(t for t, _ in asked)), rows)

    def _texts(self, name: str, values: object) -> list[str]:
        """The *values* of the list called *name*, in its unit."""
        unit = self.declared[name].unit
        assert isinstance(values, tuple)
        return ["–" if value is None else quantity_text(value, unit) for value in values]
