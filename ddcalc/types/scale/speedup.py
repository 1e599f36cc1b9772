"""How much faster are p processors than one?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Least,
    cases,
    ceiling,
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
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)


class Speedup(Problem):
    """How much faster are p processors than one?

    A part of the work is serial: only one processor can do it, while the others wait. The rest is
    shared equally, so that it shrinks with every processor, but the serial part does not: it bounds
    the speed-up.

    Amdahl keeps the work as it is, so the serial part bounds the speed-up, however many processors
    there are. Gustafson lets the shared part grow with the processors, so that the time stays the
    same and more work is done in it: the speed-up then grows without bound.

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
        amdahl="the work stays the same (Amdahl, strong scaling)",
        gustafson="the shared work grows with the processors (Gustafson, weak scaling)",
    )

    growth = choice(
        "how communication grows",
        constant="communication takes equally long on any number of processors",
        each="each processor adds that much communication",
        tree="each level of a tree over the processors adds that much communication",
    )

    experimental = derived("e", "Serial fraction that explains the measured speed-up", "")
    ideal = derived("S_id", "Speed-up without communication", "", better="more")
    work = derived("T_work", "What one processor would take for the grown work", "", SECOND)
    computing = derived("T_c", "Computation on p processors", "", SECOND)
    overhead = derived("t_ov", "Communication on p processors", "", SECOND)
    time = elapsed("T_p", "Time on p processors", "")
    speedup = derived("S", "Speed-up", "", better="more")
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
    soonest = elapsed("T_best", "Time on them", "")
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
            yield self.experimental, self._explained()
        fraction = self.serial if self.states("serial") else self.experimental
        yield from self._amdahl(fraction) if self.law == "amdahl" else self._gustafson(fraction)
        yield self.efficiency, self.speedup / self.processors

    # What is said of it

    @property
    def _fraction(self) -> Expr:
        """The serial fraction with which the speed-up is computed."""
        return self.serial if self.states("serial") else self.experimental

    def mechanism(self) -> str:
        if self.law == "amdahl":
            told = super().mechanism()
        else:
            told = (
                "A part of the work is serial: only one processor can do it, while the others wait."
                " Every further processor brings shared work of its own, done beside that of the"
                " others: in the same time more is done."
            )
        if self.states("communication"):
            told += " Then they communicate, which comes on top."
        return told

    def conclusion(self) -> Iterator[Said]:
        alone = Sentence("On one processor nothing is gained.", same(self.processors, 1))
        if self.law == "amdahl":
            fast = "On {processors processor} it is {speedup} times as fast as on one"
            fast += ": {time} instead of {one}." if self.states("one") else "."
        elif self.states("communication"):
            fast = (
                "On {processors processor} the grown work is done {speedup} times as fast as on"
                " one: in {time} instead of {work}."
            )
        else:
            fast = "{processors processor} do {speedup} times as much as one in the same time."
        level = Sentence(
            "{processors processor} are no faster than one."
            if self.law == "amdahl"
            else "{processors processor} do no more than one in the same time.",
            same(self.speedup, 1),
        )
        yield First(alone, level, Sentence(fast))
        yield First(*(self._amdahl_ends() if self.law == "amdahl" else self._gustafson_ends()))

    def _amdahl_ends(self) -> Iterator[Sentence]:
        """The limit while the work stays the same."""
        part = self._fraction
        if self.states("communication"):
            most = self._most_with_messages()
            if most is not None:
                yield most
            if self.growth == "each":
                one = "No number of processors is faster than one."
                yield Sentence(one, (self.communication > 0, same(self.best, 1)))
                yield Sentence(
                    "The most is {most} times, on {best processor} ({soonest}): further ones"
                    " cost at least as much time as they save.",
                    self.communication > 0,
                    most=self.one / self.soonest,
                )
        yield Sentence("There is no limit: all of the work is shared.", same(part, 0))
        yield Sentence("More processors never help: all of the work is serial.", same(part, 1))
        never = "However many there are, the speed-up is never more than {most}."
        yield Sentence(never, most=1 / part)

    def _most_with_messages(self) -> Sentence | None:
        if self.growth == "constant":
            ever = "With ever more processors, the speed-up tends to {limit}."
            return Sentence(ever, self.communication > 0)
        if self.growth == "tree":
            return Sentence(
                "Every doubling of the processors adds {communication}, while there is less and"
                " less left to save: some number of them is fastest.",
                self.communication > 0,
            )
        return None

    def _gustafson_ends(self) -> Iterator[Sentence]:
        """The limit where the shared work grows."""
        part = self._fraction
        yield Sentence("More processors never help: all of the work is serial.", same(part, 1))
        if self.states("communication"):
            if self.growth == "each":
                yield Sentence("With ever more processors and work, the speed-up tends to {limit}.")
            yield Sentence("There is no limit, as the work grows with the processors.")
            return
        adds = "There is no limit: every further processor adds {more} of what one does."
        yield Sentence(adds, more=1 - part)

    def insights(self) -> Iterator[Said]:
        yield from self._on_measured()
        part, p = self._fraction, self.processors
        if self.states("communication"):
            yield Sentence(
                "Of the time on {processors processor}, {serial %} goes to the serial part and"
                " {sent %} to communication; without it, the speed-up would be {ideal}.",
                (p > 1, self.communication > 0),
                serial=part * self.one / self.time,
                sent=self.overhead / self.time,
            )
            return
        if self.law == "gustafson":
            yield Sentence(
                "Of the grown work, only {less %} is serial, instead of {part %}.",
                (p > 1, part > 0, part < 1),
                less=part / self.speedup,
                part=part,
            )
            return
        yield Sentence(
            "The serial part takes {share %} of the time there; twice the processors would give"
            " {twice} times, half the serial part {less} times.",
            (p > 1, part > 0, part < 1),
            share=part * self.speedup,
            twice=1 / (part + (1 - part) / (2 * p)),
            less=1 / (part / 2 + (1 - part / 2) / p),
        )
        half = (
            "Half of the limit takes only {half processor}; all further ones together gain the"
            " other half."
        )
        few = (part > 0, 3 * part <= 1)
        yield Sentence(half, few, half=ceiling((1 - part) / part))

    def _on_measured(self) -> Iterator[Said]:
        """What a measured speed-up says."""
        if self.states("measured", "serial"):
            yield First(
                Sentence(
                    "What was measured fits the serial part of {serial %} exactly.",
                    same(self.experimental, self.serial),
                ),
                Sentence(
                    "What was measured would take a serial part of {experimental %}, more than the"
                    " stated {serial %}: something else takes time, too.",
                    self.experimental > self.serial,
                ),
                Sentence(
                    "What was measured, {measured} times on {measured_on processor}, is faster than"
                    " a serial part of {serial %} allows.",
                ),
            )
        elif self.states("measured"):
            yield Sentence(
                "The measured speed-up means a serial part of {experimental %} if nothing else took"
                " time; one measurement cannot tell serial work from communication."
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        part, p = self._fraction, self.processors
        if self.states("measured") and not self.states("serial"):
            q, law = self.measured_on, part + (1 - part) * self.measured_on
            if self.law == "amdahl":
                law = 1 / (part + (1 - part) / q)
            text = "with that serial part, {measured_on processor} give what was measured"
            yield Crosscheck(text, same(law, self.measured))
        if not self.states("communication") and self.law == "gustafson":
            serial = part / (part + (1 - part) * p)
            amdahl = 1 / (serial + (1 - serial) / p)
            text = "Amdahl's law for the grown work, of which {serial %} is serial"
            yield Crosscheck(text, same(amdahl, self.speedup), p > 1, serial=serial)
        if self.states("communication") and self.law == "amdahl" and self.growth == "each":
            more = self.best + 1
            after = part * self.one + (1 - part) * self.one / more + more * self.communication
            text = "on one processor more, it takes no less"
            yield Crosscheck(text, after >= self.soonest, self.communication > 0)

    def premises(self) -> Iterator[Premise]:
        yield Premise("all processors are equally fast and share evenly")
        if not self.states("communication"):
            yield Premise("communication takes no time", "communication")
        else:
            yield Premise("nothing is computed while they communicate", "overlap")
        if self.law == "gustafson":
            yield Premise("the serial part does not grow with the work")
        if self.states("measured") and not self.states("serial"):
            yield Premise("what was lost in the measurement is serial work", "scaling")

    def arguments(self) -> Iterator[Argument]:
        if not self.states("measured"):
            return
        part, q = self.experimental, self.measured_on
        if self.law == "amdahl":
            law, why = 1 / (part + (1 - part) / q), "Amdahl's law for what was measured"
        else:
            law, why = part + (1 - part) * q, "Gustafson's law for what was measured"
        source = "Karp and Flatt 1990" if self.law == "amdahl" else ""
        yield Equated(part, same(self.measured, law), why, source)

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
            yield self.time, self.one / self.speedup
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
        yield self.time, self.computing + self.overhead
        yield self.speedup, work / self.time

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
