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

from ddcalc.formula.algebra import (
    BITS_PER_BYTE,
    NOTHING,
    Expr,
    Num,
    Rel,
    Rule,
    cases,
    ceiling,
    largest,
    same,
    sqrt,
)
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.quantity import OneDerived, OneGiven, count, derived, duration, facts, rate
from ddcalc.problem.sentences import (
    Argument,
    Equated,
    First,
    Premise,
    Rewritten,
    Said,
    Sentence,
)

AGGREGATION = "how the gradients of the workers come together"
GATHERED = "every worker gathers the messages of all others"
SERVER = "one message is timed, as from a worker to a server"

CLOSE = 2000  # of a time, one part or less apart: two times so near may be rounded alike

EXCHANGES = {
    "server": "encoded, sent, decoded",
    "gathered": "encoded, gathered, decoded",
    "added": "encoded, added on the ring, decoded",
}


def full() -> OneGiven:
    """What a value takes before."""
    return count("f", "bits of a value without compression", default="32")


def workers(least: int = 1) -> OneGiven:
    """Who exchange gradients; without them one message is timed."""
    return count("p", "workers that exchange gradients", optional=True, least=least)


def link() -> tuple[OneGiven, OneGiven, OneGiven]:
    """The link, if times are asked for, and the times to encode and to decode."""
    return (
        rate(
            "W",
            "bandwidth of a link",
            optional=True,
            example="10 Gbit/s",
            filled_by=facts("link.bandwidth"),
        ),
        duration("t_enc", "time to encode", default="0 s", group="encoding"),
        duration("t_dec", "time to decode all that is received", default="0 s", group="encoding"),
    )


def dense() -> OneDerived:
    """What a message has without compression (B)."""
    return derived("S", "The whole gradient", "8 bits are a byte", BYTE)


def received() -> tuple[OneDerived, OneDerived, OneDerived]:
    """The compression, and what a worker receives of whole gradients and of messages that cannot be
    added (B)."""
    return (
        derived("r", "Compression", "", better="more"),
        derived("S_ring", "Each worker receives without compression, on a ring", "", BYTE),
        derived(
            "S_gather", "Each worker receives with compression, by gathering",
            "one message from each other",
            BYTE, better="less",
        ),
    )  # fmt: skip


def added(why: str) -> OneDerived:
    """What a worker receives of messages that are added on the way (B)."""
    title = "Each worker receives with compression, on a ring"
    return derived("S_add", title, why, BYTE, better="less")


def savings() -> tuple[OneDerived, OneDerived, OneDerived, OneDerived]:
    """Bytes that a worker need not receive, fewer than none where it loses (B); the times without
    compression and with it, and how much less that is (s)."""
    return (
        derived("S_saved", "Bytes saved", "", BYTE, better="more"),
        derived("t_before", "Time without compression", "", SECOND, better="less"),
        derived("t_after", "Time with compression", "", SECOND, better="less"),
        derived("t_saved", "Time saved", "", SECOND, better="more"),
    )


