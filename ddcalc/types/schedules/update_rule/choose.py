"""The rule of a scheme, by name; limiting cases are told by the rule that they come to."""

from __future__ import annotations

from ddcalc.schedule.scheme import Late
from ddcalc.types.schedules.update_rule.asynchronous import Asynchronous
from ddcalc.types.schedules.update_rule.k_of_n import KofN
from ddcalc.types.schedules.update_rule.local_sgd import LocalSGD
from ddcalc.types.schedules.update_rule.rule import Read, Rule
from ddcalc.types.schedules.update_rule.ssp import StaleSynchronous
from ddcalc.types.schedules.update_rule.sync import Synchronous


def stale_synchronous(read: Read, staleness: int | None) -> Rule:
    """The rule of SSP; without a bound for None."""
    if read.workers == 1:
        return _alone(read)
    if staleness is None:
        return Asynchronous(read, "a staleness bound of infinity holds nobody back")
    return StaleSynchronous(read, staleness)


def synchronous(read: Read) -> Rule:
    """The synchronous rule."""
    return _alone(read) if read.workers == 1 else Synchronous(read)


def asynchronous(read: Read) -> Rule:
    """The asynchronous rule."""
    return _alone(read) if read.workers == 1 else Asynchronous(read)


def local_sgd(read: Read, local_steps: int) -> Rule:
    """The rule of local SGD."""
    return _alone(read) if read.workers == 1 else LocalSGD(read, local_steps)


def k_of_n(read: Read, wait_for: int, late: Late) -> Rule:
    """The rule of k of n, of which *wait_for* is the k."""
    if read.workers == 1:
        return _alone(read)
    if wait_for == read.workers:
        return Synchronous(read, "an update that waits for all leaves nobody late")
    return KofN(read, wait_for, late)


def _alone(read: Read) -> Rule:
    return Synchronous(read, "one worker alone has nobody to wait for: this is sequential SGD")
