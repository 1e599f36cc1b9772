"""How many times as fast are p processors as one?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Least,
    cases,
    ceiling_log2,
    largest,
    least_with_product,
    same,
    sqrt,
)
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, elapsed, number, share


class Speedup(Problem):
    """How many times as fast are p processors as one?

    A part of the work is serial: only one processor can do it. The rest is shared equally. Amdahl
    keeps the work as it is, so the serial part bounds the speed-up, however many processors there
    are. Gustafson lets the shared part grow with the processors, so that the time stays the same
    and more work is done in it: the speed-up then grows without bound.

    The serial fraction is part of the time that one processor takes for the work as it is before
    it grows. It is stated, or found from a speed-up that was measured. Where both are stated, what
    was measured is compared with it: a larger fraction means that something else (communication,
    waiting, uneven shares) takes time as well.

    Communication is a time that comes on top and that no processor shares; with it, state the time
    of one processor, which has nobody to talk to. It may be the same for any number of processors,
    or the time that each of them adds, or that of one level of a tree over all of them. Where it
    grows with the processors, more of them pay up to some number only while the work stays as it
    is. Where the work grows too, the speed-up tends to a limit if each of them adds its time, and
    has none with a tree.

    How well a whole series of measurements scales is asked by ``ddcalc scaling``; on how many
    workers a batch is best split, where each of them adds to the communication, by ``ddcalc
    split-batch``; what is gained by communicating while computing by ``ddcalc overlap`` and, with
    gradient buckets, by ``ddcalc buckets``.
    """

    answer = "speedup"
    terms = ("speed-up",)
    source = (
        "Amdahl, Validity of the single processor approach, AFIPS 1967 (the argument; it prints no"
        " formula); Gustafson, Reevaluating Amdahl's Law, CACM 31(5), 1988 (scaled speed-up); Karp"
        " and Flatt, Measuring Parallel Processor Performance, CACM 33(5), 1990 (the serial"
        " fraction from a measured speed-up)"
    )

    processors = count("p", "processors", example="8")
    serial = number(
        "f", "part of the work that is serial", least=0, most=1, optional=True, example="0.1"
    )
    measured = number("S_q", "speed-up that was measured", least=1, optional=True)
    measured_on = count("q", "processors on which it was measured", least=2, optional=True)
    one = duration("T_1", "time that one processor takes", above=0, optional=True)
    communication = duration("t_comm", "communication, which comes on top", optional=True)

    law = choice(
        "what more processors are for",
        amdahl="the work stays as it is (strong scaling)",
        gustafson="the shared work grows with the processors (weak scaling)",
    )

    growth = choice(
        "how communication grows",
        constant="communication takes as long with any number of processors",
        each="each processor adds as much communication",
        tree="each level of a tree over the processors adds as much communication",
    )

    experimental = derived(
        "e", "Serial fraction that explains the measured speed-up", "the law, solved for it"
    )
    ideal = derived("S_id", "Speed-up without communication", "the law", better="more")
    work = derived(
        "T_work", "What one processor would take for the grown work", "it does each share", SECOND
    )
    computing = derived(
        "T_c", "Computation on p processors", "one processor's time over the speed-up", SECOND
    )
    overhead = derived("t_ov", "Communication on p processors", "it adds up", SECOND)
    time = elapsed("T_p", "Time on p processors", "with what comes on top")
    speedup = derived("S", "Speed-up", "the law, with all that takes time", better="more")
    optimum = derived(
        "p_opt",
        "The minimum of the time, in parts of a processor",
        "there one more saves as much as it adds; at least one",
    )
    best = derived(
        "p_best",
        "The best whole number of processors",
        "the first from which one more is no gain; the second one saves half of what is shared and"
        " adds t_comm twice",
    )
    soonest = elapsed("T_best", "Time on them", "no number is sooner done")
    efficiency = share("E", "Efficiency", "speed-up for each processor", better="more")
    limit = derived(
        "S_max", "Limit of the speed-up", "what is shared takes no time in the end", better="more"
    )

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "serial", "measured"
        if self.states("measured"):
            yield ("measured_on",)
        if self.states("measured_on"):
            yield ("measured",)
        if self.states("communication"):
            yield ("one",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("measured") and not self.states("serial"):
            message = (
                "is more than {measured_on processor} can give by sharing the work, so no serial"
                " part explains it; state the serial part"
            )
            yield Condition(self.measured <= self.measured_on, "measured", message)

    def laws(self) -> Iterator[Law]:
        one = same(self.processors, 1)
        yield Holds(same(self.speedup, 1), "one processor is as fast as itself", when=one)
        yield Holds(self.speedup <= self.processors, "each adds no more than itself")
        if not self.states("measured"):
            yield Falls("speedup", "serial", "what is serial is not shared")
        if self.states("communication"):
            yield Falls("speedup", "communication", "it comes on top")
        else:
            yield Rises("speedup", "processors", "more share the same")
        if self.law == "amdahl" and (self.growth == "constant" or not self.states("communication")):
            yield Holds(self.speedup <= self.limit, "it is a limit", when=self.processors > 1)
        if self.law == "amdahl" and self.states("communication") and self.growth == "each":
            yield Holds(self.soonest <= self.time, "the best number is no slower than another")

    def equations(self) -> Equations:
        if self.states("measured"):
            why = "Karp and Flatt: " if self.law == "amdahl" else ""
            yield self.experimental, self._explained(), f"{why}the law, solved for it"
        fraction = self.serial if self.states("serial") else self.experimental
        yield from self._amdahl(fraction) if self.law == "amdahl" else self._gustafson(fraction)
        yield self.efficiency, self.speedup / self.processors

    def _explained(self) -> Expr:
        """The law at the measured speed-up, solved for the serial fraction."""
        if self.law == "amdahl":
            return (1 / self.measured - 1 / self.measured_on) / (1 - 1 / self.measured_on)
        return (self.measured_on - self.measured) / (self.measured_on - 1)

    def _amdahl(self, fraction: Expr) -> Equations:
        """The work stays as it is."""
        law = 1 / (fraction + (1 - fraction) / self.processors)
        why = "the serial part takes its time, the rest is shared"
        if self.states("communication"):
            yield self.ideal, law, why
            yield self.computing, self.one / self.ideal
            yield from self._with_overhead(self.one)
            if self.growth == "constant":
                yield self.limit, _bounded(self.one, fraction * self.one + self.communication)
            elif self.growth == "each":
                yield from self._best(fraction)
            return
        yield self.speedup, law, why
        if self.states("one"):
            yield self.time, self.one / self.speedup, "one processor's time over the speed-up"
        yield self.limit, _bounded(1, fraction)

    def _gustafson(self, fraction: Expr) -> Equations:
        """The shared part of the work grows with the processors."""
        law = fraction + (1 - fraction) * self.processors
        why = "in the same time, one serial part and p shared ones are done"
        if self.states("communication"):
            yield self.ideal, law, why
            yield self.work, self.one * self.ideal
            yield self.computing, self.one, "the work grows, the time does not"
            yield from self._with_overhead(self.work)
            if self.growth == "each":
                bound = _bounded((1 - fraction) * self.one, self.communication)
                yield self.limit, bound, "in the end the time grows as the work does"
            return
        yield self.speedup, law, why
        if self.states("one"):
            yield self.time, self.one, "the work grows, the time does not"
            yield self.work, self.one * self.speedup

    def _with_overhead(self, work: Expr) -> Equations:
        """The time with communication, and how many times as fast the *work* is then done."""
        yield self.overhead, self._sent(self.processors)
        yield self.time, self.computing + self.overhead, "communication on top"
        yield self.speedup, work / self.time, "one processor's time over it"

    def _sent(self, processors: Expr) -> Expr:
        """The communication of that many *processors*."""
        if self.growth == "tree":
            return ceiling_log2(processors) * self.communication
        every, why = self.communication, "the same for any number"
        if self.growth == "each":
            every, why = processors * self.communication, "each adds as much"
        alone = "one processor has nobody to talk to"
        return cases((0, same(processors, 1), alone), otherwise=every, why=why)

    def _best(self, fraction: Expr) -> Equations:
        """The processors on which the same work is soonest done, where each adds as much."""
        shared, added = (1 - fraction) * self.one, self.communication
        free = (NOTHING, same(added, 0), "nothing is added, so more never take longer")
        yield self.optimum, cases(free, otherwise=sqrt(largest(1, shared / added)))
        # one more gains shared/(p(p + 1)) and costs what is added; the second costs it twice
        relation = added * largest(self.best * (self.best + 1), 4) >= shared
        least = cases(free, otherwise=least_with_product(shared, added))
        yield self.best, Least(relation, least, first="one processor is soonest done")
        time = fraction * self.one + shared / self.best + self._sent(self.best)
        yield self.soonest, cases(free, otherwise=time)


def _bounded(work: Expr | int, rest: Expr) -> Expr:
    """*work* over the *rest* that cannot be shared; nothing where there is no such rest."""
    why = "nothing is left that is not shared, so there is no limit"
    return cases((NOTHING, same(rest, 0), why), otherwise=work / rest)