def limits() -> tuple[OneDerived, OneDerived]:
    """The bandwidth at which both take as long (B/s), and how many workers gather as many bytes as
    a ring moves."""
    return (
        derived(
            "W_eq", "It pays on every link slower than", "bytes saved take as long as coding",
            BYTE_PER_SECOND, noun="bandwidth up to which it pays",
        ),
        derived(
            "p_eq", "Number of workers with equally many bytes either way", "",
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
        yield problem.saved, before - after, ""
    else:
        yield from _exchanged(problem, by)
        before = problem.reduced
        after = problem.gathered if by == "gathered" else problem.added
        yield problem.saved, before - after, "below 0 a worker receives more than before"
    encoding = problem.encode + problem.decode
    if problem.states("bandwidth"):
        link = problem.bandwidth
        moved = "" if by == "server" else "all links work at once"
        yield problem.dense_time, before / link, moved
        passed = problem.encode + after / link + problem.decode
        yield problem.sent_time, passed, EXCHANGES[by]
        yield problem.saved_time, problem.dense_time - problem.sent_time
    yield problem.break_even, _break_even(before - after, encoding)
    if by == "gathered":
        most = 2 * problem.dense / problem.sent
        one = "one worker has nobody to gather from"
        yield problem.most_workers, cases((most, most >= 1), otherwise=Num(1), why=one)


def _exchanged(problem: Any, by: str) -> Iterator[tuple[Any, Rule]]:
    """What a worker receives with whole gradients, and with compressed ones."""
    p = problem.workers
    yield problem.reduced, 2 * (p - 1) / p * problem.dense
    if by == "gathered":
        yield problem.gathered, (p - 1) * problem.sent
    else:
        yield problem.added, 2 * (p - 1) / p * problem.sent


def _break_even(saved: Expr, encoding: Expr) -> Expr:
    """The bandwidth at which *saved* bytes take the time of *encoding*; none if that is none."""
    quick = "encoding and decoding take no time, so it pays on every link"
    return cases(
        (Num(0), saved <= 0, "it saves no bytes, so it pays on none"),
        (NOTHING, encoding <= 0, quick),
        otherwise=saved / encoding,
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


# What is said of it

GATHERING = (
    " every worker has to receive those of all others, so the bytes grow with the workers. A ring"
    " all-reduce of whole gradients adds on the way: each worker receives less than twice a"
    " gradient, however many workers there are."
)


def conclusion(problem: Any) -> Iterator[Said]:
    """Whether it is worth it, what becomes of a message, and between how many workers it pays."""
    by = way(problem)
    if problem.states("bandwidth"):
        yield _timed(problem, by)
    yield First(
        Sentence(
            "A message shrinks from {dense} to {sent}, by a factor of {ratio}.",
            problem.sent < problem.dense,
        ),
        Sentence("A message takes {sent}, no less than {dense} without compression."),
    )
    if by != "server":
        yield _received(problem, by)
    if not problem.states("bandwidth"):
        yield _paying_up_to(problem, by)
    if by == "gathered":
        yield _crowded(problem)


def _received(problem: Any, by: str) -> Said:
    if by == "gathered":
        less = "receives {gathered} by gathering, {that} {reduced} of whole gradients on a ring"
    else:
        less = "receives {added} on the ring, {that} {reduced}"
    alone = "One worker alone exchanges nothing."
    if problem.states("bandwidth"):
        alone = ""
    instead, not_less = less.replace("{that}", "instead of"), less.replace("{that}", "no less than")
    return First(
        *([Sentence(alone, problem.workers <= 1)] if alone else []),
        Sentence(
            f"Each of {{workers worker}} {instead}, {{less %}} less.",
            problem.saved > 0,
            less=1 - _moved(problem, by)[1] / problem.reduced,
        ),
        Sentence(
            f"Each of {{workers worker}} {not_less}.",
            problem.workers > 1,
        ),
    )


def _timed(problem: Any, by: str) -> Said:
    time, some = problem.saved_time, _exchanging(problem, by)
    what = "sending the gradient" if by == "server" else "an exchange"
    saved = problem.dense_time - problem.sent_time
    alone = "No, it is not worth it: one worker alone exchanges nothing."
    return First(
        *([] if by == "server" else [Sentence(alone, problem.workers <= 1)]),
        Sentence(
            f"Yes, it is worth it: {what} takes {{sent_time}} instead of {{dense_time}},"
            " {less} ({part %}) less.",
            (*some, time > 0),
            less=saved,
            part=saved / problem.dense_time,
        ),
        Sentence(
            f"No, it is not worth it: {what} takes {{more}} longer with compression than the"
            " {dense_time} without.",
            (*some, time < 0, CLOSE * -saved < problem.dense_time),
            more=-saved,
        ),
        Sentence(
            f"No, it is not worth it: {what} takes {{sent_time}} with compression and only"
            " {dense_time} without.",
            (*some, time < 0),
        ),
        Sentence(f"It makes no difference: {what} takes {{sent_time}} with or without.", some),
    )


def _paying_up_to(problem: Any, by: str) -> Said:
    some = _exchanging(problem, by)
    return First(
        Sentence(
            "It saves time on every link slower than {break_even}.",
            (*some, problem.break_even > 0),
        ),
        Sentence("It saves time on no link.", (*some, problem.saved <= 0)),
    )


def _crowded(problem: Any) -> Said:
    """From how many workers on gathering saves no bytes, and from how many on no time."""
    bytes_from = largest(ceiling(problem.most_workers), 2)
    on = "From {first worker} on it would not even save bytes"
    barely = Sentence("From {first worker} on it saves no bytes.", first=bytes_from)
    if not problem.states("bandwidth"):
        return barely
    time_from, coding = _time_from(problem), problem.encode + problem.decode
    return First(
        Sentence(
            f"{on}; no time is saved from {{sooner}} on, where it takes {{there}} and a ring"
            " {ring}.",
            (problem.saved_time > 0, time_from < bytes_from),
            first=bytes_from,
            sooner=time_from,
            there=coding + (time_from - 1) * problem.sent / problem.bandwidth,
            ring=2 * (time_from - 1) / time_from * problem.dense / problem.bandwidth,
        ),
        Sentence(f"{on}.", problem.workers < bytes_from, first=bytes_from),
        barely,
    )


def _time_from(problem: Any) -> Expr:
    """The first number of workers, above those that do, with which gathering saves no time.

    Times p, the time saved is −S_c·p² + (2·S + S_c − C)·p − 2·S over W, where coding takes as long
    as C bytes: above 0 between its two roots, so never from the larger one on. Its product with the
    smaller one is 2·S/S_c, and what is under the root is a square less 8·S·S_c.
    """
    coding = problem.encode + problem.decode
    middle = 2 * problem.dense + problem.sent - coding * problem.bandwidth
    root = sqrt(middle**2 - 8 * problem.dense * problem.sent)
    return ceiling((middle + root) / (2 * problem.sent))


def _exchanging(problem: Any, by: str) -> tuple[Rel, ...]:
    """That bytes are moved at all, which a single worker does not."""
    return () if by == "server" else (problem.workers > 1,)


def insights(problem: Any) -> Iterator[Said]:
    """What eats the saving, how far it pays, and what another reading of the times would give."""
    by = way(problem)
    if not problem.states("bandwidth"):
        if by == "gathered":
            yield from _gathering(problem)
        return
    coding, link = problem.encode + problem.decode, problem.bandwidth
    before, after = _moved(problem, by)
    where = "the link" if by == "server" else "the links"
    slots: dict[str, Any] = {
        "gained": (before - after) / link,
        "coding": coding,
        "even": (before - after) / coding,
    }
    yield First(
        Sentence(
            f"On {where} {{gained}} is saved, of which encoding and decoding take {{coding}} back;"
            " on links of {even} or more nothing would be saved.",
            (problem.saved_time > 0, coding > 0),
            **slots,
        ),
        Sentence(
            f"Encoding and decoding take {{coding}}, and on {where} only {{gained}} is saved; it"
            " would pay on links slower than {even}.",
            (problem.saved > 0, problem.saved_time < 0),
            **slots,
        ),
        Sentence(
            "Encoding and decoding are free here; they may take up to {room}.",
            (problem.saved > 0, same(coding, 0)),
            room=problem.dense_time - problem.sent_time,
        ),
    )
    if by == "gathered":
        yield _for_every_message(problem)


def _for_every_message(problem: Any) -> Said:
    """What it would be if the time to decode were that of one message."""
    slow = problem.sent_time + (problem.workers - 2) * problem.decode
    reading = "If {decode} were for decoding each of the {others} messages, it would take {slow}"
    slots: dict[str, Any] = {"others": problem.workers - 1, "slow": slow}
    some = problem.workers > 2, problem.decode > 0, problem.saved_time > 0
    return First(
        Sentence(f"{reading} and not be worth it.", (*some, slow >= problem.dense_time), **slots),
        Sentence(f"{reading} and still be worth it.", some, **slots),
    )


def _gathering(problem: Any) -> Iterator[Said]:
    p = problem.workers
    yield Sentence(
        "Gathering brings {others} of these messages, where a ring moves only {vectors} whole"
        " gradients, as it adds on the way.",
        (p > 2, problem.saved > 0),
        others=p - 1,
        vectors=2 * (p - 1) / p,
    )


def _moved(problem: Any, by: str) -> tuple[Expr, Expr]:
    """What one receives without compression, and with it."""
    if by == "server":
        return problem.dense, problem.sent
    return problem.reduced, problem.gathered if by == "gathered" else problem.added


def premises(problem: Any) -> Iterator[Premise]:
    """What is taken for granted of links and of the training."""
    if problem.states("bandwidth") or problem.states_any("encode", "decode"):
        yield Premise("nothing overlaps: sending begins after the last value is encoded")
    if way(problem) == "server":
        yield Premise("a link of its own; latency is neglected", "overlap")
    else:
        yield Premise("equal links, busy both ways at once; latency is neglected", "allreduce")
    yield Premise("training takes as many steps as without compression")


def arguments(problem: Any) -> Iterator[Argument]:
    """The bytes on a ring by its steps, and where gathering moves as many."""
    if way(problem) == "gathered":
        most = problem.most_workers
        gathered, ring = (most - 1) * problem.sent, 2 * (most - 1) / most * problem.dense
        yield Equated(most, same(gathered, ring), "as many bytes either way")
    if way(problem) != "server":
        p, s = problem.workers, problem.dense
        steps = "p − 1 steps add chunks up, p − 1 hand sums round"
        yield Rewritten(problem.reduced, ((2 * (p - 1) * (s / p), steps),))
