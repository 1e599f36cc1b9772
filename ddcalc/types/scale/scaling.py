"""How well does a measured speed-up scale?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NEVER, NOTHING, Expr, cases, largest, same, smallest
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, number
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence

KINDS = ("times", "speedups", "rates")


class Scaling(Problem):
    """How well does a measured speed-up scale?

    Perfectly shared, the work is done as many times faster as there are processors; the efficiency
    says how near a run comes to that. What is missing may be serial work, or communication and
    waiting. If it is serial work, the serial fraction is the same in all runs.

    Runs on more and more processors were measured: their times, their speed-ups over one
    processor, or their rates (samples per second; any unit that is the same for all). Times and
    rates are compared with the first run, whatever it ran on; speed-ups are over one processor. The
    efficiency of a run is its speed-up for each processor.

    The serial fraction of each run is the one with which Amdahl's law (strong scaling) or
    Gustafson's (weak scaling) would give its speed-up; it is a part of the time of one processor.
    Beside a first run on several processors, the law first gives the serial part of that run. It is
    a larger part of its time, since the rest is shared already; with work that grows, a smaller
    part of its work. The fraction of one processor follows from it, unless a run is so slow, or so
    fast, that no serial part explains it.

    Where the fraction stays the same from run to run, there is a serial part, and the speed-up of
    more processors can be predicted from the last run. Where it grows with the processors,
    something that grows with them takes the time: communication, waiting, uneven shares. Where it
    is negative, more processors do more than share the work, for example because the data fit into
    their caches.

    With strong scaling all runs do the same work. With weak scaling each processor brings work of
    its own, a batch for example, so that twice as many do twice as much. Rates say how much is
    done, so this matters only for the serial fraction and for what is predicted from it.
    """

    answer = "efficiency"
    terms = ("speed-up",)
    source = (
        "Karp and Flatt, Measuring Parallel Processor Performance, CACM 33(5), 1990: the serial"
        " fraction of each run over one processor, and what its growth means; Gustafson,"
        " Reevaluating Amdahl's Law, CACM 31(5), 1988, for work that grows; a first run on several"
        " processors: both laws for the two runs"
    )

    processors = count("p", "processors of each run", many="list", of="run", example="2, 4, 8, 16")
    times = duration("t", "time of each run", many="list", of="run", above=0, optional=True)
    speedups = number(
        "S", "speed-up of each run over one processor", many="list", of="run", above=0,
        optional=True, example="1.8, 3.2, 5.5, 8",
    )  # fmt: skip
    rates = number("r", "rate of each run", many="list", of="run", above=0, optional=True)
    ahead = count("n", "processors to predict the speed-up of", optional=True, example="32")

    work = choice(
        "the work of a run",
        same="all runs do the same work (strong scaling)",
        grows="the work grows in proportion to the processors (weak scaling)",
    )

    scales = derived("q", "Processors over those of the first run", "", many="processors")
    gains = derived("G", "Speed-up over the first run", "", many="processors")
    efficiencies = derived("epsilon", "Efficiency of each run", "", many="processors")
    parts = derived(
        "g",
        "Serial part of the first run, by each run",
        "",
        many="processors",
    )
    fractions = derived("f", "Serial fraction of each run", "", many="processors")
    efficiency = derived(
        "E", "Efficiency of the last run", "speed-up for each processor", better="more"
    )
    fraction = derived("f_last", "Serial fraction of the last run", "")
    scale = derived("q_n", "The processors ahead over those of the first run", "")
    predicted = derived("G_n", "Speed-up predicted for them", "", better="more")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield KINDS

    def laws(self) -> Iterator[Law]:
        if self.states("ahead"):
            scale = self.ahead if self.states("speedups") else self.scale
            because = "by either law no processor does more than its share"
            yield Holds(self.predicted <= scale, because, when=scale >= 1)
            yield Rises("predicted", "ahead", "with the same serial part, more are never slower")

    def conditions(self) -> Iterator[Condition]:
        for second in [name for name in KINDS if self.states(name)][1:]:
            yield Condition(NEVER, second, "is one measurement too many; state one kind only")
        if self.states("speedups"):
            for run, gain in zip(self.processors, self.speedups, strict=True):
                alone = cases((gain, same(run, 1)), otherwise=1)
                message = "is not 1 where there is one processor; speed-ups are over one processor"
                yield Condition(same(alone, 1), "speedups", message)

    def equations(self) -> Equations:
        scales, gains = list(self.processors), self._gains()
        if not self.states("speedups"):
            yield self.scales, [run / self.processors[0] for run in self.processors]
            yield self.gains, gains, self._why()
            scales, gains = list(self.scales), list(self.gains)
        pairs = list(zip(gains, scales, strict=True))
        yield self.efficiencies, [gain / scale for gain, scale in pairs]
        solved = [self._solved(*pair) for pair in pairs]
        if self.states("speedups"):
            yield self.fractions, solved, self._law("Karp and Flatt: ")
        else:
            yield self.parts, solved, self._law()
            both = zip(self.parts, scales, strict=True)
            yield self.fractions, [self._alone(*pair) for pair in both], self._share()
        yield self.efficiency, gains[-1] / scales[-1]
        yield self.fraction, self.fractions[-1]
        if self.states("ahead"):
            kept = self.fractions if self.states("speedups") else self.parts
            yield from self._predicted(kept[-1], gains[-1], scales[-1])

    def conclusion(self) -> Iterator[Said]:
        gains, base = self.speedups, "on one"
        slots: dict[str, Expr] = {"last": self.processors[-1]}
        if not self.states("speedups"):
            gains, base = self.gains, "on {first processor}"
            slots["first"] = self.processors[0]
        if len(self.processors) == 1 and not self.states("speedups"):
            yield "One run says nothing of how it scales: it is compared with itself alone."
            return
        fast = "is {gain} times as fast as"
        if self.work == "grows" and not self.states("speedups"):
            fast = "does {gain} times as much in the same time as"
        run, its = "The last run, on {last processor},", "its efficiency is {efficiency %}."
        level = "is as fast as" if fast.startswith("is") else "does as much in the same time as"
        yield First(
            Sentence(f"{run} {level} {base}: {its}", same(gains[-1], 1), **slots),
            Sentence(f"{run} {fast} {base}: {its}", None, gain=gains[-1], **slots),
        )
        yield First(*self._trends())
        if self.states("ahead"):
            yield First(*self._ahead_in_words(base, slots))

    def _trends(self) -> Iterator[Sentence]:
        """How the serial fraction changes from the first run that has one to the last."""
        last = self.fractions[-1]
        yield Sentence(
            "The serial fraction of the last run is negative: its processors do more than share the"
            " work, as can happen when the data of each fit into its cache.",
            last < 0,
        )
        yield Sentence("No part of its work seems to be serial.", same(last, 0))
        yield Sentence(
            "A serial fraction of {b %} would be more than all of the work: in the last run"
            " something else takes the time, such as communication.",
            last > 1,
            b=last,
        )
        for i in range(min(2, len(self.processors) - 1)):
            first, p = self.fractions[i], self.processors[i]
            between = "from {a %} on {p processor} to {b %}"
            slots = {"a": first, "b": last, "p": p}
            yield Sentence(
                f"The serial fraction grows {between}: so it is not only serial work that is"
                " missing, but something that grows with the processors, such as communication.",
                (self.processors[-1] > p, first >= 0, last > first, 10 * last > 11 * first),
                **slots,
            )
            yield Sentence(
                f"The serial fraction falls {between}: the last run scales better than the first"
                " ones promised.",
                (self.processors[-1] > p, last < first, 10 * last < 9 * first),
                **slots,
            )
            yield Sentence(
                "The serial fraction is {b %}, about the same as {a %} on {p processor}: that much"
                " of the work seems to be serial.",
                (first > 0, 10 * last <= 11 * first, 10 * last >= 9 * first),
                **slots,
            )
        yield Sentence("A serial fraction of {b %} would explain it.", b=last)

    def _ahead_in_words(self, base: str, slots: dict[str, Expr]) -> Iterator[Sentence]:
        """What the law predicts, or why it does not."""
        would = "On {ahead processor}, it would be {predicted} times as fast as"
        if self.work == "grows":
            would = "{ahead processor} would do {predicted} times as much in the same time as"
        level = would.replace("{predicted} times ", "")
        kept = ", if the serial part stays what it is now."
        yield Sentence(f"{level} {base}{kept}", same(self.predicted, 1), **slots)
        yield Sentence(f"{would} {base}, if the serial part stays what it is now.", None, **slots)
        yield Sentence(
            "What {ahead processor} would give cannot be predicted, as the last run has as many"
            " processors as the run that it is compared with.",
            same(self.processors[-1], 1 if self.states("speedups") else self.processors[0]),
        )
        yield Sentence(
            "What {ahead processor} would give cannot be predicted, as no serial part explains the"
            " last run."
        )

    def insights(self) -> Iterator[Said]:
        gains = self.speedups if self.states("speedups") else self.gains
        if len(self.processors) > 1:
            (less, more), (slow, fast) = self.processors[-2:], gains[-2:]
            what = "the speed"
            if self.work == "grows" and not self.states("speedups"):
                what = "what is done in the same time"
            yield Sentence(
                f"The last step, from {{less processor}} to {{more}}, multiplies {what} by {{g}};"
                " its full share would be {times}.",
                more > less,
                less=less,
                more=more,
                times=more / less,
                g=fast / slow,
            )
        if self.work == "same" and len(self.processors) > 1:
            kept = (self.fractions if self.states("speedups") else self.parts)[-1]
            base = "one processor" if self.states("speedups") else "the first run"
            yield Sentence(
                "If the serial part stays that of the last run, no number of processors is more"
                f" than {{most}} times as fast as {base}.",
                (kept > 0, kept < 1),
                most=1 / kept,
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        part = (self.fractions if self.states("speedups") else self.parts)[-1]
        scale = (self.processors if self.states("speedups") else self.scales)[-1]
        gain = (self.speedups if self.states("speedups") else self.gains)[-1]
        law, whose = part + (1 - part) * scale, "Gustafson"
        if self.work == "same":
            law, whose = 1 / (part + (1 - part) / scale), "Amdahl"
        if self.states("ahead"):
            text = f"{whose}'s law with that serial part gives the last run"
            yield Crosscheck(text, same(law, gain))

    def premises(self) -> Iterator[Premise]:
        yield Premise("chance does not matter", "experiment")
        yield Premise("all processors are equally fast")
        if self.states("ahead"):
            yield Premise("beyond the last run nothing new takes time")

    def _gains(self) -> list[Expr]:
        if self.states("speedups"):
            return list(self.speedups)
        if self.states("rates"):
            return [rate / self.rates[0] for rate in self.rates]
        if self.work == "same":
            return [self.times[0] / time for time in self.times]
        pairs = zip(self.scales, self.times, strict=True)
        return [scale * self.times[0] / time for scale, time in pairs]

    def _why(self) -> str:
        if self.states("rates"):
            return "a rate says how much is done in the same time"
        return "" if self.work == "same" else "each processor brings work of its own"

    def _law(self, also: str = "") -> str:
        if self.work == "same":
            return f"{also}Amdahl's law, solved for it"
        return "Gustafson's law, solved for it"

    def _share(self) -> str:
        if self.work == "same":
            return "the same work as a part of one processor's time (Karp and Flatt)"
        return "the same work as a part of what one processor has of its own"

    def _solved(self, gain: Expr, scale: Expr) -> Expr:
        """The serial part of the time on 1/*scale* of the processors, by the law."""
        if self.work == "same":
            part = (1 / gain - 1 / scale) / (1 - 1 / scale)
        else:
            part = (scale - gain) / (scale - 1)
        return cases((NOTHING, same(scale, 1)), otherwise=part)

    def _alone(self, part: Expr, scale: Expr) -> Expr:
        """What *part* of the first run's time is of the time that one processor would take."""
        first = self.processors[0]
        if self.work == "same":
            kept, whole = part, part + (1 - part) * first
        else:
            kept, whole = part * first, 1 + part * (first - 1)
        return cases((NOTHING, same(scale, 1)), (NOTHING, whole <= 0), otherwise=kept / whole)

    def _predicted(self, part: Expr, gain: Expr, last: Expr) -> Equations:
        """By the serial *part* of the last run, *gain* times as fast on *last* times as many.

        A serial part, from 0 to 1, explains gains between 1 and *last*, whichever is more.
        """
        scale = self.ahead
        if not self.states("speedups"):
            yield self.scale, self.ahead / self.processors[0]
            scale = self.scale
        law, whose = part + (1 - part) * scale, "Gustafson"
        if self.work == "same":
            law, whose = 1 / (part + (1 - part) / scale), "Amdahl"
        why = f"{whose}'s law with the last run's serial part"
        like = "the last run has as many processors as the first, so nothing says how it goes on"
        alone = (NOTHING, same(last, 1), like)
        beyond = "the last run is {} than any serial part explains, so no law says how it goes on"
        faster = (NOTHING, gain > largest(last, 1), beyond.format("faster"))
        slower = (NOTHING, gain < smallest(last, 1), beyond.format("slower"))
        yield self.predicted, cases(alone, faster, slower, otherwise=law, why=why)
