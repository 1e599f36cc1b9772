"""Asynchronous SGD: nobody waits for anybody."""

from __future__ import annotations

from ddcalc.schedule.scheme import Scheme


def asynchronous() -> Scheme:
    """Every gradient is an update, and its worker goes on at once."""
    says = "every gradient is an update of its own, and nobody waits for anybody"
    return Scheme("async", "async", says)
