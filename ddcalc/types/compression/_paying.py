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
    floor,
    largest,
    same,
)
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.quantity import OneDerived, OneGiven, count, derived, duration, rate
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    First,
    Premise,
    Rewritten,
    Said,
    Sentence,
)

AGGREGATION = "how the gradients of the workers come together"
GATHERED = "every worker gathers the messages of all others"
SERVER = "one message is timed, as from a worker to a server"

EXCHANGES = {
    "server": "encoded, sent, decoded",
    "gathered": "encoded, gathered, decoded",
    "added": "encoded, added on the ring, decoded",
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
    return derived("S", "Bytes before", "8 bits are a byte", BYTE)


def received(letter: str = "r") -> tuple[OneDerived, OneDerived, OneDerived]:
    """The compression, by its *letter*, and what a worker receives of whole gradients and of
    messages that cannot be added (B)."""
    return (
        derived(letter, "Compression", "", better="more"),
        derived("S_ring", "Bytes that a worker receives with whole gradients", "", BYTE),
        derived(
            "S_gather", "Bytes that a worker receives with compressed ones",
            "from all others",
            BYTE, better="less",
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
        yield problem.most_workers, largest(2 * problem.dense / problem.sent, 1)


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


def conclusion(problem: Any) -> Iterator[Said]:
    """What becomes of a message, of an exchange between workers, and of its time."""
    yield First(
        Sentence(
            "A message takes {sent} instead of {dense}, a compression by a factor of {ratio}.",
            problem.sent < problem.dense,
        ),
        Sentence(
            "A message takes {sent}, no less than {dense} without compression: a factor of {ratio}."
        ),
    )
    by = way(problem)
    if by != "server":
        yield _received(problem, by)
    if problem.states("bandwidth"):
        yield _timed(problem, by)
    else:
        yield _paying_up_to(problem, by)


def _received(problem: Any, by: str) -> Said:
    after, how = (
        ("{gathered}", "gathering") if by == "gathered" else ("{added}", "adding on the ring")
    )
    whole = "by a ring all-reduce of whole gradients"
    return First(
        Sentence("A single worker exchanges nothing.", problem.workers <= 1),
        Sentence(
            f"By {how}, each of {{workers worker}} receives {after} instead of {{reduced}}"
            f" {whole}.",
            problem.saved > 0,
        ),
        Sentence(
            f"By {how}, each of {{workers worker}} receives {after}, no less than {{reduced}}"
            f" {whole}: nothing is saved.",
        ),
    )


def _timed(problem: Any, by: str) -> Said:
    link, time, some = "Over a link of {bandwidth}", problem.saved_time, _exchanging(problem, by)
    return First(
        Sentence(
            f"{link} that takes {{sent_time}} instead of {{dense_time}}: {{less}} less.",
            (*some, time > 0),
            less=problem.dense_time - problem.sent_time,
        ),
        Sentence(
            f"{link} it does not pay: {{sent_time}} with compression, {{dense_time}} without it.",
            (*some, time < 0),
        ),
        Sentence(f"{link} both take {{sent_time}}, so no time is saved.", some),
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


def _exchanging(problem: Any, by: str) -> tuple[Rel, ...]:
    """That bytes are moved at all, which a single worker does not."""
    return () if by == "server" else (problem.workers > 1,)


def insights(problem: Any) -> Iterator[Said]:
    """How far it pays: on which links, and between how many workers."""
    if way(problem) == "gathered":
        yield from _gathering(problem)
    coding = problem.encode + problem.decode
    if problem.states("bandwidth"):
        yield First(
            Sentence(
                "Only on links slower than {break_even} do the bytes saved outweigh encoding and"
                " decoding.",
                problem.break_even > 0,
            ),
            Sentence(
                "Encoding and decoding are free here; they may take up to {room}.",
                (problem.saved > 0, same(coding, 0)),
                room=problem.dense_time - problem.sent_time,
            ),
        )


def _gathering(problem: Any) -> Iterator[Said]:
    p, factor = problem.workers, 2 * problem.dense / problem.sent
    yield Sentence(
        "What a worker receives shrinks only by a factor of {left}: a ring adds gradients up on the"
        " way, gathering takes one message more for each worker.",
        (p > 2, problem.saved > 0),
        left=factor / p,
    )
    first = largest(floor(factor) + 1, 2)
    yield Sentence(
        "From {first worker} on, gathering moves more bytes than the ring, whose share for each"
        " stays below two whole gradients.",
        first=first,
    )


def crosschecks(problem: Any) -> Iterator[Crosscheck]:
    """An exchange by how often messages pass."""
    if way(problem) == "gathered":
        text = "a worker is left 2/p of a message's factor"
        left = same(2 * problem.ratio / problem.workers, problem.reduced / problem.gathered)
        yield Crosscheck(text, left, problem.workers > 1)


def _moved(problem: Any, by: str) -> tuple[Expr, Expr]:
    """What one receives without compression, and with it."""
    if by == "server":
        return problem.dense, problem.sent
    return problem.reduced, problem.gathered if by == "gathered" else problem.added


def premises(problem: Any) -> Iterator[Premise]:
    """What is taken for granted of links and of the training."""
    if way(problem) == "server":
        yield Premise("a link of its own, without latency", "overlap")
    else:
        yield Premise("equal links, busy both ways at once, without latency", "allreduce")
    yield Premise("nothing overlaps")
    yield Premise("as many training steps")


def arguments(problem: Any) -> Iterator[Argument]:
    """The bytes on a ring by its steps."""
    if way(problem) != "server":
        p, s = problem.workers, problem.dense
        steps = "p − 1 steps add chunks up, p − 1 hand sums round"
        yield Rewritten(problem.reduced, ((2 * (p - 1) * (s / p), steps),))
