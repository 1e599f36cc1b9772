"""How well does a measured speed-up scale?"""

from collections.abc import Callable, Iterator

from ddcalc.formula.algebra import (
    NEVER,
    NOTHING,
    Expr,
    Rel,
    cases,
    floor,
    largest,
    same,
    smallest,
)
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, number
from ddcalc.problem.sentences import (
    Crosscheck,
    First,
    Premise,
    Said,
    Sentence,
)

KINDS = ("times", "speedups", "rates")


class Scaling(Problem):
    """How well does a measured speed-up scale?

    One part of the work all processors share, another only one can do while the others wait. The
    more there are, the shorter the shared part and the more the serial one counts, so each adds
    less. How much a run lost tells how large a serial part would explain it.

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
    gains = derived("G", "Speed-up over the first run", "work in the same time", many="processors")
    efficiencies = derived(
        "epsilon", "Efficiency of each run", "speed-up per processor", many="processors"
    )
    parts = derived(
        "g",
        "Serial part of the first run, from each run",
        "",
        many="processors",
    )
    fractions = derived("f", "Serial fraction of each run", "", many="processors")
    efficiency = derived("E", "Efficiency of the last run", "", better="more")
    fraction = derived("f_last", "Serial fraction of the last run", "compare it with the others")
    scale = derived("q_n", "The processors ahead over those of the first run", "")
    predicted = derived(
        "G_n", "Speed-up predicted for them", "the law, with the last fraction", better="more"
    )

    def mechanism(self) -> str:
        if self.work == "same":
            return super().mechanism()
        return (
            "Each processor brings work of its own, and all do theirs at the same time; a serial"
            " part, which does not grow, is done by one while the others wait. So p processors do"
            " less than p times as much as one. How much a run lost tells how large a serial part"
            " would explain it."
        )

    def conclusion(self) -> Iterator[Said]:
        last, (gain, scale) = self.processors[-1], self._measured
        slots = {"first": self.processors[0], "last": last, "gain": gain, "scale": scale}
        one, many, as_much, beside = *self._does(), self._beside()
        efficiency = "an efficiency of {efficiency %}"
        does = f"{{last processor}} {{last|{one}|{many}}}"
        more = "" if self.states("speedups") else ", being {scale} times as many"
        never, ends = same(scale, 1), "which says nothing about scaling."
        if self.states("speedups"):
            never = NEVER
        start = "The last run has as many processors as the first ({last})"
        nothing = First(
            Sentence(f"{start} and {one} {as_much}, {ends}", (never, same(gain, 1)), **slots),
            Sentence(f"{start} and {one} {{gain}} times {as_much}, {ends}", never, **slots),
        )
        alike = Sentence(f"{does} {as_much} as {beside}: {efficiency}.", same(gain, 1), **slots)
        other = Sentence(
            f"{does} {{gain}} times {as_much} as {beside}{more}: {efficiency}.", None, **slots
        )
        if len(self.processors) == 1 and not self.states("speedups"):
            yield "One run alone has nothing to be compared with, so its efficiency is 100 %."
        else:
            yield First(nothing, alike, other)
            yield self._by_both(self._serial)
        if self.states("ahead"):
            yield self._ahead()

    def _by_both(self, says: Callable[[list[Expr]], Said]) -> Said:
        """What *says* of serial fractions: beside one processor, the parts of its run are these."""
        fractions = says(list(self.fractions))
        if self.states("speedups"):
            return fractions
        return First(_only(says(list(self.parts)), same(self.processors[0], 1)), fractions)

    def _serial(self, fractions: list[Expr]) -> Said:
        """What serial part explains the last run."""
        part, (gain, scale) = fractions[-1], self._measured
        law = f"By {self._whose()}'s law"
        more, less = gain > largest(scale, 1), gain < smallest(scale, 1)
        other = (scale - 1) * (scale - 1) > 0
        return First(
            Sentence(
                "That is more than their share, which no serial part explains.", (more, other)
            ),
            Sentence("That is so slow that no serial part explains it.", (less, other)),
            Sentence(f"{law} nothing of the work is serial.", same(part, 0)),
            Sentence(f"{law} that is a serial fraction of {{part %}}.", part >= 0, part=part),
        )

    def _ahead(self) -> Said:
        """What is predicted for more processors."""
        scale = self.ahead if self.states("speedups") else self.ahead / self.processors[0]
        slots = {"first": self.processors[0], "reached": self.predicted / scale}
        _, many, as_much = self._does()
        verb, beside = "be" if many == "are" else many, self._beside()
        says = f"By the same law {{ahead processor}} would {verb}"
        as_much = as_much.removesuffix(" in the same time")
        ends = f"{as_much} as {beside}: an efficiency of {{reached %}}."
        return First(
            Sentence(f"{says} {ends}", same(self.predicted, 1), **slots),
            Sentence(f"{says} {{predicted}} times {ends}", None, **slots),
            "So nothing predicts what {ahead processor} would do.",
        )

    def insights(self) -> Iterator[Said]:
        last, first = len(self.processors) - 1, 0 if self.states("speedups") else 1
        compared = [i for i in (first, first + 1) if i < last]
        if compared:
            yield self._by_both(lambda known: First(*self._trends(compared, known)))
        if not compared and last >= first:
            yield self._by_both(
                lambda known: Sentence(
                    "One run cannot tell a serial part from communication or waiting; further runs"
                    " show whether the fraction grows with the processors.",
                    (known[-1] > 0, known[-1] < 1),
                )
            )
        yield self._by_both(self._bound)
        gain, scale = self._measured
        yield Sentence(
            "More than their share can come, for example, from smaller parts of the data that fit"
            " into the caches.",
            (gain > largest(scale, 1), (scale - 1) * (scale - 1) > 0),
        )

    def _bound(self, fractions: list[Expr]) -> Said:
        """What such a serial fraction means for many processors."""
        part = fractions[-1]
        serial = part > 0, part < 1
        if self.work == "same":
            return Sentence(
                "With that serial fraction no number of processors is more than {limit} times as"
                " fast as one, and beyond {most processor} each counts for less than half.",
                serial,
                limit=1 / part,
                most=floor(1 / part) + 1,
            )
        return Sentence(
            "With that serial fraction each further processor adds {part %} of what one alone"
            " does.",
            serial,
            part=1 - part,
        )

    def _trends(self, runs: list[int], fractions: list[Expr]) -> Iterator[Said]:
        """How the serial fraction changes from one of those *runs* to the last one."""
        for run in runs:
            yield from self._trend(run, fractions)

    def _trend(self, first: int, fractions: list[Expr]) -> Iterator[Said]:
        """How the serial fraction changes from that run to the last one."""
        before, after = fractions[first], fractions[-1]
        slots = {
            "before": before, "after": after, "few": self.processors[first],
            "many": self.processors[-1],
        }  # fmt: skip
        grow = self.processors[first] < self.processors[-1]
        if len(self.processors) - 1 > first + 1:
            yield from self._turn(first, fractions)
        both = "from {before %} on {few processor} to {after %} on {many}"
        yield Sentence(
            f"The serial fraction grows {both}: that points to costs which grow with the"
            " processors, such as communication or waiting.",
            (grow, after > before, before >= 0),
            **slots,
        )
        yield Sentence(
            f"The serial fraction falls {both}: nothing points to costs which grow with the"
            " processors.",
            (grow, after < before, after >= 0),
            **slots,
        )
        yield Sentence(
            "The serial fraction is the same on {few processor} and on {many}, as it is where a"
            " serial part, and nothing that grows with the processors, takes the time.",
            (grow, same(after, before), after > 0),
            **slots,
        )

    def _turn(self, first: int, fractions: list[Expr]) -> Iterator[Said]:
        """That the serial fraction turns at the last run but one."""
        before, at, after = fractions[first], fractions[-2], fractions[-1]
        few, mid, many = self.processors[first], self.processors[-2], self.processors[-1]
        slots = {
            "before": before, "at": at, "after": after, "few": few, "mid": mid, "many": many,
        }  # fmt: skip
        says = "The serial fraction first {}, from {{before %}} on {{few processor}} to {{at %}} on"
        says += " {{mid}}, then {}, to {{after %}} on {{many}}: {}"
        ordered = few < mid, mid < many
        yield Sentence(
            says.format(
                "falls", "rises", "costs which grow with the processors may begin to show."
            ),
            (*ordered, at < before, after > at, at >= 0),
            **slots,
        )
        yield Sentence(
            says.format("rises", "falls", "no clear sign of costs which grow with the processors."),
            (*ordered, at > before, after < at, before >= 0, after >= 0),
            **slots,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        gain, scale = self._measured
        part = (self.fractions if self.states("speedups") else self.parts)[-1]
        law = part + (1 - part) * scale
        if self.work == "same":
            law = 1 / (part + (1 - part) / scale)
        yield Crosscheck(
            f"{self._whose()}'s law with that part gives the last run", same(law, gain)
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("processors are alike")
        yield Premise("in the law only the serial part keeps processors idle")
        if self.states("ahead"):
            yield Premise("the serial part of the last run stays as it is")

    @property
    def _measured(self) -> tuple[Expr, Expr]:
        """How many times as fast the last run is, and on how many times as many processors."""
        if self.states("speedups"):
            return self.speedups[-1], self.processors[-1]
        return self.gains[-1], self.scales[-1]

    def _does(self) -> tuple[str, str, str]:
        """What one processor and what several do, and as what."""
        if self.work == "grows" or self.states("rates"):
            return "does", "do", "as much in the same time"
        return "is", "are", "as fast"

    def _beside(self) -> str:
        """What runs are compared with."""
        return "one" if self.states("speedups") else "{first processor}"

    def _whose(self) -> str:
        return "Amdahl" if self.work == "same" else "Gustafson"

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
            return "so much more in the same time"
        return "the same work" if self.work == "same" else "so much more work"

    def _law(self, also: str = "") -> str:
        gain, part, scale = ("S", "f", "p") if self.states("speedups") else ("G", "g", "q")
        law = f"Gustafson's law, {gain} = {part} + (1 − {part})·{scale}"
        if self.work == "same":
            law = f"Amdahl's law, 1/{gain} = {part} + (1 − {part})/{scale}"
        return f"{also}{law}"

    def _share(self) -> str:
        if self.work == "same":
            return "part of one processor's time (Karp and Flatt)"
        return "part of what one processor has of its own"

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


def _only(said: Said, when: Rel) -> Said:
    """*said* only where *when* holds, too."""
    if isinstance(said, First):
        return First(*(_only(one, when) for one in said.alternatives))
    if isinstance(said, str):
        return Sentence(said, when)
    return Sentence(said.text, (*said.when, when), **said.slots)
