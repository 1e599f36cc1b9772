"""How well does a measured speed-up scale?"""

from collections.abc import Iterator

from ddcalc.algebra import NOTHING, Expr, Num, Rel, cases, same
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import choice, count, derived, duration, number

KINDS = ("times", "speedups", "rates")


class Scaling(Problem):
    """How well does a measured speed-up scale?

    Runs on more and more processors were measured: their times, their speed-ups over one
    processor, or their rates (samples a second; any unit that is the same for all). Times and rates
    are compared with the first run, whatever it ran on; speed-ups are over one processor. The
    efficiency of a run is its speed-up for each processor.

    The serial fraction of each run is the one with which Amdahl's law (strong scaling) or
    Gustafson's (weak scaling) would give its speed-up. Where it stays the same from run to run,
    there is a serial part, and the speed-up of more processors can be predicted from the last run.
    Where it grows with the processors, something that grows with them takes
    the time: communication, waiting, uneven shares. Where it is negative, more processors do more
    than share the work, for example because the data fit into their caches.

    With strong scaling all runs do the same work. With weak scaling each processor brings work of
    its own, a batch for example, so that twice as many do twice as much. Rates say how much is
    done, so this matters for their serial fraction alone.
    """

    answer = "efficiency"
    group = "scaling and cost"
    terms = ("speed-up",)
    source = (
        "Karp and Flatt, Measuring Parallel Processor Performance, CACM 33(5), 1990: the serial"
        " fraction of each run, and what its growth tells; Gustafson, Reevaluating Amdahl's Law,"
        " CACM 31(5), 1988, for work that grows"
    )

    processors = count(
        "p", "processors of each run", many="list", of="run", example="2, 4, 8, 16"
    )  # fmt: skip
    times = duration(
        "t", "time of each run", many="list", of="run", above=0, optional=True
    )  # fmt: skip
    speedups = number(
        "S", "speed-up of each run over one processor", many="list", of="run", above=0,
        optional=True, example="1.8, 3.2, 5.5, 8",
    )  # fmt: skip
    rates = number(
        "r", "rate of each run", many="list", of="run", above=0, optional=True
    )  # fmt: skip
    ahead = count("n", "processors to predict the speed-up of", optional=True, example="32")

    work = choice(
        "the work of a run",
        same="all runs do the same work (strong scaling)",
        grows="the work grows in proportion to the processors (weak scaling)",
    )

    scales = derived(
        "q", "Processors over those of the first run", "a fair share", many="processors"
    )
    gains = derived("G", "Speed-up over the first run", "work in the same time", many="processors")
    efficiencies = derived(
        "epsilon", "Efficiency of each run", "speed-up over share", many="processors"
    )
    fractions = derived(
        "f", "Serial fraction of each run", "the law, solved for it", many="processors"
    )
    efficiency = derived("E", "Efficiency of the last run", "speed-up over share")
    fraction = derived("f_last", "Serial fraction of the last run", "compare it with the others")
    scale = derived("q_n", "The processors ahead over those of the first run", "a fair share")
    predicted = derived("G_n", "Speed-up predicted for them", "the law, with the last fraction")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield KINDS

    def conditions(self) -> Iterator[Condition]:
        for second in [name for name in KINDS if self.states(name)][1:]:
            never = Rel("<", Num(1), Num(0))
            yield Condition(never, second, "is one measurement too many; state one kind only")

    def equations(self) -> Equations:
        scales, gains = list(self.processors), self._gains()
        if not self.states("speedups"):
            yield self.scales, [each / self.processors[0] for each in self.processors]
            yield self.gains, gains, self._why()
            scales, gains = list(self.scales), list(self.gains)
        pairs = list(zip(gains, scales, strict=True))
        yield self.efficiencies, [gain / scale for gain, scale in pairs]
        yield self.fractions, [self._fraction(*pair) for pair in pairs], self._law()
        yield self.efficiency, gains[-1] / scales[-1], "the same as above"
        yield self.fraction, self.fractions[-1]
        if self.states("ahead"):
            yield from self._predicted(scales[-1])

    def _gains(self) -> list[Expr]:
        if self.states("speedups"):
            return list(self.speedups)
        if self.states("rates"):
            return [rate / self.rates[0] for rate in self.rates]
        if self.work == "same":
            return [self.times[0] / time for time in self.times]
        return [
            scale * self.times[0] / time
            for scale, time in zip(self.scales, self.times, strict=True)
        ]

    def _why(self) -> str:
        if self.states("rates"):
            return "so much more in the same time"
        return "the same work" if self.work == "same" else "so much more work"

    def _law(self) -> str:
        return f"{'Amdahl' if self.work == 'same' else 'Gustafson'}'s law, solved for it"

    def _predicted(self, last: Expr) -> Equations:
        scale = self.ahead
        if not self.states("speedups"):
            yield self.scale, self.ahead / self.processors[0]
            scale = self.scale
        rest = 1 - self.fraction
        law = self.fraction + rest * scale
        why = "Gustafson's law, with the last fraction"
        if self.work == "same":
            law = 1 / (self.fraction + rest / scale)
            why = "Amdahl's law, with the last fraction"
        alone = (
            NOTHING,
            same(last, 1),
            "the last run shares nothing, so nothing says how it goes on",
        )
        more = (
            NOTHING,
            self.fraction < 0,
            "the last run gains more than its share; no law says how",
        )
        yield self.predicted, cases(alone, more, otherwise=law, why=why)

    def _fraction(self, gain: Expr, scale: Expr) -> Expr:
        if self.work == "same":
            fraction = (1 / gain - 1 / scale) / (1 - 1 / scale)
        else:
            fraction = (scale - gain) / (scale - 1)
        return cases((NOTHING, same(scale, 1)), otherwise=fraction)
