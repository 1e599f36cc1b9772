"""k of n: an update waits for the fastest workers only."""

from __future__ import annotations

from ddcalc.schedule.scheme import Late, Scheme


def k_of_n(wait_for: int, late: Late) -> Scheme:
    """An update is made of the first *wait_for* gradients taken at the parameters as they are.

    Later ones are dropped (backup workers, Chen et al. 2016), used in the next update beside its
    own (the poster on staleness), or interrupted.
    """
    label = f"{wait_for} of n, {late}"
    first = "gradient" if wait_for == 1 else f"{wait_for} gradients"
    says = f"every update waits for the first {first}; {_LATE[late]}"
    return Scheme("k of n", label, says, wait_for=wait_for, rounds=True, late=late)


_LATE: dict[Late, str] = {
    "drop": "a gradient that comes later is dropped",
    "reuse": "a gradient that comes later is used in the next update",
    "cancel": "who is not done by then is interrupted",
}
