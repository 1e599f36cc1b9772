"""Which read is asked about, and under which scheme; or why it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ddcalc.errors import BadValue, NoAnswer
from ddcalc.problem.play import PlayedGivens, several, whole
from ddcalc.schedule.scheme import Late

NEEDS = {"ssp": "staleness", "local_sgd": "local_steps", "k_of_n": "wait_for"}


@dataclass(frozen=True, slots=True)
class Read:
    """A read by *worker* of *workers*, just before it computes its *clock*. All count from 1."""

    workers: int
    worker: int
    clock: int

    @property
    def before(self) -> int:
        """The clocks that the worker has finished."""
        return self.clock - 1


@dataclass(frozen=True, slots=True)
class RuledRead:
    """A *read* under the rule of *scheme*.

    Its *number* is the staleness bound of ssp, the steps between two averages of local SGD, or the
    gradients that an update of k of n waits for; *late* is what happens to the others. *limit* is
    the case of another rule, or of other numbers, that this one is the limit of.
    """

    read: Read
    scheme: str
    number: int = 0
    late: Late = "drop"
    limit: str = ""


def ruled(read: Read, scheme: str, number: int | None = None, late: Late = "drop") -> RuledRead:
    """*read* under *scheme*, or under the rule that it comes to; ssp without a *number* has no
    bound."""
    if read.workers == 1:
        return RuledRead(read, "sync", limit="alone")
    if scheme == "ssp" and number is None:
        return RuledRead(read, "async", limit="unbounded")
    if scheme == "k_of_n" and number == read.workers:
        return RuledRead(read, "sync", limit="nobody late")
    limits = {("ssp", 0): "synchronous", ("local_sgd", 1): "averaging"}
    limit = "" if number is None else limits.get((scheme, number), "")
    return RuledRead(read, scheme, number or 0, late, limit)


def question(given: PlayedGivens, scheme: str, late: str, unbounded: bool) -> RuledRead:
    """What *given* states under *scheme*; with *unbounded* staleness where no bound holds."""
    periods = several(given, "periods")
    workers = whole(given, "workers") or len(periods)
    if periods and workers != len(periods):
        reason = f"does not fit the {len(periods)} times in periods; one is wanted for each worker"
        raise BadValue(str(workers), reason).about("workers")
    worker = _stated(given, "worker")
    if worker > workers:
        raise BadValue(str(worker), f"is not one of the {workers} workers").about("worker")
    read = Read(workers, worker, _stated(given, "clock"))
    name = "" if unbounded and scheme == "ssp" else NEEDS.get(scheme, "")
    number = _stated(given, name) if name else None
    if scheme == "k_of_n" and number is not None and number > workers:
        reason = f"is more than all {workers} workers send"
        raise BadValue(str(number), reason).about("wait_for")
    return ruled(read, scheme, number, cast("Late", late))


def _stated(given: PlayedGivens, name: str) -> int:
    """A count; NoAnswer where another reading of the question needs one that is not stated."""
    value = whole(given, name)
    if value is None:
        raise NoAnswer("weights", f"{name} is not stated")
    return value
