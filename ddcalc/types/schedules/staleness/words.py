"""What is said of a run with stale gradients: verdicts, what they mean, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import sqrt
from random import Random
from statistics import fmean, stdev

from ddcalc.formula.expression import Num
from ddcalc.numbers.display import rounded
from ddcalc.numbers.irrational import log, ratio
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.play import Says, defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Crosscheck, Premise, Said, Sentence
from ddcalc.problem.steps import Cells, Step, Table
from ddcalc.types.schedules._distances import picked, places
from ddcalc.types.schedules.staleness.model import (
    KINKED_MEAN,
    KINKED_UPDATES,
    LATE_UPDATES,
    Conditions,
    both_runs,
    dropped,
    errors,
    kinked_end,
    positions,
    reused,
)
from ddcalc.types.schedules.staleness.question import Noise, StaleRun

SLOPES, LATE = "A loss with two slopes", "Late gradients"

DIGITS = 4
CLEAR = Fraction(2, 10**6)  # by which two rounded sizes differ for sure
SLOW = Fraction(9995, 10_000)  # a factor beyond which updates say more
PICTURES = {
    "momentum": (
        "A heavy ball keeps rolling: each update repeats a part of the one before, so every"
        " gradient acts on for ever, more and more weakly. A stale gradient also acts in later"
        " updates than the one it was computed for, but only while it is among the ages that are"
        " used."
    ),
    "noise": (
        "Each gradient is off by some noise, up or down at random. Along a constant curvature"
        " gradients depend on the weights in proportion, so the noise cancels in the mean. It does"
        " not cancel in the scatter: what an update's noise leaves lives on in all later ones."
    ),
    "late": (
        "A server waits for two of three workers; the third is late in every update. If its"
        " gradients are dropped, its data never count, and the weights go where the other two pull"
        " them. If they are used an update later, all data count."
    ),
}


def says(question: StaleRun, part: str) -> Says:
    """What is said of *question* where *part* is shown."""
    return Words(question, part).says()


class Words:
    """The sentences on *question* where *part* is shown."""

    def __init__(self, question: StaleRun, part: str) -> None:
        self.question, self.part = question, part
        self.conditions, self.quadratic = Conditions(question), question.quadratic
        self.rate, self.ages = self.quadratic.rate, len(question.coefficients)
        self.alike = question.low == question.high
        self.curved = "of curvature {low}" if self.alike else "with curvatures from {low} to {high}"

    def says(self) -> Says:
        """All of them."""
        return Says(
            mechanism=PICTURES.get(self.part, ""),
            conclusion=tuple(self._conclusion()),
            insights=tuple(self._insights()),
            crosschecks=tuple(self._crosschecks()),
            premises=tuple(self._premises()),
        )

    def _shows(self, part: str) -> bool:
        return self.part in (part, "everything")

    # The answer

    def _conclusion(self) -> Iterator[Said]:
        if self._shows("conditions"):
            yield self._theorems()
        yield from self._verdict()
        if self._shows("momentum"):
            yield from self._momentum()
        if self._shows("noise"):
            yield from self._noise()
        if self._shows("late"):
            yield (
                "In the example of three workers, one of them always late, dropping its gradients"
                " leads to {dropped_end}, the best point of the other two; reusing them leads to"
                " {reused_end}, the best point of all three."
            )

    def _verdict(self) -> Iterator[Said]:
        long = f"on every quadratic {self.curved}"
        if not self.quadratic.converges:
            grows = self.rate > 1 + Fraction(1, 1000)
            end = (
                "; they can grow by a factor of {rate} per update in the long run" if grows else ""
            )
            where = f"there are quadratics {self.curved} on which errors do not die out"
            if self.alike:
                where = f"on a quadratic {self.curved} errors do not die out"
            yield f"{self._no}{where}{end}."
        elif not self.rate:
            yield f"{self._yes}: {long} one update leads to the minimum."
        elif self.rate >= 1:
            yield f"{self._yes} very slowly: {long} errors die out."
        elif self.rate > SLOW:
            yield Sentence(
                f"{self._yes} slowly: {long} errors die out, and a tenfold smaller one takes at"
                " most about {updates} updates in the long run.",
                updates=Num(rounded(self._tenfold, 3)),
            )
        else:
            yield (
                f"{self._yes}: {long} the error shrinks, in the long run, by a factor of {{rate}}"
                " or better with each update."
            )

    @property
    def _tenfold(self) -> Fraction:
        """How many updates a tenfold smaller error takes in the long run."""
        return Fraction(log(10)) / -Fraction(log(self.rate))

    @property
    def _yes(self) -> str:
        if not self._shows("conditions"):
            return "It converges"
        return "So it converges" if self.conditions.hold else "Yes, it converges all the same"

    @property
    def _no(self) -> str:
        return "No, it does not always converge: " if self._shows("conditions") else "No: "

    def _theorems(self) -> Said:
        """Whether the condition is met, and where it is not."""
        conditions, fresh = self.conditions, Num(self.question.fresh)
        stale = bool(self.question.stale)
        if conditions.hold:
            return Sentence(
                "The theorem's condition is met: {fresh} is at most 1/b = {step_allowed}, and the"
                " old"
                " coefficients add up to {stale_sum}, at most {stale_allowed}."
                if stale
                else "The theorem's condition is met: {fresh} is at most 1/b = {step_allowed},"
                " and nothing is"
                " stale.",
                fresh=fresh,
            )
        if not conditions.smallest:
            return (
                "The theorem's condition is not met: no coefficient may be below some c > 0, and"
                " one is 0."
            )
        if conditions.stale_margin is None:
            return Sentence(
                "The theorem's condition is not met: the coefficient of the current gradient is"
                " {fresh}, more"
                " than 1/b = {step_allowed}.",
                fresh=fresh,
            )
        return Sentence(
            "The theorem's condition is not met: {fresh} ≤ 1/b = {step_allowed} holds, but the old"
            " coefficients add up to {stale_sum}, more than {stale_allowed}.",
            fresh=fresh,
        )

    def _momentum(self) -> Iterator[Said]:
        if not self.question.stale:
            yield "Nothing is stale, so there is no momentum."
            return
        if not self.question.fresh:
            yield "The current gradient is not used, and a heavy ball uses it most of all."
            return
        same = all(stale == ball for stale, ball in both_runs(self.question))
        apart = (
            "are exactly equal"
            if same
            else "differ by at most {momentum_gap}, from 1 at the start on"
        )
        yield (
            "The stale gradients act like a heavy ball with a momentum of {momentum}: over"
            f" {{updates update}} at curvature {{low}} the errors of the two {apart}."
        )

    def _noise(self) -> Iterator[Said]:
        if not self.quadratic.converges:
            return
        yield (
            "With noise of ±1 on each gradient the mean error still goes to 0, but the weights keep"
            " moving: at curvature {low} their variance after {updates update} is {variance}."
        )

    # What it means

    def _insights(self) -> Iterator[Said]:
        if self._shows("conditions"):
            yield from self._alone()
            yield from self._speed()
            yield from self._limit()
        if self._shows("momentum") and self.question.stale and self.question.beta is not None:
            yield Sentence(
                "A heavy ball carries each gradient on for ever, staleness only for {ages update},"
                " so the first {ages} updates of the two are the same.",
                ages=Num(self.ages),
            )
        if self.part == "noise":
            yield (
                "That the mean converges takes a constant curvature: with slopes 1 and 2 on the two"
                " sides of the minimum, the same noise moves the mean to {kinked_mean}."
            )

    def _alone(self) -> Iterator[Said]:
        """What the stale gradients change."""
        fresh = Fraction(self.question.fresh)
        left: list[Fraction] = [1 - Fraction(h) * fresh for h in self._ends]
        alone = max(max(part, -part) for part in left)
        if not self.question.stale or alone >= 1 or not self.quadratic.converges:
            return
        if self.rate + CLEAR < alone:
            yield Sentence(
                "Here the old gradients help: with the current one alone the factor would be"
                " {alone}. Together the coefficients are {together} instead of {fresh}.",
                alone=Num(plain(alone)),
                fresh=Num(self.question.fresh),
                together=Num(plain(fresh + Fraction(self.conditions.stale_sum))),
            )
        elif self.rate > alone + CLEAR:
            yield Sentence(
                "The old gradients cost speed: with the current one alone the factor would be"
                " {alone}.",
                alone=Num(plain(alone)),
            )

    def _speed(self) -> Iterator[Said]:
        """How many updates a tenfold smaller error takes, and in which direction."""
        if not 0 < self.rate < 1 or not self.quadratic.converges:
            return
        updates = self._tenfold
        if updates < 2 or self.rate > SLOW:
            return
        low, high = self.quadratic.radii
        slow = "the flattest direction" if low > high + CLEAR else "the steepest direction"
        where = f", set by {slow}" if self._apart and self._at_an_end else ""
        yield Sentence(
            "In the long run a tenfold smaller error takes about {updates} updates" + where + ".",
            updates=Num(round(updates)),
        )

    @property
    def _apart(self) -> bool:
        """Whether one end of the curvatures is slower than the other."""
        low, high = self.quadratic.radii
        return low > high + CLEAR or high > low + CLEAR

    @property
    def _at_an_end(self) -> bool:
        return self.quadratic.is_worst_at_an_end

    def _limit(self) -> Iterator[Said]:
        """What suffices on a quadratic, and why the theorems ask for more."""
        conditions, fresh = self.conditions, self.question.fresh
        if not self.quadratic.converges:
            scaled = "With all coefficients scaled down together it converges while"
            if not self.question.stale:
                yield "With a coefficient below {step_limit} it converges."
            elif fresh:
                yield f"{scaled} the current one is below {{step_limit}}."
            else:
                times = ratio(self.quadratic.curvature_limit, self.question.high)
                limit = Num(Fraction(times) * Fraction(conditions.stale_sum))
                yield Sentence(f"{scaled} they add up to less than {{limit}}.", limit=limit)
            return
        if not self.question.stale or conditions.stale_margin is None:
            return
        if not self.alike and conditions.stale_sum < fresh:
            yield Sentence(
                "With {fresh} ≤ 1/b, old coefficients that add up to less than {fresh} are enough"
                " on a quadratic. The theorem asks for less since it also covers losses whose"
                " curvature changes from place to place, and keeps half in reserve.",
                fresh=Num(fresh),
            )
        else:
            allowed, borne = conditions.stale_allowed, self.quadratic.stale_limit
            if allowed is not None and borne is not None and borne > allowed:
                yield (
                    "On these quadratics the old coefficients, all scaled alike, could add up to"
                    " {stale_limit}; the theorem allows {stale_allowed}."
                )

    # Checks, and what it rests on

    def _crosschecks(self) -> Iterator[Crosscheck]:
        """The run keeps what the proof promises."""
        question, factor = self.question, self.conditions.guaranteed
        if not self._shows("conditions") or factor >= 1 or not question.updates:
            return
        rounds = -(-question.updates // self.ages)
        ends = (errors(question.coefficients, h, question.updates)[-1] for h in self._ends)
        left = max(max(error, -error) for error in ends)
        promised = Fraction(factor) ** rounds
        shown = min(Fraction(rounded(left, DIGITS)), promised) if left <= promised else left
        yield Crosscheck(
            "{updates update} from an error of 1 on leave no more of it than the proof promises, q"
            + (" once every {ages update}" if self.ages > 1 else " with every update")
            if question.updates > 1
            else "the first update leaves no more of an error of 1 than the proof promises",
            Num(plain(shown)) <= Num(factor) ** rounds,
            ages=Num(self.ages),
        )

    @property
    def _ends(self) -> tuple[Number, Number]:
        return self.question.low, self.question.high

    def _premises(self) -> Iterator[Premise]:
        if self.part == "late":
            yield Premise("the same worker is late in every update", "backup-workers")
            return
        yield Premise("the curvature in each direction is constant, as on a quadratic")
        yield Premise("coefficients depend on age only")
        if self._shows("conditions"):
            yield Premise("gradients are exact, without noise", "part")


# The two examples that are told with numbers of their own


def measured(ends: list[float]) -> tuple[str, str]:
    """The mean of *ends* and its standard error, as texts; a single one has none."""
    error = f"{stdev(ends) / sqrt(len(ends)):.4f}" if len(ends) > 1 else "–"
    return f"{fmean(ends):.4f}".replace("-", "−"), error


KINKED_SHOWN = 3  # positions on each branch


def kinked_steps(noise: Noise, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The loss, where its run is in the long run, and a run beside."""
    rows: list[Cells] = [
        (Num(w), Num(w if w < 0 else 2 * w), Num(share))
        for w, share in sorted(positions(KINKED_SHOWN), key=lambda pair: -pair[1])
    ]
    why = (
        "slopes 1 left and 2 right of 0, noise ±1, k = 1, α = 1/2; from the right it goes to ±1/2,"
        " from the left to w/2 ± 1/2"
    )
    header = ("w", "gradient", "share of the time")
    rows.append(("…", "…", "…"))
    yield Table(SLOPES, why, header, tuple(rows))
    why = (
        "1/2 · 1/4, the places 2^−(j+1) at 2^−(j+2) each, and −1 + 2^−j at 2^−(j+1) each add up to"
        " it; the mean gradient is 0 there, but it is not the gradient at the mean"
    )
    yield defined(declared["kinked_mean"], KINKED_MEAN, why=why)
    ends = [kinked_end(Random(noise.seed + run)) for run in range(noise.runs)]  # noqa: S311
    why = f"of w after {KINKED_UPDATES} updates over {noise.runs} runs, beside −1/6"
    header = ("mean", "standard error", "exact mean")
    yield Table("The same, played", why, header, ((*measured(ends), Num(KINKED_MEAN)),))


def late_steps(declared: Mapping[str, Derived]) -> Iterator[Step]:
    """Where each way leads."""
    why = (
        "three workers with losses (w − c)^2/2 and c = 0, 0, 3, the last of which is late in every"
        f" update; the step is 1/2, over the mean of the gradients{picked(LATE_UPDATES)}"
    )
    runs = dropped(), reused()
    rows = tuple((Num(t), *(Num(rounded(run[t], 6)) for run in runs)) for t in places(LATE_UPDATES))
    yield Table(LATE, why, ("update", "dropped", "reused an update later"), rows)
    yield defined(declared["dropped_end"], 0)
    yield defined(declared["reused_end"], 1)
