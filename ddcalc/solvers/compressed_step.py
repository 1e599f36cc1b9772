"""How much faster is a step with compressed gradients?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.algebra import Expr, largest
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import choice, derived, duration, number
from ddcalc.units import SECOND


class CompressedStep(Problem):
    """How much faster is a step with compressed gradients?

    A step computes and exchanges gradients. Compression divides the time of the exchange by its
    ratio and adds the time to encode and decode. What is computed stays, so that even gradients of
    no bytes at all make a step faster by a limited factor only (Amdahl's law).

    The exchange is taken to be bound by bandwidth: latency is not divided. That a compressed step
    is worth as much as another one is not said here; see `quantize` and `sparsify` for the error.
    """

    answer = "speedup"
    group = "compression"
    terms = ("quantization", "sparsification")
    source = (
        "an exercise in The Algebra of Distributed Training (ttsugriy); Agarwal et al., On the"
        " Utility of Gradient Compression, MLSys 2022, arXiv:2103.00543, for steps whose exchange"
        " overlaps with computation"
    )

    compute = duration("t_comp", "computation of a step", group="computation", example="100 ms")
    exchange = duration("t_comm", "exchange of whole gradients", group="exchange", example="315 ms")
    ratio = number("c", "compression, so many times fewer bytes", above=0, example="10")
    overhead = duration("t_code", "time to encode and decode", default="0 s", group="encoding")

    overlap = choice(
        "whether computation and exchange overlap",
        none="the exchange begins when all is computed",
        full="the exchange runs beside the computation all the time",
    )

    compressed = derived("t_small", "Exchange of compressed gradients", "fewer bytes", SECOND)
    before = derived("T_before", "A step with whole gradients", "", SECOND)
    after = derived("T_after", "A step with compressed gradients", "", SECOND)
    saved = derived("T_saved", "Time saved in a step", "it pays if this is more than 0", SECOND)
    limit = derived(
        "x_max", "Speed-up if nothing were exchanged", "computation and encoding are left"
    )
    speedup = derived("x", "Speed-up of a step", "the time before over the time after")

    def conditions(self) -> Iterator[Condition]:
        positive = self.compute + self.overhead > 0
        yield Condition(positive, "compute", "leaves a step of no time; computing takes some")

    def equations(self) -> Equations:
        why = "one after the other" if self.overlap == "none" else "the longer of both"
        yield self.compressed, self.exchange / self.ratio
        yield self.before, self._step(self.compute, self.exchange), why
        busy = self.compute + self.overhead
        told = f"{why}; the device encodes"
        yield self.after, self._step(busy, self.compressed), told
        yield self.saved, self.before - self.after
        yield self.limit, self.before / busy
        yield self.speedup, self.before / self.after

    def _step(self, computing: Expr, sending: Expr) -> Expr:
        return computing + sending if self.overlap == "none" else largest(computing, sending)
