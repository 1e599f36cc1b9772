"""Whether compression pays: the quantities and equations that all ways to compress share.

Of one message it pays if t_enc + S_c/W + t_dec < S/W, for S bytes that become S_c bytes on a link
that carries W bytes a second. Between p workers whole gradients pass a ring all-reduce, after which
each has received 2(p − 1)/p·S (Patarasuk and Yuan, Journal of Parallel and Distributed Computing
69(2), 2009). Messages that cannot be added are gathered, (p − 1)·S_c; those that can be added take
the ring, too. Times W on both sides every comparison is linear in W. Latency is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ddcalc.formula.algebra import BITS_PER_BYTE, NOTHING, Expr, Num, Rule, cases, largest, same
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.quantity import OneDerived, OneGiven, count, derived, duration, rate

AGGREGATION = "how the gradients of the workers come together"
GATHERED = "every worker gathers the messages of all others"
SERVER = "one message is timed, as from a worker to a server over a link of its own"

EXCHANGES = {
    "server": "one message, encoded, sent and decoded one after the other",
    "gathered": "encoded, gathered and decoded, one after the other",
    "added": "encoded, added on the ring and decoded, one after the other",
}
BALANCES = {
    "server": "t_enc + S_c/W + t_dec = S/W",
    "gathered": "t_enc + S_gather/W + t_dec = S_ring/W",
    "added": "t_enc + S_add/W + t_dec = S_ring/W",
}


def full() -> OneGiven:
    """What a value takes before."""
    return count("f", "bits of a value before", default="32")


def workers(least: int = 1) -> OneGiven:
    """Who exchange gradients; without them one message is timed."""
    return count("p", "workers that exchange gradients", optional=True, least=least)


def link() -> tuple[OneGiven, OneGiven, OneGiven]:
    """The link, if times are asked for, and the times to encode and to decode."""
    return (
        rate("W", "what the link carries", optional=True, example="10 Gbit/s"),
        duration("t_enc", "time to encode", default="0 s", group="encoding"),
        duration("t_dec", "time to decode all that is received", default="0 s", group="encoding"),
    )


def dense() -> OneDerived:
    """What a message has without compression (B)."""
    return derived("S", "Bytes before", "every value with all its bits", BYTE)


def received(letter: str = "r") -> tuple[OneDerived, OneDerived, OneDerived]:
    """The compression, by its *letter*, and what a worker receives of whole gradients and of
    messages that cannot be added (B)."""
    return (
        derived(letter, "Compression", "how many times fewer bytes a message has", better="more"),
        derived(
            "S_ring", "Bytes that a worker receives with whole gradients",
            "a ring all-reduce passes p − 1 parts of p twice", BYTE,
        ),
        derived(
            "S_gather", "Bytes that a worker receives with compressed ones",
            "the messages of all others, by an all-gather", BYTE, better="less",
        ),
    )  # fmt: skip


def added(why: str) -> OneDerived:
    """What a worker receives of messages that are added on the way (B)."""
    title = "Bytes that a worker receives with compressed ones"
    return derived("S_add", title, why, BYTE, better="less")


def savings() -> tuple[OneDerived, OneDerived, OneDerived, OneDerived]:
    """Bytes that a worker need not receive, fewer than none where it loses (B); the times without
    compression and with it, and how much less that is (s)."""
    return (
        derived("S_saved", "Bytes saved", "", BYTE, better="more"),
        derived("t_before", "Time without compression", "", SECOND, better="less"),
        derived("t_after", "Time with compression", "", SECOND, better="less"),
        derived("t_saved", "Time saved", "it pays if this is more than 0", SECOND, better="more"),
    )


def limits() -> tuple[OneDerived, OneDerived]:
    """The bandwidth at which both take as long (B/s), and how many workers gather as many bytes as
    a ring moves."""
    return (
        derived(
            "W_eq", "It pays on every link slower than", "both take as long there",
            BYTE_PER_SECOND, noun="bandwidth up to which it pays",
        ),
        derived(
            "p_eq", "Gathering loses with more workers than",
            "(p − 1)·S_c > 2·(p − 1)/p·S means p > 2·S/S_c, with two workers at least",
            noun="workers beyond which gathering loses", least=1,
        ),
    )  # fmt: skip


def way(problem: Any) -> str:
    """How gradients come together in the shape of *problem*: as one message without workers."""
    return str(problem.aggregation) if problem.states("workers") else "server"


def cost(problem: Any) -> Iterator[tuple[Any, Rule] | tuple[Any, Rule, str]]:
    """The equations of a *problem* with all these quantities, from its dense and sent bytes."""
    yield problem.ratio, problem.dense / problem.sent
    before, after = problem.dense, problem.sent
    by = way(problem)
    if by == "server":
        yield problem.saved, before - after, "before, less what is sent, in one message"
    else:
        yield from _exchanged(problem, by)
        before = problem.reduced
        after = problem.gathered if by == "gathered" else problem.added
        fewer = "by which a worker receives less; below 0 it receives more"
        yield problem.saved, before - after, fewer
    encoding = problem.encode + problem.decode
    if problem.states("bandwidth"):
        link = problem.bandwidth
        moved = "one message, as it was" if by == "server" else "the ring all-reduce"
        yield problem.dense_time, before / link, f"{moved}: bytes over bandwidth"
        passed = problem.encode + after / link + problem.decode
        yield problem.sent_time, passed, EXCHANGES[by]
        yield problem.saved_time, problem.dense_time - problem.sent_time
    yield problem.break_even, _break_even(before - after, encoding, by)
    if by == "gathered":
        yield problem.most_workers, largest(2 * problem.dense / problem.sent, 1)


def _exchanged(problem: Any, by: str) -> Iterator[tuple[Any, Rule]]:
    """What a worker receives with whole gradients, and with compressed ones."""
    p = problem.workers
    yield problem.reduced, 2 * (p - 1) / p * problem.dense
    if by == "gathered":
        yield problem.gathered, (p - 1) * problem.sent
    else:
        yield problem.added, 2 * (p - 1) / p * problem.sent


def _break_even(saved: Expr, encoding: Expr, by: str) -> Expr:
    """The bandwidth at which *saved* bytes take the time of *encoding*; none if that is none."""
    one = "one message: " if by == "server" else ""
    quick = "encoding and decoding take no time, so it pays on every link"
    return cases(
        (Num(0), saved <= 0, f"{one}it saves no bytes, so it pays on none"),
        (NOTHING, encoding <= 0, f"{one}{quick}"),
        otherwise=saved / encoding,
        why=f"{one}{BALANCES[by]}, solved for W",
    )


def laws(problem: Any) -> Iterator[Law]:
    """What holds of these quantities in the shape of *problem*."""
    by = way(problem)
    if problem.states("bandwidth"):
        link, saved = problem.bandwidth, problem.saved_time
        yield Falls("dense_time", "bandwidth", "a faster link takes no longer")
        yield Falls("sent_time", "bandwidth", "a faster link takes no longer")
        yield Rises("sent_time", "encode", "encoding takes its time")
        even = problem.break_even
        yield Holds(saved >= 0, "up to the break-even it pays", when=link <= even)
        yield Holds(saved <= 0, "from the break-even on it does not", when=link >= even)
    if by == "server":
        return
    yield Rises("reduced", "workers", "more workers pass more parts")
    yield Holds(problem.reduced <= 2 * problem.dense, "a ring moves less than two gradients")
    swapped = same(problem.saved, problem.dense - problem.sent)
    yield Holds(swapped, "two workers swap one message", when=same(problem.workers, 2))
    if by == "gathered":
        yield Rises("gathered", "workers", "each worker sends one message more")
        p, most = problem.workers, problem.most_workers
        yield Holds(problem.saved <= 0, "beyond so many workers gathering loses", when=p >= most)
        yield Holds(problem.saved >= 0, "up to so many it saves bytes", when=p <= most)
    else:
        yield Rises("added", "workers", "more workers pass more parts")


def in_bytes(bits: Expr) -> Expr:
    """So many *bits*, as data."""
    return bits / BITS_PER_BYTE
