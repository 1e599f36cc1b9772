"""A law of speed-ups: what p processors take for work of which a part is serial."""

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Num,
    cases,
    ceiling,
    ceiling_log2,
    floor,
    same,
    sqrt,
)
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, elapsed, number, share

ALONE = "one processor has nobody to talk to"
LEVELS = "of so many levels the largest number; one level more would save no more than it adds"
NEIGHBOURS = "of the two whole numbers beside it, the one with less time"


class Processors(Problem):
    """What p processors take for work, some of it serial, and for communication on top."""

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
        also="strong amdahl weak gustafson",
    )

    growth = choice(
        "how communication grows",
        constant="communication takes the same time with any number of processors",
        each="every processor adds the same time of communication",
        tree="every level of a tree over the processors adds the same time of communication",
    )

    experimental = derived("e", "Serial fraction that explains the measured speed-up", "")
    ideal = derived("S_id", "Speed-up without communication", "", better="more")
    work = derived("T_work", "What one processor would take for the grown work", "", SECOND)
    shared = derived("T_sh", "What can be shared, on one processor", "", SECOND)
    computing = derived("T_c", "Computation on p processors", "", SECOND)
    overhead = derived("t_ov", "Communication on p processors", "", SECOND)
    time = elapsed("T_p", "Time on p processors", "")
    speedup = derived("S", "Speed-up", "", better="more")
    optimum = derived("p_opt", "Processors for the least time, if they could be divided", "")
    best = derived("p_best", "The best whole number of processors", "")
    soonest = elapsed("T_best", "Time with the best number", "")
    efficiency = share("E", "Efficiency: the speed-up for each processor", "", better="more")
    limit = derived("S_max", "Limit of the speed-up", "", better="more")

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
        if self.law == "amdahl" and self.states("communication") and self.growth != "constant":
            yield Holds(self.soonest <= self.time, "the best number is no slower than another")

    @property
    def _fraction(self) -> Expr:
        """The serial fraction: stated, else found."""
        return self.serial if self.states("serial") else self.experimental

    @property
    def _shared(self) -> Expr:
        """What one processor takes for the part that can be shared."""
        return (1 - self._fraction) * self.one

    def _law(self, fraction: Expr, processors: Expr) -> Expr:
        """The speed-up of so many *processors*, without communication."""
        if self.law == "amdahl":
            return 1 / (fraction + (1 - fraction) / processors)
        return fraction + (1 - fraction) * processors

    def _by_law(self, processors: Expr) -> Expr:
        return self._law(self._fraction, processors)

    def equations(self) -> Equations:
        if self.states("measured"):
            yield self.experimental, self._explained()
        yield from self._amdahl() if self.law == "amdahl" else self._gustafson()
        yield self.efficiency, self.speedup / self.processors

    def _explained(self) -> Expr:
        """The law at the measured speed-up, solved for the serial fraction."""
        if self.law == "amdahl":
            return (1 / self.measured - 1 / self.measured_on) / (1 - 1 / self.measured_on)
        return (self.measured_on - self.measured) / (self.measured_on - 1)

    def _amdahl(self) -> Equations:
        """The work stays as it is."""
        fraction, law = self._fraction, self._by_law(self.processors)
        why = "of one processor's time the serial part stays, the rest is divided by p"
        if self.states("communication"):
            yield self.ideal, law, why
            shared = self._shared
            if self.growth == "each":
                yield self.shared, shared
                shared = self.shared
            parts = fraction * self.one + shared / self.processors
            yield self.computing, parts
            yield from self._with_overhead(parts, self.one)
            if self.growth == "constant":
                rest = fraction * self.one + self.communication
                bound = _bounded(
                    self.one, rest, "with ever more processors, the shared part's time goes to 0"
                )
                yield self.limit, bound
            else:
                yield from self._best() if self.growth == "each" else self._best_of_tree()
            return
        yield self.speedup, law, why
        if self.states("one"):
            yield self.time, self.one / self.speedup
        yield (
            self.limit,
            _bounded(1, fraction, "with ever more processors, the shared part's time goes to 0"),
        )

    def _gustafson(self) -> Equations:
        """The shared part of the work grows with the processors."""
        fraction, law = self._fraction, self._by_law(self.processors)
        why = "in the same time, one serial part and p shared ones are done"
        if self.states("communication"):
            yield self.ideal, law, why
            yield self.work, self.one * self.ideal
            yield self.computing, self.one, "the work grows, the time does not"
            yield from self._with_overhead(self.one, self.work)
            if self.growth == "each":
                why = "with ever more processors: p shared parts, in p times t_comm"
                yield self.limit, _bounded((1 - fraction) * self.one, self.communication, why)
            return
        yield self.speedup, law, why
        if self.states("one"):
            yield self.time, self.one, "the work grows, the time does not"
            yield self.work, self.one * self.speedup

    def _with_overhead(self, computing: Expr, work: Expr) -> Equations:
        """The time with communication, and how many times as fast the *work* is then done."""
        yield self.overhead, self._sent(self.processors)
        total = computing + self._sent_by_many(self.processors)
        if self.growth != "tree":  # which has no level above one processor
            total = cases((computing, same(self.processors, 1), ALONE), otherwise=total)
        yield self.time, total
        yield self.speedup, work / self.time

    def _sent_by_many(self, processors: Expr) -> Expr:
        """The communication of that many *processors*, more than one."""
        match self.growth:
            case "tree":
                return ceiling_log2(processors) * self.communication
            case "each":
                return processors * self.communication
        return self.communication

    def _sent(self, processors: Expr) -> Expr:
        """The communication of that many *processors*."""
        if self.growth == "tree":
            return self._sent_by_many(processors)
        return cases((0, same(processors, 1), ALONE), otherwise=self._sent_by_many(processors))

    def _best(self) -> Equations:
        """The processors on which the same work is soonest done, where each adds as much."""
        added, fixed = self.communication, self._fraction * self.one
        free = (NOTHING, same(added, 0), "communication takes no time, so more never take longer")
        first = (1, self.shared <= added, "already the first one adds as much as sharing can save")
        yield self.optimum, cases(free, first, otherwise=sqrt(self.shared / added))
        root = sqrt(self.shared / added)
        below, above = floor(root), ceiling(root)
        few = "two would communicate for as long as they save, or longer"
        one = (1, self.shared <= 4 * added, few)
        whole = (below, same(below * below * added, self.shared), "it is a whole number")
        fewer = (below, self._needed(below) <= self._needed(above), NEIGHBOURS)
        yield self.best, cases(free, one, whole, fewer, otherwise=above, why=NEIGHBOURS)
        alone = (self.one, same(self.best, 1), ALONE)
        yield self.soonest, cases(free, alone, otherwise=fixed + self._needed(self.best))

    def _best_of_tree(self) -> Equations:
        """The processors on which the same work is soonest done with a tree.

        Of the numbers with as many levels the largest is best, and from 2^k to 2^(k + 1) a level
        is added and half of what 2^k share is saved.
        """
        added, fixed = self.communication, self._fraction * self.one
        free = (NOTHING, same(added, 0), "communication takes no time, so more never take longer")
        few = (1, self._shared <= 2 * added, "a level adds as much as two save, or more")
        levels = ceiling_log2(self._shared / (2 * added))
        yield self.best, cases(free, few, otherwise=Num(2) ** levels, why=LEVELS)
        time = fixed + self._shared / self.best + ceiling_log2(self.best) * added
        yield self.soonest, cases(free, otherwise=time)

    def _needed(self, processors: Expr) -> Expr:
        """The time of several *processors* but for the serial part, where each adds as much."""
        return self.shared / processors + processors * self.communication


def _bounded(work: Expr | int, rest: Expr, why: str) -> Expr:
    """*work* over the *rest* that cannot be shared; nothing where there is no such rest."""
    free = "nothing is left that is not shared, so there is no limit"
    return cases((NOTHING, same(rest, 0), free), otherwise=work / rest, why=why)
