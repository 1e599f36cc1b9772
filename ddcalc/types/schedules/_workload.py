"""A workload: what workers compute and what the machine takes, whatever the scheme; its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ddcalc.errors import DdcalcError, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.schedule.counting import MANY, SHORT, Task
from ddcalc.schedule.engine import PLAYED, Engine, check_length
from ddcalc.schedule.gradient import Gradient, Machine, Order, Read, Time
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.tally import Tally
from ddcalc.schedule.times import Times, common_unit, in_parts


@dataclass(frozen=True, slots=True)
class Workload:
    """Workers that compute for *times* from their *starts* on, until the *horizon* or update *nth*.

    All times are exact seconds. With both the horizon ends the run, and the time of that update
    is recorded.
    """

    times: Times
    starts: Sequence[Number]
    down: Number = 0
    up: Number = 0
    aggregate: Number = 0
    update: Number = 0
    serial: bool = True
    order: Order = "in_turn"
    read: Read = "arrival"
    horizon: Number | None = None
    nth: int | None = None
    most: int = PLAYED  # computations of a run

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return len(self.starts)

    @property
    def queues(self) -> bool:
        """Whether gradients may have to wait for others at the server."""
        return self.serial and bool(self.aggregate or self.update)

    def run(self, scheme: Scheme, goal: int | None = None) -> Run:
        """The workload played exactly; OverLimit where it is too long.

        The time at which *goal* gradients are made is recorded, if the run makes that many.
        """
        self._check(scheme)
        unit = self._unit()
        try:
            counted = self._task(scheme, unit, self.most, goal).counted()
        except OverflowError as error:
            raise self._too_long(*error.args) from None
        return Run(scheme, self, unit, counted)

    def engine(self, scheme: Scheme) -> tuple[Engine, int]:
        """What plays the workload exactly, without end, and how many parts of a second its times
        are whole numbers of."""
        unit = self._unit()
        return self._task(scheme, unit, self.most).engine(), unit

    def counted(self, scheme: Scheme, *, many: bool) -> Tally:
        """The workload counted, for an average over several runs, or *many*."""
        task = self._task(scheme, self._unit(), self.most)
        try:
            return task.counted(kept=False, least=MANY if many else SHORT)
        except OverflowError as error:
            raise self._too_long(*error.args) from None

    def _task(self, scheme: Scheme, unit: int, most: int, goal: int | None = None) -> Task:
        end = None if self.horizon is None else in_parts(self.horizon, unit)
        foreseen = self.estimate(scheme)
        machine = self._machine(unit)
        return Task(scheme, machine, self.times, unit, end, self.nth, goal, most, foreseen)

    def until(self, horizon: Number) -> Workload:
        """The same workload until another *horizon*."""
        return replace(self, horizon=horizon, nth=None)

    def _unit(self) -> int:
        """How many parts of a second make all times whole."""
        lengths = (self.down, self.up, self.aggregate, self.update, self.horizon or 0)
        try:
            return common_unit(*self.starts, *lengths, Fraction(1, self.times.unit))
        except OverLimit as error:
            raise error.about(self.times.named) from None

    def _machine(self, unit: int) -> Machine:
        """The machine with times in parts of a second."""
        lengths = (self.down, self.up, self.aggregate, self.update)
        down, up, aggregate, update = (in_parts(time, unit) for time in lengths)
        starts = [in_parts(start, unit) for start in self.starts]
        return Machine(starts, down, up, aggregate, update, self.serial, self.order, self.read)

    def estimate(self, scheme: Scheme) -> int:
        """About how many computations are played under *scheme*."""
        if self.horizon is None:
            return (self.nth or 0) * scheme.wait_for * scheme.local_steps
        besides = self.down + self.up + self.aggregate + self.update
        counts = [
            max(int((self.horizon - start) / (mean + besides / scheme.local_steps)), 0) + 1
            for start, mean in zip(self.starts, map(Fraction, self.times.means), strict=True)
        ]
        together = min(counts) * len(counts)
        if scheme.bound is not None:
            return min(sum(counts), together + (scheme.bound + 1) * len(counts))
        return together if scheme.wait_for == self.workers else sum(counts)

    def _check(self, scheme: Scheme) -> None:
        """Refuse a run that is too long before it is played, as far as that can be foreseen."""
        if self.estimate(scheme) > self.most:
            raise self._too_long(self.most)
        steps = scheme.local_steps * self.workers
        check_length(steps, "local_steps", self.most, "computations before the first average")

    def _too_long(self, most: int) -> DdcalcError:
        error = OverLimit(
            f"more than {count_text(most)} computations would have to be played, which is the most;"
            " a shorter run has the same rates"
        )
        return error.about("nth_update" if self.horizon is None else "horizon")


class Run:
    """What playing a workload under *scheme* came to; times in seconds, shares of the time."""

    def __init__(self, scheme: Scheme, workload: Workload, unit: int, counted: Tally) -> None:
        self.scheme, self.workload, self.unit, self.counted = scheme, workload, unit, counted
        self.duration = self.seconds(counted.end)

    def seconds(self, time: Time) -> Number:
        """A *time* of the run in seconds."""
        return quotient(int(time), self.unit)

    def share(self, time: Time) -> Number:
        """A *time* of the run as a share of its duration."""
        return quotient(int(time), int(self.counted.end) or 1)

    def rate(self, count: int) -> Number:
        """*count* things a second."""
        return quotient(count * self.unit, int(self.counted.end) or 1)

    @property
    def waiting(self) -> Number:
        """The share of their time in which workers wait for others or for the server."""
        days = self.counted.days
        return self.share(sum(day.held + day.served for day in days)) / Fraction(len(days))

    @property
    def staleness(self) -> Number | None:
        """The mean staleness of the gradients in the updates; None where there are none."""
        counted = self.counted
        if not counted.used:
            return None
        return quotient(sum(age * n for age, n in counted.staleness.items()), counted.used)

    @property
    def stalest(self) -> int | None:
        """The largest staleness of a gradient in an update."""
        return max(self.counted.staleness, default=None)

    @property
    def nth_time(self) -> Number | None:
        """When the update that is asked for was made; None where it was not."""
        nth = self.counted.nth
        return None if nth is None else self.seconds(nth)

    @property
    def transfers(self) -> int:
        """How many times parameters or gradients were sent."""
        return sum(day.downloads + day.uploads for day in self.counted.days)

    @property
    def unused(self) -> int:
        """The gradients that were finished or begun for nothing."""
        return self.counted.dropped + self.counted.interrupted

    def lane(self, worker: int) -> list[Gradient]:
        """The first gradients of one of the first workers, and what was under way at the end."""
        pending = [gradient for gradient in self.counted.pending if gradient.worker == worker]
        return [*self.counted.drawn[worker - 1], *pending]
