"""One question on both runs: its numbers, the schedules they make, and what shows how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddcalc.formula.algebra import floor, total
from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.numbers.display import counted, number_text
from ddcalc.numbers.number import Number
from ddcalc.problem.steps import Timeline
from ddcalc.schedule.engine import check_length
from ddcalc.types.schedules.divergence.picture import picture, rows
from ddcalc.types.schedules.divergence.reading import taken, taken_alone
from ddcalc.types.schedules.divergence.runs import Runs, same_operations, same_time, updates_until

LISTED = 6  # cores whose updates are written as a sum

Counted = tuple[Expr, dict[str, Number], str]  # a formula, the values of its letters, the reason


@dataclass(frozen=True, slots=True)
class Question:
    """Cores with their *starts* (s), the time of an *update* (s), and where both runs stop.

    That is the *horizon* (s), or with *equal_counts* the update number *count* (if None, the last
    one that the sequential run ends by the horizon).
    """

    starts: Sequence[Number]
    update: Number
    horizon: Number
    equal_counts: bool
    count: Number | None = None

    def runs(self) -> Runs:
        """Both runs, played; OverLimit if they are too long."""
        if not self.equal_counts:
            return same_time(self.starts, self.update, self.horizon)
        count = updates_until([0], self.update, self.horizon) if self.count is None else self.count
        check_length(int(count), "horizon" if self.count is None else "operations")
        return same_operations(self.starts, self.update, int(count))


class Schedules:
    """The runs of a question as a picture and as counts."""

    def __init__(self, question: Question, runs: Runs) -> None:
        self.question, self.runs = question, runs
        ends = [run[-1].end for run in (runs.asynchronous, runs.sequential) if run]
        self.end = max(ends, default=question.horizon)  # of the last update that counts

    def timeline(self) -> Timeline:
        """All cores, and below them the one that works alone."""
        names = [f"core {i}" for i in range(1, len(self.question.starts) + 1)]
        runs, update = self.runs, self.question.update
        cores = rows(
            self.question.starts, update, runs.asynchronous, names, lambda op: taken(runs, op.data)
        )
        alone = rows([0], update, runs.sequential, ["alone"], lambda op: taken_alone(op.data))
        why = f"{self._reading()}; {self._stop()}"
        return picture(cores, alone[0], *self._until(), "Schedule", why)

    def _until(self) -> tuple[Number, str]:
        """How far the schedule is shown, and what that time is called."""
        horizon = self.question.horizon
        if self.question.count is None and self.end <= horizon:
            return horizon, "horizon"
        return self.end, "end"

    def _reading(self) -> str:
        return "a core reads x at the start, writes at the end and starts again at once"

    def _stop(self) -> str:
        horizon = f"{number_text(self.question.horizon)[0]} s"
        if not self.question.equal_counts:
            return f"an update that ends exactly at the horizon of {horizon} counts"
        count = len(self.runs.sequential)
        counts = f"only {counted(count, 'update')} of each run count{'s' if count == 1 else ''}"
        if self.question.count is not None:
            return f"{counts}, as asked, whatever the horizon"
        why = f"{counts}, as many as a core alone ends by {horizon}"
        if self.end > self.question.horizon:
            end = f"{number_text(self.end)[0]} s"
            why += f"; the asynchronous run needs until {end} for them, longer than the horizon"
        return why

    def asynchronous(self) -> Counted:
        """How the updates of the asynchronous run are counted."""
        if self.question.equal_counts:
            formula, numbers, _ = self.sequential()
            return formula, numbers, "both runs make the same number, by the reading chosen"
        starts, horizon = self.question.starts, self.question.horizon
        timely = [i for i, start in enumerate(starts, 1) if start <= horizon]
        late = len(starts) - len(timely)
        why = "each core's whole operations until the horizon, added up"
        if late:
            why += f"; {counted(late, 'core')} would start after it"
        if not 0 < len(timely) <= LISTED:
            return Num(len(self.runs.asynchronous)), {}, why
        H, u = Sym("H"), Sym("u")
        formula = total(floor((H - Sym(f"s_{i}")) / u) for i in timely)
        own = {f"s_{i}": starts[i - 1] for i in timely}
        return formula, {"H": horizon, "u": self.question.update, **own}, why

    def sequential(self) -> Counted:
        """How the updates of the sequential run are counted."""
        if self.question.count is not None:
            return Sym("n"), {"n": self.question.count}, "the number that is asked for"
        numbers = {"H": self.question.horizon, "u": self.question.update}
        return floor(Sym("H") / Sym("u")), numbers, "one core, from time 0 without gaps"
