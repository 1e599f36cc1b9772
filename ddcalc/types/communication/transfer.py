"""How long does it take to send a message?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, same
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations
from ddcalc.problem.quantity import count, derived, share
from ddcalc.problem.sentences import After, First, Premise, Said, Sentence
from ddcalc.types.communication._message import Message


class Transfer(Message):
    """How long does it take to send a message?

    Latencies of hops add up, but the bytes count only once: the message is cut so finely that it is
    on all hops at the same time. The first byte waits for the latency of every hop; the others
    stream in behind it at the bandwidth of a link.

    At one size latency and transfer take equally long: below it latency counts most, above it
    bandwidth (Hockney's n_1/2).

    How large a message must be to use 90 % of the bandwidth is found by ``--find size --where
    "share >= 90 %"``. A bucket of gradients that p workers average by a ring is sent in chunks of
    such a size, one for each worker.
    """

    answer = "time"
    keywords = (
        "network time; latency and bandwidth; alpha-beta model; time to send data; message over"
        " a link; ping"
    )
    terms = ("ring all-reduce", "overlap", "alpha-beta model")
    source = (
        "the alpha-beta model of Hockney, The communication challenge for MPP, Parallel Computing"
        " 20(3), 1994; 90 % of the bandwidth: an exercise of The Algebra of Distributed Training"
        " (ttsugriy), chapter on overlapping communication"
    )

    hops = count("x", "hops one after the other", default="1")

    first = derived(
        "t_lat", "Until the first byte arrives", "it passes one hop after the other", SECOND
    )
    transfer = derived("t_move", "Until the last byte has followed", "", SECOND)
    time = derived(
        "T", "The whole message", "all hops work at once, so its bytes count once", SECOND,
        better="less",
    )  # fmt: skip
    balance = derived(
        "n_half", "Half of the time is latency at", "what a link carries during the latency", BYTE,
        noun="size at which half of the time is latency",
    )  # fmt: skip
    share = share(
        "e", "Share of the bandwidth that is reached", "the link idles during the latency",
        better="more",
    )  # fmt: skip

    def laws(self) -> Iterator[Law]:
        yield Falls("time", "bandwidth", "the bytes follow each other faster")
        for name in ("size", "parameters", "latency", "hops"):
            yield Rises("time", name, "there is more to send, or to wait for")
        balanced = same(self.amount, self.balance)
        yield Holds(same(self.first, self.transfer), "so that size is defined", balanced)

    def conclusion(self) -> Iterator[Said]:
        yield First(
            Sentence("Without bytes and latency it takes no time.", same(self.time, 0)),
            Sentence("An empty message takes {time}: nothing but latency.", same(self.amount, 0)),
            Sentence(
                "The message takes {time}, all of it for its bytes: no latency is counted.",
                same(self.first, 0),
            ),
            "The message takes {time}: {first} until its first byte arrives, and {transfer} until"
            " the last one has followed.",
        )

    def insights(self) -> Iterator[Said]:
        several = self.amount > 0, self.first > 0
        slots: dict[str, Expr | After] = {
            "faster": After(self.time, bandwidth=2 * self.bandwidth),
            "prompter": After(self.time, latency=self.latency / 2),
            "carried": self.first * self.pace,
        }
        yield First(
            Sentence(
                "Bandwidth is the limit: twice the bandwidth gives {faster}, half the latency only"
                " {prompter}. Latency would be the larger part below {carried}, which is what can"
                " be sent until the first byte arrives.",
                (*several, self.transfer > self.first),
                **slots,
            ),
            Sentence(
                "Latency is the limit: half of it gives {prompter}, twice the bandwidth only"
                " {faster}. Bandwidth would be the limit above {carried}, which is what can be"
                " sent until the first byte arrives.",
                (*several, self.transfer < self.first),
                **slots,
            ),
            Sentence(
                "Latency and bytes take equally long: for smaller messages latency is the limit,"
                " for larger ones bandwidth.",
                several,
            ),
        )
        yield from self._of_bandwidth()

    def _of_bandwidth(self) -> Iterator[Said]:
        """How much of the bandwidth is reached, and what cutting the message up is worth."""
        several, carried = (self.amount > 0, self.first > 0), self.first * self.pace
        yield Sentence(
            "The message reaches {used %} of the bandwidth; 90 % takes {large}, whose bytes need 9"
            " times the latency of {first}.",
            several,
            used=self.transfer / self.time,
            large=9 * carried,
        )
        yield Sentence(
            "If every hop had to receive the whole message before passing it on, it would take"
            " {whole}: the bytes would count {hops} times.",
            (*several, self.hops > 1),
            whole=self.hops * (self.latency + self.transfer),
        )
        yield Sentence(
            "Without latency half of the message takes half of the time: cutting it up is free.",
            (same(self.first, 0), self.amount > 0),
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("the pieces are so small that a hop passes them on at once")
        yield Premise("all hops have the same latency and bandwidth")
        yield Premise("nothing else uses the links")

    def equations(self) -> Equations:
        yield from self.sending()
        yield self.first, self.hops * self.latency
        yield self.transfer, self.amount / self.pace
        yield self.time, self.first + self.transfer
        yield self.balance, self.first * self.pace
        share = cases((self.transfer / self.time, self.time > 0), otherwise=NOTHING)
        yield self.share, share
