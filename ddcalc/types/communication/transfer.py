"""How long does it take to send a message?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, cases, same
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations
from ddcalc.problem.quantity import count, derived, share
from ddcalc.types.communication._message import Message


class Transfer(Message):
    """How long does it take to send a message?

    The first byte is there after the latency of every hop; the others follow at the bandwidth. The
    message is cut small enough to be on all hops at once. At one size latency and transfer take
    equally long: below it latency counts most, above it bandwidth (Hockney's n_1/2).

    How large a message must be to use 90 % of the bandwidth is found by ``--find size --where
    "share >= 90 %"``. A bucket of gradients that p workers average by a ring is sent in chunks of
    such a size, one for each worker.
    """

    answer = "time"
    terms = ("ring all-reduce", "overlap")
    source = (
        "the alpha-beta model of Hockney, The communication challenge for MPP, Parallel Computing"
        " 20(3), 1994; 90 % of the bandwidth: an exercise of The Algebra of Distributed Training"
        " (ttsugriy), chapter on overlapping communication"
    )

    hops = count("x", "hops one after the other", default="1")

    first = derived("t_lat", "The first byte arrives", "after the latency of every hop", SECOND)
    transfer = derived("t_move", "Transfer", "size by bandwidth", SECOND)
    time = derived("T", "Time", "latency, then transfer", SECOND, better="less")
    balance = derived(
        "n_half", "Half of the time is latency at", "latency times bandwidth", BYTE,
        noun="size at which half of the time is latency",
    )  # fmt: skip
    share = share("e", "Share of the bandwidth that is reached", "transfer by time", better="more")

    def laws(self) -> Iterator[Law]:
        yield Falls("time", "bandwidth", "the bytes follow each other faster")
        for name in ("size", "parameters", "latency", "hops"):
            yield Rises("time", name, "there is more to send, or to wait for")
        balanced = same(self.amount, self.balance)
        yield Holds(same(self.first, self.transfer), "so that size is defined", balanced)

    def equations(self) -> Equations:
        yield from self.sending()
        yield self.first, self.hops * self.latency
        yield self.transfer, self.amount / self.pace
        yield self.time, self.first + self.transfer
        yield self.balance, self.first * self.pace
        share = cases((self.transfer / self.time, self.time > 0), otherwise=NOTHING)
        yield self.share, share
