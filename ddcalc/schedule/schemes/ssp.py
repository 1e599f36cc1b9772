"""Stale-synchronous SGD: a worker may be ahead of the slowest one, up to a bound."""

from __future__ import annotations

from ddcalc.schedule.scheme import Scheme


def ssp(staleness: int | None) -> Scheme:
    """A worker starts its clock c when every worker has finished clock c - 1 - *staleness*.

    So its parameters have all gradients of these clocks, and always its own (Ho et al. 2013).
    With 0 it is synchronous, without a bound (None) asynchronous.
    """
    if staleness is None:
        return Scheme("ssp", "ssp, s = ∞", "without a bound nobody waits for anybody")
    says = f"a worker starts gradient c when everybody has finished gradient c − {1 + staleness}"
    return Scheme("ssp", f"ssp, s = {staleness}", says, bound=staleness)
