"""What a route of a ring all-reduce costs: its steps, its messages, and the values sent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ddcalc.numbers.number import Number
from ddcalc.types.communication.ring_trace.route import Route


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted.

    *reduce* and *share* are the steps of the phases, *sent* the values that each process sends, and
    *waited* the longest message of each step, added up: a step lasts as long as that.
    """

    reduce: int
    share: int
    messages: int
    sent: tuple[int, ...]
    waited: int

    @property
    def steps(self) -> int:
        return self.reduce + self.share

    @property
    def mean(self) -> Number:
        """The values that a process sends on average."""
        return Fraction(sum(self.sent), len(self.sent))


def count(route: Route) -> Count:
    """Every message of *route* counted."""
    steps, sent = {"reduce": 0, "share": 0}, [0] * route.processes
    messages = waited = 0
    for each in route.rounds():
        steps[each.phase] += 1
        messages += len(each.hops)
        longest = 0
        for hop in each.hops:
            length = route.length(hop)
            sent[hop.sender - 1] += length
            longest = max(longest, length)
        waited += longest
    return Count(steps["reduce"], steps["share"], messages, tuple(sent), waited)
