"""The ways to synchronise workers, as data: what an update waits for, and who may go on when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Late = Literal["drop", "reuse", "cancel"]
"""What happens to gradients that an update did not wait for: they are dropped on arrival, or used
in the next update, or their computation is interrupted when the update is made."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What :mod:`ddcalc.schedule.engine` needs to know of a way to synchronise.

    An update is made of *wait_for* gradients. In *rounds* these must be taken at the parameters
    as they are (others are *late*), and their workers wait for the update; else every gradient
    counts. A worker sends a gradient after *local_steps* computations. With a *bound* s a worker
    starts its computation c only if every worker has finished c - 1 - s of its own.

    *short* and *label* name it in a picture and in a table.
    """

    short: str
    label: str
    wait_for: int = 1
    rounds: bool = False
    late: Late = "drop"
    local_steps: int = 1
    bound: int | None = None


def sync(workers: int) -> Scheme:
    """Every update is made of one gradient of each worker, and all wait for it."""
    return Scheme("sync", "sync", wait_for=workers, rounds=True)


def k_of_n(wait_for: int, late: Late) -> Scheme:
    """An update is made of the first *wait_for* gradients taken at the parameters as they are.

    Later ones are dropped (backup workers, Chen et al. 2016), used in the next update beside its
    own (the poster on staleness), or interrupted.
    """
    label = f"{wait_for} of n, {late}"
    return Scheme("k of n", label, wait_for=wait_for, rounds=True, late=late)


def asynchronous() -> Scheme:
    """Every gradient is an update, and its worker goes on at once."""
    return Scheme("async", "async")


def ssp(staleness: int | None) -> Scheme:
    """A worker starts its clock c when every worker has finished clock c - 1 - *staleness*.

    So its parameters have all gradients of these clocks, and always its own (Ho et al. 2013).
    With 0 it is synchronous, without a bound (None) asynchronous.
    """
    if staleness is None:
        return Scheme("ssp", "ssp, s = ∞")
    return Scheme("ssp", f"ssp, s = {staleness}", bound=staleness)


def local_sgd(workers: int, local_steps: int) -> Scheme:
    """After *local_steps* steps of its own every worker sends its parameters to be averaged.

    Stich 2019. With one step it is synchronous SGD that averages.
    """
    label = f"local, H = {local_steps}"
    return Scheme("local", label, wait_for=workers, rounds=True, local_steps=local_steps)
