"""A workload: what workers compute and what the machine takes, whatever the scheme; its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Final, cast

from ddcalc.errors import DdcalcError, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.schedule.engine import PLAYED, Engine, check_length, engine
from ddcalc.schedule.gradient import Gradient, Machine, Order, Read, Time
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.tally import Tally, tally
from ddcalc.schedule.times import Distribution, Drawn, Fixed, Law, Times, common_unit, in_parts
from ddcalc.schedule.watching import tell

SCHEMES: Final = ("sync", "ssp", "async", "local_sgd", "k_of_n")


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

    def run(self, scheme: Scheme) -> Run:
        """The workload played exactly; OverLimit where it is too long."""
        if self.estimate(scheme) > self.most:
            raise self._too_long(scheme)
        steps = scheme.local_steps * self.workers
        check_length(steps, "local_steps", self.most, "computations before the first average")
        return self._played(scheme)

    def one_of_many(self, scheme: Scheme) -> Run:
        """The same for an average over many runs: no gradient of it is kept."""
        return self._played(scheme, kept=False)

    def engine(self, scheme: Scheme) -> tuple[Engine, int]:
        """What plays the workload exactly, without end, and how many parts of a second its times
        are whole numbers of."""
        unit = self._unit()
        lengths = (self.down, self.up, self.aggregate, self.update)
        down, up, aggregate, update = (in_parts(time, unit) for time in lengths)
        starts = [in_parts(start, unit) for start in self.starts]
        machine = Machine(starts, down, up, aggregate, update, self.serial, self.order, self.read)
        return engine(scheme, machine, self.times.exact(unit)), unit

    def _played(self, scheme: Scheme, kept: bool = True) -> Run:
        run, unit = self.engine(scheme)
        end = None if self.horizon is None else in_parts(self.horizon, unit)
        told = partial(tell, "computation") if kept else None
        try:
            counted = tally(run, end, self.nth, self.most, told, kept=kept)
        except OverflowError:
            raise self._too_long(scheme) from None
        return Run(scheme, self, unit, counted)

    def _unit(self) -> int:
        """How many parts of a second make all times whole."""
        lengths = (self.down, self.up, self.aggregate, self.update, self.horizon or 0)
        try:
            return common_unit(*self.starts, *lengths, Fraction(1, self.times.unit))
        except OverLimit as error:
            raise error.about(self.times.named) from None

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

    def _too_long(self, scheme: Scheme) -> DdcalcError:
        times = max(ceil(Fraction(self.estimate(scheme), self.most)), 2)
        error = OverLimit(
            f"more than {count_text(self.most)} computations would have to be played, which is the"
            f" most; a shorter run has the same rates: state one {count_text(times)} times shorter"
        )
        return error.about("nth_update" if self.horizon is None else "horizon")


def workload(given: PlayedGivens, reading: Mapping[str, str]) -> Workload:
    """What *given* states, under the options of *reading*."""
    times = _times(given, reading)
    names = ("download", "upload", "aggregation", "update_time")
    down, up, aggregate, update = (one(given, name) or 0 for name in names)
    return Workload(
        times, several(given, "starts") or (0,) * len(times.means), down, up, aggregate, update,
        serial=reading["server"] == "serial",
        order=cast(Order, reading["order"]),
        read=cast(Read, reading["read"]),
        horizon=one(given, "horizon"),
        nth=whole(given, "nth_update"),
    )  # fmt: skip


def _times(given: PlayedGivens, reading: Mapping[str, str]) -> Times:
    """How long each worker computes."""
    starts, workers = len(several(given, "starts")), whole(given, "workers") or 0
    if listed := several(given, "step_times"):
        workers = workers or starts or 1
        if reading["step_times_for"] == "every_worker":
            return Fixed((listed,) * workers, named="step_times")
        length = len(listed) // workers
        rows = (listed[i : i + length] for i in range(0, len(listed), length))
        return Fixed(tuple(rows), named="step_times")
    periods = several(given, "periods")
    if len(periods) == 1:
        periods *= max(workers, starts, 1)
    if reading["distribution"] == "constant":
        return Fixed(tuple((period,) for period in periods))
    shift, spread, tail = (one(given, name) or 0 for name in ("shift", "spread", "tail"))
    law = Law(cast(Distribution, reading["distribution"]), shift, spread, tail)
    return Drawn(periods, law, whole(given, "seed") or 0)


def schemes(given: PlayedGivens, reading: Mapping[str, str], workers: int) -> tuple[Scheme, ...]:
    """The scheme of *reading*, or all; these take usual numbers where none is stated."""
    names = SCHEMES if reading["scheme"] == "all" else (reading["scheme"],)
    return tuple(_scheme(name, given, reading, workers) for name in names)


def _scheme(name: str, given: PlayedGivens, reading: Mapping[str, str], workers: int) -> Scheme:
    match name:
        case "sync":
            return sync(workers)
        case "ssp" if reading.get("staleness") == "infinity":
            return ssp(None)
        case "ssp":
            bound = whole(given, "staleness")
            return ssp(1 if bound is None else bound)
        case "async":
            return asynchronous()
        case "local_sgd":
            return local_sgd(workers, whole(given, "local_steps") or 2)
    fastest = whole(given, "wait_for") or max(workers - 1, 1)
    return k_of_n(fastest, cast(Late, reading["late"]))


@dataclass(frozen=True, slots=True)
class Run:
    """What playing a *workload* under *scheme* came to; a second has *unit* parts."""

    scheme: Scheme
    workload: Workload
    unit: int
    counted: Tally

    def seconds(self, time: Time) -> Number:
        """A *time* of the run in seconds."""
        return quotient(int(time), self.unit)

    def share(self, time: Time) -> Number:
        """A *time* of the run as a share of its duration."""
        return quotient(int(time), int(self.counted.end) or 1)

    @property
    def waiting(self) -> Number:
        """The share of their time in which workers wait for others or for the server."""
        days = self.counted.days
        waited = sum(day.held + day.served for day in days)
        return quotient(int(waited), (int(self.counted.end) or 1) * len(days))

    @property
    def staleness(self) -> Number | None:
        """The mean staleness of the gradients in the updates; None where there are none."""
        counted = self.counted
        if not counted.used:
            return None
        return quotient(sum(age * n for age, n in counted.staleness.items()), counted.used)

    @property
    def nth_time(self) -> Number | None:
        """When the update that is asked for was made; None where it was not."""
        nth = self.counted.nth
        return None if nth is None else self.seconds(nth)

    @property
    def transfers(self) -> int:
        """How many times parameters or gradients were sent."""
        return sum(day.downloads + day.uploads for day in self.counted.days)

    def lane(self, worker: int) -> list[Gradient]:
        """The first gradients of one of the first workers, and what was under way at the end."""
        pending = [gradient for gradient in self.counted.pending if gradient.worker == worker]
        return [*self.counted.drawn[worker - 1], *pending]
