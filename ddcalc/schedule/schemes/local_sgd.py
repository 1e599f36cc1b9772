"""Local SGD: workers make steps of their own and average their parameters now and then."""

from __future__ import annotations

from ddcalc.schedule.scheme import Scheme


def local_sgd(workers: int, local_steps: int) -> Scheme:
    """After *local_steps* steps of its own every worker sends its parameters to be averaged.

    Stich 2019. With one step it is synchronous SGD that averages.
    """
    label = f"local, H = {local_steps}"
    steps = "after each step" if local_steps == 1 else f"after {local_steps} steps of its own"
    says = f"{steps} every worker waits until the parameters of all are averaged"
    return Scheme("local", label, says, wait_for=workers, rounds=True, local_steps=local_steps)
