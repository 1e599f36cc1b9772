"""How much faster are p processors than one?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Least,
    Num,
    cases,
    ceiling,
    ceiling_log2,
    floor,
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
    After,
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
    Stationary,
)

ALONE = "one processor has nobody to talk to"


class Speedup(Problem):
    """How much faster are p processors than one?

    One processor does the serial part of the work while all others wait; the rest is shared equally
    and done side by side. More processors shorten only what is shared, so that the serial part, if
    there is one, limits the speed-up.

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
        amdahl="the work stays as it is (strong scaling)",
        gustafson="the shared work grows with the processors (weak scaling)",
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
    optimum = derived("p_opt", "The shortest time, if processors could be divided", "")
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
        if self.law == "amdahl" and self.states("communication") and self.growth == "each":
            yield Holds(self.soonest <= self.time, "the best number is no slower than another")

    # What is said of it

    def mechanism(self) -> str:
        says = super().mechanism()
        if self.law == "gustafson":
            says = (
                "One processor does the serial part while all others wait. The shared part grows"
                " with the processors: each gets as much as one alone had, and they work side by"
                " side. So computing takes as long as ever, and more work is done in that time."
            )
        if not self.states("communication"):
            return says
        if self.growth == "constant":
            return f"{says} Communication comes on top, the same with two processors as with many."
        if self.growth == "tree":
            top = "Communication comes on top, level by level in a tree"
            return f"{says} {top}: twice as many processors have one level more."
        return f"{says} Communication comes on top, and every processor adds to it."

    def conclusion(self) -> Iterator[Said]:
        if self.states("communication"):
            yield from self._timed_answer()
        else:
            yield from self._plain_answer()
        if self.states("serial", "measured"):
            yield self._compared()

    def _plain_answer(self) -> Iterator[Said]:
        """The speed-up and its limit, without communication."""
        fraction, some, many = self._fraction, self._fraction < 1, self.processors > 1
        text = "{processors processor} are {speedup} times as fast as one"
        if self.law == "gustafson":
            taken = " of {one}" if self.states("one") else ""
            text = f"In the same time{taken}, {{processors processor}} do {{speedup}} times the"
            text += " work of one"
        elif self.states("one"):
            text += ": {time} instead of {one}"
        yield First(
            Sentence("One processor alone has a speed-up of 1.", same(self.processors, 1)),
            Sentence("All of the work is serial: no number is faster than one.", fraction >= 1),
            Sentence(f"{text}."),
        )
        if self.law == "gustafson":
            yield Sentence(
                "There is no limit: every further processor adds {added} to that.",
                (some, many),
                added=1 - fraction,
            )
            yield Sentence("There is no limit.", (some, same(self.processors, 1)))
            return
        yield First(
            Sentence("Nothing is serial, so there is no limit.", same(fraction, 0)),
            Sentence("The limit is {limit} times, however many there are.", some),
        )

    def _timed_answer(self) -> Iterator[Said]:
        """The same with communication."""
        needed = "they need {time} instead of {one}"
        if self.law == "gustafson":
            needed = "they need {time} for what one would do in {work}"
        yield First(
            Sentence(
                "One processor alone has nobody to talk to: it takes {one}, a speed-up of 1.",
                same(self.processors, 1),
            ),
            Sentence(
                f"{{processors processor}} are slower than one: {needed}, as communication takes"
                " longer than sharing saves. The speed-up is {speedup}.",
                self.speedup < 1,
            ),
            Sentence(
                "{processors processor} are just as fast as one, a speed-up of 1: communication"
                " takes as long as sharing saves.",
                same(self.speedup, 1),
            ),
            Sentence(f"{{processors processor}} are {{speedup}} times as fast as one: {needed}."),
        )
        if self.law == "gustafson":
            yield self._limit_of_more_work()
        elif self.growth == "constant":
            rest = self._fraction * self.one + self.communication
            yield First(
                Sentence("There is no limit.", same(rest, 0)),
                Sentence("No number of them is faster than one.", self.limit <= 1),
                Sentence("The limit is {limit} times, however many there are."),
            )
        else:
            yield self._fastest()

    def _limit_of_more_work(self) -> Said:
        fraction = self._fraction
        serial = Sentence("All of the work is serial, so no number is faster.", same(fraction, 1))
        if self.growth != "each":
            return First(serial, "There is no limit: the work grows faster than the communication.")
        return First(
            serial,
            Sentence("There is no limit.", same(self.communication, 0)),
            Sentence("No number of them is faster than one.", self.limit <= 1),
            Sentence("The limit is {limit} times, however many there are."),
        )

    def _fastest(self) -> Said:
        """By how many the same work is soonest done, where communication grows."""
        fraction, free = self._fraction, same(self.communication, 0)
        best, soonest = (self.best, self.soonest) if self.growth == "each" else self._best_of_tree()
        return First(
            Sentence("There is no limit.", (free, same(fraction, 0))),
            Sentence(
                "As communication takes no time, the limit is {bound} times.",
                free,
                bound=1 / fraction,
            ),
            Sentence("No number of them is faster than one.", same(best, 1)),
            Sentence("No number of them is faster.", same(soonest, self.time)),
            Sentence(
                "The least time is {soonest}, with {best} processors: {top} times as fast as one."
                " More gain nothing.",
                best=best,
                soonest=soonest,
                top=self.one / soonest,
            ),
        )

    def _best_of_tree(self) -> tuple[Expr, Expr]:
        """The best number of processors with a tree, and their time.

        Of the numbers with as many levels the largest is best, and from 2^k to 2^(k + 1) a level
        is added and half of what 2^k share is saved.
        """
        shared = (1 - self._fraction) * self.one
        levels = ceiling_log2(largest(1, shared / (2 * self.communication)))
        best = Num(2) ** levels
        return best, self._fraction * self.one + shared / best + levels * self.communication

    def _compared(self) -> Said:
        """What the measured speed-up says of the stated serial part."""
        measured = "The measured speed-up of {measured} on {measured_on}"
        most = self._by_law(self.measured_on)
        more = f"{measured} is more than this serial part allows, {{most}}"
        return First(
            Sentence(
                f"{measured} is just what this serial part allows.", same(self.measured, most)
            ),
            Sentence(
                f"{measured} falls short of what this serial part allows, {{most}}, as if"
                " {experimental %} were serial: something else takes time as well, such as"
                " communication, waiting or uneven shares.",
                self.measured < most,
                most=most,
            ),
            Sentence(
                f"{measured} is more than one for each processor, which sharing the work alone"
                " does not explain.",
                self.measured > self.measured_on,
            ),
            Sentence(
                f"{more}: nothing can be serial.", same(self.measured, self.measured_on), most=most
            ),
            Sentence(f"{more}: at most {{experimental %}} can be serial.", most=most),
        )

    def insights(self) -> Iterator[Said]:
        if self.states("communication"):
            yield from self._on_communication()
            return
        fraction, p = self._fraction, self.processors
        real = (p > 1, fraction > 0, fraction < 1)
        if self.law == "gustafson":
            yield Sentence(
                "On average a processor works for {efficiency %} of the time. With ever more of"
                " them, that falls towards {rest %}.",
                real,
                rest=1 - fraction,
            )
            yield Sentence(
                "For one processor, only {small %} of the grown work would be serial, not"
                " {fraction %}.",
                real,
                small=fraction / self.speedup,
                fraction=fraction,
            )
        else:
            yield Sentence(
                "Twice as many, {double} processors, would be {then} times as fast as one: {more %}"
                " faster than these.",
                real,
                double=2 * p,
                then=After(self.speedup, processors=2 * p),
                more=self._by_law(2 * p) / self.speedup - 1,
            )
            yield Sentence(
                "The serial part takes {part %} of the time, and all processors but one wait"
                " for it; on average a processor works for {efficiency %} of the time.",
                real,
                part=fraction * self.speedup,
            )
        if self.states("measured") and not self.states("serial"):
            yield from self._on_one_measurement()
        elif self.law == "amdahl":
            yield Sentence(
                "{half} processors reach half of the limit: from there on, the serial part takes"
                " at least as long as the shared one.",
                (fraction > 0, fraction < Num(1) / 2),
                half=ceiling((1 - fraction) / fraction),
            )

    def _on_one_measurement(self) -> Iterator[Said]:
        other = floor(self.measured_on / 2)
        yield Sentence(
            "One measurement cannot tell serial work from communication or uneven shares. A second"
            " one can: on {other}, the law predicts {expected}.",
            other > 1,
            other=other,
            expected=self._by_law(other),
        )

    def _on_communication(self) -> Iterator[Said]:
        p, sent = self.processors, self.communication
        yield Sentence(
            "Communication takes {part %} of the time; without it, the speed-up would be {free}.",
            (p > 1, sent > 0),
            part=self._sent(p) / self.time,
            free=After(self.speedup, communication=0),
        )
        if self.law == "gustafson":
            return
        if self.growth == "each":
            yield Sentence(
                "At {optimum} processors, the shared part takes as long as the communication.",
                (sent > 0, self.shared > 4 * sent),
            )
            half = ceiling(self.best / 2)
            time = self._fraction * self.one + self.shared / half + half * sent
            yield Sentence(
                "The minimum is flat: {half} processors would take {then}, only {more %} more.",
                (self.best > 3, time <= Num(5) / 4 * self.soonest),
                half=half,
                then=time,
                more=time / self.soonest - 1,
            )
        elif self.growth == "tree":
            best, _ = self._best_of_tree()
            yield Sentence(
                "From {best} to {twice}, a further level of the tree adds {communication}, and"
                " sharing saves {saved}.",
                self._fraction < 1,
                best=best,
                twice=2 * best,
                saved=self._shared / (2 * best),
            )
        else:
            yield Sentence(
                "Twice as many, {double} processors, would take {then}, a speed-up of {faster}.",
                (p > 1, self._fraction < 1),
                double=2 * p,
                then=After(self.time, processors=2 * p),
                faster=After(self.speedup, processors=2 * p),
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        fraction, p = self._fraction, self.processors
        real = (p > 1, fraction > 0)
        if not self.states("communication"):
            if self.law == "amdahl":
                yield Crosscheck(
                    "the time of all, counted in that of one: 1 of work, {waiting} of waiting for"
                    " the serial part",
                    same(p / (1 + (p - 1) * fraction), self.speedup),
                    real,
                    waiting=(p - 1) * fraction,
                )
            else:
                yield Crosscheck(
                    "1 for each processor, less the waiting of all but one for the serial part",
                    same(p - (p - 1) * fraction, self.speedup),
                    real,
                )
        elif self.law == "amdahl":
            spent = self.one + (p - 1) * fraction * self.one
            if self.growth != "each":
                yield Crosscheck(
                    "a processor's part of all work and of the waiting for the serial part,"
                    " and communication",
                    same(spent / p + self._sent_by_many(p), self.time),
                    real,
                )
            else:
                least = fraction * self.one + 2 * sqrt(self.shared * self.communication)
                yield Crosscheck(
                    "no number above 1 can need less than the serial part and 2·√(T_sh·t_comm)",
                    least <= self.soonest,
                    self.best > 1,
                )

    def premises(self) -> Iterator[Premise]:
        yield Premise("the processors are equally fast, and the shared part is divided evenly")
        if self.states("communication"):
            yield Premise("nothing is computed while processors communicate", "overlap")
        else:
            yield Premise("communication takes no time", "communication")
        if self.states("serial") or not self.states("measured"):
            return
        if self.states("communication"):
            yield Premise("the measured speed-up is without communication, which comes on top")
        else:
            yield Premise(
                "serial work alone keeps the measured speed-up below one for each processor",
                "scaling",
            )

    def arguments(self) -> Iterator[Argument]:
        if self.states("measured"):
            serial, q = self.experimental, self.measured_on
            if self.law == "amdahl":
                measured = same(1 / self.measured, serial + (1 - serial) / q)
                says = "Amdahl's law for what was measured, both sides turned over"
                yield Equated(serial, measured, says, "Karp and Flatt 1990")
            else:
                measured = same(self.measured, self._law(serial, q))
                yield Equated(serial, measured, "Gustafson's law for what was measured")
        if self.states("communication") and self.law == "amdahl" and self.growth == "each":
            at = self.optimum
            cost = self._fraction * self.one + self.shared / at + at * self.communication
            yield Stationary(at, cost, at, "the serial part, a share of the rest, communication")

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
            yield self.computing, parts, "the serial part stays, the rest is divided by p"
            yield from self._with_overhead(self.computing, self.one)
            if self.growth == "constant":
                rest = fraction * self.one + self.communication
                bound = _bounded(
                    self.one, rest, "with ever more processors, the shared part's time goes to 0"
                )
                yield self.limit, bound
            elif self.growth == "each":
                yield from self._best()
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
        if self.growth == "constant":
            single = (computing, same(self.processors, 1), ALONE)
            yield self.time, cases(single, otherwise=computing + self.communication)
        else:
            yield self.time, computing + self.overhead
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
        shared, added, fixed = self.shared, self.communication, self._fraction * self.one
        free = (NOTHING, same(added, 0), "communication takes no time, so more never take longer")
        first = (1, shared <= added, "already the first one adds as much as sharing can save")
        yield self.optimum, cases(free, first, otherwise=sqrt(shared / added))
        # one more gains shared/(p(p + 1)) and costs what is added; the second costs it twice
        relation = added * largest(self.best * (self.best + 1), 4) >= shared
        least = cases(free, otherwise=least_with_product(shared, added))
        why = "one more adds t_comm and saves T_sh/(p·(p + 1)); the second adds t_comm twice"
        yield self.best, Least(relation, least, first="one processor is soonest done"), why
        alone = (self.one, same(self.best, 1), ALONE)
        time = fixed + shared / self.best + self.best * added
        yield self.soonest, cases(free, alone, otherwise=time)


def _bounded(work: Expr | int, rest: Expr, why: str) -> Expr:
    """*work* over the *rest* that cannot be shared; nothing where there is no such rest."""
    free = "nothing is left that is not shared, so there is no limit"
    return cases((NOTHING, same(rest, 0), free), otherwise=work / rest, why=why)
