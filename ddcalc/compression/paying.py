"""Whether a compressed message pays: the quantities and equations that all ways to do so share.

It pays if t_enc + S_c/W + t_dec < S/W, for S bytes that become S_c bytes on a link that carries W
bytes a second. Times W on both sides this is linear in W.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ddcalc.algebra import BITS_PER_BYTE, Eq, Expr, Rule, largest
from ddcalc.quantity import Derived, Given, count, derived, duration, rate
from ddcalc.units import BYTE, BYTE_PER_SECOND, SECOND


def full() -> Given:
    """What a value takes before."""
    return count("f", "bits of a value before", default="32")


def bandwidth() -> Given:
    """The link, if times are asked for."""
    return rate("W", "what the link carries", optional=True, example="10 Gbit/s")


def encode() -> Given:
    """Before sending; no time unless stated."""
    return duration("t_enc", "time to encode", default="0 s", group="encoding")


def decode() -> Given:
    """After sending; no time unless stated."""
    return duration("t_dec", "time to decode", default="0 s", group="encoding")


def dense() -> Derived:
    """What is sent without compression (B)."""
    return derived("S", "Bytes before", "every value with all its bits", BYTE)


def ratio(letter: str = "r") -> Derived:
    """Bytes before over bytes sent."""
    return derived(letter, "Compression", "so many times fewer bytes")


def saved() -> Derived:
    """Bytes that are not sent (B)."""
    return derived("S_saved", "Bytes saved", "before, less what is sent", BYTE)


def dense_time() -> Derived:
    """How long it takes without compression (s)."""
    return derived("t_before", "Time to send it as before", "bytes over bandwidth", SECOND)


def sent_time() -> Derived:
    """How long it takes with it (s)."""
    return derived("t_after", "Time to encode, send and decode it", "one after the other", SECOND)


def saved_time() -> Derived:
    """How much less that is (s)."""
    return derived("t_saved", "Time saved", "it pays if this is more than 0", SECOND)


def break_even() -> Derived:
    """The bandwidth (B/s) at which both take as long."""
    return derived(
        "W_eq",
        "It pays on every link slower than",
        "t_enc + S_c/W + t_dec = S/W, times W; if encoding takes no time there is no such link: it"
        " pays on all of them if it saves bytes",
        BYTE_PER_SECOND,
        noun="bandwidth up to which it pays",
    )


def cost(problem: Any) -> Iterator[tuple[Any, Rule]]:
    """The equations of a *problem* with all these quantities, from its dense and sent bytes."""
    yield problem.ratio, problem.dense / problem.sent
    yield problem.saved, problem.dense - problem.sent
    encoding = problem.encode + problem.decode
    if problem.states("bandwidth"):
        link = problem.bandwidth
        yield problem.dense_time, problem.dense / link
        yield problem.sent_time, problem.encode + problem.sent / link + problem.decode
        yield problem.saved_time, problem.dense_time - problem.sent_time
    yield (
        problem.break_even,
        Eq(encoding * problem.break_even, largest(problem.dense - problem.sent, 0)),
    )


def in_bytes(bits: Expr) -> Expr:
    """So many *bits*, as data."""
    return bits / BITS_PER_BYTE
