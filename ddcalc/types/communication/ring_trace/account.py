"""What a ring all-reduce comes to, by name of quantity."""

from __future__ import annotations

from ddcalc.numbers.number import Number
from ddcalc.types.communication.ring_trace.costs import count
from ddcalc.types.communication.ring_trace.question import Question
from ddcalc.types.communication.ring_trace.ring import Ring

Found = dict[str, Number | tuple[Number, ...]]


def values(asked: Question) -> Found:
    """The reduced vector, and the counts; in bytes only where the size of a value is stated."""
    done = count(asked.route)
    found: Found = {
        "length": asked.length,
        "lengths": tuple(asked.route.lengths),
        "reduced": _reduced(asked),
        "reduce_steps": done.reduce,
        "share_steps": done.share,
        "sent": done.sent,
        "sent_mean": done.mean,
        "sent_most": max(done.sent),
        "waited": done.waited,
        "steps": done.steps,
    }
    if asked.element is not None:
        found["size"] = asked.length * asked.element
        found["bytes_mean"] = done.mean * asked.element
        found["bytes_most"] = max(done.sent) * asked.element
        found["bytes_waited"] = done.waited * asked.element
    return found


def _reduced(asked: Question) -> tuple[Number, ...]:
    """What the first process holds in the end; all hold the same."""
    ring = Ring(asked.vectors, asked.route, asked.op)
    for _ in ring.play():
        pass
    return tuple(value for part in ring.held[0] for value in part)
