"""How much faster is a step with compressed gradients?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Eq, Expr, Num, cases, largest, same
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, derived, duration, number
from ddcalc.types.compression import _paying as paying

GATHERING = "p − 1 messages are gathered: p/2 times the bytes of a ring that adds them"


class CompressedStep(Problem):
    """How much faster is a step with compressed gradients?

    A step computes and exchanges gradients. Compression divides the time of the exchange by its
    ratio and adds the time to encode and decode. Latency, which is stated besides, is not divided.
    What is computed stays, so that even gradients of no bytes at all make a step faster by a
    limited factor only (Amdahl's law).

    That holds for one message, and where compressed gradients are added on the way as whole ones
    are (PowerSGD). Signs, top-k and QSGD do not add up: with `--workers` every worker gathers the
    messages of all others, p − 1 whole ones, where a ring all-reduce passes 2(p − 1) parts of p.
    That is p/2 times the bytes of a ring that adds them, in half as many rounds, and with many
    workers the exchange is slower than without compression. The exchange of whole gradients is
    taken to be such a ring.

    That a compressed step is worth as much as another one is not said here; see `quantize` and
    `sparsify` for the error.
    """

    answer = "speedup"
    terms = ("quantization", "sparsification")
    source = (
        "an exercise in The Algebra of Distributed Training (ttsugriy); Agarwal et al., On the"
        " Utility of Gradient Compression, MLSys 2022, arXiv:2103.00543, for steps whose exchange"
        " overlaps with computation, and for compression that does not pay; ring all-reduce:"
        " Patarasuk and Yuan, Journal of Parallel and Distributed Computing 69(2), 2009"
    )

    compute = duration("t_comp", "computation of a step", group="computation", example="100 ms")
    exchange = duration("t_comm", "exchange of whole gradients", group="exchange", example="315 ms")
    latency = duration("t_lat", "latency of the exchange, besides", optional=True,
        group="exchange")  # fmt: skip
    ratio = number("c", "compression: how many times fewer bytes", above=0, example="10")
    workers = paying.workers(least=2)
    overhead = duration("t_code", "time to encode and decode", default="0 s", group="encoding")

    overlap = choice(
        "whether computation and exchange overlap",
        none="the exchange begins when all is computed",
        full="the exchange runs beside the computation all the time",
    )
    aggregation = choice(
        paying.AGGREGATION,
        gathered=paying.GATHERED,
        added="compressed gradients are added on the way, as whole ones are",
    )

    compressed = derived("t_small", "Exchange of compressed gradients", "", SECOND, better="less")
    before = derived("T_before", "A step with whole gradients", "", SECOND)
    after = derived("T_after", "A step with compressed gradients", "", SECOND, better="less")
    saved = derived(
        "T_saved", "Time saved in a step", "it pays if this is more than 0", SECOND, better="more"
    )
    most_workers = derived(
        "p_eq", "Gathering loses with more workers than", "",
        noun="workers beyond which gathering loses", least=0,
    )  # fmt: skip
    limit = derived(
        "x_max", "Speed-up if nothing were exchanged", "computation and encoding are left"
    )
    speedup = derived("x", "Speed-up of a step", "the time before over the time after",
        least=0, better="more")  # fmt: skip

    def conditions(self) -> Iterator[Condition]:
        positive = self.compute + self.overhead + self._whole > 0
        yield Condition(positive, "compute", "leaves a step of no time; state what takes some")

    def laws(self) -> Iterator[Law]:
        takes_time = self.compute + self.overhead > 0
        yield Holds(self.speedup <= self.limit, "what is computed stays", when=takes_time)
        yield Rises("after", "overhead", "encoding takes its time")
        if not self._gathers:
            yield Falls("after", "ratio", "fewer bytes take no longer")
            return
        yield Rises("after", "workers", "each worker gathers one message more")
        beyond = self.workers >= self.most_workers
        yield Holds(self.saved <= 0, "beyond so many workers gathering loses", when=beyond)

    def equations(self) -> Equations:
        why = "one after the other" if self.overlap == "none" else "the longer of both"
        yield from self._exchange()
        yield self.before, self._step(self.compute, self._whole), why
        busy = self.compute + self.overhead
        yield self.after, self._step(busy, self.compressed), f"{why}; the device encodes"
        yield self.saved, self.before - self.after
        if self._gathers:
            yield from self._most()
        free = "nothing is computed or encoded"
        yield self.limit, cases((self.before / busy, busy > 0), otherwise=NOTHING, why=free)
        yield self.speedup, self.before / self.after

    @property
    def _gathers(self) -> bool:
        return self.states("workers") and self.aggregation == "gathered"

    @property
    def _whole(self) -> Expr:
        """The exchange of whole gradients."""
        time: Expr = self.exchange
        return self.latency + time if self.states("latency") else time

    def _exchange(self) -> Equations:
        time, why = self.exchange / self.ratio, "fewer bytes, of one message or of a sum"
        if self._gathers:
            time, why = self.workers * self.exchange / (2 * self.ratio), GATHERING
        if self.states("latency"):
            time = (self.latency / 2 if self._gathers else self.latency) + time
            why += ", in half the rounds" if self._gathers else "; the latency stays"
        yield self.compressed, time, why

    def _most(self) -> Equations:
        """The workers with whom the exchange leaves no time that is saved."""
        half = self.latency / 2 if self.states("latency") else None
        if self.overlap == "none":
            why = "beyond that gathering and encoding take longer than the exchange before"
            whole = self.exchange if half is None else self.exchange + half
            most = Eq(
                self.most_workers * self.exchange,
                2 * self.ratio * largest(whole - self.overhead, 0),
            )
            yield self.most_workers, most, why
            return
        left = self.before if half is None else self.before - half
        yield (
            self.most_workers,
            cases(
                (
                    Num(0),
                    self.compute + self.overhead > self.before,
                    "with encoding it always loses",
                ),
                (NOTHING, same(self.exchange, 0), "nothing is exchanged"),
                otherwise=2 * self.ratio * left / self.exchange,
                why="beyond that t_small alone is longer than a step before",
            ),
        )

    def _step(self, computing: Expr, sending: Expr) -> Expr:
        return computing + sending if self.overlap == "none" else largest(computing, sending)
