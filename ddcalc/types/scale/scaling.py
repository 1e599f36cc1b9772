"""How efficient are runs on more and more processors?"""

from collections.abc import Iterator
from itertools import pairwise

from ddcalc.formula.algebra import (
    NEVER,
    NOTHING,
    Expr,
    Num,
    Rel,
    cases,
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


_FIXED = "A fixed serial part"
_GROWING = "something that grows with the processors, such as communication or waiting"


class Scaling(Problem):
    """How efficient are runs on more and more processors?

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
    keywords = (
        "measured scaling; strong and weak scaling; parallel efficiency; Karp-Flatt metric;"
        " benchmark on 1, 2, 4, 8 GPUs"
    )
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
        also="strong same weak grows",
    )

    scales = derived(
        "q", "How many times as many processors as in the first run", "", many="processors"
    )
    gains = derived("G", "Speed-up over the first run", "", many="processors")
    efficiencies = derived(
        "epsilon", "Efficiency of each run", "speed-up per processor", many="processors"
    )
    parts = derived(
        "g",
        "Serial part that would explain each run",
        "",
        many="processors",
    )
    fractions = derived(
        "f",
        "Serial part of one processor's time",
        "",
        many="processors",
    )
    efficiency = derived("E", "Efficiency of the last run", "", better="more")
    fraction = derived("f_last", "The same for the last run", "")
    scale = derived("q_n", "How many times as many are predicted for", "")
    predicted = derived(
        "G_n", "Speed-up predicted for them", "the law, with the last serial part", better="more"
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
        one, many, as_much = self._does()
        does = f"{{last|it {one}|they {many}}}"
        never, ends = same(scale, 1), "which says nothing about scaling."
        if self.states("speedups"):
            never = NEVER
        start = "The last run has as many processors as the first ({last})"
        nothing = First(
            Sentence(f"{start} and {one} {as_much}, {ends}", (never, same(gain, 1)), **slots),
            Sentence(f"{start} and {one} {{gain}} times {as_much}, {ends}", never, **slots),
        )
        few = "one" if self.states("speedups") else "{first}"
        more = "" if self.states("speedups") else " with {scale} times as many"
        start = (
            f"The efficiency on {{last processor}} compared with {few} is {{efficiency %}}: {does}"
        )
        alike = Sentence(f"{start} {as_much}{more}.", same(gain, 1), **slots)
        other = Sentence(f"{start} {{gain}} times {as_much}{more}.", None, **slots)
        if len(self.processors) == 1 and not self.states("speedups"):
            yield "One run alone has nothing to be compared with, so its efficiency is 100 %."
        else:
            yield First(nothing, alike, other)
            yield self._explained()
        if self.states("ahead"):
            yield self._ahead()

    @property
    def _serial(self) -> list[Expr]:
        """The serial part that would explain each run: of one processor's time, or of the first
        run's time (strong scaling) or work (weak scaling)."""
        return list(self.fractions if self.states("speedups") else self.parts)

    @property
    def _whole(self) -> str:
        """What the serial parts are parts of."""
        if self.states("speedups"):
            return "one processor's time"
        return "the first run's time" if self.work == "same" else "the first run's work"

    def _explained(self) -> Said:
        """Whether a serial part explains the runs."""
        known, (gain, scale) = self._serial, self._measured
        part, other = known[-1], (scale - 1) * (scale - 1) > 0
        alone = [
            Sentence(
                "That is more than their share, which no serial part explains.",
                (gain > largest(scale, 1), other),
            ),
            Sentence(
                "That is so slow that no serial part explains it.",
                (gain < smallest(scale, 1), other),
            ),
        ]
        law = f"By {self._whose()}'s law"
        compared = self._compared
        if len(compared) > 1:
            alone += self._trends(compared)
        alone += [
            Sentence(f"{law} nothing of the work is serial.", same(part, 0)),
            Sentence(
                f"{law} a serial part of {{part %}} of {self._whole} would explain that.",
                part >= 0,
                part=part,
            ),
        ]
        return First(*alone)

    @property
    def _compared(self) -> list[int]:
        """The runs that tell of a serial part."""
        return list(range(0 if self.states("speedups") else 1, len(self.processors)))

    def _trends(self, runs: list[int]) -> Iterator[Sentence]:
        """What the serial parts that would explain each of those *runs* have in common."""
        yield from self._trend(runs)
        if len(runs) > 2 and self.states("speedups"):  # one beside itself tells nothing
            yield from self._trend(runs[1:], same(self.processors[0], 1))

    def _trend(self, runs: list[int], *also: Rel) -> Iterator[Sentence]:
        known = [self._serial[run] for run in runs]
        every = runs if self.states("speedups") else [0, *runs]
        ordered = [self.processors[i] < self.processors[j] for i, j in pairwise(every)]
        real = (*also, *ordered, *(part >= 0 for part in known), *(part <= 1 for part in known))
        steps = list(pairwise(known))
        up = (*(j >= i for i, j in steps), known[-1] > known[0])
        down = (*(j <= i for i, j in steps), known[-1] < known[0])
        from_to, slots = self._by_run(runs)
        law = f"By {self._whose()}'s law it would have to be"
        need, bad = f"{law} {from_to} (of {self._whole})", f"{_FIXED} is not a good explanation."
        near = (largest(*known) * 10 <= smallest(*known) * 11, largest(*known) > 0)
        alike = (known[0] > 0, *(same(i, j) for i, j in steps))
        cases = (
            (f"{_FIXED} explains the runs exactly: {{part0 %}} of {self._whole}.", alike),
            (f"{_FIXED} is a good explanation. {need}, which is nearly the same.", near),
            (f"{bad} {need}, so the loss points to {_GROWING}.", up),
            (f"{bad} {need}: it falls, so nothing points to costs that grow with the processors.",
             down),
        )  # fmt: skip
        yield from (Sentence(words, (*real, *tests), **slots) for words, tests in cases)
        yield Sentence(
            f"{bad} {law} from {{least %}} to {{most %}} (of {self._whole}), neither steadily"
            " growing nor falling.",
            (*real, largest(*known) > smallest(*known)),
            least=smallest(*known),
            most=largest(*known),
        )

    def _by_run(self, runs: list[int]) -> tuple[str, dict[str, Expr]]:
        """The serial parts that would explain those *runs*, as words with slots."""
        slots = {f"part{i}": self._serial[run] for i, run in enumerate(runs)}
        slots |= {f"on{i}": self.processors[run] for i, run in enumerate(runs)}
        listed = [*range(len(runs))] if len(runs) <= 4 else [0, len(runs) - 1]
        words = [f"{{part{i} %}} on {{on{i}}}" for i in listed]
        return f"{', '.join(words[:-1])} and {words[-1]}", slots

    def _ahead(self) -> Said:
        """What is predicted for more processors."""
        scale = self.ahead if self.states("speedups") else self.ahead / self.processors[0]
        slots = {
            "first": self.processors[0], "reached": self.predicted / scale,
            "serial": self._serial[-1],
        }  # fmt: skip
        _, many, as_much = self._does()
        verb, beside = "be" if many == "are" else many, self._beside()
        says = f"By {self._whose()}'s law with {{serial %}}, {{ahead processor}} would {verb}"
        as_much = as_much.removesuffix(" in the same time")
        absolute = ""
        if self.states("rates"):
            absolute, slots["all"] = " (a rate of {all})", self.predicted * self.rates[0]
        elif self.states("times") and self.work == "same":
            absolute, slots["all"] = " (in {all})", self.times[0] / self.predicted
        ends = f"{as_much} as {beside}{absolute}: an efficiency of {{reached %}}."
        return First(
            Sentence(f"{says} {ends}", same(self.predicted, 1), **slots),
            Sentence(f"{says} {{predicted}} times {ends}", None, **slots),
            "So nothing predicts what {ahead processor} would do.",
        )

    def insights(self) -> Iterator[Said]:
        known, runs = self._serial, self._compared
        gain, scale = self._measured
        if len(runs) == 1:
            yield Sentence(
                "One run cannot tell a serial part from communication or waiting; further runs"
                " show whether the part grows with the processors.",
                (known[-1] > 0, known[-1] < 1),
            )
        yield from self._by_earlier_runs()
        yield from self._if_it_grows()
        if self.work == "same":
            yield Sentence(
                "However many processors there are, a serial part of {last %} allows at most"
                f" {{limit}} times the speed of {self._beside()}.",
                (known[-1] > 0, known[-1] < 1),
                last=known[-1], limit=1 / known[-1], first=self.processors[0],
            )  # fmt: skip
        elif self.states("speedups"):
            yield Sentence(
                "With that serial part each further processor adds {part %} of what one alone"
                " does.",
                (known[-1] > 0, known[-1] < 1),
                part=1 - known[-1],
            )
        yield Sentence(
            "More than their share can come, for example, from smaller parts of the data that fit"
            " into the caches.",
            (gain > largest(scale, 1), (scale - 1) * (scale - 1) > 0),
        )

    def _by_earlier_runs(self) -> Iterator[Said]:
        """What the last run would have reached with the serial part of an earlier one."""
        known, runs = self._serial, self._compared
        gain, scale = self._measured
        for run in runs[:2]:
            if run >= runs[-1]:
                break
            then = self._reach(known[run], scale)
            yield Sentence(
                f"With the {{before %}} of the run on {{few}} alone, {{many}} would have reached"
                f" {{then}} times the speed of {self._beside()}, not {{gain}}.",
                (known[run] > 0, known[-1] <= 1, known[-1] > known[run], self.processors[run] > 1,
                 self.processors[-1] > self.processors[run], 100 * then > 101 * gain, scale > 1,
                 *(() if run == runs[0] else (same(self.processors[runs[0]], 1),))),
                before=known[run], few=self.processors[run], many=self.processors[-1],
                then=then, gain=gain, first=self.processors[0],
            )  # fmt: skip

    def _if_it_grows(self) -> Iterator[Said]:
        """What becomes of the prediction if the serial part grows on."""
        runs, known = self._compared, self._serial
        if not self.states("ahead") or len(runs) < 2:
            return
        before, last = self.processors[runs[-2]], self.processors[-1]
        scale = self.ahead if self.states("speedups") else self.ahead / self.processors[0]
        more = 2 * known[-1] - known[-2]
        growing = (known[-2] >= 0, known[-1] > known[-2], more < 1, before > 1, scale > 1)
        yield First(
            Sentence(
                "The prediction is too optimistic if the serial part grows on: by as much again as"
                " from {before} to {last}, to {more %}, {ahead} would reach only {then} times the"
                f" speed of {self._beside()}.",
                (*growing, same(self.ahead * before, last * last), last > before),
                before=before, last=last, more=more, then=self._reach(more, scale),
                first=self.processors[0],
            ),
            Sentence(
                "The prediction is too optimistic if the serial part grows on.",
                (*growing, last > before, self.ahead > last),
            ),
        )  # fmt: skip

    def _reach(self, part: Expr, scale: Expr) -> Expr:
        """The speed-up by the law with that serial *part*."""
        return 1 / (part + (1 - part) / scale) if self.work == "same" else part + (1 - part) * scale

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.states("speedups") or len(self.processors) == 1:
            return
        first, last = self.processors[0], self.processors[-1]
        if self.states("rates"):
            ratio = (self.rates[-1] / last) / (self.rates[0] / first)
            says = "rate per processor, of the last run over the first"
        elif self.work == "same":
            ratio = (first * self.times[0]) / (last * self.times[-1])
            says = "processors times time, of the first run over the last"
        else:
            ratio = self.times[0] / self.times[-1]
            says = "each processor does as much in the time of the first run over that of the last"
        yield Crosscheck(says, same(ratio, self.efficiency))

    def premises(self) -> Iterator[Premise]:
        yield Premise("processors are alike")
        yield Premise("in the law only the serial part keeps processors idle")
        if self.states("ahead"):
            yield Premise("the serial part that explains the last run stays as it is")

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
            yield self.scales, [Num(1), *(run / self.processors[0] for run in self.processors[1:])]
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
            return [Num(1), *(rate / self.rates[0] for rate in self.rates[1:])]
        if self.work == "same":
            return [Num(1), *(self.times[0] / time for time in self.times[1:])]
        pairs = list(zip(self.scales, self.times, strict=True))[1:]
        return [Num(1), *(scale * self.times[0] / time for scale, time in pairs)]

    def _why(self) -> str:
        if self.states("rates"):
            return ""
        return "the same work" if self.work == "same" else "so much more work"

    def _law(self, also: str = "") -> str:
        gain, part, scale = ("S", "f", "p") if self.states("speedups") else ("G", "g", "q")
        law = f"Gustafson's law, {gain} = {part} + (1 − {part})·{scale}"
        if self.work == "same":
            law = f"Amdahl's law, 1/{gain} = {part} + (1 − {part})/{scale}"
        return f"{also}{law}"

    def _share(self) -> str:
        if self.work == "same":
            return "by Karp and Flatt"
        return "part of what one processor has of its own"

    def _solved(self, gain: Expr, scale: Expr) -> Expr:
        """The serial part, by the law, of the time (strong scaling) or the work (weak scaling) on
        1/*scale* of the processors."""
        if self.work == "same":
            part = (1 / gain - 1 / scale) / (1 - 1 / scale)
        else:
            part = (scale - gain) / (scale - 1)
        return cases((NOTHING, same(scale, 1)), otherwise=part)

    def _alone(self, part: Expr, scale: Expr) -> Expr:
        """What *part* of the first run's time or work is of the time that one processor takes."""
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
