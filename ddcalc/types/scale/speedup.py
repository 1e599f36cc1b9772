"""How much faster are p processors than one?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Num, ceiling, floor, same, sqrt
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
    at_most,
)
from ddcalc.types.scale._processors import Processors


class Speedup(Processors):
    """How much faster are p processors than one?

    More processors shorten only what they can share; a serial part takes as long as ever, and so
    limits the speed-up. One processor does it while all others wait; the rest is shared equally and
    done side by side.

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
    keywords = (
        "Amdahl's law; Gustafson's law; serial fraction; maximum speedup; adding processors"
        " stops helping; parallel fraction"
    )
    terms = ("speed-up",)
    source = (
        "Amdahl, Validity of the single processor approach, AFIPS 1967 (the argument; it prints no"
        " formula); Gustafson, Reevaluating Amdahl's Law, CACM 31(5), 1988 (scaled speed-up); Karp"
        " and Flatt, Measuring Parallel Processor Performance, CACM 33(5), 1990 (the serial"
        " fraction from a measured speed-up)"
    )

    def mechanism(self) -> str:
        says = super().mechanism()
        if self.law == "gustafson":
            says = (
                "More processors do more work in the same time: the shared part grows with them, so"
                " each gets as much as one alone had, and they work side by side. The serial part"
                " does not grow; one processor does it while all others wait."
            )
        if not self.states("communication"):
            return says
        if self.growth == "constant":
            return f"{says} Communication comes on top, the same with two processors as with many."
        if self.growth == "tree":
            top = "Communication comes on top, level by level in a tree"
            return f"{says} {top}: twice as many processors have one level more."
        if self.law == "gustafson":
            return f"{says} Communication comes on top, and every processor adds to it."
        return (
            "The more processors, the shorter the shared part, but the longer the communication: in"
            " between the time is least. One processor does the serial part while all others wait;"
            " then all share the rest equally, and communication comes on top."
        )

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
        best, soonest = self.best, self.soonest
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
                "The work is done soonest on {best} processors, in {soonest}: {top} times as fast"
                " as on one. More gain nothing.",
                top=self.one / soonest,
            ),
        )

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
            Sentence(
                f"{more}: at most {{serial_part %}} can be serial.",
                most=most,
                serial_part=at_most(self.experimental),
            ),
        )

    def insights(self) -> Iterator[Said]:
        if self.states("communication"):
            yield from self._on_communication()
            return
        fraction = self._fraction
        yield from self._on_waiting()
        if self.states("measured") and not self.states("serial"):
            yield from self._on_one_measurement()
        elif self.law == "amdahl":
            yield Sentence(
                "{half} processors reach half of the limit: from there on, the serial part takes"
                " at least as long as the shared one.",
                (fraction > 0, fraction < Num(1) / 2),
                half=ceiling((1 - fraction) / fraction),
            )

    def _on_waiting(self) -> Iterator[Said]:
        """How much the processors wait for the serial part."""
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
        if self.law == "amdahl" and self.growth == "each":
            yield from self._on_least_time()
            return
        yield Sentence(
            "Communication takes {part %} of the time; without it, the speed-up would be {free}.",
            (p > 1, sent > 0),
            part=self._sent(p) / self.time,
            free=After(self.speedup, communication=0),
        )
        if self.law == "gustafson":
            return
        if self.growth == "tree":
            best = self.best
            yield Sentence(
                "From {best} to {twice}, a further level of the tree adds {communication}, and"
                " sharing saves {saved}.",
                self._fraction < 1,
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

    def _on_least_time(self) -> Iterator[Said]:
        """What limits the work where every processor adds communication, and how flat that is."""
        p, sent, fraction, best = self.processors, self.communication, self._fraction, self.best
        yield Sentence(
            "Without communication {processors} would be {free} times as fast as one, and the limit"
            " would be {bound} times; with it, {top} times is the most.",
            (p > 1, sent > 0, fraction > 0, fraction < 1, best > 1),
            free=self._by_law(p),
            bound=1 / fraction,
            top=self.one / self.soonest,
        )
        whole = same(best * best * sent, self.shared)
        equal = "{optimum} processors, the shared part takes as long as communication, {root}"
        yield First(
            Sentence(f"On {equal}.", (best > 1, whole), root=sqrt(self.shared * sent)),
            Sentence(
                f"On {equal} each; a processor more than {{best}} adds {{communication}} and saves"
                " as much.",
                (best > 1, same(best * (best + 1) * sent, self.shared)),
                root=sqrt(self.shared * sent),
            ),
            Sentence(
                f"On {equal} each; a processor more than {{best}} adds {{communication}} and saves"
                " only {saved}.",
                (best > 1, sent > 0),
                root=sqrt(self.shared * sent),
                saved=self.shared / (best * (best + 1)),
            ),
        )
        yield self._flat()

    def _flat(self) -> Said:
        """How little another number of processors would lose."""
        p, best = self.processors, self.best
        half = ceiling(best / 2)
        time = self._fraction * self.one + self._needed(half)
        return First(
            Sentence(
                "The minimum is flat: {best} processors instead of {processors} save only {less},"
                " and the efficiency falls from {now %} to {then %}.",
                (p > 1, p < best, self.time <= Num(5) / 4 * self.soonest),
                less=self.time - self.soonest,
                now=self.speedup / p,
                then=self.one / (self.soonest * best),
            ),
            Sentence(
                "The minimum is flat: {half} processors would take {then}, only {more %} more than"
                " {best}.",
                (best > 3, time <= Num(5) / 4 * self.soonest),
                half=half,
                then=time,
                more=time / self.soonest - 1,
            ),
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
                for above, other in ((True, self.best - 1), (False, self.best + 1)):
                    square = self.best * self.best * self.communication
                    yield Crosscheck(
                        "the other neighbour, {other} processors, is no faster",
                        fraction * self.one + self._needed(other) >= self.soonest,
                        (self.best > 1, square > self.shared if above else square < self.shared),
                        other=other,
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
            part, q = self.experimental, self.measured_on
            if self.law == "amdahl":
                measured = same(1 / self.measured, part + (1 - part) / q)
                says = "Amdahl's law for what was measured, both sides turned over"
                yield Equated(part, measured, says, "Karp and Flatt 1990")
            else:
                measured = same(self.measured, self._law(part, q))
                yield Equated(part, measured, "Gustafson's law for what was measured")
        if self.states("communication") and self.law == "amdahl" and self.growth == "each":
            at = self.optimum
            cost = self._fraction * self.one + self.shared / at + at * self.communication
            yield Stationary(at, cost, at, "the serial part, a share of the rest, communication")
